/* Sends between blocks of a cluster, beside plain accesses: operations on mbarriers, bytes that count at one, and pieces of
 * copies in bulk. They go as messages (lsu/cluster.h) that nobody waits for. */
#include "sm/sending.h"

#include <string.h>

#include "base/bits.h"
#include "memory/packet_values.h"
#include "simt/send.h"
#include "sm/state.h"
#include "sm/tell_copies.h"
#include "sm/warps.h"

/* An operation on an mbarrier is an ATOMIC of one lane: the operand, and in the place of a comparand the instruction
 * and, above that, the thread. name: of its warp and instruction, for observers. */
static struct packet *mbarrier_message(struct sm *sm, uint64_t address, const struct simt_sent *sent, uint32_t name)
{
    struct packet *p = lsu_cluster_message(&sm->lsu, PACKET_ATOMIC, LSU_MESSAGE_MBARRIER, address, 8);
    struct message_atomic *m = atomic_of(p);
    p->origin = name;
    m->no_return = true;
    m->lane_count = 1;
    m->lanes[0] = (struct packet_lane){.offset = (uint8_t)(address % PACKET_LINE_BYTES),
                                       .operand = sent->operand,
                                       .compare = sent->op | (uint64_t)sent->by << 32};
    return p;
}

/* A reduction names the mbarrier in the place of comparands. */
static struct packet *elements_message(struct sm *sm, const struct async_parcel *parcel)
{
    struct packet *p = lsu_cluster_message(&sm->lsu, PACKET_ATOMIC, LSU_MESSAGE_BYTES, parcel->address, parcel->bytes);
    struct message_atomic *m = atomic_of(p);
    m->atomic = parcel->atomic;
    m->type = parcel->type;
    packet_add_elements(m, (uint32_t)(parcel->address % PACKET_LINE_BYTES), parcel->data, parcel->bytes, parcel->element,
                        parcel->mbarrier);
    return p;
}

static struct packet *bytes_message(struct sm *sm, const struct async_parcel *parcel)
{
    struct packet *p = lsu_cluster_message(&sm->lsu, PACKET_WRITE, parcel->cast ? LSU_MESSAGE_CAST : LSU_MESSAGE_BYTES,
                                           parcel->address, parcel->bytes);
    struct message_write *m = write_of(p);
    unsigned at = (unsigned)(parcel->address % PACKET_LINE_BYTES);
    if (parcel->data)
        memcpy(m->data + at, parcel->data, parcel->bytes);
    for (unsigned i = at; i < at + parcel->bytes; i++)
        m->mask[i / 64] |= BIT64(i % 64);
    access_of(p)->waiter = parcel->mbarrier;
    return p;
}

static void send(struct sm *sm, unsigned slot, struct packet *p)
{
    unsigned rank = LANE_SHARED_RANK(p->address);
    uint64_t cluster;
    unsigned to = sm_peer(sm, slot, rank, &cluster);
    p->local = cluster;
    lsu_cluster_ask(&sm->lsu, p, to);
}

/* True: the block that something is sent to is known to have ended, which is an error of the sender's and is recorded. What
 * is under way when a block ends is lost. */
static bool is_gone(struct sm *sm, unsigned slot, uint32_t pc, unsigned lane, uint64_t address)
{
    const struct sm_block *block = &sm->blocks[sm->warp.slots[slot].block];
    if (!(block->cluster.ended >> LANE_SHARED_RANK(address) & 1))
        return false;
    sm_miss_block(sm, slot, pc, lane, address);
    return true;
}

void sm_send_piece(void *context, unsigned slot, const struct async_parcel *parcel)
{
    struct sm *sm = context;
    if (is_gone(sm, slot, parcel->pc, parcel->lane, parcel->address))
        return;
    struct packet *p = parcel->atomic ? elements_message(sm, parcel) : bytes_message(sm, parcel);
    p->origin = parcel->copy;
    send(sm, slot, p);
}

void sm_cast_piece(void *context, unsigned slot, const struct async_parcel *parcel, uint32_t number, uint32_t from)
{
    struct sm *sm = context;
    if (is_gone(sm, slot, parcel->pc, parcel->lane, parcel->address))
        return;
    struct packet *p = bytes_message(sm, parcel);
    uint64_t cluster;
    unsigned to = sm_peer(sm, slot, LANE_SHARED_RANK(p->address), &cluster);
    p->local = cluster;
    p->origin = parcel->copy;
    lsu_cluster_cast(&sm->lsu, number, p, to, from);
}

void sm_send_lanes(struct sm *sm, unsigned slot, const struct simt_access *access)
{
    for (uint64_t rest = access->remote; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct simt_sent sent = simt_sent_of(&sm->warp.slots[slot].simt, access, lane);
        if (sent.data)
            sm_send_piece(sm, slot,
                          &(struct async_parcel){.address = access->address[lane],
                                                 .data = sent.data,
                                                 .bytes = sent.bytes,
                                                 .mbarrier = sent.mbarrier,
                                                 .copy = access->group ? access->group + lane : 0,
                                                 .pc = access->pc,
                                                 .lane = (uint8_t)lane,
                                                 .atomic = sent.atomic,
                                                 .type = sent.type,
                                                 .element = sent.bytes});
        else if (!is_gone(sm, slot, access->pc, lane, access->address[lane]))
            send(sm, slot, mbarrier_message(sm, access->address[lane], &sent, access->pc * WARP_SLOTS + slot));
    }
}

/* Arrivals */

static void settle(struct sm *sm, struct sm_block *block, const struct packet *p, uint32_t address,
                   const struct mbarrier_step *step)
{
    bool brought = access_of(p)->event == LSU_MESSAGE_CAST; /* by slices, as to a block that has asked for itself */
    if (RARELY(watch_hears(&sm->watch, WATCH_mbarrier)))
        sm_tell_message(sm, block, p, address, step->completed);
    if (step->completed)
        async_phase_ended(&sm->async, (unsigned)(block - sm->blocks), address, brought ? ASYNC_BY_BYTES : ASYNC_BY_WARP);
    if (!step->fault)
        return;
    struct simt_fault fault;
    unsigned slot = mask_first(block->warps);
    simt_mbarrier_fault(&fault, step, address, 0, sm->kernel->grid->kernel->first);
    sm_record_fault(sm, slot, &fault);
}

static void take_mbarrier(struct sm *sm, struct sm_block *block, const struct packet *p)
{
    const struct packet_lane *l = &atomic_of(p)->lanes[0];
    uint32_t address = LANE_SHARED_OFFSET(p->address);
    struct mbarrier_step step =
        simt_mbarrier_take(&block->simt, address, (unsigned)l->compare, l->operand, (uint32_t)(l->compare >> 32));
    settle(sm, block, p, address, &step);
}

static void take_bytes(struct sm *sm, struct sm_block *block, struct packet *p)
{
    uint32_t offset = LANE_SHARED_OFFSET(p->address), line = offset - offset % PACKET_LINE_BYTES;
    uint32_t mbarrier = access_of(p)->waiter;
    if (p->kind == PACKET_WRITE) {
        packet_write_line(p, block->simt.shared + line);
    } else {
        mbarrier = (uint32_t)atomic_of(p)->lanes[0].compare;
        atomic_of(p)->atomic |= LANE_ATOMIC_SUBNORMAL;
        packet_perform_lanes(atomic_of(p), block->simt.shared + line, offset % PACKET_LINE_BYTES, p->bytes);
    }
    if (mbarrier == PACKET_NOBODY)
        return;
    struct mbarrier_step step =
        simt_mbarrier_take(&block->simt, mbarrier, ISA_OP_MBARRIER_COMPLETE_TX, p->bytes, SIMT_NO_THREAD);
    settle(sm, block, p, mbarrier, &step);
}

void sm_take_sent(struct sm *sm, struct sm_block *block, struct packet *p)
{
    if (access_of(p)->event == LSU_MESSAGE_MBARRIER)
        take_mbarrier(sm, block, p);
    else
        take_bytes(sm, block, p);
}

/* Sends between blocks of a cluster, beside plain accesses: operations on mbarriers, bytes that count at one, and pieces of
 * copies in bulk. They go as messages (lsu/cluster.h) that nobody waits for. */
#include "sm/sending.h"

#include <string.h>

#include "base/bits.h"
#include "memory/packet_values.h"
#include "simt/send.h"
#include "sm/state.h"
#include "sm/warps.h"

/* An operation on an mbarrier is an ATOMIC of one lane: the operand, and the instruction in the place of a comparand. */
static struct packet *mbarrier_message(struct sm *sm, uint64_t address, const struct simt_sent *sent)
{
    struct packet *p = lsu_cluster_message(&sm->lsu, PACKET_ATOMIC, LSU_MESSAGE_MBARRIER, address, 8);
    struct message_atomic *m = atomic_of(p);
    m->no_return = true;
    m->lane_count = 1;
    m->lanes[0] = (struct packet_lane){
        .offset = (uint8_t)(address % PACKET_LINE_BYTES), .operand = sent->operand, .compare = sent->op};
    return p;
}

/* A reduction names the mbarrier in the place of a comparand. */
static struct packet *reduction_message(struct sm *sm, uint64_t address, const struct simt_sent *sent)
{
    struct packet *p = lsu_cluster_message(&sm->lsu, PACKET_ATOMIC, LSU_MESSAGE_BYTES, address, sent->bytes);
    struct message_atomic *m = atomic_of(p);
    m->atomic = sent->atomic;
    m->type = sent->type;
    m->no_return = true;
    m->lane_count = 1;
    m->lanes[0] =
        (struct packet_lane){.offset = (uint8_t)(address % PACKET_LINE_BYTES), .compare = sent->mbarrier};
    memcpy(&m->lanes[0].operand, sent->data, sent->bytes);
    return p;
}

static struct packet *bytes_message(struct sm *sm, enum lsu_message what, uint64_t address, const uint8_t *data,
                                    unsigned bytes, uint32_t mbarrier)
{
    struct packet *p = lsu_cluster_message(&sm->lsu, PACKET_WRITE, what, address, bytes);
    struct message_write *m = write_of(p);
    unsigned at = (unsigned)(address % PACKET_LINE_BYTES);
    memcpy(m->data + at, data, bytes);
    for (unsigned i = at; i < at + bytes; i++)
        m->mask[i / 64] |= BIT64(i % 64);
    access_of(p)->waiter = mbarrier;
    return p;
}

static void send(struct sm *sm, unsigned slot, struct packet *p)
{
    unsigned rank = (unsigned)(p->address >> LANE_RANK_SHIFT) - 1;
    uint64_t cluster;
    unsigned to = sm_peer(sm, slot, rank, &cluster);
    p->local = cluster;
    lsu_cluster_ask(&sm->lsu, p, to);
}

void sm_send_lanes(struct sm *sm, unsigned slot, const struct simt_access *access)
{
    for (uint64_t rest = access->remote; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t address = access->address[lane];
        struct simt_sent sent = simt_sent_of(access, lane);
        send(sm, slot,
             !sent.data    ? mbarrier_message(sm, address, &sent)
             : sent.atomic ? reduction_message(sm, address, &sent)
                           : bytes_message(sm, LSU_MESSAGE_BYTES, address, sent.data, sent.bytes, sent.mbarrier));
    }
}

static struct packet *elements_message(struct sm *sm, const struct async_parcel *parcel)
{
    struct packet *p =
        lsu_cluster_message(&sm->lsu, PACKET_ATOMIC, LSU_MESSAGE_BYTES, parcel->address, parcel->bytes);
    struct message_atomic *m = atomic_of(p);
    m->atomic = parcel->atomic;
    m->type = parcel->type;
    m->no_return = true;
    for (unsigned at = 0; at < parcel->bytes; at += parcel->element) {
        struct packet_lane *l = &m->lanes[m->lane_count++];
        *l = (struct packet_lane){.offset = (uint8_t)((parcel->address + at) % PACKET_LINE_BYTES),
                                  .compare = parcel->mbarrier};
        memcpy(&l->operand, parcel->data + at, parcel->element);
    }
    return p;
}

void sm_send_piece(void *context, unsigned slot, const struct async_parcel *parcel)
{
    struct sm *sm = context;
    send(sm, slot,
         parcel->atomic ? elements_message(sm, parcel)
                        : bytes_message(sm, parcel->cast ? LSU_MESSAGE_CAST : LSU_MESSAGE_BYTES, parcel->address,
                                         parcel->data, parcel->bytes, parcel->mbarrier));
}

/* Arrivals */

static void settle(struct sm *sm, struct sm_block *block, uint32_t address, const struct mbarrier_step *step)
{
    if (step->completed)
        async_phase_ended(&sm->async, (unsigned)(block - sm->blocks));
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
    uint32_t address = (uint32_t)LANE_SHARED_OFFSET(p->address);
    struct mbarrier_step step = simt_mbarrier_take(&block->simt, address, (unsigned)l->compare, l->operand);
    settle(sm, block, address, &step);
}

static void take_bytes(struct sm *sm, struct sm_block *block, struct packet *p)
{
    uint64_t offset = LANE_SHARED_OFFSET(p->address), line = offset - offset % PACKET_LINE_BYTES;
    uint32_t mbarrier = access_of(p)->waiter;
    if (p->kind == PACKET_WRITE) {
        packet_write_line(p, block->simt.shared + line);
    } else {
        mbarrier = (uint32_t)atomic_of(p)->lanes[0].compare;
        atomic_of(p)->atomic |= LANE_ATOMIC_SUBNORMAL;
        packet_perform_lanes(atomic_of(p), block->simt.shared + line, (uint32_t)(offset % PACKET_LINE_BYTES), p->bytes);
    }
    if (mbarrier == PACKET_NOBODY)
        return;
    struct mbarrier_step step = simt_mbarrier_bytes(&block->simt, mbarrier, p->bytes);
    settle(sm, block, mbarrier, &step);
}

void sm_take_sent(struct sm *sm, struct sm_block *block, struct packet *p)
{
    if (access_of(p)->event == LSU_MESSAGE_MBARRIER)
        take_mbarrier(sm, block, p);
    else
        take_bytes(sm, block, p);
}

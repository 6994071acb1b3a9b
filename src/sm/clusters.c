/* Blocks of clusters on an SM: see clusters.h. What a block does at the cluster's barrier it tells the others by messages
 * (lsu/cluster.h), so that they hear of it as late as their SMs are far. */
#include "sm/clusters.h"

#include <string.h>

#include "memory/packet_values.h"
#include "sm/sending.h"
#include "sm/state.h"
#include "sm/warps.h"

void sm_enter_cluster(struct sm_block *block, const uint16_t *peers)
{
    const struct simt_grid *grid = block->simt.grid;
    block->simt.rank = simt_rank_of(grid, block->simt.index);
    block->cluster = (struct sm_cluster){0};
    block->cluster_number = peers ? simt_cluster_of(grid, block->simt.index) : 0;
    if (peers)
        memcpy(block->peers, peers, sizeof block->peers);
}

static unsigned blocks_of(const struct sm *sm)
{
    unsigned blocks = sm->kernel->grid->cluster_blocks;
    return blocks ? blocks : 1;
}

/* Messages */

unsigned sm_peer(void *context, unsigned slot, unsigned rank, uint64_t *cluster)
{
    const struct sm *sm = context;
    const struct sm_block *block = &sm->blocks[sm->warp.slots[slot].block];
    *cluster = block->cluster_number;
    return block->peers[rank];
}

/* The block that a message is for, or NULL: it has ended. */
static struct sm_block *block_of(struct sm *sm, const struct packet *p)
{
    unsigned rank = LANE_SHARED_RANK(p->address);
    for (unsigned i = 0; i < WARP_SLOTS; i++) {
        struct sm_block *block = &sm->blocks[i];
        if (block->used && block->cluster_number == p->local && block->simt.rank == rank)
            return block;
    }
    return NULL;
}

/* A transaction may reach behind the block's shared memory: its lanes do not. */
static void read_shared(const struct simt_block *block, struct packet *p)
{
    uint64_t offset = LANE_SHARED_OFFSET(p->address);
    uint64_t have = offset < block->shared_bytes ? block->shared_bytes - offset : 0;
    uint8_t *to = packet_data(p) + offset % PACKET_LINE_BYTES;
    memset(to, 0, p->bytes);
    memcpy(to, block->shared + offset, have < p->bytes ? have : p->bytes);
}

static void perform_access(const struct simt_block *block, struct packet *p)
{
    uint64_t offset = LANE_SHARED_OFFSET(p->address), within = offset % PACKET_LINE_BYTES;
    if (p->kind == PACKET_READ) {
        read_shared(block, p);
    } else if (p->kind == PACKET_WRITE) {
        packet_write_line(p, block->shared + (offset - within));
    } else {
        atomic_of(p)->atomic |= LANE_ATOMIC_SUBNORMAL;
        packet_perform_lanes(atomic_of(p), block->shared + (offset - within), (uint32_t)within, p->bytes);
    }
}

/* Barriers */

/* What warps acquire that have waited for the cluster. */
static void acquire(struct sm *sm)
{
    const struct order_meaning *meaning =
        order_meaning(ORDER_FENCE, ISA_ORDER_ACQUIRE, order_scope(sm->lsu.l1d.protocol, ISA_SCOPE_CLUSTER));
    uint8_t drops = lsu_drops_after(&sm->lsu, meaning);
    if (!drops)
        return;
    lsu_drop(&sm->lsu, drops);
    lsu_l1_changed(&sm->lsu);
}

/* A warp hears that the phase is over in the cycle `until`, and not before its own block's arrival has been taken up.
 */
static void await_answer(struct sm *sm, const struct sm_block *block, unsigned slot, uint64_t until)
{
    if (sm->params->cluster_barrier_own)
        until = cycle_max(until, block->cluster.since + sm->params->cluster_barrier_own);
    warp_hold_up(&sm->warp, slot, sm->agenda.now, until);
}

/* The phase is over for these warps, by their index. */
static void release(struct sm *sm, struct sm_block *block, uint64_t warps)
{
    uint64_t slots = warps << mask_first(block->warps);
    if (!slots)
        return;
    sm_count_warps(sm, sm->agenda.now + 1);
    lsu_synchronise_block(&sm->lsu, (unsigned)(block - sm->blocks));
    warp_wait_end(&sm->warp, WARP_WAIT_cluster, slots);
    acquire(sm);
    for (uint64_t rest = slots; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        if (warp_at_release(&sm->warp, slot))
            lsu_reach_release(&sm->lsu, slot);
        await_answer(sm, block, slot, sm->agenda.now + sm->params->cluster_barrier_latency);
    }
    made_progress(&sm->agenda);
}

static void end_phase(struct sm *sm, struct sm_block *block)
{
    uint64_t released;
    if (sm_cluster_open(&block->cluster, block->simt.rank, blocks_of(sm), &released))
        release(sm, block, released);
}

static void tell(struct sm *sm, const struct sm_block *block, enum lsu_message what)
{
    uint32_t of = block->simt.rank * 2 + block->cluster.parity;
    for (unsigned rank = 0; rank < blocks_of(sm); rank++)
        if (rank != block->simt.rank && !(block->cluster.ended >> rank & 1))
            lsu_cluster_tell(&sm->lsu, what, block->cluster_number, rank, block->peers[rank], of);
}

void sm_reach_cluster(struct sm *sm, struct sm_block *block, unsigned slot, const struct simt_result *r)
{
    unsigned warp = sm->warp.slots[slot].simt.index;
    if (r->barrier.mode == ISA_BARRIER_ARRIVE) {
        block->cluster.since = cycle_max(block->cluster.since, sm->agenda.now) + sm->params->cluster_barrier_interval;
        if (sm_cluster_arrive(&block->cluster, warp, block->barriers.running, block->simt.rank))
            tell(sm, block, LSU_MESSAGE_ARRIVED);
        end_phase(sm, block);
    } else if (sm_cluster_waits(&block->cluster, warp)) {
        warp_wait_begin(&sm->warp, WARP_WAIT_cluster, BIT64(slot));
        sm->barrier_since[slot] = sm->agenda.now;
    } else {
        acquire(sm);
        await_answer(sm, block, slot, 0);
    }
}

void sm_cluster_lost_warp(struct sm *sm, struct sm_block *block)
{
    if (!block->barriers.running)
        tell(sm, block, LSU_MESSAGE_ENDED);
    else if (sm_cluster_warp_ended(&block->cluster, block->barriers.running, block->simt.rank))
        tell(sm, block, LSU_MESSAGE_ARRIVED);
    end_phase(sm, block);
}

void sm_perform_message(void *context, struct packet *p)
{
    struct sm *sm = context;
    struct sm_block *block = block_of(sm, p);
    struct message_access *m = access_of(p);
    if (m->event == LSU_MESSAGE_ACCESS && block) {
        perform_access(&block->simt, p);
    } else if (m->event == LSU_MESSAGE_ACCESS) {
        m->event = LSU_MESSAGE_ABSENT;
    } else if (m->event == LSU_MESSAGE_MBARRIER || m->event == LSU_MESSAGE_BYTES || m->event == LSU_MESSAGE_CAST) {
        if (block)
            sm_take_sent(sm, block, p);
    } else if (block) {
        if (m->event == LSU_MESSAGE_ENDED)
            sm_cluster_ended(&block->cluster, m->waiter / 2);
        else
            sm_cluster_came(&block->cluster, m->waiter / 2, m->waiter);
        end_phase(sm, block);
    }
}

void sm_miss_block(void *context, unsigned slot, uint32_t pc, unsigned lane, uint64_t address)
{
    struct sm *sm = context;
    const struct simt_warp *warp = &sm->warp.slots[slot].simt;
    struct simt_fault fault = {.lane = (uint8_t)lane, .address = address, .pc = pc};
    sm_describe_absent(warp->block, LANE_SHARED_RANK(address), &fault);
    sm_record_fault(sm, slot, &fault);
}

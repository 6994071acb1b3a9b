/* Barriers and the ends of warps: what an arrival or an end opens, and what schedulers see of blocks. They see it when
 * the cycle has ended: within a cycle, what one scheduler issued would else be known to those alone that look later. */
#include "sm/barriers.h"
#include "sm/blocks.h"
#include "sm/clusters.h"
#include "sm/state.h"
#include "sm/tell.h"
#include "sm/warps.h"

/* Warps of one block, by index in the block, as slots of the SM. */
static uint64_t slots_of(const struct sm_block *block, uint64_t warps)
{
    return warps << mask_first(block->warps);
}

/* Something happened at a barrier of the block that its schedulers see at the end of the cycle. */
HOT static void note_event(struct sm *sm, const struct sm_block *block, uint64_t warps, bool opened)
{
    const struct lockstep_scheduler *policy = sm->setup.scheduler;
    uint8_t number = (uint8_t)(block - sm->blocks);
    sm->blocks_changed |= BIT64(number);
    if (opened ? policy->released != NULL : policy->arrived != NULL)
        vec_push(&sm->barrier_events, (struct core_barrier_event){.warps = warps, .block = number, .opened = opened});
}

/* The SM takes up the arrival of a warp, one after the other. */
static void take_up(struct sm *sm)
{
    uint64_t now = sm->agenda.now;
    if (sm->params->barrier_interval)
        sm->barrier_free = (sm->barrier_free > now ? sm->barrier_free : now) + sm->params->barrier_interval;
}

/* A warp to which a barrier has opened hears so when the last arrival has been taken up and told. */
static void await_answer(struct sm *sm, unsigned slot)
{
    const struct sm_params *p = sm->params;
    uint64_t from = sm->barrier_free > sm->agenda.now ? sm->barrier_free : sm->agenda.now;
    uint64_t until = from + p->barrier_latency +
                     (sm->barrier_of[slot].mode == ISA_BARRIER_RED ? p->barrier_result_latency : 0);
    if (!mask_has(sm->warp.finished, slot))
        warp_hold_up(&sm->warp, slot, sm->agenda.now, until);
}

/* A barrier opens for these warps, if they are any. */
HOT static void release_warps(struct sm *sm, struct sm_block *block, uint64_t warps, uint64_t value)
{
    if (!warps)
        return;
    sm_count_warps(sm, sm->agenda.now + 1);
    lsu_synchronise_block(&sm->lsu, (unsigned)(block - sm->blocks));
    note_event(sm, block, slots_of(block, warps), true);
    sm_tell_open(sm, (unsigned)(block - sm->blocks), slots_of(block, warps));
    warp_wait_end(&sm->warp, WARP_WAIT_barrier, slots_of(block, warps));
    for (uint64_t rest = slots_of(block, warps); rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        if (warp_at_release(&sm->warp, slot))
            lsu_reach_release(&sm->lsu, slot);
        if (sm->barrier_of[slot].mode == ISA_BARRIER_RED)
            simt_barrier_result(&sm->warp.slots[slot].simt, &sm->barrier_of[slot], value);
        if (RARELY(sm->params->barrier_interval | sm->params->barrier_latency | sm->params->barrier_result_latency))
            await_answer(sm, slot);
    }
}

/* All warps of the block wait for the grid. */
static void come_to_grid(struct sm *sm, struct sm_block *block, uint64_t warps)
{
    block->at_grid = warps;
    sm->grid.blocks++;
    sm->grid.last = sm->agenda.now;
}

void sm_pass_grid(struct sm *sm)
{
    sm->grid = (struct sm_grid_barrier){0};
    made_progress(&sm->agenda);
    for (unsigned i = 0; i < WARP_SLOTS; i++) {
        struct sm_block *block = &sm->blocks[i];
        uint64_t warps = block->used ? block->at_grid : 0;
        block->at_grid = 0;
        release_warps(sm, block, warps, 0);
    }
}

HOT void sm_reach_barrier(struct sm *sm, unsigned slot, const struct simt_result *r)
{
    struct warp_slot *warp = &sm->warp.slots[slot];
    struct sm_block *block = &sm->blocks[warp->block];
    uint64_t value = 0;
    sm_count_warps(sm, sm->agenda.now + 1);
    sm->barrier_count++;
    sm->barrier_of[slot] = r->barrier;
    if (RARELY(r->barrier.cluster)) {
        sm_reach_cluster(sm, block, slot, r);
        return;
    }
    take_up(sm);
    if (r->barrier.mode != ISA_BARRIER_ARRIVE) {
        warp_wait_begin(&sm->warp, WARP_WAIT_barrier, BIT64(slot));
        sm->barrier_since[slot] = sm->agenda.now;
        sm_tell_arrive(sm, slot);
        note_event(sm, block, BIT64(slot), false);
    }
    uint64_t released = sm_barrier_arrive(&block->barriers, warp->simt.index, &r->barrier, &value);
    if (RARELY(released && r->barrier.mode == ISA_BARRIER_GRID))
        come_to_grid(sm, block, released);
    else
        release_warps(sm, block, released, value);
}

HOT void sm_finish_warp(struct sm *sm, unsigned slot)
{
    struct sm_block *block = &sm->blocks[sm->warp.slots[slot].block];
    warp_finish(&sm->warp, slot);
    sm_tell_end(sm, slot);
    sm->blocks_changed |= BIT64(sm->warp.slots[slot].block);
    uint32_t id;
    uint64_t value, released;
    while ((released = sm_barrier_ended(&block->barriers, sm->warp.slots[slot].simt.index, &id, &value)))
        if (id == SM_GRID_BARRIER)
            come_to_grid(sm, block, released);
        else
            release_warps(sm, block, released, value);
    core_warp_ended(sm_core(sm, slot), slot);
    if (RARELY(sm->kernel->cluster_barrier))
        sm_cluster_lost_warp(sm, block);
}

HOT uint64_t sm_first_arrival(const struct sm *sm, uint64_t slots)
{
    uint64_t first = slots ? UINT64_MAX : 0;
    for (uint64_t rest = slots; rest; rest &= rest - 1) {
        uint64_t since = sm->barrier_since[mask_first(rest)];
        first = since < first ? since : first;
    }
    return first;
}

HOT void sm_show_blocks(struct sm *sm)
{
    for (uint64_t rest = sm->blocks_changed; rest; rest &= rest - 1) {
        const struct sm_block *block = &sm->blocks[mask_first(rest)];
        struct lockstep_block_view view = sm->views.blocks[mask_first(rest)];
        view.ended = mask_count(block->warps & sm->warp.finished);
        view.live = mask_count(block->warps) - view.ended;
        view.arrived = mask_count(block->warps & sm->warp.waits.barrier);
        view.first_arrival = sm_first_arrival(sm, block->warps & sm->warp.waits.barrier);
        core_view_block(&sm->views, mask_first(rest), &view);
    }
    sm->blocks_changed = 0;
    for (size_t i = 0; i < sm->barrier_events.count; i++)
        EACH_CORE (sm, core)
            core_barrier_event(core, &sm->barrier_events.items[i]);
    sm->barrier_events.count = 0;
}

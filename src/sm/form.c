/* Dynamic warp formation: which threads go to which warp of their block. The publication (Fung and others, MICRO 2007)
 * keeps a pool of warps that wait for issue, and puts threads that come back from the pipeline into a waiting warp of
 * the same instruction if the lanes of both differ. Here the pool's places are the warp slots of the block. So there
 * are as many warps as the block had at its start, each with at most one thread a lane; threads that stand elsewhere
 * than their warp wait for their turn in it.
 *
 * When a warp comes back (its instruction is complete, and it waits for nothing more), in the order of slots:
 *   1. Where its turn and that of another warp, which is in the pool or comes back soon, stand at one instruction,
 *      threads of the one that has fewer there go to the other, each whose lane is free for it. A warp comes back soon
 *      that is not out for an access to memory.
 *   2. Those of its other threads that stand where such a warp has its turn go there; and so do those of all warps that
 *      stand where it has its own.
 *   3. Where a warp has no threads left, those that have waited longest for their turn in a warp go there, as long as
 *      there are any.
 * A lane is free that has no thread, or one that waits for its turn and has not made room too often (giving). That
 * thread takes the place of the one that comes. Warps that wait for something else than their instruction take no part.
 */
#include "sm/form.h"

#include "simt/form.h"
#include "simt/lock.h"
#include "sm/barriers.h"
#include "sm/blocks.h"
#include "sm/complete.h"
#include "sm/state.h"
#include "sm/warps.h"

void sm_form_launched(struct sm *sm, unsigned slot)
{
    sm->form.lanes[slot] = 0;
}

void sm_form_retired(struct sm *sm, uint64_t slots)
{
    sm->out &= ~slots;
}

/* Banks */

/* The set of banks that hold a register of threads that began in these slots, from that of the core's first slot. */
static uint64_t banks_of(const struct core *core, uint64_t slots, uint64_t set)
{
    uint64_t banks = 0;
    for (uint64_t rest = slots; rest; rest &= rest - 1)
        banks |= core_banks_of(core, mask_first(rest), set);
    return banks;
}

/* The slots in which threads of these lanes of a warp began. */
static uint64_t homes_of(const struct sm *sm, unsigned slot, uint64_t lanes)
{
    const struct warp_slot *warp = &sm->warp.slots[slot];
    return simt_homes(&warp->simt, lanes) << mask_first(sm->blocks[warp->block].warps);
}

void sm_form_name(struct sm *sm, struct core_op *o)
{
    if (sm->params->form_reads != SM_FORM_READS_ROWS)
        return;
    struct core *core = sm_core(sm, o->slot);
    uint64_t homes = homes_of(sm, o->slot, sm->form.lanes[o->slot]);
    core_read_rows(core, o->slot, homes);
    o->src_banks = banks_of(core, homes, o->decoded->src_set);
    o->dst_banks = banks_of(core, homes, o->decoded->dst_set);
    o->timing.src_apart &= mask_count(homes) == 1;
}

void sm_form_issued(struct sm *sm, unsigned slot, struct core_op *o, const struct simt_result *r)
{
    sm->out |= BIT64(slot);
    sm->form.slow = (sm->form.slow & ~BIT64(slot)) | (warp_unit_is_memory((enum warp_unit)o->unit) ? BIT64(slot) : 0);
    bool asks = o->access && simt_access_moves(o->access);
    sm->form.asks = (sm->form.asks & ~BIT64(slot)) | (asks ? BIT64(slot) : 0);
    sm->form.lanes[slot] = r->active | (o->access ? o->access->mask : 0);
    sm_form_name(sm, o);
}

/* Places */

static bool turn_may_leave(const struct simt_warp *warp)
{
    const struct simt_paths *paths = &warp->paths;
    return paths->now && paths->model->forming->may_leave(paths, (uint32_t)(paths->now - paths->table));
}

/* The lanes that are free for threads which would execute sooner there. */
static uint64_t free_lanes(const struct sm *sm, unsigned slot)
{
    const struct simt_warp *warp = &sm->warp.slots[slot].simt;
    uint64_t free = ~warp->live | warp->paths.model->forming->giving(&warp->paths);
    return free & ~sm->form.lanes[slot] & mask_low(sm->params->warp_size);
}

/* Threads of a warp that wait for their turn at an instruction, and have nothing in flight. */
static uint64_t waiting_at(const struct sm *sm, unsigned slot, uint32_t pc)
{
    const struct simt_paths *paths = &sm->warp.slots[slot].simt.paths;
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct simt_path *p = simt_path_at(paths, i);
        if (p != paths->now && p->pc == pc && paths->model->forming->may_leave(paths, i))
            lanes |= p->mask;
    }
    return lanes & ~sm->form.lanes[slot];
}

/* The threads of the warp that have waited longest for their turn. */
static uint64_t first_waiting(const struct sm *sm, unsigned slot)
{
    const struct simt_paths *paths = &sm->warp.slots[slot].simt.paths;
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct simt_path *p = simt_path_at(paths, i);
        if (p != paths->now && paths->model->forming->may_leave(paths, i) && !(p->mask & sm->form.lanes[slot]))
            return p->mask;
    }
    return 0;
}

/* Warps of the block that may have other threads: they wait for nothing, or for an atomic, whose lanes stand behind it
 * already. Lanes that ask for locks or give them back stand where they asked until they are answered, and the answer is
 * for them alone. */
static uint64_t open_warps(const struct sm *sm, const struct sm_block *block)
{
    uint64_t closed = (sm->warp.waiting & ~sm->warp.waits.atomic) | (sm->out & sm->form.asks), with_threads = 0;
    uint64_t open = block->warps & ~sm->warp.finished & ~closed;
    for (uint64_t rest = open; rest; rest &= rest - 1)
        with_threads |= sm->warp.slots[mask_first(rest)].simt.live ? rest & -rest : 0;
    return with_threads;
}

/* Formation */

/* Threads of these lanes go from one warp to another. They order what they have done before what they do there. */
static void move(struct sm *sm, unsigned from, unsigned to, uint64_t lanes)
{
    struct simt_warp *a = &sm->warp.slots[from].simt, *b = &sm->warp.slots[to].simt;
    if (!lanes)
        return;
    sm->form.threads_moved += mask_count(lanes & a->live) + mask_count(lanes & b->live);
    lsu_block_exchanges(&sm->lsu, sm->warp.slots[from].block);
    simt_exchange(a, b, lanes);
    sm->form.touched |= BIT64(from) | BIT64(to);
}

/* Rule 1, of warp s, in the pool, and another. */
static void merge_turns(struct sm *sm, unsigned s, unsigned t)
{
    const struct simt_warp *a = &sm->warp.slots[s].simt, *b = &sm->warp.slots[t].simt;
    if (!turn_may_leave(a) || !turn_may_leave(b) || a->paths.now->pc != b->paths.now->pc)
        return;
    unsigned of_a = mask_count(a->paths.now->mask), of_b = mask_count(b->paths.now->mask);
    bool to_a = of_a > of_b || (of_a == of_b && s < t && !mask_has(sm->out, t));
    unsigned from = to_a ? t : s, to = to_a ? s : t;
    move(sm, from, to, sm->warp.slots[from].simt.paths.now->mask & ~sm->form.lanes[from] & free_lanes(sm, to));
}

/* Rule 2: threads that wait in one warp go to another that has its turn where they stand. */
static void join_turn(struct sm *sm, unsigned from, unsigned to)
{
    const struct simt_warp *warp = &sm->warp.slots[to].simt;
    if (turn_may_leave(warp))
        move(sm, from, to, waiting_at(sm, from, warp->paths.now->pc) & free_lanes(sm, to));
}

/* Rule 3. */
static void fill_empty(struct sm *sm, const struct sm_block *block)
{
    uint64_t empty = 0, open = open_warps(sm, block);
    for (uint64_t rest = block->warps & ~(sm->warp.waiting & ~sm->warp.finished) & ~sm->out; rest; rest &= rest - 1)
        empty |= sm->warp.slots[mask_first(rest)].simt.live ? 0 : rest & -rest;
    for (uint64_t rest = open; rest && empty; rest &= rest - 1) {
        uint64_t lanes;
        while (empty && (lanes = first_waiting(sm, mask_first(rest))) != 0) {
            move(sm, mask_first(rest), mask_first(empty), lanes);
            empty &= empty - 1;
        }
    }
}

static void form_warp(struct sm *sm, unsigned slot)
{
    const struct sm_block *block = &sm->blocks[sm->warp.slots[slot].block];
    const struct simt_paths *paths = &sm->warp.slots[slot].simt.paths;
    if (paths->now && paths->now->mask == mask_low(sm->params->warp_size))
        return;
    for (uint64_t rest = open_warps(sm, block) & ~BIT64(slot); rest; rest &= rest - 1) {
        unsigned other = mask_first(rest);
        bool soon = !mask_has(sm->out & sm->form.slow, other);
        if (!sm->warp.slots[slot].simt.live)
            break;
        if (soon)
            merge_turns(sm, slot, other);
        if (soon && sm->warp.slots[slot].simt.live)
            join_turn(sm, slot, other);
        if (sm->warp.slots[slot].simt.live && sm->warp.slots[other].simt.live)
            join_turn(sm, other, slot);
    }
    fill_empty(sm, block);
}

/* Consequences for the warps */

/* Its threads have all gone: it is as if they had ended. */
static void leave_empty(struct sm *sm, unsigned slot)
{
    warp_abandon(&sm->warp, slot);
    core_hold_off(sm_core(sm, slot), slot);
    if (sm->fetch.fills)
        fetch_has_room(&sm->fetch, slot);
    core_view_turns(&sm->views, slot, 0);
    sm_finish_warp(sm, slot);
    sm_warp_rests(&sm->completion, slot);
}

/* A warp without threads has some again. */
static void refill(struct sm *sm, unsigned slot)
{
    const struct warp_slot *warp = &sm->warp.slots[slot];
    struct sm_block *block = &sm->blocks[warp->block];
    block->incomplete |= BIT64(slot);
    fetch_goes_on(&sm->fetch, slot);
    warp_refill(&sm->warp, slot);
    block->barriers.running |= BIT64(warp->simt.index);
    sm->blocks_changed |= BIT64(warp->block);
    sm->form.warps_refilled++;
    warp_renumber(&sm->warp, slot, sm->next_age++);
    sm->issued_before[slot] -= sm->views.warps[slot].issued; /* its view begins anew */
    sm_warp_begins(sm, slot, sm->agenda.now, true);
}

/* It has other threads than before, perhaps in other places. */
static void settle_warp(struct sm *sm, unsigned slot)
{
    if (mask_has(sm->warp.finished, slot))
        refill(sm, slot);
    sm_turn_changed(&sm->completion, slot);
    fetch_from(&sm->fetch, slot);
    warp_look_at(&sm->warp, BIT64(slot));
    warp_account_again(&sm->warp, BIT64(slot));
}

/* Warps that are out no more. */
static uint64_t come_back(const struct sm *sm)
{
    uint64_t back = 0;
    for (uint64_t rest = sm->out & ~(sm->warp.waiting & ~sm->warp.finished); rest; rest &= rest - 1)
        back |= sm->warp.slots[mask_first(rest)].in_flight ? 0 : rest & -rest;
    return back;
}

bool sm_form_due(const struct sm *sm)
{
    return come_back(sm);
}

void sm_form(struct sm *sm)
{
    uint64_t back = come_back(sm);
    sm->out &= ~back;
    for (uint64_t rest = back; rest; rest &= rest - 1)
        sm->form.lanes[mask_first(rest)] = 0;
    for (uint64_t rest = back; rest; rest &= rest - 1)
        form_warp(sm, mask_first(rest));
    if (!sm->form.touched)
        return;
    made_progress(&sm->agenda);
    /* A barrier waits for warps that have threads: those that are left empty come last. */
    for (uint64_t rest = sm->form.touched; rest; rest &= rest - 1)
        if (sm->warp.slots[mask_first(rest)].simt.live)
            settle_warp(sm, mask_first(rest));
    for (uint64_t rest = sm->form.touched & ~sm->warp.finished; rest; rest &= rest - 1)
        if (!sm->warp.slots[mask_first(rest)].simt.live)
            leave_empty(sm, mask_first(rest));
    sm->form.touched = 0;
}

uint32_t sm_form_find(const struct sm *sm, unsigned slot, uint32_t thread)
{
    unsigned width = sm->params->warp_size;
    for (uint64_t rest = sm->blocks[sm->warp.slots[slot].block].warps & ~sm->warp.finished; rest; rest &= rest - 1) {
        const struct simt_warp *warp = &sm->warp.slots[mask_first(rest)].simt;
        for (unsigned lane = 0; lane < width; lane++)
            if (warp->threads[lane] == thread && mask_has(warp->live, lane))
                return mask_first(rest);
    }
    return CORE_NONE;
}

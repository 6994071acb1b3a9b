/* Recomputes what an SM keeps although it follows from something else (base/check.h): sets that mirror what warps are,
 * counts, what schedulers are shown. All of it holds between two cycles. The rooms' own facts are in their check.c. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/check.h"
#include "simt/form.h"
#include "sm/barriers.h"
#include "sm/perform.h"
#include "sm/state.h"
#include "sm/step.h"

/* Blocks */

/* Registers that warps move stay those of the block. */
static void check_pool(struct sm *sm, unsigned i, struct check *c)
{
    struct sm_block *block = &sm->blocks[i];
    uint32_t all = sm->kernel->registers * sm->kernel->warps_per_block, has = 0;
    for (unsigned warp = 0; warp < block->pool->warps; warp++)
        has += block->pool->has[warp];
    CHECK_FACT(c, "block.pool", i, block->pool->free, all - has);
    check_bits(c, "sm.waits.registers", i, &sm->warp.waits.registers, sizeof sm->warp.waits.registers, block->warps,
               block->pool->waiting << mask_first(block->warps));
}

static void check_block(struct sm *sm, unsigned i, struct check *c)
{
    struct sm_block *block = &sm->blocks[i];
    struct lockstep_block_view *view = &sm->views.blocks[i];
    unsigned first = mask_first(block->warps), count = mask_count(block->warps);
    uint64_t at_barrier = block->at_grid << first;
    for (unsigned id = 0; id <= SM_BARRIERS; id++)
        at_barrier |= block->barriers.state[id].waiting << first;
    check_holds(c, "block.incomplete", i, block->incomplete && !(block->incomplete & ~block->warps));
    CHECK_FACT(c, "block.barriers.running", i, block->barriers.running, (block->warps & ~sm->warp.finished) >> first);
    check_bits(c, "sm.waits.barrier", i, &sm->warp.waits.barrier, sizeof sm->warp.waits.barrier, block->warps,
               at_barrier);
    check_bits(c, "sm.waits.cluster", i, &sm->warp.waits.cluster, sizeof sm->warp.waits.cluster, block->warps,
               block->cluster.waiting << first);
    if (block->pool)
        check_pool(sm, i, c);
    CHECK_FACT(c, "block_view.warps", i, view->warps, block->warps);
    CHECK_FACT(c, "block_view.ended", i, view->ended, mask_count(block->warps & sm->warp.finished));
    CHECK_FACT(c, "block_view.live", i, view->live, count - mask_count(block->warps & sm->warp.finished));
    CHECK_FACT(c, "block_view.arrived", i, view->arrived, mask_count(at_barrier));
    CHECK_FACT(c, "block_view.first_arrival", i, view->first_arrival, sm_first_arrival(sm, at_barrier));
}

static void check_blocks(struct sm *sm, struct check *c)
{
    const struct sm_kernel *k = sm->kernel;
    uint64_t resident = 0, used = 0;
    for (unsigned i = 0; i < WARP_SLOTS; i++) {
        if (!sm->blocks[i].used)
            continue;
        used |= BIT64(i);
        resident |= sm->blocks[i].warps;
        check_block(sm, i, c);
    }
    unsigned blocks = mask_count(used),
             places = k->max_blocks < sm->params->blocks ? k->max_blocks : sm->params->blocks;
    CHECK_FACT(c, "sm.resident", 0, sm->warp.resident, resident);
    CHECK_FACT(c, "sm.free_blocks", 0, sm->free_blocks, mask_low(places) & ~used);
    CHECK_FACT(c, "sm.free_threads", 0, sm->free_threads, sm->params->threads - blocks * k->threads_per_block);
    CHECK_FACT(c, "sm.free_shared", 0, sm->free_shared, 
               sm->params->shared_bytes - blocks * sm_shared_taken(sm->params, k->shared_bytes));
    CHECK_FACT(c, "sm.free_registers", 0, sm->free_registers,
               sm->params->registers - blocks * k->registers * k->threads_per_block);
}

/* Instructions under way */

/* The ops in flight, counted by warp. */
struct under_way {
    uint32_t ops, of[WARP_SLOTS]; /* in all; by warp */
    uint32_t loads[WARP_SLOTS];   /* by warp: those whose registers come from somewhere else */
    uint32_t lanes[WARP_SLOTS];   /* by warp: those that ask queues for locks, which `of` leaves out */
    uint64_t blocked;             /* warps that wait until an op of theirs is complete */
    uint64_t suspended;           /* those that wait for an mbarrier's phase */
    uint64_t *boards;             /* by warp: registers that ops write */
};

static void add_ops(const struct sm *sm, struct under_way *u)
{
    uint8_t *is_free = base_calloc(sm->ops.count + 1, 1);
    for (uint32_t op = sm->ops.free; op != CORE_NONE; op = sm->ops.items[op].next)
        is_free[op] = 1;
    for (uint32_t i = 0; i < sm->ops.count; i++) {
        const struct core_op *o = &sm->ops.items[i];
        if (is_free[i])
            continue;
        u->ops++;
        u->of[o->slot] += o->blocks != CORE_BLOCKS_LANES;
        u->lanes[o->slot] += o->blocks == CORE_BLOCKS_LANES;
        u->loads[o->slot] += o->access && sm_source_of(o) != WARP_FROM_OP;
        u->blocked |= o->blocks == CORE_BLOCKS_WARP ? BIT64(o->slot) : 0;
        u->suspended |= o->blocks == CORE_BLOCKS_PHASE ? BIT64(o->slot) : 0;
        for (unsigned w = 0; w < sm->warp.scoreboard_words; w++)
            u->boards[o->slot * sm->warp.scoreboard_words + w] |= o->timing.writes[w];
    }
    free(is_free);
}

static void check_registers(struct sm *sm, unsigned slot, const struct under_way *u, struct check *c)
{
    struct warp_slot *warp = &sm->warp.slots[slot];
    const uint64_t *board = &u->boards[slot * sm->warp.scoreboard_words];
    for (unsigned w = 0; w < sm->warp.scoreboard_words; w++)
        CHECK_FACT(c, "warp.scoreboard", slot, warp->scoreboard[w], board[w]);
    CHECK_FACT(c, "warp.in_flight", slot, warp->in_flight, u->of[slot]);
    CHECK_FACT(c, "warp.lanes_out", slot, warp->lanes_out, u->lanes[slot]);
    CHECK_FACT(c, "warp.loads_out", slot, warp->loads_out, u->loads[slot]);
}

/* Warps */

/* Warps that have ended and drained, and have not retired. */
static uint64_t find_retiring(const struct sm *sm)
{
    uint64_t retiring = 0;
    for (uint64_t rest = sm->warp.resident; rest; rest &= rest - 1) {
        const struct warp_slot *warp = &sm->warp.slots[mask_first(rest)];
        bool ended = !warp->simt.live && warp_is_drained(warp);
        retiring |= ended ? rest & -rest & sm->blocks[warp->block].incomplete : 0;
    }
    return retiring;
}

static void check_sets(struct sm *sm, const struct under_way *u, struct check *c)
{
    CHECK_FACT(c, "sm.waits.atomic", 0, sm->warp.waits.atomic, u->blocked | sm->warp.in_queues);
    CHECK_FACT(c, "sm.waits.mbarrier", 0, sm->warp.waits.mbarrier, u->suspended);
    check_holds(c, "sm.waits.primary: the launch comes early", 0, !sm->warp.waits.primary || sm->kernel->comes_early);
    CHECK_FACT(c, "sm.fetch.retiring", 0, sm->fetch.retiring, find_retiring(sm));
}

static void check_warp(struct sm *sm, unsigned slot, const struct under_way *u, struct check *c)
{
    const struct warp_slot *warp = &sm->warp.slots[slot];
    struct lockstep_warp_view *view = &sm->views.warps[slot];
    check_registers(sm, slot, u, c);
    CHECK_FACT(c, "view.age", slot, view->age, warp->age);
    CHECK_FACT(c, "view.block", slot, view->block, warp->block);
    CHECK_FACT(c, "view.pc", slot, view->pc, warp->simt.live ? simt_pc(&warp->simt) : 0);
    CHECK_FACT(c, "view.completed", slot, view->completed, view->issued - warp->in_flight - warp->lanes_out);
    check_holds(c, "sm.next_age", slot, warp->age < sm->next_age);
}

/* Where threads go from warp to warp: only warps that are out have instructions in flight, and the threads that began
 * in a lane are in that lane of one warp each. */
static void check_form(struct sm *sm, struct check *c)
{
    const struct sm_form *form = &sm->form;
    unsigned width = sm->params->warp_size;
    check_holds(c, "sm.out", 0, !(sm->out & ~sm->warp.resident) && !form->touched);
    for (uint64_t rest = sm->warp.resident; rest; rest &= rest - 1) {
        unsigned slot = mask_first(rest);
        bool out = mask_has(sm->out, slot);
        check_holds(c, "form.lanes", slot, out || (!sm->warp.slots[slot].in_flight && !form->lanes[slot]));
    }
    for (unsigned i = 0; i < WARP_SLOTS; i++)
        for (unsigned lane = 0; sm->blocks[i].used && lane < width; lane++) {
            uint64_t homes = 0, warps = sm->blocks[i].warps;
            for (uint64_t rest = warps; rest; rest &= rest - 1)
                homes |= simt_homes(&sm->warp.slots[mask_first(rest)].simt, BIT64(lane));
            check_holds(c, "form: threads of a lane", i, homes == warps >> mask_first(warps));
        }
}

static bool collects(const struct sm *sm)
{
    bool due = false;
    EACH_CORE (sm, core)
        due |= core_collects(core);
    return due;
}

/* A stage may be asked to look although it has nothing to do; it is never passed over when it has. What waits in a
 * queue is told exactly. */
static void check_due(struct sm *sm, struct check *c)
{
    uint32_t least =
        lsu_least_due(&sm->lsu) | (collects(sm) ? DUE_COLLECT : 0) | (fetch_busy(&sm->fetch) ? DUE_FETCH : 0);
    for (uint32_t rest = least; rest; rest &= rest - 1)
        check_bits(c, "sm.due", 0, &sm->agenda.due, sizeof sm->agenda.due, rest & -rest, rest & -rest);
    check_bits(c, "sm.due: queues", 0, &sm->agenda.due, sizeof sm->agenda.due,
               DUE_RESPONSE | DUE_SEND | DUE_PIPE | DUE_PROBES | DUE_UNITS | DUE_DECODE | DUE_SHARED | DUE_EJECT | DUE_ASYNC |
                   DUE_MESSAGE | DUE_COMING | DUE_HIT,
               sm_due_of_stages(sm));
}

/* A block's warps, as the load/store unit knows them. */
static void check_unit_blocks(struct sm *sm, struct check *c)
{
    for (unsigned i = 0; i < WARP_SLOTS; i++)
        if (sm->blocks[i].used)
            CHECK_FACT(c, "lsu.blocks", i, sm->lsu.blocks[i].warps, sm->blocks[i].warps);
}

void sm_check(struct sm *sm, struct check *c)
{
    check_of(c, "SM", sm->setup.index);
    if (!sm->kernel || sm->has_fault)
        return;
    struct under_way u = {.boards = base_calloc(WARP_SLOTS * sm->warp.scoreboard_words + 1, sizeof(uint64_t))};
    add_ops(sm, &u);
    check_blocks(sm, c);
    warp_check(&sm->warp, c);
    check_sets(sm, &u, c);
    for (uint64_t rest = sm->warp.resident; rest; rest &= rest - 1)
        check_warp(sm, mask_first(rest), &u, c);
    CHECK_FACT(c, "sm.ops_live", 0, sm->ops.live, u.ops);
    EACH_CORE (sm, core)
        core_check(core, c);
    check_at_most(c, "sm.counted", 0, &sm->counted, sizeof sm->counted, sm->agenda.now);
    CHECK_FACT(c, "sm.blocks_changed", 0, sm->blocks_changed, 0);
    check_holds(c, "sm.barrier_events", 0, sm->barrier_events.count == 0);
    CHECK_FACT(c, "account.from", 0, sm->warp.account.from, sm->agenda.now);
    fetch_check(&sm->fetch, c);
    lsu_check(&sm->lsu, c);
    async_check(&sm->async, c);
    check_unit_blocks(sm, c);
    check_due(sm, c);
    if (sm->kernel->grid->forms)
        check_form(sm, c);
    free(u.boards);
}

/* Launches, and thread blocks: which fit, the warps that they begin with, and what is free again when they retire. */
#include "sm/blocks.h"

#include <string.h>

#include "sm/clusters.h"
#include "sm/form.h"
#include "sm/state.h"
#include "sm/step.h"
#include "sm/tell.h"
#include "sm/warps.h"

void sm_begin(struct sm *sm, const struct sm_kernel *kernel, uint64_t cycle)
{
    const struct sm_params *p = sm->params;
    sm->kernel = kernel;
    sm->agenda.now = cycle;
    sm->watch = watch_of(kernel->watched, sm->setup.index);
    memset(sm->told_waits, 0, sizeof sm->told_waits);
    sm->next_age = sm->next_block = 0;
    sm->retired_at = sm->let = 0;
    sm->unsynced.count = 0;
    sm->strays.count = 0;
    sm->lines.count = 0;
    watch_phases_begin(&sm->consumers.phases, kernel->log_phases);
    sm->ops.samples = kernel->grid->code->samples;
    lsu_begin(&sm->lsu, &(struct lsu_launch){.module = kernel->grid->code->module,
                                             .lock_queues = kernel->grid->lock_queues.used,
                                             .clusters = kernel->grid->cluster_blocks > 1,
                                             .threads_per_block = kernel->threads_per_block,
                                             .max_blocks = kernel->max_blocks,
                                             .l1_bytes = sm_l1_bytes(p, kernel)});
    async_begin(&sm->async);
    sm->free_threads = p->threads;
    sm->free_shared = p->shared_bytes;
    sm->free_registers = p->registers;
    sm->free_blocks = mask_low(kernel->max_blocks < p->blocks ? kernel->max_blocks : p->blocks);
    fetch_begin(&sm->fetch, &(struct fetch_launch){.module_size = kernel->grid->code->module->instr_count,
                                                   .first_pc = kernel->grid->kernel->first});
    sm_all_due(sm);
    sm_count_from(sm, cycle);
    warp_watch(&sm->warp, &sm->watch);
    warp_begin(&sm->warp, kernel->decoded, kernel->scoreboard_words, mask_low(p->warps), cycle);
    watch_progress_begin(&sm->consumers.progress);
    sm_storage_begin(sm);
    if (sm->spinning.spin)
        sm_spinning_begin(sm, cycle);
    const struct lockstep_scheduler_setup policy = {
        .count = core_schedulers(p),
        .cycle = cycle,
        .instructions = kernel->grid->kernel->count,
        .options = sm->setup.scheduler_options,
        .user = sm->setup.scheduler_user,
    };
    sm->looks_at_rest = kernel->grid->forms || sm->spinning.spin || watch_hears(&sm->watch, WATCH_issue | WATCH_meet);
    sm->looks_at_issue = sm->looks_at_rest || sm->lsu.early.on || watch_hears(&sm->watch, WATCH_split | WATCH_stays);
    bool rows = kernel->grid->forms && p->form_reads == SM_FORM_READS_ROWS;
    EACH_CORE (sm, core)
        core_begin(core, &policy, kernel->longest, rows);
}

void sm_end(struct sm *sm)
{
    warp_account_end(&sm->warp);
}

HOT bool sm_can_launch(const struct sm *sm)
{
    const struct sm_kernel *k = sm->kernel;
    return sm->free_blocks && sm->free_threads >= k->threads_per_block && sm->free_shared >= sm_shared_taken(sm->params, k->shared_bytes) &&
           sm->free_registers >= k->registers * k->threads_per_block;
}

HOT bool sm_block_may_end(const struct sm *sm)
{
    for (uint64_t rest = sm->warp.finished; rest;) {
        const struct sm_block *block = &sm->blocks[sm->warp.slots[mask_first(rest)].block];
        if (!(block->incomplete & ~sm->warp.finished))
            return true;
        rest &= ~block->warps;
    }
    return false;
}

/* The lowest run of consecutive free warp slots that a block fits in, or CORE_NONE: a block's warps lie side by side.
 */
static uint32_t find_slots(const struct sm *sm, unsigned warps)
{
    uint64_t free = ~sm->warp.resident & mask_low(sm->params->warps);
    for (unsigned first = 0; first + warps <= sm->params->warps; first++)
        if ((free >> first & mask_low(warps)) == mask_low(warps))
            return first;
    return CORE_NONE;
}

static void launch_warp(struct sm *sm, struct sm_block *block, unsigned slot, unsigned index, uint64_t cycle)
{
    const struct sm_kernel *k = sm->kernel;
    struct warp_slot *warp = &sm->warp.slots[slot];
    unsigned threads = k->grid->block[0] * k->grid->block[1] * k->grid->block[2], width = sm->params->warp_size;
    unsigned first = index * width, lanes = threads - first < width ? threads - first : width;
    warp_start(&sm->warp, slot, (unsigned)(block - sm->blocks), sm->next_age++);
    fetch_launched(&sm->fetch, slot);
    sm->issued_before[slot] = 0;
    lsu_warp_begins(&sm->lsu, slot);
    async_warp_begins(&sm->async, slot);
    warp->simt.sm = (uint16_t)sm->setup.index;
    warp->simt.slot = (uint16_t)slot;
    simt_warp_start(&warp->simt, &block->simt, index, lanes);
    sm_form_launched(sm, slot);
    sm_warp_begins(sm, slot, cycle, false);
}

static void clear_slots(struct sm *sm, uint64_t slots)
{
    warp_clear(&sm->warp, slots);
    sm_each_set(sm, warp_set_clear, &slots);
}

unsigned sm_free_places(const struct sm *sm)
{
    return mask_count(sm->free_blocks);
}

void sm_launch(struct sm *sm, const uint32_t index[3], const uint16_t *peers, uint64_t cycle)
{
    const struct sm_kernel *k = sm->kernel;
    if (cycle > sm->agenda.now)
        sm_skip_to(sm, cycle);
    sm_count_warps(sm, cycle);
    unsigned block_slot = mask_first(sm->free_blocks);
    struct sm_block *block = &sm->blocks[block_slot];
    uint32_t first = find_slots(sm, k->warps_per_block);
    uint64_t slots = mask_low(k->warps_per_block) << first;
    sm->free_blocks &= ~BIT64(block_slot);
    sm->free_threads -= k->threads_per_block;
    sm->free_shared -= sm_shared_taken(sm->params, k->shared_bytes);
    sm->free_registers -= k->registers * k->threads_per_block;
    block->used = true;
    block->lets = false;
    block->simt.grid = k->grid;
    memcpy(block->simt.index, index, sizeof block->simt.index);
    block->simt.shared_bytes = k->shared_bytes;
    if (k->shared_bytes)
        memset(block->simt.shared, 0, k->shared_bytes);
    if (block->simt.arrivals)
        memset(block->simt.arrivals, 0, sizeof *block->simt.arrivals);
    block->warps = block->incomplete = slots;
    sm_barriers_init(&block->barriers, k->warps_per_block);
    if (block->pool)
        sm_pool_init(block->pool, k->warps_per_block, k->registers);
    block->at_grid = 0;
    sm_enter_cluster(block, peers);
    lsu_block_begins(&sm->lsu, block_slot, slots);
    clear_slots(sm, slots);
    core_view_block(
        &sm->views, block_slot,
        &(struct lockstep_block_view){.number = sm->next_block++, .warps = slots, .live = k->warps_per_block});
    for (unsigned i = 0; i < k->warps_per_block; i++)
        launch_warp(sm, block, first + i, i, cycle);
    warp_come(&sm->warp, slots);
    for (uint64_t rest = sm->params->block_start_cycles ? slots : 0; rest; rest &= rest - 1)
        warp_wait_until(&sm->warp, WARP_WAIT_start, mask_first(rest), cycle + sm->params->block_start_cycles);
    agenda_add(&sm->agenda, DUE_FETCH);
}

/* fetch_port.retire: a warp has ended and drained. With the last one of it, its block retires. */
void sm_retire(void *context, unsigned slot)
{
    struct sm *sm = context;
    struct sm_block *block = &sm->blocks[sm->warp.slots[slot].block];
    block->incomplete &= ~BIT64(slot);
    if (block->incomplete)
        return;
    sm_count_warps(sm, sm->agenda.now + 1);
    warp_go(&sm->warp, block->warps);
    sm_form_retired(sm, block->warps);
    sm->free_threads += sm->kernel->threads_per_block;
    sm->free_shared += sm_shared_taken(sm->params, sm->kernel->shared_bytes);
    sm->free_registers += sm->kernel->registers * sm->kernel->threads_per_block;
    sm->free_blocks |= BIT64(sm->warp.slots[slot].block);
    block->used = false;
    core_view_block(&sm->views, (unsigned)(block - sm->blocks), &(struct lockstep_block_view){0});
    sm->blocks_retired++;
    sm->retired_at = sm->agenda.now + 1;
    sm->let += !block->lets;
    if (sm->spinning.spin && !sm->warp.resident)
        sm_spinning_drained(sm);
}

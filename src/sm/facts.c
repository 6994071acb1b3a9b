/* Answers to the rest of the machine: the SM's counts, how its warps stand, values in its caches. */
#include <string.h>

#include "sm/form.h"
#include "sm/state.h"
#include "sm/blocks.h"
#include "sm/step.h"
#include "sm/warps.h"

static const struct stat_desc sm_stat_descs[] = {
#define STAT_STRUCT struct sm_stats
#include "stats/stat_descs.h"
#include "sm/sm_stats.def"
#include "stats/stat_end.h"
};
const struct stat_group sm_stat_group = {"sm", "streaming multiprocessors", sm_stat_descs,
                                         sizeof(sm_stat_descs) / sizeof(sm_stat_descs[0])};

static const struct stat_desc sm_stall_descs[] = {
#define STALL(name, doc)                                                                                               \
    {#name, STAT_COUNTER, offsetof(struct core_stalls, name), "scheduler-cycles", doc, STAT_NEEDS_TIME},
#include "core/stalls.def"
#undef STALL
};
const struct stat_group sm_stall_group = {"stalls", "who owned each cycle of each warp scheduler", sm_stall_descs,
                                          CORE_STALL_COUNT};

const struct sm_fault *sm_faulted(const struct sm *sm)
{
    return sm->has_fault ? &sm->fault : NULL;
}

const struct sm_lines *sm_lines_of(const struct sm *sm)
{
    return &sm->lines;
}

const struct sm_unsynced_list *sm_unsynced_of(const struct sm *sm)
{
    return &sm->unsynced;
}

const struct sm_stray_list *sm_strays_of(const struct sm *sm)
{
    return &sm->strays;
}

void sm_flush(struct sm *sm, bool code)
{
    if (code)
        fetch_empty_cache(&sm->fetch);
    lsu_flush(&sm->lsu);
}

void sm_bring_constants(struct sm *sm, uint64_t address, uint32_t bytes)
{
    lsu_bring_constants(&sm->lsu, address, bytes);
}

void sm_refresh(struct sm *sm, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                void *context)
{
    lsu_refresh(&sm->lsu, read, context);
}

void sm_peek(const struct sm *sm, uint64_t address, uint8_t *to, uint32_t bytes)
{
    l1_peek(&sm->lsu.l1d, address, to, bytes);
}

void sm_warp_state(const struct sm *sm, unsigned slot, struct sm_warp_state *state)
{
    const struct warp_slot *warp = &sm->warp.slots[slot];
    *state = (struct sm_warp_state){.resident = mask_has(sm->warp.resident, slot)};
    if (!state->resident)
        return;
    state->finished = mask_has(sm->warp.finished, slot);
    for (unsigned w = 0; w < WARP_WAIT_COUNT; w++)
        state->waits |= (uint32_t)mask_has(sm->warp.waits.of[w], slot) << w;
    state->in_flight = warp->in_flight || warp->stores_out;
    state->needs_access = warp->in_flight && mask_has(warp_needs_values(&sm->warp), slot);
    memcpy(state->block, warp->simt.block->index, sizeof state->block);
    state->index = warp->simt.index;
    state->live = warp->simt.live;
    state->warp = &warp->simt;
    const struct watch_progress_warp *noted = &sm->consumers.progress.warps[slot];
    state->last_sync_address = noted->last_sync_address;
    state->last_sync_pc = noted->last_sync_pc;
    state->last_sync_shared = noted->last_sync_shared;
    state->last_sync_cluster = noted->last_sync_cluster;
    state->shared_base = watch_shared_base(warp->block);
    state->issued = sm->views.warps[slot].issued - sm->issued_before[slot];
    state->sync_ops = noted->sync_ops;
    state->takes = noted->takes;
    state->written = sm->consumers.progress.writers.by_warp[slot];
    const struct simt_barrier *barrier = &sm->barrier_of[slot];
    state->barrier = barrier->mode == ISA_BARRIER_GRID ? SM_GRID_BARRIER : barrier->id;
    state->barrier_threads = barrier->threads;
    if (mask_has(sm->warp.waits.cluster, slot)) {
        state->barrier = SM_CLUSTER_BARRIER;
        state->missing = sm_cluster_missing(&sm->blocks[warp->block].cluster, sm->kernel->grid->cluster_blocks);
    }
    state->pool = sm->blocks[warp->block].pool;
    state->cause = warp->stall_cause;
    if (!state->finished) {
        state->pc = simt_pc(&warp->simt);
        state->mask = warp->simt.paths.now->mask;
    }
}

uint64_t sm_bytes_for(const struct sm *sm, const struct simt_block *block, uint32_t mbarrier)
{
    return async_bytes_for(&sm->async, block, mbarrier);
}

uint64_t sm_residents(const struct sm *sm)
{
    return sm->warp.resident;
}

const struct sm_grid_barrier *sm_grid_barrier(const struct sm *sm)
{
    return &sm->grid;
}

uint64_t sm_retired_at(const struct sm *sm)
{
    return sm->retired_at;
}

void sm_open_grid(struct sm *sm)
{
    sm->grid.open = sm->grid.blocks != 0;
}

uint64_t sm_threads_ended(const struct sm *sm)
{
    return sm->threads_ended;
}

const struct spin_stats *sm_spin_stats(const struct sm *sm)
{
    static const struct spin_stats none = {0};
    return sm->spinning.spin ? spin_stats_of(sm->spinning.spin) : &none;
}

uint64_t sm_issued(const struct sm *sm)
{
    return sm->performed.warp_instructions;
}

uint64_t sm_threads_issued(const struct sm *sm)
{
    return sm->performed.thread_instructions;
}

uint64_t sm_blocks_ended(const struct sm *sm)
{
    return sm->blocks_retired;
}

const struct sm_stats *sm_stats_of(struct sm *sm)
{
    const struct sm_params *p = sm->params;
    const struct lockstep_scheduler *policy = sm->setup.scheduler;
    struct sm_stats *s = &sm->stats;
    sm_count_warps(sm, sm->agenda.now);
    *s = sm->performed;
    if (s->warp_instructions && !s->stack_depth)
        s->stack_depth = 1;
    if (policy->hardware_bits)
        s->scheduler_bits = policy->hardware_bits(p->warps, p->blocks, core_schedulers(p), sm->setup.scheduler_options);
    s->blocks = sm->blocks_retired;
    s->warp_cycles = sm->cycles.warp_cycles;
    s->busy_cycles = sm->cycles.busy_cycles;
    s->barrier_cycles = sm->cycles.barrier_cycles;
    s->barriers = sm->barrier_count;
    s->threads_moved = sm->form.threads_moved;
    s->warps_refilled = sm->form.warps_refilled;
    s->transactions = sm->lsu.transactions_made;
    s->shared_conflict_cycles = sm->lsu.shared_conflict_cycles;
    s->control_flushes = sm->fetch.stats.control_flushes;
    s->decoded_instructions = sm->fetch.stats.decoded_instructions;
    s->decoded_operations = sm->fetch.stats.decoded_operations;
    EACH_CORE (sm, core) {
        s->extra_issues += core->issue.extra_issues;
        s->preferred_empty += core->issue.preferred_empty;
        s->preferred_passed += core->issue.preferred_passed;
    }
    return &sm->stats;
}

const struct core_stalls *sm_stalls_of(struct sm *sm)
{
    sm_give_all_cycles(sm);
    sm->stalls = (struct core_stalls){0};
    EACH_CORE (sm, core)
        for (unsigned s = 0; s < CORE_STALL_COUNT; s++)
            (&sm->stalls.issued)[s] += (&core->stalls.issued)[s];
    return &sm->stalls;
}

const struct warp_causes *sm_causes_of(struct sm *sm)
{
    sm->causes = warp_account_read(&sm->warp);
    return &sm->causes;
}

struct warp_causes sm_causes_at(const struct sm *sm, uint64_t cycle)
{
    return warp_account_read_at(&sm->warp, cycle);
}

const struct watch_phase_stats *sm_phase_stats_of(const struct sm *sm)
{
    return &sm->consumers.phases.stats;
}

const struct watch_phase_row *sm_phase_rows(const struct sm *sm, size_t *count)
{
    *count = sm->consumers.phases.log.count;
    return sm->consumers.phases.log.items;
}

void sm_publish(struct sm *sm, void (*put)(void *context, uint64_t address, const uint8_t *data, uint32_t bytes),
                void *context)
{
    lsu_publish(&sm->lsu, put, context);
}

const struct agent_stats *sm_agent_stats(const struct sm *sm)
{
    return l1_agent_stats(&sm->lsu.l1d);
}

const struct lsu_latency_stats *sm_latencies(const struct sm *sm)
{
    return &sm->lsu.latencies;
}

const struct coherence_side *sm_coherence(const struct sm *sm)
{
    return sm->lsu.l1d.side;
}

const struct cache_stats *sm_l1_stats(const struct sm *sm, unsigned which)
{
    static const struct cache_stats none = {0}; /* counted with the first SM that shares it */
    if (which == 0 && sm->fetch.member)
        return &none;
    return cache_stats_of(which == 0 ? sm->fetch.l1i : which == 1 ? sm->lsu.l1c : sm->lsu.l1d.cache);
}

void sm_stats_reset(struct sm *sm)
{
    sm->performed = (struct sm_stats){0};
    sm->cycles = (struct sm_cycles){0};
    sm->blocks_retired = 0;
    sm->barrier_count = 0;
    sm->form.threads_moved = sm->form.warps_refilled = 0;
    EACH_CORE (sm, core)
        core_reset_stats(core);
    lsu_reset_stats(&sm->lsu);
    warp_account_reset(&sm->warp, &(struct warp_causes){0});
    warp_account_begin(&sm->warp, sm->agenda.now);
    watch_phases_reset_stats(&sm->consumers.phases);
    if (sm->spinning.spin)
        spin_stats_reset(sm->spinning.spin);
    fetch_reset_stats(&sm->fetch);
}

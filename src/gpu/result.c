/* Results: the statistics of every unit, merged over the units of a kind. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_impl.h"

/* One table describes all caches; each result has a group per level. They are written when counters are made, since the
 * table's length is another room's. */
static const struct stat_group *cache_group(struct stat_group *group, const char *name, const char *doc)
{
    *group = (struct stat_group){name, doc, cache_stat_descs, cache_stat_count};
    return group;
}

/* Finds the sets that have something on the machine, in their order. */
static void show_sets(struct gpu_counters *c)
{
    c->shown_count = 0;
    for (unsigned i = 0; i < GPU_SETS; i++) {
        bool kept = i == GPU_SET_latency || i == GPU_SET_agents;
        if ((kept && !c->keeps_written) || (i == GPU_SET_locks && !c->queues_locks))
            continue;
        c->shown[c->shown_count++] = c->sets[i];
    }
}

struct gpu_counters *gpu_counters_new(void)
{
    struct gpu_counters *c = base_calloc(1, sizeof *c);
#define COUNTERS(member, type, description) c->sets[GPU_SET_##member] = (struct gpu_stat_set){&description, &c->member};
#define CACHE(member, doc)                                                                                             \
    c->sets[GPU_SET_##member] =                                                                                        \
        (struct gpu_stat_set){cache_group(&c->cache_groups[GPU_SET_##member], #member, doc), &c->member};
#include "gpu/counters.def"
    show_sets(c);
    return c;
}

#define ADD_UP(member, statistics) stat_merge(c->sets[GPU_SET_##member].group, &c->member, statistics);

static void collect_partition(struct gpu_counters *c, const struct gpu *gpu, const struct partition *unit)
{
    for (unsigned slice = 0; slice < gpu->machine.memory.partition.slices_per_channel; slice++) {
#define OF_SLICE ADD_UP
#include "gpu/counters.def"
        for (unsigned side = 1; side < COHERENCE_SIDES; side++)
            partition_collect(unit, slice, side, &c->transitions[side]);
    }
#define OF_CHANNEL ADD_UP
#include "gpu/counters.def"
}

/* Several SMs touch the same lines. */
static void collect_lines(struct gpu_counters *c, const struct gpu *gpu)
{
    struct sm_lines all = {NULL, 0, 0};
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        sm_lines_add(&all, sm_lines_of(gpu->sms[i]));
    struct sm_lines_count count = sm_lines_count(&all);
    c->sm.atomic_lines = count.all;
    c->sm.sync_lines = count.ordering;
    vec_free(&all);
}

void gpu_set_time(const struct gpu *gpu, struct gpu_result *result, uint64_t start, uint64_t end)
{
    result->start = start;
    result->cycles = end - start;
    result->time_ns = (double)result->cycles * 1000.0 / gpu->machine.gpu.core_mhz;
}

void gpu_collect_sm(const struct gpu *gpu, unsigned sm, struct gpu_counters *c)
{
    struct sm *unit = gpu->sms[sm];
#define OF_SM ADD_UP
#include "gpu/counters.def"
    coherence_collect(&c->transitions[0], sm_coherence(unit));
}

void gpu_collect_shared(const struct gpu *gpu, struct gpu_counters *c)
{
    c->keeps_written = gpu_protocol(&gpu->machine)->registration != NULL;
    c->queues_locks = gpu->machine.memory.locks.queue;
    show_sets(c);
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++)
        collect_partition(c, gpu, gpu->partitions[i]);
    for (unsigned i = 0; i < gpu->network_count; i++)
        network_add_stats(gpu_network_at(gpu, i), &c->network);
}

void gpu_collect(struct gpu *gpu, struct gpu_counters *c)
{
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        gpu_collect_sm(gpu, i, c);
    collect_lines(c, gpu);
    gpu_collect_shared(gpu, c);
}

/* Which sets are added up over SMs. */
static const bool of_sms[GPU_SETS] = {
#define OF_SM(member, statistics) [GPU_SET_##member] = true,
#include "gpu/counters.def"
};

void gpu_add_sm_counters(struct gpu_counters *c, const struct gpu_counters *more)
{
    for (unsigned i = 0; i < GPU_SETS; i++)
        if (of_sms[i])
            stat_merge(c->sets[i].group, (void *)(uintptr_t)c->sets[i].values, more->sets[i].values);
    coherence_add_counts(&c->transitions[0], &more->transitions[0]);
}

void gpu_show_sms_alone(struct gpu_counters *c)
{
    show_sets(c);
    unsigned kept = 0;
    for (unsigned i = 0; i < c->shown_count; i++)
        for (unsigned set = 0; set < GPU_SETS; set++)
            if (of_sms[set] && c->shown[i].group == c->sets[set].group)
                c->shown[kept++] = c->shown[i];
    c->shown_count = kept;
}

static uint64_t sum_of(const struct gpu_stat_set *set)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < set->group->count; i++)
        sum += stat_value(&set->group->stats[i], set->values);
    return sum;
}

int gpu_check_accounts(struct gpu_run *run, uint64_t sm_cycles, bool whole)
{
    const struct machine *m = &run->gpu->machine;
    const struct gpu_counters *c = run->result->counters;
    uint64_t owned = sum_of(&c->sets[GPU_SET_stalls]), warps = sum_of(&c->sets[GPU_SET_warps]);
    uint64_t cycles = sm_cycles * core_schedulers(&m->sm);
    if ((owned == cycles || !whole) && warps == c->sm.warp_cycles)
        return 0;
    return diag_error(run->sink, DIAG_NOWHERE, "this is a fault of Lockstep: please report it",
                      "kernel %s: the causes of cycles do not add up: %" PRIu64 " of %" PRIu64
                      " scheduler-cycles, %" PRIu64 " of %" PRIu64 " warp-cycles",
                      run->name, owned, cycles, warps, c->sm.warp_cycles);
}

void gpu_add_energy(const struct machine *machine, struct gpu_result *result)
{
    struct gpu_counters *c = result->counters;
    struct energy_events events = {
        .sm = &c->sm,
        .l1i = &c->l1i,
        .l1c = &c->l1c,
        .l1d = &c->l1d,
        .l2 = &c->l2,
        .dram = &c->dram,
        .network = &c->network,
        .cycles = result->cycles,
        .core_mhz = machine->gpu.core_mhz,
        .sms = machine->gpu.sms,
        .warp_size = machine->sm.warp_size,
        .result_buses = machine->sm.result_buses,
    };
    energy_compute(&machine->energy, &events, &c->energy);
}

void gpu_reset_counters(struct gpu *gpu)
{
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++)
        sm_stats_reset(gpu->sms[i]);
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++)
        partition_stats_reset(gpu->partitions[i]);
    for (unsigned i = 0; i < gpu->network_count; i++)
        network_stats_reset(gpu_network_at(gpu, i));
}

void gpu_result_blank(struct gpu_result *result)
{
    *result = (struct gpu_result){.counters = gpu_counters_new()};
    result->counters->keeps_written = result->counters->queues_locks = true;
    show_sets(result->counters);
}

void gpu_result_free(struct gpu_result *result)
{
    free(result->counters);
    profile_free(result->profile);
    result->counters = NULL;
    result->profile = NULL;
    free(result->timeline);
    gpu_intervals_free(result->intervals);
    result->intervals = NULL;
    result->timeline = NULL;
}

const struct gpu_stat_set *gpu_result_sets(const struct gpu_result *result, unsigned *count)
{
    *count = result->counters->shown_count;
    return result->counters->shown;
}

uint64_t gpu_result_warp_instructions(const struct gpu_result *result)
{
    return result->counters->sm.warp_instructions;
}

uint64_t gpu_result_thread_instructions(const struct gpu_result *result)
{
    return result->counters->sm.thread_instructions;
}

const struct coherence_counts *gpu_result_transitions(const struct gpu_result *result, unsigned side)
{
    return &result->counters->transitions[side];
}

const char *gpu_status_name(enum gpu_status status)
{
    static const char *const names[] = {"ok", "invalid", "fault", "hang", "limit", "stopped", "stands", "held"};
    return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : "unknown";
}

void gpu_explain_stop(const struct gpu_result *result, struct diag_sink *sink)
{
    bool functional = result->mode == GPU_FUNCTIONAL;
    uint64_t done = functional ? gpu_result_warp_instructions(result) : result->cycles;
    struct strbuf name = {0};
    if (!result->stopped_by)
        return;
    isa_plain_name(result->name, &name);
    diag_error(sink, DIAG_NOWHERE, NULL, "kernel %s was stopped after %" PRIu64 " %s by %s%s: its results are partial",
               strbuf_text(&name), done, functional ? "warp instructions" : "cycles",
               strncmp(result->stopped_by, "max-", 4) == 0 ? "--" : "", result->stopped_by);
    strbuf_free(&name);
}

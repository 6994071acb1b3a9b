/* Results: the statistics of every unit, merged over the units of a kind. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_impl.h"

enum { SET_SM, SET_STALLS, SET_SPIN, SET_L1I, SET_L1C, SET_L1D, SET_L2, SET_DRAM, SET_NETWORK, SET_ENERGY, SET_COUNT };

/* One table describes all caches; each result has a group per level. They are written when counters are made, since the
 * table's length is another room's. */
static void cache_group(struct stat_group *group, const char *name, const char *doc)
{
    *group = (struct stat_group){name, doc, cache_stat_descs, cache_stat_count};
}

struct gpu_counters *gpu_counters_new(void)
{
    struct gpu_counters *c = base_calloc(1, sizeof *c);
    cache_group(&c->l1i_group, "l1i", "instruction caches");
    cache_group(&c->l1c_group, "l1c", "constant caches");
    cache_group(&c->l1d_group, "l1d", "L1 data caches");
    cache_group(&c->l2_group, "l2", "L2 slices");
    c->sets[SET_SM] = (struct gpu_stat_set){&sm_stat_group, &c->sm};
    c->sets[SET_STALLS] = (struct gpu_stat_set){&sm_stall_group, &c->stalls};
    c->sets[SET_SPIN] = (struct gpu_stat_set){&spin_stat_group, &c->spin};
    c->sets[SET_L1I] = (struct gpu_stat_set){&c->l1i_group, &c->l1i};
    c->sets[SET_L1C] = (struct gpu_stat_set){&c->l1c_group, &c->l1c};
    c->sets[SET_L1D] = (struct gpu_stat_set){&c->l1d_group, &c->l1d};
    c->sets[SET_L2] = (struct gpu_stat_set){&c->l2_group, &c->l2};
    c->sets[SET_DRAM] = (struct gpu_stat_set){&dram_stat_group, &c->dram};
    c->sets[SET_NETWORK] = (struct gpu_stat_set){&network_stat_group, &c->network};
    c->sets[SET_ENERGY] = (struct gpu_stat_set){&energy_stat_group, &c->energy};
    return c;
}

void gpu_collect(struct gpu *gpu, struct gpu_counters *c)
{
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        struct sm *sm = gpu->sms[i];
        stat_merge(&sm_stat_group, &c->sm, sm_stats_of(sm));
        stat_merge(&sm_stall_group, &c->stalls, sm_stalls_of(sm));
        stat_merge(&spin_stat_group, &c->spin, sm_spin_stats(sm));
        stat_merge(&c->l1i_group, &c->l1i, sm_l1_stats(sm, 0));
        stat_merge(&c->l1c_group, &c->l1c, sm_l1_stats(sm, 1));
        stat_merge(&c->l1d_group, &c->l1d, sm_l1_stats(sm, 2));
        coherence_add_counts(&c->l1_transitions, sm_transitions(sm));
    }
    for (unsigned i = 0; i < gpu->machine.memory.partition.channels; i++) {
        for (unsigned k = 0; k < gpu->machine.memory.partition.slices_per_channel; k++) {
            stat_merge(&c->l2_group, &c->l2, partition_l2_stats(gpu->partitions[i], k));
            coherence_add_counts(&c->l2_transitions, partition_transitions(gpu->partitions[i], k));
        }
        stat_merge(&dram_stat_group, &c->dram, partition_dram_stats(gpu->partitions[i]));
    }
    network_add_stats(gpu->requests, &c->network);
    network_add_stats(gpu->replies, &c->network);
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
    network_stats_reset(gpu->requests);
    network_stats_reset(gpu->replies);
}

void gpu_result_blank(struct gpu_result *result)
{
    *result = (struct gpu_result){.counters = gpu_counters_new()};
}

void gpu_result_free(struct gpu_result *result)
{
    free(result->counters);
    result->counters = NULL;
}

const struct gpu_stat_set *gpu_result_sets(const struct gpu_result *result, unsigned *count)
{
    *count = SET_COUNT;
    return result->counters->sets;
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
    return side == 0 ? &result->counters->l1_transitions : &result->counters->l2_transitions;
}

const char *gpu_status_name(enum gpu_status status)
{
    static const char *const names[] = {"ok", "invalid", "fault", "hang", "limit", "stopped"};
    return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : "unknown";
}

void gpu_explain_stop(const struct gpu_result *result, struct diag_sink *sink)
{
    bool functional = result->mode == GPU_FUNCTIONAL;
    uint64_t done = functional ? gpu_result_warp_instructions(result) : result->cycles;
    if (result->stopped_by)
        diag_error(sink, DIAG_NOWHERE, NULL,
                   "kernel %s was stopped after %" PRIu64 " %s by %s%s: its results are partial", result->name, done,
                   functional ? "warp instructions" : "cycles", strncmp(result->stopped_by, "max-", 4) == 0 ? "--" : "",
                   result->stopped_by);
}

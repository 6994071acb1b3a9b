/* Prices times counts. A coefficient has three places and so has a weight, so sums are kept in millionths of a pJ and
 * rounded once. */
#include "energy/energy.h"

/* Millionths of a pJ. */
typedef unsigned __int128 sum_t;
#define PER_PJ 1000000u

const struct param_desc energy_param_descs[] = {
#define PARAM_STRUCT struct energy_params
#include "config/param_descs.h"
#include "energy/energy_params.def"
#include "config/param_end.h"
};
const unsigned energy_param_count = sizeof energy_param_descs / sizeof energy_param_descs[0];

static const struct stat_desc energy_stat_descs[] = {
#define STAT_STRUCT struct energy
#include "stats/stat_descs.h"
#include "energy/energy_stats.def"
#include "stats/stat_end.h"
};
const struct stat_group energy_stat_group = {"energy", "energy of the launch (timing mode), see docs/energy.md",
                                             energy_stat_descs, sizeof energy_stat_descs / sizeof energy_stat_descs[0]};

enum source { SOURCE_sm, SOURCE_l1i, SOURCE_l1c, SOURCE_l1d, SOURCE_l2, SOURCE_dram, SOURCE_network };
enum factor { FACTOR_ONE, FACTOR_WARP, FACTOR_LANES, FACTOR_IDLE_LANES };

/* One row of energy_events.def; a row of LANE_EVENTS makes two. */
struct event {
    size_t component, statistic, coefficient, weight; /* offsets */
    enum source counters;
    enum factor factor;
};

#define STRUCT_sm struct sm_stats
#define STRUCT_l1i struct cache_stats
#define STRUCT_l1d struct cache_stats
#define STRUCT_l1c struct cache_stats
#define STRUCT_l2 struct cache_stats
#define STRUCT_dram struct dram_stats
#define STRUCT_network struct network_stats
#define ROW(component, counters, statistic, coefficient, weight, factor)                                               \
    {                                                                                                                  \
        offsetof(struct energy, component), offsetof(STRUCT_##counters, statistic),                                    \
            offsetof(struct energy_params, coefficient), offsetof(struct energy_params, weight), SOURCE_##counters,    \
            FACTOR_##factor                                                                                            \
    }
#define EVENT(component, counters, statistic, factor, coefficient)                                                     \
    ROW(component, counters, statistic, coefficient, coefficient, factor),
#define LANE_EVENTS(component, operation, coefficient)                                                                 \
    ROW(component, sm, lanes_##operation, coefficient, weight_##operation, LANES),                                     \
        ROW(component, sm, idle_##operation, coefficient, weight_##operation, IDLE_LANES),
static const struct event table[] = {
#include "energy/energy_events.def"
};
#undef LANE_EVENTS
#undef EVENT
#undef ROW

static uint32_t thousandths(const struct energy_params *params, size_t offset)
{
    return *(const uint32_t *)((const char *)params + offset);
}

static uint64_t count_of(const struct energy_events *events, const struct event *e)
{
    const void *const counters[] = {
        [SOURCE_sm] = events->sm,           [SOURCE_l1i] = events->l1i, [SOURCE_l1c] = events->l1c,
        [SOURCE_l1d] = events->l1d,         [SOURCE_l2] = events->l2,   [SOURCE_dram] = events->dram,
        [SOURCE_network] = events->network,
    };
    return *(const uint64_t *)((const char *)counters[e->counters] + e->statistic);
}

static sum_t price(const struct energy_params *params, const struct energy_events *events, const struct event *e)
{
    sum_t cost = (sum_t)count_of(events, e) * thousandths(params, e->coefficient);
    switch (e->factor) {
    case FACTOR_IDLE_LANES:
        return params->gate_lanes ? 0 : cost * thousandths(params, e->weight);
    case FACTOR_LANES:
        return cost * thousandths(params, e->weight);
    case FACTOR_WARP:
        return cost * 1000 * events->warp_size;
    case FACTOR_ONE:
        break;
    }
    return cost * 1000;
}

static uint64_t rounded(sum_t sum)
{
    return (uint64_t)((sum + PER_PJ / 2) / PER_PJ);
}

/* A power in mW over a number of core cycles: 1 mW in 1 us is 1000 pJ. */
static sum_t power(const struct energy_events *events, uint32_t mw, uint64_t cycles)
{
    return (sum_t)mw * cycles * 1000 * PER_PJ / events->core_mhz;
}

/* The pipelines' power follows the share of result buses taken: by whole warps, or by working lanes where the others
 * are gated. */
static sum_t pipeline(const struct energy_params *params, const struct energy_events *events)
{
    uint32_t width = params->gate_lanes ? events->warp_size : 1;
    uint64_t done = params->gate_lanes ? events->sm->thread_instructions : events->sm->warp_instructions;
    uint64_t buses = (uint64_t)events->sms * events->result_buses * width;
    sum_t most = (sum_t)events->cycles * buses * params->pipeline_duty;
    sum_t taken = (sum_t)done * 1000 < most ? (sum_t)done * 1000 : most;
    return taken * params->pipeline * PER_PJ / buses / events->core_mhz;
}

static void add_events(const struct energy_params *params, const struct energy_events *events, struct energy *energy)
{
    sum_t sums[sizeof *energy / sizeof(uint64_t)] = {0};
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        sums[table[i].component / sizeof(uint64_t)] += price(params, events, &table[i]);
    sums[offsetof(struct energy, pipeline) / sizeof(uint64_t)] += pipeline(params, events);
    uint64_t *fields = (uint64_t *)energy;
    for (unsigned i = 0; i < offsetof(struct energy, dynamic) / sizeof(uint64_t); i++) {
        fields[i] = rounded(sums[i]);
        energy->dynamic += fields[i];
    }
}

void energy_compute(const struct energy_params *params, const struct energy_events *events, struct energy *energy)
{
    uint64_t sm_cycles = events->cycles * events->sms, busy = events->sm->busy_cycles;
    *energy = (struct energy){0};
    add_events(params, events, energy);
    energy->idle_sms = rounded(power(events, params->idle_sm, sm_cycles > busy ? sm_cycles - busy : 0));
    energy->constant = rounded(power(events, params->constant, events->cycles));
    energy->leakage = rounded(power(events, params->leakage, events->cycles));
    energy->total = energy->dynamic + energy->idle_sms + energy->constant + energy->leakage;
}

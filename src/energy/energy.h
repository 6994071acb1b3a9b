/* Energy of a launch, from its counters: every event has a price, and power that does not depend on events is
 * multiplied with the time. The prices are those of GPUWattch (see docs/energy.md). Integer arithmetic throughout:
 * equal counters give equal energy on every host. */
#ifndef LOCKSTEP_ENERGY_ENERGY_H
#define LOCKSTEP_ENERGY_ENERGY_H

#include <stdint.h>

#include "energy/energy_params.h"
#include "memory/cache.h"
#include "memory/dram.h"
#include "network/network.h"
#include "sm/sm.h"
#include "stats/stat.h"

/* pJ by component, and their sums. */
struct energy {
#include "stats/stat_fields.h"
#include "energy/energy_stats.def"
#include "stats/stat_end.h"
};
extern const struct stat_group energy_stat_group;

/* The events to be charged: statistics summed over the units of a kind, and the device they are from. */
struct energy_events {
    const struct sm_stats *sm;
    const struct cache_stats *l1i, *l1c, *l1d, *l2;
    const struct dram_stats *dram;
    const struct network_stats *network;
    uint64_t cycles;                                 /* core cycles of the launch */
    uint32_t core_mhz, sms, warp_size, result_buses; /* result buses of one SM */
};

/* Fills in every component, rounded to pJ, and the sums of the rounded components. */
void energy_compute(const struct energy_params *params, const struct energy_events *events, struct energy *energy);

#endif

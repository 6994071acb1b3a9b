/* Another clock beside the core's, by integer ratio: after n core cycles, n * mhz / core_mhz of its cycles have begun.
 * Counted along with core cycles, so that no cycle costs a long division. */
#ifndef LOCKSTEP_SIM_CLOCK_H
#define LOCKSTEP_SIM_CLOCK_H

#include <stdbool.h>

#include "sim/cycle.h"

struct sim_clock {
    uint64_t core;  /* core cycles that have passed */
    uint64_t begun; /* of its own cycles, those that have begun by then */
    uint32_t rest;  /* of core * mhz by core_mhz */
    uint32_t mhz, core_mhz;
};

/* Clocks are below 2^14 MHz, so 64 bits hold 2^50 cycles: two weeks of simulated time. */
static inline void sim_clock_advance(struct sim_clock *c, uint64_t core)
{
    uint64_t passed = core - c->core;
    c->core = core;
    if (c->mhz == c->core_mhz) { /* as networks often have it: a division a cycle would be a good part of that */
        c->begun += passed;
    } else if (passed == 1) {
        uint32_t rest = c->rest + c->mhz;
        c->begun += rest / c->core_mhz;
        c->rest = rest % c->core_mhz;
    } else if (passed) {
        uint64_t rest = c->rest + passed * c->mhz;
        c->begun += rest / c->core_mhz;
        c->rest = (uint32_t)(rest % c->core_mhz);
    }
}

static inline struct sim_clock sim_clock_at(uint32_t mhz, uint32_t core_mhz, uint64_t core)
{
    struct sim_clock c = {.mhz = mhz, .core_mhz = core_mhz};
    sim_clock_advance(&c, core);
    return c;
}

/* True if one of the clock's cycles ends together with the last core cycle that has passed. */
static inline bool sim_clock_coincides(const struct sim_clock *c)
{
    return c->rest == 0;
}

/* The core cycle in which cycle d of the clock begins; CYCLE_NEVER for CYCLE_NEVER. */
static inline uint64_t sim_clock_core_cycle(const struct sim_clock *c, uint64_t d)
{
    if (d == CYCLE_NEVER)
        return CYCLE_NEVER;
    uint64_t core = ((d + 1) * c->core_mhz + c->mhz - 1) / c->mhz;
    return core ? core - 1 : 0;
}

#endif

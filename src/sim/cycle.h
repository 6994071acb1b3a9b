/* Time. Every unit counts cycles of its own clock domain from 0 in 64 bits and answers "when can you next act": a
 * cycle, or CYCLE_NEVER when only a message from outside can make it act. */
#ifndef LOCKSTEP_SIM_CYCLE_H
#define LOCKSTEP_SIM_CYCLE_H

#include <stdint.h>

#define CYCLE_NEVER UINT64_MAX

static inline uint64_t cycle_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t cycle_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif

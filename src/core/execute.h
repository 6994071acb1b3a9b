/* The own state of the pipelines of side RESULT (units.def). Written by execute.c, and by
 * core_take_results. */
#ifndef LOCKSTEP_CORE_EXECUTE_H
#define LOCKSTEP_CORE_EXECUTE_H

#include "core/op.h"

/* The results that are due in one cycle: each unit ends at most one, and there are so many result buses.
 */
struct core_results {
    uint32_t mark;                   /* that cycle + 1 (low 32 bits): else this is an old entry of the ring */
    uint8_t ending[WARP_UNIT_COLLECTED]; /* units that end one, by class */
    uint8_t count;
};

struct core_execute {
    uint64_t free_at[WARP_UNIT_COUNT][8]; /* cycle at which a unit's dispatch register is free again */
    struct core_wheel wheel;              /* ops by the cycle in which their result is written back */
    struct core_results results[CORE_WHEEL];
};

#endif

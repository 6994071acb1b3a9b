/* The own state of the pipelines of side RESULT (units.def). Written by execute.c, and by complete.c, which takes what
 * the wheel has for a cycle.
 */
#ifndef LOCKSTEP_SM_EXECUTE_H
#define LOCKSTEP_SM_EXECUTE_H

#include "sm/op.h"

/* The results that are due in one cycle: each unit ends at most one, and there are so many result buses.
 */
struct sm_results {
    uint32_t mark;                   /* that cycle + 1 (low 32 bits): else this is an old entry of the ring */
    uint8_t ending[WARP_UNIT_COUNT]; /* units that end one, by class */
    uint8_t count;
};

struct sm_execute {
    uint64_t free_at[WARP_UNIT_COUNT][8]; /* cycle at which a unit's dispatch register is free again */
    struct sm_wheel wheel;                /* ops by the cycle in which their result is written back */
    struct sm_results results[SM_WHEEL];
};

struct sm;
/* One cycle: free units take waiting ops. */
void sm_execute_units(struct sm *sm);

#endif

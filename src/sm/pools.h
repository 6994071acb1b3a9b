/* Registers that warps of an SM's blocks move by setmaxnreg: see pools.c. */
#ifndef LOCKSTEP_SM_POOLS_H
#define LOCKSTEP_SM_POOLS_H

#include "sm/state.h"

/* A warp executes setmaxnreg. False: that was illegal, which is recorded. */
bool sm_reach_registers(struct sm *sm, unsigned slot, const struct simt_result *r);
/* A warp ends, in a launch that moves registers: likewise. */
bool sm_may_end(struct sm *sm, unsigned slot, const struct simt_result *r);

#endif

/* Events of warps: see warps.c. */
#ifndef LOCKSTEP_SM_WARPS_H
#define LOCKSTEP_SM_WARPS_H

#include "sm/state.h"

/* The policy and the spin control are told of a warp that begins in the slot or, `again`, has threads again. */
void sm_warp_begins(struct sm *sm, unsigned slot, uint64_t cycle, bool again);
/* The instruction has what it acquires: the L1D is ordered so, if it is to be. */
void sm_acquire(struct sm *sm, const struct isa_instr *instr);
/* A fault ends the run: of a lane; of a policy that picked a warp which it was not given. The first one counts. */
COLD void sm_record_fault(struct sm *sm, unsigned slot, const struct simt_fault *fault);
COLD void sm_record_bad_pick(struct sm *sm, unsigned scheduler, unsigned picked);
/* The cycles before this one are counted, or not to be. */
void sm_count_from(struct sm *sm, uint64_t cycle);
/* Counts the cycles before `cycle` for the warps that are resident and at barriers: before either changes. */
void sm_count_warps(struct sm *sm, uint64_t cycle);
/* Every set of warp slots that a stage keeps beside the warp table, once. A launch clears them. */
void sm_each_set(struct sm *sm, void (*visit)(uint64_t *set, void *context), void *context);

#endif

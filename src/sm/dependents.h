/* griddepcontrol: see dependents.c. */
#ifndef LOCKSTEP_SM_DEPENDENTS_H
#define LOCKSTEP_SM_DEPENDENTS_H

#include "sm/state.h"

/* A warp executes griddepcontrol. */
void sm_reach_dependent(struct sm *sm, unsigned slot, const struct isa_instr *instr);

#endif

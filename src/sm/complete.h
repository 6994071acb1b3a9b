/* The ends of instructions: the SM as its load/store unit sees it. */
#ifndef LOCKSTEP_SM_COMPLETE_H
#define LOCKSTEP_SM_COMPLETE_H

#include "sm/state.h"

/* Completes what a core's units of side RESULT have computed for this cycle. */
void sm_writeback(struct sm *sm, struct core *core);
/* The SM as its load/store unit knows it. spins: spin control is told of accesses. */
const struct lsu_port *sm_lsu_port(bool spins);

#endif

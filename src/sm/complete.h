/* The ends of instructions: the SM as its load/store unit sees it. */
#ifndef LOCKSTEP_SM_COMPLETE_H
#define LOCKSTEP_SM_COMPLETE_H

#include "sm/state.h"

/* The turn of the warp's paths may have changed, not by an instruction that it issued: what it needs next
 * is another instruction than its buffer was looked at for. */
void sm_turn_changed(struct sm *sm, unsigned slot);
/* Completes what a core's units of side RESULT have computed for this cycle. */
void sm_writeback(struct sm *sm, struct core *core);
/* A warp's op or store was completed: ends its fence, lets it retire or call the device's functions, if that was the
 * last. */
void sm_check_retire(struct sm *sm, unsigned slot);
/* The SM as its load/store unit knows it. spins: spin control is told of accesses. */
const struct lsu_port *sm_lsu_port(bool spins);

#endif

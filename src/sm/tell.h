/* Where the SM tells what happens (include/lockstep/events.def): to consumers that it always has (watch/consumers.h)
 * and to observers. An event that the former do not hear is one branch here where nobody listens; the rest is in
 * tell.c. */
#ifndef LOCKSTEP_SM_TELL_H
#define LOCKSTEP_SM_TELL_H

#include "base/hot.h"
#include "sm/state.h"

COLD void sm_tell_waits_to(struct sm *sm);

/* The warp in `slot` has issued an instruction, of that class: where that is heard; then, where the paths of its lanes
 * may have parted or met and that is heard, what they did. */
void sm_tell_issue(struct sm *sm, unsigned slot, enum lockstep_class class, const struct simt_result *r);
void sm_tell_paths(struct sm *sm, unsigned slot, const struct simt_result *r);
/* It was a memory instruction; the access is still as it was then. */
void sm_tell_access(struct sm *sm, unsigned slot, const struct core_op *o);
/* An atomic access of global memory was answered. */
void sm_tell_atomics(struct sm *sm, const struct core_op *o, const struct message_atomic *reply);
/* A warp begins in the slot, or (again) has threads again. */
void sm_tell_launch(struct sm *sm, unsigned slot, uint64_t cycle, bool again);
void sm_tell_arrive(struct sm *sm, unsigned slot);
void sm_tell_open(struct sm *sm, unsigned block, uint64_t slots);
void sm_tell_end(struct sm *sm, unsigned slot);

/* A cycle is over: tells of the waits that began or ended in it. */
static inline void sm_tell_waits(struct sm *sm)
{
    if (RARELY(watch_hears(&sm->watch, WATCH_wait_begin | WATCH_wait_end)))
        sm_tell_waits_to(sm);
}

#endif

/* Where the SM tells observers what happens (include/lockstep/events.def). Each function here is one branch where
 * nobody listens; the rest is in tell.c. */
#ifndef LOCKSTEP_SM_TELL_H
#define LOCKSTEP_SM_TELL_H

#include "base/hot.h"
#include "sm/sm_impl.h"
#include "watch/watch.h"

COLD void sm_tell_issue_to(struct sm *sm, unsigned slot, const struct core_op *o, const struct simt_result *r);
COLD void sm_tell_done_to(struct sm *sm, const struct core_op *o);
COLD void sm_tell_atomics_to(struct sm *sm, const struct core_op *o, const struct packet *reply);
COLD void sm_tell_launch_to(struct sm *sm, unsigned slot, uint64_t cycle);
COLD void sm_tell_arrive_to(struct sm *sm, unsigned slot);
COLD void sm_tell_open_to(struct sm *sm, unsigned block, uint64_t slots);
COLD void sm_tell_end_to(struct sm *sm, unsigned slot);
COLD void sm_tell_waits_to(struct sm *sm);

/* The warp in `slot` has issued an instruction, whose access is still as it was issued. */
static inline void sm_tell_issue(struct sm *sm, unsigned slot, const struct core_op *o, const struct simt_result *r)
{
    if (RARELY(watch_hears(&sm->watch, WATCH_issue | WATCH_access)))
        sm_tell_issue_to(sm, slot, o, r);
}
static inline void sm_tell_done(struct sm *sm, const struct core_op *o)
{
    if (RARELY(watch_hears(&sm->watch, WATCH_done)))
        sm_tell_done_to(sm, o);
}
static inline void sm_tell_atomics(struct sm *sm, const struct core_op *o, const struct packet *reply)
{
    if (RARELY(watch_hears(&sm->watch, WATCH_atomic)))
        sm_tell_atomics_to(sm, o, reply);
}
static inline void sm_tell_launch(struct sm *sm, unsigned slot, uint64_t cycle)
{
    if (RARELY(watch_hears(&sm->watch, WATCH_launch)))
        sm_tell_launch_to(sm, slot, cycle);
}
static inline void sm_tell_arrive(struct sm *sm, unsigned slot)
{
    if (RARELY(watch_hears(&sm->watch, WATCH_arrive)))
        sm_tell_arrive_to(sm, slot);
}
static inline void sm_tell_open(struct sm *sm, unsigned block, uint64_t slots)
{
    if (RARELY(watch_hears(&sm->watch, WATCH_open)))
        sm_tell_open_to(sm, block, slots);
}
static inline void sm_tell_end(struct sm *sm, unsigned slot)
{
    if (RARELY(watch_hears(&sm->watch, WATCH_end)))
        sm_tell_end_to(sm, slot);
}
/* A cycle is over: tells of the waits that began or ended in it. */
static inline void sm_tell_waits(struct sm *sm)
{
    if (RARELY(watch_hears(&sm->watch, WATCH_wait_begin | WATCH_wait_end)))
        sm_tell_waits_to(sm);
}

#endif

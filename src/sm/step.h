/* The cycle of an SM: what is due in it, and where others take part. */
#ifndef LOCKSTEP_SM_STEP_H
#define LOCKSTEP_SM_STEP_H

#include "sm/state.h"

/* Goes to a cycle before which nothing can happen. */
void sm_skip_to(struct sm *sm, uint64_t cycle);
/* Gives the schedulers' cycles before the present one to their causes. */
void sm_give_all_cycles(struct sm *sm);
/* issue.c: every core's schedulers look. */
void sm_issue(struct sm *sm);
/* Under sm.counts_preferred, of every cycle: schedulers look where `looks` says so. */
void sm_issue_counting(struct sm *sm, bool looks);
/* Before that, if sm_may_wake: waits end by the clock, blocks pass the grid's barrier, warps are formed. */
void sm_wake(struct sm *sm);
static inline bool sm_may_wake(const struct sm *sm)
{
    return (sm->out | warp_waits_timed(&sm->warp.waits) | sm->lsu.fences.reached) || sm->grid.open;
}
/* Warps that issue could issue, or flush, in the next cycle. */
static inline uint64_t sm_can_go_on(const struct sm *sm)
{
    uint64_t awake = warp_wide_awake(&sm->warp), held_up = 0;
    EACH_CORE (sm, core)
        held_up |= core->full ? core->slots & ~core_units_free(core) : 0;
    return awake & (sm->warp.mispredicted | ~held_up);
}
/* True: ops with their operands wait for a unit of side RESULT. */
static inline bool sm_results_wait(const struct sm *sm)
{
    bool wait = false;
    EACH_CORE (sm, core)
        wait |= core_results_wait(core);
    return wait;
}

/* The stages that the agenda must have as due, because an op, an instruction or a packet waits in them or is on its
 * way. */
static inline uint32_t sm_due_of_stages(const struct sm *sm)
{
    return (sm_results_wait(sm) ? DUE_UNITS : 0) | (fetch_decodes(&sm->fetch) ? DUE_DECODE : 0) |
           (sm->async.next != CYCLE_NEVER ? DUE_ASYNC : 0) | lsu_due_of_queues(&sm->lsu);
}

/* Every stage that the SM has is to look for work: where issue fills the latches of units, collectors would empty them. */
static inline void sm_all_due(struct sm *sm)
{
    lsu_note_ready(&sm->lsu);
    agenda_put(&sm->agenda, UINT32_MAX,
               DUE_PORT | (sm->params->direct ? 0 : DUE_COLLECT) | DUE_FETCH | DUE_DISPATCH | DUE_REFUSED | sm_due_of_stages(sm));
}

#endif

/* The cycle of issue of an SM: waits that end by the clock end, warps are formed, and every core's schedulers look. */
#include "sm/barriers.h"
#include "sm/state.h"
#include "sm/step.h"

/* Sleep ends by the clock. A fence that nothing holds up ends in the next cycle; the others, with the last thing that
 * they wait for. */
static void end_waits(struct sm *sm)
{
    if (warp_waits_timed(&sm->warp.waits) && warp_wake(&sm->warp, sm->agenda.now))
        made_progress(&sm->agenda);
    lsu_check_reached(&sm->lsu);
}

HOT void sm_wake(struct sm *sm)
{
    if (RARELY(sm->grid.open))
        sm_pass_grid(sm);
    if (RARELY(sm->out))
        sm_form(sm);
    if (warp_waits_timed(&sm->warp.waits) | sm->lsu.fences.reached)
        end_waits(sm);
}

void sm_issue_counting(struct sm *sm, bool looks)
{
    EACH_CORE (sm, core)
        core_note_preferred(core);
    if (looks)
        sm_issue(sm);
    EACH_CORE (sm, core)
        core_count_preferred(core);
}

HOT void sm_issue(struct sm *sm)
{
    EACH_CORE (sm, core)
        core_issue(core);
    if (sm->blocks_changed)
        sm_show_blocks(sm);
    warp_all_looked(&sm->warp);
}

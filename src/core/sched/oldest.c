/* Oldest first: the ready warp that was launched first, as GCN's "oldest job first" and the machine of the hLRC paper
 * (MICRO 2016, Table 4) have it. What is published has no limit (patience=0): an old warp that spins without waiting
 * for memory keeps younger ones from issuing. */
#include "core/sched/patience.h"

enum option { OPTION_PATIENCE };

static const struct lockstep_scheduler_option options[] = {PATIENCE_OPTION_ROW, {0}};

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    patience_reset(state, setup->options[OPTION_PATIENCE]);
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    unsigned oldest = patience_pick(state, view);
    if (oldest != LOCKSTEP_NO_WARP)
        return oldest;
    oldest = mask_first(view->ready);
    for (uint64_t rest = view->ready & (view->ready - 1); rest; rest &= rest - 1)
        if (view->warps[mask_first(rest)].age < view->warps[oldest].age)
            oldest = mask_first(rest);
    return oldest;
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    patience_issued(state, warp, view);
}

static void launched(void *state, const struct lockstep_launch *launch)
{
    patience_launched(state, launch);
}

const struct lockstep_scheduler sched_oldest = {
    .version = LOCKSTEP_SCHEDULER_VERSION,
    .name = "oldest",
    .doc = "oldest first: the ready warp that was launched first",
    .options = options,
    .state_bytes = sizeof(struct patience),
    .reset = reset,
    .pick = pick,
    .issued = issued,
    .launched = launched,
};

/* Loose round robin: the first ready warp behind the one that issued last, in slot order. Nobody is skipped in the
 * order, only at the test for readiness. */
#include "base/bits.h"
#include "lockstep/scheduler.h"

struct lrr {
    unsigned from; /* slot at which the search starts */
};

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    (void)setup;
    ((struct lrr *)state)->from = 0;
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    unsigned from = ((const struct lrr *)state)->from;
    uint64_t behind = from < 64 ? view->ready & (~UINT64_C(0) << from) : 0;
    return mask_first(behind ? behind : view->ready);
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    (void)view;
    ((struct lrr *)state)->from = warp + 1;
}

const struct lockstep_scheduler sched_lrr = {
    .version = LOCKSTEP_SCHEDULER_VERSION,
    .name = "lrr",
    .doc = "loose round robin: the next ready warp behind the last one that issued",
    .state_bytes = sizeof(struct lrr),
    .reset = reset,
    .pick = pick,
    .issued = issued,
};

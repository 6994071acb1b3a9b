/* A warp scheduler of one's own: greedy, then the youngest. The warp that issued last goes on for at most `turn`
 * instructions; then, or when it is not ready, the ready warp that was launched last comes. The opposite of gto: blocks
 * that came last overtake the others. README.md builds and runs it; lockstep/scheduler.h is the contract. */
#include <lockstep/scheduler.h>

struct youngest {
    uint64_t turn;   /* instructions that a warp may issue in a row */
    uint64_t issued; /* those that the last one has */
    unsigned last;
};

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    struct youngest *y = state;
    y->turn = setup->options[0];
    y->last = LOCKSTEP_NO_WARP;
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    const struct youngest *y = state;
    unsigned best = LOCKSTEP_NO_WARP;
    if (y->last != LOCKSTEP_NO_WARP && y->issued < y->turn && view->ready >> y->last & 1)
        return y->last;
    for (unsigned warp = 0; warp < 64; warp++)
        if (view->ready >> warp & 1 && (best == LOCKSTEP_NO_WARP || view->warps[warp].age > view->warps[best].age))
            best = warp;
    return best;
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    struct youngest *y = state;
    (void)view;
    y->issued = warp == y->last ? y->issued + 1 : 1;
    y->last = warp;
}

static const struct lockstep_scheduler_option options[] = {
    {.name = "turn", .doc = "instructions in a row", .initial = 16, .minimum = 1, .maximum = 1000000},
    {0},
};

static const struct lockstep_scheduler youngest = {
    .version = LOCKSTEP_SCHEDULER_VERSION,
    .name = "youngest",
    .doc = "the last warp for some instructions, else the youngest ready one",
    .options = options,
    .state_bytes = sizeof(struct youngest),
    .reset = reset,
    .pick = pick,
    .issued = issued,
};

const struct lockstep_scheduler *lockstep_scheduler_plugin(void)
{
    return &youngest;
}

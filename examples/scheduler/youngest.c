/* A warp scheduler of one's own, the opposite of gto: a warp goes on for at most `turn` instructions, then the youngest
 * ready one comes. README.md builds and runs it; lockstep/scheduler.h is the contract. */
#include <lockstep/scheduler.h>

struct youngest {
    uint64_t turn, issued; /* instructions in a row: those allowed, those that the last warp has had */
    unsigned last;
};
static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    *(struct youngest *)state = (struct youngest){.turn = setup->options[0], .last = LOCKSTEP_NO_WARP};
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
    *y = (struct youngest){.turn = y->turn, .issued = warp == y->last ? y->issued + 1 : 1, .last = warp};
}
static const struct lockstep_scheduler_option options[] = {
    {.name = "turn", .doc = "instructions in a row", .initial = 16, .minimum = 1, .maximum = 1000000}, {0}};
static const struct lockstep_scheduler youngest = {
    .version = LOCKSTEP_SCHEDULER_VERSION, .name = "youngest", .doc = "the last warp for a turn, else the youngest",
    .options = options, .state_bytes = sizeof(struct youngest), .reset = reset, .pick = pick, .issued = issued};

const struct lockstep_scheduler *lockstep_scheduler_plugin(void)
{
    return &youngest;
}

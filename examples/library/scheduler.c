/* A warp scheduler of the program's own: loose round robin, so that the cycles are those of sm.scheduler=lrr. It also counts how often
 * it was asked, for each scheduler of each SM apart: SMs may be simulated by several threads. */
#include <inttypes.h>

#include "locks.h"

#define SCHEDULERS 1024

struct counts {
    uint32_t schedulers;
    uint64_t issues[SCHEDULERS];
};

struct state {
    unsigned from;   /* the slot behind the one that issued last */
    uint64_t *count; /* in the program */
};

/* Called by one thread, when a kernel begins. */
static void reset(void *to, const struct lockstep_scheduler_setup *setup)
{
    struct counts *counts = setup->user;
    struct state *s = to;
    s->count = &counts->issues[counts->schedulers++ % SCHEDULERS];
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    const struct state *s = state;
    for (unsigned n = 0; n < 64; n++)
        if (view->ready >> (s->from + n) % 64 & 1)
            return (s->from + n) % 64;
    return LOCKSTEP_NO_WARP;
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    struct state *s = state;
    (void)view;
    s->from = warp + 1;
    ++*s->count;
}

static const struct lockstep_scheduler mine = {.version = LOCKSTEP_SCHEDULER_VERSION,
                                               .name = "mine",
                                               .doc = "the next ready warp behind the last",
                                               .state_bytes = sizeof(struct state),
                                               .reset = reset,
                                               .pick = pick,
                                               .issued = issued};

int main(int argc, char **argv)
{
    static struct counts counts;
    struct lockstep_device *device;
    const struct lockstep_device_setup setup = {.size = sizeof setup,
                                                .machine = argc > 1 ? argv[1] : NULL,
                                                .scheduler = &mine,
                                                .scheduler_user = &counts};
    int code = lockstep_create(&device, &setup);
    must(device, code);
    launch_locks(device, load_locks(device));
    must(device, lockstep_run(device, NULL, NULL));

    struct lockstep_outcome outcome = {.size = sizeof outcome};
    must(device, lockstep_outcome(device, &outcome));
    uint64_t issues = 0;
    for (unsigned i = 0; i < SCHEDULERS; i++)
        issues += counts.issues[i];
    printf("cycles %" PRIu64 "\n%" PRIu32 " schedulers issued %" PRIu64 " instructions\n", outcome.cycles,
           counts.schedulers, issues);
    lockstep_destroy(device);
    return 0;
}

/* A limit to how long a scheduler that follows a fixed order passes a warp over. Without one, a warp of high rank that
 * spins can keep the warp that holds what it spins for from issuing for ever. Published policies have no such limit.
 *
 * One warp at a time, the one that issued the longest ago of those that wait for no event, is remembered as *passed
 * over*, until it issues; after `cycles` cycles it goes first. A warp whose next instruction waits for nothing but a
 * turn thus gets it within (live warps of the scheduler * cycles) cycles, and as long as it takes the units to accept
 * as many instructions. */
#ifndef LOCKSTEP_CORE_SCHED_PATIENCE_H
#define LOCKSTEP_CORE_SCHED_PATIENCE_H

#include "base/bits.h"
#include "lockstep/scheduler.h"

struct patience {
    uint64_t issued_at[64]; /* by warp slot: cycle of the warp's last issue, or of its launch */
    uint64_t cycles;        /* 0: for ever */
    uint64_t due;           /* cycle from which on `passed_over` goes first */
    uint8_t passed_over;    /* another warp was preferred to it, and it has not issued since; or LOCKSTEP_NO_WARP */
};

#define PATIENCE_OPTION_ROW                                                                                            \
    {                                                                                                                  \
        .name = "patience",                                                                                            \
        .doc = "cycles for which the warp that issued the longest ago lets others go first; 0: for ever, as "          \
               "published, so that the holder of a lock can starve",                                                   \
        .initial = 10000, .maximum = 1000000000                                                                        \
    }

void patience_reset(struct patience *p, uint64_t cycles);
/* To be called behind every issue and launch. */
void patience_issued(struct patience *p, unsigned warp, const struct lockstep_scheduler_view *view);
void patience_launched(struct patience *p, const struct lockstep_launch *launch);

/* The ready warp that goes first since it was passed over for too long, or LOCKSTEP_NO_WARP. */
static inline unsigned patience_pick(const struct patience *p, const struct lockstep_scheduler_view *view)
{
    if (p->passed_over != LOCKSTEP_NO_WARP && p->due <= view->cycle && mask_has(view->ready, p->passed_over))
        return p->passed_over;
    return LOCKSTEP_NO_WARP;
}

#endif

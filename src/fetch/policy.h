/* Fetch policies: for which warp fetch goes to the instruction cache in a cycle. A policy is one file of this folder
 * and one row of list.def; parameter sm.fetch names it. It sees warps as 64-bit masks and keeps nothing: what it has to
 * know of the past is in the view. The loop that fetches and retires is fetch/fetch.c. */
#ifndef LOCKSTEP_SM_FETCH_POLICY_H
#define LOCKSTEP_SM_FETCH_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "lockstep/scheduler.h"

#define FETCH_NOBODY 64 /* what pick() returns to let the cycle pass */

struct fetch_view {
    uint64_t cycle;
    uint64_t serve;    /* warps to fetch for, and those to retire: pick one of these */
    uint64_t retiring; /* of them, those that have ended and only have to be retired: that takes no time */
    const struct lockstep_warp_view *warps; /* by slot */
    uint32_t last;                          /* the warp served last, whether the cache had its line or not */
    unsigned schedulers;                    /* whose warps these are: where each has a fetch of its own, one */
    unsigned first_scheduler;               /* of them, by its number among those of the SM */
    /* Instructions in the warp's buffer. */
    unsigned (*entries)(const struct fetch_view *view, unsigned warp);
    /* For which of these warps the scheduler of that number, below `schedulers`, wants instructions: that which it
     * would issue first if it could issue all of them that wait for no event, unless it says otherwise
     * (lockstep_scheduler.fetch); FETCH_NOBODY where it has none of them, or would let the cycle pass. */
    unsigned (*preferred)(const struct fetch_view *view, unsigned scheduler, uint64_t warps);
    const void *context; /* theirs */
};

struct fetch_policy {
    const char *name, *doc;
    /* It is also offered warps whose buffer is not empty but has room: what comes is put behind. sm.fetch_fills gives
     * that to every policy. */
    bool fills;
    /* A member of view->serve, or FETCH_NOBODY. One that retires is retired, and pick() is asked for another: warps
     * that are never picked never retire. */
    unsigned (*pick)(const struct fetch_view *view);
};

/* The first of these warps, in slot order, behind the one that was served last. There is one. */
static inline unsigned fetch_in_turn(const struct fetch_view *view, uint64_t warps)
{
    uint64_t behind = warps & (~UINT64_C(1) << view->last);
    return mask_first(behind ? behind : warps);
}

/* The policy of that name, or NULL; all of them, NULL-terminated. */
const struct fetch_policy *fetch_find(const char *name);
const struct fetch_policy *const *fetch_policies(void);

#endif

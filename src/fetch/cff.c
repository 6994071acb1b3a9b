/* Critical fetch first, the fetch policy of barrier-aware warp scheduling (Liu et al., ICS 2016, section 4.2): fetch
 * follows the schedulers. It serves the warp that comes first in the order in which a scheduler would issue its warps;
 * the schedulers take turns, cycle by cycle, in being asked first. Warps that no scheduler would issue, because they
 * wait at a barrier or for something else, are served when there is none of the others, in turn. */
#include "base/bits.h"
#include "fetch/policy.h"

static unsigned pick(const struct fetch_view *view)
{
    if (view->retiring)
        return mask_first(view->retiring);
    unsigned first = (unsigned)(view->cycle % view->schedulers);
    for (unsigned i = 0; i < view->schedulers; i++) {
        unsigned warp = view->preferred(view, (first + i) % view->schedulers, view->serve);
        if (warp != FETCH_NOBODY)
            return warp;
    }
    return fetch_in_turn(view, view->serve);
}

const struct fetch_policy fetch_cff = {
    .name = "cff",
    .doc = "critical fetch first: of the warps with an empty buffer, the one that a scheduler would issue first",
    .pick = pick,
};

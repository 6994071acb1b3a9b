/* Oldest first: what suits a greedy-then-oldest scheduler, whose oldest warps are to go on. Age is the order of launch
 * on the SM. */
#include "base/bits.h"
#include "fetch/policy.h"

static unsigned pick(const struct fetch_view *view)
{
    if (view->retiring)
        return mask_first(view->retiring);
    unsigned best = mask_first(view->serve);
    for (uint64_t rest = view->serve; rest; rest &= rest - 1)
        if (view->warps[mask_first(rest)].age < view->warps[best].age)
            best = mask_first(rest);
    return best;
}

const struct fetch_policy fetch_oldest = {
    .name = "oldest",
    .doc = "oldest first: of the warps with an empty buffer, the one launched first",
    .pick = pick,
};

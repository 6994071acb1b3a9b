/* Fewest entries first, with which the BAWS paper compares its own fetch policy (Liu et al., ICS 2016, section 6.2):
 * the warp with the fewest instructions in its buffer, of those whose buffer has room; equal ones in turn. */
#include "base/bits.h"
#include "fetch/policy.h"

static unsigned pick(const struct fetch_view *view)
{
    uint64_t fewest = 0;
    unsigned least = UINT32_MAX;
    if (view->retiring)
        return mask_first(view->retiring);
    for (uint64_t rest = view->serve; rest; rest &= rest - 1) {
        unsigned entries = view->entries(view, mask_first(rest));
        if (entries <= least)
            fewest = entries < least ? rest & -rest : fewest | (rest & -rest);
        least = entries < least ? entries : least;
    }
    return fetch_in_turn(view, fewest);
}

const struct fetch_policy fetch_fef = {
    .name = "fef",
    .doc = "fewest entries first: the warp with the fewest instructions in its buffer, if that has room",
    .fills = true,
    .pick = pick,
};

/* Loose round robin, as in GPGPU-Sim 3.2.2: the first warp behind the one that was served last, in slot order, whose
 * buffer is empty; those that have ended and are met on the way retire. */
#include "base/hot.h"
#include "fetch/policy.h"

HOT static unsigned pick(const struct fetch_view *view)
{
    return fetch_in_turn(view, view->serve);
}

const struct fetch_policy fetch_lrr = {
    .name = "lrr",
    .doc = "loose round robin: the next warp with an empty buffer behind the one served last",
    .pick = pick,
};

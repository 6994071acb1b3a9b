/* Recomputes the facts that a warp keeps although they follow from its paths (base/check.h). */
#include "base/check.h"
#include "simt/warp.h"

void simt_warp_check(struct simt_warp *warp, struct check *c)
{
    struct simt_paths *paths = &warp->paths;
    struct simt_walk walk = simt_walk(paths);
    uint64_t lanes = 0;
    while (simt_walk_next(&walk))
        lanes |= walk.lanes;
    CHECK_FACT(c, "warp.live", warp->slot, warp->live, lanes);
    if (!paths->way) /* it never ran */
        return;
    const struct simt_path *turn = paths->count ? paths->way->turn(paths) : NULL;
    CHECK_FACT(c, "paths.now", warp->slot, paths->now, (uintptr_t)turn);
    check_holds(c, "paths.most", warp->slot, paths->most >= paths->count);
    check_holds(c, paths->way->name, warp->slot, paths->way->holds(paths));
    check_holds(c, "paths.now executes", warp->slot, !turn || (turn->mask && turn->pc != ISA_PC_NONE));
}

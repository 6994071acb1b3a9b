/* Recomputes the facts that a warp keeps although they follow from its paths (base/check.h). */
#include "base/check.h"
#include "simt/warp.h"

/* isa/program.h: frames lie so that what is in a row at a lane's place is that lane's. */
static bool frames_hold(const struct simt_warp *warp)
{
    const struct isa_function *kernel = warp->block->grid->kernel, *functions = warp->code->module->functions;
    uint32_t first = isa_frame_behind(0, kernel->row_count);
    for (uint32_t i = 0; i < warp->paths.count; i++) {
        const struct simt_frame *frame = &simt_path_at(&warp->paths, i)->frame;
        bool of_kernel = &functions[frame->function] == kernel;
        if (of_kernel ? frame->reg_base != 0 : frame->reg_base < first || frame->reg_base % ISA_FRAME_ROWS)
            return false;
    }
    return true;
}

void simt_warp_check(struct simt_warp *warp, struct check *c)
{
    struct simt_paths *paths = &warp->paths;
    struct simt_walk walk = simt_walk(paths);
    uint64_t lanes = 0;
    while (simt_walk_next(&walk))
        lanes |= walk.lanes;
    CHECK_FACT(c, "warp.live", warp->slot, warp->live, lanes);
    if (!paths->model) /* it never ran */
        return;
    const struct simt_path *turn = paths->count ? paths->model->turn(paths) : NULL;
    CHECK_FACT(c, "paths.now", warp->slot, paths->now, (uintptr_t)turn);
    check_holds(c, "paths.most", warp->slot, paths->most >= paths->count);
    check_holds(c, "paths.frame", warp->slot, frames_hold(warp));
    check_holds(c, paths->model->name, warp->slot, paths->model->holds(paths));
    check_holds(c, "paths.now executes", warp->slot, !turn || (turn->mask && turn->pc != ISA_PC_NONE));
}

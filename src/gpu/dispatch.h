/* The dispatcher: gives the blocks of a launch to SMs that have a place for one. See dispatch.c. */
#ifndef LOCKSTEP_GPU_DISPATCH_H
#define LOCKSTEP_GPU_DISPATCH_H

#include "base/hot.h"
#include "gpu/company.h"
#include "gpu/domain.h"

/* Blocks are left to start, now or later. */
HOT_INLINE bool gpu_blocks_are_left(const struct gpu_run *run)
{
    return run->next_block < run->blocks || (RARELY(run->company) && gpu_company_has_blocks(run->company));
}

/* The first cycle in which the launch's blocks may start. */
static inline uint64_t gpu_first_start(const struct gpu_run *run)
{
    return run->start_cycle + run->gpu->machine.gpu.launch_cycles;
}

/* The blocks that the dispatcher must be able to start before it starts any: those of a cluster, or its burst where
 * that is smaller. */
static inline uint64_t gpu_dispatch_least(const struct gpu_run *run)
{
    return cycle_min(cycle_max(run->grid.cluster_blocks, 1), run->gpu->machine.gpu.dispatch_burst);
}
/* A launch begins: the dispatcher may start its burst at once. */
void gpu_dispatch_begin(struct gpu_run *run);
/* Gives out blocks, if the dispatcher looks in this cycle, in which no window has begun yet: the domains start them.
 * outlook: of the last window. Returns whether blocks start. */
bool gpu_dispatch(struct gpu_run *run, struct gpu_outlook *outlook, uint64_t cycle);
/* The first cycle after `from` in which the dispatcher looks, which no window may pass while blocks are left; or
 * CYCLE_NEVER where that follows from what the domains report (gpu.dispatch_interval is 1). */
uint64_t gpu_next_look(const struct gpu_run *run, uint64_t from);

#endif

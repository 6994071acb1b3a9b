/* Synchronization-aware warp scheduling, as far as its public abstract and the comparison in section 6.6 of the BAWS
 * paper (Liu et al., ICS 2016) tell: the schedulers of an SM serve the same block, the one whose first warp came to the
 * barrier the earliest; the blocks of which no warp has come follow in order. How the warps of a block follow each
 * other is our choice. */
#include "core/sched/by_block.h"

static const struct lockstep_scheduler_option options[] = {BY_BLOCK_OPTION_ROWS(BY_BLOCK_GTO), {0}};

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    by_block_reset(state, setup);
}

static uint64_t rank(const void *state, const struct lockstep_block_view *block)
{
    (void)state;
    return block->arrived ? block->first_arrival : UINT64_MAX;
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    return by_block_pick(state, view, rank, state);
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    by_block_issued(state, warp, view);
}

static void launched(void *state, const struct lockstep_launch *launch)
{
    by_block_launched(state, launch);
}

const struct lockstep_scheduler sched_saws = {
    .version = LOCKSTEP_SCHEDULER_VERSION,
    .name = "saws",
    .doc = "the block whose first warp came to the barrier the earliest, then the others in order",
    .options = options,
    .state_bytes = sizeof(struct by_block),
    .reset = reset,
    .pick = pick,
    .issued = issued,
    .launched = launched,
};

/* Most waiting first, the warp scheduler of barrier-aware warp scheduling (Liu et al., ICS 2016, section 4.1): the
 * block of which the most warps wait at a barrier goes first, so that they wait for the rest as short as can be. No
 * warp at a barrier anywhere: the blocks go in order.
 *
 * The paper keeps the counts in a warp priority table (WPT), one counter for each block slot of the SM: it counts the
 * warps that reach the barrier, and is 0 again when all have. Here it is `arrived` of the view's blocks, which all
 * schedulers of the SM see as it stood when the last cycle ended. Where a barrier opens for a part of a block (bar.sync
 * with a number of threads), those who go on are counted no more. */
#include "base/bits.h"
#include "core/sched/by_block.h"

enum { OPTION_EXIT_COUNTS = BY_BLOCK_OPTIONS };

static const char *const switches[] = {"off", "on", NULL};

static const struct lockstep_scheduler_option options[] = {
    BY_BLOCK_OPTION_ROWS(BY_BLOCK_LRR),
    {.name = "exit_counts",
     .doc = "warps that have ended, whose slots the rest of the block keeps from the next one, count as if they waited "
            "at a barrier",
     .choices = switches},
    {0},
};

struct mwf {
    struct by_block order;
    bool exit_counts;
};

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    struct mwf *m = state;
    by_block_reset(&m->order, setup);
    m->exit_counts = setup->options[OPTION_EXIT_COUNTS] != 0;
}

static uint64_t rank(const void *state, const struct lockstep_block_view *block)
{
    const struct mwf *m = state;
    return 64 - block->arrived - (m->exit_counts ? block->ended : 0);
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    return by_block_pick(&((const struct mwf *)state)->order, view, rank, state);
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    by_block_issued(&((struct mwf *)state)->order, warp, view);
}

static void launched(void *state, const struct lockstep_launch *launch)
{
    by_block_launched(&((struct mwf *)state)->order, launch);
}

/* The WPT: a block can have all of the SM's warps. */
static uint64_t hardware_bits(unsigned warps, unsigned blocks, unsigned schedulers, const uint64_t *values)
{
    (void)schedulers, (void)values;
    return (uint64_t)blocks * bits_for(warps);
}

const struct lockstep_scheduler sched_mwf = {
    .version = LOCKSTEP_SCHEDULER_VERSION,
    .name = "mwf",
    .doc = "most waiting first: the block with the most warps at a barrier, then the others in order",
    .options = options,
    .state_bytes = sizeof(struct mwf),
    .reset = reset,
    .pick = pick,
    .issued = issued,
    .launched = launched,
    .hardware_bits = hardware_bits,
};

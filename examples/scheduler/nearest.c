/* A warp scheduler of one's own that looks at barriers: the block of which the fewest warps are still missing at the
 * barrier goes first, the sooner does it open; a block without a warp there comes after those with one. In a block,
 * warps take turns. README.md builds and runs it; lockstep/scheduler.h is the contract. */
#include <lockstep/scheduler.h>

struct nearest {
    unsigned last; /* warp slot that issued last */
};
static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    (void)setup;
    ((struct nearest *)state)->last = 63;
}
/* Warps that are missing where some wait; more than any block has where none does. */
static unsigned missing(const struct lockstep_block_view *block)
{
    return block->arrived ? block->live - block->arrived : 65;
}
static int is_before(const struct lockstep_scheduler_view *view, unsigned a, unsigned b)
{
    const struct lockstep_block_view *of_a = &view->blocks[view->warps[a].block];
    const struct lockstep_block_view *of_b = &view->blocks[view->warps[b].block];
    return missing(of_a) != missing(of_b) ? missing(of_a) < missing(of_b) : of_a->number < of_b->number;
}
/* Begins behind the last one, so that of two warps of a block the one whose turn it is stays. */
static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    unsigned best = LOCKSTEP_NO_WARP;
    for (unsigned i = 1; i <= 64; i++) {
        unsigned warp = (((const struct nearest *)state)->last + i) % 64;
        if (view->ready >> warp & 1 && (best == LOCKSTEP_NO_WARP || is_before(view, warp, best)))
            best = warp;
    }
    return best;
}
static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    (void)view;
    ((struct nearest *)state)->last = warp;
}
/* A counter of live warps and one of those at the barrier for each block, up to all warps of the SM. */
static uint64_t hardware_bits(unsigned warps, unsigned blocks, unsigned schedulers, const uint64_t *options)
{
    unsigned bits = 0;
    (void)schedulers, (void)options;
    while (warps >> bits)
        bits++;
    return 2 * (uint64_t)blocks * bits;
}
static const struct lockstep_scheduler nearest = {
    .version = LOCKSTEP_SCHEDULER_VERSION, .name = "nearest", .doc = "the block that misses the fewest warps first",
    .state_bytes = sizeof(struct nearest), .reset = reset, .pick = pick, .issued = issued,
    .hardware_bits = hardware_bits};

const struct lockstep_scheduler *lockstep_scheduler_plugin(void)
{
    return &nearest;
}

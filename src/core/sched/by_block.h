/* Shared by the schedulers mwf and saws, which order an SM's thread blocks first and the warps of a block second. The
 * order of the blocks follows from what the view says of them, which is what held when the last cycle ended; so it is
 * one order for all schedulers of the SM, of which each issues its own warps. Blocks of equal rank go by their number.
 * A block's warps go by what this scheduler has issued of it.
 *
 * A fixed order starves, so there is a limit that is in neither paper (patience.h). */
#ifndef LOCKSTEP_CORE_SCHED_BY_BLOCK_H
#define LOCKSTEP_CORE_SCHED_BY_BLOCK_H

#include <stdbool.h>

#include "core/sched/patience.h"

/* The options that both have, first and in this order. */
enum by_block_option { BY_BLOCK_INNER, BY_BLOCK_TIES, BY_BLOCK_PATIENCE, BY_BLOCK_OPTIONS };
enum by_block_inner { BY_BLOCK_LRR, BY_BLOCK_GTO };

extern const char *const by_block_inners[], *const by_block_ties[];

#define BY_BLOCK_OPTION_ROWS(inner_initially)                                                                          \
    {.name = "inner",                                                                                                  \
     .doc = "among the warps of a block: those behind the one of it that issued last, in slot order (lrr), or that "   \
            "one while it is ready, else the first (gto)",                                                             \
     .choices = by_block_inners,                                                                                       \
     .initial = inner_initially},                                                                                      \
        {.name = "ties",                                                                                               \
         .doc = "blocks of equal rank go in the order of their launch, or by their slot",                              \
         .choices = by_block_ties},                                                                                    \
        PATIENCE_OPTION_ROW

struct by_block {
    struct patience patience;
    uint8_t last[64]; /* by block slot: the block's warp that this scheduler issued last, or NOBODY */
    uint8_t inner;    /* enum by_block_inner */
    bool by_slot;
};

/* The rank of a block: smaller goes first. */
typedef uint64_t by_block_rank(const void *state, const struct lockstep_block_view *block);

void by_block_reset(struct by_block *b, const struct lockstep_scheduler_setup *setup);
unsigned by_block_pick(const struct by_block *b, const struct lockstep_scheduler_view *view, by_block_rank *rank,
                       const void *state);
void by_block_issued(struct by_block *b, unsigned warp, const struct lockstep_scheduler_view *view);
void by_block_launched(struct by_block *b, const struct lockstep_launch *launch);

#endif

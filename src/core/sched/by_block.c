/* Schedulers that choose a block first: the order of blocks of mwf and saws, and of the warps of each. */
#include "core/sched/by_block.h"

#include <string.h>

#define NOBODY 64

const char *const by_block_inners[] = {"lrr", "gto", NULL};
const char *const by_block_ties[] = {"launch", "slot", NULL};

void by_block_reset(struct by_block *b, const struct lockstep_scheduler_setup *setup)
{
    b->inner = (uint8_t)setup->options[BY_BLOCK_INNER];
    b->by_slot = setup->options[BY_BLOCK_TIES] != 0;
    patience_reset(&b->patience, setup->options[BY_BLOCK_PATIENCE]);
    memset(b->last, NOBODY, sizeof b->last);
}

/* The block slot that comes first of those with a ready warp. */
static unsigned first_block(const struct by_block *b, const struct lockstep_scheduler_view *view, by_block_rank *rank,
                            const void *state)
{
    unsigned best = view->warps[mask_first(view->ready)].block;
    uint64_t least = rank(state, &view->blocks[best]);
    for (uint64_t rest = view->ready & ~view->blocks[best].warps; rest;) {
        unsigned block = view->warps[mask_first(rest)].block;
        uint64_t its = rank(state, &view->blocks[block]);
        bool is_before = b->by_slot ? block < best : view->blocks[block].number < view->blocks[best].number;
        if (its < least || (its == least && is_before)) {
            best = block;
            least = its;
        }
        rest &= ~view->blocks[block].warps;
    }
    return best;
}

static unsigned first_warp(const struct by_block *b, unsigned block, uint64_t ready)
{
    unsigned last = b->last[block];
    if (last == NOBODY)
        return mask_first(ready);
    if (b->inner == BY_BLOCK_GTO)
        return mask_has(ready, last) ? last : mask_first(ready);
    uint64_t behind = ready & (~UINT64_C(1) << last);
    return mask_first(behind ? behind : ready);
}

unsigned by_block_pick(const struct by_block *b, const struct lockstep_scheduler_view *view, by_block_rank *rank,
                       const void *state)
{
    unsigned waited = patience_pick(&b->patience, view);
    if (waited != LOCKSTEP_NO_WARP)
        return waited;
    unsigned block = first_block(b, view, rank, state);
    return first_warp(b, block, view->ready & view->blocks[block].warps);
}

void by_block_issued(struct by_block *b, unsigned warp, const struct lockstep_scheduler_view *view)
{
    b->last[view->warps[warp].block] = (uint8_t)warp;
    patience_issued(&b->patience, warp, view);
}

/* A block's warps are launched together: what was issued last in its slot was another block's. */
void by_block_launched(struct by_block *b, const struct lockstep_launch *launch)
{
    b->last[launch->block] = NOBODY;
    patience_launched(&b->patience, launch);
}

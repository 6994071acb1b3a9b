/* Warps at fences, and before releases: since when each waits, and for which order. Written by fence.c alone. */
#ifndef LOCKSTEP_LSU_FENCE_H
#define LOCKSTEP_LSU_FENCE_H

#include "memory/order.h"
#include "warp/table.h"

struct lsu_fences {
    /* Sets of warp slots, of those in waits.fence. */
    uint64_t reached;     /* those that came to it in this step or the one before */
    uint64_t flushes;     /* those that wait for nothing more than a flush of the L1D */
    uint64_t invalidates; /* those whose fence empties the L1D of global lines */
    uint64_t free;        /* the cycle from which the SM takes up another one (sm.fence_interval) */
    struct {
        uint64_t since; /* the cycle in which the warp came to its fence */
        uint32_t least; /* cycles that it takes at least */
        struct order_wait order;
    } of[WARP_SLOTS];
};

#endif

/* How early loads may be answered, for an adversary (memory/slice_adversary.c): since when nothing has ordered each
 * warp. Written by early.c, but that `ordered` gets warps wherever they begin or change their threads. */
#ifndef LOCKSTEP_LSU_EARLY_H
#define LOCKSTEP_LSU_EARLY_H

#include <stdbool.h>
#include <stdint.h>

#include "warp/table.h"

struct lsu_early {
    bool on;
    /* Set of warp slots: something that orders has issued, and what may be ordered before it is perhaps not over. */
    uint64_t ordered;
    uint64_t since[WARP_SLOTS]; /* the cycle of an instruction behind all that orders; of a warp in `ordered`, its last
                                   one's */
};

#endif

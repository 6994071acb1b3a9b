/* Fetch's own state: the fetch buffer between the instruction cache and decode, and the policy that says for whom.
 * Written by fetch.c alone. */
#ifndef LOCKSTEP_SM_FETCH_H
#define LOCKSTEP_SM_FETCH_H

#include "sm/fetch/policy.h"
#include "warp/table.h"

struct cache;

struct sm_fetch {
    uint32_t slot;           /* fetch buffer: the warp, CORE_NONE: empty */
    uint32_t count, pc;      /* the instructions in it: how many, and the first one */
    uint32_t most;           /* instructions that a fetch brings */
    uint32_t module_size;    /* instructions of the module */
    uint32_t line_bytes;     /* of the instruction cache */
    uint64_t code_base;      /* address of the module's first instruction */
    bool came;               /* a line has come for some warp */
    bool line_taken;         /* took a line from the instruction cache and has not asked for another since */
    uint64_t under_way;      /* warps in the fetch buffer or waiting for the instruction cache */
    uint64_t retiring;       /* warps finished and drained: to be retired */
    uint64_t full;           /* where the policy fills up buffers: warps for which there is nothing to fetch */
    const uint64_t *stocked; /* warps that fetch passes over: `full`, or those with an instruction in their buffer */
    struct cache *l1i;
    const struct sm_fetch_policy *policy;
    struct sm_fetch_view view;     /* what the policy is shown; keeps `last` */
    uint32_t next_pc[WARP_SLOTS];  /* next to fetch for a warp: behind what is in its buffer, if anything is */
    uint32_t asked_pc[WARP_SLOTS]; /* for which the instruction cache was last asked */
    /* Where SMs share the instruction cache: all that do, the first of which has made it; else NULL. It knows the warps
     * of `member` by numbers from member * WARP_SLOTS on. */
    struct sm *const *neighbours;
    uint8_t member;
    struct {
        uint8_t head, count, slots[WARP_SLOTS];
    } shared; /* then, warps for which a line has come, in order */
};

#endif

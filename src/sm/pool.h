/* The registers of a thread block, which its warps give back to it and ask of it: setmaxnreg (PTX ISA). A block begins
 * with as many as its launch gave to each of its warps, and none is free. `.dec` frees those of a warp beyond the
 * number that it names; `.inc` takes what a warp lacks to its number, and while so many are not free, the warp waits.
 * When some come free, waiting warps are served that can be, in the order in which they asked; one that asks for few
 * may pass one that asks for many, since cards have each warp try again by itself. A warp that ends keeps its registers
 * until its block ends.
 *
 * Registers are counted for each thread of a warp: 1 stands for one register of every thread of one warp.
 *
 * What the manual leaves undefined is an error: a warp that executes another setmaxnreg than the others of its
 * warpgroup (four warps that lie side by side, or as many as the block has there), or one more before they have all
 * executed the last; one that ends without it; lanes that execute it without others of their warp; a number on the
 * wrong side of what the warp has. That registers which come new have no value is not modelled: values do not depend on
 * how many there are. */
#ifndef LOCKSTEP_SM_POOL_H
#define LOCKSTEP_SM_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "simt/warp.h"
#include "warp/table.h"

#define SM_GROUP_WARPS 4 /* of a warpgroup */

struct sm_pool {
    uint64_t waiting; /* warps, by index, that ask for more than are free */
    uint32_t free;
    uint32_t asked;                              /* how often a warp had to wait: numbers `turn` */
    uint32_t warps;                              /* of the block */
    uint32_t turn[WARP_SLOTS];                   /* of a warp that waits: the lowest asked first */
    uint32_t sets[WARP_SLOTS];                   /* setmaxnreg that each has executed */
    uint32_t pc[WARP_SLOTS / SM_GROUP_WARPS];    /* the last that warps of each warpgroup have executed */
    uint16_t has[WARP_SLOTS], wants[WARP_SLOTS]; /* wants: of one that waits, the number that it named */
};

/* A block of `warps` warps begins, each with so many registers a thread. */
void sm_pool_init(struct sm_pool *pool, unsigned warps, uint32_t registers);

/* A warp executes setmaxnreg: r->instr, by the lanes r->mask of `live`. running: the warps, by index, that have not
 * ended. Where the warp must wait, it is in pool->waiting. Returns the warps, by index, that waited and go on. What is
 * not allowed is in *fault, whose kind is else SIMT_FAULT_NONE. */
uint64_t sm_pool_set(struct sm_pool *pool, unsigned warp, uint64_t running, uint64_t live, const struct simt_result *r,
                     const struct isa_module *code, struct simt_fault *fault);

/* The warp has ended. False: others of its warpgroup have executed a setmaxnreg that it has not, as *fault says. */
bool sm_pool_ended(const struct sm_pool *pool, unsigned warp, const struct simt_result *r,
                   const struct isa_module *code, struct simt_fault *fault);

#endif

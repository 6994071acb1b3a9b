/* The barrier of a cluster as one of its blocks knows it: which of its warps have arrived, and which other blocks. Pure
 * bookkeeping, shared by the SM and the functional mode, which bring arrivals from block to block. PTX ISA,
 * "barrier.cluster". */
#ifndef LOCKSTEP_SM_CLUSTER_H
#define LOCKSTEP_SM_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "simt/warp.h"

/* A phase ends when all blocks have arrived that have not ended, and a block arrives when all its warps have that have
 * not ended. Until it has passed, no block is more than one phase ahead of another: so arrivals are kept by parity. Warps
 * are numbered by their index in the block, blocks by their rank. */
struct sm_cluster {
    uint64_t here;       /* warps that have arrived in this phase */
    uint64_t passed;     /* warps that have arrived in a phase that is over, and not waited for it yet */
    uint64_t waiting;    /* warps that wait for the end of this phase */
    uint16_t arrived[2]; /* blocks, in the phases of either parity */
    uint16_t ended;      /* blocks */
    uint8_t parity;      /* of this phase */
    uint64_t since;      /* the cycle in which the SM has taken up the arrivals so far (sm.cluster_barrier_interval) */
};

/* The warp arrives. Returns true if its block does with it, which the other blocks are to hear. running: the block's
 * warps that have not ended. */
bool sm_cluster_arrive(struct sm_cluster *c, unsigned warp, uint64_t running, unsigned rank);
/* The warp, which was one of the block's, has ended: as sm_cluster_arrive. */
bool sm_cluster_warp_ended(struct sm_cluster *c, uint64_t running, unsigned rank);
/* Returns true if the warp has to wait for the end of this phase. */
bool sm_cluster_waits(struct sm_cluster *c, unsigned warp);
/* Another block has arrived in a phase of that parity; has ended. */
static inline void sm_cluster_came(struct sm_cluster *c, unsigned rank, unsigned parity)
{
    c->arrived[parity & 1] |= (uint16_t)(1u << rank);
}
static inline void sm_cluster_ended(struct sm_cluster *c, unsigned rank)
{
    c->ended |= (uint16_t)(1u << rank);
}
/* Ends the phase, if all of `blocks` blocks have arrived that have not ended, this one among them. Returns whether it
 * did; *released: the warps that waited for it. */
bool sm_cluster_open(struct sm_cluster *c, unsigned rank, unsigned blocks, uint64_t *released);
/* Blocks, by rank, for which this phase waits. */
static inline uint16_t sm_cluster_missing(const struct sm_cluster *c, unsigned blocks)
{
    return (uint16_t)(((1u << blocks) - 1) & ~(unsigned)(c->arrived[c->parity] | c->ended));
}
/* Fills in what is wrong with an access to the shared memory of the block of that rank in the cluster of `block`: it has
 * ended. */
void sm_describe_absent(const struct simt_block *block, unsigned rank, struct simt_fault *fault);

#endif

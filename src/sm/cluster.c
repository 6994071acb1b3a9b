/* The bookkeeping of a cluster's barrier: see cluster.h. */
#include "sm/cluster.h"

#include <stdio.h>

#include "base/bits.h"

/* The block arrives, once in a phase, with the last of its warps. */
static bool arrives(struct sm_cluster *c, uint64_t running, unsigned rank)
{
    bool before = c->arrived[c->parity] >> rank & 1;
    if (before || !running || (running & ~c->here))
        return false;
    sm_cluster_came(c, rank, c->parity);
    return true;
}

bool sm_cluster_arrive(struct sm_cluster *c, unsigned warp, uint64_t running, unsigned rank)
{
    c->here |= BIT64(warp);
    return arrives(c, running, rank);
}

bool sm_cluster_warp_ended(struct sm_cluster *c, uint64_t running, unsigned rank)
{
    return arrives(c, running, rank);
}

bool sm_cluster_waits(struct sm_cluster *c, unsigned warp)
{
    bool passed = mask_has(c->passed, warp);
    c->passed &= ~BIT64(warp);
    c->waiting |= passed ? 0 : BIT64(warp);
    return !passed;
}

bool sm_cluster_open(struct sm_cluster *c, unsigned rank, unsigned blocks, uint64_t *released)
{
    bool own = c->arrived[c->parity] >> rank & 1;
    if (!own || sm_cluster_missing(c, blocks))
        return false;
    *released = c->waiting;
    c->passed |= c->here & ~c->waiting;
    c->arrived[c->parity] = 0;
    c->here = c->waiting = 0;
    c->parity ^= 1;
    return true;
}

void sm_describe_absent(const struct simt_block *block, unsigned rank, struct simt_fault *fault)
{
    uint32_t index[3];
    simt_block_of_rank(block, rank, index);
    fault->kind = SIMT_FAULT_CLUSTER;
    fault->space = ISA_SPACE_CLUSTER;
    snprintf(fault->message, sizeof fault->message,
             "access to the shared memory of block (%u,%u,%u), of rank %u in the cluster of block (%u,%u,%u), which has "
             "ended: blocks of a cluster wait for each other before they end where others may still access their shared "
             "memory",
             index[0], index[1], index[2], rank, block->index[0], block->index[1], block->index[2]);
}

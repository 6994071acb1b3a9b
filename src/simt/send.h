/* What lanes send to blocks of their cluster, beside plain accesses: operations on mbarriers, and stores and reductions whose
 * bytes count at one (st.async, red.async). */
#ifndef LOCKSTEP_SIMT_SEND_H
#define LOCKSTEP_SIMT_SEND_H

#include "simt/bulk.h"
#include "simt/mbarrier.h"
#include "simt/warp.h"

/* A lane's: its operation on the mbarrier at `address`; or, with data, its bytes for there. Addresses are offsets in the
 * shared memory of the block that they come to. */
struct simt_sent {
    uint16_t op; /* enum isa_op */
    uint8_t bytes;
    uint8_t atomic, type; /* of a reduction: ISA_ATOMIC_*, enum isa_type; 0: a store */
    uint32_t address, mbarrier;
    uint32_t by;         /* the thread (arrivals.h) */
    uint64_t operand;    /* of an mbarrier's operation */
    const uint8_t *data; /* or NULL */
};
struct simt_sent simt_sent_of(const struct simt_warp *warp, const struct simt_access *access, unsigned lane);
/* It comes to a block. */
struct mbarrier_step simt_sent_take(const struct simt_block *block, const struct simt_sent *sent);

/* True: lanes of it may name other blocks, to which the SM sends what they ask for (access->remote). */
static inline bool simt_access_sends(const struct simt_access *access)
{
    return access->op->kind == SIMT_KIND_MBARRIER || access->op->kind == SIMT_KIND_SEND;
}

#endif

/* setmaxnreg on an SM: the block's registers (pool.h) and the warps that wait for them. A warp gives registers back, or
 * gets those that are free, when it issues; one that waits goes on when others have given enough back. How long the
 * instruction itself takes on cards is not known: here as long as any other without a result. How many registers a
 * block has is settled by its launch: what its warps move among themselves makes no place for other blocks. */
#include "sm/pools.h"

#include "sm/warps.h"

static uint64_t slots_of(const struct sm_block *block, uint64_t warps)
{
    return warps << mask_first(block->warps);
}

bool sm_reach_registers(struct sm *sm, unsigned slot, const struct simt_result *r)
{
    const struct simt_warp *warp = &sm->warp.slots[slot].simt;
    struct sm_block *block = &sm->blocks[sm->warp.slots[slot].block];
    struct simt_fault fault;
    if (!block->pool)
        return true;
    uint64_t served = sm_pool_set(block->pool, warp->index, block->barriers.running, warp->live, r,
                                  sm->kernel->grid->code->module, &fault);
    if (fault.kind) {
        sm_record_fault(sm, slot, &fault);
        return false;
    }
    if (mask_has(block->pool->waiting, warp->index))
        warp_wait_begin(&sm->warp, WARP_WAIT_registers, BIT64(slot));
    if (served)
        warp_wait_end(&sm->warp, WARP_WAIT_registers, slots_of(block, served));
    return true;
}

bool sm_may_end(struct sm *sm, unsigned slot, const struct simt_result *r)
{
    const struct sm_block *block = &sm->blocks[sm->warp.slots[slot].block];
    struct simt_fault fault;
    if (!block->pool ||
        sm_pool_ended(block->pool, sm->warp.slots[slot].simt.index, r, sm->kernel->grid->code->module, &fault))
        return true;
    sm_record_fault(sm, slot, &fault);
    return false;
}

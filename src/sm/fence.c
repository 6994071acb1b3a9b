/* Fences and releases at scopes wider than the block: what they wait for, and what ends with them. A fence waits behind
 * its issue; a store or atomic that releases waits before it, at the head of its warp's buffer, so that it holds up
 * nobody else's accesses. */
#include "sm/sm_impl.h"

/* A fence ends when what it waits for has happened: every earlier instruction of the warp complete and its stores
 * acknowledged, and what is ordered before them performed; or (GPGPU-Sim) its registers written. */
static bool is_over(const struct sm *sm, const struct sm_warp *warp)
{
    if (!sm->params->fence_waits_stores)
        return !warp->pending_registers;
    return order_reached(&warp->order, &sm->blocks[warp->block].order, warp->in_flight, warp->stores_out);
}

/* A fence waits for the accesses that are ordered before it when the wait begins. */
static void begin_wait(struct sm *sm, struct sm_warp *warp, uint64_t bit, enum l1_order order)
{
    order_begin(&warp->order, order, &sm->blocks[warp->block].order);
    warp->fence_since = sm->now;
    sm_wait_begin(sm, SM_WAIT_fence, bit);
}

void sm_reach_fence(struct sm *sm, unsigned slot)
{
    begin_wait(sm, &sm->warps[slot], BIT64(slot), L1_FENCE);
    sm->fence_reached |= BIT64(slot);
    if (sm->params->fence_l1 == SM_FENCE_INVALIDATE)
        sm->fence_invalidates |= BIT64(slot);
}

/* At a barrier the warp has not reached its release yet: what the barrier orders before it is known when that opens. */
void sm_reach_release(struct sm *sm, struct sm_warp *warp, uint64_t bit)
{
    if (sm->waits.barrier & bit)
        return;
    const struct isa_instr *instr = &sm->kernel->grid->code->module->instrs[warp->head_pc];
    begin_wait(sm, warp, bit, order_at(instr->mods.scope, true));
    sm_check_fence(sm, mask_first(bit));
}

/* Where what the warp waited for in the SM has happened, its L1D flushes next. */
static bool is_done(struct sm *sm, struct sm_warp *warp, uint64_t bit)
{
    enum order_state state = order_step(&warp->order, sm->lsu.l1d.agent, is_over(sm, warp));
    mask_put(&sm->fence_flushes, mask_first(bit), warp->order.flushing);
    if (state == ORDER_FLUSHES) {
        sm->moved = true;
        sm_l1_changed(sm);
    }
    return state == ORDER_OVER;
}

void sm_check_flushes(struct sm *sm)
{
    for (uint64_t rest = sm->fence_flushes; rest; rest &= rest - 1)
        sm_check_fence(sm, mask_first(rest));
}

void sm_check_fence(struct sm *sm, unsigned slot)
{
    struct sm_warp *warp = &sm->warps[slot];
    if (!mask_has(sm->waits.fence, slot) || !is_done(sm, warp, BIT64(slot)))
        return;
    sm_wait_end(sm, SM_WAIT_fence, BIT64(slot));
    sm->latencies.release_cycles += sm->lsu.l1d.agent ? sm->now - warp->fence_since : 0;
    sm->latencies.releases += sm->lsu.l1d.agent != NULL;
    sm->moved = true;
    if (mask_has(sm->fence_invalidates, slot)) {
        sm->fence_invalidates &= ~BIT64(slot);
        l1_order(&sm->lsu.l1d, L1_FENCE);
        sm_l1_changed(sm);
    }
}

HOT void sm_performed(struct sm *sm, const struct sm_warp *warp, uint8_t era)
{
    struct sm_block *block = &sm->blocks[warp->block];
    if (!block_order_done(&block->order, era))
        return;
    for (uint64_t rest = sm->waits.fence & block->warps; rest; rest &= rest - 1)
        sm_check_fence(sm, mask_first(rest));
}

/* Fences and releases at scopes wider than the block: what they wait for, and what ends with them. A fence waits behind
 * its issue; a store or atomic that releases waits before it, at the head of its warp's buffer, so that it holds up
 * nobody else's accesses. */
#include "sm/sm_impl.h"

/* A fence ends when what it waits for has happened: every earlier instruction of the warp complete and its stores
 * acknowledged, and what is ordered before them performed; or (GPGPU-Sim) its registers written. */
static bool is_over(const struct sm *sm, unsigned slot)
{
    const struct warp_slot *warp = &sm->warp.slots[slot];
    if (!sm->params->fence_waits_stores)
        return !warp->pending_registers;
    return order_reached(&sm->fences.of[slot].order, &sm->blocks[warp->block].order, warp->in_flight, warp->stores_out);
}

/* A fence waits for the accesses that are ordered before it when the wait begins. */
static void begin_wait(struct sm *sm, unsigned slot, enum l1_order order)
{
    order_begin(&sm->fences.of[slot].order, order, &sm->blocks[sm->warp.slots[slot].block].order);
    sm->fences.of[slot].since = sm->agenda.now;
    warp_wait_begin(&sm->warp, WARP_WAIT_fence, BIT64(slot));
}

void sm_reach_fence(struct sm *sm, unsigned slot)
{
    begin_wait(sm, slot, L1_FENCE);
    sm->fences.reached |= BIT64(slot);
    if (sm->params->fence_l1 == SM_FENCE_INVALIDATE)
        sm->fences.invalidates |= BIT64(slot);
}

/* At a barrier the warp has not reached its release yet: what the barrier orders before it is known when that opens. */
void sm_reach_release(struct sm *sm, unsigned slot)
{
    if (mask_has(sm->warp.waits.barrier, slot))
        return;
    const struct isa_instr *instr = &sm->kernel->grid->code->module->instrs[sm->warp.slots[slot].head_pc];
    begin_wait(sm, slot, (enum l1_order)(sm_meaning(instr)->before - 1));
    sm_check_fence(sm, slot);
}

/* Where what the warp waited for in the SM has happened, its L1D flushes next. */
static bool is_done(struct sm *sm, unsigned slot)
{
    struct order_wait *order = &sm->fences.of[slot].order;
    enum order_state state = order_step(order, sm->lsu.l1d.agent, is_over(sm, slot));
    mask_put(&sm->fences.flushes, slot, order->flushing);
    if (state == ORDER_FLUSHES) {
        made_progress(&sm->agenda);
        sm_l1_changed(sm);
    }
    return state == ORDER_OVER;
}

void sm_check_reached(struct sm *sm)
{
    for (uint64_t rest = sm->fences.reached; rest; rest &= rest - 1)
        sm_check_fence(sm, mask_first(rest));
    sm->fences.reached = 0;
}

void sm_check_flushes(struct sm *sm)
{
    for (uint64_t rest = sm->fences.flushes; rest; rest &= rest - 1)
        sm_check_fence(sm, mask_first(rest));
}

void sm_check_fence(struct sm *sm, unsigned slot)
{
    if (!mask_has(sm->warp.waits.fence, slot) || !is_done(sm, slot))
        return;
    warp_wait_end(&sm->warp, WARP_WAIT_fence, BIT64(slot));
    sm->latencies.release_cycles += l1_keeps(&sm->lsu.l1d) ? sm->agenda.now - sm->fences.of[slot].since : 0;
    sm->latencies.releases += l1_keeps(&sm->lsu.l1d);
    made_progress(&sm->agenda);
    if (mask_has(sm->fences.invalidates, slot)) {
        sm->fences.invalidates &= ~BIT64(slot);
        l1_order(&sm->lsu.l1d, L1_FENCE);
        sm_l1_changed(sm);
    }
}

HOT void sm_performed(struct sm *sm, const struct warp_slot *warp, uint8_t era)
{
    struct sm_block *block = &sm->blocks[warp->block];
    if (!block_order_done(&block->order, era))
        return;
    for (uint64_t rest = sm->warp.waits.fence & block->warps; rest; rest &= rest - 1)
        sm_check_fence(sm, mask_first(rest));
}

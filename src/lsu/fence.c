/* Fences and releases at scopes wider than the block: what they wait for, and what ends with them. A fence waits behind
 * its issue; a store or atomic that releases waits before it, at the head of its warp's buffer, so that it holds up
 * nobody else's accesses. */
#include "lsu/lsu.h"

/* A fence ends when what it waits for has happened: every earlier instruction of the warp complete and its stores
 * acknowledged, and what is ordered before them performed; or (GPGPU-Sim) its registers written. */
static bool is_over(const struct lsu *lsu, unsigned slot)
{
    const struct warp_slot *warp = &lsu->warp->slots[slot];
    if (!lsu->params->fence_waits_stores)
        return !warp->pending_registers;
    return order_reached(&lsu->fences.of[slot].order, &lsu->blocks[warp->block].order, warp->in_flight,
                         warp->stores_out);
}

/* How long the fence takes at least, or the release before which the warp waits: the head of its buffer. */
static uint32_t least_cycles(const struct lsu *lsu, unsigned slot)
{
    const struct isa_instr *instr = &lsu->launch.module->instrs[lsu->warp->slots[slot].head_pc];
    if (instr->op == ISA_OP_FENCE_PROXY && lsu->params->fence_latency_proxy)
        return lsu->params->fence_latency_proxy;
    bool system = instr->mods.scope == ISA_SCOPE_SYS && lsu->params->fence_latency_sys;
    return system ? lsu->params->fence_latency_sys : lsu->params->fence_latency;
}

/* How long the SM has other fences to take up before one that comes now. */
static uint32_t take_turn(struct lsu *lsu)
{
    uint64_t now = lsu->agenda->now, from = cycle_max(lsu->fences.free, now);
    lsu->fences.free = from + lsu->params->fence_interval;
    return (uint32_t)(from - now);
}

/* A fence waits for the accesses that are ordered before it when the wait begins. */
static void begin_wait(struct lsu *lsu, unsigned slot, enum l1_order order)
{
    order_begin(&lsu->fences.of[slot].order, order, &lsu->blocks[lsu->warp->slots[slot].block].order);
    lsu->fences.of[slot].since = lsu->agenda->now;
    lsu->fences.of[slot].least = least_cycles(lsu, slot) + take_turn(lsu);
    warp_wait_begin(lsu->warp, WARP_WAIT_fence, BIT64(slot));
}

void lsu_reach_fence(struct lsu *lsu, unsigned slot)
{
    begin_wait(lsu, slot, L1_FENCE);
    lsu->fences.reached |= BIT64(slot);
    if (lsu->params->fence_l1 == SM_FENCE_INVALIDATE)
        lsu->fences.invalidates |= BIT64(slot);
}

/* At a barrier the warp has not reached its release yet: what the barrier orders before it is known when that opens. */
void lsu_reach_release(struct lsu *lsu, unsigned slot)
{
    if (mask_has(lsu->warp->waits.barrier | lsu->warp->waits.cluster, slot))
        return;
    const struct isa_instr *instr = &lsu->launch.module->instrs[lsu->warp->slots[slot].head_pc];
    begin_wait(lsu, slot, (enum l1_order)(lsu_meaning(lsu->l1d.protocol, instr)->before - 1));
    lsu_check_fence(lsu, slot);
}

/* Where what the warp waited for in the SM has happened, its L1D flushes next. */
static bool is_done(struct lsu *lsu, unsigned slot)
{
    struct order_wait *order = &lsu->fences.of[slot].order;
    enum order_state state = l1_order_step(&lsu->l1d, order, is_over(lsu, slot));
    mask_put(&lsu->fences.flushes, slot, order->flushing);
    if (state == ORDER_FLUSHES) {
        made_progress(lsu->agenda);
        lsu_l1_changed(lsu);
    }
    return state == ORDER_OVER;
}

void lsu_check_reached(struct lsu *lsu)
{
    for (uint64_t rest = lsu->fences.reached; rest; rest &= rest - 1)
        lsu_check_fence(lsu, mask_first(rest));
    lsu->fences.reached = 0;
}

void lsu_check_flushes(struct lsu *lsu)
{
    for (uint64_t rest = lsu->fences.flushes; rest; rest &= rest - 1)
        lsu_check_fence(lsu, mask_first(rest));
}

void lsu_check_fence(struct lsu *lsu, unsigned slot)
{
    if (!mask_has(lsu->warp->waits.fence, slot) || !is_done(lsu, slot))
        return;
    warp_wait_end(lsu->warp, WARP_WAIT_fence, BIT64(slot));
    uint64_t until = lsu->fences.of[slot].since + lsu->fences.of[slot].least;
    warp_hold_up(lsu->warp, slot, lsu->agenda->now, until);
    lsu->latencies.release_cycles += l1_keeps(&lsu->l1d) ? lsu->agenda->now - lsu->fences.of[slot].since : 0;
    lsu->latencies.releases += l1_keeps(&lsu->l1d);
    made_progress(lsu->agenda);
    if (mask_has(lsu->fences.invalidates, slot)) {
        lsu->fences.invalidates &= ~BIT64(slot);
        l1_order(&lsu->l1d, L1_FENCE);
        lsu_l1_changed(lsu);
    }
}

HOT void lsu_performed(struct lsu *lsu, unsigned number, uint8_t epoch)
{
    struct lsu_block *block = &lsu->blocks[number];
    if (!block_order_done(&block->order, epoch))
        return;
    for (uint64_t rest = lsu->warp->waits.fence & block->warps; rest; rest &= rest - 1)
        lsu_check_fence(lsu, mask_first(rest));
}

void lsu_access_begins(struct lsu *lsu, struct core_op *o)
{
    struct block_order *order = &lsu->blocks[lsu->warp->slots[o->slot].block].order;
    o->epoch = block_order_epoch(order);
    block_order_add(order, o->epoch);
}

/* How long an access took, by what it was. */
NOT_INLINE void note_latency(struct lsu *lsu, const struct core_op *o)
{
    const struct simt_access *access = o->access;
    struct lsu_latency_stats *l = &lsu->latencies;
    bool plain = o->event == AGENT_LOAD_EVENT || o->event == AGENT_STORE_EVENT;
    uint64_t cycles = lsu->agenda->now - access->since;
    if (access->kind == ISA_FLAG_LOAD)
        *(plain ? &l->load_cycles : &l->atomic_load_cycles) += cycles;
    else if (access->kind == ISA_FLAG_STORE)
        *(plain ? &l->store_cycles : &l->atomic_store_cycles) += cycles;
    else
        l->atomic_cycles += cycles;
}

HOT void lsu_access_ends(struct lsu *lsu, const struct core_op *o)
{
    if (o->access->kind != ISA_FLAG_ATOMIC)
        lsu_performed(lsu, lsu->warp->slots[o->slot].block, o->epoch);
    if (RARELY(l1_keeps(&lsu->l1d)) && o->access->space == ISA_SPACE_GLOBAL)
        note_latency(lsu, o);
}

void lsu_each_set(struct lsu *lsu, void (*visit)(uint64_t *set, void *context), void *context)
{
    visit(&lsu->fences.invalidates, context);
    visit(&lsu->fences.reached, context);
    visit(&lsu->fences.flushes, context);
    visit(&lsu->early.ordered, context);
}

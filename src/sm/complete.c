/* The end of an instruction: its registers have their values, its warp may go on, a fence or the warp itself may end.
 * What SP and SFU have computed is written back here, in the cycle for which it was announced when a unit took it. */
#include "simt/lock.h"
#include "sm/sm_impl.h"

/* Ends the warp's fence, or lets the warp retire, if this op or store was the last one that it waited for. */
HOT static void check_rest(struct sm *sm, unsigned slot)
{
    sm_check_fence(sm, slot);
    if (mask_has(sm->warp.finished, slot) && warp_is_drained(&sm->warp.slots[slot]))
        sm_fetch_retires(sm, BIT64(slot));
}

HOT void sm_check_retire(struct sm *sm, unsigned slot)
{
    if (mask_has(sm->warp.waits.fence | sm->warp.finished, slot))
        check_rest(sm, slot);
    if (warp_registers_written(&sm->warp, slot))
        sm_reach_release(sm, slot);
    warp_head_waits(&sm->warp, slot);
}

/* How long an access took, by what it was. */
NOT_INLINE void note_latency(struct sm *sm, const struct core_op *o)
{
    const struct simt_access *access = o->access;
    struct lsu_latency_stats *l = &sm->latencies;
    bool plain = o->event == AGENT_LOAD_EVENT || o->event == AGENT_STORE_EVENT;
    uint64_t cycles = sm->agenda.now - access->since;
    if (access->kind == ISA_FLAG_LOAD)
        *(plain ? &l->load_cycles : &l->atomic_load_cycles) += cycles;
    else if (access->kind == ISA_FLAG_STORE)
        *(plain ? &l->store_cycles : &l->atomic_store_cycles) += cycles;
    else
        l->atomic_cycles += cycles;
}

void sm_turn_changed(struct sm *sm, unsigned slot)
{
    uint32_t next = simt_pc(&sm->warp.slots[slot].simt);
    core_view_turns(&sm->views, slot, next);
    if (warp_turn_changed(&sm->warp, slot, next))
        sm_reach_release(sm, slot);
}

/* Lanes that have the turn may go on: they got locks, or gave up. */
static void let_go_on(struct sm *sm, unsigned slot)
{
    struct warp_slot *warp = &sm->warp.slots[slot];
    uint32_t pc = simt_pc(&warp->simt);
    if (!simt_locks_granted(&warp->simt))
        return;
    sm_acquire(sm, &sm->kernel->grid->code->module->instrs[pc]);
    sm_turn_changed(sm, slot);
}

/* A warp whose lanes stand in queues goes on with the first answer: lanes that got their lock at once; others, which
 * are to ask again, by way of the instruction that asked. A warp that executes, or waits for something else, sees the
 * answer when those lanes have the turn. */
static void look_again(struct sm *sm, unsigned slot)
{
    uint64_t bit = BIT64(slot);
    if (sm->warp.waits.delay & bit & ~sm_core(sm, slot)->issue.backed_off)
        warp_wake_at(&sm->warp, slot, sm->agenda.now);
    if (!(sm->warp.in_queues & bit))
        return;
    let_go_on(sm, slot);
    warp_queue_end(&sm->warp, slot);
    made_progress(&sm->agenda);
}

void sm_lock_came(struct sm *sm, const struct core_op *o, unsigned lane)
{
    simt_lock_came(&sm->warp.slots[o->slot].simt, lane, sm->agenda.now);
    look_again(sm, o->slot);
}

void sm_lock_stays(struct sm *sm, const struct core_op *o, unsigned lane)
{
    if (simt_lock_stays(&sm->warp.slots[o->slot].simt, lane))
        look_again(sm, o->slot);
}

/* Locks were asked for or given back, and every lane has its answer. */
NOT_INLINE void locks_answered(struct sm *sm, const struct core_op *o)
{
    struct simt_fault fault = {0};
    unsigned slot = o->slot;
    contract(!sm->kernel->grid->forms || !(sm->warp.slots[slot].simt.paths.now->mask & ~sm->form.lanes[slot]));
    if (!simt_locks_answered(&sm->warp.slots[slot].simt, o->access, sm->agenda.now, &fault))
        sm_record_fault(sm, slot, &fault);
    sm_turn_changed(sm, slot);
}

/* The end of the few ops that have an access, or whose warp waited for them. */
HOT static void complete_rest(struct sm *sm, struct core_op *o, uint64_t bit)
{
    if (o->access) {
        if (o->source != WARP_FROM_OP)
            warp_load_ended(&sm->warp, o->slot, &o->timing, (enum warp_source)o->source);
        if (o->in_memory && o->access->space == ISA_SPACE_GLOBAL && o->access->kind != ISA_FLAG_ATOMIC)
            sm_performed(sm, &sm->warp.slots[o->slot], o->era);
        if (RARELY(l1_keeps(&sm->lsu.l1d)) && o->in_memory && o->access->space == ISA_SPACE_GLOBAL)
            note_latency(sm, o);
        if (RARELY(o->blocks == CORE_BLOCKS_LANES)) {
            warp_lanes_return(&sm->warp, o->slot);
        } else if (RARELY(simt_access_moves(o->access))) {
            locks_answered(sm, o);
        }
        vec_push(&sm->ops.accesses, o->access);
        o->access = NULL;
    }
    if (o->blocks == CORE_BLOCKS_WARP) {
        warp_wait_end(&sm->warp, WARP_WAIT_atomic, bit);
        if (RARELY(o->drops))
            l1_order(&sm->lsu.l1d, (enum l1_order)(o->drops - 1));
    }
    if ((sm->warp.waits.fence | sm->warp.finished) & bit)
        check_rest(sm, o->slot);
}

/* Written out in both places that end ops: a call would be a sixth of it. */
HOT_INLINE void complete(struct sm *sm, uint32_t op)
{
    struct core_op *o = &sm->ops.items[op];
    unsigned slot = o->slot;
    uint64_t bit = BIT64(slot);
    core_view_completed(&sm->views, slot);
    core_op_recycle(&sm->ops, op);
    if (RARELY(warp_op_ended(&sm->warp, slot, &o->timing)))
        sm_reach_release(sm, slot);
    if (o->access || o->blocks || ((sm->warp.waits.fence | sm->warp.finished) & bit))
        complete_rest(sm, o, bit);
}

HOT void sm_complete(struct sm *sm, uint32_t op)
{
    complete(sm, op);
}

HOT void sm_writeback(struct sm *sm, struct core *core)
{
    uint32_t next;
    for (uint32_t op = core_take_results(core); op != CORE_NONE; op = next) {
        next = sm->ops.items[op].next;
        made_progress(&sm->agenda);
        core_written_back(core, &sm->ops.items[op]);
        complete(sm, op);
    }
}

/* The end of an instruction: its registers have their values, its warp may go on, a fence or the warp itself may end.
 * Results of units of side RESULT are written back here, in the cycle that was fixed when a unit took their op. */
#include "simt/lock.h"
#include "sm/complete.h"
#include "sm/perform.h"
#include "sm/state.h"
#include "sm/tell.h"
#include "sm/warps.h"

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

/* lsu_port.lock_answered. */
static void lock_answered(void *context, const struct core_op *o, unsigned lane, bool stays)
{
    struct sm *sm = context;
    struct simt_warp *warp = &sm->warp.slots[o->slot].simt;
    if (!stays)
        simt_lock_came(warp, lane, sm->agenda.now);
    if (!stays || simt_lock_stays(warp, lane))
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
        if (o->in_memory && o->access->space == ISA_SPACE_GLOBAL)
            lsu_access_ends(&sm->lsu, o);
        if (RARELY(o->blocks == CORE_BLOCKS_LANES)) {
            warp_lanes_return(&sm->warp, o->slot);
        } else if (RARELY(simt_access_moves(o->access))) {
            locks_answered(sm, o);
        }
        core_access_free(&sm->ops, o);
    }
    if (o->blocks == CORE_BLOCKS_WARP) {
        warp_wait_end(&sm->warp, WARP_WAIT_atomic, bit);
        if (RARELY(o->drops))
            lsu_drop(&sm->lsu, o->drops);
    }
    if ((sm->warp.waits.fence | sm->warp.finished) & bit)
        sm_check_rest(sm, o->slot);
}

/* Written out in both places that end ops: a call would be a sixth of it. */
HOT_INLINE void complete(struct sm *sm, uint32_t op)
{
    struct core_op *o = &sm->ops.items[op];
    unsigned slot = o->slot;
    uint64_t bit = BIT64(slot);
    core_view_completed(&sm->views, slot);
    sm_tell_done(sm, o);
    core_op_recycle(&sm->ops, op);
    if (RARELY(warp_op_ended(&sm->warp, slot, &o->timing)))
        lsu_reach_release(&sm->lsu, slot);
    if (o->access || o->blocks || ((sm->warp.waits.fence | sm->warp.finished) & bit))
        complete_rest(sm, o, bit);
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

/* lsu_port, for the load/store unit of an SM */

HOT static void complete_access(void *sm, uint32_t op)
{
    complete(sm, op);
}

static void warp_rests(void *sm, unsigned slot)
{
    sm_check_retire(sm, slot);
}

static void coalesced(void *context, const struct core_op *op, unsigned transactions)
{
    const struct sm *sm = context;
    spin_transactions(sm->spin, op->access->instr, transactions);
}

static void answered(void *context, const struct core_op *op, const struct message_atomic *reply)
{
    struct sm *sm = context;
    sm_tell_atomics(sm, op, reply);
    if (RARELY(sm->spin))
        spin_atomics(sm->spin, op->slot, op->access, reply);
}

static const struct lsu_port ports[2] = {
    {complete_access, warp_rests, NULL, answered, lock_answered},
    {complete_access, warp_rests, coalesced, answered, lock_answered},
};

const struct lsu_port *sm_lsu_port(bool spins)
{
    return &ports[spins];
}

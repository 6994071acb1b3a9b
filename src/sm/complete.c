/* Completion: see complete.h. Results of units of side RESULT are written back here, in the cycle that was fixed when a
 * unit took their op. */
#include "sm/complete.h"

#include "simt/copy.h"
#include "simt/lock.h"

void sm_turn_changed(struct sm_completion *c, unsigned slot)
{
    uint32_t next = simt_pc(&c->shared.warp->slots[slot].simt);
    core_view_turns(c->shared.views, slot, next);
    if (warp_turn_changed(c->shared.warp, slot, next))
        c->port->reach_release(c->shared.sm, slot);
}

/* For a warp at a fence, or whose lanes have ended. */
HOT static void check_rest(struct sm_completion *c, unsigned slot)
{
    const struct warp_table *w = c->shared.warp;
    if (mask_has(w->waits.fence, slot))
        c->port->check_fence(c->shared.sm, slot);
    if (mask_has(w->finished, slot) && warp_is_drained(&w->slots[slot]))
        c->port->drained(c->shared.sm, slot);
}

HOT void sm_warp_rests(struct sm_completion *c, unsigned slot)
{
    struct warp_table *w = c->shared.warp;
    if (mask_has(w->waits.fence | w->finished, slot))
        check_rest(c, slot);
    if (warp_registers_written(w, slot))
        c->port->reach_release(c->shared.sm, slot);
    warp_head_waits(w, slot);
}

/* Locks */

/* Of the warp's lanes that have the turn, those that got locks, or gave up, go on. */
static void let_go_on(struct sm_completion *c, unsigned slot)
{
    struct simt_warp *warp = &c->shared.warp->slots[slot].simt;
    uint32_t pc = simt_pc(warp);
    if (!simt_locks_granted(warp))
        return;
    c->port->acquire(c->shared.sm, pc);
    sm_turn_changed(c, slot);
}

/* A warp whose lanes stand in queues goes on with the first answer: lanes that got their lock at once; others, which
 * are to ask again, by way of the instruction that asked. A warp that executes, or waits for something else, sees the
 * answer when those lanes have the turn. */
static void look_again(struct sm_completion *c, unsigned slot)
{
    struct warp_table *w = c->shared.warp;
    const struct core *core = core_having(c->cores, c->cores_end, slot);
    uint64_t bit = BIT64(slot);
    if (w->waits.delay & bit & ~core->issue.backed_off)
        warp_wake_at(w, slot, c->shared.agenda->now);
    if (!(w->in_queues & bit))
        return;
    let_go_on(c, slot);
    warp_queue_end(w, slot);
    made_progress(c->shared.agenda);
}

void sm_lock_answered(struct sm_completion *c, const struct core_op *o, unsigned lane, bool stays)
{
    struct simt_warp *warp = &c->shared.warp->slots[o->slot].simt;
    if (!stays)
        simt_lock_came(warp, lane, c->shared.agenda->now);
    if (!stays || simt_lock_stays(warp, lane))
        look_again(c, o->slot);
}

/* Locks were asked for or given back, and every lane has its answer. */
NOT_INLINE void locks_answered(struct sm_completion *c, const struct core_op *o)
{
    struct simt_fault fault = {0};
    if (!simt_locks_answered(&c->shared.warp->slots[o->slot].simt, o->access, c->shared.agenda->now, &fault))
        c->port->fault(c->shared.sm, o->slot, &fault);
    sm_turn_changed(c, o->slot);
}

/* Ops */

static inline bool is_done_heard(const struct watch *watch, unsigned slot)
{
    return watch_hears(watch, WATCH_done) || watch_stays_hear_done(watch->stays, slot);
}

NOT_INLINE void tell_done(const struct sm_completion *c, const struct core_op *o)
{
    const struct watch *watch = c->watch;
    if (watch->stays)
        watch_stays_done(watch->stays, o->slot, (uint32_t)(o->decoded - c->shared.warp->decoded),
                         c->shared.agenda->now);
    if (watch_hears(watch, WATCH_done))
        watch_tell_done(c->watch,
                        &(struct lockstep_done_event){.cycle = c->shared.agenda->now,
                                                      .warp = o->slot,
                                                      .pc = (uint32_t)(o->decoded - c->shared.warp->decoded)});
}

/* The end of the ops that have an access, or whose warp waits at a fence or has ended. */
HOT static void complete_rest(struct sm_completion *c, struct core_op *o, uint64_t bit)
{
    struct warp_table *w = c->shared.warp;
    if (o->access) {
        if (o->source != WARP_FROM_OP)
            warp_load_ended(w, o->slot, &o->timing, (enum warp_source)o->source);
        if (o->in_memory && (o->access->space == ISA_SPACE_GLOBAL || o->access->space == ISA_SPACE_CLUSTER))
            c->port->access_ends(c->shared.sm, o);
        if (RARELY(simt_access_copies(o->access)))
            c->port->copied(c->shared.sm, o);
        if (RARELY(o->blocks == CORE_BLOCKS_LANES)) {
            warp_lanes_return(w, o->slot);
        } else if (RARELY(simt_access_moves(o->access))) {
            locks_answered(c, o);
        }
        core_access_free(c->shared.ops, o);
    }
    if (o->blocks == CORE_BLOCKS_WARP || o->blocks == CORE_BLOCKS_PHASE) {
        warp_wait_end(w, o->blocks == CORE_BLOCKS_WARP ? WARP_WAIT_atomic : WARP_WAIT_mbarrier, bit);
        if (RARELY(o->drops))
            c->port->drop(c->shared.sm, o->drops);
    }
    if ((w->waits.fence | w->finished) & bit)
        check_rest(c, o->slot);
}

/* Written out in both places that end ops: a call would be a sixth of it. */
HOT_INLINE void complete(struct sm_completion *c, uint32_t op)
{
    struct warp_table *w = c->shared.warp;
    struct core_op *o = &c->shared.ops->items[op];
    unsigned slot = o->slot;
    uint64_t bit = BIT64(slot);
    core_view_completed(c->shared.views, slot);
    if (RARELY(watch_hears(c->watch, WATCH_done | WATCH_stays)) && is_done_heard(c->watch, slot))
        tell_done(c, o);
    core_op_recycle(c->shared.ops, op);
    if (RARELY(warp_op_ended(w, slot, &o->timing)))
        c->port->reach_release(c->shared.sm, slot);
    contract(o->access || !o->blocks);
    if (o->access || ((w->waits.fence | w->finished) & bit))
        complete_rest(c, o, bit);
}

HOT void sm_writeback(struct sm_completion *c, struct core *core)
{
    uint32_t next;
    made_progress(c->shared.agenda);
    for (uint32_t op = core_take_results(core); op != CORE_NONE; op = next) {
        next = c->shared.ops->items[op].next;
        core_written_back(core, &c->shared.ops->items[op]);
        complete(c, op);
    }
}

HOT void sm_complete_access(struct sm_completion *c, uint32_t op)
{
    complete(c, op);
}

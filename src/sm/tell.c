/* Fills in the events that the SM tells: see tell.h. */
#include "sm/tell.h"

#include <string.h>

#include "memory/packet_values.h"
#include "simt/image.h"
#include "simt/lanes.h"
#include "simt/send.h"
#include "sm/tell_copies.h"

static void tell_split(struct sm *sm, unsigned slot, const struct simt_result *r)
{
    if ((r->instr->op == ISA_OP_BRA || r->instr->op == ISA_OP_BRX) && r->mask && r->mask != r->active)
        watch_tell_split(
            &sm->watch,
            &(struct lockstep_split_event){
                .cycle = sm->agenda.now, .warp = slot, .pc = r->pc, .taken = r->mask, .others = r->active & ~r->mask});
}

/* The lanes that have the turn now are some of those that had it, and others. */
static void tell_meet(struct sm *sm, unsigned slot, const struct simt_result *r)
{
    const struct simt_path *now = sm->warp.slots[slot].simt.paths.now;
    if (sm->warp.slots[slot].simt.live && (now->mask & r->active) && (now->mask & ~r->active))
        watch_tell_meet(&sm->watch, &(struct lockstep_meet_event){.cycle = sm->agenda.now,
                                                                  .warp = slot,
                                                                  .pc = now->pc,
                                                                  .came = r->active,
                                                                  .met = now->mask & ~r->active});
}

/* Of a marked warp the keeper of stays is told, and of a fence. */
void sm_tell_issue(struct sm *sm, unsigned slot, enum lockstep_class class, const struct simt_result *r)
{
    const struct watch *watch = &sm->watch;
    const struct lockstep_issue_event event = {.cycle = sm->agenda.now,
                                               .warp = slot,
                                               .block = sm->warp.slots[slot].block,
                                               .pc = r->pc,
                                               .instruction_class = class,
                                               .active = r->active,
                                               .mask = r->mask};
    if (watch->stays && (class == LOCKSTEP_FENCE || watch_stays_marked(watch->stays, slot))) {
        watch->stays_port->issue(watch->stays_state, &event);
        watch->stays->unusual[slot] += WATCH_STAY_TOLD;
    } else if (watch->stays) {
        watch_stays_issue(watch->stays, r->pc, r->active, r->mask);
    }
    if (watch_hears(watch, WATCH_issue))
        watch_tell_issue(watch, &event);
}

void sm_tell_paths(struct sm *sm, unsigned slot, const struct simt_result *r)
{
    if (watch_hears(&sm->watch, WATCH_split) && RARELY(r->mask != r->active))
        tell_split(sm, slot, r);
    if (watch_hears(&sm->watch, WATCH_meet))
        tell_meet(sm, slot, r);
}

static enum lockstep_class class_of(const struct simt_access *a)
{
    return a->kind == ISA_FLAG_LOAD ? LOCKSTEP_LOAD : a->kind == ISA_FLAG_STORE ? LOCKSTEP_STORE : LOCKSTEP_ATOMIC;
}

static enum lockstep_atomic operation_of(unsigned atomic)
{
    return atomic == ISA_ATOMIC_CAS    ? LOCKSTEP_ATOMIC_COMPARE_AND_SWAP
           : atomic == ISA_ATOMIC_EXCH ? LOCKSTEP_ATOMIC_EXCHANGE
                                       : LOCKSTEP_ATOMIC_OTHER;
}

/* Threads may wait for each other with such an access. */
static bool synchronises(const struct core_op *o)
{
    const struct simt_access *a = o->access;
    bool atomic = a->kind == ISA_FLAG_ATOMIC, strong = a->instr->mods.order > ISA_ORDER_WEAK;
    switch (a->space) {
    case ISA_SPACE_SHARED:
        return atomic || strong;
    case ISA_SPACE_GLOBAL:
    case ISA_SPACE_CONST:
        return atomic || (a->kind == ISA_FLAG_LOAD && (o->bypasses || strong));
    default:
        return false;
    }
}

/* A part of a lane's atomic of shared memory, which was performed at once with those of its warp's other lanes. */
static struct lockstep_atomic_event shared_atomic(const struct sm *sm, unsigned slot, const struct simt_access *a,
                                                  unsigned lane, unsigned part)
{
    uint64_t address = a->address[lane] + part * a->element_bytes;
    const struct warp_slot *warp = &sm->warp.slots[slot];
    struct lockstep_atomic_event event = {.cycle = sm->agenda.now,
                                          .warp = slot,
                                          .block = warp->block,
                                          .pc = a->pc,
                                          .lane = lane,
                                          .thread = warp->simt.threads[lane],
                                          .space = LOCKSTEP_SHARED,
                                          .operation = operation_of(a->instr->mods.atomic),
                                          .performed = 1,
                                          .before = simt_atomic_value(a, lane, part, true),
                                          .address = address};
    memcpy(&event.after, warp->simt.block->shared + address, a->element_bytes);
    return event;
}

/* First of the lanes that changed their locations; then, to observers alone, of compare-and-swaps and exchanges that
 * left them as they were. */
NOT_INLINE void tell_shared_atomic(struct sm *sm, unsigned slot, const struct simt_access *a)
{
    enum lockstep_atomic operation = operation_of(a->instr->mods.atomic);
    bool heard = watch_hears(&sm->watch, WATCH_atomic);
    if (!watch_progress_wants(&sm->consumers.progress, operation) && !heard)
        return;
    for (uint64_t rest = a->changed & a->mask; rest; rest &= rest - 1)
        for (unsigned part = 0; part < a->elements; part++) {
            struct lockstep_atomic_event event = shared_atomic(sm, slot, a, mask_first(rest), part);
            watch_atomic(&sm->watch, &sm->consumers, &event);
        }
    if (!heard || operation == LOCKSTEP_ATOMIC_OTHER)
        return;
    for (uint64_t rest = a->mask & ~a->changed; rest; rest &= rest - 1)
        for (unsigned part = 0; part < a->elements; part++) {
            struct lockstep_atomic_event event = shared_atomic(sm, slot, a, mask_first(rest), part);
            event.performed = operation != LOCKSTEP_ATOMIC_COMPARE_AND_SWAP;
            event.before = event.after;
            watch_tell_atomic(&sm->watch, &event);
        }
}

static struct lockstep_access_event access_of_lanes(const struct sm *sm, unsigned slot, const struct simt_access *a,
                                                    bool synchronising)
{
    return (struct lockstep_access_event){.cycle = sm->agenda.now,
                                          .warp = slot,
                                          .block = sm->warp.slots[slot].block,
                                          .pc = a->pc,
                                          .instruction_class = class_of(a),
                                          .space = watch_space(a->space),
                                          .bytes = (uint32_t)a->element_bytes * a->elements,
                                          .mask = a->mask,
                                          .address = a->address,
                                          .data = a->data,
                                          .stride = a->stride,
                                          .synchronises = synchronising};
}

/* Tells observers of an access by two events: of the lanes that access their own block's shared memory, and of the
 * others. */
COLD NOT_INLINE void tell_apart(struct sm *sm, struct lockstep_access_event *event, uint64_t others)
{
    uint64_t own = event->mask & ~others;
    event->mask = own;
    event->space = LOCKSTEP_SHARED;
    if (own)
        watch_tell_access(&sm->watch, event);
    event->mask = others;
    event->space = LOCKSTEP_CLUSTER;
    if (others)
        watch_tell_access(&sm->watch, event);
}

NOT_INLINE void tell_access(struct sm *sm, unsigned slot, const struct simt_access *a, bool synchronising)
{
    struct lockstep_access_event event = access_of_lanes(sm, slot, a, synchronising);
    if (!RARELY(a->remote)) {
        watch_access(&sm->watch, &sm->consumers, &event);
        return;
    }
    watch_progress_access(&sm->consumers.progress, &event);
    if (watch_hears(&sm->watch, WATCH_access))
        tell_apart(sm, &event, a->remote);
}

/* One for each of the texels that a lane takes, and for each size of them. */
NOT_INLINE void tell_parts(struct sm *sm, unsigned slot, struct simt_access *a)
{
    uint8_t most = a->element_bytes;
    for (unsigned p = a->texels->parts; p-- > 0;) {
        uint64_t left = a->texels->parted[p], now;
        for (simt_texels_part(a, p); left; left &= ~now) {
            a->element_bytes = (uint8_t)simt_texel_bytes(a, mask_first(left));
            now = 0;
            for (uint64_t rest = left; rest; rest &= rest - 1)
                now |= simt_texel_bytes(a, mask_first(rest)) == a->element_bytes ? rest & -rest : 0;
            a->mask = now;
            tell_access(sm, slot, a, false);
        }
    }
    simt_texels_part(a, 0);
    a->element_bytes = most;
}

/* Tells observers and the progress watch of an access of other blocks' shared memory. Its lanes that name their own block,
 * in a->beside, were served at issue. */
COLD NOT_INLINE void tell_cluster(struct sm *sm, unsigned slot, const struct simt_access *a)
{
    bool strong = a->instr->mods.order > ISA_ORDER_WEAK, synchronising = strong || a->kind == ISA_FLAG_ATOMIC;
    if (!synchronising && a->kind != ISA_FLAG_STORE && !watch_hears(&sm->watch, WATCH_access))
        return;
    struct lockstep_access_event event = access_of_lanes(sm, slot, a, synchronising);
    if (watch_progress_wants_access(&sm->consumers.progress, a->kind == ISA_FLAG_STORE, synchronising)) {
        event.space = LOCKSTEP_CLUSTER;
        watch_progress_access(&sm->consumers.progress, &event);
    }
    if (!watch_hears(&sm->watch, WATCH_access))
        return;
    event.mask |= a->beside;
    tell_apart(sm, &event, a->mask);
}

HOT void sm_tell_access(struct sm *sm, unsigned slot, const struct core_op *o)
{
    struct simt_access *a = o->access;
    if (RARELY(a->space == ISA_SPACE_CLUSTER)) {
        tell_cluster(sm, slot, a);
        return;
    }
    bool synchronising = synchronises(o), store = a->kind == ISA_FLAG_STORE && a->space != ISA_SPACE_LOCAL;
    if (watch_progress_wants_access(&sm->consumers.progress, store, synchronising) ||
        watch_hears(&sm->watch, WATCH_access)) {
        if (RARELY(a->samples))
            tell_parts(sm, slot, a);
        else
            tell_access(sm, slot, a, synchronising);
    }
    if (a->space != ISA_SPACE_SHARED || a->kind != ISA_FLAG_ATOMIC)
        return;
    if (a->op->kind != SIMT_KIND_MBARRIER)
        tell_shared_atomic(sm, slot, a);
    else if (RARELY(watch_hears(&sm->watch, WATCH_mbarrier)))
        sm_tell_mbarriers(sm, slot, a);
}

/* The reply's operands are the old values; those of the access are what the lanes brought. */
HOT void sm_tell_atomics(struct sm *sm, const struct core_op *o, const struct message_atomic *reply)
{
    const struct warp_slot *warp = &sm->warp.slots[o->slot];
    struct lockstep_atomic_event event = {.cycle = sm->agenda.now,
                                          .warp = o->slot,
                                          .block = warp->block,
                                          .pc = o->access->pc,
                                          .space = LOCKSTEP_GLOBAL,
                                          .operation = operation_of(reply->atomic)};
    for (unsigned i = 0; i < reply->lane_count; i++) {
        const struct packet_lane *l = &reply->lanes[i];
        unsigned part = simt_atomic_part(o->access, l->lane, l->offset);
        event.lane = l->lane;
        event.thread = warp->simt.threads[l->lane];
        event.performed = packet_lane_performed(reply, i);
        event.address = (reply->packet.address & ~(uint64_t)(PACKET_LINE_BYTES - 1)) + l->offset;
        event.before = l->operand;
        event.after = event.performed
                          ? packet_lane_after(reply, i, simt_atomic_value(o->access, l->lane, part, false))
                          : l->operand;
        watch_atomic(&sm->watch, &sm->consumers, &event);
    }
}

void sm_tell_launch(struct sm *sm, unsigned slot, uint64_t cycle, bool again)
{
    const struct simt_warp *warp = &sm->warp.slots[slot].simt;
    const struct lockstep_launch_event event = {.cycle = cycle,
                                                .warp = slot,
                                                .block = sm->warp.slots[slot].block,
                                                .block_index = warp->block->index,
                                                .warp_in_block = warp->index,
                                                .again = again};
    watch_launch(&sm->watch, &sm->consumers, &event);
}

void sm_tell_arrive(struct sm *sm, unsigned slot)
{
    const struct lockstep_arrive_event event = {
        .cycle = sm->agenda.now, .warp = slot, .block = sm->warp.slots[slot].block};
    watch_arrive(&sm->watch, &sm->consumers, &event);
}

void sm_tell_open(struct sm *sm, unsigned block, uint64_t slots)
{
    const struct lockstep_open_event event = {.cycle = sm->agenda.now, .block = block, .warps = slots};
    watch_open(&sm->watch, &sm->consumers, &event);
}

void sm_tell_end(struct sm *sm, unsigned slot)
{
    const struct lockstep_end_event event = {
        .cycle = sm->agenda.now, .warp = slot, .block = sm->warp.slots[slot].block};
    watch_end(&sm->watch, &sm->consumers, &event);
}

static const char *const reasons[WARP_WAIT_COUNT] = {
#define WAIT(name, cause, ender, kind, doc) #name,
#include "warp/waits.def"
#undef WAIT
};

/* Warps wait by sets, which stages change wherever something happens: what they have become by the end of a cycle is
 * compared with what was told before. */
void sm_tell_waits_to(struct sm *sm)
{
    for (unsigned w = 0; w < WARP_WAIT_COUNT; w++) {
        uint64_t now = sm->warp.waits.of[w], before = sm->told_waits[w];
        sm->told_waits[w] = now;
        for (uint64_t rest = before & ~now; rest && watch_hears(&sm->watch, WATCH_wait_end); rest &= rest - 1)
            watch_tell_wait_end(&sm->watch, &(struct lockstep_wait_end_event){.cycle = sm->agenda.now,
                                                                              .warp = mask_first(rest),
                                                                              .reason = reasons[w]});
        for (uint64_t rest = now & ~before; rest && watch_hears(&sm->watch, WATCH_wait_begin); rest &= rest - 1)
            watch_tell_wait_begin(&sm->watch, &(struct lockstep_wait_begin_event){.cycle = sm->agenda.now,
                                                                                  .warp = mask_first(rest),
                                                                                  .reason = reasons[w]});
    }
}

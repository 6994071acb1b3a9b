/* The load/store unit: one instruction at a time in its dispatch register, one transaction a cycle to the L1D or L1C or
 * past them, one reply a cycle from the network, one result a cycle written back. What an access does to a line of the
 * L1D, and whether it goes there at all, the machine's coherence protocol decides (memory/coherence/, by way of
 * memory/l1.h); this file knows lanes, transactions and the ports.
 *
 * Values: a load takes its bytes from the line that holds them when its transaction is served, or from the reply. Local
 * memory's values never leave the thread. All requests leave in order through one queue, so that an SM's accesses to
 * one address stay in order; where they need not (sm.memory_in_order), what goes past the L1D enters the network from
 * the dispatch register itself, in the same cycle but behind a request from the L1D's queue (GPGPU-Sim,
 * ldst_unit::memory_cycle). */
#include <string.h>

#include "base/arena.h"
#include "simt/lock.h"
#include "sm/sm_impl.h"

/* Setting up */

/* What an L1D that keeps what it has written takes of the coherence parameters. */
static void sm_open_agent(const struct sm *sm, struct l1_setup *setup)
{
    const struct coherence_params *p = sm->setup.coherence;
    if (sm->setup.probes)
        setup->answers = memory_slices(sm->setup.partition) + 1; /* one of each slice at a time */
    setup->store_queue = p ? p->store_queue : 64;
    setup->rprio = coherence_rprio(setup->protocol, p ? p->replacement : NULL);
}

void sm_lsu_init(struct sm *sm, struct arena *own)
{
    struct lsu *lsu = &sm->lsu;
    struct l1_setup l1d = {
        .protocol = sm->setup.protocol ? sm->setup.protocol : coherence_find(NULL),
        .cache = sm->setup.l1d,
        .packets = &sm->port.packets,
        .requests = sm->params->l1d_queue,
        .answers = sm->setup.probes ? SM_ANSWERS : 0,
        .in_order = sm->params->memory_in_order,
        .timing_only = sm->params->values_at_issue,
        .rules = {.loads_pass = !sm->params->global_loads_use_l1,
                  .strong_pass = sm->params->volatile_bypasses_l1,
                  .atomics_keep = !sm->params->atomic_drops_line},
    };
    if (l1d.protocol->registration)
        sm_open_agent(sm, &l1d);
    l1_init(&lsu->l1d, &l1d, own);
    lsu->l1c = cache_create(sm->setup.l1c, true, own);
    lsu->pipe = ARENA_NEW(own, struct lsu_delayed, sm->params->l1d_latency + 1);
    packet_ring_init(&lsu->l1c_queue, sm->setup.l1c->miss_queue, own);
    packet_ring_init(&lsu->responses, sm->params->response_queue, own);
    core_wheel_init(&lsu->shared);
    lsu->op = lsu->free_transaction = CORE_NONE;
}

void sm_lsu_begin(struct sm *sm)
{
    sm->lsu.writeback_from = 0;
    core_wheel_begin(&sm->lsu.shared, sm->params->shared_latency);
}

HOT unsigned sm_l1_event(const struct sm *sm, const struct simt_access *access)
{
    const struct isa_mods *mods = &access->instr->mods;
    return l1_event_of(&sm->lsu.l1d, &(struct l1_ask){.kind = sm_order_kind(access->kind),
                                                      .order = mods->order,
                                                      .scope = mods->scope,
                                                      .cache = mods->cache,
                                                      .own = access->space == ISA_SPACE_LOCAL});
}

HOT uint32_t sm_lsu_entering_bytes(const struct sm *sm)
{
    if (sm->params->memory_in_order || sm->lsu.op == CORE_NONE || sm->lsu.at == sm->lsu.count)
        return 0;
    const struct core_op *o = &sm->ops.items[sm->lsu.op];
    if (!o->in_memory || !o->bypasses || o->access->space == ISA_SPACE_CONST)
        return 0;
    const struct packet request = {.kind = o->access->kind == ISA_FLAG_ATOMIC ? PACKET_ATOMIC : PACKET_READ,
                                   .bytes = sm->lsu.list[sm->lsu.at].bytes};
    return packet_network_bytes(&request);
}

/* The transaction in the dispatch register can enter the network by itself. */
static bool can_enter(const struct sm *sm)
{
    uint32_t bytes = sm_lsu_entering_bytes(sm);
    return bytes && sm_port_has_room(sm, bytes);
}

/* A transaction can go past the L1D now: in turn behind the L1D's requests, or at once. */
static bool can_pass(const struct sm *sm)
{
    return sm->params->memory_in_order ? !l1_is_full(&sm->lsu.l1d) : can_enter(sm);
}

/* A transaction of the op is answered. */
static void transaction_done(struct sm *sm, uint32_t op)
{
    struct core_op *o = &sm->ops.items[op];
    o->pending--;
    if (!o->pending && op != sm->lsu.op) {
        core_write_banks(sm_core(sm, o->slot), o);
        sm_complete(sm, op);
    }
}

/* Hands the bytes of a line of line_bytes to the lanes of a transaction. Local memory's values are with the thread
 * already. */
HOT static void deliver(struct sm *sm, const struct lsu_transaction *t, const uint8_t *line, uint32_t line_bytes)
{
    const struct core_op *o = &sm->ops.items[t->op];
    const struct simt_access *access = o->access;
    if (access->space == ISA_SPACE_LOCAL || o->performed || !line)
        return;
    simt_load_lanes(&sm->warp.slots[o->slot].simt, access, t->lanes, line, line_bytes);
}

/* A transaction that waited has its values: they go to its lanes. */
HOT static void finish(struct sm *sm, uint32_t waiter, const uint8_t *line, uint32_t line_bytes)
{
    struct lsu_transaction t = lsu_transaction_take(&sm->lsu, waiter);
    deliver(sm, &t, line, line_bytes);
    transaction_done(sm, t.op);
}

/* A load through the constant cache, in which nobody writes. Returns false when it must be tried again. */
HOT_INLINE bool load_const(struct sm *sm, const struct lsu_transaction *t)
{
    struct cache_effect effect;
    uint32_t room = packet_ring_room(&sm->lsu.l1c_queue);
    if (cache_refuses_again(sm->lsu.l1c, t->address, t->bytes, room))
        return false;
    enum cache_result result =
        cache_read(sm->lsu.l1c, t->address, t->bytes, lsu_transaction_next(&sm->lsu), room, &effect);
    if (result == CACHE_REFUSED)
        return false;
    if (result == CACHE_HIT) {
        deliver(sm, t, cache_data(sm->lsu.l1c, effect.line), sm->setup.l1c->line_bytes);
        transaction_done(sm, t->op);
        return true;
    }
    lsu_transaction_new(&sm->lsu, t);
    if (result == CACHE_MISS) {
        struct packet *p = packet_new(&sm->port.packets);
        p->kind = PACKET_READ;
        p->space = PACKET_CONST;
        p->address = effect.fill_address;
        p->bytes = effect.fill_bytes;
        p->cookie = CORE_NONE;
        p->fill = (uint16_t)effect.fill;
        sm_request(sm, &sm->lsu.l1c_queue, p);
    }
    return true;
}

/* The usual case of store_bytes: elements of four bytes. They are aligned, and no segment is smaller, so this one has
 * all of a lane's bytes. */
HOT_INLINE void store_words(const struct simt_access *access, uint64_t lanes, struct packet *p)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest), offset = (unsigned)access->address[lane] % PACKET_LINE_BYTES;
        memcpy(p->data + offset, access->data + 4 * lane, 4);
        p->mask[offset / 64] |= mask_low(4) << offset % 64;
    }
}

static void store_bytes(const struct simt_access *access, const struct lsu_transaction *t, struct packet *p)
{
    unsigned size = access->stride;
    if (size == 4 && t->bytes >= 4) {
        store_words(access, t->lanes, p);
        return;
    }
    for (uint64_t rest = t->lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        /* The part of the lane's bytes that lies in this segment: all of it, unless the segment is smaller than the
         * access. Accesses are aligned and have at most 32 bytes, so they do not cross a word of the mask. */
        uint64_t at = access->address[lane], skip = at < t->address ? t->address - at : 0;
        unsigned bytes = size - (unsigned)skip < t->bytes ? size - (unsigned)skip : t->bytes;
        unsigned offset = (unsigned)((at + skip) % PACKET_LINE_BYTES);
        memcpy(p->data + offset, simt_access_data(access, lane) + skip, bytes);
        p->mask[offset / 64] |= mask_low(bytes) << offset % 64;
    }
}

/* A store takes its bytes along to the L2. Local memory's values stay here. */
static void fill_store(struct sm *sm, const struct core_op *o, const struct lsu_transaction *t, struct packet *p)
{
    struct warp_slot *warp = &sm->warp.slots[o->slot];
    if (p->space == PACKET_LOCAL)
        return;
    store_bytes(o->access, t, p);
    p->performed = o->performed;
    if (l1_has_store(&sm->lsu.l1d, o->event))
        return;
    p->cookie = (uint32_t)o->era << 8 | o->slot;
    warp_store_left(&sm->warp, o->slot);
    block_order_add(&sm->blocks[warp->block].order, o->era);
}

/* What an instruction of locks is to the slices' queues. */
static enum packet_lock lock_of(const struct core_op *o, const struct lsu_transaction *t)
{
    if (o->blocks == CORE_BLOCKS_LANES)
        return o->access->leaving & t->lanes ? PACKET_LOCK_LEAVE : PACKET_LOCK_TAKE;
    return isa_op_info((enum isa_op)o->access->instr->op)->flags & ISA_FLAG_GIVE ? PACKET_LOCK_GIVE : PACKET_LOCK_NOT;
}

static void fill_atomic(const struct sm *sm, const struct core_op *o, const struct lsu_transaction *t, struct packet *p)
{
    const struct simt_access *access = o->access;
    p->atomic = access->instr->mods.atomic;
    p->type = access->instr->type;
    p->no_return = access->instr->dst_count == 0 && !simt_access_moves(access);
    if (RARELY(sm->kernel->grid->lock_queues.used && simt_access_moves(access)))
        p->lock = lock_of(o, t);
    for (uint64_t rest = t->lanes; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        struct packet_lane *l = &p->lanes[p->lane_count++];
        l->lane = (uint8_t)lane;
        l->offset = (uint8_t)(access->address[lane] % PACKET_LINE_BYTES);
        memcpy(&l->operand, simt_access_data(access, lane), 8);
        memcpy(&l->compare, simt_access_data(access, lane) + 8, 8);
    }
}

/* A request of the transaction's own gets its values. */
HOT_INLINE void complete_request(struct sm *sm, const struct core_op *o, const struct lsu_transaction *t,
                                 struct packet *p)
{
    p->order = o->access->instr->mods.order;
    p->scope = o->access->instr->mods.scope;
    if (p->kind == PACKET_ATOMIC)
        fill_atomic(sm, o, t, p);
    else if (p->kind == PACKET_WRITE)
        fill_store(sm, o, t, p);
}

/* What a request of the access is. */
NOT_INLINE void name_request(const struct simt_access *access, struct l1_access *a)
{
    a->own = access->space == ISA_SPACE_LOCAL;
    a->kind = access->kind == ISA_FLAG_LOAD                ? PACKET_READ
              : access->kind == ISA_FLAG_ATOMIC && !a->own ? PACKET_ATOMIC
                                                           : PACKET_WRITE;
}

/* An access at the L1D's door. Returns false when it must be tried again. */
HOT static bool serve_l1d(struct sm *sm, const struct lsu_transaction *t)
{
    const struct core_op *o = &sm->ops.items[t->op];
    struct l1_access access;
    access.address = t->address;
    access.bytes = t->bytes;
    access.waiter = lsu_transaction_next(&sm->lsu);
    access.event = o->event;
    if (RARELY(l1_keeps(&sm->lsu.l1d)))
        name_request(o->access, &access);
    enum l1_served served = l1_access(&sm->lsu.l1d, &access);
    if (access.request)
        complete_request(sm, o, t, access.request);
    if (access.submit && o->event == AGENT_RELAXED_EVENT && access.request->order <= ISA_ORDER_WEAK)
        access.request->order = ISA_ORDER_RELAXED; /* past the L1D: it takes its turn with what orders */
    if (access.submit)
        l1_submit(&sm->lsu.l1d, access.request, access.event);
    if (RARELY(l1_keeps(&sm->lsu.l1d)))
        sm_l1_changed(sm); /* also where it refuses: it may have set going what the access lacks */
    if (served == L1_REFUSED) {
        made_progress_if(&sm->agenda, l1_keeps(&sm->lsu.l1d) && !l1_would_refuse(&sm->lsu.l1d, t->address, t->bytes));
        return false;
    }
    if (sm->lsu.l1d.requests.count)
        agenda_add(&sm->agenda, DUE_SEND);
    if (served == L1_WAITS) {
        lsu_transaction_new(&sm->lsu, t);
        return true;
    }
    deliver(sm, t, access.values, sm->lsu.l1d.line_bytes);
    transaction_done(sm, t->op);
    return true;
}

/* An access goes past the L1D. Returns false when there is no room. */
HOT_INLINE bool pass_l1d(struct sm *sm, const struct core_op *o, const struct lsu_transaction *t)
{
    struct packet *p = l1_pass(&sm->lsu.l1d, o->event, t->address, t->bytes, lsu_transaction_next(&sm->lsu));
    if (!p)
        return false;
    complete_request(sm, o, t, p);
    if (!sm->params->memory_in_order)
        sm_port_send(sm, p);
    if (sm->lsu.l1d.requests.count)
        agenda_add(&sm->agenda, DUE_SEND);
    lsu_transaction_new(&sm->lsu, t);
    return true;
}

/* Sends an access on its way to the L1D, which takes sm.l1d_latency cycles. */
static enum lsu_served enter_l1d_pipe(struct sm *sm, const struct lsu_transaction *t)
{
    uint32_t size = sm->params->l1d_latency, at = sm->lsu.pipe_head + sm->lsu.pipe_count;
    if (sm->lsu.pipe_count == size)
        return LSU_NO_PLACE;
    sm->lsu.pipe[at < size ? at : at - size] = (struct lsu_delayed){*t, sm->agenda.now + size};
    sm->lsu.pipe_count++;
    agenda_add(&sm->agenda, DUE_PIPE);
    return LSU_SERVED;
}

HOT static void serve_l1d_pipe(struct sm *sm)
{
    struct lsu_delayed *head = &sm->lsu.pipe[sm->lsu.pipe_head];
    if (head->ready > sm->agenda.now || (sm->lsu.pipe_refused && stands_still(&sm->agenda)))
        return;
    /* Only a read is remembered as refused, and nothing else comes to the tags before it is taken. */
    if (sm->lsu.pipe_refused && l1_refuses_again(&sm->lsu.l1d, head->transaction.address, head->transaction.bytes))
        return;
    sm->lsu.pipe_refused = !serve_l1d(sm, &head->transaction);
    if (sm->lsu.pipe_refused)
        return;
    made_progress(&sm->agenda);
    sm->lsu.pipe_head = sm->lsu.pipe_head + 1 < sm->params->l1d_latency ? sm->lsu.pipe_head + 1 : 0;
    if (!--sm->lsu.pipe_count)
        agenda_done(&sm->agenda, DUE_PIPE);
    if (sm->lsu.served == LSU_NO_PLACE)
        agenda_add(&sm->agenda, DUE_REFUSED);
}

/* An access that goes past the L1D must not overtake one to the same line that is still on its way to it, nor one that
 * waits at its door for more than one place in the queue of misses: it would take each as it comes free, and warps that
 * spin by atomics would keep the other waiting for ever. (An agent's refusals may wait for what goes past.) */
static bool follows_in_pipe(const struct sm *sm, const struct lsu_transaction *t)
{
    if (sm->lsu.pipe_refused && !l1_keeps(&sm->lsu.l1d))
        return true;
    for (uint32_t i = 0; i < sm->lsu.pipe_count; i++)
        if (sm->lsu.pipe[(sm->lsu.pipe_head + i) % sm->params->l1d_latency].transaction.address / PACKET_LINE_BYTES ==
            t->address / PACKET_LINE_BYTES)
            return true;
    return false;
}

static enum lsu_served served_if(bool served)
{
    return served ? LSU_SERVED : LSU_REFUSED;
}

static enum lsu_served serve_transaction(struct sm *sm, const struct core_op *o, const struct lsu_transaction *t)
{
    if (o->access->space == ISA_SPACE_CONST)
        return served_if(load_const(sm, t));
    if (o->bypasses) {
        if (sm->params->memory_in_order && follows_in_pipe(sm, t))
            return LSU_REFUSED;
        return served_if(can_pass(sm) && pass_l1d(sm, o, t));
    }
    return sm->params->l1d_latency ? enter_l1d_pipe(sm, t) : served_if(serve_l1d(sm, t));
}

static void leave_dispatch(struct sm *sm)
{
    uint32_t op = sm->lsu.op;
    sm->lsu.op = CORE_NONE;
    if (!sm->ops.items[op].pending)
        sm_complete(sm, op);
}

static void serve_shared(struct sm *sm)
{
    uint32_t op = sm->lsu.op;
    made_progress(&sm->agenda);
    if (sm->lsu.cycles > 1) {
        sm->lsu.cycles--;
        return;
    }
    sm->lsu.op = CORE_NONE;
    if (sm->ops.items[op].access->kind == ISA_FLAG_STORE) {
        sm_complete(sm, op);
    } else {
        core_wheel_add(&sm->ops, &sm->lsu.shared, sm->agenda.now + sm->params->shared_latency, op);
        agenda_add(&sm->agenda, DUE_SHARED);
    }
}

/* The instruction in the dispatch register moves on by one transaction. */
HOT static void serve_dispatch(struct sm *sm)
{
    if (sm->lsu.cycles) {
        serve_shared(sm);
        return;
    }
    if (sm->lsu.served != LSU_SERVED && stands_still(&sm->agenda) && !can_enter(sm))
        return;
    if (sm->lsu.at < sm->lsu.count) {
        sm->lsu.served = (uint8_t)serve_transaction(sm, &sm->ops.items[sm->lsu.op], &sm->lsu.list[sm->lsu.at]);
        if (sm->lsu.served != LSU_SERVED)
            return;
        sm->lsu.at++;
    }
    made_progress(&sm->agenda);
    if (sm->lsu.at == sm->lsu.count)
        leave_dispatch(sm);
}

HOT static void take_dispatch(struct sm *sm)
{
    uint32_t op = core_take_access(sm->core);
    made_progress(&sm->agenda);
    sm->lsu.served = LSU_SERVED;
    sm->lsu.op = op;
    sm_coalesce(sm, op);
    struct core_op *o = &sm->ops.items[op];
    o->pending = o->in_memory && o->access->space != ISA_SPACE_SHARED ? (uint16_t)sm->lsu.count : 0;
}

/* The dispatch register: its instruction goes on, and leaves its place to the next. One that waits for a place on the
 * way to the L1D is left alone until there is one. */
static inline void move_dispatch(struct sm *sm)
{
    if (sm->lsu.op != CORE_NONE)
        serve_dispatch(sm);
    if (sm->lsu.op == CORE_NONE && core_has_access(sm->core))
        take_dispatch(sm);
    agenda_done(&sm->agenda, DUE_DISPATCH | DUE_REFUSED);
    if (sm->lsu.op != CORE_NONE && sm->lsu.served != LSU_NO_PLACE)
        agenda_add(&sm->agenda, sm->lsu.served == LSU_REFUSED ? DUE_REFUSED : DUE_DISPATCH);
}

/* Replies come from the network, and from the L1D itself: these first. */
/* Whether the next answer is one of the L1D's own: they take turns with what the network brought, else warps that spin
 * on a line that the L1D has would hold up all others for ever. */
static bool own_is_next(const struct sm *sm)
{
    return l1_has_done(&sm->lsu.l1d) && !(sm->lsu.own_was_last && sm->lsu.responses.count);
}

static const struct packet *first_response(const struct sm *sm)
{
    return own_is_next(sm) ? l1_first_done(&sm->lsu.l1d) : packet_ring_peek(&sm->lsu.responses);
}

static struct packet *pop_response(struct sm *sm)
{
    bool own = own_is_next(sm);
    struct packet *p = own ? l1_take_done(&sm->lsu.l1d) : packet_ring_pop(&sm->lsu.responses);
    sm->lsu.own_was_last = own;
    if (!sm->lsu.responses.count && !l1_has_done(&sm->lsu.l1d))
        agenda_done(&sm->agenda, DUE_RESPONSE);
    return p;
}

HOT void sm_note_ready(struct sm *sm)
{
    sm->lsu.ready = sm_find_ready(sm);
}

void sm_l1_changed(struct sm *sm)
{
    sm_note_ready(sm);
    agenda_add(&sm->agenda, (sm_has_queued(sm) ? DUE_SEND : 0) | (l1_has_done(&sm->lsu.l1d) ? DUE_RESPONSE : 0) |
                                (l1_has_ready(&sm->lsu.l1d) ? DUE_PORT : 0) | sm_due_of_probes(sm));
}

/* What the L1D has asked for itself comes, or what it has written was acknowledged. It goes to the L1D when it has left
 * the queue: that may answer accesses now. */
static void take_l1_reply(struct sm *sm)
{
    struct packet *p = pop_response(sm);
    l1_reply(&sm->lsu.l1d, p);
    packet_free(&sm->port.packets, p);
    sm_check_flushes(sm);
    sm_l1_changed(sm);
}

/* A part of a store is acknowledged. */
static void end_store(struct sm *sm, unsigned slot, uint8_t era)
{
    struct warp_slot *warp = &sm->warp.slots[slot];
    warp_store_acknowledged(&sm->warp, slot);
    sm_performed(sm, warp, era);
    sm_check_retire(sm, slot);
}

/* One reply leaves the load/store unit's queue: acknowledgements end stores, fills go to their cache, bypass replies
 * wait for the writeback port. */
static void take_response(struct sm *sm)
{
    const struct packet *p = first_response(sm);
    made_progress(&sm->agenda);
    agenda_add(&sm->agenda, DUE_PORT);
    if (p->space == PACKET_CONST) {
        will_read(&sm->lsu.transactions.items[cache_take_fill(sm->lsu.l1c, p->fill, p->data)]);
        sm_note_ready(sm);
        packet_free(&sm->port.packets, pop_response(sm));
        return;
    }
    switch (l1_arrival_of(&sm->lsu.l1d, p)) {
    case L1_ITS_OWN:
        take_l1_reply(sm);
        return;
    case L1_ACKNOWLEDGED:
        if (p->cookie != CORE_NONE)
            end_store(sm, p->cookie & 0xff, (uint8_t)(p->cookie >> 8));
        break;
    case L1_FILLED:
        will_read(&sm->lsu.transactions.items[l1_fill(&sm->lsu.l1d, p)]);
        sm_note_ready(sm);
        break;
    case L1_ANSWERED:
        if (sm->lsu.bypass_reply)
            return;
        sm->lsu.bypass_reply = pop_response(sm);
        l1_answered(&sm->lsu.l1d, sm->lsu.bypass_reply);
        return;
    }
    struct packet *taken = pop_response(sm);
    l1_answered(&sm->lsu.l1d, taken);
    packet_free(&sm->port.packets, taken);
}

/* An atomic is answered: its lanes get the old values. */
static void finish_atomic(struct sm *sm, const struct packet *p)
{
    struct lsu_transaction t = lsu_transaction_take(&sm->lsu, p->cookie);
    const struct core_op *o = &sm->ops.items[t.op];
    sm_note_holders(sm, o, p);
    if (RARELY(sm->spin))
        spin_atomics(sm->spin, o->slot, o->access, p);
    for (unsigned i = 0; i < p->lane_count && !p->no_return && p->lock != PACKET_LOCK_LEAVE; i++)
        simt_atomic_lane(&sm->warp.slots[o->slot].simt, o->access, p->lanes[i].lane, p->lanes[i].operand);
    if (RARELY(p->lock == PACKET_LOCK_TAKE))
        sm_lock_came(sm, o, p->lanes[0].lane);
    else if (RARELY(p->lock == PACKET_LOCK_LEAVE && !p->lanes[0].operand))
        sm_lock_stays(sm, o, p->lanes[0].lane);
    transaction_done(sm, t.op);
}

static bool finish_bypass(struct sm *sm)
{
    struct packet *p = sm->lsu.bypass_reply;
    if (p->kind == PACKET_ATOMIC)
        finish_atomic(sm, p);
    else
        finish(sm, p->cookie, p->kind == PACKET_READ ? p->data : NULL, PACKET_LINE_BYTES);
    sm->lsu.bypass_reply = NULL;
    packet_free(&sm->port.packets, p);
    return false;
}

static bool finish_const(struct sm *sm)
{
    uint32_t line;
    const uint8_t *values;
    uint32_t waiter = cache_ready(sm->lsu.l1c, &line, &values);
    finish(sm, waiter, values, sm->setup.l1c->line_bytes);
    sm_note_ready(sm);
    return sm->lsu.ready >> SM_WB_CONST & 1;
}

static bool finish_l1d(struct sm *sm)
{
    const uint8_t *values;
    uint32_t waiter = l1_ready(&sm->lsu.l1d, &values);
    finish(sm, waiter, values, sm->lsu.l1d.line_bytes);
    sm_note_ready(sm);
    return sm->lsu.ready >> SM_WB_L1D & 1;
}

static bool finish_shared(struct sm *sm)
{
    uint32_t op = sm->lsu.shared_done.items[sm->lsu.shared_head++];
    if (sm->lsu.shared_head == sm->lsu.shared_done.count)
        sm->lsu.shared_head = 0, sm->lsu.shared_done.count = 0;
    core_write_banks(sm_core(sm, sm->ops.items[op].slot), &sm->ops.items[op]);
    sm_complete(sm, op);
    return sm->lsu.shared_done.count;
}

/* A result of a client of the writeback port is written. Returns whether it has another one. */
static inline bool finish_client(struct sm *sm, enum sm_writeback client)
{
    switch (client) {
    case SM_WB_SHARED:
        return finish_shared(sm);
    case SM_WB_BYPASS:
        return finish_bypass(sm);
    case SM_WB_CONST:
        return finish_const(sm);
    default:
        return finish_l1d(sm);
    }
}

/* Instructions that leave the shared memory pipeline queue for the writeback port. */
static void end_shared(struct sm *sm)
{
    uint32_t next;
    for (uint32_t op = core_wheel_take(&sm->lsu.shared, sm->agenda.now); op != CORE_NONE; op = next) {
        next = sm->ops.items[op].next;
        sm->lsu.shared.count--;
        made_progress(&sm->agenda);
        vec_push(&sm->lsu.shared_done, op);
    }
    if (!sm->lsu.shared.count)
        agenda_done(&sm->agenda, DUE_SHARED);
}

/* One result a cycle over the writeback port, clients round robin. */
HOT void sm_lsu_writeback(struct sm *sm)
{
    if (agenda_has(&sm->agenda, DUE_SHARED) && core_wheel_due(&sm->lsu.shared, sm->agenda.now))
        end_shared(sm);
    unsigned clients = sm_writeback_clients(sm), behind = clients & (~0u << sm->lsu.writeback_from);
    agenda_done(&sm->agenda, DUE_PORT);
    if (!clients)
        return;
    enum sm_writeback client = (enum sm_writeback)__builtin_ctz(behind ? behind : clients);
    made_progress(&sm->agenda);
    bool more = finish_client(sm, client);
    if (more || (clients & (clients - 1)))
        agenda_add(&sm->agenda, DUE_PORT);
    sm->lsu.writeback_from = (client + 1) % SM_WB_COUNT;
}

/* True: a try would be refused as the one before was, and only counted. */
static bool const_refuses(const struct sm *sm, const struct lsu_transaction *t)
{
    return cache_would_refuse(sm->lsu.l1c, t->address, t->bytes, packet_ring_room(&sm->lsu.l1c_queue));
}

static const struct lsu_transaction *pipe_head(const struct sm *sm)
{
    return &sm->lsu.pipe[sm->lsu.pipe_head].transaction;
}

static bool pipe_refused(const struct sm *sm)
{
    return sm->lsu.pipe_count && sm->lsu.pipe_refused;
}

static bool dispatch_refused(const struct sm *sm)
{
    return sm->lsu.op != CORE_NONE && sm->lsu.served == LSU_REFUSED;
}

/* Whether a cache counts how often the transaction in the dispatch register was refused: else it waits for something
 * else than a cache. */
static bool cache_counts(const struct sm *sm)
{
    const struct core_op *o = &sm->ops.items[sm->lsu.op];
    return o->access->space == ISA_SPACE_CONST || !(o->bypasses || sm->params->l1d_latency);
}

static bool dispatch_would_be_refused(const struct sm *sm)
{
    const struct lsu_transaction *t = &sm->lsu.list[sm->lsu.at];
    return sm->ops.items[sm->lsu.op].access->space == ISA_SPACE_CONST
               ? const_refuses(sm, t)
               : l1_would_refuse(&sm->lsu.l1d, t->address, t->bytes);
}

HOT void sm_count_refusals(struct sm *sm)
{
    agenda_step_after_progress(&sm->agenda);
    if (pipe_refused(sm))
        serve_l1d_pipe(sm);
    if (dispatch_refused(sm) && cache_counts(sm)) {
        move_dispatch(sm);
        contract(dispatch_refused(sm));
    }
}

HOT bool sm_must_retry(const struct sm *sm)
{
    const struct lsu_transaction *head = pipe_head(sm);
    if (pipe_refused(sm) && !l1_would_refuse(&sm->lsu.l1d, head->address, head->bytes))
        return true;
    return dispatch_refused(sm) && cache_counts(sm) && !dispatch_would_be_refused(sm);
}

HOT void sm_lsu(struct sm *sm)
{
    if (agenda_has(&sm->agenda, DUE_RESPONSE))
        take_response(sm);
    if (agenda_has(&sm->agenda, DUE_SEND))
        sm_send_requests(sm);
    if (agenda_has(&sm->agenda, DUE_PIPE))
        serve_l1d_pipe(sm);
    if (agenda_has(&sm->agenda, DUE_DISPATCH | DUE_REFUSED))
        move_dispatch(sm);
}

HOT void sm_lsu_expect(const struct sm *sm, const struct packet *p)
{
    if (p->kind != PACKET_READ)
        return;
    will_read(p->data);
    will_read(p->data + CACHE_LINE);
    if (!l1_keeps(&sm->lsu.l1d))
        cache_expect_fill(sm->lsu.l1d.cache, p->fill);
}

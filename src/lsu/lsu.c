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

#include "simt/copy.h"
#include "simt/image.h"
#include "simt/lanes.h"
#include "simt/lock.h"
#include "lsu/lsu.h"
#include "lsu/transactions.h"

HOT unsigned lsu_l1_event(const struct lsu *lsu, const struct simt_access *access)
{
    const struct isa_mods *mods = &access->instr->mods;
    return l1_event_of(&lsu->l1d, &(struct l1_ask){.kind = lsu_order_kind(access->kind),
                                                   .order = mods->order,
                                                   .scope = mods->scope,
                                                   .cache = mods->cache,
                                                   .own = access->space == ISA_SPACE_LOCAL});
}

/* The transaction in the dispatch register can enter the network by itself. */
static bool can_enter(const struct lsu *lsu)
{
    uint32_t bytes = lsu_entering_bytes(lsu);
    return bytes && lsu_has_room(lsu, bytes);
}

/* A transaction can go past the L1D now: in turn behind the L1D's requests, or at once. */
static bool can_pass(const struct lsu *lsu)
{
    return lsu->params->memory_in_order ? !l1_is_full(&lsu->l1d) : can_enter(lsu);
}

/* All values of an op are there. */
static inline void complete(struct lsu *lsu, uint32_t op)
{
    const struct core_op *o = &lsu->ops->items[op];
    if (RARELY(o->in_memory && o->access->samples && !o->performed))
        simt_texels_finish(&lsu->warp->slots[o->slot].simt, o->access);
    lsu->port->complete(lsu->sm, op);
}

/* A transaction of the op is answered, whose values go to the register banks in `cycle`: see core_write_banks. */
static void transaction_done(struct lsu *lsu, uint32_t op, uint64_t cycle)
{
    struct core_op *o = &lsu->ops->items[op];
    o->pending--;
    if (!o->pending && op != lsu->op) {
        core_write_banks(lsu_core(lsu, o->slot), o, cycle);
        complete(lsu, op);
    }
}

/* Hands the bytes of a line of line_bytes to the lanes of a transaction. Local memory's values are with the thread
 * already. */
HOT static void deliver(struct lsu *lsu, const struct lsu_transaction *t, const uint8_t *line, uint32_t line_bytes)
{
    const struct core_op *o = &lsu->ops->items[t->op];
    struct simt_access *access = o->access;
    if (access->space == ISA_SPACE_LOCAL || o->performed || !line || !t->lanes)
        return;
    if (RARELY(simt_access_copies(access))) {
        simt_copy_take(&lsu->warp->slots[o->slot].simt, access, t->lanes, line, line_bytes);
        return;
    }
    if (RARELY(access->samples)) {
        simt_texels_take(access, t->lanes, t->address, t->bytes, line, line_bytes);
        return;
    }
    simt_load_lanes(&lsu->warp->slots[o->slot].simt, access, t->lanes, line, line_bytes);
}

/* What goes to other blocks' shared memory is told to nobody. */
COLD NOT_INLINE void tell_answer(const struct lsu *lsu, const struct lsu_transaction *t)
{
    const struct core_op *o = &lsu->ops->items[t->op];
    if (o->access->space == ISA_SPACE_CLUSTER)
        return;
    watch_tell_answer(lsu->watch, &(struct lockstep_answer_event){.cycle = lsu->agenda->now,
                                                                  .warp = o->slot,
                                                                  .pc = (uint32_t)(o->decoded - lsu->warp->decoded),
                                                                  .address = t->address,
                                                                  .bytes = t->bytes,
                                                                  .mask = t->lanes});
}

/* A transaction that waited has its values: they go to its lanes. */
HOT static void finish(struct lsu *lsu, uint32_t waiter, const uint8_t *line, uint32_t line_bytes)
{
    struct lsu_transaction t = take_transaction(lsu, waiter);
    deliver(lsu, &t, line, line_bytes);
    if (RARELY(watch_hears(lsu->watch, WATCH_answer)))
        tell_answer(lsu, &t);
    transaction_done(lsu, t.op, lsu->agenda->now);
}

/* A load through the constant cache, in which nobody writes. Returns false when it must be tried again. */
HOT_INLINE bool load_const(struct lsu *lsu, const struct lsu_transaction *t)
{
    struct cache_effect effect;
    uint32_t room = packet_ring_room(&lsu->l1c_queue);
    if (cache_refuses_again(lsu->l1c, t->address, t->bytes, room))
        return false;
    enum cache_result result = cache_read(lsu->l1c, t->address, t->bytes, next_transaction(lsu), room, &effect);
    if (result == CACHE_REFUSED)
        return false;
    if (result == CACHE_HIT) {
        deliver(lsu, t, cache_data(lsu->l1c, effect.line), lsu->const_line);
        transaction_done(lsu, t->op, lsu->agenda->now + 1);
        return true;
    }
    keep_transaction(lsu, t);
    if (result == CACHE_MISS) {
        struct packet *p = packet_new(&lsu->net.packets, PACKET_READ);
        p->space = PACKET_CONST;
        p->address = effect.fill_address;
        p->bytes = (uint8_t)effect.fill_bytes;
        read_of(p)->fill = (uint16_t)effect.fill;
        lsu_request(lsu, &lsu->l1c_queue, p);
    }
    return true;
}

/* A store takes its bytes along to the L2. Local memory's values stay here. */
static void fill_store(struct lsu *lsu, const struct core_op *o, const struct lsu_transaction *t,
                       struct message_write *m)
{
    struct warp_slot *warp = &lsu->warp->slots[o->slot];
    if (m->packet.space == PACKET_LOCAL)
        return;
    lsu_store_bytes(o->access, t, m);
    m->how = o->performed ? PACKET_PERFORMED : 0;
    if (l1_has_store(&lsu->l1d, o->event))
        return;
    m->slot = o->slot;
    m->epoch = o->epoch;
    m->how |= warp->stores_out ? PACKET_FOLLOWS : 0;
    warp_store_left(lsu->warp, o->slot);
    if (!lsu->params->exit_waits_stores)
        m->life = warp_store_posted(lsu->warp, o->slot);
    block_order_add(&lsu->blocks[warp->block].order, o->epoch);
}

/* A request of the transaction's own gets its values. */
HOT_INLINE void complete_request(struct lsu *lsu, const struct core_op *o, const struct lsu_transaction *t,
                                 struct packet *p)
{
    access_of(p)->order = o->access->instr->mods.order;
    access_of(p)->scope = o->access->instr->mods.scope;
    if (p->kind == PACKET_ATOMIC)
        lsu_fill_atomic(lsu, o, t, atomic_of(p));
    else if (p->kind == PACKET_WRITE)
        fill_store(lsu, o, t, write_of(p));
    else if (RARELY(lsu->early.on))
        lsu_early_ask(lsu, o, t, read_of(p));
}

/* Names the kind of request that the access makes. */
NOT_INLINE void name_request(const struct simt_access *access, struct l1_access *a)
{
    a->own = access->space == ISA_SPACE_LOCAL;
    a->kind = access->kind == ISA_FLAG_LOAD                ? PACKET_READ
              : access->kind == ISA_FLAG_ATOMIC && !a->own ? PACKET_ATOMIC
                                                           : PACKET_WRITE;
}

/* The L1D took the first bytes of a transaction alone: they become a transaction of their own, which is returned, and t
 * is the rest. Lanes of local memory and of textures may have words in both. */
NOT_INLINE struct lsu_transaction split_off(struct lsu *lsu, struct lsu_transaction *t, uint32_t bytes)
{
    struct core_op *o = &lsu->ops->items[t->op];
    struct lsu_transaction first = *t;
    first.bytes = bytes;
    t->address += bytes;
    t->bytes -= bytes;
    if (o->access->space != ISA_SPACE_LOCAL && !o->access->samples) {
        for (uint64_t rest = first.lanes; rest; rest &= rest - 1)
            if (o->access->address[mask_first(rest)] < t->address)
                t->lanes &= ~(rest & -rest);
        first.lanes &= ~t->lanes;
    }
    o->pending++;
    made_progress(lsu->agenda);
    return first;
}

/* The L1D took a transaction; misses: those of the L1D before. */
HOT_INLINE void note_served(struct lsu *lsu, const struct lsu_transaction *t, const struct l1_access *access,
                            enum l1_served served, uint64_t misses)
{
    const struct core_op *o = &lsu->ops->items[t->op];
    if (RARELY(lsu->locality))
        lsu_locality_accessed(lsu->locality, &lsu->l1d, o->slot, t->address, misses);
    if (RARELY(watch_hears(lsu->watch, WATCH_transaction)))
        lsu_tell_transaction(lsu, o, t, served == L1_WAITS);
    if (lsu->l1d.requests.count)
        agenda_add(lsu->agenda, DUE_SEND);
    if (served == L1_WAITS) {
        keep_transaction(lsu, t);
        return;
    }
    deliver(lsu, t, access->values, lsu->l1d.line_bytes);
    if (lsu->params->l1d_hit_latency && o->access->kind != ISA_FLAG_STORE)
        hold_hit(lsu, t->op);
    else
        transaction_done(lsu, t->op, lsu->agenda->now + 1);
}

static void end_hits(struct lsu *lsu)
{
    struct lsu_hit hit;
    if (!take_hit(lsu, &hit))
        return;
    made_progress(lsu->agenda);
    lsu->ops->items[hit.op].pending -= (uint16_t)(hit.transactions - 1);
    transaction_done(lsu, hit.op, lsu->agenda->now + 1);
}

/* An access at the L1D's door. Returns false when it, or what is left of it, must be tried again. */
HOT static bool serve_l1d(struct lsu *lsu, struct lsu_transaction *t)
{
    struct lsu_transaction first;
    const struct core_op *o = &lsu->ops->items[t->op];
    struct l1_access access;
    access.address = t->address;
    access.bytes = t->bytes;
    access.waiter = next_transaction(lsu);
    access.event = o->event;
    if (RARELY(l1_keeps(&lsu->l1d)))
        name_request(o->access, &access);
    uint64_t misses = RARELY(lsu->locality) ? l1_misses(&lsu->l1d) : 0;
    enum l1_served served = l1_access(&lsu->l1d, &access);
    if (access.request)
        complete_request(lsu, o, t, access.request);
    if (access.submit && o->event == AGENT_RELAXED_EVENT && access_of(access.request)->order <= ISA_ORDER_WEAK)
        access_of(access.request)->order = ISA_ORDER_RELAXED; /* past the L1D: it takes its turn with what orders */
    if (access.submit)
        l1_submit(&lsu->l1d, access.request, access.event);
    if (RARELY(l1_keeps(&lsu->l1d)))
        lsu_l1_changed(lsu); /* also when it refuses: it may have begun to make room for the access */
    if (served == L1_REFUSED) {
        made_progress_if(lsu->agenda, l1_keeps(&lsu->l1d) && !l1_would_refuse(&lsu->l1d, t->address, t->bytes));
        return false;
    }
    bool rest = RARELY(access.bytes < t->bytes);
    if (rest)
        first = split_off(lsu, t, access.bytes);
    note_served(lsu, rest ? &first : t, &access, served, misses);
    return !rest || serve_l1d(lsu, t);
}

/* An access goes past the L1D. Returns false when there is no room. */
HOT_INLINE bool pass_l1d(struct lsu *lsu, const struct core_op *o, const struct lsu_transaction *t)
{
    struct packet *p = l1_pass(&lsu->l1d, o->event, t->address, t->bytes, next_transaction(lsu));
    if (!p)
        return false;
    complete_request(lsu, o, t, p);
    if (!lsu->params->memory_in_order)
        lsu_send(lsu, p);
    if (lsu->l1d.requests.count)
        agenda_add(lsu->agenda, DUE_SEND);
    keep_transaction(lsu, t);
    return true;
}

/* An access to the shared memory of another block of the cluster. Returns false when there is no room. */
NOT_INLINE bool ask_block(struct lsu *lsu, const struct core_op *o, const struct lsu_transaction *t)
{
    bool store = o->access->kind == ISA_FLAG_STORE;
    if (!lsu_cluster_has_place(lsu))
        return false;
    struct packet *p = packet_new(&lsu->net.packets, store                                ? PACKET_WRITE
                                                     : o->access->kind == ISA_FLAG_ATOMIC ? PACKET_ATOMIC
                                                                                          : PACKET_READ);
    p->address = t->address;
    p->bytes = (uint8_t)t->bytes;
    access_of(p)->waiter = next_transaction(lsu);
    access_of(p)->order = o->access->instr->mods.order;
    access_of(p)->scope = o->access->instr->mods.scope;
    if (p->kind == PACKET_ATOMIC)
        lsu_fill_atomic(lsu, o, t, atomic_of(p));
    if (store)
        lsu_fill_block_store(lsu, o, t, write_of(p));
    unsigned rank = LANE_SHARED_RANK(t->address);
    lsu_cluster_ask(lsu, p, lsu->port->peer(lsu->sm, o->slot, rank, &p->local));
    if (store)
        transaction_done(lsu, t->op, lsu->agenda->now + 1);
    else
        keep_transaction(lsu, t);
    return true;
}

/* Packets are made for an instruction from now on; NULL: for none. */
static inline void ask_for(struct lsu *lsu, const struct core_op *o)
{
    if (RARELY(watch_hears(lsu->watch, WATCH_served)))
        lsu->net.packets.origin = o ? ((uint32_t)(o->decoded - lsu->warp->decoded) + 1) * WARP_SLOTS + o->slot : 0;
}

/* Sends an access on its way to the L1D, which takes sm.l1d_latency cycles. */
static enum lsu_served enter_l1d_pipe(struct lsu *lsu, const struct lsu_transaction *t)
{
    uint32_t size = lsu->pipe_size, at = lsu->pipe_head + lsu->pipe_count;
    if (lsu->pipe_count == size)
        return LSU_NO_PLACE;
    lsu->pipe[at < size ? at : at - size] = (struct lsu_delayed){*t, lsu->agenda->now + lsu->params->l1d_latency};
    lsu->pipe_count++;
    agenda_add(lsu->agenda, DUE_PIPE);
    return LSU_SERVED;
}

/* The first access of the pipe comes to the tags. Returns whether they took it. */
HOT_INLINE bool serve_pipe_head(struct lsu *lsu)
{
    struct lsu_delayed *head = &lsu->pipe[lsu->pipe_head];
    if (head->ready > lsu->agenda->now || (lsu->pipe_refused && stands_still(lsu->agenda)))
        return false;
    /* The L1D remembers refused reads alone, and nothing else comes to the tags before this access is taken: so a
     * refusal that it remembers is of this one. */
    if (lsu->pipe_refused && l1_refuses_again(&lsu->l1d, head->transaction.address, head->transaction.bytes))
        return false;
    ask_for(lsu, &lsu->ops->items[head->transaction.op]);
    lsu->pipe_refused = !serve_l1d(lsu, &head->transaction);
    ask_for(lsu, NULL);
    if (lsu->pipe_refused)
        return false;
    made_progress(lsu->agenda);
    lsu->pipe_head = lsu->pipe_head + 1 < lsu->pipe_size ? lsu->pipe_head + 1 : 0;
    if (!--lsu->pipe_count)
        agenda_done(lsu->agenda, DUE_PIPE);
    if (lsu->served == LSU_NO_PLACE)
        agenda_add(lsu->agenda, DUE_REFUSED);
    return true;
}

/* In one cycle the tags look up as many lines of an instruction as they can. */
NOT_INLINE void serve_more_of_pipe(struct lsu *lsu, uint32_t op)
{
    for (uint32_t i = 1; i < lsu->params->l1_lookups; i++)
        if (!lsu->pipe_count || lsu->pipe[lsu->pipe_head].transaction.op != op || !serve_pipe_head(lsu))
            return;
}

HOT static void serve_l1d_pipe(struct lsu *lsu)
{
    uint32_t op = lsu->pipe[lsu->pipe_head].transaction.op;
    if (serve_pipe_head(lsu) && RARELY(lsu->params->l1_lookups > 1))
        serve_more_of_pipe(lsu, op);
}

/* True: an access that goes past the L1D has to wait for accesses in the pipe. It must not overtake one to the same
 * line; nor one that the tags have refused, which may need several places in the queue of misses: those that go past
 * would take each place as it comes free, and warps that spin by atomics would keep the refused access waiting for
 * ever. (An L1D that keeps what it has written may refuse an access until one that goes past has been answered.) */
static bool follows_in_pipe(const struct lsu *lsu, const struct lsu_transaction *t)
{
    if (lsu->pipe_refused && !l1_keeps(&lsu->l1d))
        return true;
    for (uint32_t i = 0; i < lsu->pipe_count; i++)
        if (lsu->pipe[(lsu->pipe_head + i) % lsu->pipe_size].transaction.address / PACKET_LINE_BYTES ==
            t->address / PACKET_LINE_BYTES)
            return true;
    return false;
}

static enum lsu_served served_if(bool served)
{
    return served ? LSU_SERVED : LSU_REFUSED;
}

static enum lsu_served serve_transaction(struct lsu *lsu, const struct core_op *o, struct lsu_transaction *t)
{
    if (o->access->space == ISA_SPACE_CONST)
        return served_if(load_const(lsu, t));
    if (RARELY(o->access->space == ISA_SPACE_CLUSTER))
        return served_if(ask_block(lsu, o, t));
    if (o->bypasses) {
        if (lsu->params->memory_in_order && follows_in_pipe(lsu, t))
            return LSU_REFUSED;
        return served_if(can_pass(lsu) && pass_l1d(lsu, o, t));
    }
    return lsu->params->l1d_latency ? enter_l1d_pipe(lsu, t) : served_if(serve_l1d(lsu, t));
}

/* The op ends in so many cycles: shared memory's pipeline has it until then. Its wheel does not look as far ahead as a
 * loop of many passes takes: such an op comes out before, and goes round again for the rest (end_shared). */
static void delay(struct lsu *lsu, uint32_t op, uint32_t cycles)
{
    if (RARELY(cycles > lsu->shared.mask)) {
        lsu->ops->items[op].pending = (uint16_t)(cycles - lsu->shared.mask);
        cycles = lsu->shared.mask;
    }
    core_wheel_add(lsu->ops, &lsu->shared, lsu->agenda->now + cycles, op);
    agenda_add(lsu->agenda, DUE_SHARED);
}

/* A load of constant memory; kernels' parameters are operands of machine instructions, and take no time of their own.
 */
static bool is_constant(const struct core_op *o)
{
    return o->in_memory && o->access->space == ISA_SPACE_CONST && o->access->instr->mods.space != ISA_SPACE_PARAM;
}

static void leave_dispatch(struct lsu *lsu)
{
    uint32_t op = lsu->op;
    const struct core_op *o = &lsu->ops->items[op];
    lsu->op = CORE_NONE;
    if (o->pending)
        return;
    if (RARELY(lsu->params->constant_latency) && is_constant(o))
        delay(lsu, op, lsu->params->constant_latency);
    else if (RARELY(o->performed && !o->in_memory)) /* sm_keep_command */
        delay(lsu, op, lsu->params->bulk_issue);
    else
        complete(lsu, op);
}

/* A wait for an mbarrier's phase. */
static bool is_wait(const struct core_op *o)
{
    return o->access->op->pred_dst_count;
}

/* In a launch with clusters: where the block's own shared memory is found out to be meant, that takes time. */
static uint32_t own_cycles(const struct lsu *lsu, uint32_t op)
{
    const struct simt_op *own = lsu->ops->items[op].access->op;
    return own->kind == SIMT_KIND_MEMORY && own->form.space != ISA_SPACE_SHARED ? lsu->params->cluster_own_cycles : 0;
}

static void serve_shared(struct lsu *lsu)
{
    uint32_t op = lsu->op;
    made_progress(lsu->agenda);
    if (lsu->cycles > 1) {
        lsu->cycles--;
        return;
    }
    lsu->op = CORE_NONE;
    if (lsu->ops->items[op].access->kind == ISA_FLAG_STORE) {
        lsu->port->complete(lsu->sm, op);
    } else {
        const struct core_op *o = &lsu->ops->items[op];
        bool waits = RARELY(o->access->op->kind == SIMT_KIND_MBARRIER) && is_wait(o);
        const struct sm_params *p = lsu->params;
        uint32_t look = p->mbarrier_look ? p->mbarrier_look : lsu->after + p->mbarrier_latency;
        delay(lsu, op, (waits ? look : lsu->after) + (RARELY(lsu->launch.clusters) ? own_cycles(lsu, op) : 0));
    }
}

/* Tries the next transaction in the dispatch register; returns whether it was served. */
HOT_INLINE bool serve_next(struct lsu *lsu)
{
    const struct core_op *o = &lsu->ops->items[lsu->op];
    ask_for(lsu, o);
    lsu->served = (uint8_t)serve_transaction(lsu, o, &lsu->list[lsu->at]);
    ask_for(lsu, NULL);
    lsu->at += lsu->served == LSU_SERVED;
    return lsu->served == LSU_SERVED;
}

/* Further lines of the instruction are looked up in the cycle of the first. */
NOT_INLINE void serve_more(struct lsu *lsu)
{
    if (lsu->at == lsu->count)
        return;
    for (uint32_t i = 1, most = lsu_lookups(lsu, &lsu->ops->items[lsu->op]); i < most && lsu->at < lsu->count; i++)
        if (!serve_next(lsu))
            return;
}

/* The instruction in the dispatch register moves on, by one transaction where the L1D does not look up several. */
HOT static void serve_dispatch(struct lsu *lsu)
{
    if (lsu->cycles) {
        serve_shared(lsu);
        return;
    }
    if (RARELY(lsu->banks)) {
        lsu->banks--;
        made_progress(lsu->agenda);
        return;
    }
    if (lsu->served != LSU_SERVED && stands_still(lsu->agenda) && !can_enter(lsu))
        return;
    if (lsu->at < lsu->count && !serve_next(lsu))
        return;
    made_progress(lsu->agenda);
    if (RARELY(lsu->params->l1_lookups > 1))
        serve_more(lsu);
    if (lsu->at != lsu->count)
        return;
    if (RARELY(lsu->behind)) {
        lsu_coalesce_behind(lsu, lsu->op);
        lsu->ops->items[lsu->op].pending += (uint16_t)lsu->count;
    } else {
        leave_dispatch(lsu);
    }
}

struct core *lsu_core_of_several(const struct lsu *lsu)
{
    unsigned count = (unsigned)(lsu->core_end - lsu->core);
    for (unsigned i = 0; i < (lsu->line ? 1 : count); i++) {
        struct core *core = lsu->core + (lsu->line ? core_line_first(lsu->line) : (lsu->next_core + i) % count);
        if (core_has_access(core))
            return core;
    }
    return NULL;
}

/* The cores' oldest memory instruction or, where they need not keep their order, that of the next core which has one.
 */
static uint32_t take_access(struct lsu *lsu)
{
    struct core *core = lsu_next_core(lsu);
    if (lsu->line)
        core_line_pop(lsu->line);
    lsu->next_core = (unsigned)(core + 1 == lsu->core_end ? 0 : core + 1 - lsu->core);
    return core_take_access(core);
}

HOT static void take_dispatch(struct lsu *lsu)
{
    uint32_t op = take_access(lsu);
    made_progress(lsu->agenda);
    lsu->served = LSU_SERVED;
    lsu->op = op;
    lsu_coalesce(lsu, op);
    struct core_op *o = &lsu->ops->items[op];
    o->pending = o->in_memory && o->access->space != ISA_SPACE_SHARED ? (uint16_t)lsu->count : 0;
}

/* The dispatch register: its instruction goes on, and leaves its place to the next. One that waits for a place on the
 * way to the L1D is left alone until there is one. */
static inline void move_dispatch(struct lsu *lsu)
{
    if (lsu->op != CORE_NONE)
        serve_dispatch(lsu);
    if (lsu->op == CORE_NONE && lsu_next_core(lsu))
        take_dispatch(lsu);
    agenda_done(lsu->agenda, DUE_DISPATCH | DUE_REFUSED);
    if (lsu->op != CORE_NONE && lsu->served != LSU_NO_PLACE)
        agenda_add(lsu->agenda, lsu->served == LSU_REFUSED ? DUE_REFUSED : DUE_DISPATCH);
}

/* True: the next response is the L1D's own. Responses of the L1D and of the network alternate, or warps that spin on a
 * line that the L1D has would hold up all others for ever. */
static bool own_is_next(const struct lsu *lsu)
{
    return l1_has_done(&lsu->l1d) && !(lsu->own_was_last && lsu->responses.count);
}

static const struct packet *first_response(const struct lsu *lsu)
{
    return own_is_next(lsu) ? l1_first_done(&lsu->l1d) : packet_ring_peek(&lsu->responses);
}

static struct packet *pop_response(struct lsu *lsu)
{
    bool own = own_is_next(lsu);
    struct packet *p = own ? l1_take_done(&lsu->l1d) : packet_ring_pop(&lsu->responses);
    if (!own && RARELY(watch_hears(lsu->watch, WATCH_served)) && p->space != PACKET_SHARED)
        lsu_tell_served(lsu, p);
    lsu->own_was_last = own;
    if (!lsu->responses.count && !l1_has_done(&lsu->l1d))
        agenda_done(lsu->agenda, DUE_RESPONSE);
    return p;
}

/* A reply comes to something that the L1D has asked for itself, or to a write of its own. The reply goes to the L1D
 * when it has left the queue: that may answer accesses now. */
static void take_l1_reply(struct lsu *lsu)
{
    struct packet *p = pop_response(lsu);
    l1_reply(&lsu->l1d, p);
    packet_free(&lsu->net.packets, p);
    lsu_check_flushes(lsu);
    lsu_l1_changed(lsu);
}

/* A part of a store is acknowledged; awaited: the warp may have waited for it. */
static void end_store(struct lsu *lsu, unsigned slot, uint8_t epoch, bool awaited)
{
    warp_store_acknowledged(lsu->warp, slot);
    lsu_performed(lsu, lsu->warp->slots[slot].block, epoch);
    if (awaited)
        lsu->port->warp_rests(lsu->sm, slot);
}

/* The L2 has taken a store of a warp. One that has ended may not wait for it, and once its block has retired nobody counts
 * it. */
static void end_global_store(struct lsu *lsu, const struct message_write *m)
{
    const struct warp_slot *warp = &lsu->warp->slots[m->slot];
    bool posted = !lsu->params->exit_waits_stores;
    if (posted && !warp_posted_acknowledged(lsu->warp, m->slot, m->life))
        return;
    end_store(lsu, m->slot, m->epoch, !(posted && mask_has(lsu->warp->finished, m->slot) && warp_may_leave(warp)));
}

static void take_l1d_fill(struct lsu *lsu, const struct packet *p)
{
    uint32_t waiter = l1_fill(&lsu->l1d, p);
    will_read(&lsu->transactions.items[waiter]);
    if (RARELY(lsu->locality))
        lsu_locality_filled(lsu->locality, &lsu->l1d, lsu->ops->items[lsu->transactions.items[waiter].op].slot);
}

/* A block of the cluster has answered. */
NOT_INLINE void take_block_answer(struct lsu *lsu, const struct packet *p)
{
    bool absent = access_of(p)->event == LSU_MESSAGE_ABSENT;
    if (p->kind == PACKET_WRITE) {
        const struct message_write *m = write_of(p);
        if (absent)
            lsu->port->absent(lsu->sm, m->slot, m->waiter, m->entry, p->address);
        end_store(lsu, m->slot, m->epoch, true);
        packet_free(&lsu->net.packets, pop_response(lsu));
        return;
    }
    if (lsu->bypass_reply)
        return;
    const struct lsu_transaction *t = &lsu->transactions.items[access_of(p)->waiter];
    const struct core_op *o = &lsu->ops->items[t->op];
    if (absent)
        lsu->port->absent(lsu->sm, o->slot, o->access->pc, mask_first(t->lanes), p->address);
    lsu->bypass_reply = pop_response(lsu);
}

/* One reply leaves the load/store unit's queue: acknowledgements end stores, fills go to their cache, bypass replies
 * wait for the writeback port. */
static void take_response(struct lsu *lsu)
{
    const struct packet *p = first_response(lsu);
    made_progress(lsu->agenda);
    agenda_add(lsu->agenda, DUE_PORT);
    if (RARELY(p->of_copy)) {
        struct packet *taken = pop_response(lsu);
        lsu->port->copied(lsu->sm, taken);
        packet_free(&lsu->net.packets, taken);
        return;
    }
    if (RARELY(p->space == PACKET_SHARED)) {
        take_block_answer(lsu, p);
        return;
    }
    if (p->space == PACKET_CONST) {
        will_read(&lsu->transactions.items[cache_take_fill(lsu->l1c, read_of(p)->fill, packet_data(p))]);
        lsu_note_ready(lsu);
        packet_free(&lsu->net.packets, pop_response(lsu));
        return;
    }
    switch (l1_arrival_of(&lsu->l1d, p)) {
    case L1_ITS_OWN:
        take_l1_reply(lsu);
        return;
    case L1_ACKNOWLEDGED:
        if (write_of(p)->slot != PACKET_NO_SLOT)
            end_global_store(lsu, write_of(p));
        break;
    case L1_FILLED:
        take_l1d_fill(lsu, p);
        lsu_note_ready(lsu);
        break;
    case L1_ANSWERED:
        if (lsu->bypass_reply)
            return;
        lsu->bypass_reply = pop_response(lsu);
        l1_answered(&lsu->l1d, lsu->bypass_reply);
        return;
    }
    struct packet *taken = pop_response(lsu);
    l1_answered(&lsu->l1d, taken);
    packet_free(&lsu->net.packets, taken);
}

NOT_INLINE void finish_parts(struct simt_warp *warp, const struct simt_access *access, const struct message_atomic *m)
{
    for (unsigned i = 0; i < m->lane_count; i++) {
        const struct packet_lane *l = &m->lanes[i];
        simt_atomic_lane_part(warp, access, l->lane, simt_atomic_part(access, l->lane, l->offset), l->operand);
    }
}

/* An atomic is answered: its lanes get the old values. */
static void finish_atomic(struct lsu *lsu, const struct message_atomic *m)
{
    struct lsu_transaction t = take_transaction(lsu, m->waiter);
    const struct core_op *o = &lsu->ops->items[t.op];
    lsu->port->answered(lsu->sm, o, m);
    if (RARELY(o->access->elements > 1))
        finish_parts(&lsu->warp->slots[o->slot].simt, o->access, m);
    else
        for (unsigned i = 0; i < m->lane_count && !m->no_return && m->lock != PACKET_LOCK_LEAVE; i++)
            simt_atomic_lane(&lsu->warp->slots[o->slot].simt, o->access, m->lanes[i].lane, m->lanes[i].operand);
    if (RARELY(m->lock == PACKET_LOCK_TAKE))
        lsu->port->lock_answered(lsu->sm, o, m->lanes[0].lane, false);
    else if (RARELY(m->lock == PACKET_LOCK_LEAVE && !m->lanes[0].operand))
        lsu->port->lock_answered(lsu->sm, o, m->lanes[0].lane, true);
    if (RARELY(watch_hears(lsu->watch, WATCH_answer)))
        tell_answer(lsu, &t);
    transaction_done(lsu, t.op, lsu->agenda->now);
}

static bool finish_bypass(struct lsu *lsu)
{
    struct packet *p = lsu->bypass_reply;
    if (p->kind == PACKET_ATOMIC)
        finish_atomic(lsu, atomic_of(p));
    else
        finish(lsu, access_of(p)->waiter, p->kind == PACKET_READ ? packet_data(p) : NULL, PACKET_LINE_BYTES);
    lsu->bypass_reply = NULL;
    packet_free(&lsu->net.packets, p);
    return false;
}

static bool finish_const(struct lsu *lsu)
{
    uint32_t line;
    const uint8_t *values;
    uint32_t waiter = cache_ready(lsu->l1c, &line, &values);
    finish(lsu, waiter, values, lsu->const_line);
    lsu_note_ready(lsu);
    return lsu->ready >> LSU_CLIENT_const & 1;
}

static bool finish_l1d(struct lsu *lsu)
{
    const uint8_t *values;
    uint32_t waiter = l1_ready(&lsu->l1d, &values);
    finish(lsu, waiter, values, lsu->l1d.line_bytes);
    lsu_note_ready(lsu);
    return lsu->ready >> LSU_CLIENT_l1d & 1;
}

static bool finish_shared(struct lsu *lsu)
{
    uint32_t op = lsu->shared_done.items[lsu->shared_head++];
    if (lsu->shared_head == lsu->shared_done.count)
        lsu->shared_head = 0, lsu->shared_done.count = 0;
    if (RARELY(lsu->ops->items[op].blocks == CORE_BLOCKS_PHASE) && lsu->port->suspends(lsu->sm, op))
        return lsu->shared_done.count;
    core_write_banks(lsu_core(lsu, lsu->ops->items[op].slot), &lsu->ops->items[op], lsu->agenda->now);
    lsu->port->complete(lsu->sm, op);
    return lsu->shared_done.count;
}

/* A result of a client of the writeback port is written. Returns true when it has another one. */
static inline bool finish_client(struct lsu *lsu, enum lsu_client client)
{
    switch (client) {
#define CLIENT(name, doc)                                                                                              \
    case LSU_CLIENT_##name:                                                                                            \
        return finish_##name(lsu);
#include "lsu/clients.def"
#undef CLIENT
    default:
        return false;
    }
}

/* Instructions that leave the shared memory pipeline queue for the writeback port. */
static void end_shared(struct lsu *lsu)
{
    uint32_t next;
    for (uint32_t op = core_wheel_take(&lsu->shared, lsu->agenda->now); op != CORE_NONE; op = next) {
        next = lsu->ops->items[op].next;
        lsu->shared.count--;
        if (RARELY(lsu->ops->items[op].pending)) {
            uint32_t rest = lsu->ops->items[op].pending;
            lsu->ops->items[op].pending = 0;
            delay(lsu, op, rest);
            continue;
        }
        made_progress(lsu->agenda);
        vec_push(&lsu->shared_done, op);
    }
    if (!lsu->shared.count)
        agenda_done(lsu->agenda, DUE_SHARED);
}

/* One result a cycle over the writeback port, clients round robin. */
HOT void lsu_writeback(struct lsu *lsu)
{
    if (agenda_has(lsu->agenda, DUE_SHARED) && core_wheel_due(&lsu->shared, lsu->agenda->now))
        end_shared(lsu);
    unsigned clients = lsu_clients(lsu), behind = clients & (~0u << lsu->writeback_from);
    agenda_done(lsu->agenda, DUE_PORT);
    if (!clients)
        return;
    enum lsu_client client = (enum lsu_client)__builtin_ctz(behind ? behind : clients);
    made_progress(lsu->agenda);
    bool more = finish_client(lsu, client);
    if (more || (clients & (clients - 1)))
        agenda_add(lsu->agenda, DUE_PORT);
    lsu->writeback_from = (client + 1) % LSU_CLIENT_COUNT;
}

/* True: a try would be refused as the one before was, and only counted. */
static bool const_refuses(const struct lsu *lsu, const struct lsu_transaction *t)
{
    return cache_would_refuse(lsu->l1c, t->address, t->bytes, packet_ring_room(&lsu->l1c_queue));
}

static const struct lsu_transaction *pipe_head(const struct lsu *lsu)
{
    return &lsu->pipe[lsu->pipe_head].transaction;
}

static bool pipe_refused(const struct lsu *lsu)
{
    return lsu->pipe_count && lsu->pipe_refused;
}

static bool dispatch_refused(const struct lsu *lsu)
{
    return lsu->op != CORE_NONE && lsu->served == LSU_REFUSED;
}

/* True: a cache counts how often the transaction in the dispatch register was refused. Else it waits for something
 * else than a cache. */
static bool cache_counts(const struct lsu *lsu)
{
    const struct core_op *o = &lsu->ops->items[lsu->op];
    return o->access->space == ISA_SPACE_CONST || !(o->bypasses || lsu->params->l1d_latency);
}

static bool dispatch_would_be_refused(const struct lsu *lsu)
{
    const struct lsu_transaction *t = &lsu->list[lsu->at];
    return lsu->ops->items[lsu->op].access->space == ISA_SPACE_CONST ? const_refuses(lsu, t)
                                                                     : l1_would_refuse(&lsu->l1d, t->address, t->bytes);
}

void lsu_end_writes(struct lsu *lsu)
{
    if (!l1_end_kernel(&lsu->l1d))
        return;
    made_progress(lsu->agenda);
    lsu_l1_changed(lsu);
}

HOT void lsu_count_refusals(struct lsu *lsu)
{
    agenda_step_after_progress(lsu->agenda);
    if (pipe_refused(lsu))
        serve_l1d_pipe(lsu);
    if (dispatch_refused(lsu) && cache_counts(lsu)) {
        move_dispatch(lsu);
        contract(dispatch_refused(lsu));
    }
}

HOT bool lsu_must_retry(const struct lsu *lsu)
{
    const struct lsu_transaction *head = pipe_head(lsu);
    if (pipe_refused(lsu) && !l1_would_refuse(&lsu->l1d, head->address, head->bytes))
        return true;
    return dispatch_refused(lsu) && cache_counts(lsu) && !dispatch_would_be_refused(lsu);
}

HOT void lsu_step(struct lsu *lsu)
{
    if (agenda_has(lsu->agenda, DUE_RESPONSE))
        take_response(lsu);
    if (agenda_has(lsu->agenda, DUE_SEND))
        lsu_send_requests(lsu);
    if (agenda_has(lsu->agenda, DUE_HIT))
        end_hits(lsu);
    if (agenda_has(lsu->agenda, DUE_PIPE))
        serve_l1d_pipe(lsu);
    bool used = RARELY(agenda_has(lsu->agenda, DUE_MESSAGE | DUE_COMING)) && lsu_cluster_step(lsu);
    if (agenda_has(lsu->agenda, DUE_DISPATCH | DUE_REFUSED) && !(used && lsu->op != CORE_NONE && lsu->cycles))
        move_dispatch(lsu);
}

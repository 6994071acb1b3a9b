/* The actions of an L1 (coherence/l1_actions.def), and the doors that step its protocol's table. */
#include "memory/l1.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/hot.h"
#include "isa/mod_values.h"
#include "memory/byte_mask.h"

/* An access under way: the environment of the table's actions. */
struct attempt {
    struct l1 *l1;
    struct l1_access *access;
    struct packet *probe;            /* instead of an access */
    const struct message_read *fill; /* likewise: what was fetched */
    uint32_t waiter;                 /* of the fill: the first one */
    unsigned state;                  /* enum cache_presence, or COHERENCE_ANY */
    enum l1_served served;
    bool hit; /* a store whose line was there */
};

/* The action that cache_read takes by itself, by presence of the line. */
static const uint8_t reads[CACHE_PRESENCES] = {L1_FETCH, L1_JOIN, L1_SERVE, L1_SERVE};

/* Leases: an L1 is told of those that are over before anything else comes to it. Until then nobody can see that one has
 * not ended in its cycle. */

static void begin_lease(void *context, uint32_t line)
{
    struct l1 *l1 = context;
    leases_begin(l1->leases, line, *l1->now);
}

NOT_INLINE void take_leases(struct l1 *l1)
{
    uint32_t line;
    while ((line = leases_take(l1->leases, *l1->now)) != LEASES_NONE)
        agent_time_passed(l1->agent, line);
}

HOT_INLINE void end_leases(struct l1 *l1)
{
    if (l1->leases)
        take_leases(l1);
}

static void make_agent(struct l1 *l1, const struct l1_setup *setup, struct arena *arena)
{
    contract(setup->in_order && !setup->timing_only);
    l1->agent = ARENA_NEW(arena, struct agent, 1);
    agent_init(l1->agent,
               &(struct agent_setup){.protocol = setup->protocol,
                                     .cache = setup->cache,
                                     .packets = setup->packets,
                                     .requests = &l1->requests,
                                     .answers = &l1->answers,
                                     .stats = cache_stats_of(l1->cache),
                                     .queue_lines = setup->store_queue,
                                     .rprio = setup->rprio,
                                     .host = {begin_lease, l1}},
               arena);
    if (coherence_table_has(setup->protocol->registration->agent, AGENT_DO_LEASE)) {
        l1->leases = ARENA_NEW(arena, struct leases, 1);
        leases_init(l1->leases, setup->cache->sets * setup->cache->ways, setup->lease, arena);
    }
    l1->side = &l1->agent->side;
}

void l1_init(struct l1 *l1, const struct l1_setup *setup, struct arena *arena)
{
    *l1 = (struct l1){.cache = cache_create(setup->cache, true, arena),
                      .packets = setup->packets,
                      .side = ARENA_NEW(arena, struct coherence_side, 1),
                      .protocol = setup->protocol,
                      .now = setup->now,
                      .line_bytes = setup->cache->line_bytes,
                      .rules = setup->rules,
                      .in_order = setup->in_order,
                      .timing_only = setup->timing_only};
    packet_ring_init(&l1->requests, setup->requests, arena);
    packet_ring_init(&l1->answers, setup->answers, arena);
    coherence_side_init(l1->side, &setup->protocol->l1, &coherence_l1_words, reads);
    if (setup->timing_only)
        cache_set_timing_only(l1->cache);
    if (setup->protocol->registration)
        make_agent(l1, setup, arena);
}

/* Where the L1 keeps what it has written, a load that asks for what the L2 has is a relaxed one. */
static unsigned event_of_kept(const struct l1 *l1, const struct l1_ask *ask)
{
    enum order_kind kind = ask->own && ask->kind == ORDER_ATOMIC ? ORDER_STORE : ask->kind;
    bool past = ask->kind == ORDER_LOAD && (ask->cache == ISA_CACHE_CG || ask->cache == ISA_CACHE_CV);
    uint8_t order = ask->own ? 0 : past && ask->order <= ISA_ORDER_WEAK ? ISA_ORDER_RELAXED : ask->order;
    return order_meaning(kind, order, order_scope(l1->protocol, ask->scope))->event;
}

HOT unsigned l1_event_of(const struct l1 *l1, const struct l1_ask *ask)
{
    if (RARELY(l1->agent))
        return event_of_kept(l1, ask);
    if (ask->own)
        return ask->kind == ORDER_LOAD ? L1_LOAD_OWN_EVENT : L1_STORE_OWN_EVENT;
    if (ask->kind == ORDER_ATOMIC)
        return l1->rules.atomics_keep ? L1_ATOMIC_KEEP_EVENT : L1_ATOMIC_EVENT;
    if (ask->kind == ORDER_STORE)
        return L1_STORE_EVENT;
    bool of_block = l1->rules.block_stays && ask->scope == ISA_SCOPE_CTA &&
                    (ask->order == ISA_ORDER_RELAXED || ask->order == ISA_ORDER_ACQUIRE);
    if (l1->rules.strong_pass && !of_block && (ask->order > ISA_ORDER_WEAK || ask->cache == ISA_CACHE_CV))
        return L1_LOAD_STRONG_EVENT;
    if (ask->cache == ISA_CACHE_CG)
        return L1_LOAD_PAST_EVENT;
    bool here = !l1->rules.loads_pass || ask->cache == ISA_CACHE_NC || ask->cache == ISA_CACHE_CA;
    return here ? L1_LOAD_EVENT : L1_LOAD_PAST_EVENT;
}

/* Requests */

static bool is_own(unsigned event)
{
    return event == L1_LOAD_OWN_EVENT || event == L1_STORE_OWN_EVENT;
}

HOT_INLINE struct packet *new_request(struct l1 *l1, unsigned event, uint8_t kind, uint64_t address, uint32_t bytes)
{
    struct packet *p = packet_new(l1->packets, kind);
    p->space = is_own(event) ? PACKET_LOCAL : PACKET_GLOBAL;
    p->address = address;
    p->bytes = (uint8_t)bytes;
    return p;
}

static void send_writeback(const struct attempt *t, const struct cache_effect *effect)
{
    struct packet *p = new_request(t->l1, t->access->event, PACKET_WRITE, effect->writeback_address, t->l1->line_bytes);
    p->space = PACKET_LOCAL; /* only local memory is ever dirty */
    packet_ring_push(&t->l1->requests, p);
}

/* Actions */

NOT_INLINE void request_fill(const struct attempt *t, const struct cache_effect *effect)
{
    if (effect->writeback)
        send_writeback(t, effect);
    struct packet *p = new_request(t->l1, t->access->event, PACKET_READ, effect->fill_address, effect->fill_bytes);
    read_of(p)->fill = (uint16_t)effect->fill;
    packet_ring_push(&t->l1->requests, p);
}

/* A load uses its line, or waits for a fill, which is requested if none is under way. */
HOT_INLINE bool read_line(struct attempt *t)
{
    struct l1 *l1 = t->l1;
    struct l1_access *a = t->access;
    struct cache_effect effect;
    enum cache_result result =
        cache_read(l1->cache, a->address, a->bytes, a->waiter, packet_ring_room(&l1->requests), &effect);
    if (result == CACHE_REFUSED)
        return false;
    a->bytes = effect.bytes;
    t->state = effect.presence;
    t->served = result == CACHE_HIT ? L1_SERVED : L1_WAITS;
    if (result == CACHE_HIT)
        a->values = cache_data(l1->cache, effect.line);
    else if (result == CACHE_MISS)
        request_fill(t, &effect);
    return true;
}

/* A line that is there takes the bytes, so there is nothing that could refuse them. */
NOT_INLINE bool keep(struct attempt *t)
{
    const struct l1_access *a = t->access;
    struct cache_effect effect;
    uint64_t mask[2] = {0, 0};
    unsigned first = (unsigned)(a->address % PACKET_LINE_BYTES), rest = first % 64 + a->bytes;
    mask[first / 64] = mask_low(rest < 64 ? rest : 64) & ~mask_low(first % 64);
    if (rest > 64)
        mask[1] = mask_low(rest - 64);
    t->served = L1_SERVED;
    return cache_write(t->l1->cache, a->address, a->bytes, mask, false, CACHE_NO_WAITER,
                       packet_ring_room(&t->l1->requests), &effect) != CACHE_REFUSED;
}

static bool send(struct attempt *t)
{
    if (packet_ring_full(&t->l1->requests))
        return false;
    t->access->request = new_request(t->l1, t->access->event, PACKET_WRITE, t->access->address, t->access->bytes);
    packet_ring_push(&t->l1->requests, t->access->request);
    t->served = L1_SERVED;
    return true;
}

HOT_INLINE struct packet *pass(struct l1 *l1, unsigned event, uint64_t address, uint32_t bytes, uint32_t waiter)
{
    if (l1_is_full(l1))
        return NULL;
    bool atomic = event == L1_ATOMIC_EVENT || event == L1_ATOMIC_KEEP_EVENT;
    struct packet *p = new_request(l1, event, atomic ? PACKET_ATOMIC : PACKET_READ, address, bytes);
    access_of(p)->waiter = waiter;
    if (l1->in_order)
        packet_ring_push(&l1->requests, p);
    return p;
}

/* A row of the table lets the access pass: its request becomes that of the access, which waits for the answer. */
NOT_INLINE bool pass_line(struct attempt *t)
{
    struct l1_access *a = t->access;
    a->request = pass(t->l1, a->event, a->address, a->bytes, a->waiter);
    t->served = L1_WAITS;
    return a->request;
}

/* A line that is there goes with the answer: its mask says so. */
NOT_INLINE bool acknowledge(struct attempt *t)
{
    struct l1 *l1 = t->l1;
    struct packet *p = t->probe;
    uint32_t line, first = (uint32_t)(p->address % PACKET_LINE_BYTES);
    if (packet_ring_full(&l1->answers))
        return false;
    if (cache_find(l1->cache, p->address, p->bytes, &line) >= CACHE_THERE) {
        struct byte_mask there = bytes_of(p->address, p->bytes);
        uint32_t in_line = (uint32_t)(p->address & (l1->line_bytes - 1));
        memcpy(packet_data(p) + first, cache_data(l1->cache, line) + in_line, p->bytes);
        bytes_to_packet(&there, p);
    }
    p->is_reply = true;
    packet_ring_push(&l1->answers, p);
    return true;
}

HOT_INLINE bool take(void *environment, unsigned action)
{
    struct attempt *t = environment;
    switch (action) {
    case L1_SERVE:
    case L1_FETCH:
    case L1_JOIN:
        return read_line(t);
    case L1_KEEP:
        return keep(t);
    case L1_SEND:
        return send(t);
    case L1_PASS:
        return pass_line(t);
    case L1_INSTALL:
        cache_install_fill(t->l1->cache, t->fill->fill, t->fill->data);
        return true;
    case L1_WAKE:
        t->waiter = cache_wake_fill(t->l1->cache, t->fill->fill);
        return true;
    default:
        contract(action == L1_ACKNOWLEDGE);
        return acknowledge(t);
    }
}

/* The line is as the row says. Where values are not looked at (cache_set_timing_only), a line that is given up stays
 * until its fill has come. */
static bool has_entered(const struct attempt *t, unsigned next)
{
    uint64_t address = t->probe ? t->probe->address : t->access->address;
    uint32_t bytes = t->probe ? t->probe->bytes : t->access->bytes, line;
    enum cache_presence presence = cache_find(t->l1->cache, address, bytes, &line);
    return next == CACHE_ABSENT ? line == CACHE_NO_LINE || t->l1->timing_only : presence == next;
}

/* The line enters the row's next state. I is entered by dropping it; other states were brought by the actions, or the
 * row is a fault of its table (coherence_row_fault). */
HOT_INLINE void enter(void *environment, unsigned next)
{
    struct attempt *t = environment;
    if (next == CACHE_ABSENT && t->state != CACHE_ABSENT)
        t->hit = cache_invalidate(t->l1->cache, t->probe ? t->probe->address : t->access->address);
    contract(next == COHERENCE_ANY || next == t->state || has_entered(t, next));
}

/* A store that goes to the L2 counts as an access of the L1, a hit if it has dropped its line. */
static void count_store(struct l1 *l1, bool hit)
{
    struct cache_stats *stats = cache_stats_of(l1->cache);
    stats->writes++;
    stats->write_hits += hit;
    stats->write_misses += !hit;
}

/* The doors */

/* A load that is what a read of the cache is: the state is what that finds. */
HOT_INLINE bool step_read(struct attempt *t)
{
    struct l1 *l1 = t->l1;
    struct l1_access *a = t->access;
    if (cache_refuses_again(l1->cache, a->address, a->bytes, packet_ring_room(&l1->requests)) || !read_line(t))
        return false;
    const struct coherence_step *step = coherence_step_of(l1->side, t->state, a->event);
    coherence_count(l1->side, t->state, a->event);
    coherence_run(step->actions >> 8, take, t);
    enter(t, step->next);
    return true;
}

HOT_INLINE bool step(struct attempt *t)
{
    const struct l1 *l1 = t->l1;
    const struct l1_access *a = t->access;
    uint32_t line;
    t->state = coherence_state(l1->side, a->event, l1->cache, a->address, a->bytes, &line);
    return coherence_take(l1->side, t->state, a->event, take, enter, t);
}

/* A load is the agent's at once; of any other access it gets a packet, which the owner fills in. A store at remote
 * scope is answered like a load: the slice may take its turn late, when later accesses of its thread must not have
 * passed it.
 */
NOT_INLINE enum l1_served access_agent(struct l1 *l1, struct l1_access *access)
{
    static const enum l1_served served[] = {
        [AGENT_REFUSED] = L1_REFUSED, [AGENT_SERVED] = L1_SERVED, [AGENT_WAITING] = L1_WAITS};
    const struct agent_load load = {access->address, access->bytes, access->waiter, access->own};
    end_leases(l1);
    if (access->event == AGENT_LOAD_EVENT)
        return served[agent_load(l1->agent, &load, &access->values, &access->request)];
    if (!agent_can_take(l1->agent, access->address, access->bytes, access->event))
        return L1_REFUSED;
    struct packet *p = packet_new(l1->packets, access->kind);
    p->space = access->own ? PACKET_LOCAL : PACKET_GLOBAL;
    p->address = access->address;
    p->bytes = (uint8_t)access->bytes;
    access->request = p;
    access->submit = true;
    bool waits = access->kind != PACKET_WRITE || access->event == AGENT_REMOTE_EVENT;
    if (waits)
        access_of(p)->waiter = access->waiter;
    return waits ? L1_WAITS : L1_SERVED;
}

void l1_submit(struct l1 *l1, struct packet *request, unsigned event)
{
    agent_take(l1->agent, request, event);
}

HOT enum l1_served l1_access(struct l1 *l1, struct l1_access *access)
{
    struct attempt t;
    t.l1 = l1;
    t.access = access;
    t.probe = NULL;
    t.served = L1_SERVED;
    t.hit = false;
    access->values = NULL;
    access->request = NULL;
    access->submit = false;
    if (RARELY(l1->agent))
        return access_agent(l1, access);
    if (!(l1->side->reads >> access->event & 1 ? step_read(&t) : step(&t)))
        return L1_REFUSED;
    if (access->request && access->request->kind == PACKET_WRITE)
        count_store(l1, t.hit);
    return t.served;
}

HOT struct packet *l1_pass(struct l1 *l1, unsigned event, uint64_t address, uint32_t bytes, uint32_t waiter)
{
    contract(l1_passes(l1, event));
    const struct coherence_step *step = coherence_step_of(l1->side, COHERENCE_ANY, event);
    struct packet *p = pass(l1, event, address, bytes, waiter);
    contract(step->actions == L1_PASS); /* and nothing else */
    if (!p)
        return NULL;
    coherence_count(l1->side, COHERENCE_ANY, event);
    if (step->next == CACHE_ABSENT)
        cache_invalidate(l1->cache, address);
    return p;
}

bool l1_probe(struct l1 *l1, struct packet *probe)
{
    struct attempt t = {.l1 = l1, .probe = probe};
    uint32_t line;
    if (RARELY(l1->agent)) {
        end_leases(l1);
        agent_probe(l1->agent, probe);
        return true;
    }
    contract(message_sender_of(probe->kind) == MESSAGE_OF_SLICE && !probe->is_reply);
    t.state = coherence_state(l1->side, L1_PROBE_EVENT, l1->cache, probe->address, probe->bytes, &line);
    return coherence_take(l1->side, t.state, L1_PROBE_EVENT, take, enter, &t);
}

HOT enum l1_arrival l1_arrival_of(const struct l1 *l1, const struct packet *p)
{
    if (RARELY(l1->agent) && agent_owns(p))
        return L1_ITS_OWN;
    switch (p->kind) {
    case PACKET_WRITE:
        return access_of(p)->waiter != PACKET_NOBODY ? L1_ANSWERED : L1_ACKNOWLEDGED;
    case PACKET_READ:
        return access_of(p)->waiter != PACKET_NOBODY ? L1_ANSWERED : L1_FILLED;
    default:
        return L1_ANSWERED;
    }
}

void l1_reply(struct l1 *l1, struct packet *p)
{
    end_leases(l1);
    agent_reply(l1->agent, p);
}

struct packet *l1_take_done(struct l1 *l1)
{
    return agent_done(l1->agent);
}

void l1_drain(struct l1 *l1)
{
    end_leases(l1);
    agent_drain(l1->agent);
}

NOT_INLINE uint32_t fill_by_row(struct l1 *l1, const struct packet *p)
{
    struct attempt t = {.l1 = l1, .fill = read_of(p), .state = COHERENCE_ANY, .waiter = CACHE_NO_WAITER};
    coherence_take(l1->side, COHERENCE_ANY, L1_FILL_EVENT, take, enter, &t);
    return t.waiter;
}

HOT uint32_t l1_fill(struct l1 *l1, const struct packet *p)
{
    if (RARELY(!coherence_is(l1->side, L1_FILL_EVENT, COHERENCE_DO(L1_INSTALL, L1_WAKE))))
        return fill_by_row(l1, p);
    coherence_count(l1->side, COHERENCE_ANY, L1_FILL_EVENT);
    return cache_take_fill(l1->cache, read_of(p)->fill, packet_data(p));
}

HOT uint32_t l1_ready(struct l1 *l1, const uint8_t **values)
{
    uint32_t line;
    return l1->agent ? agent_ready(l1->agent, values) : cache_ready(l1->cache, &line, values);
}

void l1_order(struct l1 *l1, enum l1_order order)
{
    if (RARELY(l1->agent))
        order_drop(l1->agent, order);
    else if (l1->protocol->orders[order] & L1_ORDER_DROP)
        cache_invalidate_clean(l1->cache);
}

void l1_begin_kernel(struct l1 *l1, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                     void *context)
{
    if (RARELY(l1->agent)) {
        order_begin_kernel(l1->agent, read, context);
        return;
    }
    cache_refresh(l1->cache, read, context);
    l1_order(l1, L1_BEGIN);
}

void l1_empty(struct l1 *l1)
{
    if (RARELY(l1->agent))
        agent_drop(l1->agent, AGENT_BY_KERNEL);
    else
        cache_invalidate_all(l1->cache);
}

void l1_resize(struct l1 *l1, uint64_t bytes)
{
    if (!l1->agent)
        cache_set_ways(l1->cache, cache_ways_in(l1->cache, bytes));
}

void l1_publish(struct l1 *l1, void (*put)(void *context, uint64_t address, const uint8_t *data, uint32_t bytes),
                void *context)
{
    if (RARELY(l1->agent))
        agent_publish(l1->agent, put, context);
}

void l1_peek(const struct l1 *l1, uint64_t address, uint8_t *to, uint32_t bytes)
{
    if (RARELY(l1->agent))
        agent_peek(l1->agent, address, to, bytes);
}

/* Checkpoints */

void l1_archive(struct l1 *l1, struct archive *ar, const struct packet_source *source, uint32_t waiters)
{
    cache_archive(l1->cache, ar);
    cache_archive_waiters(l1->cache, ar, waiters);
    if (RARELY(l1->agent))
        agent_archive(l1->agent, ar, source, waiters);
    else
        coherence_side_archive(l1->side, ar);
    if (l1->leases)
        leases_archive(l1->leases, ar);
}

const struct agent_stats *l1_agent_stats(const struct l1 *l1)
{
    static const struct agent_stats none = {0};
    return l1->agent ? &l1->agent->stats : &none;
}

void l1_reset_stats(struct l1 *l1)
{
    coherence_clear_counts(l1->side);
    if (l1->agent)
        l1->agent->stats = (struct agent_stats){0};
    *cache_stats_of(l1->cache) = (struct cache_stats){0};
}

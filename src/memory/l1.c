/* The actions of an L1 (coherence/l1_actions.def), and the doors that step its protocol's table. */
#include "memory/l1.h"

#include "base/bits.h"
#include "base/check.h"
#include "base/hot.h"

/* An access under way: the environment of the table's actions. */
struct try {
    struct l1 *l1;
    struct l1_access *access;
    struct cache_found found; /* unless the event is stateless */
    enum l1_served served;
    bool hit; /* a store whose line was there */
};

void l1_init(struct l1 *l1, const struct l1_setup *setup, struct arena *arena)
{
    *l1 = (struct l1){.cache = cache_create(setup->cache, true, arena),
                      .packets = setup->packets,
                      .side = ARENA_NEW(arena, struct coherence_side, 1),
                      .protocol = setup->protocol,
                      .line_bytes = setup->cache->line_bytes,
                      .in_order = setup->in_order};
    packet_ring_init(&l1->requests, setup->requests, arena);
    coherence_side_init(l1->side, &setup->protocol->l1);
    if (setup->timing_only)
        cache_set_timing_only(l1->cache);
}

/* Requests */

static bool is_own(unsigned event)
{
    return event == L1_LOAD_OWN_EVENT || event == L1_STORE_OWN_EVENT;
}

static struct packet *new_request(const struct try *t, uint8_t kind, uint64_t address, uint32_t bytes)
{
    struct packet *p = packet_new(t->l1->packets);
    p->kind = kind;
    p->class = is_own(t->access->event) ? PACKET_LOCAL : PACKET_GLOBAL;
    p->address = address;
    p->bytes = bytes;
    p->cookie = CACHE_NO_WAITER;
    return p;
}

static void send_writeback(const struct try *t, const struct cache_effect *effect)
{
    struct packet *p = new_request(t, PACKET_WRITE, effect->writeback_address, t->l1->line_bytes);
    p->class = PACKET_LOCAL; /* only local memory is ever dirty */
    packet_ring_push(&t->l1->requests, p);
}

/* Actions */

HOT_INLINE bool serve(struct try *t)
{
    cache_use(t->l1->cache, &t->found);
    t->access->values = cache_data(t->l1->cache, t->found.line);
    t->served = L1_SERVED;
    return true;
}

static bool fetch(struct try *t)
{
    struct l1 *l1 = t->l1;
    struct cache_effect effect;
    if (cache_request(l1->cache, &t->found, t->access->waiter, packet_ring_room(&l1->requests), &effect) ==
        CACHE_REFUSED)
        return false;
    if (effect.writeback)
        send_writeback(t, &effect);
    struct packet *p = new_request(t, PACKET_READ, effect.fill_address, effect.fill_bytes);
    p->fill = (uint16_t)effect.fill;
    packet_ring_push(&l1->requests, p);
    t->served = L1_WAITS;
    return true;
}

static bool join(struct try *t)
{
    struct l1 *l1 = t->l1;
    struct cache_effect effect;
    t->served = L1_WAITS;
    return cache_join(l1->cache, &t->found, t->access->waiter, packet_ring_room(&l1->requests), &effect) !=
           CACHE_REFUSED;
}

/* A line that is there takes the bytes, so there is nothing that could refuse them. */
static bool keep(struct try *t)
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

static bool send(struct try *t)
{
    if (packet_ring_full(&t->l1->requests))
        return false;
    t->access->request = new_request(t, PACKET_WRITE, t->access->address, t->access->bytes);
    packet_ring_push(&t->l1->requests, t->access->request);
    t->served = L1_SERVED;
    return true;
}

static bool pass(struct try *t)
{
    struct l1 *l1 = t->l1;
    unsigned event = t->access->event;
    if (l1->in_order && packet_ring_full(&l1->requests))
        return false;
    bool atomic = event == L1_ATOMIC_EVENT || event == L1_ATOMIC_KEEP_EVENT;
    struct packet *p =
        new_request(t, atomic ? PACKET_ATOMIC : PACKET_READ, t->access->address, t->access->bytes);
    p->cookie = t->access->waiter;
    if (l1->in_order)
        packet_ring_push(&l1->requests, p);
    t->access->request = p;
    t->served = L1_WAITS;
    return true;
}

HOT_INLINE bool act(void *environment, unsigned action)
{
    struct try *t = environment;
    switch ((enum l1_action)action) {
    case L1_SERVE:
        return serve(t);
    case L1_FETCH:
        return fetch(t);
    case L1_JOIN:
        return join(t);
    case L1_KEEP:
        return keep(t);
    case L1_SEND:
        return send(t);
    case L1_PASS:
        return pass(t);
    case L1_GIVE_UP:
        t->hit = cache_invalidate(t->l1->cache, t->access->address);
        return true;
    case L1_INSTALL:
    case L1_WAKE: /* of a fill: l1_fill */
    case L1_NO_ACTION:
    case L1_ACTIONS:
        break;
    }
    contract(!"an access has no such action");
    return true;
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

HOT enum l1_served l1_access(struct l1 *l1, struct l1_access *access)
{
    struct try t;
    unsigned event = access->event, state = COHERENCE_ANY;
    t.l1 = l1;
    t.access = access;
    t.hit = false;
    access->values = NULL;
    access->request = NULL;
    if (!(l1->side->stateless >> event & 1)) {
        bool load = event == L1_LOAD_EVENT || event == L1_LOAD_OWN_EVENT;
        if (load && cache_refuses_again(l1->cache, access->address, access->bytes, packet_ring_room(&l1->requests)))
            return L1_REFUSED;
        state = cache_find(l1->cache, access->address, access->bytes, &t.found);
    }
    if (!coherence_take(l1->side, state, event, act, &t))
        return L1_REFUSED;
    if (access->request && access->request->kind == PACKET_WRITE)
        count_store(l1, t.hit);
    return t.served;
}

HOT enum l1_arrival l1_arrival_of(const struct packet *p)
{
    if (p->kind == PACKET_WRITE)
        return L1_ACKNOWLEDGED;
    return p->cookie != CACHE_NO_WAITER ? L1_ANSWERED : L1_FILLED;
}

/* A packet's values are indexed by offset in the 128-byte line, a fill's by offset in the cache's line. */
HOT uint32_t l1_fill(struct l1 *l1, const struct packet *p)
{
    uint64_t start = p->address & ~(uint64_t)(l1->line_bytes - 1);
    uint32_t waiter = cache_first_waiter(l1->cache, p->fill);
    contract(l1->side->steps[COHERENCE_ANY][L1_FILL_EVENT].actions[0] == L1_INSTALL);
    l1->side->taken[COHERENCE_ANY][L1_FILL_EVENT]++;
    cache_end_fill(l1->cache, p->fill, p->data + start % PACKET_LINE_BYTES);
    return waiter;
}

HOT uint32_t l1_ready(struct l1 *l1, const uint8_t **values)
{
    uint32_t line;
    return cache_ready(l1->cache, &line, values);
}

void l1_order(struct l1 *l1, enum l1_order order)
{
    switch ((enum l1_order_action)l1->protocol->orders[order]) {
    case L1_ORDER_DROP_CLEAN:
        cache_invalidate_clean(l1->cache);
        break;
    case L1_ORDER_NOTHING:
    case L1_ORDER_ACTIONS:
        break;
    }
}

void l1_begin_kernel(struct l1 *l1, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                     void *context)
{
    cache_refresh(l1->cache, read, context);
}

void l1_empty(struct l1 *l1)
{
    cache_invalidate_all(l1->cache);
}

void l1_archive(struct l1 *l1, struct archive *ar)
{
    cache_archive(l1->cache, ar);
    coherence_side_archive(l1->side, ar);
}

/* The SM's end of the networks from SM to SM: see cluster.h. Requests and answers have networks of their own, so that no
 * answer waits behind a request. One port passes both, in both directions. */
#include "simt/lanes.h"
#include "lsu/lsu.h"

/* The port may pass a message now: those before it have gone through. It passes sm.cluster_port_bytes a cycle. */
static bool port_is_free(const struct lsu *lsu, uint64_t now)
{
    uint32_t bytes = lsu->params->cluster_port_bytes;
    return !bytes || lsu->cluster.port_free < (now + 1) * bytes;
}

static void pass_port(struct lsu *lsu, uint64_t now, uint32_t bytes)
{
    struct lsu_cluster *c = &lsu->cluster;
    c->port_free = cycle_max(c->port_free, now * lsu->params->cluster_port_bytes) + bytes;
}

/* Cycles that a message takes from one SM to another, beyond the network. */
static uint64_t way(const struct lsu *lsu, unsigned other)
{
    unsigned own = lsu->net.index;
    return lsu->params->cluster_latency + (own > other ? own - other : other - own) * lsu->params->cluster_hop_cycles;
}

void lsu_fill_block_store(struct lsu *lsu, const struct core_op *o, const struct lsu_transaction *t,
                          struct message_write *m)
{
    lsu_store_bytes(o->access, t, m);
    m->waiter = o->access->pc;
    m->entry = (uint16_t)mask_first(t->lanes);
    m->slot = o->slot;
    m->epoch = o->epoch;
    warp_store_left(lsu->warp, o->slot);
    block_order_add(&lsu->blocks[lsu->warp->slots[o->slot].block].order, o->epoch);
}

static bool same_place(const struct packet *a, const struct packet *b)
{
    return a->sm == b->sm && a->address / PACKET_LINE_BYTES == b->address / PACKET_LINE_BYTES;
}

/* Puts a message among those that are coming, by the cycle in which it is there. What one SM asks of one line stays in
 * order. */
static void insert(struct lsu_cluster *c, struct packet *p)
{
    struct packet **link = &c->coming.first;
    for (struct packet *q = *link; q && !p->is_reply; q = q->next)
        if (!q->is_reply && same_place(p, q))
            p->ready = cycle_max(p->ready, q->ready);
    while (*link && (*link)->ready <= p->ready)
        link = &(*link)->next;
    p->next = *link;
    *link = p;
    if (!p->next)
        c->coming.last = p;
}

static bool is_access(const struct packet *p)
{
    return access_of(p)->event == LSU_MESSAGE_ACCESS;
}

static bool is_cast(const struct packet *p)
{
    return access_of(p)->event == LSU_MESSAGE_CAST;
}

/* What a message takes of the networks and the port. */
static uint32_t network_bytes_of(const struct packet *p)
{
    return is_cast(p) ? MESSAGE_HEADER_BYTES : packet_network_bytes(p);
}

/* How much later than by its way a request is there. */
static uint64_t further(const struct lsu *lsu, const struct packet *p)
{
    uint8_t event = access_of(p)->event;
    if (p->is_reply)
        return 0;
    if (event == LSU_MESSAGE_BYTES || event == LSU_MESSAGE_MBARRIER)
        return lsu->params->cluster_async_cycles;
    return p->kind == PACKET_WRITE && is_access(p) ? lsu->params->cluster_store_cycles : 0;
}

#define TRAIN 32 /* answers to casts that travel together */
/* Answers to casts, which nobody waits for, take those behind them along that go to the same SM: linked by next, where
 * `parts` says that there are more. */
static void take_along(struct packet_list *list, struct packet *p)
{
    unsigned count = 1;
    for (struct packet *last = p, *q; (q = list->first) && is_cast(q) && q->sm == p->sm && count < TRAIN; last = q, count++) {
        packet_shift(list);
        last->next = q;
        last->parts = 1;
    }
}

static void end_train(struct lsu *lsu, struct packet *p)
{
    for (struct packet *next; p; p = next) {
        next = p->parts ? p->next : NULL;
        packet_free(&lsu->net.packets, p);
    }
}

static void take(struct lsu *lsu, struct network *net, uint64_t now)
{
    struct packet *p = network_peek(net, lsu->net.index);
    if (!p || !port_is_free(lsu, now))
        return;
    network_receive(net, lsu->net.index);
    pass_port(lsu, now, network_bytes_of(p));
    bool cast = is_cast(p); /* its data come from the slices as those of the first block do */
    if (cast && p->is_reply) {
        end_train(lsu, p);
        return;
    }
    p->ready = now + (cast ? 0 : way(lsu, p->is_reply ? (unsigned)p->local : p->sm)) + further(lsu, p);
    insert(&lsu->cluster, p);
}

uint32_t lsu_due_of_cluster(const struct lsu *lsu)
{
    const struct lsu_cluster *c = &lsu->cluster;
    return (c->asking.first || c->answering.first ? DUE_MESSAGE : 0) | (c->coming.first ? DUE_COMING : 0);
}

static void note_due(struct lsu *lsu)
{
    agenda_put(lsu->agenda, DUE_MESSAGE | DUE_COMING, lsu_due_of_cluster(lsu));
}

void lsu_cluster_take(struct lsu *lsu, uint64_t now)
{
    take(lsu, lsu->cluster.replies, now);
    take(lsu, lsu->cluster.requests, now);
    note_due(lsu);
}

/* Sends the first message of a list, if the network and the port pass it. */
static bool send_first(struct lsu *lsu, struct packet_list *list, struct network *net, unsigned sm)
{
    struct packet *p = list->first;
    uint32_t bytes = network_bytes_of(p);
    if (!network_can_send(net, lsu->net.index, bytes) || !port_is_free(lsu, lsu->agenda->now))
        return false;
    packet_shift(list);
    if (p->is_reply && is_cast(p))
        take_along(list, p);
    pass_port(lsu, lsu->agenda->now, bytes);
    network_send(net, lsu->net.index, sm, bytes, p, lsu->agenda->now);
    made_progress(lsu->agenda);
    return true;
}

static void send_messages(struct lsu *lsu)
{
    struct lsu_cluster *c = &lsu->cluster;
    if (c->answering.first)
        send_first(lsu, &c->answering, c->replies, c->answering.first->sm);
    if (!c->asking.first)
        return;
    bool access = access_of(c->asking.first)->event == LSU_MESSAGE_ACCESS;
    if (send_first(lsu, &c->asking, c->requests, (unsigned)c->asking.first->ready))
        c->accesses -= access;
}

/* A request of another SM is performed; its answer goes back. */
static void perform(struct lsu *lsu, struct packet *p)
{
    lsu->port->perform(lsu->sm, p);
    p->is_reply = true;
    p->local = lsu->net.index;
    packet_append(&lsu->cluster.answering, p);
}

/* An answer to this SM: to what nobody waits for, it ends there. */
static bool take_answer(struct lsu *lsu, struct packet *p)
{
    uint8_t event = access_of(p)->event;
    if (event != LSU_MESSAGE_ACCESS && event != LSU_MESSAGE_ABSENT) {
        packet_shift(&lsu->cluster.coming);
        packet_free(&lsu->net.packets, p);
        return true;
    }
    if (packet_ring_full(&lsu->responses))
        return false;
    packet_shift(&lsu->cluster.coming);
    packet_ring_push(&lsu->responses, p);
    agenda_add(lsu->agenda, DUE_RESPONSE);
    return true;
}

/* The first message that is coming is there: false, if it has to wait. *used: shared memory was in use in this cycle. */
static bool step_first(struct lsu *lsu, struct packet *p, bool *used)
{
    if (p->is_reply)
        return take_answer(lsu, p);
    if (*used)
        return false;
    *used = access_of(p)->event == LSU_MESSAGE_ACCESS || access_of(p)->event == LSU_MESSAGE_BYTES;
    packet_shift(&lsu->cluster.coming);
    perform(lsu, p);
    return true;
}

bool lsu_cluster_step(struct lsu *lsu)
{
    struct lsu_cluster *c = &lsu->cluster;
    bool used = false;
    while (c->coming.first && c->coming.first->ready <= lsu->agenda->now && step_first(lsu, c->coming.first, &used))
        made_progress(lsu->agenda);
    send_messages(lsu);
    note_due(lsu);
    return used;
}

bool lsu_cluster_has_place(const struct lsu *lsu)
{
    return lsu->cluster.accesses < lsu->params->cluster_queue;
}

struct packet *lsu_cluster_message(struct lsu *lsu, unsigned kind, enum lsu_message what, uint64_t address,
                                   unsigned bytes)
{
    struct packet *p = packet_new(&lsu->net.packets, kind);
    p->address = address;
    p->bytes = (uint8_t)bytes;
    access_of(p)->event = (uint8_t)what;
    access_of(p)->waiter = PACKET_NOBODY;
    return p;
}

void lsu_cluster_ask(struct lsu *lsu, struct packet *p, unsigned sm)
{
    p->space = PACKET_SHARED;
    p->ready = sm;
    lsu->cluster.accesses += access_of(p)->event == LSU_MESSAGE_ACCESS;
    packet_append(&lsu->cluster.asking, p);
    agenda_add(lsu->agenda, DUE_MESSAGE);
}

void lsu_cluster_cast(struct lsu *lsu, uint32_t number, struct packet *p, unsigned sm, uint32_t from)
{
    p->space = PACKET_SHARED;
    p->ready = sm;
    p->sectors = (uint8_t)from;
    p->of_copy = (uint8_t)lsu->params->bulk_narrow;
    packet_append(&lsu->cluster.casts[number], p);
}

void lsu_cluster_bring(struct lsu *lsu, struct packet *p, uint64_t now)
{
    p->ready = now;
    insert(&lsu->cluster, p);
    note_due(lsu);
}

void lsu_cluster_tell(struct lsu *lsu, enum lsu_message what, uint64_t cluster, unsigned rank, unsigned sm, uint32_t of)
{
    struct packet *p = packet_new(&lsu->net.packets, PACKET_WRITE);
    p->address = LANE_SHARED_ADDRESS(rank, 0);
    p->local = cluster;
    access_of(p)->event = (uint8_t)what;
    access_of(p)->waiter = of;
    lsu_cluster_ask(lsu, p, sm);
}

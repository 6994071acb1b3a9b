/* The SM's end of the networks: requests leave one at a time for each cache that has some, replies are sorted into
 * those of the instruction cache and those of the load/store unit. Probes and the L1D's answers to them go through
 * networks and queues of their own, so that neither waits for a request or a reply. */
#include "lsu/lsu.h"

/* SMs and channels are divided among the L2's sides by number. The last one has what is left. */
static void open_sides(struct lsu *lsu, const struct lsu_setup *setup)
{
    const struct partition_params *p = setup->partition;
    uint32_t channels = p->channels / p->sides + (p->channels % p->sides != 0);
    lsu->net.far_latency = p->far_latency;
    lsu->net.sorts |= p->far_latency != 0;
    lsu->net.side_slices = channels * p->slices_per_channel;
    lsu->net.first = setup->index * p->sides / setup->sm_count * lsu->net.side_slices;
}

void lsu_net_init(struct lsu *lsu, const struct lsu_setup *setup, struct arena *own)
{
    const struct sm_params *p = setup->shared->params;
    lsu->net = (struct lsu_net){.requests = setup->requests,
                                .replies = setup->replies,
                                .probe_network = setup->probes,
                                .acknowledgements = setup->acknowledgements,
                                .index = setup->index,
                                .sorts = setup->casts != NULL,
                                .map = memory_map_of(setup->partition),
                                .port_bytes = p->request_port_bytes,
                                .packets = {.sm = (uint16_t)setup->index, .arena = own}};
    if (setup->partition->sides > 1)
        open_sides(lsu, setup);
    packet_ring_init(&lsu->net.instructions, setup->l1i->miss_queue, own);
    packet_ring_init(&lsu->net.ejected, p->ejection_queue, own);
    packet_ring_init(&lsu->net.probes, setup->probes ? p->ejection_queue : 0, own);
}

/* Requests */

/* A request of so many bytes in the network has entered it: for how long the SM's port has to do with it. The asynchronous unit's
 * have a pace of their own (sm.bulk_store_kib). */
NOT_INLINE void hold_port(struct lsu_net *net, const struct packet *p, uint32_t bytes, uint64_t now)
{
    uint32_t brings = p->of_copy ? 0 : bytes - MESSAGE_HEADER_BYTES, cycles = (brings + net->port_bytes - 1) / net->port_bytes;
    net->port_at = now + (cycles ? cycles : 1);
}

/* A packet goes to the slice that has its address. */
HOT_INLINE void enter_network(struct lsu *lsu, struct network *net, struct packet *p, uint32_t bytes)
{
    uint64_t local;
    network_send(net, lsu->net.index, memory_slice_of(&lsu->net.map, p->address, &local), bytes, p, lsu->agenda->now);
    if (RARELY(lsu->net.port_bytes) && net == lsu->net.requests)
        hold_port(&lsu->net, p, bytes, lsu->agenda->now);
}

HOT void lsu_send(struct lsu *lsu, struct packet *p)
{
    enter_network(lsu, lsu->net.requests, p, packet_network_bytes(p));
}

/* The bytes of the queue's oldest packet, if it has one and the network has room for them; else 0. */
HOT_INLINE uint32_t sendable(const struct lsu *lsu, const struct network *net, const struct packet_ring *queue)
{
    const struct packet *p = packet_ring_peek(queue);
    uint32_t bytes = p ? packet_network_bytes(p) : 0;
    return p && network_can_send(net, lsu->net.index, bytes) ? bytes : 0;
}

/* Likewise of a queue of requests, which the SM's port must take besides. */
HOT_INLINE uint32_t sendable_request(const struct lsu *lsu, const struct packet_ring *queue)
{
    return lsu_port_is_free(lsu) ? sendable(lsu, lsu->net.requests, queue) : 0;
}

/* Sends the oldest request of a queue, if the network has room for it. */
HOT static void send_one(struct lsu *lsu, struct packet_ring *queue)
{
    uint32_t bytes = sendable_request(lsu, queue);
    if (!bytes)
        return;
    enter_network(lsu, lsu->net.requests, packet_ring_pop(queue), bytes);
    made_progress(lsu->agenda);
    if (!lsu_has_queued(lsu))
        agenda_done(lsu->agenda, DUE_SEND);
}

/* Data goes first. But warps that spin can keep the network's entrance full for ever, and the warp that they wait for
 * may lack an instruction: after some time its request goes before theirs. */
HOT void lsu_send_requests(struct lsu *lsu)
{
    if (lsu->net.instructions.count && lsu->agenda->now - lsu->net.instructions_since > lsu->params->fetch_patience)
        lsu_send_instructions(lsu);
    if (lsu->l1c_queue.count)
        send_one(lsu, &lsu->l1c_queue);
    if (lsu->l1d.requests.count)
        send_one(lsu, &lsu->l1d.requests);
    if (l1_drains(&lsu->l1d)) {
        l1_drain(&lsu->l1d);
        made_progress(lsu->agenda);
        lsu_l1_changed(lsu);
    }
}

uint32_t lsu_async_room(const struct lsu *lsu)
{
    return packet_ring_room(&lsu->l1d.requests);
}

uint8_t lsu_async_begins(struct lsu *lsu, unsigned slot)
{
    struct block_order *order = &lsu->blocks[lsu->warp->slots[slot].block].order;
    uint8_t epoch = block_order_epoch(order);
    block_order_add(order, epoch);
    warp_store_left(lsu->warp, slot);
    return epoch;
}

void lsu_async_ends(struct lsu *lsu, unsigned slot, uint8_t epoch)
{
    warp_store_acknowledged(lsu->warp, slot);
    lsu_performed(lsu, lsu->warp->slots[slot].block, epoch);
    lsu_check_fence(lsu, slot);
}

struct packet *lsu_async_request(struct lsu *lsu, unsigned kind, uint64_t address, uint32_t bytes, uint32_t number)
{
    struct packet *p = packet_new(&lsu->net.packets, kind);
    p->space = PACKET_GLOBAL;
    p->of_copy = (uint8_t)lsu->params->bulk_narrow;
    p->address = address;
    p->bytes = (uint8_t)bytes;
    access_of(p)->waiter = number;
    access_of(p)->order = ISA_ORDER_RELAXED;
    access_of(p)->scope = ISA_SCOPE_GPU;
    return p;
}

void lsu_async_send(struct lsu *lsu, struct packet *p)
{
    lsu_request(lsu, &lsu->l1d.requests, p);
}

void lsu_request_instructions(struct lsu *lsu, uint64_t address, uint32_t bytes, uint16_t fill)
{
    struct packet *p = packet_new(&lsu->net.packets, PACKET_READ);
    p->space = PACKET_INSTRUCTION;
    p->address = address;
    p->bytes = (uint8_t)bytes;
    read_of(p)->fill = fill;
    if (!lsu->net.instructions.count)
        lsu->net.instructions_since = lsu->agenda->now;
    lsu_request(lsu, &lsu->net.instructions, p);
}

void lsu_send_instructions(struct lsu *lsu)
{
    uint32_t waiting = lsu->net.instructions.count;
    if (waiting)
        send_one(lsu, &lsu->net.instructions);
    if (lsu->net.instructions.count < waiting)
        lsu->net.instructions_since = lsu->agenda->now;
}

HOT bool lsu_has_requests(const struct lsu *lsu)
{
    return agenda_has(lsu->agenda, DUE_SEND | DUE_ANSWER) || lsu_entering_bytes(lsu);
}

HOT bool lsu_can_send(const struct lsu *lsu)
{
    uint32_t entering = lsu_entering_bytes(lsu);
    const struct lsu_net *net = &lsu->net;
    return sendable_request(lsu, &lsu->l1d.requests) || sendable_request(lsu, &lsu->l1c_queue) ||
           sendable_request(lsu, &net->instructions) || (entering && lsu_has_room(lsu, entering)) ||
           sendable(lsu, net->acknowledgements, &lsu->l1d.answers) || l1_drains(&lsu->l1d);
}

bool lsu_memory_rests(const struct lsu *lsu)
{
    const struct lsu_net *net = &lsu->net;
    return !agenda_has(lsu->agenda, DUE_MESSAGE | DUE_COMING) && !net->ejected.count && !net->far.first && !net->probes.count && !lsu->responses.count &&
           !l1_has_done(&lsu->l1d) && !lsu_can_send(lsu) && (lsu_port_is_free(lsu) || !lsu_has_requests(lsu));
}

/* Probes */

/* An access that was refused may find a line given up. */
void lsu_serve_probes(struct lsu *lsu)
{
    struct packet_ring *answers = &lsu->l1d.answers, *probes = &lsu->net.probes;
    uint32_t bytes = sendable(lsu, lsu->net.acknowledgements, answers);
    if (bytes)
        enter_network(lsu, lsu->net.acknowledgements, packet_ring_pop(answers), bytes);
    if (probes->count && l1_probe(&lsu->l1d, packet_ring_peek(probes))) {
        packet_ring_pop(probes);
        made_progress(lsu->agenda);
        lsu_l1_changed(lsu);
    }
    agenda_put(lsu->agenda, DUE_PROBES, lsu_due_of_probes(lsu));
}

void lsu_take_probe(struct lsu *lsu)
{
    if (packet_ring_full(&lsu->net.probes))
        return;
    packet_ring_push(&lsu->net.probes, network_receive(lsu->net.probe_network, lsu->net.index));
    agenda_add(lsu->agenda, DUE_PROBE);
}

/* Replies */

struct packet *lsu_first_instructions(const struct lsu *lsu)
{
    struct packet *p = packet_ring_peek(&lsu->net.ejected);
    return p && p->space == PACKET_INSTRUCTION ? p : NULL;
}

HOT void lsu_pass_on(struct lsu *lsu)
{
    struct packet *p = packet_ring_peek(&lsu->net.ejected);
    if (p && p->space == PACKET_INSTRUCTION) {
        packet_free(&lsu->net.packets, packet_ring_pop(&lsu->net.ejected));
    } else if (p && !packet_ring_full(&lsu->responses)) {
        packet_ring_push(&lsu->responses, packet_ring_pop(&lsu->net.ejected));
        lsu_expect(lsu, p);
        agenda_add(lsu->agenda, DUE_RESPONSE);
    }
}

static bool is_far(const struct lsu_net *net, const struct packet *p)
{
    uint64_t local;
    return memory_slice_of(&net->map, p->address, &local) - net->first >= net->side_slices;
}

/* One packet that has come far enough, or one from the SM's side, can be passed on; whatever else comes from another
 * side begins to wait. */
NOT_INLINE void eject_from_sides(struct lsu *lsu, uint64_t now)
{
    struct lsu_net *net = &lsu->net;
    bool room = !packet_ring_full(&net->ejected), due = net->far.first && net->far.first->ready <= now;
    if (due && room)
        packet_ring_push(&net->ejected, packet_shift(&net->far));
    const struct packet *next = network_peek(net->replies, net->index);
    if (next && is_far(net, next)) {
        struct packet *p = network_receive(net->replies, net->index);
        p->ready = now + net->far_latency;
        packet_append(&net->far, p);
    } else if (next && room && !due) {
        packet_ring_push(&net->ejected, network_receive(net->replies, net->index));
    }
    agenda_put(lsu->agenda, DUE_EJECT, net->ejected.count ? DUE_EJECT : 0);
}

/* Takes a packet that another SM of the cluster has asked for, if it is the next one. */
static bool eject_cast(struct lsu *lsu, uint64_t now)
{
    const struct lsu_net *net = &lsu->net;
    const struct packet *next = network_peek(net->replies, net->index);
    if (!next || next->space != PACKET_SHARED)
        return false;
    lsu_cluster_bring(lsu, network_receive(net->replies, net->index), now);
    agenda_put(lsu->agenda, DUE_EJECT, net->ejected.count ? DUE_EJECT : 0);
    return true;
}

HOT void lsu_eject(struct lsu *lsu, uint64_t now)
{
    if (RARELY(lsu->net.sorts)) {
        if (lsu->cluster.casts && eject_cast(lsu, now))
            return;
        if (lsu->net.far_latency) {
            eject_from_sides(lsu, now);
            return;
        }
    }
    if (!packet_ring_full(&lsu->net.ejected) && network_peek(lsu->net.replies, lsu->net.index))
        packet_ring_push(&lsu->net.ejected, network_receive(lsu->net.replies, lsu->net.index));
    agenda_put(lsu->agenda, DUE_EJECT, lsu->net.ejected.count ? DUE_EJECT : 0);
}

/* The SM's end of the networks: requests leave one at a time for each cache that has some, replies are sorted into
 * those of the instruction cache and those of the load/store unit. Probes and the L1D's answers to them go through
 * networks and queues of their own, so that neither waits for a request or a reply. */
#include "sm/port.h"

#include "sm/sm_impl.h"

void sm_port_init(struct sm *sm, struct arena *own)
{
    sm->port.map = memory_map_of(sm->setup.partition);
    sm->port.packets = (struct packet_pool){.sm = (uint16_t)sm->setup.index, .arena = own};
    packet_ring_init(&sm->port.ejected, sm->params->ejection_queue, own);
    packet_ring_init(&sm->port.probes, sm->setup.probes ? sm->params->ejection_queue : 0, own);
}

/* Requests */

/* A packet goes to the slice that has its address. */
HOT_INLINE void enter_network(struct sm *sm, struct network *net, struct packet *p, uint32_t bytes)
{
    uint64_t local;
    network_send(net, sm->setup.index, memory_slice_of(&sm->port.map, p->address, &local), bytes, p, sm->agenda.now);
}

HOT void sm_port_send(struct sm *sm, struct packet *p)
{
    enter_network(sm, sm->setup.requests, p, packet_network_bytes(p));
}

/* The queue's first request, if the network's entrance has room for it; else NULL. */
HOT_INLINE const struct packet *sendable(const struct sm *sm, const struct packet_ring *queue)
{
    const struct packet *p = packet_ring_peek(queue);
    return p && sm_port_has_room(sm, packet_network_bytes(p)) ? p : NULL;
}

HOT void sm_port_send_one(struct sm *sm, struct packet_ring *queue)
{
    const struct packet *p = packet_ring_peek(queue);
    uint32_t bytes = p ? packet_network_bytes(p) : 0;
    if (!p || !sm_port_has_room(sm, bytes))
        return;
    enter_network(sm, sm->setup.requests, packet_ring_pop(queue), bytes);
    made_progress(&sm->agenda);
    if (!sm_has_queued(sm))
        agenda_done(&sm->agenda, DUE_SEND);
}

/* Data goes first. But warps that spin can keep the network's entrance full for ever, and the warp that they wait for
 * may lack an instruction: after some time its request goes before theirs. */
HOT void sm_send_requests(struct sm *sm)
{
    if (sm->fetch.queue.count && sm->agenda.now - sm->fetch.queued_since > sm->params->fetch_patience)
        sm_send_instruction_requests(sm);
    if (sm->lsu.l1c_queue.count)
        sm_port_send_one(sm, &sm->lsu.l1c_queue);
    if (sm->lsu.l1d.requests.count)
        sm_port_send_one(sm, &sm->lsu.l1d.requests);
    if (l1_drains(&sm->lsu.l1d)) {
        l1_drain(&sm->lsu.l1d);
        made_progress(&sm->agenda);
        sm_l1_changed(sm);
    }
}

HOT bool sm_has_requests(const struct sm *sm)
{
    return agenda_has(&sm->agenda, DUE_SEND | DUE_ANSWER) || sm_lsu_entering_bytes(sm);
}

/* The first answer to a probe can enter the network. */
static bool can_answer(const struct sm *sm)
{
    const struct packet *p = packet_ring_peek(&sm->lsu.l1d.answers);
    return p && network_can_send(sm->setup.acknowledgements, sm->setup.index, packet_network_bytes(p));
}

HOT bool sm_can_send(const struct sm *sm)
{
    uint32_t entering = sm_lsu_entering_bytes(sm);
    return sendable(sm, &sm->lsu.l1d.requests) || sendable(sm, &sm->lsu.l1c_queue) || sendable(sm, &sm->fetch.queue) ||
           (entering && sm_port_has_room(sm, entering)) || can_answer(sm) || l1_drains(&sm->lsu.l1d);
}

bool sm_memory_rests(const struct sm *sm)
{
    return !sm->port.ejected.count && !sm->port.probes.count && !sm->lsu.responses.count &&
           !l1_has_done(&sm->lsu.l1d) && !sm_can_send(sm);
}

/* Probes */

static void send_answer(struct sm *sm, struct packet *p)
{
    enter_network(sm, sm->setup.acknowledgements, p, packet_network_bytes(p));
}

/* An access that was refused may find a line given up. */
void sm_serve_probes(struct sm *sm)
{
    struct packet_ring *answers = &sm->lsu.l1d.answers, *probes = &sm->port.probes;
    if (can_answer(sm))
        send_answer(sm, packet_ring_pop(answers));
    if (probes->count && l1_probe(&sm->lsu.l1d, packet_ring_peek(probes))) {
        packet_ring_pop(probes);
        made_progress(&sm->agenda);
        sm_l1_changed(sm);
    }
    agenda_put(&sm->agenda, DUE_PROBES, sm_due_of_probes(sm));
}

void sm_take_probe(struct sm *sm)
{
    if (packet_ring_full(&sm->port.probes))
        return;
    packet_ring_push(&sm->port.probes, network_receive(sm->setup.probes, sm->setup.index));
    agenda_add(&sm->agenda, DUE_PROBE);
}

/* Replies */

/* Takes packets from the network into the SM: instruction lines go to the instruction cache, the rest to the load/store
 * unit. */
HOT uint32_t sm_eject(struct sm *sm)
{
    struct packet *p = packet_ring_peek(&sm->port.ejected);
    uint32_t members = 0;
    if (p && p->space == PACKET_INSTRUCTION) {
        members = sm_fetch_line(sm, p->fill);
        packet_free(&sm->port.packets, packet_ring_pop(&sm->port.ejected));
    } else if (p && !packet_ring_full(&sm->lsu.responses)) {
        packet_ring_push(&sm->lsu.responses, packet_ring_pop(&sm->port.ejected));
        sm_lsu_expect(sm, p);
        agenda_add(&sm->agenda, DUE_RESPONSE);
    }
    if (!packet_ring_full(&sm->port.ejected) && network_peek(sm->setup.replies, sm->setup.index))
        packet_ring_push(&sm->port.ejected, network_receive(sm->setup.replies, sm->setup.index));
    agenda_put(&sm->agenda, DUE_EJECT, sm->port.ejected.count ? DUE_EJECT : 0);
    bool line_came = agenda_has(&sm->agenda, DUE_FETCH) && sm->fetch.came;
    bool arrivals = sm->lsu.responses.count || line_came;
    return (sm->port.ejected.count ? SM_STATE_HOLDING : 0) | (arrivals ? SM_STATE_ARRIVALS : 0) |
           (sm_idle(sm) ? SM_STATE_IDLE : 0) | members * SM_STATE_NEIGHBOUR;
}

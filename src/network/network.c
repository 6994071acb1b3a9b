/* The single-stage crossbar of GPGPU-Sim's GTX 480 configurations: BookSim's input-queued router in a butterfly of one
 * stage, with one virtual channel (VC).
 *
 * Time line of a flit that BookSim's pipeline gives when nothing is in its way (channels take 2 ticks from one side's
 * writing to the other side's reading; routing is looked ahead; VC allocation 1, switch allocation 1, crossbar 1; t is
 * the first tick after the packet was sent):
 *
 *     tick t    leaves the injection queue (one flit a tick and sender, needs a credit of the router's buffer)
 *          t+2  in the router's buffer; a head flit asks for the output's VC and gets it in this step if it is free
 *          t+3  switch allocation (needs a credit of the ejection buffer); the credit for the buffer place starts back
 *               and counts at t+5
 *          t+4  crosses, leaves on the output channel
 *          t+6  in the ejection buffer and, if there is room, at once in the boundary buffer; its credit counts at the
 *               router at t+8
 *
 * so a packet of n flits can be received after tick t+6+n-1. With internal_speedup 2 the router makes two steps a tick
 * and the packet is there after t+5+n-1.
 *
 * Throughput: the VC of an output belongs to one packet from its head to its tail, and the next packet asks in the step
 * after the tail has left. A step is lost between packets, at an output as at an input: packets of n flits pass one in
 * n+1 steps. Waiting inputs are served round robin from the one after the last served (iSLIP's pointer).
 *
 * Parts: senders (injection queues), receivers (ejection and boundary buffers) and the router. They meet only through
 * the channels, whose two ticks make every part's tick t depend on nothing that another part did after t-2. So parts
 * may be ticked in any order, or at once by several threads, as long as none is NETWORK_LOOKAHEAD ticks ahead of
 * another. A side is a set of senders and receivers that are ticked together. The router is in router.c.
 *
 * Left out: several VCs, and with them the input speed-up, which has no effect on a single VC. */
#include "network/network_impl.h"

#include "sim/cycle.h"

const struct param_desc network_param_descs[] = {
#define PARAM_STRUCT struct network_params
#include "config/param_descs.h"
#include "network/network_params.def"
#include "config/param_end.h"
};
const unsigned network_param_count = sizeof(network_param_descs) / sizeof(network_param_descs[0]);

static const struct stat_desc network_stat_descs[] = {
#define STAT_STRUCT struct network_stats
#include "stats/stat_descs.h"
#include "network/network_stats.def"
#include "stats/stat_end.h"
};
const struct stat_group network_stat_group = {"network", "interconnect, one direction", network_stat_descs,
                                              sizeof(network_stat_descs) / sizeof(network_stat_descs[0])};

static uint32_t ring_size(uint32_t entries)
{
    uint32_t size = 1;
    while (size < entries)
        size *= 2;
    return size;
}

struct network *network_create(const struct network_params *params, unsigned inputs, unsigned outputs,
                               struct arena *arena)
{
    struct network *net = ARENA_NEW(arena, struct network, 1);
    net->params = *params;
    net->input_count = inputs;
    net->output_count = outputs;
    net->input_mask = ring_size(params->injection_flits + params->router_flits + 1) - 1;
    net->output_mask = ring_size(params->ejection_flits + params->boundary_flits + 2) - 1;
    net->senders = ARENA_NEW(arena, struct sender, inputs);
    net->receivers = ARENA_NEW(arena, struct receiver, outputs);
    net->inputs = ARENA_NEW(arena, struct input, inputs);
    net->outputs = ARENA_NEW(arena, struct output, outputs);
    for (unsigned i = 0; i < inputs; i++) {
        net->inputs[i].ring = net->senders[i].ring = ARENA_NEW(arena, struct parcel, net->input_mask + 1);
        net->senders[i].side = &net->sides[0];
        net->senders[i].credits = params->router_flits;
    }
    for (unsigned i = 0; i < outputs; i++) {
        net->outputs[i].ring = net->receivers[i].ring = ARENA_NEW(arena, struct parcel, net->output_mask + 1);
        net->receivers[i].side = &net->sides[0];
        net->outputs[i].credits = params->ejection_flits;
    }
    net->side_count = 1;
    net->sides[0].inputs = mask_low(inputs);
    net->sides[0].outputs = mask_low(outputs);
    return net;
}

static void split_channels(struct network *net, unsigned slot)
{
    struct written all = {0};
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++) {
        const struct written *w = &net->sides[i].to_router.written[slot];
        if (w->tick > all.tick)
            all = (struct written){.tick = w->tick};
        if (w->tick == all.tick)
            all.flits |= w->flits, all.credits |= w->credits;
    }
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++)
        net->sides[i].to_router.written[slot] = (struct written){.tick = all.tick,
                                                                 .flits = all.flits & net->sides[i].inputs,
                                                                 .credits = all.credits & net->sides[i].outputs};
}

/* What belongs to no port, the counts, stays where it is: only sums are asked for. */
void network_divide(struct network *net, unsigned sides, const uint8_t *side_of_input, const uint8_t *side_of_output)
{
    struct side all = {0};
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++) {
        struct side *s = &net->sides[i];
        all.sending |= s->sending, all.broke |= s->broke;
        all.ejecting |= s->ejecting, all.full |= s->full, all.arrivals |= s->arrivals;
        s->inputs = s->outputs = 0;
    }
    net->side_count = sides;
    for (unsigned i = 0; i < net->input_count; i++) {
        net->senders[i].side = &net->sides[side_of_input[i]];
        net->sides[side_of_input[i]].inputs |= BIT64(i);
    }
    for (unsigned i = 0; i < net->output_count; i++) {
        net->receivers[i].side = &net->sides[side_of_output[i]];
        net->sides[side_of_output[i]].outputs |= BIT64(i);
    }
    for (unsigned slot = 0; slot < 4; slot++)
        split_channels(net, slot);
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++) {
        struct side *s = &net->sides[i];
        s->sending = all.sending & s->inputs, s->broke = all.broke & s->inputs;
        s->ejecting = all.ejecting & s->outputs, s->full = all.full & s->outputs;
        s->arrivals = all.arrivals & s->outputs;
    }
}

static uint32_t flits_of(const struct network *net, unsigned bytes)
{
    return bytes <= net->params.flit_bytes ? 1 : (bytes + net->params.flit_bytes - 1) / net->params.flit_bytes;
}

/* An empty injection queue takes a packet of any size, and so does an empty boundary buffer: no packet is too large to
 * pass. */
bool network_can_send(const struct network *net, unsigned input, unsigned bytes)
{
    const struct sender *sender = &net->senders[input];
    return sender->queued == 0 || sender->queued + flits_of(net, bytes) <= net->params.injection_flits;
}

void network_send(struct network *net, unsigned input, unsigned output, unsigned bytes, void *payload, uint64_t cycle)
{
    struct sender *sender = &net->senders[input];
    uint32_t flits = flits_of(net, bytes);
    sender->ring[sender->end++ & net->input_mask] =
        (struct parcel){.payload = payload, .sent = cycle, .output = output, .flits = flits};
    sender->queued += flits;
    sender->side->sending |= BIT64(input);
    sender->side->sent++;
}

/* The oldest packet at a receiver. */
static const struct parcel *first_parcel(const struct network *net, const struct receiver *r)
{
    return &r->ring[r->first & net->output_mask];
}

void *network_peek(const struct network *net, unsigned output)
{
    const struct receiver *r = &net->receivers[output];
    return r->first == r->whole ? NULL : first_parcel(net, r)->payload;
}

/* Empty packets behind it have waited for nobody but it. */
void *network_receive(struct network *net, unsigned output)
{
    struct receiver *r = &net->receivers[output];
    struct side *side = r->side;
    void *payload = network_peek(net, output);
    if (!payload)
        return NULL;
    do {
        r->boundary -= first_parcel(net, r)->flits;
        r->first++;
        side->taken++;
    } while (r->first != r->whole && !first_parcel(net, r)->payload);
    if (r->first == r->whole)
        side->arrivals &= ~BIT64(output);
    if (r->boundary < net->params.boundary_flits || r->first == r->whole)
        side->full &= ~BIT64(output);
    return payload;
}

/* The last flit of a packet is in the boundary buffer. An empty packet that waits for nobody leaves at once. */
static void end_packet(struct side *side, struct receiver *r, const struct parcel *p, uint64_t output, uint64_t cycle)
{
    uint64_t latency = cycle - p->sent;
    bool first = r->first == r->whole++;
    r->arrived = 0;
    side->stats.packets++;
    side->stats.latency += latency;
    if (latency > side->stats.latency_max)
        side->stats.latency_max = latency;
    if (p->payload) {
        will_read(p->payload);
        side->arrivals |= output;
    } else if (first) {
        r->first++;
        r->boundary -= p->flits;
        side->taken++;
    }
}

/* A flit for each of these outputs moves from the ejection buffer to the boundary buffer. */
static void deliver_flits(struct network *net, struct side *side, uint64_t outputs, uint64_t cycle)
{
    for (uint64_t rest = outputs; rest; rest &= rest - 1) {
        struct receiver *r = &net->receivers[mask_first(rest)];
        const struct parcel *p = &r->ring[r->whole & net->output_mask];
        r->boundary++;
        if (p->flits == 1 || ++r->arrived == p->flits)
            end_packet(side, r, p, rest & -rest, cycle);
        if (r->boundary >= net->params.boundary_flits && r->first != r->whole)
            side->full |= rest & -rest;
    }
}

/* Receivers: one flit a tick from the ejection buffer to the boundary buffer. A packet larger than the boundary buffer
 * passes when it is alone there. Returns the outputs at which a flit passed. */
static uint64_t step_receivers(struct network *net, struct side *side, uint64_t flits, uint64_t cycle)
{
    uint64_t passing = (side->ejecting | flits) & ~side->full;
    for (uint64_t rest = flits & ~passing; rest; rest &= rest - 1)
        net->receivers[mask_first(rest)].ejected++;
    side->ejecting |= flits & ~passing;
    for (uint64_t rest = passing & ~flits; rest; rest &= rest - 1)
        if (--net->receivers[mask_first(rest)].ejected == 0)
            side->ejecting &= ~(rest & -rest);
    deliver_flits(net, side, passing, cycle);
    return passing;
}

/* Senders: one flit a tick into the channel to the router. Returns those that sent. */
static uint64_t step_senders(struct network *net, struct side *side, uint64_t credits)
{
    uint64_t broke = side->broke & ~credits, sending = side->sending, sent = sending & ~broke;
    for (uint64_t rest = credits; rest; rest &= rest - 1)
        net->senders[mask_first(rest)].credits++;
    for (uint64_t rest = sent; rest; rest &= rest - 1) {
        struct sender *sender = &net->senders[mask_first(rest)];
        if (--sender->credits == 0)
            broke |= rest & -rest;
        if (--sender->queued == 0)
            sending &= ~(rest & -rest);
    }
    side->broke = broke;
    side->sending = sending;
    side->stats.flits += mask_count(sent);
    return sent;
}

/* Whether the next tick changes something, whatever the router sends. */
static bool is_awake(const struct side *side)
{
    return (side->sending & ~side->broke) | (side->ejecting & ~side->full);
}

/* Apart from network_tick_side, which most ticks leave at once. */
NOT_INLINE uint64_t tick_side(struct network *net, struct side *side, uint64_t flits,
                                                    uint64_t credits, uint64_t tick, uint64_t cycle)
{
    uint64_t passed = step_receivers(net, side, flits, cycle);
    uint64_t sent = step_senders(net, side, credits);
    network_write(&side->to_router, tick, sent, passed);
    return sent;
}

uint64_t network_tick_side(struct network *net, unsigned index, uint64_t tick, uint64_t cycle)
{
    struct side *side = &net->sides[index];
    const struct written *from = network_read(&net->from_router, tick);
    uint64_t flits = from ? from->flits & side->outputs : 0, credits = from ? from->credits & side->inputs : 0;
    if (!(flits | credits) && !is_awake(side))
        return 0;
    return tick_side(net, side, flits, credits, tick, cycle);
}

void network_tick(struct network *net, uint64_t tick)
{
    for (unsigned i = 0; i < net->side_count; i++)
        network_tick_side(net, i, tick, tick);
    network_tick_router(net, tick);
}

/* The tick at which what is in the channels arrives, at `from` or later, or CYCLE_NEVER. */
static uint64_t next_arrival(const struct channels *c, uint64_t from)
{
    for (uint64_t tick = from; tick < from + NETWORK_LOOKAHEAD; tick++) {
        const struct written *w = network_read(c, tick);
        if (w && (w->flits || w->credits))
            return tick;
    }
    return CYCLE_NEVER;
}

uint64_t network_next(const struct network *net, uint64_t from)
{
    uint64_t next = next_arrival(&net->from_router, from);
    if (network_router_awake(&net->router))
        return from;
    for (unsigned i = 0; i < net->side_count && next != from; i++)
        next = is_awake(&net->sides[i]) ? from : cycle_min(next, next_arrival(&net->sides[i].to_router, from));
    return next;
}

bool network_idle(const struct network *net)
{
    uint64_t inside = 0;
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++)
        inside += net->sides[i].sent - net->sides[i].taken;
    return inside == 0;
}

uint64_t network_arrivals(const struct network *net, unsigned side)
{
    return net->sides[side].arrivals;
}

uint64_t network_taken(const struct network *net, unsigned side)
{
    return net->sides[side].taken;
}

void network_add_stats(const struct network *net, struct network_stats *sum)
{
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++)
        stat_merge(&network_stat_group, sum, &net->sides[i].stats);
}

void network_stats_reset(struct network *net)
{
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++)
        net->sides[i].stats = (struct network_stats){0};
}

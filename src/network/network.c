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
 * With network_vary, one in ARBITRATION_VARIES of the grants for which several inputs compete starts at a random input.
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
    uint32_t size = CACHE_LINE / sizeof(struct network_parcel);
    while (size < entries)
        size *= 2;
    return size;
}

/* Rings of different ports lie in different cache lines: theirs may be different threads. */
static struct network_parcel *new_ring(struct arena *arena, uint32_t entries)
{
    return arena_alloc(arena, entries * sizeof(struct network_parcel), CACHE_LINE);
}

struct network *network_create(const struct network_params *params, unsigned inputs, unsigned outputs,
                               struct arena *arena)
{
    struct network *net = ARENA_NEW(arena, struct network, 1);
    uint32_t input_ring = ring_size(params->injection_flits + params->router_flits + 2);
    uint32_t output_ring = ring_size(params->ejection_flits + params->boundary_flits + 3);
    uint32_t inverse = ((UINT32_C(1) << 31) + params->flit_bytes - 1) / params->flit_bytes;
    struct network_side *side = &net->sides[0];
    net->head = (struct network_head){.sides = net->sides,
                                      .inverse = inverse,
                                      .round_up = (params->flit_bytes - 1) * inverse,
                                      .injection_flits = params->injection_flits,
                                      .input_mask = input_ring * sizeof(struct network_parcel) - 1,
                                      .output_mask = output_ring * sizeof(struct network_parcel) - 1};
    net->params = *params;
    net->input_count = inputs;
    net->output_count = outputs;
    for (unsigned i = 0; i < inputs; i++) {
        net->inputs[i].ring = side->senders[i].ring = new_ring(arena, input_ring);
        net->head.side_of_input[i] = side;
    }
    for (unsigned i = 0; i < outputs; i++) {
        net->outputs[i].ring = side->receivers[i].ring = new_ring(arena, output_ring);
        net->head.side_of_output[i] = side;
        side->receivers[i].room = (int32_t)params->boundary_flits;
    }
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++)
        tally_init(&net->sides[i].spent, params->router_flits);
    tally_init(&net->router.behind, 0);
    network_note_tight(net, mask_low(outputs));
    net->side_count = 1;
    side->inputs = mask_low(inputs);
    side->outputs = mask_low(outputs);
    return net;
}

void network_vary(struct network *net, struct random_stream stream)
{
    net->varies = true;
    net->arbitration = stream;
}

/* The newest of what sides wrote there. */
static void gather_channel(struct network_written *all, const struct network_written *w)
{
    if (w->tick > all->tick)
        *all = (struct network_written){.tick = w->tick};
    if (w->tick == all->tick)
        all->flits |= w->flits, all->credits |= w->credits;
}

void network_gather(const struct network *net, struct network_side *whole)
{
    *whole = (struct network_side){0};
    tally_init(&whole->spent, net->params.router_flits);
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++) {
        const struct network_side *s = &net->sides[i];
        whole->sending |= s->sending, whole->more |= s->more;
        whole->arrivals |= s->arrivals, whole->full |= s->full, whole->ejecting |= s->ejecting;
        tally_copy(&whole->spent, &s->spent, s->inputs);
        for (uint64_t rest = s->inputs; rest; rest &= rest - 1)
            whole->senders[mask_first(rest)] = s->senders[mask_first(rest)];
        for (uint64_t rest = s->outputs; rest; rest &= rest - 1)
            whole->receivers[mask_first(rest)] = s->receivers[mask_first(rest)];
        for (unsigned slot = 0; slot < 4; slot++)
            gather_channel(&whole->to_router.written[slot], &s->to_router.written[slot]);
    }
}

static void deal_side(struct network *net, struct network_side *s, const struct network_side *whole)
{
    s->sending = whole->sending & s->inputs, s->more = whole->more & s->inputs;
    s->arrivals = whole->arrivals & s->outputs, s->full = whole->full & s->outputs;
    s->ejecting = whole->ejecting & s->outputs;
    tally_init(&s->spent, net->params.router_flits);
    tally_copy(&s->spent, &whole->spent, s->inputs);
    for (uint64_t rest = s->inputs; rest; rest &= rest - 1)
        s->senders[mask_first(rest)] = whole->senders[mask_first(rest)];
    for (uint64_t rest = s->outputs; rest; rest &= rest - 1)
        s->receivers[mask_first(rest)] = whole->receivers[mask_first(rest)];
    for (unsigned slot = 0; slot < 4; slot++) {
        const struct network_written *w = &whole->to_router.written[slot];
        s->to_router.written[slot] = (struct network_written){
            .tick = w->tick, .flits = w->flits & s->inputs, .credits = w->credits & s->outputs};
    }
}

void network_deal(struct network *net, const struct network_side *whole)
{
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++)
        net->sides[i].inputs = net->sides[i].outputs = 0;
    for (unsigned i = 0; i < net->input_count; i++)
        net->head.side_of_input[i]->inputs |= BIT64(i);
    for (unsigned i = 0; i < net->output_count; i++)
        net->head.side_of_output[i]->outputs |= BIT64(i);
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++)
        deal_side(net, &net->sides[i], whole);
}

void network_divide(struct network *net, unsigned sides, const uint8_t *side_of_input, const uint8_t *side_of_output)
{
    struct network_side whole;
    network_gather(net, &whole);
    net->side_count = sides;
    for (unsigned i = 0; i < net->input_count; i++)
        net->head.side_of_input[i] = &net->sides[side_of_input[i]];
    for (unsigned i = 0; i < net->output_count; i++)
        net->head.side_of_output[i] = &net->sides[side_of_output[i]];
    network_deal(net, &whole);
}

/* Empty packets behind a received one have waited for nobody but it. */
HOT void network_receive_more(struct network *net, struct network_side *side, unsigned output)
{
    struct network_receiver *r = &side->receivers[output];
    for (const struct network_parcel *p; r->first != r->whole; side->taken++) {
        p = network_parcel_at(r->ring, r->first);
        if (p->payload)
            break;
        r->room += p->flits;
        r->first = network_place_after(r->first, net->head.output_mask);
    }
    if (r->first == r->whole)
        side->arrivals &= ~BIT64(output);
    if (r->room > 0 || r->first == r->whole)
        side->full &= ~BIT64(output);
}

/* At these outputs the boundary buffer may have no room left. It takes more only for a packet that is alone there. */
NOT_INLINE void note_full(struct network_side *side, uint64_t outputs)
{
    for (uint64_t rest = outputs; rest; rest &= rest - 1) {
        const struct network_receiver *r = &side->receivers[mask_first(rest)];
        side->full |= r->room <= 0 && r->first != r->whole ? rest & -rest : 0;
    }
}

/* A flit for each of these outputs moves from the ejection buffer to the boundary buffer. An empty packet that waits
 * for nobody leaves at once. */
static void deliver_flits(struct network *net, struct network_side *side, uint64_t outputs, uint64_t cycle)
{
    const uint32_t mask = net->head.output_mask;
    uint64_t crowded = 0;
    for (uint64_t rest = outputs; rest; rest &= rest - 1) {
        const size_t output = mask_first(rest);
        struct network_receiver *r = &side->receivers[output];
        const struct network_parcel *p = network_parcel_at(r->ring, r->whole);
        if (--r->room <= 0)
            crowded |= rest & -rest;
        if (p->flits != 1) {
            if (++r->arrived != p->flits)
                continue;
            r->arrived = 0;
        }
        uint64_t latency = (uint32_t)cycle - p->sent;
        const bool first = r->first == r->whole;
        r->whole = network_place_after(r->whole, mask);
        side->stats.packets++;
        side->stats.latency += latency;
        if (latency > side->stats.latency_max)
            side->stats.latency_max = latency;
        if (p->payload) {
            will_read(p->payload);
            side->arrivals |= rest & -rest;
        } else if (first) {
            r->first = r->whole;
            r->room += p->flits;
            side->taken++;
        }
    }
    if (crowded)
        note_full(side, crowded);
}

/* Some flits wait in ejection buffers, or find the boundary buffer full. Returns the outputs at which one passes. */
HOT NOT_INLINE uint64_t step_ejection(struct network_side *side, uint64_t flits)
{
    uint64_t passing = (side->ejecting | flits) & ~side->full;
    for (uint64_t rest = flits & ~passing; rest; rest &= rest - 1)
        side->receivers[mask_first(rest)].ejected++;
    side->ejecting |= flits & ~passing;
    for (uint64_t rest = passing & ~flits; rest; rest &= rest - 1)
        if (--side->receivers[mask_first(rest)].ejected == 0)
            side->ejecting &= ~(rest & -rest);
    return passing;
}

/* Receivers: one flit a tick from the ejection buffer to the boundary buffer. A packet larger than the boundary buffer
 * passes when it is alone there. Returns the outputs at which a flit passed. */
static uint64_t step_receivers(struct network *net, struct network_side *side, uint64_t flits, uint64_t cycle)
{
    uint64_t passing = flits;
    if (side->ejecting | (flits & side->full))
        passing = step_ejection(side, flits);
    deliver_flits(net, side, passing, cycle);
    return passing;
}

/* Senders: one flit a tick into the channel to the router. Returns those that sent. */
static uint64_t step_senders(struct network_side *side, uint64_t credits)
{
    uint64_t sent = side->sending & ~(tally_full(&side->spent) & ~credits), more = sent & side->more;
    tally_move(&side->spent, sent & ~credits, credits & ~sent);
    side->sending ^= sent ^ more;
    for (uint64_t rest = more; rest; rest &= rest - 1)
        if (--side->senders[mask_first(rest)].behind == 0)
            side->more ^= rest & -rest;
    side->stats.flits += mask_count(sent);
    return sent;
}

/* Whether the next tick changes something, whatever the router sends. */
static inline bool is_awake(const struct network_side *side)
{
    return (side->sending | side->ejecting) &&
           ((side->sending & ~tally_full(&side->spent)) | (side->ejecting & ~side->full));
}

/* Apart from network_tick_side, which most ticks leave at once. */
HOT NOT_INLINE uint64_t tick_side(struct network *net, struct network_side *side, uint64_t flits, uint64_t credits,
                                  uint64_t tick, uint64_t cycle)
{
    uint64_t passed = step_receivers(net, side, flits, cycle);
    uint64_t sent = step_senders(side, credits);
    network_write(&side->to_router, tick, sent, passed);
    return sent;
}

HOT uint64_t network_tick_side(struct network *net, unsigned index, uint64_t tick, uint64_t cycle)
{
    struct network_side *side = &net->sides[index];
    const struct network_written *from = network_read(&net->from_router, tick);
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
static uint64_t next_arrival(const struct network_channels *c, uint64_t from)
{
    for (uint64_t tick = from; tick < from + NETWORK_LOOKAHEAD; tick++) {
        const struct network_written *w = network_read(c, tick);
        if (w && (w->flits || w->credits))
            return tick;
    }
    return CYCLE_NEVER;
}

/* The tick at which the router looks for credits, which may not come. */
static uint64_t next_credit(const struct router *router, uint64_t from)
{
    uint64_t next = CYCLE_NEVER;
    for (unsigned i = 0; i < CREDIT_TICKS; i++)
        if (router->left[i])
            next = cycle_min(next, from + (i - from) % CREDIT_TICKS);
    return next;
}

HOT uint64_t network_next(const struct network *net, uint64_t from)
{
    if (net->router.busy)
        return from;
    uint64_t next = cycle_min(next_arrival(&net->from_router, from), next_credit(&net->router, from));
    for (unsigned i = 0; i < net->side_count && next != from; i++)
        next = is_awake(&net->sides[i]) ? from : cycle_min(next, next_arrival(&net->sides[i].to_router, from));
    return next;
}

bool network_idle(const struct network *net)
{
    for (unsigned i = 0; i < net->input_count; i++)
        if (net->head.side_of_input[i]->senders[i].end != net->inputs[i].first)
            return false;
    for (unsigned i = 0; i < net->output_count; i++)
        if (net->head.side_of_output[i]->receivers[i].first != net->outputs[i].end)
            return false;
    return true;
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

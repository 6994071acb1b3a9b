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
 * another. A side is a set of senders and receivers that are ticked together.
 *
 * Left out: several VCs, and with them the input speed-up, which has no effect on a single VC. */
#include "network/network_impl.h"

#include <stddef.h>

#include "base/bits.h"
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
    uint32_t in_size = ring_size(params->injection_flits + params->router_flits + 1);
    uint32_t out_size = ring_size(params->ejection_flits + params->boundary_flits + 2);
    net->params = *params;
    net->input_count = inputs;
    net->output_count = outputs;
    net->input_mask = in_size - 1;
    net->output_mask = out_size - 1;
    net->senders = ARENA_NEW(arena, struct sender, inputs);
    net->receivers = ARENA_NEW(arena, struct receiver, outputs);
    net->inputs = ARENA_NEW(arena, struct input, inputs);
    net->outputs = ARENA_NEW(arena, struct output, outputs);
    for (unsigned i = 0; i < inputs; i++) {
        net->senders[i].ring = ARENA_NEW(arena, struct packet_in, in_size);
        net->senders[i].credits = params->router_flits;
    }
    for (unsigned i = 0; i < outputs; i++) {
        net->receivers[i].ring = ARENA_NEW(arena, struct packet_out, out_size);
        net->outputs[i].credits = params->ejection_flits;
        net->outputs[i].holder = NOBODY;
    }
    net->side_count = 1;
    net->sides[0].inputs = mask_low(inputs);
    net->sides[0].outputs = mask_low(outputs);
    return net;
}

static void split_channel(struct network *net, size_t member, unsigned slot, bool of_inputs)
{
    uint64_t tick = 0, ports = 0;
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++) {
        struct channel *c = (struct channel *)((char *)&net->sides[i] + member);
        if (c->written[slot].ports && c->written[slot].tick > tick)
            tick = c->written[slot].tick, ports = 0;
        if (c->written[slot].tick == tick)
            ports |= c->written[slot].ports;
    }
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++) {
        struct channel *c = (struct channel *)((char *)&net->sides[i] + member);
        c->written[slot].tick = tick;
        c->written[slot].ports = ports & (of_inputs ? net->sides[i].inputs : net->sides[i].outputs);
    }
}

/* What belongs to no port, the counts, stays where it is: only sums are asked for. */
void network_divide(struct network *net, unsigned sides, const uint8_t *side_of_input, const uint8_t *side_of_output)
{
    uint64_t sending = 0, ejecting = 0, arrivals = 0;
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++) {
        struct side *s = &net->sides[i];
        sending |= s->sending, ejecting |= s->ejecting, arrivals |= s->arrivals;
        s->inputs = s->outputs = 0;
    }
    net->side_count = sides;
    for (unsigned i = 0; i < net->input_count; i++) {
        net->senders[i].side = side_of_input[i];
        net->sides[side_of_input[i]].inputs |= BIT64(i);
    }
    for (unsigned i = 0; i < net->output_count; i++) {
        net->receivers[i].side = side_of_output[i];
        net->sides[side_of_output[i]].outputs |= BIT64(i);
    }
    for (unsigned slot = 0; slot < 4; slot++) {
        split_channel(net, offsetof(struct side, flits), slot, true);
        split_channel(net, offsetof(struct side, credits), slot, false);
    }
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++) {
        struct side *s = &net->sides[i];
        s->sending = sending & s->inputs;
        s->ejecting = ejecting & s->outputs;
        s->arrivals = arrivals & s->outputs;
        s->awake = true;
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
    struct side *side = &net->sides[sender->side];
    uint32_t flits = flits_of(net, bytes);
    sender->ring[sender->end++ & net->input_mask] = (struct packet_in){payload, cycle, output, flits};
    sender->queued += flits;
    side->sending |= BIT64(input);
    side->sent++;
    side->awake = true;
}

void *network_peek(const struct network *net, unsigned output)
{
    const struct receiver *r = &net->receivers[output];
    return r->first == r->whole ? NULL : r->ring[r->first & net->output_mask].payload;
}

static void drop_first(struct network *net, struct side *side, struct receiver *r)
{
    r->boundary -= r->ring[r->first++ & net->output_mask].flits;
    side->taken++;
}

/* Empty packets behind it have waited for nobody but it. */
void *network_receive(struct network *net, unsigned output)
{
    struct receiver *r = &net->receivers[output];
    struct side *side = &net->sides[r->side];
    void *payload = network_peek(net, output);
    if (!payload)
        return NULL;
    do
        drop_first(net, side, r);
    while (r->first != r->whole && !network_peek(net, output));
    if (r->first == r->whole)
        side->arrivals &= ~BIT64(output);
    if (mask_has(side->ejecting, output))
        side->awake = true;
    return payload;
}

static void write_channel(struct channel *c, uint64_t tick, uint64_t ports)
{
    if (!ports)
        return;
    c->written[tick & 3].tick = tick;
    c->written[tick & 3].ports = ports;
}

/* What was written two ticks ago. */
static uint64_t read_channel(const struct channel *c, uint64_t tick)
{
    return c->written[(tick - NETWORK_LOOKAHEAD) & 3].tick == tick - NETWORK_LOOKAHEAD
               ? c->written[(tick - NETWORK_LOOKAHEAD) & 3].ports
               : 0;
}

/* The tick at which what is in the channel arrives, at `from` or later, or CYCLE_NEVER. */
static uint64_t channel_next(const struct channel *c, uint64_t from)
{
    for (uint64_t tick = from; tick < from + NETWORK_LOOKAHEAD; tick++)
        if (read_channel(c, tick))
            return tick;
    return CYCLE_NEVER;
}

static void deliver_flit(struct network *net, struct side *side, unsigned index, uint64_t cycle)
{
    struct receiver *r = &net->receivers[index];
    const struct packet_out *p = &r->ring[r->whole & net->output_mask];
    r->boundary++;
    if (++r->arrived < p->flits)
        return;
    r->arrived = 0;
    r->whole++;
    side->stats.packets++;
    side->stats.latency += cycle - p->sent;
    if (cycle - p->sent > side->stats.latency_max)
        side->stats.latency_max = cycle - p->sent;
    if (p->payload)
        side->arrivals |= BIT64(index);
    else if (r->whole - r->first == 1)
        drop_first(net, side, r);
}

/* Receivers: one flit a tick from the ejection buffer to the boundary buffer. A packet larger than the boundary buffer
 * passes when it is alone there. */
static bool step_receivers(struct network *net, struct side *side, uint64_t flits, uint64_t tick, uint64_t cycle)
{
    uint64_t credits = 0;
    for (uint64_t rest = flits; rest; rest &= rest - 1)
        net->receivers[mask_first(rest)].ejected++;
    side->ejecting |= flits;
    for (uint64_t rest = side->ejecting; rest; rest &= rest - 1) {
        struct receiver *r = &net->receivers[mask_first(rest)];
        if (r->boundary >= net->params.boundary_flits && r->first != r->whole)
            continue;
        credits |= rest & -rest;
        if (--r->ejected == 0)
            side->ejecting &= ~(rest & -rest);
        deliver_flit(net, side, mask_first(rest), cycle);
    }
    write_channel(&side->credits, tick, credits);
    return credits != 0;
}

/* Senders: one flit a tick into the channel to the router. Returns those that sent. */
static uint64_t step_senders(struct network *net, struct side *side, uint64_t credits, uint64_t tick)
{
    uint64_t flits = 0;
    for (uint64_t rest = credits; rest; rest &= rest - 1)
        net->senders[mask_first(rest)].credits++;
    for (uint64_t rest = side->sending; rest; rest &= rest - 1) {
        struct sender *sender = &net->senders[mask_first(rest)];
        if (sender->credits == 0)
            continue;
        sender->credits--;
        flits |= rest & -rest;
        side->stats.flits++;
        if (--sender->queued == 0)
            side->sending &= ~(rest & -rest);
    }
    write_channel(&side->flits, tick, flits);
    return flits;
}

uint64_t network_tick_side(struct network *net, unsigned index, uint64_t tick, uint64_t cycle)
{
    struct side *side = &net->sides[index];
    uint64_t flits = read_channel(&net->router.flits, tick) & side->outputs;
    uint64_t credits = read_channel(&net->router.credits, tick) & side->inputs;
    if (!side->awake && !flits && !credits)
        return 0;
    bool moved = step_receivers(net, side, flits, tick, cycle);
    uint64_t sent = step_senders(net, side, credits, tick);
    side->awake = moved || sent;
    return sent;
}

static struct packet_in *front_packet(const struct network *net, unsigned input)
{
    return &net->senders[input].ring[net->inputs[input].first & net->input_mask];
}

/* A head flit has come to the front of the input's buffer. */
static void ask_for_vc(struct network *net, unsigned input)
{
    const struct packet_in *p = front_packet(net, input);
    struct input *in = &net->inputs[input];
    struct output *out = &net->outputs[p->output];
    in->output = p->output;
    in->left = p->flits;
    net->router.asking |= BIT64(input);
    out->waiting |= BIT64(input);
    if (out->holder == NOBODY)
        net->router.wanted |= BIT64(p->output);
}

/* The inputs that get a VC in this step: of those that ask for a free output, the first from its turn on. */
static uint64_t allocate_vcs(const struct network *net)
{
    uint64_t granted = 0;
    for (uint64_t rest = net->router.wanted; rest; rest &= rest - 1) {
        const struct output *out = &net->outputs[mask_first(rest)];
        uint64_t later = out->waiting & ~mask_low(out->turn);
        granted |= BIT64(mask_first(later ? later : out->waiting));
    }
    return granted;
}

static void give_vcs(struct network *net, uint64_t granted)
{
    net->router.asking &= ~granted;
    net->router.holding |= granted;
    net->router.switching |= granted;
    for (; granted; granted &= granted - 1) {
        uint32_t input = mask_first(granted);
        const struct packet_in *p = front_packet(net, input);
        struct output *out = &net->outputs[p->output];
        out->holder = input;
        out->turn = input + 1 < net->input_count ? input + 1 : 0;
        out->waiting &= ~BIT64(input);
        net->router.wanted &= ~BIT64(p->output);
        net->receivers[p->output].ring[out->end++ & net->output_mask] =
            (struct packet_out){p->payload, p->sent, p->flits};
    }
}

/* A flit leaves the router's buffer; the tail frees the VC. */
static void switch_flit(struct network *net, unsigned input)
{
    struct input *in = &net->inputs[input];
    struct output *out = &net->outputs[in->output];
    out->credits--;
    net->router.crossing |= BIT64(in->output);
    in->owed++;
    net->router.owing |= BIT64(input);
    if (--in->buffered == 0)
        net->router.switching &= ~BIT64(input);
    if (--in->left)
        return;
    in->first++;
    out->holder = NOBODY;
    if (out->waiting)
        net->router.wanted |= BIT64(in->output);
    net->router.holding &= ~BIT64(input);
    net->router.switching &= ~BIT64(input);
    if (in->buffered)
        ask_for_vc(net, input);
}

/* One step of the router; everything looks at the state before the step. */
static bool step_router(struct network *net)
{
    for (uint64_t rest = net->router.crossing; rest; rest &= rest - 1)
        net->outputs[mask_first(rest)].leaving++;
    net->router.leaving |= net->router.crossing;
    net->router.crossing = 0;
    uint64_t granted = allocate_vcs(net);
    bool moved = granted != 0;
    for (uint64_t rest = net->router.switching; rest; rest &= rest - 1) {
        uint32_t input = mask_first(rest);
        if (net->outputs[net->inputs[input].output].credits == 0)
            continue;
        switch_flit(net, input);
        moved = true;
    }
    give_vcs(net, granted);
    return moved;
}

static void read_router_inputs(struct network *net, uint64_t flits, uint64_t credits)
{
    for (uint64_t rest = flits; rest; rest &= rest - 1)
        net->inputs[mask_first(rest)].buffered++;
    for (uint64_t rest = flits & ~net->router.holding & ~net->router.asking; rest; rest &= rest - 1)
        ask_for_vc(net, mask_first(rest));
    net->router.switching |= flits & net->router.holding;
    for (; credits; credits &= credits - 1)
        net->outputs[mask_first(credits)].credits++;
}

/* One flit an output channel, one credit an input's backward channel. */
static void write_router_outputs(struct network *net, uint64_t tick)
{
    struct router *router = &net->router;
    write_channel(&router->flits, tick, router->leaving);
    for (uint64_t rest = router->leaving; rest; rest &= rest - 1)
        if (--net->outputs[mask_first(rest)].leaving == 0)
            router->leaving &= ~(rest & -rest);
    write_channel(&router->credits, tick, router->owing);
    for (uint64_t rest = router->owing; rest; rest &= rest - 1)
        if (--net->inputs[mask_first(rest)].owed == 0)
            router->owing &= ~(rest & -rest);
}

void network_tick_router(struct network *net, uint64_t tick)
{
    struct router *router = &net->router;
    uint64_t flits = 0, credits = 0;
    for (unsigned i = 0; i < net->side_count; i++) {
        flits |= read_channel(&net->sides[i].flits, tick);
        credits |= read_channel(&net->sides[i].credits, tick);
    }
    if (!router->awake && !flits && !credits)
        return;
    bool moved = false;
    read_router_inputs(net, flits, credits);
    for (uint32_t step = 0; step < net->params.internal_speedup; step++)
        moved |= step_router(net);
    write_router_outputs(net, tick);
    router->awake = moved || router->crossing || router->leaving || router->owing;
}

void network_tick(struct network *net, uint64_t tick)
{
    for (unsigned i = 0; i < net->side_count; i++)
        network_tick_side(net, i, tick, tick);
    network_tick_router(net, tick);
}

uint64_t network_next(const struct network *net, uint64_t from)
{
    uint64_t next = cycle_min(channel_next(&net->router.flits, from), channel_next(&net->router.credits, from));
    bool awake = net->router.awake;
    for (unsigned i = 0; i < net->side_count; i++) {
        const struct side *side = &net->sides[i];
        awake |= side->awake;
        next = cycle_min(next, cycle_min(channel_next(&side->flits, from), channel_next(&side->credits, from)));
    }
    return awake ? from : next;
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

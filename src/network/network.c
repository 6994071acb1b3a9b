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
 * Left out: several VCs, and with them the input speed-up, which has no effect on a single VC. */
#include "network/network.h"

#include <string.h>

#include "base/bits.h"
#include "sim/cycle.h"

#define NOBODY UINT32_MAX

struct packet_in { /* a packet between sending and its tail's switching */
    void *payload;
    uint64_t sent;
    uint32_t output, flits;
};

struct packet_out { /* a packet between VC allocation and receiving */
    void *payload;
    uint64_t sent;
    uint32_t flits;
};

struct input {
    struct packet_in *ring;
    uint32_t first, end; /* packets of the ring, counted without wrapping */
    uint32_t queued;     /* flits in the injection queue */
    uint32_t credits;    /* free places of the router's buffer, as the sender knows */
    uint32_t buffered;   /* flits in the router's buffer */
    uint32_t output;     /* of packet `first`, once its head is in the router's buffer */
    uint32_t left;       /* flits of that packet that have not left the buffer */
    uint32_t owed;       /* credits to send back */
};

struct output {
    struct packet_out *ring;
    uint32_t first, whole, end; /* [first, whole) can be received, `whole` is being put together */
    uint32_t holder;            /* input whose packet holds the VC, or NOBODY */
    uint32_t turn;              /* input to be looked at first */
    uint64_t waiting;           /* inputs that ask for the VC */
    uint32_t credits;
    uint32_t leaving;  /* flits behind the crossbar, waiting for the channel */
    uint32_t ejected;  /* flits in the ejection buffer */
    uint32_t boundary; /* flits in the boundary buffer */
    uint32_t arrived;  /* flits of packet `whole` in the boundary buffer */
};

/* Something on its way for two ticks: bit sets of ports. */
struct delay {
    uint64_t young, old;
};

struct network {
    struct network_params params;
    struct network_stats stats;
    unsigned input_count, output_count;
    uint32_t input_mask, output_mask; /* of the rings */
    struct input *inputs;
    struct output *outputs;
    uint64_t sending;   /* inputs with flits in the injection queue */
    uint64_t asking;    /* inputs with a flit in the router and no VC */
    uint64_t wanted;    /* outputs whose VC is free and asked for */
    uint64_t switching; /* inputs with a VC and a flit in the router */
    uint64_t holding;   /* inputs with a VC */
    uint64_t crossing;  /* outputs to which a flit crosses in the next step */
    uint64_t leaving;   /* outputs with flits behind the crossbar */
    uint64_t ejecting;  /* outputs with flits in the ejection buffer */
    uint64_t owing;     /* inputs to which credits are owed */
    uint64_t arrivals;  /* outputs with packets to receive */
    struct delay in_flits, in_credits, out_flits, out_credits;
    uint64_t inside; /* packets */
    uint64_t last;   /* last tick */
    bool awake;      /* the next tick may change something */
};

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
    net->inputs = ARENA_NEW(arena, struct input, inputs);
    net->outputs = ARENA_NEW(arena, struct output, outputs);
    for (unsigned i = 0; i < inputs; i++) {
        net->inputs[i].ring = ARENA_NEW(arena, struct packet_in, in_size);
        net->inputs[i].credits = params->router_flits;
    }
    for (unsigned i = 0; i < outputs; i++) {
        net->outputs[i].ring = ARENA_NEW(arena, struct packet_out, out_size);
        net->outputs[i].credits = params->ejection_flits;
        net->outputs[i].holder = NOBODY;
    }
    return net;
}

static uint32_t flits_of(const struct network *net, unsigned bytes)
{
    return bytes <= net->params.flit_bytes ? 1 : (bytes + net->params.flit_bytes - 1) / net->params.flit_bytes;
}

/* An empty injection queue takes a packet of any size, and so does an empty boundary buffer: no packet is too large to
 * pass. */
bool network_can_send(const struct network *net, unsigned input, unsigned bytes)
{
    const struct input *in = &net->inputs[input];
    return in->queued == 0 || in->queued + flits_of(net, bytes) <= net->params.injection_flits;
}

void network_send(struct network *net, unsigned input, unsigned output, unsigned bytes, void *payload, uint64_t cycle)
{
    struct input *in = &net->inputs[input];
    uint32_t flits = flits_of(net, bytes);
    in->ring[in->end++ & net->input_mask] = (struct packet_in){payload, cycle, output, flits};
    in->queued += flits;
    net->sending |= BIT64(input);
    net->inside++;
    net->awake = true;
}

void *network_peek(const struct network *net, unsigned output)
{
    const struct output *out = &net->outputs[output];
    return out->first == out->whole ? NULL : out->ring[out->first & net->output_mask].payload;
}

static void drop_first(struct network *net, struct output *out)
{
    out->boundary -= out->ring[out->first++ & net->output_mask].flits;
    net->inside--;
}

/* Empty packets behind it have waited for nobody but it. */
void *network_receive(struct network *net, unsigned output)
{
    struct output *out = &net->outputs[output];
    void *payload = network_peek(net, output);
    if (!payload)
        return NULL;
    do
        drop_first(net, out);
    while (out->first != out->whole && !network_peek(net, output));
    if (out->first == out->whole)
        net->arrivals &= ~BIT64(output);
    if (mask_has(net->ejecting, output))
        net->awake = true;
    return payload;
}

/* What was given to d before the previous tick arrives now; what is added in this tick arrives two ticks later. */
static uint64_t delay_step(struct delay *d)
{
    uint64_t arrived = d->old;
    d->old = d->young;
    d->young = 0;
    return arrived;
}

static void deliver_flit(struct network *net, unsigned index, uint64_t cycle)
{
    struct output *out = &net->outputs[index];
    const struct packet_out *p = &out->ring[out->whole & net->output_mask];
    out->boundary++;
    if (++out->arrived < p->flits)
        return;
    out->arrived = 0;
    out->whole++;
    net->stats.packets++;
    net->stats.latency += cycle - p->sent;
    if (cycle - p->sent > net->stats.latency_max)
        net->stats.latency_max = cycle - p->sent;
    if (p->payload)
        net->arrivals |= BIT64(index);
    else if (out->whole - out->first == 1)
        drop_first(net, out);
}

/* Receivers: one flit a tick from the ejection buffer to the boundary buffer. A packet larger than the boundary buffer
 * passes when it is alone there. */
static bool step_receivers(struct network *net, uint64_t cycle)
{
    bool moved = false;
    for (uint64_t rest = delay_step(&net->out_flits); rest; rest &= rest - 1) {
        net->outputs[mask_first(rest)].ejected++;
        net->ejecting |= rest & -rest;
    }
    for (uint64_t rest = net->ejecting; rest; rest &= rest - 1) {
        struct output *out = &net->outputs[mask_first(rest)];
        if (out->boundary >= net->params.boundary_flits && out->first != out->whole)
            continue;
        moved = true;
        net->out_credits.young |= rest & -rest;
        if (--out->ejected == 0)
            net->ejecting &= ~(rest & -rest);
        deliver_flit(net, mask_first(rest), cycle);
    }
    return moved;
}

/* Senders: one flit a tick into the channel to the router. */
static bool step_senders(struct network *net)
{
    bool moved = false;
    for (uint64_t rest = delay_step(&net->in_credits); rest; rest &= rest - 1)
        net->inputs[mask_first(rest)].credits++;
    for (uint64_t rest = net->sending; rest; rest &= rest - 1) {
        struct input *in = &net->inputs[mask_first(rest)];
        if (in->credits == 0)
            continue;
        in->credits--;
        net->in_flits.young |= rest & -rest;
        net->stats.flits++;
        moved = true;
        if (--in->queued == 0)
            net->sending &= ~(rest & -rest);
    }
    return moved;
}

static struct packet_in *front_packet(const struct network *net, unsigned input)
{
    const struct input *in = &net->inputs[input];
    return &in->ring[in->first & net->input_mask];
}

/* A head flit has come to the front of the input's buffer. */
static void ask_for_vc(struct network *net, unsigned input)
{
    const struct packet_in *p = front_packet(net, input);
    struct input *in = &net->inputs[input];
    struct output *out = &net->outputs[p->output];
    in->output = p->output;
    in->left = p->flits;
    net->asking |= BIT64(input);
    out->waiting |= BIT64(input);
    if (out->holder == NOBODY)
        net->wanted |= BIT64(p->output);
}

/* The inputs that get a VC in this step: of those that ask for a free output, the first from its turn on. */
static uint64_t allocate_vcs(const struct network *net)
{
    uint64_t granted = 0;
    for (uint64_t rest = net->wanted; rest; rest &= rest - 1) {
        const struct output *out = &net->outputs[mask_first(rest)];
        uint64_t later = out->waiting & ~mask_low(out->turn);
        granted |= BIT64(mask_first(later ? later : out->waiting));
    }
    return granted;
}

static void give_vcs(struct network *net, uint64_t granted)
{
    net->asking &= ~granted;
    net->holding |= granted;
    net->switching |= granted;
    for (; granted; granted &= granted - 1) {
        uint32_t input = mask_first(granted);
        const struct packet_in *p = front_packet(net, input);
        struct output *out = &net->outputs[p->output];
        out->holder = input;
        out->turn = input + 1 < net->input_count ? input + 1 : 0;
        out->waiting &= ~BIT64(input);
        net->wanted &= ~BIT64(p->output);
        out->ring[out->end++ & net->output_mask] = (struct packet_out){p->payload, p->sent, p->flits};
    }
}

/* A flit leaves the router's buffer; the tail frees the VC. */
static void switch_flit(struct network *net, unsigned input)
{
    struct input *in = &net->inputs[input];
    struct output *out = &net->outputs[in->output];
    out->credits--;
    net->crossing |= BIT64(in->output);
    in->owed++;
    net->owing |= BIT64(input);
    if (--in->buffered == 0)
        net->switching &= ~BIT64(input);
    if (--in->left)
        return;
    in->first++;
    out->holder = NOBODY;
    if (out->waiting)
        net->wanted |= BIT64(in->output);
    net->holding &= ~BIT64(input);
    net->switching &= ~BIT64(input);
    if (in->buffered)
        ask_for_vc(net, input);
}

/* One step of the router; everything looks at the state before the step. */
static bool step_router(struct network *net)
{
    for (uint64_t rest = net->crossing; rest; rest &= rest - 1)
        net->outputs[mask_first(rest)].leaving++;
    net->leaving |= net->crossing;
    net->crossing = 0;
    uint64_t granted = allocate_vcs(net);
    bool moved = granted != 0;
    for (uint64_t rest = net->switching; rest; rest &= rest - 1) {
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
    for (uint64_t rest = flits & ~net->holding & ~net->asking; rest; rest &= rest - 1)
        ask_for_vc(net, mask_first(rest));
    net->switching |= flits & net->holding;
    for (; credits; credits &= credits - 1)
        net->outputs[mask_first(credits)].credits++;
}

/* One flit an output channel, one credit an input's backward channel. */
static void write_router_outputs(struct network *net)
{
    net->out_flits.young = net->leaving;
    for (uint64_t rest = net->leaving; rest; rest &= rest - 1)
        if (--net->outputs[mask_first(rest)].leaving == 0)
            net->leaving &= ~(rest & -rest);
    net->in_credits.young = net->owing;
    for (uint64_t rest = net->owing; rest; rest &= rest - 1)
        if (--net->inputs[mask_first(rest)].owed == 0)
            net->owing &= ~(rest & -rest);
}

void network_tick(struct network *net, uint64_t cycle)
{
    net->last = cycle;
    if (!net->awake)
        return;
    uint64_t flits = delay_step(&net->in_flits), credits = delay_step(&net->out_credits);
    bool moved = step_receivers(net, cycle);
    moved |= step_senders(net);
    read_router_inputs(net, flits, credits);
    for (uint32_t step = 0; step < net->params.internal_speedup; step++)
        moved |= step_router(net);
    write_router_outputs(net);
    net->awake = moved || net->crossing || net->leaving || net->owing || net->in_flits.young || net->in_flits.old ||
                 net->in_credits.young || net->in_credits.old || net->out_flits.young || net->out_flits.old ||
                 net->out_credits.young || net->out_credits.old;
}

uint64_t network_next(const struct network *net)
{
    return net->awake ? net->last + 1 : CYCLE_NEVER;
}

bool network_idle(const struct network *net)
{
    return net->inside == 0;
}

uint64_t network_arrivals(const struct network *net)
{
    return net->arrivals;
}

const struct network_stats *network_stats_of(const struct network *net)
{
    return &net->stats;
}

void network_stats_reset(struct network *net)
{
    net->stats = (struct network_stats){0};
}

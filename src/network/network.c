/* The ends of a network: how they are made, dealt to sides, and ticked.
 *
 * Senders (injection queues), receivers (ejection and boundary buffers) and the core meet only through channels. What
 * is written there in a tick is read the core's channel_ticks later, so tick t of each depends on nothing that another
 * did after tick t - channel_ticks. They may be ticked in any order, or at once by several threads, as long as none is
 * network_lookahead ticks ahead of another. A side is a set of senders and receivers that are ticked together. */
#include <assert.h>

#include "network/network_impl.h"
#include "sim/cycle.h"

#define NETWORK_CORE(symbol)
#include "network/cores.def"
#undef NETWORK_CORE

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
    const uint32_t least = CACHE_LINE / sizeof(struct network_parcel);
    return power_from(entries > least ? entries : least);
}

/* Rings of different ports lie in different cache lines: theirs may be different threads. */
static struct network_parcel *new_ring(struct arena *arena, uint32_t entries)
{
    return arena_alloc(arena, entries * sizeof(struct network_parcel), CACHE_LINE);
}

struct network_params network_without_contention(const struct network_params *params)
{
    struct network_params without = *params;
    without.core = NETWORK_FREE_CORE;
    without.shared_links = false;
    return without;
}

static const struct network_core_kind *kind_of(const struct network_params *params)
{
    return params->core ? network_find_core(params->core) : network_cores()[0];
}

static void make_gates(struct network *net, unsigned inputs, unsigned outputs, unsigned spare)
{
    const struct network_params *p = &net->params;
    net->words = network_words(inputs > outputs ? inputs : outputs);
    net->every.in = net->every.out = (uint32_t)mask_low(net->words);
    net->gates = (struct network_gates){
        .inputs = inputs,
        .outputs = outputs,
        .words = net->words,
        .input_credits = p->router_flits + spare,
        .output_credits = p->ejection_flits + spare,
    };
    net->gates.input_mask =
        ring_size(p->injection_flits + net->gates.input_credits + 2) * (uint32_t)sizeof(struct network_parcel) - 1;
    net->gates.output_mask =
        ring_size(net->gates.output_credits + p->boundary_flits + 3) * (uint32_t)sizeof(struct network_parcel) - 1;
}

static void make_head(struct network *net)
{
    uint32_t inverse = ((UINT32_C(1) << 31) + net->params.flit_bytes - 1) / net->params.flit_bytes;
    net->head = (struct network_head){.sides = net->sides,
                                      .inverse = inverse,
                                      .round_up = (net->params.flit_bytes - 1) * inverse,
                                      .injection_flits = net->params.injection_flits,
                                      .input_mask = net->gates.input_mask,
                                      .output_mask = net->gates.output_mask};
}

static void make_core(struct network *net, const struct network_core_kind *kind, struct arena *arena)
{
    net->channel_ticks = kind->channel_ticks(&net->params);
    assert(net->channel_ticks >= 2 && net->channel_ticks <= NETWORK_MAX_LOOKAHEAD);
    net->channel_mask = power_from(2 * net->channel_ticks) - 1;
    net->core = kind->create(&net->gates, &net->params, arena);
    net->core->kind = kind;
    net->core->gates = &net->gates;
    net->core->params = &net->params;
    kind->start(net->core);
}

struct network_words network_words_of(const struct network_side *side)
{
    struct network_words words = {0, 0};
    for (unsigned w = 0; w < NETWORK_MAX_WORDS; w++) {
        words.in |= (uint32_t)(side->inputs.word[w] != 0) << w;
        words.out |= (uint32_t)(side->outputs.word[w] != 0) << w;
    }
    return words;
}

/* Nothing is known of where the packets of its inputs go. */
static void note_ports(struct network_side *side)
{
    side->words = network_words_of(side);
    side->home = side->words.out ? mask_first(side->words.out) : 0;
    side->away = 0;
    for (unsigned w = 0; w < NETWORK_MAX_WORDS; w++)
        side->away |= side->inputs.word[w];
}

/* After sides have been given their ports. */
static void note_words(struct network *net)
{
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++)
        note_ports(&net->sides[i]);
    network_choose_tick(net);
}

/* The ports are dealt to as many sides as they need at least. */
static void make_ports(struct network *net, struct arena *arena)
{
    for (unsigned i = 0; i < net->gates.inputs; i++) {
        struct network_side *side = net->head.side_of_input[i] = &net->sides[i >> 6];
        struct network_parcel *ring = new_ring(arena, (net->gates.input_mask + 1) / sizeof *ring);
        net->gates.entries[i].ring = side->senders[i & 63].ring = ring;
        side->inputs.word[i >> 6] |= port_bit(i);
    }
    for (unsigned i = 0; i < net->gates.outputs; i++) {
        struct network_side *side = net->head.side_of_output[i] = &net->sides[i >> 6];
        struct network_parcel *ring = new_ring(arena, (net->gates.output_mask + 1) / sizeof *ring);
        net->gates.exits[i].ring = side->receivers[i & 63].ring = ring;
        side->receivers[i & 63].room = (int32_t)net->params.boundary_flits;
        side->outputs.word[i >> 6] |= port_bit(i);
    }
    for (unsigned i = 0; i < NETWORK_MAX_SIDES; i++)
        tally_init(&net->sides[i].spent, net->gates.input_credits);
    net->side_count = net->words;
    net->listening = mask_low(net->side_count);
    note_words(net);
}

struct network *network_create(const struct network_params *params, unsigned inputs, unsigned outputs,
                               struct arena *arena)
{
    struct network *net = ARENA_NEW(arena, struct network, 1);
    const struct network_core_kind *kind = kind_of(params);
    assert(kind && inputs && outputs && inputs <= NETWORK_MAX_PORTS && outputs <= NETWORK_MAX_PORTS);
    net->params = *params;
    make_gates(net, inputs, outputs, kind->spare_credits ? kind->spare_credits(params) : 0);
    make_head(net);
    make_core(net, kind, arena);
    make_ports(net, arena);
    return net;
}

void network_share(struct network *const *nets, unsigned count, struct arena *arena)
{
    struct network_core *cores[NETWORK_MAX_SHARING];
    const struct network_core_kind *kind = nets[0]->core->kind;
    contract(count <= NETWORK_MAX_SHARING);
    if (count < 2 || !kind->share)
        return;
    for (unsigned i = 0; i < count; i++) {
        contract(nets[i]->core->kind == kind);
        cores[i] = nets[i]->core;
        nets[i]->sharing = count;
        network_choose_tick(nets[i]);
        nets[0]->shared[i] = nets[i];
    }
    kind->share(cores, count, arena);
}

bool network_follows(const struct network *net)
{
    return net->sharing && net->shared[0] != net;
}

void network_vary(struct network *net, struct random_stream stream)
{
    net->core->kind->vary(net->core, stream);
}

unsigned network_lookahead(const struct network *net)
{
    return net->channel_ticks;
}

unsigned network_weight(const struct network *net)
{
    unsigned ports = net->gates.inputs > net->gates.outputs ? net->gates.inputs : net->gates.outputs;
    return network_follows(net) ? 0 : net->core->kind->weight * ports / 64;
}

unsigned network_latency(const struct network *net, unsigned input, unsigned output)
{
    return net->core->kind->latency(net->core, input, output);
}

/* Of what sides wrote into the same place of their channels, only the newest is still to be read. */
static void gather_channel(struct network_channels *all, const struct network_channels *c, uint64_t flits,
                           uint64_t credits)
{
    for (unsigned slot = 0; slot < 2 * NETWORK_MAX_LOOKAHEAD; slot++) {
        struct network_written *to = &all->written[slot];
        const struct network_written *w = &c->written[slot];
        if (w->tick > to->tick)
            *to = (struct network_written){.tick = w->tick};
        if (w->tick == to->tick)
            to->flits |= w->flits & flits, to->credits |= w->credits & credits;
    }
}

/* Adds what a side holds of these inputs and outputs, which are not in `to` yet. */
static void add_ports(struct network_side *to, const struct network_side *s, uint64_t inputs, uint64_t outputs)
{
    to->sending |= s->sending & inputs, to->more |= s->more & inputs;
    to->arrivals |= s->arrivals & outputs, to->full |= s->full & outputs, to->ejecting |= s->ejecting & outputs;
    tally_copy(&to->spent, &s->spent, inputs);
    for (uint64_t rest = inputs; rest; rest &= rest - 1)
        to->senders[mask_first(rest)] = s->senders[mask_first(rest)];
    for (uint64_t rest = outputs; rest; rest &= rest - 1)
        to->receivers[mask_first(rest)] = s->receivers[mask_first(rest)];
    gather_channel(&to->to_core, &s->to_core, inputs, outputs);
    gather_channel(&to->from_core, &s->from_core, outputs, inputs);
}

void network_gather(const struct network *net, struct network_whole *whole)
{
    *whole = (struct network_whole){0};
    for (unsigned w = 0; w < net->words; w++) {
        tally_init(&whole->word[w].spent, net->gates.input_credits);
        for (unsigned i = 0; i < net->side_count; i++)
            add_ports(&whole->word[w], &net->sides[i], net->sides[i].inputs.word[w], net->sides[i].outputs.word[w]);
    }
}

static void clear_side(const struct network *net, struct network_side *s)
{
    s->sending = s->more = s->arrivals = s->full = s->ejecting = 0;
    tally_init(&s->spent, net->gates.input_credits);
    s->inputs = s->outputs = (struct network_ports){0};
    s->to_core = s->from_core = (struct network_channels){0};
}

void network_deal(struct network *net, const struct network_whole *whole)
{
    for (unsigned i = 0; i < net->side_count; i++)
        clear_side(net, &net->sides[i]);
    for (unsigned i = 0; i < net->gates.inputs; i++)
        net->head.side_of_input[i]->inputs.word[i >> 6] |= port_bit(i);
    for (unsigned i = 0; i < net->gates.outputs; i++)
        net->head.side_of_output[i]->outputs.word[i >> 6] |= port_bit(i);
    for (unsigned i = 0; i < net->side_count; i++)
        for (unsigned w = 0; w < net->words; w++)
            add_ports(&net->sides[i], &whole->word[w], net->sides[i].inputs.word[w], net->sides[i].outputs.word[w]);
    note_words(net);
}

static bool divided_so(const struct network *net, unsigned sides, const uint8_t *side_of_input,
                       const uint8_t *side_of_output)
{
    bool same = sides == net->side_count;
    for (unsigned i = 0; i < net->gates.inputs && same; i++)
        same = net->head.side_of_input[i] == &net->sides[side_of_input[i]];
    for (unsigned i = 0; i < net->gates.outputs && same; i++)
        same = net->head.side_of_output[i] == &net->sides[side_of_output[i]];
    return same;
}

/* Sides from side_count on have no ports, and nothing in their channels. */
void network_divide(struct network *net, unsigned sides, const uint8_t *side_of_input, const uint8_t *side_of_output)
{
    network_listen(net, mask_low(sides));
    if (divided_so(net, sides, side_of_input, side_of_output))
        return;
    struct network_whole whole;
    network_gather(net, &whole);
    for (unsigned i = sides; i < net->side_count; i++)
        clear_side(net, &net->sides[i]);
    net->side_count = sides;
    for (unsigned i = 0; i < net->gates.inputs; i++)
        net->head.side_of_input[i] = &net->sides[side_of_input[i]];
    for (unsigned i = 0; i < net->gates.outputs; i++)
        net->head.side_of_output[i] = &net->sides[side_of_output[i]];
    network_deal(net, &whole);
}

/* Empty packets behind a received one have waited for nobody but it. */
HOT void network_receive_more(struct network *net, struct network_side *side, unsigned output)
{
    struct network_receiver *r = &side->receivers[output & 63];
    for (const struct network_parcel *p; r->first != r->whole; side->taken++) {
        p = network_parcel_at(r->ring, r->first);
        if (p->payload)
            break;
        r->room += p->flits;
        r->first = network_place_after(r->first, net->head.output_mask);
    }
    if (r->first == r->whole)
        side->arrivals &= ~port_bit(output);
    if (r->room > 0 || r->first == r->whole)
        side->full &= ~port_bit(output);
}

/* At these outputs the boundary buffer may have no room left. It takes more only for a packet that is alone there. */
NOT_INLINE void note_full(struct network_side *side, uint64_t outputs)
{
    for (uint64_t rest = outputs; rest; rest &= rest - 1) {
        const struct network_receiver *r = &side->receivers[mask_first(rest)];
        side->full |= network_is_full(r) ? rest & -rest : 0;
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

/* Senders: one flit a tick into the channel to the core. Returns those that sent. */
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

/* Apart from network_tick_side, which most ticks leave at once. */
HOT NOT_INLINE uint64_t tick_side(struct network *net, struct network_side *side, const struct network_written *from,
                                  uint64_t tick, uint64_t cycle)
{
    uint64_t passed = step_receivers(net, side, from ? from->flits : 0, cycle);
    uint64_t sent = step_senders(side, from ? from->credits : 0);
    network_write(net, &side->to_core, tick, sent, passed);
    return sent;
}

HOT uint64_t network_tick_side(struct network *net, unsigned index, uint64_t tick, uint64_t cycle)
{
    struct network_side *side = &net->sides[index];
    const struct network_written *from = network_read(net, &side->from_core, tick);
    if (!from && !network_side_is_awake(side))
        return 0;
    return tick_side(net, side, from, tick, cycle);
}

void network_tick(struct network *net, uint64_t tick)
{
    for (unsigned i = 0; i < net->side_count; i++)
        network_tick_side(net, i, tick, tick);
    if (!network_follows(net))
        network_tick_core(net, tick);
}

/* The tick at which what is in the channels arrives, at `from` or later, or CYCLE_NEVER. */
static uint64_t next_arrival(const struct network *net, const struct network_channels *c, uint64_t from)
{
    for (uint64_t tick = from; tick < from + net->channel_ticks; tick++) {
        const struct network_written *w = network_read(net, c, tick);
        if (w && (w->flits || w->credits))
            return tick;
    }
    return CYCLE_NEVER;
}

static uint64_t next_of_side(const struct network *net, const struct network_side *side, uint64_t from)
{
    if (network_side_is_awake(side))
        return from;
    return cycle_min(next_arrival(net, &side->to_core, from), next_arrival(net, &side->from_core, from));
}

HOT uint64_t network_next(const struct network *net, uint64_t from)
{
    uint64_t next = cycle_max(net->core->next, from);
    for (uint64_t rest = net->listening; rest && next != from; rest &= rest - 1)
        next = cycle_min(next, next_of_side(net, &net->sides[mask_first(rest)], from));
    return next;
}

bool network_side_rests(const struct network *net, unsigned side, uint64_t tick)
{
    return next_of_side(net, &net->sides[side], tick) == CYCLE_NEVER;
}

void network_listen(struct network *net, uint64_t sides)
{
    net->listening = sides;
    network_choose_tick(net);
}

void network_listen_to_all(struct network *net)
{
    network_listen(net, mask_low(net->side_count));
}

static bool is_quiet(const struct network *net, const struct network_channels *c, uint64_t from, uint64_t end)
{
    for (unsigned slot = 0; slot < 2 * NETWORK_MAX_LOOKAHEAD; slot++) {
        const struct network_written *w = &c->written[slot];
        uint64_t arrives = w->tick + net->channel_ticks;
        bool inside = (w->tick >= from && w->tick < end) || (arrives >= from && arrives < end);
        if (inside && (w->flits | w->credits))
            return false;
    }
    return true;
}

bool network_may_repeat(const struct network *net, uint64_t from, uint64_t end)
{
    for (unsigned i = 0; i < net->side_count; i++)
        if (!is_quiet(net, &net->sides[i].to_core, from, end) || !is_quiet(net, &net->sides[i].from_core, from, end))
            return false;
    return true;
}

bool network_idle(const struct network *net)
{
    for (unsigned i = 0; i < net->gates.inputs; i++)
        if (net->head.side_of_input[i]->senders[i & 63].end != net->gates.entries[i].first)
            return false;
    for (unsigned i = 0; i < net->gates.outputs; i++)
        if (net->head.side_of_output[i]->receivers[i & 63].first != net->gates.exits[i].end)
            return false;
    return !net->core->kind->is_empty || net->core->kind->is_empty(net->core);
}

void network_add_stats(const struct network *net, struct network_stats *sum)
{
    for (unsigned i = 0; i < net->side_count; i++)
        stat_merge(&network_stat_group, sum, &net->sides[i].stats);
}

void network_stats_reset(struct network *net)
{
    for (unsigned i = 0; i < net->side_count; i++)
        net->sides[i].stats = (struct network_stats){0};
}

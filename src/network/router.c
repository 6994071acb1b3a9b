/* The router of a network: its input buffers, the allocation of output VCs, the crossbar. See network.c. */
#include "network/network_impl.h"

/* The inputs where a head flit has come to the front of the buffer ask for its output's VC. */
HOT static void ask_for_vcs(struct network *net)
{
    struct router *router = &net->router;
    uint64_t asked = router->asked;
    for (uint64_t rest = router->fresh; rest; rest &= rest - 1) {
        const size_t input = mask_first(rest);
        const struct input *in = &net->inputs[input];
        const size_t output = network_parcel_at(in->ring, in->first)->output;
        net->outputs[output].waiting |= rest & -rest;
        asked |= BIT64(output);
    }
    router->asked = asked;
    router->fresh = 0;
}

/* How many credits of an output are out: with flits that are on their way to the receiver, or credits on their way
 * back; with flits that wait for the channel; with those that the receiver holds. */
static uint32_t credits_out(const struct network *net, unsigned output)
{
    const struct router *router = &net->router;
    uint32_t out = router->late_flits[output] + router->held_back[output];
    out +=
        mask_has(router->ready_outputs, output) + mask_has(router->crossing, output) + mask_has(router->sent, output);
    for (unsigned ago = 1; ago < CREDIT_TICKS; ago++)
        out += mask_has(router->left[(router->tick - ago) % CREDIT_TICKS], output);
    return out;
}

/* Of these outputs, which may have no credit, those that have none. */
NOT_INLINE uint64_t without_credit(const struct network *net, uint64_t outputs)
{
    uint64_t without = 0;
    for (uint64_t rest = outputs; rest; rest &= rest - 1)
        without |= credits_out(net, mask_first(rest)) >= net->params.ejection_flits ? rest & -rest : 0;
    return without;
}

HOT void network_note_tight(struct network *net, uint64_t outputs)
{
    struct router *router = &net->router;
    for (uint64_t rest = outputs; rest; rest &= rest - 1) {
        unsigned output = mask_first(rest);
        uint32_t most = router->late_flits[output] + router->held_back[output] + CREDITS_UNDER_WAY;
        mask_put(&router->tight, output, most >= net->params.ejection_flits);
    }
}

/* The credits that came back are not those of the flits that left: receivers hold flits back, or let them go. */
NOT_INLINE void note_held_back(struct network *net, uint64_t left, uint64_t credits)
{
    uint64_t missing = left & ~credits, more = credits & ~left;
    for (uint64_t rest = missing; rest; rest &= rest - 1)
        net->router.held_back[mask_first(rest)]++;
    for (uint64_t rest = more; rest; rest &= rest - 1)
        net->router.held_back[mask_first(rest)]--;
    network_note_tight(net, missing | more);
}

/* At each of these inputs, which have a VC, a flit has come to the front of the buffer, or a credit may have come for
 * it: it is ready if there is one. */
HOT NOT_INLINE void prepare_flits(struct network *net, uint64_t inputs)
{
    struct router *router = &net->router;
    for (uint64_t rest = inputs; rest; rest &= rest - 1) {
        struct input *in = &net->inputs[mask_first(rest)];
        uint64_t output = BIT64(in->output);
        if (without_credit(net, output & router->tight)) {
            router->starving |= rest & -rest;
            continue;
        }
        router->ready |= rest & -rest;
        router->ready_outputs |= output;
        if (--in->left)
            continue;
        router->open ^= rest & -rest;
        router->open_outputs ^= output;
    }
}

/* Of these outputs, which were given to `winners`, some may have no credit: their inputs' flits are not ready. */
NOT_INLINE void starve(struct network *net, uint64_t outputs, uint64_t winners)
{
    struct router *router = &net->router;
    router->ready_outputs &= ~outputs;
    uint64_t without = without_credit(net, outputs), starving = 0;
    for (uint64_t rest = without ? winners : 0; rest; rest &= rest - 1) {
        struct input *in = &net->inputs[mask_first(rest)];
        uint32_t place = (in->first - (uint32_t)sizeof(struct network_parcel)) & net->head.input_mask;
        const struct network_parcel *p = network_parcel_at(in->ring, place);
        if (!mask_has(without, p->output))
            continue;
        in->output = p->output;
        in->left = p->flits;
        starving |= rest & -rest;
    }
    router->ready &= ~starving;
    router->ready_outputs |= outputs & ~without;
    router->starving |= starving;
    router->open |= starving;
    router->open_outputs |= without;
}

/* Of the inputs that wait for an output, those to be looked at first, when `later` are those behind the one last
 * served. Only competitors draw from the stream, so that it does not matter which idle ticks are left out. */
NOT_INLINE uint64_t vary_start(struct network *net, uint64_t waiting, uint64_t later)
{
    if ((waiting & (waiting - 1)) == 0)
        return later;
    uint32_t start = random_below(&net->arbitration, ARBITRATION_VARIES * net->input_count);
    return start < net->input_count ? waiting & ~mask_low(start) : later;
}

/* Each of these outputs, which are free and asked for, is given to the first of the inputs that ask, round robin. The
 * packet's first flit is ready if there is a credit for it. Packets of one flit need nothing more. */
static void give_vcs(struct network *net, uint64_t outputs)
{
    struct router *router = &net->router;
    const uint32_t input_mask = net->head.input_mask, output_mask = net->head.output_mask;
    uint64_t winners = 0, asked = 0;
    for (uint64_t rest = outputs; rest; rest &= rest - 1) {
        const size_t number = mask_first(rest);
        struct output *out = &net->outputs[number];
        uint64_t waiting = out->waiting, later = waiting & out->later;
        if (net->varies)
            later = vary_start(net, waiting, later);
        const size_t winner = mask_first(later ? later : waiting);
        uint64_t input = BIT64(winner);
        struct input *in = &net->inputs[winner];
        const struct network_parcel *p = network_parcel_at(in->ring, in->first);
        *network_parcel_at(out->ring, out->end) = *p;
        out->end = network_place_after(out->end, output_mask);
        in->first = network_place_after(in->first, input_mask);
        winners |= input;
        out->later = -(input << 1);
        out->waiting = waiting ^ input;
        if (waiting != input)
            asked |= rest & -rest;
        if (p->flits == 1)
            continue;
        in->output = (uint8_t)number;
        in->left = (uint16_t)(p->flits - 1);
        router->open |= input;
        router->open_outputs |= rest & -rest;
    }
    router->asked ^= outputs ^ asked;
    router->held |= outputs;
    router->ready |= winners;
    router->ready_outputs |= outputs;
    if (outputs & router->tight)
        starve(net, outputs & router->tight, winners);
}

/* The ready flits leave the router's buffer, and those behind them come to the front. */
static void switch_flits(struct network *net)
{
    struct router *router = &net->router;
    uint64_t ready = router->ready, next = ready & tally_some(&router->behind);
    router->occupied ^= ready ^ next;
    router->held &= router->open_outputs | ~router->ready_outputs;
    router->ready = router->ready_outputs = 0;
    if (!next)
        return;
    tally_move(&router->behind, 0, next);
    router->fresh = next & ~router->open;
    if (next & router->open)
        prepare_flits(net, next & router->open);
}

/* One step of allocation and switching, both of which look at the state before the step. */
static void step_router(struct network *net)
{
    struct router *router = &net->router;
    if (router->fresh)
        ask_for_vcs(net);
    uint64_t granted = router->asked & ~router->held;
    router->crossing = router->ready_outputs;
    if (router->ready)
        switch_flits(net);
    if (granted)
        give_vcs(net, granted);
}

static void read_flits(struct network *net, uint64_t flits)
{
    struct router *router = &net->router;
    uint64_t front = flits & ~router->occupied, behind = flits & router->occupied;
    uint64_t starving = (front & router->open) | router->starving;
    router->occupied |= flits;
    router->fresh |= front & ~router->open;
    if (behind)
        tally_move(&router->behind, behind, 0);
    if (starving) {
        router->starving = 0;
        prepare_flits(net, starving);
    }
}

/* The channels of a tick carry one flit to each output and one credit to each input. These outputs' flits and inputs'
 * credits are to go there where others go already: they are counted. */
NOT_INLINE void wait_for_channel(struct network *net, uint64_t outputs, uint64_t inputs)
{
    struct router *router = &net->router;
    router->leaving |= outputs;
    router->owing |= inputs;
    for (uint64_t rest = outputs; rest; rest &= rest - 1)
        router->late_flits[mask_first(rest)]++;
    for (uint64_t rest = inputs; rest; rest &= rest - 1)
        router->late_credits[mask_first(rest)]++;
    network_note_tight(net, outputs);
}

/* What found no room in earlier ticks' channels, at these outputs and inputs, takes what is left in this one. */
NOT_INLINE void send_late(struct network *net, uint64_t outputs, uint64_t inputs)
{
    struct router *router = &net->router;
    for (uint64_t rest = outputs; rest; rest &= rest - 1)
        if (--router->late_flits[mask_first(rest)] == 0)
            router->leaving ^= rest & -rest;
    for (uint64_t rest = inputs; rest; rest &= rest - 1)
        if (--router->late_credits[mask_first(rest)] == 0)
            router->owing ^= rest & -rest;
    network_note_tight(net, outputs);
}

/* Apart from network_tick_router, which most ticks leave at once. */
HOT NOT_INLINE void tick_router(struct network *net, uint64_t flits, uint64_t back, uint64_t tick)
{
    struct router *router = &net->router;
    uint64_t credits = 0, *left = network_left(router, tick);
    router->tick = tick;
    router->sent = 0;
    if (*left != back)
        note_held_back(net, *left, back);
    read_flits(net, flits);
    for (uint32_t step = 0; step < net->params.internal_speedup; step++) {
        uint64_t late_flits = router->sent & router->crossing, late_credits = credits & router->ready;
        router->sent |= router->crossing;
        credits |= router->ready;
        if (late_flits | late_credits)
            wait_for_channel(net, late_flits, late_credits);
        step_router(net);
    }
    if (router->leaving | router->owing) {
        uint64_t leaving = router->leaving & ~router->sent, owing = router->owing & ~credits;
        router->sent |= leaving;
        credits |= owing;
        send_late(net, leaving, owing);
    }
    router->busy = network_router_busy(router);
    *left = router->sent;
    if (router->sent | credits)
        network_write(&net->from_router, tick, router->sent, credits);
}

HOT void network_tick_router(struct network *net, uint64_t tick)
{
    uint64_t flits = 0, credits = 0;
    for (unsigned i = 0; i < net->side_count; i++) {
        const struct network_written *w = network_read(&net->sides[i].to_router, tick);
        if (w)
            flits |= w->flits, credits |= w->credits;
    }
    if (flits | credits | *network_left(&net->router, tick) | net->router.busy)
        tick_router(net, flits, credits, tick);
}

/* The router of a network: its input buffers, the allocation of output VCs, the crossbar. See network.c. */
#include "network/network_impl.h"

/* At each of these inputs a head flit has come to the front of the buffer. */
static void ask_for_vcs(struct network *net, uint64_t inputs)
{
    uint64_t asked = 0;
    for (uint64_t rest = inputs; rest; rest &= rest - 1) {
        struct input *in = &net->inputs[mask_first(rest)];
        const struct parcel *p = &in->ring[in->first & net->input_mask];
        in->output = p->output;
        in->left = p->flits;
        net->outputs[p->output].waiting |= rest & -rest;
        asked |= BIT64(p->output);
    }
    net->router.asked |= asked;
}

/* The front flit of an input with a VC is ready if there is a credit for it. */
static inline void prepare_flit(struct router *router, struct input *in, struct output *out, uint64_t input,
                                uint64_t output)
{
    if (out->credits == 0) {
        router->starving |= input;
        return;
    }
    out->credits--;
    router->ready |= input;
    router->ready_outputs |= output;
    if (--in->left)
        return;
    in->first++;
    router->ending |= input;
    router->ending_outputs |= output;
}

static void prepare_flits(struct network *net, uint64_t inputs)
{
    for (uint64_t rest = inputs; rest; rest &= rest - 1) {
        struct input *in = &net->inputs[mask_first(rest)];
        prepare_flit(&net->router, in, &net->outputs[in->output], rest & -rest, BIT64(in->output));
    }
}

/* Each of these outputs, which are free and asked for, is given to the first of the inputs that ask, round robin. */
static void give_vcs(struct network *net, uint64_t outputs)
{
    struct router *router = &net->router;
    router->held |= outputs;
    for (uint64_t rest = outputs; rest; rest &= rest - 1) {
        struct output *out = &net->outputs[mask_first(rest)];
        uint64_t later = out->waiting & out->later;
        unsigned number = mask_first(later ? later : out->waiting);
        struct input *in = &net->inputs[number];
        uint64_t input = BIT64(number);
        out->later = -(input << 1);
        out->waiting ^= input;
        if (!out->waiting)
            router->asked ^= rest & -rest;
        router->holding |= input;
        out->ring[out->end++ & net->output_mask] = in->ring[in->first & net->input_mask];
        prepare_flit(router, in, out, input, rest & -rest);
    }
}

/* What comes to the front at inputs whose front flit left; at `ending` it was the last of its packet. */
static void advance(struct network *net, uint64_t inputs, uint64_t ending)
{
    for (uint64_t rest = inputs; rest; rest &= rest - 1)
        if (--net->inputs[mask_first(rest)].behind == 0)
            net->router.more ^= rest & -rest;
    prepare_flits(net, inputs & ~ending);
    ask_for_vcs(net, inputs & ending);
}

/* One step; everything looks at the state before the step. */
static void step_router(struct network *net)
{
    struct router *router = &net->router;
    uint64_t granted = router->asked & ~router->held;
    uint64_t next = router->ready & router->more, ending = router->ending;
    router->occupied &= ~router->ready | next;
    router->holding &= ~ending;
    router->held &= ~router->ending_outputs;
    router->ready = router->ready_outputs = router->ending = router->ending_outputs = 0;
    give_vcs(net, granted);
    if (next)
        advance(net, next, ending);
}

static void read_channels(struct network *net, uint64_t flits, uint64_t credits)
{
    struct router *router = &net->router;
    uint64_t front = flits & ~router->occupied, behind = flits & router->occupied;
    router->occupied |= flits;
    router->more |= behind;
    for (uint64_t rest = behind; rest; rest &= rest - 1)
        net->inputs[mask_first(rest)].behind++;
    for (uint64_t rest = credits; rest; rest &= rest - 1)
        net->outputs[mask_first(rest)].credits++;
    uint64_t starving = (front & router->holding) | router->starving;
    router->starving = 0;
    ask_for_vcs(net, front & ~router->holding);
    if (starving)
        prepare_flits(net, starving);
}

/* Of these outputs a flit is to go into the channel of this tick, in which *flits go already: those that find no room
 * are counted. The same for credits and inputs. */
static void send_flits(struct network *net, uint64_t *flits, uint64_t outputs)
{
    uint64_t late = *flits & outputs;
    *flits |= outputs;
    net->router.leaving |= late;
    for (; late; late &= late - 1)
        net->outputs[mask_first(late)].leaving++;
}

static void send_credits(struct network *net, uint64_t *credits, uint64_t inputs)
{
    uint64_t late = *credits & inputs;
    *credits |= inputs;
    net->router.owing |= late;
    for (; late; late &= late - 1)
        net->inputs[mask_first(late)].owed++;
}

/* What found no room in earlier ticks' channels takes what is left in this one. */
static void send_late(struct network *net, uint64_t *flits, uint64_t *credits)
{
    uint64_t leaving = net->router.leaving & ~*flits, owing = net->router.owing & ~*credits;
    *flits |= leaving;
    *credits |= owing;
    for (; leaving; leaving &= leaving - 1)
        if (--net->outputs[mask_first(leaving)].leaving == 0)
            net->router.leaving &= ~(leaving & -leaving);
    for (; owing; owing &= owing - 1)
        if (--net->inputs[mask_first(owing)].owed == 0)
            net->router.owing &= ~(owing & -owing);
}

/* Apart from network_tick_router, which most ticks leave at once. */
NOT_INLINE void tick_router(struct network *net, uint64_t flits, uint64_t credits, uint64_t tick)
{
    struct router *router = &net->router;
    uint64_t out_flits = 0, out_credits = 0;
    read_channels(net, flits, credits);
    for (uint32_t step = 0; step < net->params.internal_speedup; step++) {
        send_flits(net, &out_flits, router->crossing);
        send_credits(net, &out_credits, router->ready);
        router->crossing = router->ready_outputs;
        if (router->ready | (router->asked & ~router->held))
            step_router(net);
    }
    send_late(net, &out_flits, &out_credits);
    if (out_flits | out_credits)
        network_write(&net->from_router, tick, out_flits, out_credits);
}

void network_tick_router(struct network *net, uint64_t tick)
{
    uint64_t flits = 0, credits = 0;
    for (unsigned i = 0; i < net->side_count; i++) {
        const struct written *w = network_read(&net->sides[i].to_router, tick);
        if (w)
            flits |= w->flits, credits |= w->credits;
    }
    if (flits | credits || network_router_awake(&net->router))
        tick_router(net, flits, credits, tick);
}

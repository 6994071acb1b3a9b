/* An ideal core: packets reach their output's queue without meeting anybody, network.latency ticks after they were
 * sent, and only the output's one flit a tick makes them wait. It is the output-queued switch of queueing theory, the
 * best that any network with these ends can do: by it one sees what a real core's contention costs.
 *
 * Time line, with channels of d ticks; t is the first tick after the packet was sent:
 *
 *     tick t        leaves the injection queue
 *          t+d      in the core. A head flit joins its output's queue; with an even network.latency the flit stays here
 *                   for one tick. Then it leaves if its packet is the queue's first and the ejection buffer has a
 * credit t+2d     in the ejection buffer (t+2d+1 with an even latency)
 *
 * An output sends one packet after another, in the order in which their heads came; of those that came in the same
 * tick, first those from inputs behind one that goes round. A packet in the queue may have flits that are still to
 * come: it keeps the output until its tail has left, as in a real network. Its input's credits go back as flits leave.
 *
 * The core's buffers are larger than those of the parameters by what is under way in the channels (spare_credits), so
 * that throughput does not depend on the latency. An input's buffer is shared by packets to all outputs, and none waits
 * for one to another output. There is no deadlock: a packet that waits for its output, or for a credit of its input's
 * buffer, waits for packets whose heads came before its own. */
#include "base/archive.h"
#include "base/check.h"
#include "network/core.h"
#include "sim/cycle.h"

struct flight {          /* a packet in the core */
    struct flight *next; /* behind it at its output, or among the unused */
    struct network_parcel parcel;
    uint32_t arrived; /* its flits that have come */
    uint32_t gone;    /* of these, those that have left */
    uint32_t input;
};

struct ideal {
    struct network_core core;
    uint64_t tick;                    /* the last one */
    uint64_t held;                    /* packets in all queues */
    bool varies;                      /* network_vary */
    struct random_stream arbitration; /* when it does */
    struct flight *unused;
    struct network_ports queued;                /* outputs with packets in their queues */
    struct network_ports owing;                 /* inputs with credits that wait for the channel */
    struct flight *arriving[NETWORK_MAX_PORTS]; /* by input: one of which flits are still to come */
    struct flight *first[NETWORK_MAX_PORTS], *last[NETWORK_MAX_PORTS]; /* by output: its queue */
    uint32_t owed[NETWORK_MAX_PORTS];                                  /* by input: credits that wait for the channel */
    uint32_t credits[NETWORK_MAX_PORTS];                               /* by output: of its ejection buffer */
};

/* With an even latency the two channels take one tick less: a flit is held for it in the core. */
static bool holds_flits(const struct network_params *params)
{
    return params->latency % 2 == 0;
}

static unsigned channel_ticks(const struct network_params *params)
{
    return (params->latency - 1) / 2;
}

static unsigned spare_credits(const struct network_params *params)
{
    return 2 * channel_ticks(params) + 1;
}

/* NULL when there are more packets than inputs have credits, which only a checkpoint can bring about. */
static struct flight *new_flight(struct ideal *x)
{
    struct flight *f = x->unused;
    if (f) {
        x->unused = f->next;
        *f = (struct flight){0};
    }
    return f;
}

static void join_queue(struct ideal *x, struct flight *f)
{
    unsigned output = f->parcel.output;
    if (x->first[output])
        x->last[output]->next = f;
    else
        x->first[output] = f;
    x->last[output] = f;
    x->queued.word[output >> 6] |= port_bit(output);
    x->held++;
}

static void leave_queue(struct ideal *x, unsigned output)
{
    struct flight *f = x->first[output];
    x->first[output] = f->next;
    if (!f->next)
        x->queued.word[output >> 6] ^= port_bit(output);
    f->next = x->unused;
    x->unused = f;
    x->held--;
}

static void arrive(struct ideal *x, unsigned input)
{
    struct flight *f = x->arriving[input];
    if (!f) {
        f = x->arriving[input] = new_flight(x);
        if (!f)
            return;
        f->parcel = *network_take(x->core.gates, input);
        f->input = input;
        join_queue(x, f);
    }
    if (++f->arrived >= f->parcel.flits)
        x->arriving[input] = NULL;
}

/* The input whose flit comes first among those of a tick. Only ticks in which several come draw from the stream, so
 * that it does not matter which idle ticks are left out. */
static unsigned first_input(struct ideal *x, const struct network_turn *turn)
{
    unsigned arrivals = 0;
    for (unsigned w = 0; w < x->core.gates->words; w++)
        arrivals += mask_count(turn->flits.word[w]);
    if (x->varies && arrivals > 1)
        return random_below(&x->arbitration, x->core.gates->inputs);
    return (unsigned)(turn->tick % x->core.gates->inputs);
}

static void read_flits(struct ideal *x, const struct network_turn *turn)
{
    unsigned first = first_input(x, turn);
    for (unsigned before = 0; before < 2; before++)
        for (unsigned w = 0; w < x->core.gates->words; w++) {
            uint64_t lower = ports_in_word(first, w);
            for (uint64_t rest = turn->flits.word[w] & (before ? lower : ~lower); rest; rest &= rest - 1)
                arrive(x, 64 * w + mask_first(rest));
        }
}

/* The first packet of an output's queue has a flit that can leave. */
static bool can_leave(const struct ideal *x, unsigned output)
{
    const struct flight *f = x->first[output];
    return f && f->gone < f->arrived && x->credits[output];
}

static void send_flit(struct ideal *x, unsigned output)
{
    struct flight *f = x->first[output];
    if (f->gone++ == 0)
        network_put(x->core.gates, output, &f->parcel);
    x->credits[output]--;
    x->owed[f->input]++;
    x->owing.word[f->input >> 6] |= port_bit(f->input);
    if (f->gone >= f->parcel.flits)
        leave_queue(x, output);
}

static void send_flits(struct ideal *x, struct network_turn *turn)
{
    for (unsigned w = 0; w < x->core.gates->words; w++)
        for (uint64_t rest = x->queued.word[w]; rest; rest &= rest - 1) {
            unsigned output = 64 * w + mask_first(rest);
            if (!can_leave(x, output))
                continue;
            send_flit(x, output);
            turn->sent.word[w] |= rest & -rest;
        }
}

static void give_credits(struct ideal *x, struct network_turn *turn)
{
    for (unsigned w = 0; w < x->core.gates->words; w++) {
        turn->freed.word[w] = x->owing.word[w];
        for (uint64_t rest = x->owing.word[w]; rest; rest &= rest - 1)
            if (--x->owed[64 * w + mask_first(rest)] == 0)
                x->owing.word[w] ^= rest & -rest;
    }
}

static void read_credits(struct ideal *x, const struct network_turn *turn)
{
    for (unsigned w = 0; w < x->core.gates->words; w++)
        for (uint64_t rest = turn->credits.word[w]; rest; rest &= rest - 1)
            x->credits[64 * w + mask_first(rest)]++;
}

/* When nothing can move, the core waits for what the channels bring. */
static uint64_t find_next(const struct ideal *x)
{
    for (unsigned w = 0; w < x->core.gates->words; w++) {
        if (x->owing.word[w])
            return x->tick + 1;
        for (uint64_t rest = x->queued.word[w]; rest; rest &= rest - 1)
            if (can_leave(x, 64 * w + mask_first(rest)))
                return x->tick + 1;
    }
    return CYCLE_NEVER;
}

static void tick(struct network_core *core, struct network_turn *turn)
{
    struct ideal *x = (struct ideal *)core;
    x->tick = turn->tick;
    read_credits(x, turn);
    if (!holds_flits(core->params))
        read_flits(x, turn);
    send_flits(x, turn);
    if (holds_flits(core->params))
        read_flits(x, turn);
    give_credits(x, turn);
    core->next = find_next(x);
}

static bool is_empty(const struct network_core *core)
{
    return ((const struct ideal *)core)->held == 0;
}

static unsigned latency(const struct network_core *core, unsigned input, unsigned output)
{
    (void)input, (void)output;
    return core->params->latency;
}

static struct network_core *create(const struct network_gates *gates, const struct network_params *params,
                                   struct arena *arena)
{
    (void)params;
    const size_t most = (size_t)gates->inputs * gates->input_credits; /* one flit of each packet is in the core */
    struct ideal *x = ARENA_NEW(arena, struct ideal, 1);
    struct flight *pool = ARENA_NEW(arena, struct flight, most);
    for (size_t i = 0; i < most; i++) {
        pool[i].next = x->unused;
        x->unused = &pool[i];
    }
    return &x->core;
}

static void start(struct network_core *core)
{
    struct ideal *x = (struct ideal *)core;
    for (unsigned i = 0; i < core->gates->outputs; i++)
        x->credits[i] = core->gates->output_credits;
    core->next = CYCLE_NEVER;
}

static void vary(struct network_core *core, struct random_stream stream)
{
    struct ideal *x = (struct ideal *)core;
    x->varies = true;
    x->arbitration = stream;
}

/* Checkpoints */

/* A packet of which flits are still to come is its input's. */
static void archive_flight(struct ideal *x, struct archive *ar, const struct network_carrier *carrier, struct flight *f,
                           unsigned output)
{
    network_archive_parcel(x->core.gates, ar, carrier, &f->parcel);
    archive_u32_to(ar, &f->input, x->core.gates->inputs - 1);
    ARCHIVE(ar, f->arrived);
    ARCHIVE(ar, f->gone);
    if (!archive_loading(ar) || archive_failed(ar))
        return;
    if (f->parcel.output != output || f->arrived > f->parcel.flits || f->gone > f->arrived ||
        f->gone >= f->parcel.flits || (f->arrived < f->parcel.flits && x->arriving[f->input])) {
        archive_fail(ar, "a packet in the network that cannot be there");
        return;
    }
    if (f->arrived < f->parcel.flits)
        x->arriving[f->input] = f;
    join_queue(x, f);
}

static uint32_t queue_length(const struct ideal *x, unsigned output)
{
    uint32_t length = 0;
    for (const struct flight *f = x->first[output]; f; f = f->next)
        length++;
    return length;
}

static void archive_queue(struct ideal *x, struct archive *ar, const struct network_carrier *carrier, unsigned output)
{
    const struct network_gates *g = x->core.gates;
    uint32_t length = queue_length(x, output);
    struct flight *f = x->first[output];
    if (archive_loading(ar))
        while (x->first[output])
            leave_queue(x, output);
    archive_u32_to(ar, &length, g->inputs * g->input_credits);
    for (uint32_t i = 0; i < length && !archive_failed(ar); i++) {
        struct flight *at = archive_loading(ar) ? new_flight(x) : f;
        f = f && !archive_loading(ar) ? f->next : NULL;
        if (at)
            archive_flight(x, ar, carrier, at, output);
        else
            archive_fail(ar, "more packets in the network than it has buffers");
    }
    archive_u32_to(ar, &x->credits[output], g->output_credits);
}

static void archive(struct network_core *core, struct archive *ar, const struct network_carrier *carrier)
{
    struct ideal *x = (struct ideal *)core;
    for (unsigned i = 0; i < core->gates->inputs && archive_loading(ar); i++)
        x->arriving[i] = NULL;
    for (unsigned i = 0; i < core->gates->outputs; i++)
        archive_queue(x, ar, carrier, i);
    for (unsigned i = 0; i < core->gates->inputs; i++) {
        archive_u32_to(ar, &x->owed[i], core->gates->input_credits);
        mask_put(&x->owing.word[i >> 6], i & 63, x->owed[i] != 0);
    }
    ARCHIVE(ar, x->tick);
    ARCHIVE(ar, x->arbitration.drawn);
    core->next = find_next(x);
}

static void check(struct network_core *core, struct check *c)
{
    struct ideal *x = (struct ideal *)core;
    struct network_ports queued = {{0}}, owing = {{0}};
    uint64_t held = 0, incomplete = 0;
    for (unsigned i = 0; i < core->gates->outputs; i++) {
        queued.word[i >> 6] |= x->first[i] ? port_bit(i) : 0;
        held += queue_length(x, i);
        for (const struct flight *f = x->first[i]; f; f = f->next) {
            incomplete += f->arrived < f->parcel.flits;
            check_holds(c, "ideal: a packet of which flits are still to come is its input's", i,
                        (f->arrived < f->parcel.flits) == (x->arriving[f->input] == f));
        }
        check_holds(c, "ideal: an output has no more credits than its buffer", i,
                    x->credits[i] <= core->gates->output_credits);
    }
    for (unsigned i = 0; i < core->gates->inputs; i++) {
        owing.word[i >> 6] |= x->owed[i] ? port_bit(i) : 0;
        incomplete -= x->arriving[i] != NULL;
    }
    for (unsigned w = 0; w < core->gates->words; w++) {
        CHECK_FACT(c, "ideal.queued", w, x->queued.word[w], queued.word[w]);
        CHECK_FACT(c, "ideal.owing", w, x->owing.word[w], owing.word[w]);
    }
    CHECK_FACT(c, "ideal.held", 0, x->held, held);
    CHECK_FACT(c, "ideal.next", 0, core->next, find_next(x));
    check_holds(c, "ideal: every arriving packet is in a queue", 0, incomplete == 0);
}

const struct network_core_kind network_core_ideal = {
    .name = "ideal",
    .channel_ticks = channel_ticks,
    .spare_credits = spare_credits,
    .create = create,
    .start = start,
    .tick = tick,
    .is_empty = is_empty,
    .latency = latency,
    .vary = vary,
    .archive = archive,
    .check = check,
};

/* The single-stage crossbar of GPGPU-Sim's GTX 480 configurations: BookSim's input-queued router in a butterfly of one
 * stage, with one virtual channel (VC).
 *
 * Time line of a flit that BookSim's pipeline gives when nothing is in its way (channels take 2 ticks; routing is
 * looked ahead; VC allocation 1, switch allocation 1, crossbar 1; t is the first tick after the packet was sent):
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
 * With network_vary, one in ARBITRATION_VARIES of the grants for which several inputs compete starts at a random input.
 *
 * Left out: several VCs, and with them the input speed-up, which has no effect on a single VC.
 *
 * The router's work is done on sets of ports, word by word. `words` is how many of them there are. Functions that take
 * it are compiled twice: for one word, which is what most devices have, and for any number. Of several words, a tick
 * goes only through those that are *moving*: where something comes, is ready or was left behind by the last ticks. Work
 * on one word that changes another makes that one move too. */
#include "base/check.h"
#include "network/crossbar.h"
#include "sim/cycle.h"

/* With network_vary, one in so many contested grants is varied: seldom enough that round robin still shares an output
 * fairly, often enough that no order of service lasts. */
#define ARBITRATION_VARIES 8u

/* The word of a port. */
HOT_INLINE unsigned word_of(unsigned port, unsigned words)
{
    return words == 1 ? 0 : port >> 6;
}

/* The words of a tick, as bits. */
HOT_INLINE uint32_t moving_words(const struct crossbar *x, unsigned words)
{
    return words == 1 ? 1 : x->moving;
}

HOT_INLINE void note_moving(struct crossbar *x, unsigned word, unsigned words)
{
    if (words > 1)
        x->moving |= 1u << word;
}

/* A walk over the words that move when it begins. Those that it makes move itself have nothing to do in it. */
#define EACH_MOVING_WORD(x, words, w)                                                                                  \
    for (uint32_t w##_rest = moving_words(x, words), w; w##_rest && ((w = mask_first(w##_rest)), true);                \
         w##_rest &= w##_rest - 1)

/* The inputs where a head flit has come to the front of the buffer ask for its output's VC. */
HOT_INLINE void ask_for_vcs(struct crossbar *x, unsigned words)
{
    EACH_MOVING_WORD(x, words, w)
    {
        for (uint64_t rest = x->words[w].fresh; rest; rest &= rest - 1) {
            const size_t output = network_front(x->core.gates, 64 * w + mask_first(rest))->output;
            x->waiting[w][output] |= rest & -rest;
            x->words[word_of(output, words)].asked |= port_bit(output);
            note_moving(x, word_of(output, words), words);
        }
        x->words[w].fresh = 0;
    }
}

/* How many credits of an output are out: with flits that are on their way to the receiver, or credits on their way
 * back; with flits that wait for the channel; with those that the receiver holds. */
static uint32_t credits_out(const struct crossbar *x, unsigned output)
{
    const struct crossbar_word *word = &x->words[output >> 6];
    const unsigned bit = output & 63;
    uint32_t out = x->late_flits[output] + x->held_back[output];
    out += mask_has(word->ready_outputs, bit) + mask_has(word->crossing, bit) + mask_has(word->sent, bit);
    for (unsigned ago = 1; ago < CREDIT_TICKS; ago++)
        out += mask_has(word->left[(x->tick - ago) % CREDIT_TICKS], bit);
    return out;
}

HOT NOT_INLINE bool lacks_credit(const struct crossbar *x, unsigned output)
{
    return credits_out(x, output) >= x->core.gates->output_credits;
}

HOT void crossbar_note_tight(struct crossbar *x, unsigned word, uint64_t outputs)
{
    for (uint64_t rest = outputs; rest; rest &= rest - 1) {
        unsigned output = 64 * word + mask_first(rest);
        uint32_t most = x->late_flits[output] + x->held_back[output] + CREDITS_UNDER_WAY;
        mask_put(&x->words[word].tight, output & 63, most >= x->core.gates->output_credits);
    }
}

/* The credits that came back are not those of the flits that left: receivers hold flits back, or let them go. */
NOT_INLINE void note_held_back(struct crossbar *x, unsigned word, uint64_t left, uint64_t credits)
{
    uint64_t missing = left & ~credits, more = credits & ~left;
    for (uint64_t rest = missing; rest; rest &= rest - 1)
        x->held_back[64 * word + mask_first(rest)]++;
    for (uint64_t rest = more; rest; rest &= rest - 1)
        x->held_back[64 * word + mask_first(rest)]--;
    crossbar_note_tight(x, word, missing | more);
}

/* At each of these open inputs a flit has come to the front of the buffer, or a credit may have come for it: it is
 * ready if there is one. */
HOT NOT_INLINE void prepare_flits(struct crossbar *x, unsigned word, uint64_t inputs)
{
    struct crossbar_word *from = &x->words[word];
    for (uint64_t rest = inputs; rest; rest &= rest - 1) {
        struct crossbar_input *in = &x->inputs[64 * word + mask_first(rest)];
        struct crossbar_word *to = &x->words[in->output >> 6];
        uint64_t output = port_bit(in->output);
        if ((to->tight & output) && lacks_credit(x, in->output)) {
            from->starving |= rest & -rest;
            continue;
        }
        from->ready |= rest & -rest;
        to->ready_outputs |= output;
        if (to != from)
            x->moving |= 1u << (in->output >> 6);
        if (--in->left)
            continue;
        from->open ^= rest & -rest;
        to->open_outputs ^= output;
    }
}

/* The input that was served last at an output. */
static unsigned last_served(const struct crossbar *x, unsigned output)
{
    unsigned places = 64 * x->core.gates->words;
    return (x->first[output] + places - 1) % places;
}

/* Some of these outputs, whose VCs were just given away, may have no credit: then the flits are not ready. */
HOT NOT_INLINE void starve(struct crossbar *x, unsigned word, uint64_t outputs)
{
    struct network_gates *g = x->core.gates;
    struct crossbar_word *to = &x->words[word];
    for (uint64_t rest = outputs; rest; rest &= rest - 1) {
        unsigned output = 64 * word + mask_first(rest), input = last_served(x, output);
        struct crossbar_word *from = &x->words[input >> 6];
        to->ready_outputs &= ~(rest & -rest);
        if (!lacks_credit(x, output)) {
            to->ready_outputs |= rest & -rest;
            continue;
        }
        uint32_t place = (g->entries[input].first - (uint32_t)sizeof(struct network_parcel)) & g->input_mask;
        x->inputs[input].output = (uint8_t)output;
        x->inputs[input].left = network_parcel_at(g->entries[input].ring, place)->flits;
        from->ready &= ~port_bit(input);
        from->starving |= port_bit(input);
        from->open |= port_bit(input);
        to->open_outputs |= rest & -rest;
    }
}

/* Several inputs may wait for an output: the one from which on they are looked at, when it is `first` without
 * variation. Only competitors draw from the stream, so that it does not matter which idle ticks are left out. */
NOT_INLINE unsigned vary_first(struct crossbar *x, unsigned output, unsigned first)
{
    unsigned waiting = 0;
    for (unsigned w = 0; w < x->core.gates->words; w++)
        waiting += mask_count(x->waiting[w][output]);
    if (waiting < 2)
        return first;
    uint32_t start = random_below(&x->arbitration, ARBITRATION_VARIES * x->core.gates->inputs);
    return start < x->core.gates->inputs ? start : first;
}

/* The input that waits for an output and comes first from `first` on, round robin. */
HOT_INLINE unsigned find_winner(const struct crossbar *x, unsigned output, unsigned first, unsigned words)
{
    uint64_t waiting = x->waiting[word_of(first, words)][output], later = waiting & -port_bit(first);
    if (words == 1)
        return mask_first(later ? later : waiting);
    for (unsigned n = 0, w = first >> 6;; n++) {
        if (later)
            return 64 * w + mask_first(later);
        contract(n <= words);
        w = w + 1 == words ? 0 : w + 1;
        later = x->waiting[w][output];
    }
}

/* Each of these outputs, which are free and asked for, is given to the first of the inputs that ask, round robin. The
 * packet's first flit is ready if there is a credit for it. Packets of one flit need nothing more. */
HOT_INLINE void give_vcs(struct crossbar *x, unsigned word, uint64_t outputs, unsigned words)
{
    struct network_gates *g = x->core.gates;
    struct crossbar_word *to = &x->words[word];
    uint64_t asked = 0;
    for (uint64_t rest = outputs; rest; rest &= rest - 1) {
        const unsigned output = 64 * word + mask_first(rest);
        const unsigned first = x->varies ? vary_first(x, output, x->first[output]) : x->first[output];
        const unsigned winner = find_winner(x, output, first, words);
        const uint64_t input = port_bit(winner);
        struct crossbar_word *from = &x->words[word_of(winner, words)];
        const struct network_parcel *p = network_take(g, winner);
        network_put(g, output, p);
        x->first[output] = (uint16_t)(winner + 1 == 64 * words ? 0 : winner + 1);
        x->waiting[word_of(winner, words)][output] ^= input;
        for (unsigned w = 0; w < words; w++)
            asked |= x->waiting[w][output] ? rest & -rest : 0;
        from->ready |= input;
        note_moving(x, word_of(winner, words), words);
        if (p->flits == 1)
            continue;
        x->inputs[winner].output = (uint8_t)output;
        x->inputs[winner].left = (uint16_t)(p->flits - 1);
        from->open |= input;
        to->open_outputs |= rest & -rest;
    }
    to->asked ^= outputs ^ asked;
    to->held |= outputs;
    to->ready_outputs |= outputs;
    if (outputs & to->tight)
        starve(x, word, outputs & to->tight);
}

/* The ready flits leave the router's buffer, and those behind them come to the front. */
HOT_INLINE void switch_flits(struct crossbar *x, unsigned words)
{
    uint64_t next[NETWORK_MAX_WORDS];
    EACH_MOVING_WORD(x, words, w)
    {
        struct crossbar_word *word = &x->words[w];
        next[w] = word->ready & tally_some(&word->behind);
        word->occupied ^= word->ready ^ next[w];
        word->held &= word->open_outputs | ~word->ready_outputs;
        word->ready = word->ready_outputs = 0;
    }
    EACH_MOVING_WORD(x, words, w)
    {
        struct crossbar_word *word = &x->words[w];
        if (!next[w])
            continue;
        tally_move(&word->behind, 0, next[w]);
        word->fresh = next[w] & ~word->open;
        if (next[w] & word->open)
            prepare_flits(x, w, next[w] & word->open);
    }
}

/* One step of allocation and switching, both of which look at the state before the step. */
HOT_INLINE void step_router(struct crossbar *x, unsigned words)
{
    uint64_t granted[NETWORK_MAX_WORDS], fresh = 0, ready = 0;
    EACH_MOVING_WORD(x, words, w)
    fresh |= x->words[w].fresh;
    if (fresh)
        ask_for_vcs(x, words);
    const uint32_t moving = moving_words(x, words);
    EACH_MOVING_WORD(x, words, w)
    {
        struct crossbar_word *word = &x->words[w];
        granted[w] = word->asked & ~word->held;
        word->crossing = word->ready_outputs;
        ready |= word->ready;
    }
    if (ready)
        switch_flits(x, words);
    EACH_MOVING_WORD(x, words, w)
    if ((words == 1 || moving >> w & 1) && granted[w])
        give_vcs(x, w, granted[w], words);
}

HOT_INLINE void read_flits(struct crossbar *x, unsigned w, uint64_t flits)
{
    struct crossbar_word *word = &x->words[w];
    uint64_t front = flits & ~word->occupied, behind = flits & word->occupied;
    uint64_t starving = (front & word->open) | word->starving;
    word->occupied |= flits;
    word->fresh |= front & ~word->open;
    if (behind)
        tally_move(&word->behind, behind, 0);
    if (starving) {
        word->starving = 0;
        prepare_flits(x, w, starving);
    }
}

/* The channels of a tick carry one flit to each output and one credit to each input. Flits for these outputs and
 * credits of these inputs are to go there where others go already: they wait, and are counted. */
NOT_INLINE void wait_for_channel(struct crossbar *x, unsigned w, uint64_t outputs, uint64_t inputs)
{
    x->words[w].leaving |= outputs;
    x->words[w].owing |= inputs;
    for (uint64_t rest = outputs; rest; rest &= rest - 1)
        x->late_flits[64 * w + mask_first(rest)]++;
    for (uint64_t rest = inputs; rest; rest &= rest - 1)
        x->late_credits[64 * w + mask_first(rest)]++;
    crossbar_note_tight(x, w, outputs);
}

/* Flits for these outputs and credits of these inputs, which found no room in earlier ticks' channels, take this one.
 */
HOT NOT_INLINE void send_late(struct crossbar *x, unsigned w, uint64_t outputs, uint64_t inputs)
{
    struct crossbar_word *word = &x->words[w];
    for (uint64_t rest = outputs; rest; rest &= rest - 1)
        if (--x->late_flits[64 * w + mask_first(rest)] == 0)
            word->leaving ^= rest & -rest;
    for (uint64_t rest = inputs; rest; rest &= rest - 1)
        if (--x->late_credits[64 * w + mask_first(rest)] == 0)
            word->owing ^= rest & -rest;
    crossbar_note_tight(x, w, outputs);
}

/* The router changes something in the next tick, whatever the ends send: a VC is free and asked for, a flit has come to
 * the front, is ready or crosses, or something waits for the channel. */
HOT_INLINE uint64_t is_busy(const struct crossbar_word *word)
{
    return (word->asked & ~word->held) | word->fresh | word->ready | word->crossing | word->leaving | word->owing;
}

/* A router that is not busy looks at the tick in which credits of flits that left are due: they may not come. */
HOT NOT_INLINE uint64_t next_look(const struct crossbar *x)
{
    for (unsigned ahead = 1; ahead <= CREDIT_TICKS; ahead++)
        for (unsigned w = 0; w < x->core.gates->words; w++)
            if (x->words[w].left[(x->tick + ahead) % CREDIT_TICKS])
                return x->tick + ahead;
    return CYCLE_NEVER;
}

uint64_t crossbar_next(const struct crossbar *x)
{
    for (unsigned w = 0; w < x->core.gates->words; w++)
        if (is_busy(&x->words[w]))
            return x->tick + 1;
    return next_look(x);
}

/* A word moves if flits or credits come there in this tick, if flits left there whose credits are due now, or if the
 * last tick left something to do. */
HOT_INLINE uint32_t find_moving(const struct crossbar *x, const struct network_turn *turn)
{
    uint32_t moving = 0;
    for (unsigned w = 0; w < NETWORK_MAX_WORDS; w++) {
        const struct crossbar_word *word = &x->words[w];
        uint64_t some = turn->flits.word[w] | turn->credits.word[w] | word->left[turn->tick % CREDIT_TICKS] |
                        word->sent | word->starving | word->ready_outputs | is_busy(word);
        moving |= (uint32_t)(some != 0) << w;
    }
    return moving;
}

HOT_INLINE void tick_words(struct crossbar *x, struct network_turn *turn, unsigned words)
{
    const unsigned slot = turn->tick % CREDIT_TICKS;
    uint64_t busy = 0;
    x->tick = turn->tick;
    if (words > 1)
        x->moving = find_moving(x, turn);
    EACH_MOVING_WORD(x, words, w)
    {
        x->words[w].sent = 0;
        if (x->words[w].left[slot] != turn->credits.word[w])
            note_held_back(x, w, x->words[w].left[slot], turn->credits.word[w]);
    }
    EACH_MOVING_WORD(x, words, w)
    read_flits(x, w, turn->flits.word[w]);
    for (uint32_t step = 0; step < x->core.params->internal_speedup; step++) {
        EACH_MOVING_WORD(x, words, w)
        {
            struct crossbar_word *word = &x->words[w];
            uint64_t late_flits = word->sent & word->crossing, late_credits = turn->freed.word[w] & word->ready;
            word->sent |= word->crossing;
            turn->freed.word[w] |= word->ready;
            if (late_flits | late_credits)
                wait_for_channel(x, w, late_flits, late_credits);
        }
        step_router(x, words);
    }
    EACH_MOVING_WORD(x, words, w)
    {
        struct crossbar_word *word = &x->words[w];
        if (word->leaving | word->owing) {
            uint64_t leaving = word->leaving & ~word->sent, owing = word->owing & ~turn->freed.word[w];
            word->sent |= leaving;
            turn->freed.word[w] |= owing;
            send_late(x, w, leaving, owing);
        }
        turn->sent.word[w] = word->left[slot] = word->sent;
        busy |= is_busy(word);
    }
    x->core.next = busy ? x->tick + 1 : next_look(x);
}

HOT NOT_INLINE void tick_one_word(struct crossbar *x, struct network_turn *turn)
{
    tick_words(x, turn, 1);
}

HOT NOT_INLINE void tick_many_words(struct crossbar *x, struct network_turn *turn)
{
    tick_words(x, turn, x->core.gates->words);
}

HOT static void tick(struct network_core *core, struct network_turn *turn)
{
    struct crossbar *x = (struct crossbar *)core;
    if (core->gates->words == 1)
        tick_one_word(x, turn);
    else
        tick_many_words(x, turn);
}

static unsigned channel_ticks(const struct network_params *params)
{
    (void)params;
    return CHANNEL_TICKS;
}

static unsigned latency(const struct network_core *core, unsigned input, unsigned output)
{
    (void)input, (void)output;
    return 1 + 2 * CHANNEL_TICKS + 2 / core->params->internal_speedup;
}

static struct network_core *create(const struct network_gates *gates, const struct network_params *params,
                                   struct arena *arena)
{
    (void)params;
    (void)gates;
    return &ARENA_NEW(arena, struct crossbar, 1)->core;
}

static void start(struct network_core *core)
{
    struct crossbar *x = (struct crossbar *)core;
    for (unsigned w = 0; w < core->gates->words; w++) {
        tally_init(&x->words[w].behind, 0);
        crossbar_note_tight(x, w, ports_in_word(core->gates->outputs, w));
    }
    core->next = CYCLE_NEVER;
}

static void vary(struct network_core *core, struct random_stream stream)
{
    struct crossbar *x = (struct crossbar *)core;
    x->varies = true;
    x->arbitration = stream;
}

const struct network_core_kind network_core_crossbar = {
    .name = "crossbar",
    .channel_ticks = channel_ticks,
    .create = create,
    .start = start,
    .tick = tick,
    .latency = latency,
    .vary = vary,
    .archive = crossbar_archive,
    .check = crossbar_check,
};

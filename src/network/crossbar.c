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
 * The router's work is done on sets of ports, word by word. Of several words, a tick goes only through those of inputs
 * and those of outputs that are *moving*: where something comes, is ready or was left behind by the last ticks. Work on
 * one word that changes another makes that one move too. A small device has one word; and in most ticks of a large one,
 * one word of inputs and one of outputs move, and no other comes to: such a tick is tick_pair. */
#include "base/check.h"
#include "network/crossbar.h"
#include "sim/cycle.h"

/* With network_vary, one in so many contested grants is varied: seldom enough that round robin still shares an output
 * fairly, often enough that no order of service lasts. */
#define ARBITRATION_VARIES 8u

/* A walk over the words in a set, as it is when the walk begins: words that it makes move itself have nothing to do in
 * it. */
#define EACH_WORD(set, w)                                                                                              \
    for (uint32_t w##_rest = (set), w; w##_rest && ((w = mask_first(w##_rest)), true); w##_rest &= w##_rest - 1)

/* The word of a port. Functions that take `words`, the number of words there are, are compiled for one and for several.
 */
HOT_INLINE unsigned word_of(unsigned port, unsigned words)
{
    return words == 1 ? 0 : port >> 6;
}

/* The word of a port moves. */
HOT_INLINE void note_moving(uint32_t *moving, unsigned port, unsigned words)
{
    if (words > 1)
        *moving |= 1u << (port >> 6);
}

/* The inputs where a head flit has come to the front of the buffer ask for its output's VC. to: the only word of
 * outputs that they can ask, or NULL. */
HOT_INLINE void ask_for_vcs(struct crossbar *x, struct crossbar_inputs *from, struct crossbar_outputs *to,
                            unsigned words)
{
    const unsigned w = words == 1 ? 0 : from->number;
    for (uint64_t rest = from->fresh; rest; rest &= rest - 1) {
        const size_t output = network_front(x->core.gates, 64 * w + mask_first(rest))->output;
        x->waiting[w][output] |= rest & -rest;
        if (to) {
            to->asked |= port_bit(output);
            continue;
        }
        x->out[word_of(output, words)].asked |= port_bit(output);
        note_moving(&x->moving.out, output, words);
    }
    from->fresh = 0;
}

/* How many credits of an output are out: with flits that are on their way to the receiver, or credits on their way
 * back; with flits that wait for the channel; with those that the receiver holds. */
static uint32_t credits_out(const struct crossbar *x, unsigned output)
{
    const struct crossbar_outputs *to = &x->out[output >> 6];
    const unsigned bit = output & 63;
    uint32_t out = x->late_flits[output] + x->held_back[output];
    out += mask_has(to->ready, bit) + mask_has(to->crossing, bit) + mask_has(to->sent, bit);
    for (unsigned ago = 1; ago < CREDIT_TICKS; ago++)
        out += mask_has(to->left[(x->tick - ago) % CREDIT_TICKS], bit);
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
        mask_put(&x->out[word].tight, output & 63, most >= x->core.gates->output_credits);
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
HOT NOT_INLINE void prepare_flits(struct crossbar *x, struct crossbar_inputs *from, uint64_t inputs)
{
    for (uint64_t rest = inputs; rest; rest &= rest - 1) {
        struct crossbar_input *in = &x->inputs[64 * from->number + mask_first(rest)];
        struct crossbar_outputs *to = &x->out[in->output >> 6];
        uint64_t output = port_bit(in->output);
        if ((to->tight & output) && lacks_credit(x, in->output)) {
            from->starving |= rest & -rest;
            continue;
        }
        from->ready |= rest & -rest;
        to->ready |= output;
        note_moving(&x->moving.out, in->output, NETWORK_MAX_WORDS);
        if (--in->left)
            continue;
        from->open ^= rest & -rest;
        to->open ^= output;
    }
}

/* The input that was served last at an output. */
static unsigned last_served(const struct crossbar *x, unsigned output)
{
    unsigned places = 64 * x->core.gates->words;
    return (x->first[output] + places - 1) % places;
}

/* Some of these outputs, whose VCs were just given away, may have no credit: then the flits are not ready. */
HOT NOT_INLINE void starve(struct crossbar *x, struct crossbar_outputs *to, uint64_t outputs)
{
    struct network_gates *g = x->core.gates;
    for (uint64_t rest = outputs; rest; rest &= rest - 1) {
        unsigned output = 64 * to->number + mask_first(rest), input = last_served(x, output);
        struct crossbar_inputs *from = &x->in[input >> 6];
        to->ready &= ~(rest & -rest);
        if (!lacks_credit(x, output)) {
            to->ready |= rest & -rest;
            continue;
        }
        uint32_t place = (g->entries[input].first - (uint32_t)sizeof(struct network_parcel)) & g->input_mask;
        x->inputs[input].output = (uint8_t)output;
        x->inputs[input].left = network_parcel_at(g->entries[input].ring, place)->flits;
        from->ready &= ~port_bit(input);
        from->starving |= port_bit(input);
        from->open |= port_bit(input);
        to->open |= rest & -rest;
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

/* The input that waits for an output and comes first from `first` on, round robin. from: the only word of inputs that
 * wait for it, or NULL. */
HOT_INLINE unsigned find_winner(const struct crossbar *x, const struct crossbar_inputs *from, unsigned output,
                                unsigned first, unsigned words)
{
    if (from && words > 1) {
        uint64_t all = x->waiting[from->number][output];
        uint64_t behind = first >> 6 == from->number ? all & -port_bit(first) : 0;
        return 64 * from->number + mask_first(behind ? behind : all);
    }
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

HOT_INLINE bool is_asked(const struct crossbar *x, const struct crossbar_inputs *from, unsigned output, unsigned words)
{
    if (from && words > 1)
        return x->waiting[from->number][output] != 0;
    uint64_t waiting = x->waiting[0][output];
    for (unsigned w = 1; w < words; w++)
        waiting |= x->waiting[w][output];
    return waiting != 0;
}

/* Each of these outputs, which are free and asked for, is given to the first of the inputs that ask, round robin. The
 * packet's first flit is ready if there is a credit for it. Packets of one flit need nothing more. only: the word of
 * all inputs that ask, or NULL. */
HOT_INLINE void give_vcs(struct crossbar *x, struct crossbar_inputs *only, struct crossbar_outputs *to,
                         uint64_t outputs, unsigned words)
{
    const unsigned word = words == 1 ? 0 : to->number;
    struct network_gates *g = x->core.gates;
    uint64_t asked = 0;
    for (uint64_t rest = outputs; rest; rest &= rest - 1) {
        const unsigned output = 64 * word + mask_first(rest);
        const unsigned first = x->varies ? vary_first(x, output, x->first[output]) : x->first[output];
        const unsigned winner = find_winner(x, only, output, first, words);
        const uint64_t input = port_bit(winner);
        struct crossbar_inputs *from = only ? only : &x->in[word_of(winner, words)];
        const struct network_parcel *p = network_take(g, winner);
        network_put(g, output, p);
        x->first[output] = (uint16_t)(winner + 1 == 64 * words ? 0 : winner + 1);
        x->waiting[word_of(winner, words)][output] ^= input;
        asked |= is_asked(x, only, output, words) ? rest & -rest : 0;
        from->ready |= input;
        if (!only)
            note_moving(&x->moving.in, winner, words);
        if (p->flits == 1)
            continue;
        x->inputs[winner].output = (uint8_t)output;
        x->inputs[winner].left = (uint16_t)(p->flits - 1);
        from->open |= input;
        to->open |= rest & -rest;
    }
    to->asked ^= outputs ^ asked;
    to->held |= outputs;
    to->ready |= outputs;
    if (outputs & to->tight)
        starve(x, to, outputs & to->tight);
}

/* The ready flits leave the router's buffer, by the outputs and then by the inputs; those behind them come to the
 * front. */
HOT_INLINE void switch_outputs(struct crossbar_outputs *to)
{
    to->held &= to->open | ~to->ready;
    to->ready = 0;
}
HOT_INLINE void switch_inputs(struct crossbar *x, struct crossbar_inputs *from)
{
    uint64_t next = from->ready & tally_some(&from->behind);
    from->occupied ^= from->ready ^ next;
    from->ready = 0;
    if (!next)
        return;
    tally_move(&from->behind, 0, next);
    from->fresh = next & ~from->open;
    if (next & from->open)
        prepare_flits(x, from, next & from->open);
}

/* One step of allocation and switching, both of which look at the state before the step. */
HOT_INLINE void step_words(struct crossbar *x)
{
    const unsigned words = x->core.gates->words;
    uint64_t granted[NETWORK_MAX_WORDS], ready = 0;
    uint32_t giving = 0;
    EACH_WORD(x->moving.in, w)
    {
        ready |= x->in[w].ready;
        ask_for_vcs(x, &x->in[w], NULL, words);
    }
    EACH_WORD(x->moving.out, w)
    {
        struct crossbar_outputs *to = &x->out[w];
        granted[w] = to->asked & ~to->held;
        giving |= (uint32_t)(granted[w] != 0) << w;
        to->crossing = to->ready;
    }
    if (ready) {
        EACH_WORD(x->moving.out, w)
        switch_outputs(&x->out[w]);
        EACH_WORD(x->moving.in, w)
        switch_inputs(x, &x->in[w]);
    }
    EACH_WORD(giving, w)
    give_vcs(x, NULL, &x->out[w], granted[w], words);
}

/* step_words, of one word of inputs and one of outputs. */
HOT_INLINE void step_pair(struct crossbar *x, struct crossbar_inputs *from, struct crossbar_outputs *to, unsigned words)
{
    if (from->fresh)
        ask_for_vcs(x, from, to, words);
    uint64_t granted = to->asked & ~to->held;
    to->crossing = to->ready;
    if (from->ready) {
        switch_outputs(to);
        switch_inputs(x, from);
    }
    if (granted)
        give_vcs(x, from, to, granted, words);
}

HOT_INLINE void read_flits(struct crossbar *x, struct crossbar_inputs *from, uint64_t flits)
{
    uint64_t front = flits & ~from->occupied, behind = flits & from->occupied;
    uint64_t starving = (front & from->open) | from->starving;
    from->occupied |= flits;
    from->fresh |= front & ~from->open;
    if (behind)
        tally_move(&from->behind, behind, 0);
    if (starving) {
        from->starving = 0;
        prepare_flits(x, from, starving);
    }
}

/* The channel of a tick carries one flit to each output: flits for these are to go there where others go already. They
 * wait, and are counted. */
NOT_INLINE void wait_for_channel(struct crossbar *x, struct crossbar_outputs *to, uint64_t outputs)
{
    to->leaving |= outputs;
    for (uint64_t rest = outputs; rest; rest &= rest - 1)
        x->late_flits[64 * to->number + mask_first(rest)]++;
    crossbar_note_tight(x, to->number, outputs);
}

/* Credits of these inputs wait likewise. */
NOT_INLINE void owe_credits(struct crossbar *x, struct crossbar_inputs *from, uint64_t inputs)
{
    from->owing |= inputs;
    for (uint64_t rest = inputs; rest; rest &= rest - 1)
        x->late_credits[64 * from->number + mask_first(rest)]++;
}

/* Flits that found no room in earlier ticks' channels take this one, where none goes. */
HOT NOT_INLINE void send_late(struct crossbar *x, struct crossbar_outputs *to)
{
    uint64_t outputs = to->leaving & ~to->sent;
    to->sent |= outputs;
    for (uint64_t rest = outputs; rest; rest &= rest - 1)
        if (--x->late_flits[64 * to->number + mask_first(rest)] == 0)
            to->leaving ^= rest & -rest;
    crossbar_note_tight(x, to->number, outputs);
}

/* Credits that found no room take it likewise. Returns the inputs to which one goes. */
HOT NOT_INLINE uint64_t free_late(struct crossbar *x, struct crossbar_inputs *from, uint64_t freed)
{
    uint64_t inputs = from->owing & ~freed;
    for (uint64_t rest = inputs; rest; rest &= rest - 1)
        if (--x->late_credits[64 * from->number + mask_first(rest)] == 0)
            from->owing ^= rest & -rest;
    return freed | inputs;
}

struct crossbar_outlook crossbar_look(const struct crossbar *x)
{
    struct crossbar_outlook o = {.busy = false};
    uint64_t busy = 0;
    for (unsigned w = 0; w < x->core.gates->words; w++) {
        busy |= crossbar_inputs_busy(&x->in[w]) | crossbar_outputs_busy(&x->out[w]);
        o.awake.in |= (uint32_t)(crossbar_inputs_awake(&x->in[w]) != 0) << w;
        o.awake.out |= (uint32_t)(crossbar_outputs_awake(&x->out[w]) != 0) << w;
        for (unsigned i = 0; i < CREDIT_TICKS; i++)
            o.left[i] |= (uint8_t)((x->out[w].left[i] != 0) << w);
    }
    o.busy = busy != 0;
    o.next = o.busy ? x->tick + 1 : CYCLE_NEVER;
    for (unsigned ahead = CREDIT_TICKS; ahead > 0 && !o.busy; ahead--)
        o.next = o.left[(x->tick + ahead) % CREDIT_TICKS] ? x->tick + ahead : o.next;
    return o;
}

/* The credits of this tick are those of the flits that left CREDIT_TICKS ago, or not all of them, or more. */
HOT_INLINE void read_credits(struct crossbar *x, struct crossbar_outputs *to, unsigned slot, uint64_t credits)
{
    to->sent = 0;
    if (to->left[slot] != credits)
        note_held_back(x, to->number, to->left[slot], credits);
    to->left[slot] = 0;
}

/* The flits that cross when a step begins take the channel, and those that were ready free their places. */
HOT_INLINE void fill_channel(struct crossbar *x, struct crossbar_outputs *to)
{
    uint64_t late = to->sent & to->crossing;
    to->sent |= to->crossing;
    if (late)
        wait_for_channel(x, to, late);
}
HOT_INLINE uint64_t free_places(struct crossbar *x, struct crossbar_inputs *from, uint64_t freed)
{
    if (freed & from->ready)
        owe_credits(x, from, freed & from->ready);
    return freed | from->ready;
}

/* At the end of a tick, what is late takes what is left of its channels. */
HOT_INLINE void end_outputs(struct crossbar *x, struct crossbar_outputs *to, unsigned slot)
{
    if (to->leaving)
        send_late(x, to);
    to->left[slot] = to->sent;
}
HOT_INLINE uint64_t end_inputs(struct crossbar *x, struct crossbar_inputs *from, uint64_t freed)
{
    return from->owing ? free_late(x, from, freed) : freed;
}

/* The answers of a word of inputs and of one of outputs. */
struct answers {
    uint64_t sent, freed;
};

/* A tick of which it is known before that it changes nothing beyond these words. Compiled for the only words that there
 * are, and for any. */
HOT_INLINE struct answers tick_pair(struct crossbar *x, struct crossbar_inputs *from, struct crossbar_outputs *to,
                                    uint64_t flits, uint64_t credits, unsigned words)
{
    const unsigned slot = x->tick % CREDIT_TICKS;
    uint64_t freed = 0;
    read_credits(x, to, slot, credits);
    if (!x->busy && !(flits | from->starving))
        return (struct answers){0, 0};
    read_flits(x, from, flits);
    for (uint32_t steps = x->core.params->internal_speedup; steps; steps--) {
        fill_channel(x, to);
        freed = free_places(x, from, freed);
        step_pair(x, from, to, words);
    }
    end_outputs(x, to, slot);
    freed = end_inputs(x, from, freed);
    x->busy = (crossbar_outputs_busy(to) | crossbar_inputs_busy(from)) != 0;
    return (struct answers){to->sent, freed};
}

/* After a tick: which of the words that moved are awake, and which have answered. */
HOT_INLINE void note_moved(struct crossbar *x, struct network_turn *turn, struct network_words moved)
{
    struct network_words awake = {0, 0}, answered = {0, 0};
    EACH_WORD(moved.out, w)
    {
        awake.out |= (uint32_t)(crossbar_outputs_awake(&x->out[w]) != 0) << w;
        answered.out |= (uint32_t)(x->out[w].sent != 0) << w;
    }
    EACH_WORD(moved.in, w)
    {
        awake.in |= (uint32_t)(crossbar_inputs_awake(&x->in[w]) != 0) << w;
        answered.in |= (uint32_t)(turn->freed.word[w] != 0) << w;
    }
    x->awake = awake;
    x->left[x->tick % CREDIT_TICKS] = (uint8_t)answered.out;
    turn->answered = answered;
}

/* A tick of the words that move. */
HOT NOT_INLINE void tick_moving(struct crossbar *x, struct network_turn *turn)
{
    const unsigned slot = x->tick % CREDIT_TICKS;
    uint64_t busy = 0;
    EACH_WORD(x->moving.out, w)
    read_credits(x, &x->out[w], slot, turn->credits.word[w]);
    EACH_WORD(x->moving.in, w)
    read_flits(x, &x->in[w], turn->flits.word[w]);
    for (uint32_t steps = x->core.params->internal_speedup; steps; steps--) {
        EACH_WORD(x->moving.out, w)
        fill_channel(x, &x->out[w]);
        EACH_WORD(x->moving.in, w)
        turn->freed.word[w] = free_places(x, &x->in[w], turn->freed.word[w]);
        step_words(x);
    }
    EACH_WORD(x->moving.out, w)
    {
        end_outputs(x, &x->out[w], slot);
        turn->sent.word[w] = x->out[w].sent;
        busy |= crossbar_outputs_busy(&x->out[w]);
    }
    EACH_WORD(x->moving.in, w)
    {
        turn->freed.word[w] = end_inputs(x, &x->in[w], turn->freed.word[w]);
        busy |= crossbar_inputs_busy(&x->in[w]);
    }
    x->busy = busy != 0;
    note_moved(x, turn, x->moving);
}

/* The output of the packet to which an input's flit belongs that comes now, or came to the front. */
HOT_INLINE unsigned output_of(const struct crossbar *x, unsigned input)
{
    return mask_has(x->in[input >> 6].open, input & 63) ? x->inputs[input].output
                                                        : network_front(x->core.gates, input)->output;
}

/* True: every flit that waits first in one of the inputs goes to an output of the word `out`. */
HOT_INLINE bool all_go_to(const struct crossbar *x, const struct crossbar_inputs *from, uint64_t inputs, unsigned out)
{
    for (uint64_t rest = inputs; rest; rest &= rest - 1)
        if (output_of(x, 64 * from->number + mask_first(rest)) >> 6 != out)
            return false;
    return true;
}

/* Inputs of other words have flits in the buffer. */
NOT_INLINE bool others_occupied(const struct crossbar *x, unsigned in)
{
    uint64_t occupied = 0;
    for (unsigned w = 0; w < x->core.gates->words; w++)
        occupied |= w == in ? 0 : x->in[w].occupied;
    return occupied != 0;
}

/* In a tick of several steps a flit behind the front one may come to the front too, and go anywhere. */
HOT_INLINE bool more_come_to_front(const struct crossbar *x, const struct crossbar_inputs *from, uint64_t flits)
{
    return x->core.params->internal_speedup > 1 && (tally_some(&from->behind) | (flits & from->occupied));
}

/* A tick in which no other words move, nor flits come from others, makes none move: what comes to that word of inputs
 * or stands in its buffer goes to that word of outputs, and no input of another word waits there. */
HOT_INLINE bool stays_in_pair(const struct crossbar *x, unsigned in, unsigned out, uint64_t flits)
{
    const struct crossbar_inputs *from = &x->in[in];
    return all_go_to(x, from, flits | from->occupied, out) && !more_come_to_front(x, from, flits) &&
           !(x->out[out].asked && others_occupied(x, in));
}

/* Of the words that move there is one of inputs and one of outputs at most, and the tick makes no other move. False:
 * that is not so, or not known. */
HOT_INLINE bool find_pair(const struct crossbar *x, const struct network_turn *turn, struct network_words *pair)
{
    const struct network_words moving = x->moving;
    if ((moving.in & (moving.in - 1)) | (moving.out & (moving.out - 1)))
        return false;
    pair->in = moving.in ? mask_first(moving.in) : 0;
    const struct crossbar_inputs *from = &x->in[pair->in];
    uint64_t inputs = turn->flits.word[pair->in] | from->occupied;
    if (moving.out)
        pair->out = mask_first(moving.out);
    else
        pair->out = inputs ? output_of(x, 64 * pair->in + mask_first(inputs)) >> 6 : 0;
    return stays_in_pair(x, pair->in, pair->out, turn->flits.word[pair->in]);
}

/* A router that is not busy looks at the tick in which credits of flits that left are due: they may not come. */
HOT_INLINE uint64_t next_look(const struct crossbar *x)
{
    for (unsigned ahead = 1; ahead <= CREDIT_TICKS; ahead++)
        if (x->left[(x->tick + ahead) % CREDIT_TICKS])
            return x->tick + ahead;
    return CYCLE_NEVER;
}

/* A tick of one word of inputs and one of outputs. Both stay awake while one has something to do. */
HOT_INLINE void tick_only(struct crossbar *x, struct network_turn *turn, struct network_words pair)
{
    struct crossbar_inputs *from = &x->in[pair.in];
    const struct answers a = tick_pair(x, from, &x->out[pair.out], turn->flits.word[pair.in],
                                       turn->credits.word[pair.out], NETWORK_MAX_WORDS);
    const struct network_words both = {1u << pair.in, 1u << pair.out};
    turn->sent.word[pair.out] = a.sent;
    turn->freed.word[pair.in] = a.freed;
    turn->answered.in = a.freed ? both.in : 0;
    turn->answered.out = a.sent ? both.out : 0;
    x->left[x->tick % CREDIT_TICKS] = (uint8_t)turn->answered.out;
    x->awake = x->busy | (a.sent | from->starving) ? both : (struct network_words){0, 0};
}

/* A tick in which credits come, or are missing, and nothing else happens. */
HOT_INLINE void tick_credits(struct crossbar *x, struct network_turn *turn)
{
    const unsigned slot = x->tick % CREDIT_TICKS;
    EACH_WORD(x->moving.out, w)
    read_credits(x, &x->out[w], slot, turn->credits.word[w]);
    x->left[slot] = 0;
    turn->answered = (struct network_words){0, 0};
}

/* The router is no longer alone in two words, or not known to be: `awake` and `left` are those of the two. */
NOT_INLINE void end_alone(struct crossbar *x)
{
    x->alone = false;
    x->awake.in = (uint32_t)(crossbar_inputs_awake(x->from) != 0) << x->from->number;
    x->awake.out = (uint32_t)(crossbar_outputs_awake(x->to) != 0) << x->to->number;
    for (unsigned i = 0; i < CREDIT_TICKS; i++)
        x->left[i] = (uint8_t)((x->to->left[i] != 0) << x->to->number);
}

HOT NOT_INLINE void tick_wide(struct crossbar *x, struct network_turn *turn)
{
    struct network_words pair;
    if (x->alone)
        end_alone(x);
    x->moving.in = x->awake.in | turn->came.in;
    x->moving.out = x->awake.out | turn->came.out | x->left[x->tick % CREDIT_TICKS];
    if (!(x->moving.in | x->awake.out))
        tick_credits(x, turn);
    else if (find_pair(x, turn, &pair))
        tick_only(x, turn, pair);
    else
        tick_moving(x, turn);
    x->core.next = x->busy ? x->tick + 1 : next_look(x);
}

/* next_look, in the only word of outputs there is. */
HOT_INLINE uint64_t next_look_in(const struct crossbar_outputs *to, uint64_t tick)
{
    for (unsigned ahead = 1; ahead <= CREDIT_TICKS; ahead++)
        if (to->left[(tick + ahead) % CREDIT_TICKS])
            return tick + ahead;
    return CYCLE_NEVER;
}

HOT NOT_INLINE void tick_narrow(struct crossbar *x, struct network_turn *turn)
{
    struct answers a = tick_pair(x, &x->in[0], &x->out[0], turn->flits.word[0], turn->credits.word[0], 1);
    turn->sent.word[0] = a.sent;
    turn->freed.word[0] = a.freed;
    x->core.next = x->busy ? x->tick + 1 : next_look_in(&x->out[0], x->tick);
}

HOT static void tick(struct network_core *core, struct network_turn *turn)
{
    struct crossbar *x = (struct crossbar *)core;
    x->tick = turn->tick;
    if (core->gates->words == 1)
        tick_narrow(x, turn);
    else
        tick_wide(x, turn);
}

/* Inputs of the word that hold a VC for a packet go to that word of outputs. */
static bool open_ones_go_to(const struct crossbar *x, const struct crossbar_inputs *from, unsigned out)
{
    for (uint64_t rest = from->open; rest; rest &= rest - 1)
        if (x->inputs[64 * from->number + mask_first(rest)].output >> 6 != out)
            return false;
    return true;
}

/* The router is alone in the words of the pair, but for head flits at the front of inputs. */
static bool is_alone(const struct crossbar *x, const struct network_pair *p)
{
    uint32_t others = x->awake.in & ~(1u << p->in);
    for (unsigned i = 0; i < CREDIT_TICKS; i++)
        others |= (x->awake.out | x->left[i]) & ~(1u << p->out);
    return !others && !others_occupied(x, p->in);
}

/* The first tick of the pair since its words were others, or since another kind of tick. */
NOT_INLINE bool begin_alone(struct crossbar *x, struct network_pair *p)
{
    if (x->alone)
        end_alone(x);
    if (!is_alone(x, p))
        return false;
    /* Of a packet that goes elsewhere, the next flit comes while the one before it is still in `left`. */
    contract(open_ones_go_to(x, &x->in[p->in], p->out));
    p->known = x->alone = true;
    x->from = &x->in[p->in];
    x->to = &x->out[p->out];
    return true;
}

/* Inputs have sent packets to other words of outputs, and one of these may come to the front in this tick. */
NOT_INLINE bool goes_away(const struct crossbar *x, const struct network_pair *p)
{
    if (x->core.params->internal_speedup > 1)
        return (p->away & (p->flits | x->from->occupied)) != 0;
    for (uint64_t rest = p->away & (p->flits | x->from->occupied) & ~x->from->open; rest; rest &= rest - 1)
        if (network_front(x->core.gates, 64 * p->in + mask_first(rest))->output >> 6 != p->out)
            return true;
    return false;
}

/* A tick of the words in which the router is alone. */
HOT static bool tick_of_pair(struct network_core *core, struct network_pair *p)
{
    struct crossbar *x = (struct crossbar *)core;
    if (!(x->alone & p->known) && !begin_alone(x, p))
        return false;
    if (p->away && goes_away(x, p)) {
        end_alone(x);
        return false;
    }
    x->tick = p->tick;
    const struct answers a = tick_pair(x, x->from, x->to, p->flits, p->credits, NETWORK_MAX_WORDS);
    p->sent = a.sent;
    p->freed = a.freed;
    core->next = x->busy ? p->tick + 1 : next_look_in(x->to, p->tick);
    return true;
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
        x->in[w].number = x->out[w].number = w;
        tally_init(&x->in[w].behind, 0);
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
    .tick_pair = tick_of_pair,
    .latency = latency,
    .vary = vary,
    .archive = crossbar_archive,
    .check = crossbar_check,
};

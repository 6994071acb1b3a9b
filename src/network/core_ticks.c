/* The ticks of a network's core: what it reads of the sides' channels, and to whom it answers. Which of the ways of
 * this file is taken depends on what changes seldom: how many words of ports there are, how they are dealt to sides,
 * which of these listen, and whether cores tick together. */
#include "network/network_impl.h"
#include "sim/cycle.h"

/* The core reads what the sides sent channel_ticks ago. Returns true when anything arrives. Of one word of ports, which
 * most networks have. */
HOT_INLINE bool read_sides(const struct network *net, struct network_turn *turn, unsigned sides)
{
    turn->flits.word[0] = turn->credits.word[0] = 0;
    for (uint64_t rest = sides == 1 ? 1 : net->listening; rest; rest &= rest - 1) {
        const struct network_written *from = network_read(net, &net->sides[mask_first(rest)].to_core, turn->tick);
        if (!from)
            continue;
        turn->flits.word[0] |= from->flits;
        turn->credits.word[0] |= from->credits;
    }
    return (turn->flits.word[0] | turn->credits.word[0]) != 0;
}

/* Of several words; the turn has nothing in it. */
HOT_INLINE void read_wide(const struct network *net, struct network_turn *turn)
{
    for (uint64_t rest = net->listening; rest; rest &= rest - 1) {
        const struct network_side *side = &net->sides[mask_first(rest)];
        const struct network_written *from = network_read(net, &side->to_core, turn->tick);
        if (!from)
            continue;
        uint64_t flits = from->flits, credits = from->credits;
        for (uint32_t words = side->words.in; flits; words &= words - 1) {
            const unsigned w = mask_first(words);
            turn->flits.word[w] |= flits & side->inputs.word[w];
            turn->came.in |= (uint32_t)((flits & side->inputs.word[w]) != 0) << w;
            flits &= ~side->inputs.word[w];
        }
        for (uint32_t words = side->words.out; credits; words &= words - 1) {
            const unsigned w = mask_first(words);
            turn->credits.word[w] |= credits & side->outputs.word[w];
            turn->came.out |= (uint32_t)((credits & side->outputs.word[w]) != 0) << w;
            credits &= ~side->outputs.word[w];
        }
    }
}

/* Writes the core's answers into the channels of a side; false: there are none. */
HOT_INLINE bool write_side(struct network *net, struct network_side *side, uint64_t tick, uint64_t flits,
                           uint64_t credits)
{
    if (!(flits | credits))
        return false;
    network_write(net, &side->from_core, tick, flits, credits);
    return true;
}

/* And into those of all whose ports they are for. Returns these. */
HOT_INLINE uint64_t write_sides(struct network *net, const struct network_turn *turn, unsigned sides)
{
    const uint64_t sent = turn->sent.word[0], freed = turn->freed.word[0];
    uint64_t written = 0;
    if (sides == 1)
        return write_side(net, &net->sides[0], turn->tick, sent, freed);
    for (unsigned i = 0; i < sides; i++) {
        struct network_side *side = &net->sides[i];
        if (write_side(net, side, turn->tick, sent & side->outputs.word[0], freed & side->inputs.word[0]))
            written |= BIT64(i);
    }
    return written;
}

/* Adds to what the core writes into a side's channels in this tick. Returns the side, as a bit. */
HOT_INLINE uint64_t add_answer(struct network *net, struct network_side *side, uint64_t tick, uint64_t flits,
                               uint64_t credits)
{
    struct network_written *w = &side->from_core.written[tick & net->channel_mask];
    const bool first = w->tick != tick;
    w->tick = tick;
    w->flits = first ? flits : w->flits | flits;
    w->credits = first ? credits : w->credits | credits;
    return BIT64(side - net->sides);
}

/* Writes the answers of a core of several words into the channels; they leave the turn. Returns the sides, as bits. */
HOT_INLINE uint64_t write_wide(struct network *net, struct network_turn *turn)
{
    uint64_t written = 0;
    for (uint32_t words = turn->answered.out; words; words &= words - 1) {
        const unsigned w = mask_first(words);
        uint64_t sent = turn->sent.word[w];
        turn->sent.word[w] = 0;
        while (sent) {
            struct network_side *side = net->head.side_of_output[64 * w + mask_first(sent)];
            written |= add_answer(net, side, turn->tick, sent & side->outputs.word[w], 0);
            sent &= ~side->outputs.word[w];
        }
    }
    for (uint32_t words = turn->answered.in; words; words &= words - 1) {
        const unsigned w = mask_first(words);
        uint64_t freed = turn->freed.word[w];
        turn->freed.word[w] = 0;
        while (freed) {
            struct network_side *side = net->head.side_of_input[64 * w + mask_first(freed)];
            written |= add_answer(net, side, turn->tick, 0, freed & side->inputs.word[w]);
            freed &= ~side->inputs.word[w];
        }
    }
    return written;
}

/* The core has something to do in this tick: by itself, or the channels bring something. */
HOT_INLINE bool core_is_due(const struct network *net, uint64_t tick)
{
    if (tick >= net->core->next)
        return true;
    for (uint64_t rest = net->listening; rest; rest &= rest - 1) {
        const struct network_written *from = network_read(net, &net->sides[mask_first(rest)].to_core, tick);
        if (from && (from->flits | from->credits))
            return true;
    }
    return false;
}

/* The core of a network of one word. Compiled for one side, which one thread has, and for any number. */
HOT_INLINE uint64_t tick_core(struct network *net, uint64_t tick, unsigned sides)
{
    struct network_turn turn;
    turn.tick = tick;
    if (!read_sides(net, &turn, sides) && tick < net->core->next)
        return 0;
    turn.sent.word[0] = turn.freed.word[0] = 0;
    net->core->kind->tick(net->core, &turn);
    return write_sides(net, &turn, sides);
}

/* The core does something in this tick, or the side's channels may bring it something. Most ticks end here. */
HOT_INLINE bool may_be_due(const struct network *net, const struct network_side *side, uint64_t tick)
{
    return tick >= net->core->next || network_read(net, &side->to_core, tick);
}

HOT NOT_INLINE uint64_t tick_due_narrow_core(struct network *net, uint64_t tick)
{
    return tick_core(net, tick, 1);
}

HOT static uint64_t tick_only_side(struct network *net, uint64_t tick)
{
    return may_be_due(net, &net->sides[0], tick) ? tick_due_narrow_core(net, tick) : 0;
}

HOT static uint64_t tick_divided_core(struct network *net, uint64_t tick)
{
    return core_is_due(net, tick) ? tick_core(net, tick, net->side_count) : 0;
}

/* The turn of a core of several words, whose sets are empty, begins. */
HOT_INLINE void begin_wide(const struct network *net, struct network_turn *turn, uint64_t tick)
{
    turn->tick = tick;
    turn->came = (struct network_words){0, 0};
    turn->answered = net->every;
    read_wide(net, turn);
}

/* It ends: only words in which something was are touched. Returns the sides to which it wrote. */
HOT_INLINE uint64_t end_wide(struct network *net, struct network_turn *turn)
{
    for (uint32_t words = turn->came.in; words; words &= words - 1)
        turn->flits.word[mask_first(words)] = 0;
    for (uint32_t words = turn->came.out; words; words &= words - 1)
        turn->credits.word[mask_first(words)] = 0;
    return write_wide(net, turn);
}

HOT NOT_INLINE uint64_t tick_due_core(struct network *net, uint64_t tick)
{
    struct network_turn *turn = &net->turn;
    begin_wide(net, turn, tick);
    net->core->kind->tick(net->core, turn);
    return end_wide(net, turn);
}

HOT static uint64_t tick_wide_core(struct network *net, uint64_t tick)
{
    return core_is_due(net, tick) ? tick_due_core(net, tick) : 0;
}

/* Inputs may have packets under way to other words than `home`: of some, the core has taken all. */
NOT_INLINE void note_away(struct network *net, struct network_side *side)
{
    for (uint64_t rest = side->away; rest; rest &= rest - 1) {
        const unsigned bit = mask_first(rest);
        if (net->gates.entries[64 * net->pair.in + bit].first == side->senders[bit].end)
            side->away ^= rest & -rest;
    }
    net->pair.away = side->away;
}

/* The core answers the only side that it reads, and others too. */
NOT_INLINE uint64_t write_beyond(struct network *net, const struct network_pair *pair)
{
    net->turn.tick = pair->tick;
    net->turn.answered = net->only->words;
    net->turn.sent.word[pair->out] = pair->sent;
    net->turn.freed.word[pair->in] = pair->freed;
    return write_wide(net, &net->turn);
}

/* Of a core of several words, when the only side that it reads has ports in one word of inputs and in one of outputs:
 * answers are mostly for that side too. */
HOT NOT_INLINE uint64_t tick_due_pair(struct network *net, uint64_t tick)
{
    struct network_side *side = net->only;
    struct network_pair *pair = &net->pair;
    const struct network_written *from = network_read(net, &side->to_core, tick);
    if (from) {
        pair->flits = from->flits;
        pair->credits = from->credits;
    } else {
        pair->flits = pair->credits = 0;
    }
    if (!(pair->flits | pair->credits) && tick < net->core->next)
        return 0;
    pair->away = 0;
    if (side->away)
        note_away(net, side);
    pair->tick = tick;
    if (!net->core->kind->tick_pair(net->core, pair))
        return tick_due_core(net, tick);
    if (!(pair->sent | pair->freed))
        return 0;
    if ((pair->sent & ~pair->outputs) | (pair->freed & ~pair->inputs))
        return write_beyond(net, pair);
    network_write(net, &side->from_core, tick, pair->sent, pair->freed);
    return net->listening;
}

HOT_INLINE bool some_core_is_due(const struct network *net, uint64_t tick)
{
    for (unsigned i = 0; i < net->sharing; i++)
        if (core_is_due(net->shared[i], tick))
            return true;
    return false;
}

HOT static uint64_t tick_paired_core(struct network *net, uint64_t tick)
{
    return may_be_due(net, net->only, tick) ? tick_due_pair(net, tick) : 0;
}

/* The channels of one may bring something and those of another nothing; a core that would not tick alone has nothing to
 * do then. */
HOT static uint64_t tick_shared_cores(struct network *net, uint64_t tick)
{
    if (!some_core_is_due(net, tick))
        return 0;
    struct network_turn turns[NETWORK_MAX_SHARING] = {0};
    struct network_core *cores[NETWORK_MAX_SHARING];
    uint64_t written = 0;
    contract(!network_follows(net));
    for (unsigned i = 0; i < net->sharing; i++) {
        struct network *shared = net->shared[i];
        cores[i] = shared->core;
        begin_wide(shared, &turns[i], tick);
    }
    net->core->kind->tick_together(cores, turns, net->sharing);
    for (unsigned i = 0; i < net->sharing; i++)
        written |= end_wide(net->shared[i], &turns[i]);
    return written;
}

/* The core reads one side only, which has one word of inputs and one of outputs, of several, and it can tick so. */
static bool is_paired(const struct network *net)
{
    if (net->words == 1 || net->sharing || !is_power_of_two(net->listening) || !net->core->kind->tick_pair)
        return false;
    const struct network_words words = net->sides[mask_first(net->listening)].words;
    return is_power_of_two(words.in) && is_power_of_two(words.out);
}

network_core_tick *network_tick_for(const struct network *net)
{
    if (net->sharing)
        return tick_shared_cores;
    if (net->words > 1)
        return is_paired(net) ? tick_paired_core : tick_wide_core;
    return net->side_count == 1 ? tick_only_side : tick_divided_core;
}

/* The words of the only side, and its ports in them. */
static void note_pair(struct network *net, struct network_side *side)
{
    const unsigned in = mask_first(side->words.in), out = mask_first(side->words.out);
    net->only = side;
    net->pair = (struct network_pair){
        .in = in, .out = out, .inputs = side->inputs.word[in], .outputs = side->outputs.word[out]};
}

void network_choose_tick(struct network *net)
{
    net->head.tick_core = network_tick_for(net);
    if (net->head.tick_core == tick_paired_core)
        note_pair(net, &net->sides[mask_first(net->listening)]);
}

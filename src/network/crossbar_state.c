/* Core crossbar in a checkpoint, and its derived facts. */
#include "base/archive.h"
#include "base/check.h"
#include "network/crossbar.h"

static void archive_word(struct crossbar *x, struct archive *ar, unsigned w)
{
    const struct network_gates *g = x->core.gates;
    struct crossbar_word *word = &x->words[w];
    uint64_t *const of_inputs[] = {&word->occupied, &word->fresh, &word->ready, &word->open, &word->starving};
    uint64_t *const of_outputs[] = {&word->held, &word->ready_outputs, &word->crossing, &word->open_outputs};
    for (unsigned i = 0; i < sizeof of_inputs / sizeof of_inputs[0]; i++)
        network_archive_word(ar, of_inputs[i], w, g->inputs);
    for (unsigned i = 0; i < sizeof of_outputs / sizeof of_outputs[0]; i++)
        network_archive_word(ar, of_outputs[i], w, g->outputs);
    for (unsigned i = 0; i < CREDIT_TICKS; i++)
        network_archive_word(ar, &word->left[i], w, g->outputs);
}

static void archive_input(struct crossbar *x, struct archive *ar, unsigned i)
{
    struct crossbar_input *in = &x->inputs[i];
    struct tally *behind = &x->words[i >> 6].behind;
    uint32_t count = tally_count(behind, i & 63);
    archive_u32_to(ar, &count, TALLY_MOST);
    tally_set(behind, i & 63, count);
    archive_u8_to(ar, &in->output, (uint8_t)(x->core.gates->outputs - 1));
    ARCHIVE(ar, in->left);
    ARCHIVE(ar, x->late_credits[i]);
}

static void archive_output(struct crossbar *x, struct archive *ar, unsigned i)
{
    const struct network_gates *g = x->core.gates;
    uint32_t first = x->first[i];
    for (unsigned w = 0; w < g->words; w++)
        network_archive_word(ar, &x->waiting[w][i], w, g->inputs);
    archive_u32_to(ar, &first, 64 * g->words - 1);
    x->first[i] = (uint16_t)first;
    ARCHIVE(ar, x->late_flits[i]);
    ARCHIVE(ar, x->held_back[i]);
}

/* Outputs of a word for which inputs wait. */
static uint64_t find_asked(const struct crossbar *x, unsigned word)
{
    uint64_t asked = 0;
    for (unsigned i = 0; i < 64; i++)
        for (unsigned w = 0; w < x->core.gates->words; w++)
            asked |= x->waiting[w][64 * word + i] ? BIT64(i) : 0;
    return asked;
}

/* Ports of a word whose counter is not zero. */
static uint64_t find_some(const uint16_t *counters, unsigned word)
{
    uint64_t some = 0;
    for (unsigned i = 0; i < 64; i++)
        some |= counters[64 * word + i] ? BIT64(i) : 0;
    return some;
}

void crossbar_archive(struct network_core *core, struct archive *ar, const struct network_carrier *carrier)
{
    struct crossbar *x = (struct crossbar *)core;
    (void)carrier;
    for (unsigned i = 0; i < core->gates->inputs; i++)
        archive_input(x, ar, i);
    for (unsigned i = 0; i < core->gates->outputs; i++)
        archive_output(x, ar, i);
    for (unsigned w = 0; w < core->gates->words; w++)
        archive_word(x, ar, w);
    ARCHIVE(ar, x->tick);
    ARCHIVE(ar, x->arbitration.drawn);
    for (unsigned w = 0; w < core->gates->words; w++) {
        struct crossbar_word *word = &x->words[w];
        word->sent = word->left[x->tick % CREDIT_TICKS];
        word->asked = find_asked(x, w);
        word->owing = find_some(x->late_credits, w);
        word->leaving = find_some(x->late_flits, w);
        crossbar_note_tight(x, w, ports_in_word(core->gates->outputs, w));
    }
    core->next = crossbar_next(x);
}

static uint64_t find_tight(const struct crossbar *x, unsigned word)
{
    uint64_t tight = 0;
    for (uint64_t rest = ports_in_word(x->core.gates->outputs, word); rest; rest &= rest - 1) {
        unsigned output = 64 * word + mask_first(rest);
        uint32_t most = x->late_flits[output] + x->held_back[output] + CREDITS_UNDER_WAY;
        tight |= most >= x->core.gates->output_credits ? rest & -rest : 0;
    }
    return tight;
}

static uint64_t find_open_outputs(const struct crossbar *x, unsigned word)
{
    uint64_t outputs = 0;
    for (unsigned i = 0; i < x->core.gates->inputs; i++)
        if (mask_has(x->words[i >> 6].open, i & 63) && x->inputs[i].output >> 6 == word)
            outputs |= port_bit(x->inputs[i].output);
    return outputs;
}

static void check_word(struct crossbar *x, struct check *c, unsigned w)
{
    struct crossbar_word *word = &x->words[w];
    CHECK_FACT(c, "crossbar.asked", w, word->asked, find_asked(x, w));
    CHECK_FACT(c, "crossbar.tight", w, word->tight, find_tight(x, w));
    CHECK_FACT(c, "crossbar.leaving", w, word->leaving, find_some(x->late_flits, w));
    CHECK_FACT(c, "crossbar.owing", w, word->owing, find_some(x->late_credits, w));
    CHECK_FACT(c, "crossbar.open_outputs", w, word->open_outputs, find_open_outputs(x, w));
    CHECK_FACT(c, "crossbar.sent", w, word->sent, word->left[x->tick % CREDIT_TICKS]);
    tally_check(&word->behind, c, "crossbar.behind");
    check_holds(c, "crossbar: an open input's flits are behind those of the buffer, or starve", w,
                (word->starving & ~word->open) == 0 && (word->starving & word->ready) == 0);
    check_holds(c, "crossbar: a flit that is ready, fresh or behind is in the buffer", w,
                ((word->ready | word->fresh | word->starving | tally_some(&word->behind)) & ~word->occupied) == 0);
    check_holds(c, "crossbar: the VC of an open input, and of a ready flit, is held", w,
                ((word->open_outputs | word->ready_outputs) & ~word->held) == 0);
}

/* An input asks for one VC at most. */
static bool asks_once(const struct crossbar *x)
{
    for (unsigned w = 0; w < x->core.gates->words; w++) {
        uint64_t seen = 0;
        for (unsigned i = 0; i < x->core.gates->outputs; i++) {
            if (seen & x->waiting[w][i])
                return false;
            seen |= x->waiting[w][i];
        }
    }
    return true;
}

void crossbar_check(struct network_core *core, struct check *c)
{
    struct crossbar *x = (struct crossbar *)core;
    unsigned ready = 0, ready_outputs = 0;
    for (unsigned w = 0; w < core->gates->words; w++) {
        check_word(x, c, w);
        ready += mask_count(x->words[w].ready);
        ready_outputs += mask_count(x->words[w].ready_outputs);
    }
    check_holds(c, "crossbar: ready flits go to different outputs", 0, ready == ready_outputs);
    check_holds(c, "crossbar: an input asks for one VC at most", 0, asks_once(x));
    CHECK_FACT(c, "crossbar.next", 0, core->next, crossbar_next(x));
}

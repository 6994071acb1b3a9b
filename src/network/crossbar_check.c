/* The derived facts of core crossbar: see base/check.h. */
#include "base/check.h"
#include "network/crossbar.h"

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
        if (mask_has(x->in[i >> 6].open, i & 63) && x->inputs[i].output >> 6 == word)
            outputs |= port_bit(x->inputs[i].output);
    return outputs;
}

static void check_word(struct crossbar *x, struct check *c, unsigned w)
{
    struct crossbar_inputs *in = &x->in[w];
    struct crossbar_outputs *out = &x->out[w];
    CHECK_FACT(c, "crossbar.asked", w, out->asked, crossbar_asked(x, w));
    CHECK_FACT(c, "crossbar.tight", w, out->tight, find_tight(x, w));
    CHECK_FACT(c, "crossbar.leaving", w, out->leaving, crossbar_some(x->late_flits, w));
    CHECK_FACT(c, "crossbar.owing", w, in->owing, crossbar_some(x->late_credits, w));
    CHECK_FACT(c, "crossbar.open_outputs", w, out->open, find_open_outputs(x, w));
    CHECK_FACT(c, "crossbar.sent", w, out->sent, out->left[x->tick % CREDIT_TICKS]);
    tally_check(&in->behind, c, "crossbar.behind");
    check_holds(c, "crossbar: an open input's flits are behind those of the buffer, or starve", w,
                (in->starving & ~in->open) == 0 && (in->starving & in->ready) == 0);
    check_holds(c, "crossbar: a flit that is ready, fresh or behind is in the buffer", w,
                ((in->ready | in->fresh | in->starving | tally_some(&in->behind)) & ~in->occupied) == 0);
    check_holds(c, "crossbar: the VC of an open input, and of a ready flit, is held", w,
                ((out->open | out->ready) & ~out->held) == 0);
}

/* Inputs of the word that hold a VC for a packet have it of that word of outputs. */
static bool open_ones_go_to(const struct crossbar *x, const struct crossbar_inputs *in, unsigned out)
{
    bool all = true;
    for (uint64_t rest = in->open; rest; rest &= rest - 1)
        all &= x->inputs[64 * in->number + mask_first(rest)].output >> 6 == out;
    return all;
}

static void check_alone(struct crossbar *x, const struct crossbar_outlook *o, struct check *c)
{
    const unsigned in = x->from->number, out = x->to->number;
    uint32_t others = (o->awake.in & ~(1u << in)) | (o->awake.out & ~(1u << out));
    for (unsigned i = 0; i < CREDIT_TICKS; i++)
        others |= o->left[i] & ~(1u << out);
    for (unsigned w = 0; w < x->core.gates->words; w++)
        others |= w != in && x->in[w].occupied;
    check_holds(c, "crossbar: only the words in which it is alone have something", 0, others == 0);
    check_holds(c, "crossbar: alone, open inputs go to one word of outputs", 0, open_ones_go_to(x, x->from, out));
}

/* With one word nobody asks which words move. A word may be taken for awake that is not. */
static void check_outlook(struct crossbar *x, struct check *c)
{
    const struct crossbar_outlook o = crossbar_look(x);
    CHECK_FACT(c, "crossbar.next", 0, x->core.next, o.next);
    CHECK_FACT(c, "crossbar.busy", 0, x->busy, o.busy);
    if (x->core.gates->words == 1)
        return;
    if (x->alone) {
        check_alone(x, &o, c);
        return;
    }
    const uint64_t none = ~mask_low(x->core.gates->words);
    check_bits(c, "crossbar.awake.in", 0, &x->awake.in, sizeof x->awake.in, o.awake.in | none, o.awake.in);
    check_bits(c, "crossbar.awake.out", 0, &x->awake.out, sizeof x->awake.out, o.awake.out | none, o.awake.out);
    for (unsigned i = 0; i < CREDIT_TICKS; i++)
        CHECK_FACT(c, "crossbar.left", i, x->left[i], o.left[i]);
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
        ready += mask_count(x->in[w].ready);
        ready_outputs += mask_count(x->out[w].ready);
    }
    check_holds(c, "crossbar: ready flits go to different outputs", 0, ready == ready_outputs);
    check_holds(c, "crossbar: an input asks for one VC at most", 0, asks_once(x));
    check_outlook(x, c);
}

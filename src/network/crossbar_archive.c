/* Core crossbar in a checkpoint. */
#include <string.h>

#include "base/archive.h"
#include "network/crossbar.h"

static void archive_word(struct crossbar *x, struct archive *ar, unsigned w)
{
    const struct network_gates *g = x->core.gates;
    struct crossbar_inputs *in = &x->in[w];
    struct crossbar_outputs *out = &x->out[w];
    uint64_t *const of_inputs[] = {&in->occupied, &in->fresh, &in->ready, &in->open, &in->starving};
    uint64_t *const of_outputs[] = {&out->held, &out->ready, &out->crossing, &out->open};
    for (unsigned i = 0; i < sizeof of_inputs / sizeof of_inputs[0]; i++)
        network_archive_word(ar, of_inputs[i], w, g->inputs);
    for (unsigned i = 0; i < sizeof of_outputs / sizeof of_outputs[0]; i++)
        network_archive_word(ar, of_outputs[i], w, g->outputs);
    for (unsigned i = 0; i < CREDIT_TICKS; i++)
        network_archive_word(ar, &out->left[i], w, g->outputs);
}

static void archive_input(struct crossbar *x, struct archive *ar, unsigned i)
{
    struct crossbar_input *in = &x->inputs[i];
    struct tally *behind = &x->in[i >> 6].behind;
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

uint64_t crossbar_asked(const struct crossbar *x, unsigned word)
{
    uint64_t asked = 0;
    for (unsigned i = 0; i < 64; i++)
        for (unsigned w = 0; w < x->core.gates->words; w++)
            asked |= x->waiting[w][64 * word + i] ? BIT64(i) : 0;
    return asked;
}

uint64_t crossbar_some(const uint16_t *counters, unsigned word)
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
        struct crossbar_outputs *out = &x->out[w];
        out->sent = out->left[x->tick % CREDIT_TICKS];
        out->asked = crossbar_asked(x, w);
        out->leaving = crossbar_some(x->late_flits, w);
        x->in[w].owing = crossbar_some(x->late_credits, w);
        crossbar_note_tight(x, w, ports_in_word(core->gates->outputs, w));
    }
    const struct crossbar_outlook o = crossbar_look(x);
    x->alone = false;
    x->awake = o.awake;
    x->busy = o.busy;
    memcpy(x->left, o.left, sizeof x->left);
    core->next = o.next;
}

/* Sequential consistency: every interleaving of the threads' instructions, each state looked at once. */
#include <string.h>

#include "base/strmap.h"
#include "litmus/barriers.h"
#include "litmus/path.h"

#define MOST_STATES 200000u

struct state {
    uint64_t memory[LITMUS_PLACES];
    uint64_t registers[LITMUS_THREADS][LITMUS_REGISTERS];
    uint8_t pc[LITMUS_THREADS], turns[LITMUS_THREADS];
    struct litmus_barriers barriers;
    struct object {
        int16_t pending, tx, phase;
    } objects[LITMUS_OBJECTS];
};

struct interleaving {
    const struct litmus_test *test;
    unsigned turns;
    bool has_barriers;
    uint16_t comes[LITMUS_THREADS][LITMUS_INSTRS + 1]; /* to which barriers a thread may come from an instruction on */
    struct strmap seen;
    struct arena keys;
    struct litmus_verdict *verdict;
};

static bool has_ended(const struct litmus_test *test, const struct state *s, unsigned thread)
{
    return s->pc[thread] >= test->threads[thread].count;
}

/* Barriers */

static uint16_t barriers_of(const struct litmus_instr *i, const uint64_t *registers)
{
    if (i->kind != LITMUS_BARRIER)
        return 0;
    if (i->a.is_register && !registers)
        return UINT16_MAX;
    uint64_t number = litmus_value(registers, i->a);
    return number < LITMUS_BARRIERS ? (uint16_t)(1u << number) : 0;
}

/* From the last instruction to the first, until branches back add nothing. */
static void find_barriers(struct interleaving *in, unsigned thread)
{
    const struct litmus_thread *t = &in->test->threads[thread];
    uint16_t *comes = in->comes[thread];
    for (bool more = true; more;) {
        more = false;
        for (unsigned pc = t->count; pc-- > 0;) {
            const struct litmus_instr *i = &t->instrs[pc];
            uint16_t from = (uint16_t)(comes[pc + 1] | barriers_of(i, NULL));
            if (i->kind == LITMUS_BRANCH)
                from |= comes[i->target];
            more |= from != comes[pc];
            comes[pc] = from;
            in->has_barriers |= from != 0;
        }
    }
}

/* The threads of a block that may still come to a barrier. */
static uint32_t coming_to(const struct interleaving *in, const struct state *s, uint32_t block, unsigned barrier)
{
    uint32_t coming = 0;
    for (; block; block &= block - 1) {
        unsigned t = mask_first(block), pc = s->pc[t];
        if (has_ended(in->test, s, t))
            continue;
        const struct litmus_instr *i = &in->test->threads[t].instrs[pc];
        unsigned may =
            i->kind == LITMUS_BARRIER ? barriers_of(i, s->registers[t]) | in->comes[t][pc + 1] : in->comes[t][pc];
        coming |= may >> barrier & 1 ? 1u << t : 0;
    }
    return coming;
}

static struct litmus_barrier *barrier_of(const struct interleaving *in, struct state *s, unsigned thread)
{
    const struct litmus_instr *i = &in->test->threads[thread].instrs[s->pc[thread]];
    uint64_t number = litmus_value(s->registers[thread], i->a);
    return number < LITMUS_BARRIERS ? &s->barriers.at[litmus_block_number(in->test, thread)][number] : NULL;
}

/* False: the thread waits, and nothing has changed. */
static bool pass_barrier(const struct interleaving *in, struct state *s, unsigned thread)
{
    const struct litmus_instr *i = &in->test->threads[thread].instrs[s->pc[thread]];
    struct litmus_barrier *b = barrier_of(in, s, thread);
    uint64_t threads = litmus_value(s->registers[thread], i->b);
    if (!b)
        return false;
    bool waits = b->waits >> thread & 1;
    unsigned number = (unsigned)litmus_value(s->registers[thread], i->a);
    uint32_t coming = coming_to(in, s, litmus_block_of(in->test, thread), number);
    uint32_t on = waits ? litmus_open(b, threads, coming) : litmus_come(b, thread, i->arrives, threads, coming);
    for (uint32_t rest = on; rest; rest &= rest - 1)
        s->pc[mask_first(rest)]++;
    return on || !waits;
}

static bool pass_late(const struct interleaving *in, struct state *s)
{
    for (unsigned t = 0; t < in->test->thread_count; t++) {
        if (has_ended(in->test, s, t) || in->test->threads[t].instrs[s->pc[t]].kind != LITMUS_BARRIER)
            continue;
        const struct litmus_instr *i = &in->test->threads[t].instrs[s->pc[t]];
        struct litmus_barrier *b = barrier_of(in, s, t);
        if (b && litmus_pass_late(b, t, litmus_value(s->registers[t], i->b))) {
            s->pc[t]++;
            return true;
        }
    }
    return false;
}

/* The phase of an object ends when nothing is missing. */
static void settle_object(const struct litmus_test *test, struct state *s, unsigned number)
{
    struct object *o = &s->objects[number];
    if (!o->pending && !o->tx)
        *o = (struct object){(int16_t)test->objects[number].arrivals, 0, (int16_t)(o->phase ^ 1)};
}

/* False: it waits, or more arrive than may. */
static bool pass_object(const struct litmus_test *test, struct state *s, const struct litmus_instr *i)
{
    struct object *o = &s->objects[i->object];
    if (i->kind == LITMUS_PASS)
        return o->phase != (int)i->parity;
    if (!o->pending)
        return false;
    o->pending--;
    o->tx = (int16_t)(o->tx + i->bytes);
    settle_object(test, s, i->object);
    return true;
}

/* Does a thread's next instruction. False: it cannot go on, or not in a way that is looked at. */
static bool advance(const struct interleaving *in, struct state *s, unsigned thread)
{
    const struct litmus_instr *i = &in->test->threads[thread].instrs[s->pc[thread]];
    unsigned bits = in->test->places[i->place].bits;
    uint64_t *r = s->registers[thread], *at = &s->memory[i->place], a = litmus_value(r, i->a), old = *at;
    switch (i->kind) {
    case LITMUS_LOAD:
        r[i->to] = old;
        break;
    case LITMUS_STORE:
        *at = litmus_fit(a, bits);
        break;
    case LITMUS_ATOMIC:
        *at = litmus_updated(i->update, bits, old, a, litmus_value(r, i->b));
        r[i->to] = old;
        break;
    case LITMUS_SET:
        r[i->to] = litmus_fit(a + litmus_value(r, i->b), in->test->register_bits);
        break;
    case LITMUS_BARRIER:
        return pass_barrier(in, s, thread);
    case LITMUS_BRANCH:
        if (!litmus_branches(i, r))
            break;
        if (i->target <= s->pc[thread] && s->turns[thread]++ == in->turns)
            return false;
        s->pc[thread] = (uint8_t)i->target;
        return true;
    case LITMUS_COPY:
        *at = litmus_fit(s->memory[i->from], bits);
        if (i->signals) {
            s->objects[i->object].tx = (int16_t)(s->objects[i->object].tx - (int)bits / 8);
            settle_object(in->test, s, i->object);
        }
        break;
    case LITMUS_ARRIVE:
    case LITMUS_PASS:
        if (!pass_object(in->test, s, i))
            return false;
        break;
    case LITMUS_FENCE:
    case LITMUS_PROXY_FENCE:
    case LITMUS_AWAIT:
        break;
    }
    s->pc[thread]++;
    return true;
}

static void note_end(struct interleaving *in, const struct state *s)
{
    struct litmus_outcome outcome = {{0}};
    for (unsigned i = 0; i < in->test->term_count; i++) {
        const struct litmus_term *t = &in->test->terms[i];
        outcome.values[i] = t->is_place ? s->memory[t->number] : s->registers[t->thread][t->number];
    }
    litmus_add(&in->verdict->sequential, &outcome, 1);
}

/* The bytes by which a state is told from others. */
static void write_key(const struct interleaving *in, const struct state *s, struct strbuf *key)
{
    const struct litmus_test *test = in->test;
    strbuf_addn(key, (const char *)s->memory, test->place_count * sizeof *s->memory);
    for (unsigned t = 0; t < test->thread_count; t++)
        strbuf_addn(key, (const char *)s->registers[t], test->threads[t].registers * sizeof **s->registers);
    strbuf_addn(key, (const char *)s->pc, test->thread_count);
    strbuf_addn(key, (const char *)s->turns, test->thread_count);
    strbuf_addn(key, (const char *)s->objects, test->object_count * sizeof *s->objects);
    if (in->has_barriers)
        strbuf_addn(key, (const char *)&s->barriers, sizeof s->barriers);
}

/* True once for each state: it is noted as seen. */
static bool is_new(struct interleaving *in, const struct state *s)
{
    struct strbuf key = {0};
    write_key(in, s, &key);
    bool new = strmap_get(&in->seen, strbuf_text(&key), key.length) == STRMAP_NONE;
    if (new && in->seen.count == MOST_STATES)
        in->verdict->complete = new = false;
    if (new)
        strmap_put(&in->seen, arena_strndup(&in->keys, strbuf_text(&key), key.length), key.length, 0);
    strbuf_free(&key);
    return new;
}

static void go_on(struct interleaving *in, const struct state *s)
{
    bool ended = true, moved = false;
    if (!is_new(in, s))
        return;
    for (unsigned i = 0; i < in->test->thread_count; i++) {
        struct state next = *s;
        if (has_ended(in->test, s, i))
            continue;
        ended = false;
        if (advance(in, &next, i)) {
            moved = true;
            go_on(in, &next);
        }
    }
    if (ended) {
        note_end(in, s);
    } else if (!moved) {
        struct state next = *s;
        if (pass_late(in, &next))
            go_on(in, &next);
    }
}

void litmus_interleave(const struct litmus_test *test, unsigned turns, struct litmus_verdict *verdict)
{
    struct interleaving in = {.test = test, .turns = turns, .verdict = verdict};
    struct state s = {.memory = {0}};
    arena_init(&in.keys);
    for (unsigned i = 0; i < test->place_count; i++)
        s.memory[i] = test->places[i].initial;
    for (unsigned i = 0; i < test->object_count; i++)
        s.objects[i].pending = (int16_t)test->objects[i].arrivals;
    for (unsigned i = 0; i < test->thread_count; i++) {
        find_barriers(&in, i);
        memcpy(s.registers[i], test->threads[i].initial, sizeof s.registers[i]);
    }
    go_on(&in, &s);
    strmap_free(&in.seen);
    arena_free(&in.keys);
}

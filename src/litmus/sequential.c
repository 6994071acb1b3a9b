/* Sequential consistency: every interleaving of the threads' instructions, each state looked at once. */
#include "base/strmap.h"
#include "litmus/trace.h"

#define MOST_STATES 200000u

struct state {
    uint32_t memory[LITMUS_PLACES];
    uint32_t registers[LITMUS_THREADS][LITMUS_REGISTERS];
    uint8_t pc[LITMUS_THREADS], turns[LITMUS_THREADS];
};

struct interleaving {
    const struct litmus_test *test;
    unsigned turns;
    struct strmap seen;
    struct arena keys;
    struct litmus_verdict *verdict;
};

static bool has_ended(const struct litmus_test *test, const struct state *s, unsigned thread)
{
    return s->pc[thread] >= test->threads[thread].count;
}

static bool is_at_barrier(const struct litmus_test *test, const struct state *s, unsigned thread, unsigned barrier)
{
    const struct litmus_instr *i = &test->threads[thread].instrs[s->pc[thread]];
    return i->kind == LITMUS_BARRIER && i->barrier == barrier;
}

/* All threads of the block that go on are at the barrier: they pass it. Else nothing happens. */
static bool pass_barrier(const struct litmus_test *test, struct state *s, unsigned thread)
{
    const struct litmus_thread *t = &test->threads[thread];
    uint32_t passing = 0;
    for (unsigned i = 0; i < test->thread_count; i++) {
        if (test->threads[i].cta != t->cta || test->threads[i].gpu != t->gpu || has_ended(test, s, i))
            continue;
        if (!is_at_barrier(test, s, i, t->instrs[s->pc[thread]].barrier))
            return false;
        passing |= 1u << i;
    }
    for (unsigned i = 0; i < test->thread_count; i++)
        s->pc[i] = (uint8_t)(s->pc[i] + (passing >> i & 1));
    return true;
}

/* Does a thread's next instruction. False: it cannot go on, or not in a way that is looked at. */
static bool advance(const struct interleaving *in, struct state *s, unsigned thread)
{
    const struct litmus_instr *i = &in->test->threads[thread].instrs[s->pc[thread]];
    uint32_t *r = s->registers[thread], *at = &s->memory[i->place], a = litmus_value(r, i->a), old = *at;
    switch (i->kind) {
    case LITMUS_LOAD:
        r[i->to] = old;
        break;
    case LITMUS_STORE:
        *at = a;
        break;
    case LITMUS_ATOMIC:
        *at = litmus_updated(i->update, old, a, litmus_value(r, i->b));
        r[i->to] = old;
        break;
    case LITMUS_SET:
        r[i->to] = a + litmus_value(r, i->b);
        break;
    case LITMUS_BARRIER:
        return pass_barrier(in->test, s, thread);
    case LITMUS_BRANCH:
        if (!litmus_branches(i, r))
            break;
        if (i->target <= s->pc[thread] && s->turns[thread]++ == in->turns)
            return false;
        s->pc[thread] = (uint8_t)i->target;
        return true;
    case LITMUS_FENCE:
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

static void go_on(struct interleaving *in, const struct state *s)
{
    const char *key = (const char *)s;
    bool ended = true;
    if (strmap_get(&in->seen, key, sizeof *s) != STRMAP_NONE)
        return;
    if (in->seen.count == MOST_STATES) {
        in->verdict->complete = false;
        return;
    }
    strmap_put(&in->seen, arena_strndup(&in->keys, key, sizeof *s), sizeof *s, 0);
    for (unsigned i = 0; i < in->test->thread_count; i++) {
        struct state next = *s;
        if (has_ended(in->test, s, i))
            continue;
        ended = false;
        if (advance(in, &next, i))
            go_on(in, &next);
    }
    if (ended)
        note_end(in, s);
}

void litmus_interleave(const struct litmus_test *test, unsigned turns, struct litmus_verdict *verdict)
{
    struct interleaving in = {.test = test, .turns = turns, .verdict = verdict};
    struct state s = {0};
    arena_init(&in.keys);
    for (unsigned i = 0; i < test->place_count; i++)
        s.memory[i] = test->places[i].initial;
    for (unsigned i = 0; i < test->thread_count; i++)
        for (unsigned r = 0; r < LITMUS_REGISTERS; r++)
            s.registers[i][r] = test->threads[i].initial[r];
    go_on(&in, &s);
    strmap_free(&in.seen);
    arena_free(&in.keys);
}

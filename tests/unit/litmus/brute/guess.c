#include "brute.h"

/* Outcomes */

static void keep_outcome(struct brute *b, const struct litmus_outcome *outcome)
{
    for (unsigned i = 0; i < b->outcome_count; i++)
        if (!memcmp(&b->outcomes[i], outcome, sizeof *outcome))
            return;
    b->outcomes = realloc(b->outcomes, (b->outcome_count + 1) * sizeof *b->outcomes);
    b->outcomes[b->outcome_count++] = *outcome;
}

/* Any write of a place that no other one follows may be its last. */
static void end_ways(struct brute *b, unsigned term, struct litmus_outcome outcome)
{
    if (term == b->test->term_count) {
        keep_outcome(b, &outcome);
        return;
    }
    const struct litmus_term *t = &b->test->terms[term];
    if (!t->is_place) {
        outcome.values[term] = brute_register_value(b, t->thread, b->test->threads[t->thread].count, t->number);
        end_ways(b, term + 1, outcome);
    }
    for (unsigned w = 0; t->is_place && w < b->count; w++)
        if (b->events[w].kind == WRITE && b->events[w].place == t->number && !b->co.row[w]) {
            outcome.values[term] = b->events[w].value;
            end_ways(b, term + 1, outcome);
        }
}

/* Guesses */

static bool is_transitive(const struct brute *b)
{
    struct relation twice = brute_compose(b, &b->co, &b->co);
    for (unsigned x = 0; x < b->count; x++)
        if ((twice.row[x] & ~b->co.row[x]) || has(&twice, x, x))
            return false;
    return true;
}

/* Every partial order of the writes of each place, initial values first. */
static void guess_coherence(struct brute *b, const struct relation *cause, unsigned x, unsigned y)
{
    for (; x < b->count; x++, y = x + 1)
        for (; y < b->count; y++) {
            const struct event *e = &b->events[x], *f = &b->events[y];
            if (e->kind != WRITE || f->kind != WRITE || e->place != f->place || e->thread == INIT)
                continue;
            struct relation before = b->co;
            guess_coherence(b, cause, x, y + 1);
            put(&b->co, x, y);
            guess_coherence(b, cause, x, y + 1);
            b->co = before;
            put(&b->co, y, x);
            guess_coherence(b, cause, x, y + 1);
            b->co = before;
            return;
        }
    if (is_transitive(b) && brute_is_consistent(b, cause))
        end_ways(b, 0, (struct litmus_outcome){{0}});
}

static void begin_coherence(struct brute *b)
{
    struct relation cause = brute_causality(b);
    memset(&b->co, 0, sizeof b->co);
    PAIRS(b, x, y)
    if (b->events[x].thread == INIT && b->events[y].thread != INIT && b->events[y].kind == WRITE &&
        b->events[x].place == b->events[y].place)
        put(&b->co, x, y);
    guess_coherence(b, &cause, 0, 1);
}

/* Every order of the fences that are left, behind those that are placed. */
static void guess_fences(struct brute *b, set placed, set left)
{
    struct relation before = b->sc;
    if (!left)
        begin_coherence(b);
    for (unsigned f = 0; f < b->count; f++) {
        if (!(left >> f & 1))
            continue;
        for (unsigned p = 0; p < b->count; p++)
            if (placed >> p & 1)
                put(&b->sc, p, f);
        guess_fences(b, placed | 1u << f, left & ~(1u << f));
        b->sc = before;
    }
}

static void begin_fences(struct brute *b)
{
    set fences = 0;
    for (unsigned x = 0; x < b->count; x++)
        if (b->events[x].is_sc)
            fences |= 1u << x;
    memset(&b->sc, 0, sizeof b->sc);
    guess_fences(b, 0, fences);
}

/* The barrier events of a thread are passed in order; next: its first that is not passed. came: events that stand at a
 * barrier which is not open yet, or that have arrived there. */
struct at_barriers {
    set passed, came;
    unsigned phase[LITMUS_THREADS][LITMUS_BARRIERS]; /* by block (its cta) and number */
};

static unsigned next_barrier(const struct brute *b, const struct at_barriers *at, unsigned thread)
{
    for (unsigned x = 0; x < b->count; x++)
        if (b->events[x].kind == BARRIER && b->events[x].thread == thread && !(at->passed >> x & 1))
            return x;
    return INIT;
}

static bool same_barrier(const struct brute *b, unsigned x, unsigned y)
{
    return b->events[y].kind == BARRIER && brute_in_block(b, b->events[x].thread, b->events[y].thread) &&
           b->events[x].number == b->events[y].number;
}

/* Opens the barrier of event x if all have come. */
static void try_open(const struct brute *b, struct at_barriers *at, unsigned x)
{
    unsigned come = 0, to_come = 0;
    for (unsigned y = 0; y < b->count; y++)
        if (same_barrier(b, x, y)) {
            come += at->came >> y & 1;
            to_come += !((at->came | at->passed) >> y & 1);
        }
    /* Without a number, all come that have it, each once in a test here. */
    if (b->events[x].takes ? come < b->events[x].takes : to_come > 0)
        return;
    for (unsigned y = 0; y < b->count; y++)
        if (same_barrier(b, x, y) && at->came >> y & 1) {
            at->came &= ~(1u << y);
            at->passed |= 1u << y;
        }
    at->phase[b->test->threads[b->events[x].thread].cta][b->events[x].number]++;
}

/* Every order in which threads may come. Orders that bring the same threads together are tried again: it is a small
 * world. */
static void guess_meetings(struct brute *b, struct at_barriers at)
{
    bool all = true;
    for (unsigned t = 0; t < b->test->thread_count; t++) {
        unsigned x = next_barrier(b, &at, t);
        if (x == INIT)
            continue;
        all = false;
        if (at.came >> x & 1)
            continue; /* it waits */
        struct at_barriers next = at;
        b->events[x].phase = at.phase[b->test->threads[t].cta][b->events[x].number];
        next.came |= 1u << x;
        try_open(b, &next, x);
        if (!b->events[x].waits)
            next.passed |= 1u << x; /* and is counted among those that came until it opens */
        guess_meetings(b, next);
    }
    if (all)
        begin_fences(b);
}

/* Every write for every read, instruction by instruction. */
void brute_guess(struct brute *b, unsigned thread, unsigned pc)
{
    const struct litmus_test *test = b->test;
    for (; thread < test->thread_count; thread++, pc = 0)
        for (; pc < test->threads[thread].count; pc++) {
            const struct litmus_instr *i = &test->threads[thread].instrs[pc];
            if (i->kind != LITMUS_LOAD && i->kind != LITMUS_ATOMIC)
                continue;
            b->source[thread][pc] = (struct source){INIT, 0};
            brute_guess(b, thread, pc + 1);
            for (unsigned t = 0; t < test->thread_count; t++)
                for (unsigned k = 0; k < test->threads[t].count; k++) {
                    const struct litmus_instr *w = &test->threads[t].instrs[k];
                    if ((w->kind != LITMUS_STORE && w->kind != LITMUS_ATOMIC) || w->place != i->place)
                        continue;
                    b->source[thread][pc] = (struct source){(uint8_t)t, (uint8_t)k};
                    brute_guess(b, thread, pc + 1);
                }
            return;
        }
    if (!brute_find_values(b))
        return;
    brute_list_events(b);
    if (!brute_is_out_of_thin_air(b))
        guess_meetings(b, (struct at_barriers){0});
}

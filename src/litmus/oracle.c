/* The oracle: all executions of a test. A *candidate* is a trace of each thread, a write for every read to take its
 * value from, an order of the fence.sc events and one of the morally strong writes to each place; the axioms say which
 * candidates are executions. Coherence order is no larger than it must be, for more of it only forbids more. */
#include "litmus/execution.h"
#include "litmus/trace.h"

#define MOST_CANDIDATES 300000u
#define MOST_COMBINATIONS 30000000u /* of traces */

struct search {
    const struct litmus_tracing *tracing;
    struct litmus_execution x;
    const struct litmus_trace *chosen[LITMUS_THREADS];
    struct litmus_verdict *verdict;
    uint64_t candidates, combinations;
};

/* False: enough has been looked at. */
static bool count_candidate(struct search *s)
{
    if (s->candidates++ < MOST_CANDIDATES)
        return true;
    s->verdict->complete = false;
    return false;
}

/* Whether a write is the last of its place: none comes behind it in coherence order. */
static bool is_last(const struct litmus_execution *x, unsigned write)
{
    return x->events[write].kind == LITMUS_WRITES && !x->co.row[write];
}

/* An outcome for each way in which unordered last writes may end. */
static void note_outcomes(struct search *s, unsigned term, struct litmus_outcome outcome)
{
    const struct litmus_test *test = s->x.test;
    if (term == test->term_count) {
        litmus_add(&s->verdict->allowed, &outcome, 1);
        return;
    }
    const struct litmus_term *t = &test->terms[term];
    if (!t->is_place) {
        outcome.values[term] = s->chosen[t->thread]->registers[t->number];
        note_outcomes(s, term + 1, outcome);
        return;
    }
    for (unsigned e = 0; e < s->x.count; e++)
        if (is_last(&s->x, e) && s->x.events[e].place == t->number) {
            outcome.values[term] = s->x.events[e].value;
            note_outcomes(s, term + 1, outcome);
        }
}

/* Orders the morally strong writes that are not ordered yet, from pair (a, b) on. */
static void choose_co(struct search *s, unsigned a, unsigned b)
{
    struct litmus_execution *x = &s->x;
    for (; a < x->count; a++, b = a + 1)
        for (; b < x->count; b++) {
            if (x->events[a].kind != LITMUS_WRITES || x->events[b].kind != LITMUS_WRITES ||
                !litmus_related(&x->morally_strong, a, b) || litmus_related(&x->co, a, b) ||
                litmus_related(&x->co, b, a))
                continue;
            struct litmus_relation before = x->co;
            for (unsigned way = 0; way < 2; way++) {
                litmus_relate(&x->co, way ? b : a, way ? a : b);
                litmus_close(&x->co, x->count);
                choose_co(s, a, b + 1);
                x->co = before;
            }
            return;
        }
    if (count_candidate(s) && litmus_allows(x))
        note_outcomes(s, 0, (struct litmus_outcome){{0}});
}

/* Initial values are before all else, and causality order is part of coherence order. */
static void begin_co(struct search *s)
{
    struct litmus_execution *x = &s->x;
    x->co = (struct litmus_relation){{0}};
    for (unsigned a = 0; a < x->count; a++)
        for (unsigned b = 0; b < x->count; b++) {
            const struct litmus_event *e = &x->events[a], *f = &x->events[b];
            if (a != b && e->kind == LITMUS_WRITES && f->kind == LITMUS_WRITES && e->place == f->place &&
                (e->thread == LITMUS_NO_THREAD || litmus_related(&x->cause, a, b)))
                litmus_relate(&x->co, a, b);
        }
    litmus_close(&x->co, x->count);
    choose_co(s, 0, 1);
}

/* Appends one of the fence.sc events that are left to their order. */
static void choose_fences(struct search *s, uint64_t ordered, uint64_t left)
{
    struct litmus_execution *x = &s->x;
    if (!left) {
        litmus_derive(x);
        if (count_candidate(s) && litmus_allows_reads(x))
            begin_co(s);
        return;
    }
    for (uint64_t rest = left; rest; rest &= rest - 1) {
        unsigned fence = mask_first(rest);
        for (uint64_t old = ordered; old; old &= old - 1)
            litmus_relate(&x->fence_sc, mask_first(old), fence);
        choose_fences(s, ordered | BIT64(fence), left & ~BIT64(fence));
        for (uint64_t old = ordered; old; old &= old - 1)
            x->fence_sc.row[mask_first(old)] &= ~BIT64(fence);
    }
}

static void begin_fences(struct search *s)
{
    uint64_t fences = 0;
    for (unsigned e = 0; e < s->x.count; e++)
        if (s->x.events[e].kind == LITMUS_FENCES && s->x.events[e].order == LITMUS_SC)
            fences |= BIT64(e);
    s->x.fence_sc = (struct litmus_relation){{0}};
    choose_fences(s, 0, fences);
}

/* Gives event `read` and those behind it a write to take their values from. */
static void choose_writes(struct search *s, unsigned read)
{
    struct litmus_execution *x = &s->x;
    while (read < x->count && x->events[read].kind != LITMUS_READS)
        read++;
    if (read == x->count) {
        begin_fences(s);
        return;
    }
    for (unsigned w = 0; w < x->count && s->verdict->complete; w++) {
        const struct litmus_event *e = &x->events[w], *f = &x->events[read];
        if (e->kind != LITMUS_WRITES || e->place != f->place || e->value != f->value || litmus_related(&x->po, read, w))
            continue;
        litmus_relate(&x->rf, w, read);
        choose_writes(s, read + 1);
        x->rf.row[w] &= ~BIT64(read);
    }
}

/* The events of the chosen traces, behind the writes of initial values. False: there is no room for them. */
static bool gather(struct search *s)
{
    struct litmus_execution *x = &s->x;
    x->count = x->test->place_count;
    for (unsigned i = 0; i < x->test->thread_count; i++) {
        const struct litmus_trace *trace = s->chosen[i];
        unsigned first = x->count;
        if (first + trace->count > LITMUS_EVENTS)
            return false;
        for (unsigned k = 0; k < trace->count; k++) {
            x->events[first + k] = trace->events[k];
            x->events[first + k].depends_on <<= first;
        }
        x->count += trace->count;
    }
    return true;
}

/* Whether the values of a trace's reads are initial ones, or written by one of the chosen traces. */
static bool has_values(const struct search *s, const struct litmus_trace *trace)
{
    for (unsigned i = 0; i < trace->count; i++) {
        const struct litmus_event *read = &trace->events[i];
        bool found = read->kind != LITMUS_READS || read->value == s->x.test->places[read->place].initial;
        for (unsigned t = 0; t < s->x.test->thread_count && !found; t++)
            for (unsigned k = 0; k < s->chosen[t]->count; k++) {
                const struct litmus_event *e = &s->chosen[t]->events[k];
                found |= e->kind == LITMUS_WRITES && e->place == read->place && e->value == read->value;
            }
        if (!found)
            return false;
    }
    return true;
}

static bool all_have_values(const struct search *s)
{
    for (unsigned i = 0; i < s->x.test->thread_count; i++)
        if (!has_values(s, s->chosen[i]))
            return false;
    return true;
}

static void choose_traces(struct search *s, unsigned thread)
{
    struct litmus_execution *x = &s->x;
    if (thread == x->test->thread_count) {
        if (s->combinations++ == MOST_COMBINATIONS)
            s->verdict->complete = false;
        if (!all_have_values(s))
            return;
        if (!gather(s)) {
            s->verdict->complete = false;
            return;
        }
        litmus_relate_program(x);
        x->rf = (struct litmus_relation){{0}};
        choose_writes(s, 0);
        return;
    }
    const litmus_traces *traces = &s->tracing->traces[thread];
    for (size_t i = 0; i < traces->count && s->verdict->complete; i++) {
        s->chosen[thread] = &traces->items[i];
        choose_traces(s, thread + 1);
    }
}

void litmus_ask(const struct litmus_test *test, unsigned turns, struct litmus_verdict *verdict)
{
    struct litmus_tracing tracing = {.test = test, .turns = turns};
    struct search *s = base_calloc(1, sizeof *s);
    *verdict = (struct litmus_verdict){.complete = true};
    litmus_trace(&tracing);
    s->tracing = &tracing;
    s->verdict = verdict;
    s->x.test = test;
    for (unsigned i = 0; i < test->place_count; i++)
        s->x.events[i] = (struct litmus_event){
            .kind = LITMUS_WRITES, .thread = LITMUS_NO_THREAD, .place = i, .value = test->places[i].initial};
    choose_traces(s, 0);
    verdict->complete &= tracing.complete;
    verdict->unrolled = tracing.unrolled;
    litmus_interleave(test, turns, verdict);
    litmus_tracing_free(&tracing);
    free(s);
}

void litmus_verdict_free(struct litmus_verdict *verdict)
{
    litmus_outcomes_free(&verdict->allowed);
    litmus_outcomes_free(&verdict->sequential);
}

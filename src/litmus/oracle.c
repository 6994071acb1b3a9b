/* The oracle: all executions of a test. A *candidate* is a path of each thread, a write for every read to take its
 * value from, who meets whom at barriers, an order of the fence.sc events and one of the morally strong writes to each
 * place; the axioms say which candidates are executions. Values follow from what is chosen: no value follows from
 * itself (No-Thin-Air), so all are known when every read has its write. Coherence order is no larger than it must be,
 * for more of it only forbids more. */
#include <string.h>

#include "litmus/barriers.h"
#include "litmus/execution.h"
#include "litmus/path.h"

#define MOST_CANDIDATES 300000u
#define MOST_COMBINATIONS 3000000u /* of paths and of writes that are read */
#define NO_EVENT LITMUS_EVENTS

struct search {
    const struct litmus_paths *paths;
    struct litmus_execution x;
    const struct litmus_path *chosen[LITMUS_THREADS];
    unsigned first[LITMUS_THREADS];                       /* the first event of each thread */
    unsigned source[LITMUS_EVENTS];                       /* the write that a read takes its value from, or NO_EVENT */
    uint64_t registers[LITMUS_THREADS][LITMUS_REGISTERS]; /* when the threads have ended */
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

/* True if the write is the last of its place in coherence order. */
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
        outcome.values[term] = s->registers[t->thread][t->number];
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

static void begin_fences(void *context)
{
    struct search *s = context;
    uint64_t fences = 0;
    for (unsigned e = 0; e < s->x.count; e++)
        if (s->x.events[e].kind == LITMUS_FENCES && s->x.events[e].order == LITMUS_SC)
            fences |= BIT64(e);
    s->x.fence_sc = (struct litmus_relation){{0}};
    choose_fences(s, 0, fences);
}

/* Barriers */

/* Each thread's next event at a barrier: NO_EVENT when it has none. */
struct meeting {
    struct litmus_barriers barriers;
    unsigned next[LITMUS_THREADS];
};

static unsigned next_wait(const struct litmus_execution *x, unsigned thread, unsigned from)
{
    for (unsigned e = from; e < x->count; e++)
        if (x->events[e].kind == LITMUS_WAITS && x->events[e].thread == thread)
            return e;
    return NO_EVENT;
}

/* The threads of a block that have yet to come to a barrier. */
static uint32_t coming_to(const struct search *s, const struct meeting *m, uint32_t block, unsigned barrier)
{
    uint32_t coming = 0;
    for (; block; block &= block - 1)
        for (unsigned t = mask_first(block), e = m->next[t]; e != NO_EVENT; e = next_wait(&s->x, t, e + 1))
            coming |= s->x.events[e].place == barrier ? 1u << t : 0;
    return coming;
}

static struct litmus_barrier *barrier_of(const struct search *s, struct meeting *m, unsigned thread)
{
    return &m->barriers.at[litmus_block_number(s->x.test, thread)][s->x.events[m->next[thread]].place];
}

static bool waits(const struct search *s, struct meeting *m, unsigned thread)
{
    return m->next[thread] != NO_EVENT && barrier_of(s, m, thread)->waits >> thread & 1;
}

/* True: a barrier takes fewer threads than come to it, and so the order in which they come decides who meets whom. */
static bool is_contended(const struct search *s, unsigned thread, const struct litmus_event *e)
{
    uint32_t block = litmus_block_of(s->x.test, thread), come = 0;
    for (unsigned i = 0; i < s->x.count; i++)
        if (s->x.events[i].kind == LITMUS_WAITS && block >> s->x.events[i].thread & 1 &&
            s->x.events[i].place == e->place)
            come |= 1u << s->x.events[i].thread;
    return e->value && mask_count(come) > e->value;
}

/* Lets a thread come to its barrier, or open the one at which it waits. False: nobody goes on. */
static bool come(struct search *s, struct meeting *m, unsigned thread)
{
    unsigned event = m->next[thread];
    struct litmus_event *e = &s->x.events[event];
    struct litmus_barrier *b = barrier_of(s, m, thread);
    uint32_t coming = coming_to(s, m, litmus_block_of(s->x.test, thread), e->place), on;
    if (waits(s, m, thread)) {
        on = litmus_open(b, e->value, coming);
    } else {
        e->late = false;
        e->phase = b->phase;
        on = litmus_come(b, thread, e->arrives, e->value, coming);
    }
    for (uint32_t rest = on; rest; rest &= rest - 1)
        m->next[mask_first(rest)] = next_wait(&s->x, mask_first(rest), m->next[mask_first(rest)] + 1);
    return on != 0;
}

/* All that may come in any order. Returns whether somebody came. */
static bool come_in_any_order(struct search *s, struct meeting *m)
{
    bool moved = false;
    for (unsigned t = 0; t < s->x.test->thread_count; t++) {
        if (m->next[t] == NO_EVENT)
            continue;
        if (waits(s, m, t))
            moved |= come(s, m, t);
        else if (!is_contended(s, t, &s->x.events[m->next[t]]))
            come(s, m, t), moved = true;
    }
    return moved;
}

static bool pass_late(struct search *s, struct meeting *m)
{
    for (unsigned t = 0; t < s->x.test->thread_count; t++) {
        unsigned event = m->next[t];
        if (event == NO_EVENT || !litmus_pass_late(barrier_of(s, m, t), t, s->x.events[event].value))
            continue;
        s->x.events[event].late = true;
        s->x.events[event].phase--;
        m->next[t] = next_wait(&s->x, t, event + 1);
        return true;
    }
    return false;
}

/* Who meets whom. A thread that waits for ever ends no execution. */
static void choose_meetings(struct search *s, struct meeting m)
{
    bool ended = true, chosen = false;
    while (come_in_any_order(s, &m)) {
    }
    for (unsigned t = 0; t < s->x.test->thread_count; t++) {
        ended &= m.next[t] == NO_EVENT;
        if (m.next[t] == NO_EVENT || waits(s, &m, t))
            continue;
        struct meeting next = m;
        come(s, &next, t);
        choose_meetings(s, next);
        chosen = true;
    }
    if (ended && s->x.test->object_count)
        litmus_each_phases(&s->x, begin_fences, s);
    else if (ended)
        begin_fences(s);
    else if (!chosen && pass_late(s, &m))
        choose_meetings(s, m);
}

static void begin_meetings(struct search *s)
{
    struct meeting m = {.next = {0}};
    for (unsigned t = 0; t < s->x.test->thread_count; t++)
        m.next[t] = next_wait(&s->x, t, 0);
    for (unsigned e = 0; e < s->x.count; e++)
        if (s->x.events[e].kind == LITMUS_WAITS && s->x.events[e].place >= LITMUS_BARRIERS)
            return;
    choose_meetings(s, m);
}

/* Values */

/* Goes along all paths once more, until nothing more is known. False: a path is not taken with these values. */
static bool learn(struct search *s)
{
    struct litmus_execution *x = &s->x;
    for (bool more = true; more;) {
        more = false;
        for (unsigned t = 0; t < x->test->thread_count; t++)
            if (!litmus_follow(x->test, t, s->chosen[t], &x->events[s->first[t]], s->first[t], s->registers[t]))
                return false;
        for (unsigned e = 0; e < x->count; e++) {
            const struct litmus_event *from = &x->events[s->source[e] == NO_EVENT ? e : s->source[e]];
            if (x->events[e].kind != LITMUS_READS || x->events[e].known || from->kind != LITMUS_WRITES || !from->known)
                continue;
            x->events[e].known = more = true;
            x->events[e].value = from->value;
        }
    }
    return true;
}

static bool all_known(const struct litmus_execution *x)
{
    for (unsigned e = 0; e < x->count; e++)
        if (!x->events[e].known)
            return false;
    return true;
}

/* False: the read's own thread rules the write out, which is behind the read, or is overwritten before it
 * ("SC-per-location"). */
static bool may_read(const struct litmus_execution *x, unsigned read, unsigned write)
{
    const struct litmus_event *r = &x->events[read], *w = &x->events[write];
    if (w->kind != LITMUS_WRITES || w->place != r->place || litmus_related(&x->po_place, read, write))
        return false;
    for (unsigned e = 0; e < read; e++)
        if (x->events[e].kind == LITMUS_WRITES && litmus_related(&x->po_place, e, read) &&
            (w->thread == LITMUS_NO_THREAD || litmus_related(&x->po_place, write, e)))
            return false;
    return true;
}

/* Gives event `read` and those behind it a write to take their values from. */
static void choose_writes(struct search *s, unsigned read)
{
    struct litmus_execution *x = &s->x;
    struct litmus_event before[LITMUS_EVENTS];
    while (read < x->count && x->events[read].kind != LITMUS_READS)
        read++;
    if (read == x->count) {
        if (all_known(x))
            begin_meetings(s);
        return;
    }
    memcpy(before, x->events, x->count * sizeof *before);
    for (unsigned w = 0; w < x->count && s->verdict->complete; w++) {
        if (!may_read(x, read, w))
            continue;
        s->verdict->complete = s->combinations++ < MOST_COMBINATIONS;
        litmus_relate(&x->rf, w, read);
        s->source[read] = w;
        if (learn(s))
            choose_writes(s, read + 1);
        memcpy(x->events, before, x->count * sizeof *before);
        s->source[read] = NO_EVENT;
        x->rf.row[w] &= ~BIT64(read);
    }
}

/* Makes room for the events of the chosen paths, behind the writes of initial values. False: there is none. */
static bool gather(struct search *s)
{
    struct litmus_execution *x = &s->x;
    x->count = x->test->place_count;
    for (unsigned i = 0; i < x->test->thread_count; i++) {
        s->first[i] = x->count;
        x->count += s->chosen[i]->event_count;
        if (x->count > LITMUS_EVENTS)
            return false;
    }
    for (unsigned e = 0; e < x->count; e++) {
        s->source[e] = NO_EVENT;
        if (e >= x->test->place_count)
            x->events[e] = (struct litmus_event){.known = false};
    }
    return true;
}

static void choose_paths(struct search *s, unsigned thread)
{
    struct litmus_execution *x = &s->x;
    if (thread < x->test->thread_count) {
        for (size_t i = 0; i < s->paths->of_thread[thread].count && s->verdict->complete; i++) {
            s->chosen[thread] = &s->paths->of_thread[thread].items[i];
            choose_paths(s, thread + 1);
        }
        return;
    }
    s->verdict->complete = s->combinations++ < MOST_COMBINATIONS && gather(s);
    if (!s->verdict->complete || !learn(s))
        return;
    litmus_relate_program(x);
    x->rf = (struct litmus_relation){{0}};
    choose_writes(s, 0);
}

void litmus_ask(const struct litmus_test *test, unsigned turns, struct litmus_verdict *verdict)
{
    struct litmus_paths paths;
    struct search *s = base_calloc(1, sizeof *s);
    *verdict = (struct litmus_verdict){.complete = true};
    litmus_find_paths(test, turns, &paths);
    s->paths = &paths;
    s->verdict = verdict;
    s->x.test = test;
    for (unsigned i = 0; i < test->place_count; i++)
        s->x.events[i] = (struct litmus_event){.kind = LITMUS_WRITES,
                                               .thread = LITMUS_NO_THREAD,
                                               .place = i,
                                               .address = i,
                                               .value = test->places[i].initial,
                                               .known = true};
    choose_paths(s, 0);
    verdict->complete &= paths.complete;
    verdict->unrolled = paths.unrolled;
    litmus_interleave(test, turns, verdict);
    litmus_paths_free(&paths);
    free(s);
}

void litmus_verdict_free(struct litmus_verdict *verdict)
{
    litmus_outcomes_free(&verdict->allowed);
    litmus_outcomes_free(&verdict->sequential);
}

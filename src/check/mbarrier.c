/* The search over states of mbarriers: all of them, breadth first, so that a fault is told by as few events as there
 * can be. Where a state has no event, all must have ended, so a lost wake-up is seen there. Where waits may end in vain
 * there is always an event; then from every state an end must be within reach, by whatever events. */
#include "check/mbarrier.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "check/mbarrier_model.h"
#include "check/seen.h"

struct edge {
    uint32_t from, to;
};

struct search {
    const struct mbarrier_setup *setup;
    struct checker_result *result;
    struct mbarrier_model m;
    struct seen seen;
    VEC(struct mbarrier_state) states;
    VEC(struct edge) edges;
    VEC(uint32_t) quiet;
    uint32_t faulty; /* the state in which something is wrong, or from which `event` leads to it */
    mbarrier_event event;
    bool has_event;
};

static uint32_t note(struct search *s, uint32_t parent, mbarrier_event event)
{
    bool is_new;
    uint32_t number = seen_add(&s->seen, (const uint8_t *)&s->m.s, sizeof s->m.s, &is_new);
    if (is_new) {
        s->seen.parent[number] = parent;
        s->seen.event[number] = event;
        vec_push(&s->states, s->m.s);
    }
    return number;
}

static bool found(struct search *s, uint32_t state, mbarrier_event event, bool has_event)
{
    s->faulty = state;
    s->event = event;
    s->has_event = has_event;
    s->result->verdict = CHECKER_FAULT;
    return false;
}

/* All events of a state. Returns false when something is wrong. */
static bool expand(struct search *s, uint32_t state)
{
    mbarrier_event events[MBARRIER_EVENTS];
    s->m.s = s->states.items[state];
    unsigned count = mbarrier_events(&s->m, events);
    if (!count) {
        mbarrier_check_end(&s->m);
        if (s->m.wrong)
            return found(s, state, 0, false);
        vec_push(&s->quiet, state);
    }
    for (unsigned i = 0; i < count; i++) {
        s->m.s = s->states.items[state];
        mbarrier_run(&s->m, events[i]);
        s->result->transitions++;
        if (s->m.wrong)
            return found(s, state, events[i], true);
        struct edge edge = {state, note(s, state, events[i])};
        vec_push(&s->edges, edge);
    }
    return true;
}

static void explore(struct search *s)
{
    uint32_t end = 1; /* of the layer */
    note(s, SEEN_NONE, 0);
    for (uint32_t state = 0; state < s->seen.count; state++) {
        if (state == end) {
            s->result->depth++;
            end = s->seen.count;
        }
        if (s->setup->states && s->seen.count > s->setup->states) {
            s->result->limit = "states";
            return;
        }
        if (!expand(s, state))
            return;
    }
    s->result->verdict = CHECKER_PROVED;
}

static int by_target(const void *a, const void *b)
{
    const struct edge *e = a, *f = b;
    return e->to != f->to ? (e->to < f->to ? -1 : 1) : 0;
}

/* The first edge that leads to a state, or to a later one. */
static size_t edges_to(const struct search *s, uint32_t state)
{
    size_t low = 0, high = s->edges.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->edges.items[middle].to < state)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From every state some way leads to an end. */
static void check_ends(struct search *s)
{
    bool *ends = base_calloc(s->seen.count, sizeof *ends);
    qsort(s->edges.items, s->edges.count, sizeof *s->edges.items, by_target);
    for (size_t i = 0; i < s->quiet.count; i++)
        ends[s->quiet.items[i]] = true;
    for (size_t i = 0; i < s->quiet.count; i++)
        for (size_t k = edges_to(s, s->quiet.items[i]); k < s->edges.count && s->edges.items[k].to == s->quiet.items[i];
             k++)
            if (!ends[s->edges.items[k].from]) {
                ends[s->edges.items[k].from] = true;
                vec_push(&s->quiet, s->edges.items[k].from);
            }
    for (uint32_t state = 0; state < s->seen.count && s->result->verdict == CHECKER_PROVED; state++)
        if (!ends[state]) {
            strbuf_add(&s->m.fault, "threads wait again and again, and no way leads to an end");
            found(s, state, 0, false);
        }
    free(ends);
}

/* The events from the first state on, run again. */
static void tell(struct search *s)
{
    VEC(mbarrier_event) events = {0};
    if (s->has_event)
        vec_push(&events, s->event);
    for (uint32_t i = s->faulty; s->seen.parent[i] != SEEN_NONE; i = s->seen.parent[i])
        vec_push(&events, s->seen.event[i]);
    strbuf_add(&s->result->fault, strbuf_text(&s->m.fault));
    s->m.story = &s->result->trace;
    mbarrier_begin(&s->m);
    for (size_t i = events.count; i-- > 0;) {
        strbuf_addf(&s->result->trace, "%4u  ", (unsigned)(events.count - i));
        mbarrier_run(&s->m, events.items[i]);
        strbuf_add(&s->result->trace, "\n");
    }
    s->m.story = NULL;
    vec_free(&events);
}

int mbarrier_check(const struct mbarrier_setup *setup, struct checker_result *result, struct diag_sink *sink)
{
    struct search s = {.setup = setup, .result = result, .m.setup = setup};
    *result = (struct checker_result){.verdict = CHECKER_STOPPED};
    if (mbarrier_read_program(setup->program, &s.m.program, sink) < 0)
        return -1;
    seen_init(&s.seen);
    mbarrier_begin(&s.m);
    explore(&s);
    result->states = s.seen.count;
    result->quiet = s.quiet.count;
    if (result->verdict == CHECKER_PROVED)
        check_ends(&s);
    if (result->verdict == CHECKER_FAULT)
        tell(&s);
    seen_free(&s.seen);
    vec_free(&s.states);
    vec_free(&s.edges);
    vec_free(&s.quiet);
    strbuf_free(&s.m.fault);
    return 0;
}

/* The search: all states, breadth first, so that a fault is found by as few events as there can be.
 *
 * Two things are shown about progress. In each state in which an access is under way something can happen that goes on
 * with what was begun: that is looked for in every state. And whoever goes on always comes to an end: of each state one
 * such event is remembered, the first that leads to another state, and the way by these events leads to a state in
 * which no access is under way. It is followed for all states when the search is over. So from every state all accesses
 * can end, whatever threads may still begin. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "check/layer.h"
#include "check/seen.h"
#include "check/model.h"

struct search {
    const struct checker_setup *setup;
    struct checker_result *result;
    struct model *w;
    struct seen seen;
    struct layer now, next;
    uint32_t faulty; /* the state from which `event` leads to a fault, or SEEN_NONE */
    model_event event;
    bool has_event;
};

/* The state that the model is in, in its canonical form: its number. */
static uint32_t note(struct search *s, uint32_t parent, model_event event)
{
    uint8_t bytes[MODEL_BYTES], caches[CHECKER_CACHES], lines[CHECKER_LINES];
    uint32_t size = model_pack(s->w, bytes, caches, lines);
    bool is_new;
    if (s->w->wrong)
        return SEEN_NONE;
    uint32_t number = seen_add(&s->seen, bytes, size, &is_new);
    if (!is_new)
        return number;
    s->seen.parent[number] = parent;
    s->seen.event[number] = event;
    layer_push(&s->next, bytes, size);
    return number;
}

static void found(struct search *s, uint32_t state, model_event event, bool has_event)
{
    s->faulty = state;
    s->event = event;
    s->has_event = has_event;
    s->result->verdict = CHECKER_FAULT;
}

/* One event of a state. Returns false when it leads to a fault. */
static bool follow(struct search *s, uint32_t state, const uint8_t *bytes, model_event event, bool internal)
{
    struct model *w = s->w;
    model_unpack(w, bytes);
    model_run(w, event);
    model_check(w);
    s->result->transitions++;
    if (w->wrong) {
        found(s, state, event, true);
        return false;
    }
    uint32_t number = note(s, state, event);
    if (w->wrong) {
        found(s, state, event, true);
        return false;
    }
    if (internal && s->seen.onwards[state] == SEEN_NONE && number != state)
        s->seen.onwards[state] = number;
    return true;
}

static bool expand(struct search *s, uint32_t state, const uint8_t *bytes)
{
    model_event events[MODEL_EVENTS];
    unsigned internal;
    model_unpack(s->w, bytes);
    bool done = model_is_done(s->w);
    s->result->quiet += done && model_is_quiet(s->w);
    unsigned count = model_events(s->w, events, &internal);
    for (unsigned i = 0; i < count; i++)
        if (!follow(s, state, bytes, events[i], i < internal))
            return false;
    if (done || s->seen.onwards[state] != SEEN_NONE)
        return true;
    model_unpack(s->w, bytes);
    model_fault(s->w, "deadlock: an access is under way, and nothing that was begun can go on");
    found(s, state, 0, false);
    return false;
}

static bool has_enough(const struct search *s)
{
    return s->seen.count >= (s->setup->states ? s->setup->states : UINT32_MAX / 4);
}

static const char *limit_of(const struct search *s)
{
    const struct checker_setup *p = s->setup;
    uint64_t bytes = seen_bytes(&s->seen) + layer_bytes(&s->now) + layer_bytes(&s->next);
    if (p->memory && bytes > p->memory)
        return "memory";
    if (p->depth && s->result->depth >= p->depth)
        return "depth";
    if (has_enough(s))
        return "states";
    return NULL;
}

#define PROGRESS_STATES 65536u

/* All states of a layer. Returns false when the search is over. */
static bool expand_layer(struct search *s, uint32_t *first)
{
    for (const uint8_t *state; (state = layer_next(&s->now)) != NULL;) {
        if (!expand(s, (*first)++, state))
            return false;
        if (*first % PROGRESS_STATES && !has_enough(s))
            continue;
        s->result->limit = limit_of(s);
        if (s->setup->progress && s->setup->progress(s->setup->context, s->seen.count, s->result->depth))
            s->result->limit = "interrupt";
        if (s->result->limit)
            return false;
    }
    return true;
}

static void search(struct search *s)
{
    uint32_t first = 0;
    model_check(s->w);
    note(s, SEEN_NONE, 0);
    while (first < s->seen.count) {
        struct layer last = s->now;
        s->now = s->next;
        s->next = last;
        layer_read(&s->now);
        if (!expand_layer(s, &first))
            return;
        s->result->depth++;
        s->result->limit = first < s->seen.count ? limit_of(s) : NULL;
        if (s->result->limit)
            return;
    }
    s->result->verdict = CHECKER_PROVED;
}

/* Progress: the way onwards of every state ends. */
static void check_ways(struct search *s)
{
    uint32_t count = s->seen.count, *met = base_calloc(count, sizeof *met);
    for (uint32_t i = 0; i < count && s->result->verdict == CHECKER_PROVED; i++) {
        uint32_t at = i;
        for (; at != SEEN_NONE && !met[at]; at = s->seen.onwards[at])
            met[at] = i + 1;
        if (at == SEEN_NONE || met[at] != i + 1)
            continue;
        model_fault(s->w,
                    "livelock: by going on with what was begun, a state comes back in which an access is under way");
        found(s, at, 0, false);
    }
    free(met);
}

/* The trace: the events from the first state, run again. Each state is met in its canonical form; `names` says what its
 * caches and lines were called in the first one. */

static void rename_all(uint8_t *names, const uint8_t *to, unsigned count)
{
    uint8_t old[CHECKER_CACHES];
    memcpy(old, names, count);
    for (unsigned i = 0; i < count; i++)
        names[to[i]] = old[i];
}

static void tell_event(struct search *s, model_event event, unsigned number)
{
    uint8_t bytes[MODEL_BYTES], caches[CHECKER_CACHES], lines[CHECKER_LINES];
    struct strbuf *out = &s->result->trace;
    strbuf_addf(out, "%4u  ", number);
    s->w->story = out;
    model_run(s->w, event);
    model_check(s->w);
    model_pack(s->w, bytes, caches, lines);
    s->w->story = NULL;
    strbuf_add(out, "\n");
}

static void tell(struct search *s)
{
    VEC(model_event) events = {0};
    struct model *w = s->w;
    uint8_t caches[CHECKER_CACHES], lines[CHECKER_LINES], bytes[MODEL_BYTES], to[CHECKER_CACHES],
        line_to[CHECKER_LINES];
    if (s->has_event)
        vec_push(&events, s->event);
    for (uint32_t i = s->faulty; s->seen.parent[i] != SEEN_NONE; i = s->seen.parent[i])
        vec_push(&events, s->seen.event[i]);
    for (uint8_t i = 0; i < CHECKER_CACHES; i++)
        caches[i] = i;
    for (uint8_t i = 0; i < CHECKER_LINES; i++)
        lines[i] = i;
    bool was_wrong = w->wrong;
    struct strbuf fault = w->fault;
    w->fault = (struct strbuf){0};
    struct model_program program = w->program;
    model_free(w);
    model_init(w, s->setup, &program);
    w->names = caches;
    w->line_names = lines;
    for (size_t i = events.count; i-- > 0;) {
        model_pack(w, bytes, to, line_to);
        rename_all(caches, to, s->setup->caches);
        rename_all(lines, line_to, s->setup->lines);
        model_unpack(w, bytes);
        tell_event(s, events.items[i], (unsigned)(events.count - i));
    }
    strbuf_add(&s->result->fault, w->wrong ? strbuf_text(&w->fault) : was_wrong ? strbuf_text(&fault) : "");
    strbuf_free(&fault);
    vec_free(&events);
}

static void sum_up(struct search *s)
{
    s->result->states = s->seen.count;
    for (unsigned c = 0; c < s->setup->caches; c++)
        coherence_collect(&s->result->agent, &s->w->agents[c].side);
    coherence_collect(&s->result->directory, &s->w->directory.side);
}

void checker_defaults(struct checker_setup *s)
{
    s->program = s->program ? s->program : "lock";
    s->caches = s->caches ? s->caches : 2;
    s->lines = s->lines ? s->lines : 2;
    s->sets = s->sets ? s->sets : 1;
    s->ways = s->ways ? s->ways : s->sets == 1 && s->lines > 1 ? s->lines - 1 : 1;
    s->fills = s->fills ? s->fills : 1;
    s->merges = s->merges ? s->merges : MODEL_THREADS;
    s->stores = s->stores ? s->stores : 1;
    s->requests = s->requests ? s->requests : AGENT_ROOM + 1;
    s->replies = s->replies ? s->replies : s->caches;
    s->l2sets = s->l2sets ? s->l2sets : 1;
    s->places = s->places ? s->places : s->l2sets == 1 && s->lines > 1 ? s->lines - 1 : 1;
    s->slices = s->slices ? s->slices : s->lines;
    s->values = s->values ? s->values : 2;
}

static int check_setup(const struct checker_setup *s, struct diag_sink *sink)
{
    if (!s->protocol->registration)
        return diag_error(sink, DIAG_NOWHERE, "lockstep protocols lists them",
                          "protocol %s has no agents: its L1s keep nothing that they have written", s->protocol->name);
    if (s->caches > CHECKER_CACHES || s->lines > CHECKER_LINES || s->ways > 4 || s->fills > 4 || s->requests > 16 ||
        s->slices > s->lines || s->replies > MODEL_REPLIES / 2 || s->values > 100 || s->accesses > 200)
        return diag_error(sink, DIAG_NOWHERE, NULL, "a number is too large to be checked");
    if (s->sets & (s->sets - 1) || s->l2sets & (s->l2sets - 1) || s->sets > 4 || s->l2sets > 4)
        return diag_error(sink, DIAG_NOWHERE, NULL, "L1s and the L2 have 1, 2 or 4 sets");
    return 0;
}

int checker_run(const struct checker_setup *setup, struct checker_result *result, struct diag_sink *sink)
{
    struct model_program program;
    *result = (struct checker_result){.verdict = CHECKER_STOPPED};
    if (check_setup(setup, sink) < 0 || model_program_of(setup, &program, sink) < 0)
        return -1;
    struct search s = {.setup = setup, .result = result, .faulty = SEEN_NONE};
    s.w = base_calloc(1, sizeof *s.w);
    model_init(s.w, setup, &program);
    seen_init(&s.seen);
    search(&s);
    if (result->verdict == CHECKER_PROVED)
        check_ways(&s);
    sum_up(&s);
    if (result->verdict == CHECKER_FAULT)
        tell(&s);
    layer_free(&s.now);
    layer_free(&s.next);
    seen_free(&s.seen);
    model_free(s.w);
    free(s.w);
    return 0;
}

void checker_free(struct checker_result *result)
{
    strbuf_free(&result->fault);
    strbuf_free(&result->trace);
}

/* The tables of the coherence protocols say what happens in every case, and nothing that the controllers could not do;
 * and the short way that a controller takes where a table allows it does what stepping the table does. */
#include "memory_fixture.h"

#include "base/hash.h"
#include "isa/mod_values.h"
#include "isa/op.h"
#include "memory/l1.h"
#include "memory/slice.h"

/* Tables */

/* What cannot happen under a protocol, so that its table has no row for it. */
static const struct {
    const char *protocol, *side;
    unsigned event;
    const char *reason;
} impossible[] = {
    {"bypass", "L1", L1_FILL_EVENT, "no row of its L1 fetches, so nothing that was fetched comes"},
    {"bypass", "L1", L1_PROBE_EVENT, "no row of its L2 probes"},
    {"gpu", "L1", L1_PROBE_EVENT, "no row of its L2 probes"},
};

/* The actions that a controller can take at an event: one of the first ones, which can be refused, and others. Probes
 * go before any of them. */
struct meaning {
    uint64_t first, rest; /* sets */
};
#define BIT(action) COHERENCE_BIT(action)

static const struct meaning l1_meanings[L1_EVENTS] = {
    [L1_LOAD_EVENT] = {BIT(L1_SERVE) | BIT(L1_FETCH) | BIT(L1_JOIN) | BIT(L1_PASS), 0},
    [L1_LOAD_PAST_EVENT] = {BIT(L1_PASS), 0},
    [L1_LOAD_STRONG_EVENT] = {BIT(L1_PASS), 0},
    [L1_LOAD_OWN_EVENT] = {BIT(L1_SERVE) | BIT(L1_FETCH) | BIT(L1_JOIN) | BIT(L1_PASS), 0},
    [L1_STORE_EVENT] = {BIT(L1_KEEP) | BIT(L1_SEND), 0},
    [L1_STORE_OWN_EVENT] = {BIT(L1_KEEP) | BIT(L1_SEND), 0},
    [L1_ATOMIC_EVENT] = {BIT(L1_PASS), 0},
    [L1_ATOMIC_KEEP_EVENT] = {BIT(L1_PASS), 0},
    [L1_PROBE_EVENT] = {BIT(L1_ACKNOWLEDGE), 0},
    [L1_FILL_EVENT] = {0, BIT(L1_INSTALL) | BIT(L1_WAKE)},
};

static const struct meaning l2_meanings[L2_EVENTS] = {
    [L2_READ_EVENT] = {BIT(L2_TOUCH) | BIT(L2_FETCH) | BIT(L2_JOIN), BIT(L2_PROBE) | BIT(L2_READ) | BIT(L2_ANSWER)},
    [L2_ATOMIC_EVENT] = {BIT(L2_TOUCH) | BIT(L2_FETCH) | BIT(L2_JOIN),
                         BIT(L2_PROBE) | BIT(L2_PERFORM) | BIT(L2_DIRTY) | BIT(L2_ANSWER)},
    [L2_STORE_EVENT] = {BIT(L2_KEEP) | BIT(L2_PASS), BIT(L2_PROBE) | BIT(L2_MERGE) | BIT(L2_ANSWER)},
    [L2_STORE_FETCH_EVENT] = {BIT(L2_KEEP) | BIT(L2_PASS_FETCH), BIT(L2_PROBE) | BIT(L2_MERGE) | BIT(L2_ANSWER)},
    [L2_STORE_LAZY_EVENT] = {BIT(L2_KEEP), BIT(L2_PROBE) | BIT(L2_MERGE) | BIT(L2_ANSWER)},
    [L2_STORE_THROUGH_EVENT] = {BIT(L2_PASS), BIT(L2_PROBE) | BIT(L2_MERGE)},
    [L2_FILL_EVENT] = {0, BIT(L2_INSTALL)},
    [L2_READ_WOKEN_EVENT] = {0, BIT(L2_ANSWER)},
    [L2_ATOMIC_WOKEN_EVENT] = {0, BIT(L2_DIRTY) | BIT(L2_ANSWER)},
};

struct side {
    const struct coherence_words *words;
    unsigned events;
    const struct meaning *meanings;
};
static const struct side sides[] = {
    {&coherence_l1_words, L1_EVENTS, l1_meanings},
    {&coherence_l2_words, L2_EVENTS, l2_meanings},
};

static const struct coherence_table *table_of(const struct coherence_protocol *p, unsigned side)
{
    return side == 0 ? &p->l1 : p->l2;
}

/* The states of the side's lines are presences. An L1 that keeps what it has written has others. */
static bool has_presences(const struct coherence_protocol *p, unsigned side)
{
    return side == 1 || !p->registration;
}

static const char *why_impossible(const char *protocol, const char *side, unsigned event)
{
    for (unsigned i = 0; i < sizeof impossible / sizeof impossible[0]; i++)
        if (!strcmp(impossible[i].protocol, protocol) && !strcmp(impossible[i].side, side) &&
            impossible[i].event == event)
            return impossible[i].reason;
    return NULL;
}

/* Rows for a state and an event. */
static unsigned rows_for(const struct coherence_table *t, unsigned state, unsigned event)
{
    unsigned count = 0;
    for (unsigned i = 0; i < t->count; i++)
        count += t->rows[i].event == event && (t->rows[i].state == state || t->rows[i].state == COHERENCE_ANY);
    return count;
}

static void test_every_case_has_one_row(void **unused)
{
    unsigned protocols = 0;
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++, protocols++)
        for (unsigned i = 0; i < 2; i++)
            for (unsigned event = 0; event < sides[i].events; event++)
                for (unsigned state = 0; state < CACHE_PRESENCES && has_presences(*p, i); state++) {
                    const struct coherence_words *words = sides[i].words;
                    unsigned found = rows_for(table_of(*p, i), state, event);
                    unsigned wanted = why_impossible((*p)->name, words->side, event) == NULL;
                    if (found != wanted)
                        fail_msg("%s, %s, %s in %s: %u rows, not %u", (*p)->name, words->side,
                                 words->events[event].word, words->states[state].word, found, wanted);
                }
    assert_true(protocols >= 2);
}

/* Of sides with states of their own, no case has two rows, and every row stays within the words. */
static void test_no_case_has_two_rows(void **unused)
{
    const struct coherence_words *words;
    unsigned tables = 0;
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++)
        for (unsigned side = 0; side < COHERENCE_SIDES; side++) {
            const struct coherence_table *t = coherence_side_of(*p, side, &words);
            unsigned states = 0, events = 0;
            while (t && words->states[states].word)
                states++;
            while (t && words->events[events].word)
                events++;
            for (unsigned r = 0; t && r < t->count; r++) {
                const struct coherence_row *row = &t->rows[r];
                bool known = (row->state < states || row->state == COHERENCE_ANY) && row->event < events &&
                             (row->next < states || row->next == COHERENCE_ANY);
                if (!known || rows_for(t, row->state, row->event) != 1)
                    fail_msg("%s, %s: row %u", (*p)->name, words->side, r);
            }
            tables += t != NULL;
        }
    assert_true(tables > 10);
}

/* Where no fill can come, nothing is fetched, and where no probe can, nobody probes. */
static void test_what_is_asked_for_comes(void **unused)
{
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++) {
        const char *name = (*p)->name;
        if ((*p)->registration)
            continue;
        assert_int_equal(coherence_table_has(&(*p)->l1, L1_FETCH), why_impossible(name, "L1", L1_FILL_EVENT) == NULL);
        assert_int_equal(coherence_table_has((*p)->l2, L2_PROBE), why_impossible(name, "L1", L1_PROBE_EVENT) == NULL);
    }
}

static bool meant(const struct side *side, const struct coherence_row *row)
{
    const struct meaning *m = &side->meanings[row->event];
    uint64_t set = coherence_set(row->actions), first = set & m->first;
    if (set & ~(m->first | m->rest) || first & (first - 1) || (m->first && !first))
        return false;
    return !coherence_row_fault(side->words, row);
}

static void test_actions_have_a_meaning_where_they_are(void **unused)
{
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++)
        for (unsigned i = 0; i < 2; i++)
            for (unsigned r = 0; r < table_of(*p, i)->count; r++) {
                const struct coherence_row *row = &table_of(*p, i)->rows[r];
                if (row->state > COHERENCE_ANY || row->next > COHERENCE_ANY || row->event >= sides[i].events ||
                    !meant(&sides[i], row))
                    fail_msg("%s, %s: row %u", (*p)->name, sides[i].words->side, r);
            }
}

/* Whoever asks the L2 is answered once: now, when a fill has come, or by the DRAM. */
static void test_the_l2_answers_once(void **unused)
{
    const uint64_t later = BIT(L2_FETCH) | BIT(L2_JOIN) | BIT(L2_PASS) | BIT(L2_PASS_FETCH);
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++)
        for (unsigned r = 0; r < (*p)->l2->count; r++) {
            const struct coherence_row *row = &(*p)->l2->rows[r];
            uint64_t set = coherence_set(row->actions);
            bool now = set & BIT(L2_ANSWER), then = set & later;
            if (row->event != L2_FILL_EVENT && now == then)
                fail_msg("%s: row %u", (*p)->name, r);
        }
}

/* An action for a state that cannot be taken there, or two that can be refused, are found. */
static void test_rows_without_meaning_are_found(void **unused)
{
    const struct coherence_row wrong[] = {
        {CACHE_ABSENT, L1_LOAD_EVENT, CACHE_ABSENT, COHERENCE_DO(L1_SERVE)},
        {CACHE_ABSENT, L1_LOAD_EVENT, CACHE_THERE, COHERENCE_DO(L1_FETCH)},
        {CACHE_ABSENT, L1_LOAD_EVENT, CACHE_COMING, COHERENCE_DO(L1_FETCH, L1_PASS)},
        {CACHE_ABSENT, L1_LOAD_EVENT, CACHE_COMING, COHERENCE_DO(L1_FETCH, L1_WAKE)},
        {CACHE_ABSENT, L1_STORE_EVENT, CACHE_ABSENT, 0},
        {COHERENCE_ANY, L1_STORE_EVENT, CACHE_WRITTEN, COHERENCE_DO(L1_KEEP)},
        {COHERENCE_ANY, L1_FILL_EVENT, COHERENCE_ANY, COHERENCE_DO(L1_INSTALL, L1_WAKE, L1_SEND)},
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(meant(&sides[0], &wrong[i]));
}

/* A next state that is not what the actions make of the line is a fault of its row, on each side. */
static void test_contradictions_are_found(void **unused)
{
    static const struct {
        const struct coherence_words *words;
        struct coherence_row row;
        const char *fault;
    } rows[] = {
        {&coherence_l1_words, {CACHE_THERE, L1_LOAD_EVENT, CACHE_COMING, COHERENCE_DO(L1_SERVE)}, "brings"},
        {&coherence_l1_words, {CACHE_ABSENT, L1_LOAD_EVENT, CACHE_ABSENT, COHERENCE_DO(L1_FETCH)}, "other than"},
        {&coherence_l1_words, {CACHE_ABSENT, L1_LOAD_EVENT, COHERENCE_ANY, COHERENCE_DO(L1_FETCH)}, "other than"},
        {&coherence_l1_words, {CACHE_THERE, L1_STORE_OWN_EVENT, CACHE_THERE, COHERENCE_DO(L1_KEEP)}, "other than"},
        {&coherence_l1_words, {CACHE_THERE, L1_LOAD_EVENT, CACHE_ABSENT, COHERENCE_DO(L1_SERVE)}, NULL},
        {&coherence_l2_words,
         {CACHE_THERE, L2_ATOMIC_EVENT, CACHE_WRITTEN, COHERENCE_DO(L2_TOUCH, L2_PERFORM, L2_ANSWER)},
         "brings"},
        {&coherence_l2_words,
         {CACHE_THERE, L2_ATOMIC_EVENT, CACHE_WRITTEN, COHERENCE_DO(L2_PERFORM, L2_TOUCH, L2_DIRTY, L2_ANSWER)},
         "behind one that cannot"},
        {&coherence_l2_words, {CACHE_THERE, L2_STORE_EVENT, CACHE_WRITTEN, UINT64_C(200)}, "does not have"},
        {&coherence_agent_words,
         {AGENT_I, AGENT_STORE_EVENT, AGENT_A, COHERENCE_DO(AGENT_DO_KEEP, AGENT_DO_HOLD)},
         "brings"},
        {&coherence_agent_words, {AGENT_R, AGENT_RECALL_EVENT, AGENT_P, COHERENCE_DO(AGENT_DO_WAIT)}, "brings"},
        {&coherence_agent_words, {AGENT_I, AGENT_LOAD_EVENT, AGENT_V, COHERENCE_DO(AGENT_DO_FETCH)}, "other than"},
        {&coherence_agent_words, {AGENT_I, AGENT_LOAD_EVENT, AGENT_F, COHERENCE_DO(AGENT_DO_SERVE)}, "row's state"},
        {&coherence_directory_words,
         {DIRECTORY_R, DIRECTORY_PUTM_EVENT, DIRECTORY_N, COHERENCE_DO(DIRECTORY_DO_MERGE, DIRECTORY_DO_ANSWER)},
         "brings"},
        {&coherence_directory_words,
         {DIRECTORY_N, DIRECTORY_REGISTER_EVENT, DIRECTORY_N, COHERENCE_DO(DIRECTORY_DO_GO, DIRECTORY_DO_OWN)},
         "other than"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *fault = coherence_row_fault(rows[i].words, &rows[i].row);
        if (rows[i].fault ? !fault || !strstr(fault, rows[i].fault) : fault != NULL)
            fail_msg("row %u: %s", i, fault ? fault : "no fault");
    }
}

/* No row of what is shipped has a fault; a second row for a case is one. */
static void test_tables_have_no_fault(void **unused)
{
    const struct coherence_words *words;
    const struct coherence_row *row;
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++)
        for (unsigned side = 0; side < COHERENCE_SIDES; side++) {
            const struct coherence_table *t = coherence_side_of(*p, side, &words);
            const char *fault = t ? coherence_table_fault(words, t, &row) : NULL;
            if (fault)
                fail_msg("%s, %s: row %u: %s", (*p)->name, words->side, (unsigned)(row - t->rows), fault);
        }
    const struct coherence_row twice[] = {
        {CACHE_ABSENT, L1_STORE_EVENT, CACHE_ABSENT, COHERENCE_DO(L1_SEND)},
        {COHERENCE_ANY, L1_STORE_EVENT, CACHE_ABSENT, COHERENCE_DO(L1_SEND)},
    };
    const struct coherence_table table = {twice, 2};
    assert_string_equal(coherence_table_fault(&coherence_l1_words, &table, &row),
                        "a second row for a state and an event");
    assert_ptr_equal(row, &twice[1]);
}

/* Every row of every table, and some that no table has, is gone through as it stands: action by action, up to the one
 * that is refused, then its next state, and only then is it counted. */
struct heard {
    uint64_t actions; /* in a list, as of a row */
    unsigned count, refuses, next;
};

static bool hear_action(void *environment, unsigned action)
{
    struct heard *h = environment;
    if (h->count == h->refuses)
        return false;
    h->actions |= (uint64_t)action << 8 * h->count++;
    return true;
}

static void hear_next(void *environment, unsigned next)
{
    ((struct heard *)environment)->next = next;
}

static void expect_heard(struct coherence_side *side, const struct coherence_row *row, unsigned number)
{
    enum { NOT_ENTERED = 99 };
    unsigned length = 0;
    for (uint64_t rest = row->actions; rest; rest >>= 8)
        length++;
    for (unsigned refuses = 0; refuses <= length; refuses++) {
        struct heard h = {.refuses = refuses, .next = NOT_ENTERED};
        uint64_t before = side->taken[number];
        bool taken = coherence_take(side, row->state, row->event, hear_action, hear_next, &h);
        assert_int_equal(taken, refuses == length);
        assert_int_equal(h.actions, row->actions & mask_low(8 * refuses));
        assert_int_equal(h.next, taken ? row->next : NOT_ENTERED);
        assert_int_equal(side->taken[number], before + taken);
    }
}

static void test_rows_are_taken_as_they_stand(void **unused)
{
    const struct coherence_words *words;
    unsigned rows = 0;
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++)
        for (unsigned side = 0; side < COHERENCE_SIDES; side++) {
            static struct coherence_side laid_out;
            const struct coherence_table *t = coherence_side_of(*p, side, &words);
            if (t)
                coherence_side_init(&laid_out, t, words, NULL);
            for (unsigned r = 0; t && r < t->count; r++, rows++)
                expect_heard(&laid_out, &t->rows[r], r);
        }
    assert_true(rows > 500);
    const struct coherence_row eight = {AGENT_R, AGENT_FORWARD_EVENT, AGENT_R,
                                        COHERENCE_DO(AGENT_DO_LOOK, AGENT_DO_ANSWER, AGENT_DO_LOOK, AGENT_DO_VOID,
                                                     AGENT_DO_RETRY, AGENT_DO_VOID, AGENT_DO_ANSWER, AGENT_DO_LOOK)};
    const struct coherence_table table = {&eight, 1};
    struct coherence_side side;
    coherence_side_init(&side, &table, &coherence_agent_words, NULL);
    expect_heard(&side, &eight, 0);
}

/* The short way and the table's: an L1 */

#define L1_STEPS 60000u
#define UNDER_WAY 64u

struct l1_twin {
    struct arena arena;
    struct packet_pool pool;
    struct l1 l1;
    struct packet *under_way[UNDER_WAY]; /* sent, not answered */
    unsigned sent;
    uint64_t seen; /* all results and requests so far */
    unsigned refused, waits, fills;
};

static void saw(uint64_t *seen, uint64_t what)
{
    *seen = (*seen ^ what) * UINT64_C(0x9E3779B97F4A7C15);
    *seen ^= *seen >> 29;
}

static void saw_bytes(uint64_t *seen, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        saw(seen, bytes[i]);
}

static void l1_start(struct l1_twin *t, const struct coherence_protocol *protocol, const struct cache_params *cache,
                     bool in_order)
{
    *t = (struct l1_twin){.seen = 1};
    t->pool.arena = &t->arena;
    const struct l1_setup setup = {
        .protocol = protocol, .cache = cache, .packets = &t->pool, .requests = 6, .in_order = in_order};
    l1_init(&t->l1, &setup, &t->arena);
}

static void l1_try(struct l1_twin *t, uint64_t random)
{
    static const uint8_t sizes[] = {4, 8, 32, 128};
    unsigned event = (unsigned)(random % L1_PROBE_EVENT);
    bool own = event == L1_LOAD_OWN_EVENT || event == L1_STORE_OWN_EVENT;
    uint32_t bytes = sizes[random >> 8 & 3], line_bytes = t->l1.line_bytes;
    bytes = bytes > line_bytes ? line_bytes : bytes;
    uint64_t line = (random >> 16 & 15) + (own ? 1u << 20 : 0);
    struct l1_access a = {.address = line * line_bytes + (random >> 24) % (line_bytes / bytes) * bytes,
                          .bytes = bytes,
                          .waiter = (uint32_t)(random >> 40 & 0xffff),
                          .event = (uint8_t)event};
    enum l1_served served = l1_access(&t->l1, &a);
    t->refused += served == L1_REFUSED;
    t->waits += served == L1_WAITS;
    saw(&t->seen, served);
    if (a.values)
        saw_bytes(&t->seen, a.values, line_bytes);
    if (a.request && event != L1_STORE_EVENT && event != L1_STORE_OWN_EVENT && !t->l1.in_order)
        packet_free(&t->pool, a.request); /* the owner would send it at once; its answer is no business of the L1's */
}

/* The oldest request leaves. */
static void l1_send(struct l1_twin *t)
{
    if (!t->l1.requests.count || t->sent == UNDER_WAY)
        return;
    struct packet *p = packet_ring_pop(&t->l1.requests);
    saw(&t->seen, p->kind | (uint64_t)p->space << 8 | (uint64_t)p->bytes << 16);
    saw(&t->seen, p->address);
    saw(&t->seen, access_of(p)->waiter);
    t->under_way[t->sent++] = p;
}

static void l1_answer(struct l1_twin *t, uint64_t random)
{
    if (!t->sent)
        return;
    unsigned which = (unsigned)(random % t->sent);
    struct packet *p = t->under_way[which];
    t->under_way[which] = t->under_way[--t->sent];
    enum l1_arrival arrival = l1_arrival_of(&t->l1, p);
    saw(&t->seen, arrival);
    if (arrival == L1_FILLED) {
        memset(packet_data(p), (int)(random >> 8), PACKET_LINE_BYTES);
        saw(&t->seen, l1_fill(&t->l1, p));
        t->fills++;
    }
    packet_free(&t->pool, p);
}

static void l1_wake(struct l1_twin *t)
{
    const uint8_t *values = NULL;
    if (!l1_has_ready(&t->l1))
        return;
    saw(&t->seen, l1_ready(&t->l1, &values));
    if (values)
        saw_bytes(&t->seen, values, t->l1.line_bytes);
}

/* One step: an access, which may be the one before once more, and what the numbers say of the rest. */
static void l1_step(struct l1_twin *t, uint64_t step)
{
    uint64_t random = random_at(3, step);
    l1_try(t, random_at(4, random & 1 ? step : step / 2));
    if (random >> 1 & 1)
        l1_send(t);
    if ((random >> 2 & 7) < 5)
        l1_answer(t, random >> 8);
    if (random >> 5 & 1)
        l1_wake(t);
    if ((random >> 40) % 512 == 0)
        l1_order(&t->l1, L1_ACQUIRE);
}

static void expect_equal_sides(struct cache *a, struct cache *b, const struct coherence_side *x,
                               const struct coherence_side *y)
{
    assert_memory_equal(cache_stats_of(a), cache_stats_of(b), sizeof(struct cache_stats));
    assert_memory_equal(x->taken, y->taken, sizeof x->taken);
}

static struct cache_params l1_params(void)
{
    struct cache_params p;
    memset(&p, 0, sizeof p);
    fixture_defaults(cache_param_descs, cache_param_count, &p);
    p.sets = 2;
    p.ways = 2;
    p.mshr_entries = 3;
    p.mshr_merges = 2;
    return p;
}

static void expect_l1_twins(const struct coherence_protocol *protocol, const struct cache_params *params, bool in_order)
{
    struct l1_twin a, b;
    l1_start(&a, protocol, params, in_order);
    l1_start(&b, protocol, params, in_order);
    const uint32_t shortened = 1u << L1_LOAD_EVENT | 1u << L1_LOAD_OWN_EVENT;
    assert_int_equal(a.l1.side->reads, protocol == coherence_find("gpu") ? shortened : 0);
    b.l1.side->reads = 0;
    for (uint64_t step = 0; step < L1_STEPS; step++) {
        l1_step(&a, step);
        l1_step(&b, step);
        if (a.seen != b.seen)
            fail_msg("%s: they differ in step %llu", protocol->name, (unsigned long long)step);
    }
    expect_equal_sides(a.l1.cache, b.l1.cache, a.l1.side, b.l1.side);
    assert_int_equal(a.pool.out, b.pool.out);
    assert_true(a.refused > 1000 || !in_order);
    assert_true(a.waits > 1000);
    assert_true(protocol != coherence_find("gpu") || a.fills > 1000);
    arena_free(&a.arena);
    arena_free(&b.arena);
}

static void test_l1_ways_agree(void **unused)
{
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++) {
        struct cache_params params = l1_params();
        if ((*p)->registration)
            continue; /* its L1 has no shorter way */
        expect_l1_twins(*p, &params, true);
        expect_l1_twins(*p, &params, false);
        params.sector_bytes = 32;
        expect_l1_twins(*p, &params, true);
        params.allocate = CACHE_ALLOCATE_ON_FILL;
        expect_l1_twins(*p, &params, true);
    }
}

/* The same of an L2 slice, which also does what comes of a fill ahead of its tick */

#define SLICE_CYCLES 60000u
#define QUIET_FROM 55000u /* what is done ahead is counted ahead: all has ended when counts are compared */
#define STORE_BYTES (1u << 16)

struct slice_twin {
    struct arena arena;
    struct store store;
    struct request_map map;
    struct request_pool *pool;
    struct slice *slice;
    uint32_t under_way[UNDER_WAY]; /* requests at the DRAM */
    unsigned sent;
    uint64_t seen;
    unsigned pushed, answered, atomics;
};

static void slice_start(struct slice_twin *t, const struct memory_params *params,
                        const struct coherence_protocol *protocol)
{
    *t = (struct slice_twin){.seen = 1, .map = request_map_of(&params->partition)};
    assert_int_equal(store_init(&t->store, UINT64_C(0x1000000), STORE_BYTES, NULL), 0);
    store_alloc(&t->store, STORE_BYTES, 256);
    t->pool = request_pool_create(UNDER_WAY + slice_requests(params), &t->arena);
    t->slice = slice_create(params, &t->map, 0, protocol, &t->store, t->pool, &t->arena);
}

static void slice_pop(struct slice_twin *t, uint64_t cycle)
{
    struct partition_out *out = &t->slice->out;
    if (partition_reply_at(out) > cycle)
        return;
    const struct partition_reply *r = partition_first_reply(out);
    saw(&t->seen, cycle << 32 | (uint64_t)r->bytes << 16 | r->sm);
    if (r->packet) {
        saw(&t->seen, access_of(r->packet)->waiter);
        if (r->packet->kind == PACKET_READ)
            saw_bytes(&t->seen, packet_data(r->packet), PACKET_LINE_BYTES);
        for (unsigned i = 0; r->packet->kind == PACKET_ATOMIC && i < atomic_of(r->packet)->lane_count; i++)
            saw(&t->seen, atomic_of(r->packet)->lanes[i].operand);
        t->answered++;
    }
    bool full = slice_out_full(out);
    out->inside -= r->packet != NULL;
    out->count--;
    out->first++;
    if (full)
        slice_find_next(t->slice, cycle - 1);
}

static void add_lanes(struct message_atomic *m, uint64_t random)
{
    m->atomic = ISA_ATOMIC_ADD;
    m->type = ISA_U32;
    for (unsigned i = 0; i < 4; i++)
        m->lanes[m->lane_count++] = (struct packet_lane){
            .lane = (uint8_t)i, .offset = (uint8_t)(m->packet.address % 128 + (random >> i & 3) * 4), .operand = random};
}

static void slice_request(struct slice_twin *t, uint64_t random, uint64_t cycle)
{
    static const uint8_t kinds[] = {PACKET_READ, PACKET_READ, PACKET_WRITE, PACKET_ATOMIC};
    struct packet *p = &ARENA_NEW(&t->arena, union message, 1)->packet;
    uint64_t offset = (random >> 8) % (STORE_BYTES / 128) * 128;
    packet_begin(p, kinds[random & 3]);
    p->bytes = (uint8_t)(32u << (random >> 2) % 3);
    offset += (random >> 32) % (128 / p->bytes) * p->bytes;
    p->address = t->store.start + offset;
    p->sm = (uint16_t)((random >> 48) % 15);
    access_of(p)->waiter = (uint32_t)cycle;
    if (p->kind == PACKET_WRITE) {
        packet_mask(p)[p->address / 64 % 2] = UINT64_C(0xff0f) << p->address % 64;
        memset(packet_data(p), (int)(random >> 40), PACKET_LINE_BYTES);
    }
    if (p->kind == PACKET_ATOMIC)
        add_lanes(atomic_of(p), random);
    t->atomics += p->kind == PACKET_ATOMIC;
    t->pushed++;
    slice_push(t->slice, p, offset, cycle);
}

/* A DRAM that takes its time and answers in any order. */
static void slice_dram(struct slice_twin *t, uint64_t random, uint64_t cycle)
{
    struct slice *s = t->slice;
    if (t->sent && random % 4 && !request_full(&s->from_dram)) {
        unsigned which = (unsigned)((random >> 8) % t->sent);
        uint32_t number = t->under_way[which];
        t->under_way[which] = t->under_way[--t->sent];
        slice_return(s, number, cycle - 1);
    }
    if (t->sent == UNDER_WAY || (random >> 2) % 4 == 0 || !slice_sends(s, cycle - 1))
        return;
    uint32_t number = slice_take_request(s, cycle - 1);
    const struct memory_request *r = &t->pool->all[number];
    saw(&t->seen, cycle << 32 | (uint64_t)r->kind << 16 | r->bytes);
    saw(&t->seen, r->local);
    if (r->kind == REQUEST_WRITEBACK)
        request_release(t->pool, number);
    else
        t->under_way[t->sent++] = number;
}

/* Traffic comes and goes, so that queues are full at times and empty at others. */
static void slice_step(struct slice_twin *t, uint64_t cycle)
{
    uint64_t random = random_at(5, cycle);
    unsigned rest = cycle / 512 % 2 ? 16 : 2;
    if (random % 8)
        slice_pop(t, cycle);
    slice_dram(t, random_at(6, cycle), cycle);
    if (cycle < QUIET_FROM && (random >> 8) % rest == 0 && slice_can_push(t->slice))
        slice_request(t, random_at(7, cycle), cycle);
    if (t->slice->next <= cycle)
        slice_tick(t->slice, cycle);
}

/* What the slice keeps agrees with what it follows from. */
static void check_slice(struct slice_twin *t, uint64_t cycle)
{
    struct check c;
    check_init(&c);
    check_of(&c, "slice", 0);
    cache_check(t->slice->cache, &c);
    slice_check(t->slice, &c, cycle);
    fixture_expect_sound(&c);
}

static void expect_slice_twins(const struct memory_params *params, bool stepwise, bool not_ahead)
{
    struct slice_twin a, b;
    slice_start(&a, params, coherence_find(NULL));
    slice_start(&b, params, coherence_find(NULL));
    assert_int_equal(a.slice->side->reads, 1u << L2_READ_EVENT | 1u << L2_ATOMIC_EVENT);
    assert_true(a.slice->fills_ahead);
    if (stepwise)
        b.slice->side->reads = 0;
    b.slice->fills_ahead = !not_ahead;
    for (uint64_t cycle = 1; cycle < SLICE_CYCLES; cycle++) {
        slice_step(&a, cycle);
        slice_step(&b, cycle);
        if (cycle % 61 == 0)
            check_slice(&a, cycle);
        if (a.seen != b.seen)
            fail_msg("write_allocate %u, sectors of %u, %s%s: they differ in cycle %llu", params->l2.write_allocate,
                     params->l2.sector_bytes, stepwise ? "stepwise" : "", not_ahead ? " not ahead" : "",
                     (unsigned long long)cycle);
    }
    expect_equal_sides(a.slice->cache, b.slice->cache, a.slice->side, b.slice->side);
    assert_memory_equal(a.store.bytes, b.store.bytes, STORE_BYTES);
    assert_int_equal(a.answered, a.pushed);
    assert_true(a.pushed > 2000 && a.atomics > 500);
    store_free_all(&a.store);
    store_free_all(&b.store);
    arena_free(&a.arena);
    arena_free(&b.arena);
}

static void test_slice_ways_agree(void **unused)
{
    static const uint32_t allocates[] = {CACHE_WRITE_ALLOCATE_NONE, CACHE_WRITE_ALLOCATE_FETCH,
                                         CACHE_WRITE_ALLOCATE_LAZY};
    for (unsigned i = 0; i < 6; i++) {
        struct memory_params params = i < 3 ? fixture_params() : fixture_sm2();
        params.partition.rop_latency = 10;
        params.l2.sets = 8;
        params.l2.write_allocate = allocates[i % 3];
        expect_slice_twins(&params, true, false);
        expect_slice_twins(&params, false, true);
        expect_slice_twins(&params, true, true);
    }
}

/* An action or a next state less in a row of the default protocol is another behaviour, or a fault of the table. */

#define CHANGED_STEPS 20000u

struct changed {
    struct coherence_row rows[COHERENCE_ROWS];
    struct coherence_table l2;
    struct coherence_protocol protocol;
};

static struct coherence_row *change(struct changed *c, unsigned side, unsigned row)
{
    const struct coherence_table *from = table_of(coherence_find(NULL), side);
    memcpy(c->rows, from->rows, from->count * sizeof *from->rows);
    c->l2 = (struct coherence_table){c->rows, from->count};
    c->protocol = *coherence_find(NULL);
    if (side == 0)
        c->protocol.l1 = c->l2;
    else
        c->protocol.l2 = &c->l2;
    return &c->rows[row];
}

static uint64_t l1_behaviour(const struct coherence_protocol *protocol)
{
    struct l1_twin t;
    struct cache_params params = l1_params();
    l1_start(&t, protocol, &params, true);
    for (uint64_t step = 0; step < CHANGED_STEPS; step++)
        l1_step(&t, step);
    uint64_t seen = t.seen;
    saw_bytes(&seen, (const uint8_t *)cache_stats_of(t.l1.cache), sizeof(struct cache_stats));
    arena_free(&t.arena);
    return seen;
}

static uint64_t slice_behaviour(const struct coherence_protocol *protocol, uint32_t allocate)
{
    struct slice_twin t;
    struct memory_params params = allocate == CACHE_WRITE_ALLOCATE_LAZY ? fixture_sm2() : fixture_params();
    params.partition.rop_latency = 10;
    params.l2.sets = 8;
    params.l2.write_allocate = allocate;
    params.coherence.l2_writes_through = false;
    slice_start(&t, &params, protocol);
    for (uint64_t cycle = 1; cycle < CHANGED_STEPS; cycle++)
        slice_step(&t, cycle);
    uint64_t seen = t.seen;
    saw_bytes(&seen, t.store.bytes, STORE_BYTES);
    store_free_all(&t.store);
    arena_free(&t.arena);
    return seen;
}

static uint64_t behaviour(const struct coherence_protocol *protocol, unsigned side)
{
    if (side == 0)
        return l1_behaviour(protocol);
    uint64_t seen = slice_behaviour(protocol, CACHE_WRITE_ALLOCATE_NONE);
    saw(&seen, slice_behaviour(protocol, CACHE_WRITE_ALLOCATE_FETCH));
    saw(&seen, slice_behaviour(protocol, CACHE_WRITE_ALLOCATE_LAZY));
    return seen;
}

/* Rows that these runs do not reach: global memory is never written in an L1; the L2 does not pass stores through, and
 * an atomic's turn finds its line there or not. */
static bool is_reached(unsigned side, const struct coherence_row *row)
{
    bool lost = row->event == L2_ATOMIC_WOKEN_EVENT && row->state != CACHE_THERE;
    if (side == 0)
        return row->event != L1_LOAD_EVENT || row->state != CACHE_WRITTEN;
    return row->event != L2_STORE_THROUGH_EVENT && !lost;
}

/* The row without one of its actions. */
static uint64_t without(uint64_t actions, unsigned which)
{
    return (actions & mask_low(8 * which)) | actions >> 8 * (which + 1) << 8 * which;
}

static void expect_another(struct changed *c, unsigned side, unsigned row, uint64_t usual, unsigned *changes)
{
    if (coherence_table_fault(sides[side].words, &c->l2, NULL))
        return;
    ++*changes;
    if (behaviour(&c->protocol, side) == usual)
        fail_msg("%s: row %u: a change of it is not seen", sides[side].words->side, row);
}

static void test_each_action_and_next_state_counts(void **unused)
{
    static struct changed c;
    unsigned changes = 0, next = 0;
    for (unsigned side = 0; side < 2; side++) {
        const struct coherence_table *table = table_of(coherence_find(NULL), side);
        uint64_t usual = behaviour(coherence_find(NULL), side);
        for (unsigned r = 0; r < table->count; r++) {
            unsigned which = 0;
            if (!is_reached(side, &table->rows[r]))
                continue;
            for (uint64_t rest = table->rows[r].actions; rest; rest >>= 8, which++) {
                struct coherence_row *row = change(&c, side, r);
                if (side == 0 && (rest & 0xff) == L1_INSTALL)
                    continue; /* to wake those who wait for a fill that goes on breaks the cache's lists */
                row->actions = without(row->actions, which);
                expect_another(&c, side, r, usual, &changes);
            }
            if (table->rows[r].next != CACHE_ABSENT || table->rows[r].state == CACHE_ABSENT)
                continue; /* what its actions bring */
            change(&c, side, r)->next = COHERENCE_ANY;
            expect_another(&c, side, r, usual, &next);
        }
    }
    assert_true(changes > 30);
    assert_int_equal(next, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_case_has_one_row),
        cmocka_unit_test(test_no_case_has_two_rows),
        cmocka_unit_test(test_what_is_asked_for_comes),
        cmocka_unit_test(test_actions_have_a_meaning_where_they_are),
        cmocka_unit_test(test_the_l2_answers_once),
        cmocka_unit_test(test_rows_without_meaning_are_found),
        cmocka_unit_test(test_l1_ways_agree),
        cmocka_unit_test(test_slice_ways_agree),
        cmocka_unit_test(test_contradictions_are_found),
        cmocka_unit_test(test_tables_have_no_fault),
        cmocka_unit_test(test_rows_are_taken_as_they_stand),
        cmocka_unit_test(test_each_action_and_next_state_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

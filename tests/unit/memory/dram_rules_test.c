/* The rules of a DRAM channel as timing diagrams: each row of the table names two events, what must lie between them,
 * and the parameter that says how much. A rule is tried with several values; the second event has not happened in the
 * cycle before, and has in its own. Then the rules of order: which request, which bank, one command a cycle.
 *
 * Events: A activate, P precharge, R read, W write, D a request that has come out of the data pipe (seen a cycle after
 * its last burst). Banks 0 to 3 are group 0, 4 to 7 group 1. */
#include "memory_fixture.h"

#define MAX_EVENTS 64
#define LONGEST 400

struct channel {
    struct arena arena;
    struct dram *dram;
    uint64_t cycle;
    unsigned count;
    char kind[MAX_EVENTS + 1];
    uint64_t at[MAX_EVENTS];
    uint64_t order[MAX_EVENTS]; /* `local` of the requests in the order in which they came out */
    unsigned out;
};

static void note(struct channel *c, char kind, uint64_t times)
{
    for (; times; times--) {
        assert_true(c->count < MAX_EVENTS);
        c->at[c->count] = c->cycle;
        c->kind[c->count++] = kind;
    }
}

static void tick(struct channel *c)
{
    struct dram_stats before = *dram_stats_of(c->dram);
    c->cycle++;
    for (const struct memory_request *top; (top = fixture_top(c->dram)); fixture_pop(c->dram)) {
        c->order[c->out++] = top->local;
        note(c, 'D', 1);
    }
    fixture_tick(c->dram, c->cycle);
    const struct dram_stats *after = dram_stats_of(c->dram);
    note(c, 'P', after->precharges - before.precharges);
    note(c, 'A', after->activates - before.activates);
    note(c, 'R', after->reads - before.reads);
    note(c, 'W', after->writes - before.writes);
}

static void start(struct channel *c, const struct dram_params *params)
{
    memset(c, 0, sizeof *c);
    arena_init(&c->arena);
    c->dram = fixture_dram(params, &c->arena);
}

struct request {
    char kind; /* R read, L long read (two bursts), W write; 0: end */
    uint8_t bank, row;
};

static void push(struct channel *c, const struct request *r, uint64_t local)
{
    struct memory_request request = {
        .local = local, .bytes = r->kind == 'L' ? 128 : 64, .kind = r->kind == 'W' ? REQUEST_WRITE : REQUEST_FILL};
    fixture_push(c->dram, &request, r->bank, r->row);
}

/* One request a tick, as a partition hands them over. */
static void send(struct channel *c, const struct request *requests)
{
    for (uint64_t i = 0; requests[i].kind; i++) {
        push(c, &requests[i], i);
        tick(c);
    }
}

/* Everything as short as can be, so that nothing but the rule under test keeps two commands apart. */
static struct dram_params shortest(void)
{
    struct dram_params p = fixture_params().dram;
    p.tCCD = p.tCCDL = p.tRRD = p.tRAS = p.tRP = p.tRC = p.tCDLR = p.tWR = p.tRTPL = 0;
    p.tRCD = p.tCL = p.tWL = p.burst_cycles = 1;
    return p;
}

#define PARAM(name) offsetof(struct dram_params, name)

struct rule {
    const char *diagram;
    const char *from, *to; /* kind and number of the two events */
    size_t param;
    int beyond; /* the distance is the parameter's value and this */
    struct request requests[3];
    struct { /* other parameters that the row needs */
        size_t param;
        uint32_t value;
    } with[3];
};

#define ONE(kind)                                                                                                      \
    {                                                                                                                  \
        {kind, 0, 1},                                                                                                  \
        {                                                                                                              \
            0, 0, 0                                                                                                    \
        }                                                                                                              \
    }
#define TWO(kind1, kind2, bank, row)                                                                                   \
    {                                                                                                                  \
        {kind1, 0, 1}, {kind2, bank, row},                                                                             \
        {                                                                                                              \
            0, 0, 0                                                                                                    \
        }                                                                                                              \
    }
#define NOTHING                                                                                                        \
    {                                                                                                                  \
        {                                                                                                              \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

static const struct rule rules[] = {
    {"A <- tRCD -> R", "A1", "R1", PARAM(tRCD), 0, ONE('R'), NOTHING},
    {"A <- tRCD - (tWL + 1) -> W", "A1", "W1", PARAM(tRCD), -5, ONE('W'), {{PARAM(tWL), 4}}},
    {"A <- tRCD - (tWL + 1) -> W", "A1", "W1", PARAM(tRCD), -8, ONE('W'), {{PARAM(tWL), 7}}},
    {"R <- tCCD -> R, other group", "R1", "R2", PARAM(tCCD), 0, TWO('R', 'R', 4, 1), {{PARAM(tRCD), 20}}},
    {"R <- tCCD -> R, one request", "R1", "R2", PARAM(tCCD), 0, ONE('L'), NOTHING},
    {"W <- tCCD -> W, other group", "W1", "W2", PARAM(tCCD), 0, TWO('W', 'W', 4, 1), {{PARAM(tRCD), 20}}},
    {"R <- tCCDL -> R, one group", "R1", "R2", PARAM(tCCDL), 0, TWO('R', 'R', 1, 1), {{PARAM(tRCD), 20}}},
    {"W <- tCCDL -> W, one group", "W1", "W2", PARAM(tCCDL), 0, TWO('W', 'W', 1, 1), {{PARAM(tRCD), 20}}},
    {"R <- 2 -> R, tCCDL keeps only a group apart",
     "R1",
     "R2",
     PARAM(tCCD),
     0,
     TWO('R', 'R', 4, 1),
     {{PARAM(tRCD), 20}, {PARAM(tCCDL), 60}}},
    {"A <- tRRD -> A", "A1", "A2", PARAM(tRRD), 0, TWO('R', 'R', 8, 1), {{PARAM(tRCD), 60}}},
    {"A <- tRAS -> P", "A1", "P1", PARAM(tRAS), 0, TWO('R', 'R', 0, 2), NOTHING},
    {"P <- tRP -> A", "P1", "A2", PARAM(tRP), 0, TWO('R', 'R', 0, 2), NOTHING},
    {"A <- tRC -> A, one bank", "A1", "A2", PARAM(tRC), 0, TWO('R', 'R', 0, 2), {{PARAM(tRAS), 8}}},
    {"R <- tCL -> data, and the return queue", "R1", "D1", PARAM(tCL), 1, ONE('R'), NOTHING},
    {"W <- tWL -> data, and the return queue", "W1", "D1", PARAM(tWL), 1, ONE('W'), {{PARAM(tRCD), 60}}},
    {"R <- burst -> P", "R1", "P1", PARAM(burst_cycles), 0, TWO('R', 'R', 0, 2), NOTHING},
    {"R <- tRTPL -> P", "R1", "P1", PARAM(tRTPL), 0, TWO('R', 'R', 0, 2), NOTHING},
    {"R <- tCL + burst + 2 - tWL -> W",
     "R1",
     "W1",
     PARAM(tCL),
     1,
     TWO('R', 'W', 0, 1),
     {{PARAM(tWL), 3}, {PARAM(burst_cycles), 2}}},
    {"R <- tCL + burst + 2 - tWL -> W, other bank",
     "R1",
     "W1",
     PARAM(burst_cycles),
     5,
     TWO('R', 'W', 4, 1),
     {{PARAM(tWL), 4}, {PARAM(tCL), 7}}},
    {"W <- tWL + burst + tCDLR -> R",
     "W1",
     "R1",
     PARAM(tCDLR),
     6,
     TWO('W', 'R', 0, 1),
     {{PARAM(tWL), 4}, {PARAM(burst_cycles), 2}}},
    {"W <- tWL + burst + tCDLR -> R, other bank",
     "W1",
     "R1",
     PARAM(tCDLR),
     6,
     TWO('W', 'R', 4, 1),
     {{PARAM(tWL), 4}, {PARAM(burst_cycles), 2}, {PARAM(tRCD), 9}}},
    {"W <- tWL + burst + tCDLR -> R",
     "W1",
     "R1",
     PARAM(burst_cycles),
     9,
     TWO('W', 'R', 0, 1),
     {{PARAM(tWL), 4}, {PARAM(tCDLR), 5}}},
    {"W <- tWL + burst + tWR -> P",
     "W1",
     "P1",
     PARAM(tWR),
     6,
     TWO('W', 'R', 0, 2),
     {{PARAM(tWL), 4}, {PARAM(burst_cycles), 2}}},
    {"W <- tWL + burst + tWR -> P",
     "W1",
     "P1",
     PARAM(tWL),
     14,
     TWO('W', 'R', 0, 2),
     {{PARAM(tWR), 12}, {PARAM(burst_cycles), 2}}},
};

static struct dram_params params_of(const struct rule *r, uint32_t value)
{
    struct dram_params p = shortest();
    for (unsigned i = 0; i < 3 && r->with[i].value; i++)
        memcpy((char *)&p + r->with[i].param, &r->with[i].value, sizeof value);
    memcpy((char *)&p + r->param, &value, sizeof value);
    return p;
}

/* The cycle of the event "X3", the third X; 0: not yet. */
static uint64_t time_of(const struct channel *c, const char *event)
{
    unsigned number = (unsigned)(event[1] - '0');
    for (unsigned i = 0; i < c->count; i++)
        if (c->kind[i] == event[0] && --number == 0)
            return c->at[i];
    return 0;
}

static uint64_t wait_for(struct channel *c, const char *event)
{
    while (!time_of(c, event)) {
        if (c->cycle == LONGEST)
            fail_msg("no %s in %s", event, c->kind);
        tick(c);
    }
    return time_of(c, event);
}

/* The two events stand exactly so far apart: not a cycle less, not one more. */
static void check(const struct rule *r, uint32_t value)
{
    struct dram_params params = params_of(r, value);
    struct channel c;
    uint64_t distance = (uint64_t)((int)value + r->beyond);
    start(&c, &params);
    send(&c, r->requests);
    uint64_t from = wait_for(&c, r->from);
    if (time_of(&c, r->to) == 0)
        while (c.cycle < from + distance - 1)
            tick(&c);
    bool early = time_of(&c, r->to) != 0;
    wait_for(&c, r->to);
    if (early || time_of(&c, r->to) != from + distance)
        fail_msg("%s, value %u: %llu cycles instead of %llu: %s", r->diagram, value,
                 (unsigned long long)(time_of(&c, r->to) - from), (unsigned long long)distance, c.kind);
    arena_free(&c.arena);
}

static void every_distance(void **state)
{
    static const uint32_t values[] = {12, 13, 20, 37};
    for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++)
        for (unsigned v = 0; v < 4; v++)
            check(&rules[i], values[v]);
}

/* The GTX 480's own times: a request to a closed bank, one to the open row, one to another row.
 *
 *     A <- 12 -> R <- 3 -> R               128 bytes; tCCDL, since one bank is one group
 *     R                                    tCCDL behind the last read
 *     A <- tRAS 28 -> P <- 12 -> A <- 12 -> R
 */
static void a_row_of_requests(void **state)
{
    struct dram_params params = fixture_params().dram;
    struct channel c;
    static const struct request requests[] = {{'L', 0, 1}, {'R', 0, 1}, {'R', 0, 2}, {0, 0, 0}};
    start(&c, &params);
    send(&c, requests);
    while (c.cycle < LONGEST)
        tick(&c);
    static const uint64_t at[] = {0, 12, 15, 18, 28, 28, 31, 40, 52, 65};
    assert_string_equal(c.kind, "ARRRDPDARD");
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(c.at[i] - c.at[0], at[i]);
    arena_free(&c.arena);
}

/* First ready, first come: requests to the open row go first, oldest first; then the oldest of the others, and those of
 * its row.
 *
 *     arrival   row 1  row 2  row 1  row 3  row 2  row 1
 *     service   0             2                    5        1  4         3
 */
static void open_rows_first_then_the_oldest(void **state)
{
    struct dram_params params = fixture_params().dram;
    struct channel c;
    static const struct request requests[] = {{'R', 0, 1}, {'R', 0, 2}, {'R', 0, 1}, {'R', 0, 3},
                                              {'R', 0, 2}, {'R', 0, 1}, {0, 0, 0}};
    static const uint64_t service[] = {0, 2, 5, 1, 4, 3};
    start(&c, &params);
    send(&c, requests);
    while (c.cycle < LONGEST)
        tick(&c);
    assert_int_equal(c.out, 6);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(c.order[i], service[i]);
    assert_int_equal(dram_stats_of(c.dram)->activates, 3);
    arena_free(&c.arena);
}

/* A write, and three banks whose rows are open wait for the turnaround with their reads. In the cycle that allows them
 * all, one gets its command, the next ones in the cycles behind it, going round over the banks from the one behind the
 * last row command's:
 *
 *     W <- turnaround -> R R R
 */
static void one_command_a_cycle_banks_in_turn(void **state)
{
    for (unsigned first = 0; first < 16; first += 3) {
        struct dram_params params = shortest();
        struct channel c;
        struct request requests[] = {{'W', (uint8_t)first, 1},
                                     {'R', (uint8_t)((first + 4) % 16), 1},
                                     {'R', (uint8_t)((first + 8) % 16), 1},
                                     {'R', (uint8_t)((first + 12) % 16), 1},
                                     {0, 0, 0}};
        params.tCDLR = 30;
        params.tRCD = 12;
        start(&c, &params);
        send(&c, requests);
        while (c.cycle < LONGEST)
            tick(&c);
        assert_string_equal(c.kind, "AAAAWDRRDRDD");
        uint64_t write = c.at[4], reads[] = {c.at[6], c.at[7], c.at[9]};
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(reads[i], write + 1 + 1 + 30 + i);
        /* The turn is behind the last bank that was activated: the fourth. */
        for (unsigned i = 1; i <= 3; i++)
            assert_int_equal(c.order[i], i);
        arena_free(&c.arena);
    }
}

/* A scheduler of n requests takes n more than the banks serve, and no other; it takes one when a bank has taken one. */
static void the_scheduler_refuses_when_full(void **state)
{
    for (unsigned n = 1; n <= 6; n++) {
        struct dram_params params = fixture_params().dram;
        struct channel c;
        params.scheduler_queue = n;
        start(&c, &params);
        push(&c, &(struct request){'R', 0, 1}, 0);
        tick(&c); /* the bank serves it */
        for (unsigned i = 0; i < n; i++) {
            assert_false(dram_full(c.dram));
            push(&c, &(struct request){'R', 0, 1}, i + 1);
            tick(&c);
        }
        assert_true(dram_full(c.dram));
        while (dram_stats_of(c.dram)->reads == 0) {
            assert_true(dram_full(c.dram));
            tick(&c);
        }
        assert_true(dram_full(c.dram));
        tick(&c); /* the bank without work gets the next request, and there is room */
        assert_false(dram_full(c.dram));
        arena_free(&c.arena);
    }
}

/* A bank that is given a request while it is refreshed begins when that is over, with its row closed; others do not wait, nor does one
 * whose turn is over; each bank and channel has its turn at another time. */
static void refreshed_banks_wait(void **state)
{
    (void)state;
    struct dram_params p = shortest();
    p.tREFI = 1600; /* a bank a hundred cycles */
    p.tRFC = 90;
    uint64_t plain = 0, longest[2] = {0, 0};
    for (unsigned number = 0; number < 2; number++)
        for (uint8_t bank = 0; bank < 16; bank++) {
            struct channel c;
            start(&c, &p);
            dram_stagger(c.dram, number * 7);
            const struct request one[] = {{'R', bank, 1}, {0}};
            send(&c, one);
            while (!c.out)
                tick(&c);
            uint64_t took = c.at[c.count - 1];
            plain = plain && plain < took ? plain : took;
            longest[number] = longest[number] > took ? longest[number] : took;
            assert_true(took <= plain + p.tRFC);
            arena_free(&c.arena);
        }
    assert_true(longest[0] > plain + 20 || longest[1] > plain + 20);
    /* Without it nothing waits; and with it an open row is closed. */
    p.tREFI = 0;
    struct channel c;
    start(&c, &p);
    dram_stagger(c.dram, 7);
    send(&c, (const struct request[]){{'R', 0, 1}, {0}});
    while (!c.out)
        tick(&c);
    assert_int_equal(c.at[c.count - 1], plain);
    arena_free(&c.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_distance),
        cmocka_unit_test(a_row_of_requests),
        cmocka_unit_test(open_rows_first_then_the_oldest),
        cmocka_unit_test(one_command_a_cycle_banks_in_turn),
        cmocka_unit_test(the_scheduler_refuses_when_full), cmocka_unit_test(refreshed_banks_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Timing diagrams of the DRAM channel. Each constraint is probed from both sides: with the constraint made the longest,
 * the commands stand exactly that far apart. Commands are seen as steps of the statistics. Banks of group 0 are 0..3,
 * of group 1 4..7 (high bits). */
#include "memory_fixture.h"

#define MAX_COMMANDS 64

struct probe {
    struct arena arena;
    struct dram *dram;
    uint64_t cycle;
    char kind[MAX_COMMANDS]; /* A P R W */
    uint64_t at[MAX_COMMANDS];
    unsigned commands;
    uint64_t done_at[MAX_COMMANDS]; /* requests that reached the return queue */
    unsigned done;
};

static struct dram_params plain(void)
{
    struct dram_params p = fixture_params().dram;
    p.tCCD = p.burst_cycles = 2;
    p.tCCDL = p.tRRD = p.tRAS = p.tRP = p.tRC = p.tCDLR = p.tWR = p.tRTPL = 0;
    p.tRCD = p.tCL = p.tWL = 1;
    return p;
}

static void start(struct probe *p, const struct dram_params *params)
{
    memset(p, 0, sizeof(*p));
    arena_init(&p->arena);
    p->dram = fixture_dram(params, &p->arena);
}

static void note(struct probe *p, char kind, uint64_t before, uint64_t after)
{
    for (; before < after; before++) {
        assert_true(p->commands < MAX_COMMANDS);
        p->kind[p->commands] = kind;
        p->at[p->commands++] = p->cycle;
    }
}

static void tick(struct probe *p)
{
    struct dram_stats before = *dram_stats_of(p->dram);
    p->cycle++;
    while (fixture_top(p->dram)) {
        p->done_at[p->done++] = p->cycle; /* popped before the tick, as a partition does */
        fixture_pop(p->dram);
    }
    fixture_tick(p->dram, p->cycle);
    const struct dram_stats *after = dram_stats_of(p->dram);
    note(p, 'P', before.precharges, after->precharges);
    note(p, 'A', before.activates, after->activates);
    note(p, 'R', before.reads, after->reads);
    note(p, 'W', before.writes, after->writes);
}

static void run(struct probe *p, unsigned cycles)
{
    while (cycles--)
        tick(p);
}

static void push(struct probe *p, enum memory_request_kind kind, uint32_t bank, uint32_t row, uint32_t bytes)
{
    fixture_push(p->dram, &(struct memory_request){.bytes = bytes, .kind = (uint8_t)kind}, bank, row);
}

static void expect(struct probe *p, const char *commands)
{
    assert_int_equal(p->commands, strlen(commands));
    assert_memory_equal(p->kind, commands, strlen(commands));
}

static uint64_t gap(const struct probe *p, unsigned from, unsigned to)
{
    return p->at[to] - p->at[from];
}

static void a_read_opens_its_row_and_returns_after_cl(void **state)
{
    struct dram_params params = fixture_params().dram;
    struct probe p;
    start(&p, &params);
    push(&p, REQUEST_FILL, 3, 9, 128);
    run(&p, 100);
    expect(&p, "ARR");
    assert_int_equal(p.at[0], 1);
    assert_int_equal(gap(&p, 0, 1), 12); /* tRCD */
    assert_int_equal(gap(&p, 1, 2), 3);  /* tCCDL: one bank is one group */
    assert_int_equal(p.done, 1);
    assert_int_equal(p.done_at[0], p.at[2] + 12 + 1); /* tCL, and the return queue */
    assert_true(dram_idle(p.dram));
    assert_int_equal(dram_next(p.dram), UINT64_MAX);
    arena_free(&p.arena);
}

/* One chip of 4 bytes and bursts of 8: 32 bytes a command, and no groups to keep apart. */
static void an_atom_of_32_bytes_takes_twice_the_commands(void **state)
{
    struct dram_params params = fixture_pascal().dram;
    struct probe p;
    start(&p, &params);
    push(&p, REQUEST_FILL, 3, 9, 128);
    run(&p, 100);
    expect(&p, "ARRRR");
    assert_int_equal(gap(&p, 0, 1), 12);
    for (unsigned i = 1; i < 4; i++)
        assert_int_equal(gap(&p, i, i + 1), 2); /* tCCD */
    assert_int_equal(p.done_at[0], p.at[4] + 12 + 1);
    arena_free(&p.arena);
    start(&p, &params);
    push(&p, REQUEST_FILL, 3, 9, 32);
    tick(&p);
    push(&p, REQUEST_FILL, 3, 10, 32); /* read to precharge without tRTPL: but tRAS after the activation */
    run(&p, 100);
    expect(&p, "ARPAR");
    assert_int_equal(gap(&p, 0, 2), 28);
    arena_free(&p.arena);
}

/* Sends two requests, lets them run, and returns the distance of two commands. */
static uint64_t distance(const struct dram_params *params, enum memory_request_kind k1, uint32_t bank1,
                         enum memory_request_kind k2, uint32_t bank2, uint32_t row2, const char *commands,
                         unsigned from, unsigned to)
{
    struct probe p;
    start(&p, params);
    push(&p, k1, bank1, 1, 64);
    tick(&p);
    push(&p, k2, bank2, row2, 64);
    run(&p, 300);
    expect(&p, commands);
    uint64_t result = gap(&p, from, to);
    arena_free(&p.arena);
    return result;
}

static void trcd(void **state)
{
    struct dram_params p = plain();
    p.tRCD = 37;
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_FILL, 0, 1, "ARR", 0, 1), 37);
    p.tWL = 4; /* activate to write: tRCD - (tWL + 1) */
    assert_int_equal(distance(&p, REQUEST_WRITE, 0, REQUEST_WRITE, 0, 1, "AWW", 0, 1), 32);
}

static void tccd_and_tccdl(void **state)
{
    struct dram_params p = plain();
    p.tCCD = 11;
    p.tRCD = 50;
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_FILL, 4, 1, "AARR", 2, 3), 11);
    p.tCCDL = 17;
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_FILL, 4, 1, "AARR", 2, 3), 11);
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_FILL, 1, 1, "AARR", 2, 3), 17);
    p.bank_group_low_bits = true; /* banks 0 and 4 share a group, 0 and 1 do not */
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_FILL, 4, 1, "AARR", 2, 3), 17);
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_FILL, 1, 1, "AARR", 2, 3), 11);
}

static void trrd(void **state)
{
    struct dram_params p = plain();
    p.tRRD = 23;
    p.tRCD = 50;
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_FILL, 4, 1, "AARR", 0, 1), 23);
}

static void tras_trp_trc(void **state)
{
    struct dram_params p = plain();
    p.tRAS = 41;
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_FILL, 0, 2, "ARPAR", 0, 2), 41);
    p.tRP = 13;
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_FILL, 0, 2, "ARPAR", 2, 3), 13);
    p.tRC = 77;
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_FILL, 0, 2, "ARPAR", 0, 3), 77);
}

static void turnarounds(void **state)
{
    struct dram_params p = plain();
    p.tRCD = 40;
    p.tWL = 4;
    p.tCDLR = 30; /* write to read: tWL + burst + tCDLR */
    assert_int_equal(distance(&p, REQUEST_WRITE, 0, REQUEST_FILL, 0, 1, "AWR", 1, 2), 4 + 2 + 30);
    assert_int_equal(distance(&p, REQUEST_WRITE, 0, REQUEST_FILL, 4, 1, "AAWR", 2, 3), 4 + 2 + 30);
    p.tCL = 29; /* read to write: tCL + burst + 2 - tWL */
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_WRITE, 0, 1, "ARW", 1, 2), 29 + 2 + 2 - 4);
}

static void precharge_after_data(void **state)
{
    struct dram_params p = plain();
    p.tWL = 4;
    p.tRCD = 6;
    p.tWR = 21; /* write to precharge: tWL + burst + tWR */
    assert_int_equal(distance(&p, REQUEST_WRITE, 0, REQUEST_WRITE, 0, 2, "AWPAW", 1, 2), 4 + 2 + 21);
    p = plain();
    p.burst_cycles = 9; /* read to precharge: a burst */
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_FILL, 0, 2, "ARPAR", 1, 2), 9);
    p.tRTPL = 19;
    assert_int_equal(distance(&p, REQUEST_FILL, 0, REQUEST_FILL, 0, 2, "ARPAR", 1, 2), 19);
}

static void open_rows_come_first(void **state)
{
    struct dram_params params = fixture_params().dram;
    struct probe p;
    start(&p, &params);
    push(&p, REQUEST_FILL, 0, 1, 64);
    tick(&p);
    push(&p, REQUEST_FILL, 0, 2, 64); /* older, other row */
    tick(&p);
    push(&p, REQUEST_FILL, 0, 1, 64); /* younger, open row */
    run(&p, 300);
    expect(&p, "ARRPAR");
    arena_free(&p.arena);
}

static void the_scheduler_is_bounded(void **state)
{
    struct dram_params params = fixture_params().dram;
    struct probe p;
    unsigned pushed = 0;
    params.scheduler_queue = 3;
    start(&p, &params);
    while (!dram_full(p.dram)) {
        push(&p, REQUEST_FILL, 0, 1 + pushed++, 64);
        tick(&p);
    }
    assert_int_equal(pushed, 4); /* one is being served */
    run(&p, 400);
    assert_int_equal(p.done, 4);
    arena_free(&p.arena);
}

static void a_full_return_queue_stops_the_pipe(void **state)
{
    struct dram_params params = fixture_params().dram;
    struct arena arena;
    arena_init(&arena);
    params.return_queue = 1;
    struct dram *d = fixture_dram(&params, &arena);
    uint64_t cycle = 0;
    for (unsigned i = 0; i < 3; i++) {
        fixture_push(d, &(struct memory_request){.bytes = 64, .local = i}, 0, 1);
        fixture_tick(d, ++cycle);
    }
    while (cycle < 200)
        fixture_tick(d, ++cycle);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(fixture_top(d)->local, i);
        fixture_pop(d);
        assert_null(fixture_top(d));
        fixture_tick(d, ++cycle);
    }
    assert_true(dram_idle(d));
    arena_free(&arena);
}

static void a_column_may_follow_a_row_command(void **state)
{
    struct dram_params params = plain();
    struct probe p;
    for (unsigned both = 0; both < 2; both++) {
        params.row_then_column = both;
        params.tRCD = 8;
        params.tRRD = 4;
        start(&p, &params);
        push(&p, REQUEST_FILL, 8, 1, 64); /* activated in cycle 1: its read becomes possible in cycle 9 */
        run(&p, 8);
        push(&p, REQUEST_FILL, 0, 1, 64); /* activated in cycle 9, before the scan comes to bank 8 */
        run(&p, 50);
        expect(&p, "AARR");
        assert_int_equal(p.at[1], 9);
        assert_int_equal(p.at[2], both ? 9 : 10);
        arena_free(&p.arena);
    }
}

/* What a partition does in a tick, if this cycle is one: takes a finished request out or not, and hands one over if
 * there is one and a place for it. */
struct traffic {
    struct dram *dram;
    uint64_t ticks;
    bool passes; /* takes requests out of the pipe, not out of the return queue, when it can */
    bool due, ended;
};

static void begin_cycle(struct traffic *t, uint64_t cycle, bool always, bool sends)
{
    struct dram *d = t->dram;
    t->due = always || fixture_top(d) || dram_next(d) <= cycle || (sends && dram_next_room(d) <= cycle);
    if (!t->due)
        return;
    t->ticks++;
    dram_run(d, cycle);
    if (cycle > d->pipe_at && !(t->passes && dram_passes(d)))
        assert_false(fixture_drain(d, cycle - 1));
}

/* The `local` of the oldest request that has left the pipe, or 0. */
static uint64_t oldest(const struct traffic *t, uint64_t cycle)
{
    const struct dram *d = t->dram;
    if (t->due && cycle > d->pipe_at)
        return d->pool->all[dram_number(dram_in_pipe(d, 0))].local;
    return t->due && fixture_top(d) ? fixture_top(d)->local : 0;
}

static void end_cycle(struct traffic *t, uint64_t cycle, bool pops, const struct memory_request *sent, uint64_t place)
{
    struct dram *d = t->dram;
    if (t->due && cycle > d->pipe_at) {
        if (pops)
            request_release(d->pool, dram_number(dram_pass(d)));
        else
            fixture_drain(d, cycle - 1);
    } else if (t->due && pops && fixture_top(d)) {
        fixture_pop(d);
    }
    t->ended = false;
    if (t->due && !(t->passes && cycle >= d->pipe_at && dram_passes(d)))
        t->ended = fixture_drain(d, cycle);
    fixture_check_dram(d);
    if (sent)
        fixture_push(d, sent, place % 16, (uint32_t)(place / 16));
}

/* Bringing a channel further only when dram_next or dram_next_room says so must change nothing. */
static void skipping_changes_nothing(void **state)
{
    struct memory_params machines[] = {fixture_params(), fixture_sm2(), fixture_pascal(), fixture_params()};
    machines[3].dram.return_queue = 2;
    machines[3].dram.tWL = 20;
    for (unsigned machine = 0; machine < 4; machine++) {
        struct arena arena;
        arena_init(&arena);
        struct traffic every = {.dram = fixture_dram(&machines[machine].dram, &arena)};
        struct traffic some = {.dram = fixture_dram(&machines[machine].dram, &arena), .passes = true};
        uint64_t seed = 7;
        bool sends = false;
        for (uint64_t cycle = 1; cycle < 40000; cycle++) {
            begin_cycle(&every, cycle, true, sends);
            begin_cycle(&some, cycle, false, sends);
            assert_int_equal(oldest(&every, cycle), oldest(&some, cycle));
            struct memory_request r = {.local = cycle,
                                       .bytes = (uint8_t)(32u << fixture_random(&seed) % 3),
                                       .kind = (uint8_t)(fixture_random(&seed) % 4)};
            uint64_t place = fixture_random(&seed) % 48;
            bool room = !dram_full(every.dram), pops = fixture_random(&seed) % 3;
            if (sends)
                assert_true(some.due ? room == !dram_full(some.dram) : !room);
            end_cycle(&every, cycle, pops, sends && room ? &r : NULL, place);
            end_cycle(&some, cycle, pops, sends && room ? &r : NULL, place);
            assert_int_equal(every.ended, some.ended);
            sends = (sends && !room) || fixture_random(&seed) % (cycle % 4000 < 2000 ? 8 : 300) == 0;
        }
        dram_run(some.dram, 39999);
        dram_finish(some.dram);
        dram_finish(every.dram);
        assert_memory_equal(dram_stats_of(every.dram), dram_stats_of(some.dram), sizeof(struct dram_stats));
        assert_true(dram_stats_of(every.dram)->requests > 1000);
        assert_true(some.ticks < 30000);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_opens_its_row_and_returns_after_cl),
        cmocka_unit_test(an_atom_of_32_bytes_takes_twice_the_commands),
        cmocka_unit_test(trcd),
        cmocka_unit_test(tccd_and_tccdl),
        cmocka_unit_test(trrd),
        cmocka_unit_test(tras_trp_trc),
        cmocka_unit_test(turnarounds),
        cmocka_unit_test(precharge_after_data),
        cmocka_unit_test(open_rows_come_first),
        cmocka_unit_test(the_scheduler_is_bounded),
        cmocka_unit_test(a_full_return_queue_stops_the_pipe),
        cmocka_unit_test(a_column_may_follow_a_row_command),
        cmocka_unit_test(skipping_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

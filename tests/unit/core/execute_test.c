/* Units of side RESULT alone: random ops wait for them, and a slow oracle that remembers every dispatch says which unit
 * takes which op in which cycle, and when its result is written back. It is written over units.def, so a class that
 * is added there is tested too. */
#include "unit/core/core_bench.h"
#include "effort.h"

#define CYCLES 800
#define KINDS 16
#define MOST_OPS 4096

/* The classes of side RESULT, and how many units each has. */
struct row {
    enum warp_unit unit;
    size_t units; /* offset of the parameter */
};
static const struct row rows[] = {
#define UNIT(name, takes, side, ...)                                                                                   \
    UNIT_RESULT_IF_##side({WARP_UNIT_##name, offsetof(struct sm_params, name##_units)}, )
#include "warp/units.def"
#undef UNIT
};
#define ROWS (sizeof rows / sizeof *rows)

struct dispatch {
    uint32_t op;
    unsigned row, unit;
    uint64_t at, end; /* end: the cycle in which the unit is at the end of its pipeline */
    uint32_t interval;
    bool back;
};

struct bench {
    struct core_bench b;
    struct decoded_instr program[KINDS];
    struct dispatch done[MOST_OPS];
    unsigned count;
    uint32_t waiting[ROWS][CORE_FIFO_ITEMS];
    unsigned waits[ROWS];
    uint64_t issued, back;
    unsigned first_row, last_row; /* ops are of these classes */
};

static uint32_t units_of(const struct bench *t, unsigned row)
{
    uint32_t units;
    memcpy(&units, (const char *)&t->b.params + rows[row].units, sizeof units);
    return units;
}

static void open_bench(struct bench *t, uint64_t seed, unsigned first_row, unsigned last_row)
{
    static const uint32_t longest[] = {4, 61, 62, 130, 512};
    memset(t, 0, sizeof *t);
    bench_begin(&t->b, seed);
    bench_vary_units(&t->b);
    t->b.params.result_buses = bench_between(&t->b, 1, 4);
    t->first_row = first_row;
    t->last_row = last_row;
    uint32_t most = longest[bench_draw(&t->b, sizeof longest / sizeof *longest)];
    for (unsigned i = 0; i < KINDS; i++) {
        t->program[i].timing.latency = (uint16_t)bench_between(&t->b, 1, bench_draw(&t->b, 3) ? 4 : most);
        t->program[i].timing.interval = (uint16_t)bench_between(&t->b, 1, bench_draw(&t->b, 3) ? 2 : 16);
        t->program[i].dst_set = BIT64(bench_draw(&t->b, 16));
    }
    bench_open(&t->b, &bench_no_policy, NULL, NULL, t->program, most, false);
}

/* A unit can take an op of that latency now: by all that was dispatched before. */
static bool can_take(const struct bench *t, unsigned row, unsigned unit, uint64_t now, uint64_t end)
{
    unsigned buses = 0;
    for (unsigned i = 0; i < t->count; i++) {
        const struct dispatch *d = &t->done[i];
        bool same = d->row == row && d->unit == unit;
        buses += d->end == end;
        if (same && (d->at + d->interval > now || d->end == end))
            return false;
    }
    return buses < t->b.params.result_buses;
}

/* The oracle's cycle: each free unit takes the oldest op of its class if that can end when it must. */
static void oracle_execute(struct bench *t)
{
    uint64_t now = t->b.agenda.now;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned unit = 0; unit < units_of(t, row) && t->waits[row]; unit++) {
            uint32_t op = t->waiting[row][0];
            const struct instr_timing *timing = &t->b.ops.items[op].timing;
            if (!can_take(t, row, unit, now, now + timing->latency))
                continue;
            assert_true(t->count < MOST_OPS);
            t->done[t->count++] = (struct dispatch){op, row, unit, now, now + timing->latency, timing->interval, false};
            memmove(t->waiting[row], t->waiting[row] + 1, --t->waits[row] * sizeof(uint32_t));
        }
}

static bool expect_as_oracle(struct bench *t)
{
    bool wait = false;
    for (unsigned row = 0; row < ROWS; row++) {
        struct core_fifo *fifo = &t->b.core->oc_ex[rows[row].unit];
        if (fifo->count != t->waits[row])
            fail_msg("seed %llu, cycle %llu: %u ops of %s wait, not %u", (unsigned long long)t->b.seed,
                     (unsigned long long)t->b.agenda.now, fifo->count, bench_unit_name(rows[row].unit), t->waits[row]);
        for (unsigned i = 0; i < t->waits[row]; i++)
            assert_int_equal(*core_fifo_item(fifo, i), t->waiting[row][i]);
        wait |= t->waits[row];
    }
    return wait;
}

/* The results of this cycle: those of the dispatches that end two cycles before, in the order of dispatch. */
static void take_results(struct bench *t)
{
    struct core *core = t->b.core;
    bool due = core_results_due(core, t->b.agenda.now);
    uint32_t op = core_take_results(core), next;
    assert_int_equal(op != CORE_NONE, due);
    for (unsigned i = 0; i < t->count; i++) {
        struct dispatch *d = &t->done[i];
        assert_true(d->back || d->end + 2 >= t->b.agenda.now);
        if (d->back || d->end + 2 != t->b.agenda.now)
            continue;
        assert_int_equal(op, d->op);
        next = t->b.ops.items[op].next;
        uint64_t banks = bench_written(core) | t->b.ops.items[op].dst_banks;
        core_written_back(core, &t->b.ops.items[op]);
        assert_int_equal(bench_written(core), banks);
        core_op_free(&t->b.ops, op);
        d->back = true;
        t->back++;
        op = next;
    }
    assert_int_equal(op, CORE_NONE);
}

/* Nothing waits: the stage changes nothing. */
static void expect_idle(struct bench *t)
{
    static struct core before;
    const struct agenda agenda = t->b.agenda;
    before = *t->b.core;
    assert_false(core_execute(t->b.core));
    assert_memory_equal(&before, t->b.core, sizeof before);
    assert_memory_equal(&agenda, &t->b.agenda, sizeof agenda);
}

static void execute(struct bench *t)
{
    struct core *core = t->b.core;
    unsigned before = t->count;
    uint32_t ready = bench_draw(&t->b, 2);
    for (unsigned row = 0; row < ROWS; row++)
        core->collect.classes[rows[row].unit].ready = ready;
    t->b.agenda.made_progress = false;
    agenda_done(&t->b.agenda, DUE_COLLECT);
    oracle_execute(t);
    bool more = core_execute(core);
    assert_int_equal(more, expect_as_oracle(t));
    assert_int_equal(t->b.agenda.made_progress, t->count > before);
    assert_int_equal(agenda_has(&t->b.agenda, DUE_COLLECT), ready && t->count > before);
    if (!more)
        expect_idle(t);
    for (unsigned row = 0; row < ROWS; row++)
        core->collect.classes[rows[row].unit].ready = 0;
}

static void arrive(struct bench *t)
{
    for (unsigned row = t->first_row; row <= t->last_row; row++) {
        struct core_fifo *fifo = &t->b.core->oc_ex[rows[row].unit];
        if (core_fifo_full(fifo) || bench_draw(&t->b, 3) == 0)
            continue;
        uint32_t op = core_op_new(&t->b.ops);
        core_op_name(t->b.core, 0, &t->b.ops.items[op], &t->program[bench_draw(&t->b, KINDS)]);
        t->b.ops.items[op].unit = (uint8_t)rows[row].unit;
        core_fifo_push(fifo, op);
        t->waiting[row][t->waits[row]++] = op;
        t->issued++;
    }
}

/* The first cycle with a result by the list of dispatches. */
static uint64_t next_result(const struct bench *t)
{
    uint64_t next = CYCLE_NEVER;
    for (unsigned i = 0; i < t->count; i++)
        if (!t->done[i].back)
            next = cycle_min(next, t->done[i].end + 2);
    return next;
}

static void step(struct bench *t, bool comes)
{
    take_results(t);
    if (core_results_wait(t->b.core))
        execute(t);
    if (comes)
        arrive(t);
    bench_check_cores(&t->b);
    t->b.agenda.now++;
    assert_int_equal(core_next(t->b.core, t->b.agenda.now), next_result(t));
}

/* While ops wait or come, every cycle; else from result to result, as an SM steps. */
static uint64_t run(struct bench *t)
{
    while (t->b.agenda.now < CYCLES && t->count + 64 < MOST_OPS) {
        step(t, random_at(t->b.seed, 1000000 + t->b.agenda.now / 64) % 3);
        if (!core_results_wait(t->b.core) && bench_draw(&t->b, 4) == 0 && t->back < t->count)
            t->b.agenda.now = core_next(t->b.core, t->b.agenda.now);
    }
    for (unsigned rest = 0; t->b.ops.live; rest++) {
        assert_true(rest < 20000);
        step(t, false);
    }
    assert_int_equal(t->back, t->issued);
    bench_close(&t->b);
    return t->issued;
}

static void units_take_what_the_oracle_says(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    uint64_t issued = 0;
    for (uint64_t seed = 1; seed <= 48; seed += effort_steps(4, 8)) {
        for (unsigned row = 0; row < ROWS; row++) {
            open_bench(t, seed, row, row);
            issued += run(t);
        }
        open_bench(t, 1000 + seed, 0, ROWS - 1);
        issued += run(t);
    }
    assert_true(issued > 1000);
    free(t);
}

/* One op alone is back latency + 2 cycles after it was dispatched, and the next one of its unit is dispatched an
 * interval later. */
static void latency_and_interval(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    for (unsigned row = 0; row < ROWS; row++) {
        memset(t, 0, sizeof *t);
        bench_begin(&t->b, 1);
        memcpy((char *)&t->b.params + rows[row].units, &(uint32_t){1}, sizeof(uint32_t));
        t->program[0].timing = (struct instr_timing){.latency = 9, .interval = 5};
#define UNIT(name, takes, side, ...) t->b.params.oc_ex_##name = 2;
#include "warp/units.def"
#undef UNIT
        bench_open(&t->b, &bench_no_policy, NULL, NULL, t->program, 9, false);
        struct core *core = t->b.core;
        for (unsigned i = 0; i < 2; i++) {
            uint32_t op = core_op_new(&t->b.ops);
            core_op_name(core, 0, &t->b.ops.items[op], &t->program[0]);
            core_fifo_push(&core->oc_ex[rows[row].unit], op);
        }
        for (unsigned cycle = 0; cycle < 17; cycle++) {
            t->b.agenda.now = cycle;
            assert_int_equal(core_take_results(core) != CORE_NONE, cycle == 11 || cycle == 16);
            assert_int_equal(core_execute(core), cycle < 5);
        }
        bench_close(&t->b);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_take_what_the_oracle_says),
        cmocka_unit_test(latency_and_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

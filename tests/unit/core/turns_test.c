/* Schedulers among each other: how the cores of an SM part its warp slots, and that none of several schedulers is kept
 * from a unit that they share. */
#include "unit/core/core_bench.h"

struct bench {
    struct core_bench b;
    struct decoded_instr program[2];
    uint64_t sets[3 * BENCH_WORDS];
    struct simt_path path[WARP_SLOTS];
    unsigned schedulers, taker, issues[8]; /* taker: the scheduler that issued last; issues: of each */
};

/* The first warp that is ready: each scheduler's warps are alike. */
static unsigned pick_first(const void *state, const struct lockstep_scheduler_view *view)
{
    (void)state;
    return mask_first(view->ready);
}

static const struct lockstep_scheduler first = {.name = "first", .reset = bench_policy_reset, .pick = pick_first};

static bool perform(void *sm, unsigned slot, struct core_op *op)
{
    struct bench *t = sm;
    (void)op;
    t->taker = slot % t->schedulers;
    t->issues[t->taker]++;
    return true;
}

/* No warp goes astray, releases or is held back. */
static enum warp_unit issue(struct core *core, unsigned slot)
{
    return core_issue_with(core, slot, perform);
}

static const struct core_port port = {.issue = issue};

static void begin_bench(struct bench *t)
{
    memset(t, 0, sizeof *t);
    bench_begin(&t->b, 1);
}

static void expect_parted(struct bench *t, unsigned cores, unsigned warps)
{
    uint64_t all = 0;
    begin_bench(t);
    t->b.params.cores = cores;
    t->b.params.warps = warps;
    t->b.params.schedulers = 3; /* several cores have one each, whatever this says */
    bench_open(&t->b, &first, &port, t, t->program, 1, false);
    for (unsigned i = 0; i < cores; i++) {
        const struct core *core = &t->b.core[i];
        assert_int_equal(core->issue.count, cores > 1 ? 1 : 3);
        assert_int_equal(all & core->slots, 0);
        all |= core->slots;
        for (uint64_t rest = core->slots; rest; rest &= rest - 1) {
            assert_int_equal(mask_first(rest) % cores, i);
            assert_int_equal(core_of_slot(&t->b.params, mask_first(rest)), i);
        }
    }
    assert_int_equal(all, mask_low(warps));
    bench_close(&t->b);
}

/* Neighbouring slots are of different cores, and every slot is of one. */
static void cores_part_the_slots(void **state)
{
    (void)state;
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    for (unsigned cores = 1; cores <= CORES; cores *= 2)
        for (unsigned warps = cores; warps <= WARP_SLOTS; warps += 7)
            expect_parted(t, cores, warps);
    free(t);
}

/* Every scheduler's warps always want the one register of a class, for instructions of this kind. */
static void open_rivals(struct bench *t, unsigned schedulers, unsigned overtakes, unsigned kind)
{
    begin_bench(t);
    t->b.params.schedulers = t->schedulers = schedulers;
    t->b.params.overtakes = overtakes;
    t->b.params.warps = 2 * schedulers;
#define UNIT(name, takes, side, ...) t->b.params.id_oc_##name = 1;
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
    t->program[0].uses = t->sets;
    t->program[0].timing = (struct instr_timing){.writes = t->sets, .unit = (uint8_t)kind};
    t->program[1] = t->program[0];
    bench_open(&t->b, &first, &port, t, t->program, 1, false);
    for (unsigned slot = 0; slot < t->b.params.warps; slot++) {
        warp_start(&t->b.warp, slot, 0, slot);
        t->path[slot] = (struct simt_path){.mask = 1};
        t->b.warp.slots[slot].simt.live = 1;
        t->b.warp.slots[slot].simt.paths.now = &t->path[slot];
        warp_come(&t->b.warp, BIT64(slot));
    }
}

/* The register is free in the cycles in which scheduler 0 has the first turn. Returns who takes it in the next of
 * these, and empties it. */
static unsigned next_taker(struct bench *t, unsigned unit)
{
    struct warp_table *w = &t->b.warp;
    struct core *core = t->b.core;
    for (unsigned i = 0; i < t->schedulers; i++) {
        for (uint64_t rest = w->resident & ~w->buffered; rest; rest &= rest - 1)
            warp_fetched(w, mask_first(rest), 0, 1, 0);
        core_issue(core);
        warp_all_looked(w);
        warp_cycle_begins(w, ++t->b.agenda.now);
    }
    assert_int_equal(core->id_oc[unit].count, 1);
    core_op_free(&t->b.ops, core_leave(core, (enum warp_unit)unit));
    bench_check_cores(&t->b);
    return t->taker;
}

/* sm.overtakes: the scheduler whose turn it is takes the register so many times, then one that was overtaken each time;
 * two of them alternate from then on. Without a limit, the others never have it. */
static void expect_fair(struct bench *t, unsigned schedulers, unsigned overtakes, unsigned kind)
{
    unsigned unit = warp_unit_of(kind), rounds = (overtakes + 4) * schedulers;
    open_rivals(t, schedulers, overtakes, kind);
    for (unsigned i = 0; i < rounds; i++) {
        unsigned taker = next_taker(t, unit);
        if (!overtakes || i < overtakes)
            assert_int_equal(taker, 0);
        else if (schedulers == 2)
            assert_int_equal(taker, (i - overtakes) % 2 ? 0 : 1);
    }
    for (unsigned s = 0; s < schedulers && overtakes; s++)
        assert_true(t->issues[s] >= 2);
    bench_close(&t->b);
}

/* The classes that take a kind of instructions. */
static unsigned takers_of(unsigned kind)
{
    unsigned takers = 0;
#define UNIT(name, takes, side, ...) takers += (takes) >> kind & 1;
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
    return takers;
}

static void overtaken_schedulers_go_first(void **state)
{
    (void)state;
    static const unsigned often[] = {0, 1, 5, 64};
    struct bench *t = aligned_alloc(128, round_up_u64(sizeof *t, 128));
    assert_non_null(t);
    for (unsigned kind = 0; kind < ISA_UNIT_COUNT; kind++)
        for (unsigned i = 0; takers_of(kind) == 1 && i < sizeof often / sizeof *often; i++)
            for (unsigned schedulers = 2; schedulers <= 4; schedulers++)
                expect_fair(t, schedulers, often[i], kind);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_part_the_slots),
        cmocka_unit_test(overtaken_schedulers_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The exact detector, the one that believes marks, and the measures of an SM, on sequences made by hand. */
#include "unit/watch/spin_bench.h"

/* Registers r1 and r2 come round the loop; r3 is written anew in every pass. */
static const char loop[] = "mov.u32 %r1, 0;\n"            /* 0 */
                           "mov.u32 %r2, 0;\n"            /* 1 */
                           "AGAIN: mov.u32 %r3, 7;\n"     /* 2 */
                           "add.u32 %r1, %r1, %r2;\n"     /* 3 */
                           "setp.lt.u32 %p1, %r1, %r3;\n" /* 4 */
                           "@%p1 bra AGAIN;\n"            /* 5 */
                           ".pragma \"lockstep.spin\";\n"
                           "@%p2 bra AGAIN;\n" /* 6 */
                           "ret;";

static void open_oracle(struct bench *b)
{
    bench_open(b, "", loop);
    bench_detector(b, "oracle", 4);
}

static enum spin_verdict take(struct bench *b, uint32_t number)
{
    return b->detector->branch(b->state, bench_event(b, 5, number));
}

static void wrote(struct bench *b, unsigned lane, uint64_t address, const uint64_t *before, uint64_t after)
{
    b->detector->wrote(b->state, b->event.warp, lane, address, before, after);
}

static void registers(void **state)
{
    struct bench b;
    open_oracle(&b);
    for (uint32_t i = 0; i < 5; i++) {
        bench_register(&b, "%r1", 0, i);
        bench_register(&b, "%r3", 0, 0); /* is not read again */
        assert_int_equal(take(&b, 0), SPIN_NO);
    }
    bench_register(&b, "%r1", 1, 77); /* another lane's */
    bench_register(&b, "%r3", 0, 99);
    assert_int_equal(take(&b, 0), SPIN_CONFIRMED);
    bench_register(&b, "%r1", 0, 1000); /* found once, for good */
    assert_int_equal(take(&b, 0), SPIN_YES);
    assert_int_equal(take(&b, 1), SPIN_NO); /* another branch, met for the first time */
    b.detector->drained(b.state);
    uint32_t entries, confirmed;
    b.detector->occupancy(b.state, &entries, &confirmed);
    assert_int_equal(entries + confirmed, 0);
    bench_close(&b);
}

/* The profiled lane is the lowest that takes the branch, while it does. */
static void lanes(void **state)
{
    struct bench b;
    open_oracle(&b);
    b.event.mask = 0xF0;
    take(&b, 0);
    b.event.mask = 0xE0; /* lane 4 has left: lane 5 begins */
    assert_int_equal(take(&b, 0), SPIN_NO);
    b.event.mask = 0; /* nobody takes it */
    assert_int_equal(take(&b, 0), SPIN_NO);
    b.event.mask = 0xFF; /* lane 5 is still there */
    assert_int_equal(take(&b, 0), SPIN_CONFIRMED);
    b.event.mask = 0;
    assert_int_equal(take(&b, 0), SPIN_YES);
    bench_close(&b);
}

static void new_warp(void **state)
{
    struct bench b;
    open_oracle(&b);
    take(&b, 0);
    b.detector->launched(b.state, 0);
    assert_int_equal(take(&b, 0), SPIN_NO);
    b.event.warp = 9;
    assert_int_equal(take(&b, 0), SPIN_NO);
    assert_int_equal(take(&b, 0), SPIN_CONFIRMED);
    bench_close(&b);
}

/* Changes of memory are net, from one look to the next. */
static void memory(void **state)
{
    static const uint64_t zero = 0, one = 1;
    struct bench b;
    open_oracle(&b);
    take(&b, 0);
    wrote(&b, 0, 0x100, &zero, 1); /* a lock taken */
    assert_int_equal(take(&b, 0), SPIN_NO);
    wrote(&b, 0, 0x100, &one, 0); /* and given back later: two changes */
    assert_int_equal(take(&b, 0), SPIN_NO);
    wrote(&b, 0, 0x100, &zero, 1); /* within one pass: none */
    wrote(&b, 0, 0x100, &one, 0);
    assert_int_equal(take(&b, 0), SPIN_CONFIRMED);
    bench_close(&b);
}

/* What a plain store found there is known only if the lane itself wrote it in the pass before. */
static void stores(void **state)
{
    struct bench b;
    open_oracle(&b);
    take(&b, 0);
    wrote(&b, 0, 0x208, NULL, 0); /* perhaps it was 0 */
    assert_int_equal(take(&b, 0), SPIN_NO);
    wrote(&b, 0, 0x200, NULL, 5);
    assert_int_equal(take(&b, 0), SPIN_NO);
    wrote(&b, 0, 0x200, NULL, 6);
    assert_int_equal(take(&b, 0), SPIN_NO);
    wrote(&b, 0, 0x200, NULL, 6);
    wrote(&b, 3, 0x200, NULL, 9); /* not the profiled lane */
    assert_int_equal(take(&b, 0), SPIN_CONFIRMED);
    bench_close(&b);
}

/* More locations than are remembered count as a change. */
static void many_stores(void **state)
{
    static const uint64_t zero = 0;
    struct bench b;
    open_oracle(&b);
    take(&b, 0);
    for (uint64_t i = 0; i < 17; i++)
        wrote(&b, 0, 0x100 + 8 * i, &zero, 0);
    assert_int_equal(take(&b, 0), SPIN_NO);
    for (uint64_t i = 0; i < 16; i++)
        wrote(&b, 0, 0x100 + 8 * i, &zero, 0);
    assert_int_equal(take(&b, 0), SPIN_CONFIRMED);
    bench_close(&b);
}

/* An outer loop whose inner one changes memory has not come back to the same state, and more branches than the warp
 * remembers are forgotten in turn, not mixed up. */
static void several_branches(void **state)
{
    static const uint64_t zero = 0;
    struct bench b;
    open_oracle(&b);
    bench_detector(&b, "oracle", 16);
    take(&b, 0);
    wrote(&b, 0, 0x100, &zero, 1);
    take(&b, 1); /* the change was seen here */
    assert_int_equal(take(&b, 0), SPIN_NO);
    for (unsigned round = 0; round < 3; round++)
        for (uint32_t i = 2; i < 11; i++) /* nine in turn: each is forgotten before it comes again */
            assert_int_equal(take(&b, i), SPIN_NO);
    bench_close(&b);
}

static void marks(void **state)
{
    struct bench b;
    bench_open(&b, "", loop);
    bench_detector(&b, "static", 4);
    assert_int_equal(b.detector->branch(b.state, bench_event(&b, 5, 0)),
                     SPIN_YES); /* the same loop as the marked one */
    assert_int_equal(b.detector->branch(b.state, bench_event(&b, 6, 1)), SPIN_YES);
    assert_int_equal(b.detector->hardware_bits(&b.params, 48), 0);
    bench_close(&b);
    bench_open(&b, "", "A: add.u32 %r1, %r1, 1;\n@%p1 bra A;\nret;");
    bench_detector(&b, "static", 4);
    for (unsigned i = 0; i < 9; i++)
        assert_int_equal(b.detector->branch(b.state, bench_event(&b, 1, 0)), SPIN_NO);
    bench_close(&b);
}

/* The measures of an SM */

static const char locks[] = "A: atom.global.cas.b32 %r1, [%rd1], 0, 1;\n" /* 0 */
                            "setp.ne.u32 %p1, %r1, 0;\n"                  /* 1 */
                            ".pragma \"lockstep.spin\";\n"
                            "@%p1 bra A;\n"                            /* 2 */
                            "st.global.u32 [%rd1], %r2;\n"             /* 3 */
                            "W: ld.volatile.global.u32 %r1, [%rd2];\n" /* 4 */
                            "setp.ne.u32 %p1, %r1, 0;\n"               /* 5 */
                            ".pragma \"lockstep.spin\";\n"
                            "@%p1 bra W;\n"             /* 6 */
                            "L: add.u32 %r3, %r3, 1;\n" /* 7 */
                            "@%p1 bra L;\n"             /* 8 */
                            "ret;";

struct measures {
    struct bench b;
    struct spin *spin;
    uint16_t number[16];
};

static void open_measures(struct measures *m, const char *settings, const char *detector)
{
    bench_open(&m->b, settings, locks);
    struct spin_setup setup = {.params = &m->b.params,
                               .detector = spin_find_detector(detector),
                               .judge = spin_find_detector("static"),
                               .warps = 48,
                               .control_bits = 1000};
    m->spin = spin_create(&setup, &m->b.arena);
    spin_begin(m->spin, m->b.module, 0);
    assert_int_equal(spin_number_branches(m->b.module, m->number), 3);
    for (unsigned w = 0; w < 48; w++)
        spin_launched(m->spin, w);
}

static void close_measures(struct measures *m)
{
    spin_destroy(m->spin);
    bench_close(&m->b);
}

static bool step(struct measures *m, unsigned warp, uint32_t pc, uint64_t active, uint64_t mask)
{
    m->b.event.warp = warp;
    m->b.event.active = active;
    m->b.event.mask = mask;
    struct spin_event *e = bench_event(&m->b, pc, 0);
    e->branch = m->number[pc];
    const struct isa_instr *i = e->instr;
    bool is_memory = pc == 0 || pc == 3 || pc == 4;
    struct simt_access access = {.instr = i,
                                 .mask = mask,
                                 .kind = pc == 0   ? ISA_FLAG_ATOMIC
                                         : pc == 3 ? ISA_FLAG_STORE
                                                   : ISA_FLAG_LOAD,
                                 .space = ISA_SPACE_GLOBAL,
                                 .element_bytes = 4,
                                 .elements = 1,
                                 .stride = 16};
    for (unsigned lane = 0; lane < 32; lane++)
        access.address[lane] = 0x1000;
    return spin_issued(m->spin, e, is_memory ? &access : NULL);
}

/* The lanes' compare-and-swap of 0 to 1 at 0x1000 comes back: the first of `found` is what the first lane found. */
static void swapped(struct measures *m, unsigned warp, unsigned lanes, uint64_t found)
{
    for (unsigned i = 0; i < lanes; i++) {
        uint64_t before = i ? 1 : found;
        spin_atomic(m->spin, &(struct spin_atomic){.warp = warp,
                                                   .lane = i,
                                                   .instr = &m->b.module->instrs[0],
                                                   .address = 0x1000,
                                                   .before = before,
                                                   .after = 1,
                                                   .took = !before});
    }
}

static void lock_outcomes(void **state)
{
    struct measures m;
    open_measures(&m, "", "static");
    step(&m, 0, 0, 0xF, 0xF);
    swapped(&m, 0, 4, 0); /* lane 0 takes it; the three others meet it */
    step(&m, 0, 1, 0xF, 0xF);
    assert_true(step(&m, 0, 2, 0xF, 0xE));
    step(&m, 1, 0, 0x3, 0x3);
    swapped(&m, 1, 2, 1); /* another warp's */
    step(&m, 1, 1, 0x3, 0x3);
    step(&m, 1, 2, 0x3, 0x3);
    const struct spin_stats *s = spin_stats_of(m.spin);
    assert_int_equal(s->lock_success, 1);
    assert_int_equal(s->lock_fail_inside, 3);
    assert_int_equal(s->lock_fail_between, 2);
    assert_int_equal(s->loop_warp_instructions, 6);
    assert_int_equal(s->loop_thread_instructions, 4 + 4 + 3 + 2 + 2 + 2);
    assert_int_equal(s->wasted_thread_instructions, 3 * 3 + 2 * 3); /* of five lanes that went round */
    assert_int_equal(s->loop_accesses, 6);
    assert_int_equal(s->wasted_accesses, 5);
    assert_int_equal(s->wait_success + s->wait_fail, 0);
    step(&m, 0, 3, 0x1, 0x1); /* a plain store gives it back: nobody of this warp has it now */
    step(&m, 0, 0, 0xE, 0xE);
    swapped(&m, 0, 3, 1);
    s = spin_stats_of(m.spin);
    assert_int_equal(s->lock_fail_inside, 3);
    assert_int_equal(s->lock_fail_between, 5);
    close_measures(&m);
}

/* A lane that goes round with a lock in its hand has done something. */
static void two_locks(void **state)
{
    struct measures m;
    open_measures(&m, "", "static");
    step(&m, 2, 0, 0x1, 0x1);
    swapped(&m, 2, 1, 0);
    step(&m, 2, 1, 0x1, 0x1);
    step(&m, 2, 2, 0x1, 0x1);
    assert_int_equal(spin_stats_of(m.spin)->wasted_thread_instructions, 0);
    step(&m, 2, 0, 0x1, 0x1); /* misses it this time: its own */
    swapped(&m, 2, 1, 1);
    step(&m, 2, 2, 0x1, 0x1);
    assert_int_equal(spin_stats_of(m.spin)->wasted_thread_instructions, 2);
    assert_int_equal(spin_stats_of(m.spin)->lock_fail_inside, 1);
    close_measures(&m);
}

static void waits(void **state)
{
    struct measures m;
    open_measures(&m, "", "static");
    for (unsigned i = 0; i < 3; i++) {
        step(&m, 0, 4, 0x3, 0x3);
        step(&m, 0, 5, 0x3, 0x3);
        step(&m, 0, 6, 0x3, i == 2 ? 0x2 : 0x3); /* lane 0 leaves with the third pass */
    }
    const struct spin_stats *s = spin_stats_of(m.spin);
    assert_int_equal(s->wait_success, 1);
    assert_int_equal(s->wait_fail, 5);
    assert_int_equal(s->lock_success + s->lock_fail_inside + s->lock_fail_between, 0);
    step(&m, 0, 7, 0x3, 0x3); /* not marked */
    step(&m, 0, 8, 0x3, 0x3);
    assert_int_equal(spin_stats_of(m.spin)->wait_fail, 5);
    assert_int_equal(spin_stats_of(m.spin)->loop_warp_instructions, 9);
    close_measures(&m);
}

/* Which executions count, and detection rates: the marked branches that were met, and those of them that were found. */
static void rates(void **state)
{
    static const struct {
        const char *counts;
        uint64_t mask;
        unsigned counted;
    } rows[] = {{"any", 0x3, 1},   {"any", 0x2, 1}, {"any", 0, 0},      {"first", 0x3, 1},
                {"first", 0x2, 0}, {"first", 0, 0}, {"executed", 0, 1}, {"executed", 2, 1}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct measures m;
        char settings[60];
        snprintf(settings, sizeof settings, "spin.counts=%s", rows[i].counts);
        open_measures(&m, settings, "static");
        assert_int_equal(step(&m, 0, 2, 0x3, rows[i].mask), rows[i].counted);
        assert_int_equal(spin_stats_of(m.spin)->branches, rows[i].counted);
        assert_int_equal(spin_stats_of(m.spin)->sib_executions, rows[i].counted);
        close_measures(&m);
    }
    struct measures m;
    open_measures(&m, "spin.threshold=2", "ddos");
    m.b.cycle = 999;
    for (unsigned i = 0; i < 60; i++) { /* the wait spins and is found, the last loop is wrongly found with it */
        step(&m, 0, 5, 0x1, 0x1);
        step(&m, 0, 6, 0x1, 0x1);
        if (i >= 20)
            step(&m, 0, 8, 0x1, 0x1);
    }
    step(&m, 1, 2, 0x1, 0x1); /* met, not found */
    const struct spin_stats *s = spin_stats_of(m.spin);
    assert_int_equal(s->true_met, 2);
    assert_int_equal(s->true_found, 1);
    assert_int_equal(s->false_met, 1);
    assert_int_equal(s->false_found, 1);
    /* The wait: setp and branch at 1000 and 1001; spins with the second setp, 1002; +1 at 1003, confirmed at 1005; last
     * at 1000 + 40 + 39 * 3 + 1. The other: from 1042 on, every third cycle, confirmed the second time. */
    assert_int_equal(s->true_phase, (1005 - 1001) * 1000000 / (1158 - 1001));
    assert_int_equal(s->false_phase, 3 * 1000000 / (39 * 3));
    assert_int_equal(s->confirmed_max, 2);
    assert_int_equal(s->table_max, 2);
    close_measures(&m);
}

/* Measures of whoever holds back warps that spin. */
static void back_off(void **state)
{
    struct measures m;
    open_measures(&m, "", "static");
    assert_true(step(&m, 4, 6, 1, 1));
    spin_backed_off(m.spin);
    assert_false(step(&m, 4, 4, 1, 1));
    spin_left(m.spin, 500);
    spin_left(m.spin, 300);
    spin_pass(m.spin, 10, 3, 2);
    const struct spin_stats *s = spin_stats_of(m.spin);
    assert_int_equal(s->backoffs, 1);
    assert_int_equal(s->delay_limit_sum, 800);
    assert_int_equal(s->delay_limit_max, 500);
    assert_int_equal(s->backed_off_cycles, 30);
    assert_int_equal(s->delayed_cycles, 20);
    assert_int_equal(s->hardware_bits, 1000); /* the marks of the source need none */
    spin_stats_reset(m.spin);
    assert_int_equal(spin_stats_of(m.spin)->backoffs, 0);
    close_measures(&m);
}

static void names(void **state)
{
    for (const struct spin_detector *const *d = spin_detectors(); *d; d++) {
        assert_ptr_equal(spin_find_detector((*d)->name), *d);
        assert_true((*d)->state_bytes && (*d)->reset && (*d)->branch && (*d)->drained && (*d)->occupancy);
        assert_true((*d)->hardware_bits && *(*d)->doc);
    }
    assert_null(spin_find_detector("bows"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers),        cmocka_unit_test(lanes),  cmocka_unit_test(new_warp),
        cmocka_unit_test(memory),           cmocka_unit_test(stores), cmocka_unit_test(many_stores),
        cmocka_unit_test(several_branches), cmocka_unit_test(marks),  cmocka_unit_test(lock_outcomes),
        cmocka_unit_test(two_locks),        cmocka_unit_test(waits),  cmocka_unit_test(rates),
        cmocka_unit_test(back_off),         cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

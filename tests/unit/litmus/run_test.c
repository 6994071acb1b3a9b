/* Litmus tests on simulated machines: what is seen is what the model allows, the same whenever it is asked, and what a
 * machine without one of its mechanisms shows is seen to be forbidden. */
#include "gpu/machine.h"
#include "litmus_support.h"
#include "memory/coherence/protocol.h"
#include "effort.h"

static void load(struct machine *machine, const char *name, const char *setting)
{
    struct diag_sink sink;
    diag_init(&sink);
    assert_int_equal(machine_load(machine, name, &sink), 0);
    if (setting)
        assert_int_equal(machine_set(machine, setting, &sink), 0);
    assert_int_equal(machine_check(machine, NULL, &sink), 0);
    diag_free(&sink);
}

static void see(const struct litmus_test *test, const struct machine *machine, uint64_t runs, uint64_t seed,
                unsigned threads, struct litmus_outcomes *seen)
{
    struct litmus_run run = {.machine = machine, .runs = runs, .seed = seed, .threads = threads};
    struct diag_sink sink;
    uint64_t sum = 0;
    diag_init(&sink);
    *seen = (struct litmus_outcomes){0};
    assert_int_equal(litmus_run(test, &run, seen, &sink), 0);
    for (unsigned i = 0; i < seen->count; i++)
        sum += seen->items[i].count;
    assert_int_equal(sum, runs);
    diag_free(&sink);
}

/* How many of the runs ended as the model forbids. */
static uint64_t forbidden(const struct litmus_test *test, const struct machine *machine, uint64_t runs)
{
    struct litmus_verdict verdict;
    struct litmus_outcomes seen;
    uint64_t sum = 0;
    litmus_ask(test, 2, &verdict);
    see(test, machine, runs, 1, 1, &seen);
    for (unsigned i = 0; i < seen.count; i++)
        if (!litmus_count_of(&verdict.allowed, &seen.items[i].outcome))
            sum += seen.items[i].count;
    litmus_outcomes_free(&seen);
    litmus_verdict_free(&verdict);
    return sum;
}

static void a_machine_without_a_mechanism_is_caught(void **state)
{
    (void)state;
    static const struct {
        const char *setting;
        const char *rows, *condition;
    } needed[] = {
        {"sm.fence_l1=none",
         "st.weak x, 1 | ld.relaxed.gpu r0, y ; fence.acq_rel.gpu | fence.acq_rel.gpu ; st.relaxed.gpu y, 1 | ld.weak "
         "r1, x ;",
         "exists (P1:r0 == 1 /\\ P1:r1 == 0)"},
        {"sm.memory_in_order=false", "st.relaxed.gpu x, 1 | ; ld.relaxed.gpu r0, x | ;", "exists (P0:r0 == 0)"},
    };
    struct machine whole;
    load(&whole, "gtx480", NULL);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        struct litmus_test test;
        struct machine lame;
        load(&lame, "gtx480", needed[i].setting);
        read_pair(&test, 1, needed[i].rows, needed[i].condition);
        assert_int_equal(forbidden(&test, &whole, 3000 / effort_steps(3, 30)), 0);
        if (!forbidden(&test, &lame, 3000))
            fail_msg("with %s nothing forbidden is seen", needed[i].setting);
        litmus_free(&test);
        machine_free(&lame);
    }
    machine_free(&whole);
}

/* An atomic that does not change memory writes nothing, at any scope and under any protocol: no store of another block
 * is lost beside it, neither of the word itself nor of one that shares its line. */
static void what_changes_nothing_writes_nothing(void **state)
{
    (void)state;
    static const char *const operations[] = {"cas r0, x, 7, 5", "add r0, x, 0", "max r0, x, 0"};
    static const char *const scopes[] = {"cta", "gpu", "sys"};
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++) {
        struct machine machine;
        char setting[64], rows[256];
        snprintf(setting, sizeof setting, "coherence.protocol=%s", (*p)->name);
        load(&machine, "gtx480", setting);
        for (unsigned i = 0; i < 9; i++) {
            struct litmus_test test;
            struct litmus_outcomes seen;
            snprintf(rows, sizeof rows, "st.relaxed.gpu x, 1 | atom.relaxed.%s.%s ; st.weak y, 1 | ;", scopes[i % 3],
                     operations[i / 3]);
            read_pair(&test, 1, rows, "forall (x == 1 /\\ y == 1)");
            see(&test, &machine, 200 / effort_steps(2, 20), 1, 1, &seen);
            for (unsigned k = 0; k < seen.count; k++)
                if (!litmus_holds(&test, &seen.items[k].outcome))
                    fail_msg("%s: %s", (*p)->name, rows);
            litmus_outcomes_free(&seen);
            litmus_free(&test);
        }
        machine_free(&machine);
    }
}

static bool same(const struct litmus_outcomes *a, const struct litmus_outcomes *b)
{
    return a->count == b->count && !memcmp(a->items, b->items, a->count * sizeof *a->items);
}

static void a_seed_says_what_is_seen(void **state)
{
    (void)state;
    struct machine machine;
    struct litmus_test test;
    struct litmus_outcomes once, again, threads, other;
    load(&machine, "gtx480", NULL);
    read_pair(&test, 1, "st.weak x, 1 | st.weak y, 1 ; ld.weak r0, y | ld.weak r0, x ;",
              "exists (P0:r0 == 0 /\\ P1:r0 == 0)");
    see(&test, &machine, 1500 / effort_steps(2, 15), 1, 1, &once);
    see(&test, &machine, 1500 / effort_steps(2, 15), 1, 1, &again);
    see(&test, &machine, 1500 / effort_steps(2, 15), 1, 2, &threads);
    see(&test, &machine, 1500 / effort_steps(2, 15), 2, 1, &other);
    assert_true(same(&once, &again));
    assert_true(same(&once, &threads));
    assert_false(same(&once, &other));
    assert_true(litmus_count_of(&once, &(struct litmus_outcome){{0, 0}}) > 0);
    litmus_outcomes_free(&once);
    litmus_outcomes_free(&again);
    litmus_outcomes_free(&threads);
    litmus_outcomes_free(&other);
    litmus_free(&test);
    machine_free(&machine);
}

/* Everything that an instruction of a test may be is what the machine does. */
static void every_instruction_runs(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *condition;
    } certain[] = {
        {"mov r1, 4 | ; add r2, r1, 3 | ; st.weak x, r2 | ;", "(x == 7 /\\ P0:r2 == 7)"},
        {"red.relaxed.gpu.add x, 4 | ; atom.acq_rel.gpu.sub r0, x, 1 | ;", "(x == 3 /\\ P0:r0 == 4)"},
        {"atom.acquire.sys.cas r0, x, 0, 6 | ; atom.release.cta.cas r1, x, 0, 8 | ;", "(x == 6 /\\ P0:r1 == 6)"},
        {"atom.relaxed.gpu.max r0, x, 9 | ; atom.relaxed.gpu.min r0, x, 4 | ; atom.relaxed.gpu.xor r1, x, 5 | ;",
         "(x == 1 /\\ P0:r1 == 4)"},
        {"atom.relaxed.gpu.or r0, x, 9 | ; atom.relaxed.gpu.and r0, x, 12 | ; atom.relaxed.gpu.exch r1, x, 5 | ;",
         "(x == 5 /\\ P0:r1 == 8)"},
        {"mov r0, 3 | ; L0: atom.relaxed.gpu.add r1, x, 2 | ; add r0, r0, -1 | ; bne r0, 0, L0 | ;",
         "(x == 6 /\\ P0:r1 == 4)"},
        {"beq 1, 1, L1 | ; st.weak x, 1 | ; L1: goto L2 | ; st.weak x, 1 | ; L2: | ;", "(x == 0)"},
    };
    struct machine machine;
    load(&machine, "gtx480", NULL);
    for (size_t i = 0; i < sizeof certain / sizeof *certain; i++) {
        struct litmus_test test;
        struct litmus_outcomes seen;
        char condition[128];
        snprintf(condition, sizeof condition, "forall %s", certain[i].condition);
        read_pair(&test, 1, certain[i].rows, condition);
        see(&test, &machine, 60, 1, 1, &seen);
        assert_int_equal(seen.count, 1);
        if (!litmus_holds(&test, &seen.items[0].outcome))
            fail_msg("%s", certain[i].rows);
        assert_int_equal(forbidden(&test, &machine, 60), 0);
        litmus_outcomes_free(&seen);
        litmus_free(&test);
    }
    machine_free(&machine);
}

/* A strong load that passes the L1 leaves no older line there for the plain loads behind it. */
static void a_plain_load_sees_what_a_strong_one_saw(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "ld.relaxed.gpu r0, x | st.relaxed.gpu x, 1 ; ld.weak r1, x | ;",
        "ld.volatile r0, x | atom.relaxed.sys.exch r1, x, 1 ; ld.weak r1, x | ;",
    };
    struct machine machine;
    load(&machine, "gtx480", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct litmus_test test;
        read_pair(&test, 1, rows[i], "exists (P0:r0 == 1 /\\ P0:r1 == 0)");
        assert_int_equal(forbidden(&test, &machine, 500), 0);
        litmus_free(&test);
    }
    machine_free(&machine);
}

static void what_cannot_be_run_is_refused(void **state)
{
    (void)state;
    struct machine machine;
    struct litmus_test test;
    struct litmus_outcomes seen = {0};
    struct diag_sink sink;
    struct litmus_run run = {.machine = &machine, .runs = 10};
    load(&machine, "gtx480", NULL);
    diag_init(&sink);
    read_test(&test, "PTX two\n{ }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 1 ;\n st.weak x, 1 | ;\nexists (x == 0)");
    assert_int_equal(litmus_run(&test, &run, &seen, &sink), -1);
    assert_non_null(strstr(sink.items[0].message, "several GPUs"));
    litmus_free(&test);
    /* A loop that never ends is a hang. */
    read_test(&test, "PTX loop\n{ }\n P0@cta 0 ;\n L0: ld.relaxed.gpu r0, x ; beq r0, 0, L0 ;\nexists (x == 0)");
    run.max_cycles = 200000;
    assert_int_equal(litmus_run(&test, &run, &seen, &sink), -1);
    assert_non_null(strstr(sink.items[sink.count - 1].message, "did not come to its end"));
    litmus_free(&test);
    diag_free(&sink);
    machine_free(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_without_a_mechanism_is_caught),
        cmocka_unit_test(what_changes_nothing_writes_nothing),
        cmocka_unit_test(a_seed_says_what_is_seen),
        cmocka_unit_test(every_instruction_runs),
        cmocka_unit_test(a_plain_load_sees_what_a_strong_one_saw),
        cmocka_unit_test(what_cannot_be_run_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

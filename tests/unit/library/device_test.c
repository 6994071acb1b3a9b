/* Devices of the library: what is wrong is said and nothing changes, schedulers of the program, sizes of structures. */
#include "library_support.h"

/* Errors */

static void refuses(const struct lockstep_device_setup *setup, int expected, const char *words)
{
    struct lockstep_device *device;
    int code = lockstep_create(&device, setup);
    must_say(device, code, expected, words);
    struct lockstep_device_facts facts = {.size = sizeof facts};
    must_say(device, lockstep_facts(device, &facts), LOCKSTEP_ERROR_STATE, "the device was not made");
    lockstep_destroy(device);
}

static void test_what_is_wrong_with_a_machine_is_said(void **state)
{
    const size_t size = sizeof(struct lockstep_device_setup);
    (void)state;
    refuses(&(struct lockstep_device_setup){size, .machine = "gtx48"}, LOCKSTEP_ERROR_INVALID, "gtx480");
    refuses(&(struct lockstep_device_setup){size, .machine = "no/such.yaml"}, LOCKSTEP_ERROR_INVALID, "no/such.yaml");
    refuses(&(struct lockstep_device_setup){size, .text = "base: gtx480\nsm:\n  warps: 65\n"}, LOCKSTEP_ERROR_INVALID,
            "machine.yaml:3:10: error");
    refuses(&(struct lockstep_device_setup){size, .set = (const char *const[]){"sm.warp=3", NULL}},
            LOCKSTEP_ERROR_INVALID, "sm.warps");
    refuses(&(struct lockstep_device_setup){size, .set = (const char *const[]){"sm.scheduler=./mine.so", NULL}},
            LOCKSTEP_ERROR_INVALID, "lockstep_scheduler_plugin");
    refuses(&(struct lockstep_device_setup){0}, LOCKSTEP_ERROR_VERSION, "size of 0 bytes");
    static const struct lockstep_scheduler old = {.version = 1, .name = "old"};
    refuses(&(struct lockstep_device_setup){size, .scheduler = &old}, LOCKSTEP_ERROR_INVALID, "version 1");
}

static void test_a_machine_may_be_a_text(void **state)
{
    (void)state;
    struct lockstep_device *device;
    const char *value;
    const struct lockstep_device_setup setup = {.size = sizeof setup,
                                                .machine = "mine.yaml",
                                                .text = "base: gtx480\nsm:\n  warps: 24\n",
                                                .set = (const char *const[]){"gpu.sms=3", NULL}};
    struct lockstep_device_facts facts = {.size = sizeof facts};
    int code = lockstep_create(&device, &setup);
    MUST(device, code);
    MUST(device, lockstep_facts(device, &facts));
    assert_int_equal(facts.sms, 3);
    assert_int_equal(facts.warps, 24);
    MUST(device, lockstep_parameter(device, "sm.warps", &value));
    assert_string_equal(value, "24");
    must_say(device, lockstep_parameter(device, "sm.no", &value), LOCKSTEP_ERROR_ABSENT, "no parameter sm.no");
    lockstep_destroy(device);
}

static void test_what_is_wrong_with_ptx_is_said(void **state)
{
    (void)state;
    struct lockstep_device *device;
    struct lockstep_module *module;
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{ adx.u32 %r1; }\n";
    struct lockstep_diagnostic d = {.size = sizeof d};
    int code = lockstep_create(&device, NULL);
    MUST(device, code);
    must_say(device, lockstep_load(device, "mine.ptx", text, strlen(text), 0, &module), LOCKSTEP_ERROR_INVALID,
             "mine.ptx:5:3: error");
    MUST(device, lockstep_diagnostic(device, 0, &d));
    assert_int_equal(d.severity, LOCKSTEP_IS_ERROR);
    assert_string_equal(d.file, "mine.ptx");
    assert_int_equal(d.line, 5);
    assert_int_equal(d.column, 3);
    assert_non_null(strstr(d.message, "adx"));
    assert_int_equal(lockstep_diagnostic(device, 20, &d), LOCKSTEP_ERROR_ABSENT);
    MUST(device, lockstep_facts(device, &(struct lockstep_device_facts){.size = sizeof(struct lockstep_device_facts)}));
    assert_string_equal(lockstep_message(device), "");
    lockstep_destroy(device);
}

static void test_calls_at_the_wrong_time_are_refused(void **state)
{
    (void)state;
    struct locks l, other;
    uint64_t value;
    struct lockstep_statistic s = {.size = sizeof s};
    locks_open(&l, NULL, NULL, NULL);
    locks_open(&other, NULL, NULL, NULL);
    must_say(l.device, lockstep_run(l.device, NULL, NULL), LOCKSTEP_ERROR_STATE, "no launch is under way");
    must_say(l.device, lockstep_statistic(l.device, 0, &s), LOCKSTEP_ERROR_STATE, "no launch yet");
    must_say(l.device, lockstep_register(l.device, 0, 0, 0, "%r1", &value), LOCKSTEP_ERROR_STATE, "no launch");
    must_say(l.device, lockstep_unload(l.device, other.module), LOCKSTEP_ERROR_INVALID, "none of this device");
    must_say(l.device, lockstep_free(l.device, l.sums + 4), LOCKSTEP_ERROR_INVALID, "no allocation begins");
    must_say(l.device, lockstep_write(l.device, l.sums, &s, 1000), LOCKSTEP_ERROR_INVALID, "1000 bytes");
    locks_launch(&l, 1, 0);
    must_say(l.device, locks_try(&l, 1, 0, 0), LOCKSTEP_ERROR_STATE, "a launch is under way");
    must_say(l.device, lockstep_unload(l.device, l.module), LOCKSTEP_ERROR_STATE, "a launch is under way");
    must_say(l.device, lockstep_break(l.device, 3), LOCKSTEP_ERROR_STATE, "the first lockstep_break");
    MUST(l.device, lockstep_step(l.device, 2000, NULL));
    must_say(l.device, lockstep_register(l.device, 0, 0, 0, "%r77", &value), LOCKSTEP_ERROR_ABSENT, "%r77");
    must_say(l.device, lockstep_register(l.device, 99, 0, 0, "%r1", &value), LOCKSTEP_ERROR_ABSENT, "SM 99");
    MUST(l.device, lockstep_run(l.device, NULL, NULL));
    assert_int_equal(lockstep_statistic(l.device, 100000, &s), LOCKSTEP_ERROR_ABSENT);
    must_say(l.device, lockstep_find_statistic(l.device, "sm.no", &s), LOCKSTEP_ERROR_ABSENT, "no statistic sm.no");
    MUST(l.device, lockstep_unload(l.device, l.module));
    free(result_text(l.device)); /* it has the kernel's name still */
    lockstep_destroy(l.device);
    lockstep_destroy(other.device);
}

static void test_arguments_are_looked_at(void **state)
{
    (void)state;
    struct locks l;
    uint32_t small = 0;
    locks_open(&l, NULL, NULL, NULL);
    const struct lockstep_argument wrong[] = {LOCKSTEP_ARGUMENT(l.locks), LOCKSTEP_ARGUMENT(small),
                                              LOCKSTEP_ARGUMENT(l.rounds)};
    struct lockstep_launch_setup launch = {
        .size = sizeof launch, .module = l.module, .kernel = "none", .argument_count = 2, .arguments = wrong};
    must_say(l.device, lockstep_launch(l.device, &launch), LOCKSTEP_ERROR_ABSENT, "no kernel 'none'");
    launch.kernel = "add_under_locks";
    must_say(l.device, lockstep_launch(l.device, &launch), LOCKSTEP_ERROR_INVALID, "3 parameters");
    launch.argument_count = 3;
    must_say(l.device, lockstep_launch(l.device, &launch), LOCKSTEP_ERROR_INVALID, "parameter sums has 8");
    launch.flags = 1u << 31;
    must_say(l.device, lockstep_launch(l.device, &launch), LOCKSTEP_ERROR_VERSION, "flags");
    lockstep_destroy(l.device);
}

/* The end of a launch */

static void test_ends_have_codes(void **state)
{
    (void)state;
    struct locks l;
    struct lockstep_outcome outcome = {.size = sizeof outcome};
    uint32_t held = 1;
    locks_open(&l, (const char *const[]){"gpu.watch_cycles=20000", NULL}, NULL, NULL);
    MUST(l.device, locks_try(&l, 1, 0, 500));
    must_say(l.device, lockstep_run(l.device, NULL, NULL), LOCKSTEP_ERROR_LIMIT, "500 cycles");
    MUST(l.device, lockstep_outcome(l.device, &outcome));
    assert_int_equal(outcome.code, LOCKSTEP_ERROR_LIMIT);
    assert_int_equal(outcome.cycles, 500);
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_write(l.device, l.locks, &held, sizeof held)); /* nobody will give it back */
    must_say(l.device, lockstep_run(l.device, NULL, NULL), LOCKSTEP_ERROR_HANG, "locks.ptx:");
    uint64_t sums = l.sums;
    l.sums = 64;
    const struct lockstep_argument arguments[] = {LOCKSTEP_ARGUMENT(l.locks), LOCKSTEP_ARGUMENT(l.sums),
                                                  LOCKSTEP_ARGUMENT(l.rounds)};
    const struct lockstep_launch_setup launch = {.size = sizeof launch,
                                                 .module = l.module,
                                                 .kernel = "add_under_locks",
                                                 .argument_count = 3,
                                                 .arguments = arguments};
    MUST(l.device, lockstep_fill(l.device, l.locks, 0, 32));
    MUST(l.device, lockstep_launch(l.device, &launch));
    must_say(l.device, lockstep_run(l.device, NULL, NULL), LOCKSTEP_ERROR_FAULT, "locks.ptx:30:5");
    l.sums = sums;
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_run(l.device, NULL, NULL));
    lockstep_destroy(l.device);
}

/* Under a protocol whose L1s keep what they have written, a read while the launch is held sees it, as a thread would.
 */
static void test_memory_is_read_as_a_thread_would(void **state)
{
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                               ".reg .b64 %rd<2>; .reg .b32 %r<2>;\nld.param.u64 %rd1, [p]; mov.u32 %r1, 7;\n"
                               "st.global.u32 [%rd1+4], %r1; membar.cta; nanosleep.u32 100000; ret;\n}\n";
    (void)state;
    struct locks l;
    struct lockstep_module *module;
    uint32_t word = 0;
    locks_open(&l, (const char *const[]){"coherence.protocol=denovo-b", NULL}, NULL, NULL);
    const struct lockstep_argument argument = LOCKSTEP_ARGUMENT(l.sums);
    MUST(l.device, lockstep_load(l.device, "k.ptx", text, strlen(text), 0, &module));
    const struct lockstep_launch_setup launch = {
        .size = sizeof launch, .module = module, .kernel = "k", .argument_count = 1, .arguments = &argument};
    MUST(l.device, lockstep_fill(l.device, l.sums, 0, 32));
    MUST(l.device, lockstep_launch(l.device, &launch));
    MUST(l.device, lockstep_step(l.device, 20000, NULL));
    MUST(l.device, lockstep_read(l.device, &word, l.sums + 4, sizeof word));
    assert_int_equal(word, 7);
    MUST(l.device, lockstep_run(l.device, NULL, NULL));
    lockstep_destroy(l.device);
}

/* Schedulers */

struct greedy {
    unsigned last;
    uint64_t *picks; /* in the program */
};

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    *(struct greedy *)state = (struct greedy){LOCKSTEP_NO_WARP, setup->user};
}

/* The warp that issued last, or else the oldest. */
static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    const struct greedy *g = state;
    unsigned best = LOCKSTEP_NO_WARP;
    if (g->last != LOCKSTEP_NO_WARP && view->ready >> g->last & 1)
        return g->last;
    for (unsigned warp = 0; warp < 64; warp++)
        if (view->ready >> warp & 1 && (best == LOCKSTEP_NO_WARP || view->warps[warp].age < view->warps[best].age))
            best = warp;
    return best;
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    struct greedy *g = state;
    (void)view;
    g->last = warp;
    ++*g->picks;
}

static const struct lockstep_scheduler greedy = {.version = LOCKSTEP_SCHEDULER_VERSION,
                                                 .name = "greedy",
                                                 .doc = "the last, or else the oldest",
                                                 .state_bytes = sizeof(struct greedy),
                                                 .reset = reset,
                                                 .pick = pick,
                                                 .issued = issued};

/* Cycles and instructions of a launch; with the policy, its issues are counted. */
static void measure(const char *const *set, const struct lockstep_scheduler *policy, uint64_t *picks, uint64_t to[2])
{
    struct locks l;
    struct lockstep_outcome outcome = {.size = sizeof outcome};
    struct lockstep_statistic s = {.size = sizeof s};
    locks_open(&l, set, policy, picks);
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_run(l.device, NULL, NULL));
    MUST(l.device, lockstep_outcome(l.device, &outcome));
    MUST(l.device, lockstep_find_statistic(l.device, "sm.warp_instructions", &s));
    to[0] = outcome.cycles;
    to[1] = s.value;
    lockstep_destroy(l.device);
}

static void test_a_scheduler_that_is_given_does_as_the_same_of_the_list(void **state)
{
    (void)state;
    uint64_t picks = 0, own[2], theirs[2], slower[2];
    measure(NULL, &greedy, &picks, own);
    measure((const char *const[]){"sm.scheduler=gto:rotation=0", NULL}, NULL, NULL, theirs);
    assert_int_equal(own[0], theirs[0]);
    assert_int_equal(own[1], theirs[1]);
    assert_int_equal(picks, own[1]);
    measure((const char *const[]){"sm.scheduler=greedy+bows", NULL}, &greedy, &picks, own);
    measure((const char *const[]){"sm.scheduler=gto:rotation=0+bows", NULL}, NULL, NULL, theirs);
    measure((const char *const[]){"sm.scheduler=lrr", NULL}, NULL, NULL, slower);
    assert_int_equal(own[0], theirs[0]);
    assert_int_not_equal(own[0], slower[0]);
}

/* Sizes: a program of an earlier version has shorter structures, one of a later version longer ones. */
static void test_structures_have_sizes(void **state)
{
    (void)state;
    struct locks l;
    struct {
        struct lockstep_until known;
        uint64_t later;
    } until = {.known.size = sizeof until, .known.cycle = 100};
    struct {
        size_t size;
        uint32_t why, untouched;
    } earlier = {.size = offsetof(struct lockstep_stop, why) + sizeof(uint32_t), .untouched = 77};
    locks_open(&l, NULL, NULL, NULL);
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_run(l.device, &until.known, (struct lockstep_stop *)(void *)&earlier));
    assert_int_equal(earlier.why, LOCKSTEP_WHY_CYCLE);
    assert_int_equal(earlier.untouched, 77);
    until.later = 1;
    must_say(l.device, lockstep_run(l.device, &until.known, NULL), LOCKSTEP_ERROR_VERSION, "does not know");
    assert_int_equal(lockstep_version(), LOCKSTEP_DEVICE_VERSION);
    assert_string_equal(lockstep_code_name(LOCKSTEP_ERROR_VERSION), "version");
    assert_string_equal(lockstep_code_name(1000), "unknown");
    lockstep_destroy(l.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_wrong_with_a_machine_is_said),
        cmocka_unit_test(test_a_machine_may_be_a_text),
        cmocka_unit_test(test_what_is_wrong_with_ptx_is_said),
        cmocka_unit_test(test_calls_at_the_wrong_time_are_refused),
        cmocka_unit_test(test_arguments_are_looked_at),
        cmocka_unit_test(test_ends_have_codes),
        cmocka_unit_test(test_memory_is_read_as_a_thread_would),
        cmocka_unit_test(test_a_scheduler_that_is_given_does_as_the_same_of_the_list),
        cmocka_unit_test(test_structures_have_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

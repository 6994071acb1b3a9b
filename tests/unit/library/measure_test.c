/* More results: profile, intervals, time-line, checks, phases, the report of a hang; and launches that are functional
 * or stopped by who asked for their progress. */
#include "library_support.h"

static json_t *json_of(struct lockstep_device *device)
{
    const char *text;
    MUST(device, lockstep_result_json(device, &text));
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    return object;
}

/* What is measured besides is all that differs. */
static void test_measuring_changes_nothing(void **state)
{
    (void)state;
    struct locks l;
    const char *text;
    size_t length;
    char *plain = locks_whole(NULL);
    const struct lockstep_timeline_setup timeline = {.size = sizeof timeline, .window = ":5000", .sms = "0"};
    locks_open(&l, NULL, NULL, NULL);
    MUST(l.device, lockstep_profile(l.device));
    MUST(l.device, lockstep_profile(l.device)); /* again: nothing */
    MUST(l.device, lockstep_interval(l.device, 1000));
    MUST(l.device, lockstep_timeline(l.device, &timeline));
    must_say(l.device, lockstep_timeline(l.device, NULL), LOCKSTEP_ERROR_STATE, "called before");
    must_say(l.device, lockstep_phases(l.device, &text, &length), LOCKSTEP_ERROR_ABSENT, "no phases");
    locks_launch(&l, 1, LOCKSTEP_NOTE_PHASES);
    must_say(l.device, lockstep_interval(l.device, 7), LOCKSTEP_ERROR_STATE, "under way");
    must_say(l.device, lockstep_timeline_lines(l.device, &text, &length), LOCKSTEP_ERROR_STATE, "under way");
    MUST(l.device, lockstep_run(l.device, NULL, NULL));
    MUST(l.device, lockstep_timeline_lines(l.device, &text, &length));
    assert_int_equal(length, strlen(text));
    assert_true(length > 100 && text[0] == '{');
    MUST(l.device, lockstep_phases(l.device, &text, &length));
    assert_memory_equal(text, "launch,kernel,", 14);
    assert_non_null(strstr(text, "\n0,add_under_locks,"));
    json_t *all = json_of(l.device);
    assert_true(json_object_size(json_object_get(all, "profile")) > 0);
    assert_true(json_object_size(json_object_get(all, "intervals")) > 0);
    json_object_del(all, "profile");
    json_object_del(all, "intervals");
    json_object_del(all, "host");
    char *rest = json_dumps(all, JSON_INDENT(1));
    assert_string_equal(rest, plain);
    MUST(l.device, lockstep_unload(l.device, l.module)); /* the profile goes with it */
    json_decref(all);
    all = json_of(l.device);
    assert_null(json_object_get(all, "profile"));
    json_decref(all);
    free(rest);
    free(plain);
    lockstep_destroy(l.device);
}

static void test_kernels_have_parameters(void **state)
{
    (void)state;
    struct locks l;
    struct lockstep_kernel_parameter p = {.size = sizeof p};
    struct lockstep_kernel_facts facts = {.size = sizeof facts};
    locks_open(&l, NULL, NULL, NULL);
    MUST(l.device, lockstep_kernel_parameter(l.device, l.module, "add_under_locks", 2, &p));
    assert_string_equal(p.name, "rounds");
    assert_int_equal(p.offset, 16);
    assert_int_equal(p.bytes, 4);
    must_say(l.device, lockstep_kernel_parameter(l.device, l.module, "add_under_locks", 3, &p), LOCKSTEP_ERROR_ABSENT,
             "has 3 parameters");
    must_say(l.device, lockstep_find_kernel(l.device, l.module, "add_under_lock", &facts), LOCKSTEP_ERROR_ABSENT,
             "did you mean 'add_under_locks'?");
    lockstep_destroy(l.device);
}

static void test_functional_launches_end_at_once(void **state)
{
    (void)state;
    struct locks l;
    struct lockstep_outcome outcome = {.size = sizeof outcome};
    uint32_t sums[8], sum = 0;
    locks_open(&l, NULL, NULL, NULL);
    locks_launch(&l, 1, LOCKSTEP_FUNCTIONAL);
    must_say(l.device, lockstep_run(l.device, NULL, NULL), LOCKSTEP_ERROR_STATE, "no launch is under way");
    MUST(l.device, lockstep_outcome(l.device, &outcome));
    assert_int_equal(outcome.held, 0);
    assert_int_equal(outcome.cycles, 0);
    MUST(l.device, lockstep_read(l.device, sums, l.sums, sizeof sums));
    for (unsigned i = 0; i < 8; i++)
        sum += sums[i];
    assert_true(sum > 0);
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_run(l.device, NULL, NULL));
    MUST(l.device, lockstep_outcome(l.device, &outcome));
    assert_int_equal(outcome.launch, 1);
    assert_true(outcome.cycles > 0);
    lockstep_destroy(l.device);
}

/* A hang leaves a graph of who waits; the launch behind it leaves none. */
static void test_a_hang_has_a_report(void **state)
{
    (void)state;
    struct locks l;
    const char *text;
    size_t length;
    uint32_t held = 1;
    locks_open(&l, (const char *const[]){"gpu.watch_cycles=20000", NULL}, NULL, NULL);
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_write(l.device, l.locks, &held, sizeof held)); /* nobody will give it back */
    assert_int_equal(lockstep_run(l.device, NULL, NULL), LOCKSTEP_ERROR_HANG);
    MUST(l.device, lockstep_hang_report(l.device, &text, &length));
    assert_memory_equal(text, "digraph waits ", 14);
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_run(l.device, NULL, NULL));
    must_say(l.device, lockstep_hang_report(l.device, &text, &length), LOCKSTEP_ERROR_ABSENT, "no report of a hang");
    lockstep_destroy(l.device);
}

static const char stray_text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                 ".visible .entry k(.param .u64 to)\n{\n    .reg .u64 %a;\n"
                                 "    ld.param.u64 %a, [to];\n    st.global.u32 [%a+32], 1;\n    ret;\n}\n";

/* Runs it on a device that checks so much; the store is behind the allocation. */
static int stray(uint32_t flags, uint64_t *findings)
{
    struct locks l;
    struct lockstep_module *module;
    struct lockstep_outcome outcome = {.size = sizeof outcome};
    locks_open(&l, NULL, NULL, NULL);
    if (flags)
        MUST(l.device, lockstep_check(l.device, flags));
    MUST(l.device, lockstep_load(l.device, "stray.ptx", stray_text, strlen(stray_text), 0, &module));
    const struct lockstep_argument argument = LOCKSTEP_ARGUMENT(l.sums);
    const struct lockstep_launch_setup launch = {
        .size = sizeof launch, .module = module, .kernel = "k", .argument_count = 1, .arguments = &argument};
    MUST(l.device, lockstep_launch(l.device, &launch));
    int code = lockstep_run(l.device, NULL, NULL);
    assert_non_null(strstr(lockstep_message(l.device), "stray.ptx:8"));
    MUST(l.device, lockstep_outcome(l.device, &outcome));
    *findings = outcome.findings;
    lockstep_destroy(l.device);
    return code;
}

static void test_strays_may_pass(void **state)
{
    (void)state;
    uint64_t findings;
    struct locks l;
    assert_int_equal(stray(0, &findings), LOCKSTEP_ERROR_FAULT);
    assert_int_equal(stray(LOCKSTEP_LET_PASS, &findings), LOCKSTEP_OK);
    assert_int_equal(findings, 0);
    assert_int_equal(stray(LOCKSTEP_LET_PASS | LOCKSTEP_COUNT_PASSED, &findings), LOCKSTEP_OK);
    assert_int_equal(findings, 1);
    locks_open(&l, NULL, NULL, NULL);
    must_say(l.device, lockstep_check(l.device, 1u << 31), LOCKSTEP_ERROR_VERSION, "flags");
    MUST(l.device, lockstep_check(l.device, LOCKSTEP_CHECK_RACE | LOCKSTEP_CHECK_INIT));
    must_say(l.device, lockstep_check(l.device, 0), LOCKSTEP_ERROR_STATE, "called before");
    lockstep_destroy(l.device);
}

static const char *stop_soon(void *user, const struct lockstep_progress *now)
{
    uint64_t *cycles = user;
    *cycles = now->cycle;
    assert_int_equal(now->size, sizeof *now);
    assert_int_equal(now->blocks, 4);
    return now->cycle ? "enough" : NULL;
}

/* A launch that never ends by itself, for a lock is kept, and nobody looks for so long. */
static void test_progress_may_stop_a_launch(void **state)
{
    (void)state;
    struct locks l;
    uint64_t cycles = 0;
    uint32_t held = 1;
    locks_open(&l, (const char *const[]){"gpu.watch_cycles=4000000000", NULL}, NULL, NULL);
    const struct lockstep_argument arguments[] = {LOCKSTEP_ARGUMENT(l.locks), LOCKSTEP_ARGUMENT(l.sums),
                                                  LOCKSTEP_ARGUMENT(l.rounds)};
    const struct lockstep_launch_setup launch = {.size = sizeof launch,
                                                 .module = l.module,
                                                 .kernel = "add_under_locks",
                                                 .grid = {4},
                                                 .block = {64},
                                                 .argument_count = 3,
                                                 .arguments = arguments,
                                                 .progress = stop_soon,
                                                 .user = &cycles};
    MUST(l.device, lockstep_fill(l.device, l.locks, 0, 32));
    MUST(l.device, lockstep_write(l.device, l.locks, &held, sizeof held));
    MUST(l.device, lockstep_launch(l.device, &launch));
    must_say(l.device, lockstep_run(l.device, NULL, NULL), LOCKSTEP_ERROR_STOPPED, "by enough");
    assert_true(cycles > 0);
    json_t *result = json_of(l.device);
    assert_string_equal(json_string_value(json_object_get(result, "partial_reason")), "enough");
    json_decref(result);
    lockstep_destroy(l.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measuring_changes_nothing),
        cmocka_unit_test(test_kernels_have_parameters),
        cmocka_unit_test(test_functional_launches_end_at_once),
        cmocka_unit_test(test_a_hang_has_a_report),
        cmocka_unit_test(test_strays_may_pass),
        cmocka_unit_test(test_progress_may_stop_a_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Until when a launch of the library goes on: breakpoints, and an observer's word; registers and warps where it is held
 * then. */
#include <stdatomic.h>

#include "library_support.h"

/* The pc of the first instruction that begins so. */
static uint32_t find_pc(struct locks *l, const char *begins)
{
    struct lockstep_instruction i = {.size = sizeof i};
    for (uint32_t pc = 0; lockstep_instruction(l->device, l->module, pc, &i) == LOCKSTEP_OK; pc++)
        if (!strncmp(i.text, begins, strlen(begins)))
            return pc;
    fail_msg("no %s", begins);
    return 0;
}

static const struct lockstep_until at_break = {.size = sizeof at_break, .flags = LOCKSTEP_UNTIL_BREAK};

/* An observer that notes the first cycle in which an instruction was issued. */
struct noting {
    uint32_t pc;
    atomic_ullong cycle;
};

static size_t noting_bytes(const struct lockstep_observed *observed)
{
    (void)observed;
    return sizeof(struct noting *);
}

static void noting_begin(const struct lockstep_observed *observed, void *state)
{
    *(struct noting **)state = observed->user;
}

static void noting_issue(void *state, const struct lockstep_issue_event *event)
{
    struct noting *n = *(struct noting **)state;
    if (event->pc == n->pc && event->cycle < n->cycle)
        n->cycle = event->cycle;
}

static const struct lockstep_observer notes = {.version = LOCKSTEP_OBSERVER_VERSION,
                                               .name = "notes",
                                               .state_bytes = noting_bytes,
                                               .begin = noting_begin,
                                               .issue = noting_issue};

/* A warp has issued the instruction in the last cycle: its lanes stand behind it, and registers are as it left them. */
static void test_a_breakpoint_holds_the_launch(void **state)
{
    (void)state;
    struct lockstep_stop stop = {.size = sizeof stop};
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        struct locks l;
        uint32_t lane_pc;
        uint64_t bucket, number;
        struct lockstep_warp warp = {.size = sizeof warp};
        locks_open(&l, NULL, NULL, NULL);
        uint32_t pc = find_pc(&l, "and.b32");
        struct noting noting = {pc, UINT64_MAX};
        MUST(l.device, lockstep_observe(l.device, &notes, &noting));
        MUST(l.device, lockstep_break(l.device, pc));
        locks_launch(&l, threads, 0);
        MUST(l.device, lockstep_run(l.device, &at_break, &stop));
        assert_int_equal(stop.why, LOCKSTEP_WHY_BREAK);
        assert_int_equal(stop.pc, pc);
        assert_int_equal(stop.cycle, noting.cycle + 1);
        assert_int_equal(stop.mask, UINT32_MAX);
        MUST(l.device, lockstep_warp(l.device, stop.sm, stop.warp, &warp));
        MUST(l.device, lockstep_lane_pc(l.device, stop.sm, stop.warp, 5, &lane_pc));
        assert_int_equal(lane_pc, pc + 1);
        assert_int_equal(warp.pc, pc + 1);
        MUST(l.device, lockstep_register(l.device, stop.sm, stop.warp, 5, "%r5", &number));
        MUST(l.device, lockstep_register(l.device, stop.sm, stop.warp, 5, "%r6", &bucket));
        assert_int_equal(number, warp.block[0] * 64 + warp.in_block * 32 + 5);
        assert_int_equal(bucket, number & 7);
        lockstep_destroy(l.device);
    }
}

static void test_breakpoints_tell_every_cycle_with_an_issue(void **state)
{
    (void)state;
    struct locks l;
    struct lockstep_stop stop = {.size = sizeof stop};
    uint64_t before = 0;
    unsigned stops = 0;
    char *whole = locks_whole(NULL);
    locks_open(&l, NULL, NULL, NULL);
    uint32_t pc = find_pc(&l, "ret");
    MUST(l.device, lockstep_break(l.device, pc));
    locks_launch(&l, 1, 0);
    for (;; stops++) {
        MUST(l.device, lockstep_run(l.device, &at_break, &stop));
        if (stop.why == LOCKSTEP_WHY_END)
            break;
        assert_int_equal(stop.pc, pc);
        assert_true(stop.cycle > before);
        before = stop.cycle;
    }
    assert_in_range(stops, 1, 256); /* each thread returns once */
    char *text = result_text(l.device);
    assert_string_equal(text, whole);
    free(text);
    free(whole);
    MUST(l.device, lockstep_unbreak(l.device, pc));
    must_say(l.device, lockstep_unbreak(l.device, pc), LOCKSTEP_ERROR_ABSENT, "no breakpoint");
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_run(l.device, &at_break, &stop));
    assert_int_equal(stop.why, LOCKSTEP_WHY_END);
    lockstep_destroy(l.device);
}

/* One that was passed while nobody asked for it is no news. */
static void test_a_break_holds_only_a_run_that_asks(void **state)
{
    (void)state;
    struct locks l;
    struct lockstep_stop stop = {.size = sizeof stop};
    locks_open(&l, NULL, NULL, NULL);
    MUST(l.device, lockstep_break(l.device, find_pc(&l, "and.b32")));
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_step(l.device, 3000, &stop));
    assert_int_equal(stop.why, LOCKSTEP_WHY_CYCLE);
    MUST(l.device, lockstep_run(l.device, &at_break, &stop));
    assert_int_equal(stop.why, LOCKSTEP_WHY_END);
    lockstep_destroy(l.device);
}

/* An observer that holds the launch when `at` locks were taken. */
struct counting {
    struct lockstep_device *device;
    atomic_ullong taken, cycle; /* cycle: in which it did */
    unsigned long long at;
};

static size_t state_bytes(const struct lockstep_observed *observed)
{
    (void)observed;
    return sizeof(struct counting *);
}

static void begin(const struct lockstep_observed *observed, void *state)
{
    *(struct counting **)state = observed->user;
}

static void on_atomic(void *state, const struct lockstep_atomic_event *event)
{
    struct counting *c = *(struct counting **)state;
    if (event->operation == LOCKSTEP_ATOMIC_COMPARE_AND_SWAP && event->performed && ++c->taken == c->at) {
        c->cycle = event->cycle;
        lockstep_halt(c->device);
    }
}

static void report(const struct lockstep_observed *observed, const void *const *states, FILE *to)
{
    const struct counting *c = observed->user;
    assert_ptr_equal(*(struct counting *const *)states[0], c);
    fprintf(to, "taken %llu\n", (unsigned long long)c->taken);
}

static const struct lockstep_observer counts = {.version = LOCKSTEP_OBSERVER_VERSION,
                                                .name = "counts",
                                                .state_bytes = state_bytes,
                                                .begin = begin,
                                                .atomic = on_atomic,
                                                .report = report};

static uint64_t cycle_of_halt(uint32_t threads, uint32_t flags, const char *whole)
{
    struct locks l;
    struct counting c = {.at = 40};
    struct lockstep_stop stop = {.size = sizeof stop};
    const struct lockstep_until until = {.size = sizeof until, .flags = LOCKSTEP_UNTIL_HALT};
    const char *output;
    size_t length;
    locks_open(&l, NULL, NULL, NULL);
    c.device = l.device;
    MUST(l.device, lockstep_observe(l.device, &counts, &c));
    locks_launch(&l, threads, flags);
    MUST(l.device, lockstep_run(l.device, &until, &stop));
    assert_int_equal(stop.why, LOCKSTEP_WHY_HALT);
    assert_int_equal(stop.cycle, c.cycle + 1);
    uint64_t cycle = stop.cycle;
    MUST(l.device, lockstep_run(l.device, &until, &stop));
    assert_int_equal(stop.why, LOCKSTEP_WHY_END);
    MUST(l.device, lockstep_output(l.device, &output, &length));
    assert_string_equal(output, "taken 256\n");
    assert_int_equal(length, strlen(output));
    char *text = result_text(l.device);
    assert_string_equal(text, whole);
    free(text);
    lockstep_destroy(l.device);
    return cycle;
}

static void test_an_observer_holds_the_launch(void **state)
{
    (void)state;
    char *whole = locks_whole(NULL);
    uint64_t cycle = cycle_of_halt(1, 0, whole);
    assert_int_equal(cycle_of_halt(3, 0, whole), cycle);
    assert_int_equal(cycle_of_halt(1, LOCKSTEP_NO_SKIP, whole), cycle);
    free(whole);
}

static void test_a_halt_from_outside_comes_at_once_or_soon(void **state)
{
    (void)state;
    struct locks l;
    struct lockstep_stop stop = {.size = sizeof stop};
    locks_open(&l, NULL, NULL, NULL);
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_step(l.device, 10, NULL));
    lockstep_halt(l.device);
    MUST(l.device, lockstep_run(l.device, NULL, &stop));
    assert_int_equal(stop.why, LOCKSTEP_WHY_HALT);
    assert_int_equal(stop.cycle, 10);
    MUST(l.device, lockstep_run(l.device, NULL, &stop));
    assert_int_equal(stop.why, LOCKSTEP_WHY_END);
    lockstep_destroy(l.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_breakpoint_holds_the_launch),
        cmocka_unit_test(test_breakpoints_tell_every_cycle_with_an_issue),
        cmocka_unit_test(test_a_break_holds_only_a_run_that_asks),
        cmocka_unit_test(test_an_observer_holds_the_launch),
        cmocka_unit_test(test_a_halt_from_outside_comes_at_once_or_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

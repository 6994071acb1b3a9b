/* Launches of the library that are held: however one is cut into steps, its result is that of the whole. */
#include <pthread.h>

#include "library_support.h"

static void run_in_steps(struct locks *l, uint64_t cycles)
{
    struct lockstep_stop stop = {.size = sizeof stop};
    uint64_t before = 0;
    for (;;) {
        MUST(l->device, lockstep_step(l->device, cycles, &stop));
        if (stop.why == LOCKSTEP_WHY_END)
            break;
        assert_int_equal(stop.why, LOCKSTEP_WHY_CYCLE);
        assert_int_equal(stop.cycle, before + cycles); /* also where nothing happens in that cycle */
        before = stop.cycle;
    }
    assert_in_range(stop.cycle, before, before + cycles);
}

static const char *const *const machines[] = {
    (const char *const[]){"sm.scheduler=lrr", NULL},
    (const char *const[]){"sm.divergence=its", "coherence.protocol=denovo-b", NULL},
    (const char *const[]){"gpu.sms=1", "gpu.seed=5", NULL},
    (const char *const[]){"sm.divergence=aware", "sm.cores=2", NULL},
};
#define MACHINES (sizeof machines / sizeof machines[0])

static void test_steps_change_nothing(void **state)
{
    static const struct {
        uint64_t cycles;
        uint32_t threads, flags;
    } ways[] = {{1, 1, 0}, {7, 3, 0}, {1000, 1, 0}, {333, 2, LOCKSTEP_NO_SKIP}};
    (void)state;
    for (unsigned m = 0; m < MACHINES; m++) {
        char *whole = locks_whole(machines[m]);
        for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            struct locks l;
            locks_open(&l, machines[m], NULL, NULL);
            locks_launch(&l, ways[i].threads, ways[i].flags);
            run_in_steps(&l, ways[i].cycles);
            char *text = result_text(l.device);
            assert_string_equal(text, whole);
            free(text);
            lockstep_destroy(l.device);
        }
        free(whole);
    }
}

static void test_looking_changes_nothing(void **state)
{
    (void)state;
    char *whole = locks_whole(machines[1]);
    struct locks l;
    struct lockstep_stop stop = {.size = sizeof stop};
    struct lockstep_statistic issued = {.size = sizeof issued};
    uint64_t before = 0;
    locks_open(&l, machines[1], NULL, NULL);
    locks_launch(&l, 1, 0);
    do {
        char byte[32];
        free(result_text(l.device));
        MUST(l.device, lockstep_find_statistic(l.device, "sm.warp_instructions", &issued));
        assert_true(issued.value >= before);
        before = issued.value;
        MUST(l.device, lockstep_read(l.device, byte, l.sums, sizeof byte));
        MUST(l.device, lockstep_step(l.device, 501, &stop));
    } while (stop.why != LOCKSTEP_WHY_END);
    assert_true(before > 0);
    char *text = result_text(l.device);
    assert_string_equal(text, whole);
    free(text);
    free(whole);
    lockstep_destroy(l.device);
}

/* Statistics of a launch that is held are those of one that ends there. */
static void test_statistics_while_held_are_those_of_a_partial_launch(void **state)
{
    (void)state;
    for (unsigned m = 0; m < MACHINES; m++)
        for (uint64_t cycle = 501; cycle < 5000; cycle += 1500) {
            struct locks held, limited;
            struct lockstep_statistic a = {.size = sizeof a}, b = {.size = sizeof b};
            locks_open(&held, machines[m], NULL, NULL);
            locks_open(&limited, machines[m], NULL, NULL);
            locks_launch(&held, 1, 0);
            MUST(held.device, lockstep_step(held.device, cycle, NULL));
            MUST(limited.device, locks_try(&limited, 1, 0, cycle));
            assert_int_equal(lockstep_run(limited.device, NULL, NULL), LOCKSTEP_ERROR_LIMIT);
            for (uint32_t i = 0; lockstep_statistic(held.device, i, &a) == LOCKSTEP_OK; i++) {
                MUST(limited.device, lockstep_statistic(limited.device, i, &b));
                if (a.value != b.value && strcmp(a.name, "flushes_kernel") != 0) /* which the end is one of */
                    fail_msg("%s.%s: %llu, of one that ends %llu", a.group, a.name, (unsigned long long)a.value,
                             (unsigned long long)b.value);
            }
            lockstep_destroy(held.device);
            lockstep_destroy(limited.device);
        }
}

/* Two devices by turns, and a third one that ends in between. */
static void test_devices_know_nothing_of_each_other(void **state)
{
    (void)state;
    struct locks l[2];
    struct lockstep_stop stop[2] = {{.size = sizeof *stop, .why = LOCKSTEP_WHY_CYCLE},
                                    {.size = sizeof *stop, .why = LOCKSTEP_WHY_CYCLE}};
    char *whole[2] = {locks_whole(machines[0]), locks_whole(machines[1])};
    for (unsigned i = 0; i < 2; i++) {
        locks_open(&l[i], machines[i], NULL, NULL);
        locks_launch(&l[i], i + 1, 0);
    }
    for (unsigned n = 0; stop[0].why != LOCKSTEP_WHY_END || stop[1].why != LOCKSTEP_WHY_END; n++) {
        for (unsigned i = 0; i < 2; i++)
            if (stop[i].why != LOCKSTEP_WHY_END)
                MUST(l[i].device, lockstep_step(l[i].device, i ? 100 : 1, &stop[i]));
        if (n == 50)
            free(locks_whole(machines[2]));
    }
    for (unsigned i = 0; i < 2; i++) {
        char *text = result_text(l[i].device);
        assert_string_equal(text, whole[i]);
        free(text);
        free(whole[i]);
        lockstep_destroy(l[i].device);
    }
}

static void *run_alone(void *context)
{
    struct locks *l = context;
    for (unsigned n = 0; n < 200; n++)
        MUST(l->device, lockstep_step(l->device, 10, NULL));
    MUST(l->device, lockstep_run(l->device, NULL, NULL));
    return NULL;
}

static void test_devices_run_in_threads_of_their_own(void **state)
{
    (void)state;
    struct locks l[3];
    pthread_t threads[3];
    for (unsigned i = 0; i < 3; i++) {
        locks_open(&l[i], machines[i], NULL, NULL);
        locks_launch(&l[i], 1 + i % 2, 0);
    }
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_alone, &l[i]), 0);
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        char *text = result_text(l[i].device), *whole = locks_whole(machines[i]);
        assert_string_equal(text, whole);
        free(text);
        free(whole);
        lockstep_destroy(l[i].device);
    }
}

static void test_a_launch_is_cancelled_and_another_runs(void **state)
{
    (void)state;
    struct locks l;
    struct lockstep_outcome outcome = {.size = sizeof outcome};
    locks_open(&l, machines[0], NULL, NULL);
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_step(l.device, 1000, NULL));
    MUST(l.device, lockstep_outcome(l.device, &outcome));
    assert_int_equal(outcome.held, 1);
    assert_int_equal(outcome.cycles, 1000);
    MUST(l.device, lockstep_cancel(l.device));
    MUST(l.device, lockstep_outcome(l.device, &outcome));
    assert_int_equal(outcome.code, LOCKSTEP_ERROR_STOPPED);
    assert_int_equal(outcome.cycles, 1000);
    locks_launch(&l, 1, 0);
    MUST(l.device, lockstep_run(l.device, NULL, NULL));
    MUST(l.device, lockstep_outcome(l.device, &outcome));
    assert_int_equal(outcome.code, LOCKSTEP_OK);
    assert_int_equal(outcome.launch, 1);
    uint32_t sums[8], all = 0;
    MUST(l.device, lockstep_read(l.device, sums, l.sums, sizeof sums));
    for (unsigned i = 0; i < 8; i++)
        all += sums[i];
    assert_int_equal(all, 255 * 256 / 2);
    locks_launch(&l, 1, 0);
    lockstep_destroy(l.device); /* with a launch under way */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_change_nothing),
        cmocka_unit_test(test_looking_changes_nothing),
        cmocka_unit_test(test_statistics_while_held_are_those_of_a_partial_launch),
        cmocka_unit_test(test_devices_know_nothing_of_each_other),
        cmocka_unit_test(test_devices_run_in_threads_of_their_own),
        cmocka_unit_test(test_a_launch_is_cancelled_and_another_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

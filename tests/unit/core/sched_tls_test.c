/* The two-level scheduler: who is active, who makes place for whom, and whose turn it is. */
#include "sched_bench.h"

#define ALL ~UINT64_C(0)

static void start(struct bench *b, const char *name, unsigned warps)
{
    bench_start(b, name, 0, 0);
    for (unsigned i = 0; i < warps; i++)
        launch(b, i, i);
}

static void test_active_warps_take_turns(void **state)
{
    struct bench b;
    start(&b, "tls:active=3", 6);
    static const unsigned turns[] = {0, 1, 2, 0, 1, 2, 0};
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(cycle(&b, i, b.members), turns[i]);
    /* 1, 2, 0 is the order now; who is not ready is passed over, and the turn goes on behind the one that issued. */
    assert_int_equal(cycle(&b, 8, BIT64(0) | BIT64(2) | BIT64(4)), 2);
    assert_int_equal(cycle(&b, 9, ALL), 0);
    assert_int_equal(cycle(&b, 10, ALL), 1);
    bench_end(&b);
}

static void test_only_active_warps_issue(void **state)
{
    struct bench b;
    start(&b, "tls:active=3", 6);
    assert_int_equal(cycle(&b, 0, BIT64(3) | BIT64(4) | BIT64(5)), LOCKSTEP_NO_WARP);
    assert_int_equal(cycle(&b, 1, BIT64(3) | BIT64(4) | BIT64(5)), LOCKSTEP_NO_WARP);
    /* With no more warps than places, everybody is active. */
    bench_end(&b);
    start(&b, "tls", 6);
    for (unsigned i = 0; i < 12; i++)
        assert_int_equal(cycle(&b, i, ALL), i % 6);
    bench_end(&b);
}

static void test_who_waits_makes_place(void **state)
{
    struct bench b;
    start(&b, "tls:active=3", 6);
    assert_int_equal(cycle(&b, 0, ALL), 0); /* active 1 2 0, queue 3 4 5 */
    b.long_wait = BIT64(1);
    assert_int_equal(cycle(&b, 1, ALL & ~BIT64(1)), 2); /* active 0 3 2, queue 4 5 1 */
    b.waiting = BIT64(0) | BIT64(2);
    assert_int_equal(cycle(&b, 2, BIT64(3) | BIT64(4) | BIT64(5)), 3); /* active 4 5 3, queue 1 0 2 */
    assert_int_equal(cycle(&b, 3, BIT64(3)), 3);                       /* active 4 5 3 */
    b.waiting = BIT64(3);
    b.long_wait = 0;
    /* Promoted ready or not: 1 comes, and makes place for 0 only when it is seen waiting a cycle later. */
    assert_int_equal(cycle(&b, 4, BIT64(0)), LOCKSTEP_NO_WARP); /* active 4 5 1, queue 0 2 3 */
    b.long_wait = BIT64(1);
    assert_int_equal(cycle(&b, 5, BIT64(0)), 0); /* active 4 5 0 */
    assert_int_equal(cycle(&b, 6, ALL & ~BIT64(1)), 4);
    bench_end(&b);
}

/* The places of those who leave are filled from the queue at once, by their own heads too when nobody else is there. */
static void test_a_full_turn_of_the_queue(void **state)
{
    struct bench b;
    start(&b, "tls:active=2", 5);
    assert_int_equal(cycle(&b, 0, BIT64(0)), 0); /* active 1 0, queue 2 3 4 */
    b.waiting = BIT64(0) | BIT64(1) | BIT64(2) | BIT64(3);
    static const unsigned picks[] = {LOCKSTEP_NO_WARP, 4, 4, 4};
    for (unsigned i = 0; i < 4; i++) /* 2 3 | 4 1 0, then 4 1 | 0 2 3, then 1 goes, 0 comes, and so on beside 4 */
        assert_int_equal(cycle(&b, 1 + i, BIT64(4)), picks[i]);
    bench_end(&b);
    start(&b, "tls:active=4", 2);
    b.waiting = BIT64(0);
    assert_int_equal(cycle(&b, 0, BIT64(1)), 1);
    b.waiting = 0;
    assert_int_equal(cycle(&b, 1, ALL), 0);
    bench_end(&b);
}

static void test_warps_end_and_begin(void **state)
{
    struct bench b;
    start(&b, "tls:active=3", 4);
    assert_int_equal(cycle(&b, 0, ALL), 0); /* active 1 2 0, queue 3 */
    end(&b, 1);                             /* by its issue: the turn is 2's */
    issue_to(&b, 1, 0);
    assert_int_equal(cycle(&b, 2, b.members), 2); /* active 0 3 2 */
    launch(&b, 1, 9);
    end(&b, 3);
    assert_int_equal(cycle(&b, 3, b.members), 2); /* 3 ended: active 2 0 1 */
    assert_int_equal(cycle(&b, 4, b.members), 0);
    assert_int_equal(cycle(&b, 5, b.members), 1);
    end(&b, 0);
    end(&b, 1);
    end(&b, 2);
    launch(&b, 3, 10);
    assert_int_equal(cycle(&b, 6, b.members), 3);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_active_warps_take_turns), cmocka_unit_test(test_only_active_warps_issue),
        cmocka_unit_test(test_who_waits_makes_place),   cmocka_unit_test(test_a_full_turn_of_the_queue),
        cmocka_unit_test(test_warps_end_and_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The warp schedulers through their interface: orders of GTO and LRR, and the rotation of ages. */
#include "sched_bench.h"

static void test_lrr_order(void **state)
{
    struct bench b;
    bench_start(&b, "lrr", 0, 0);
    for (unsigned i = 0; i < 64; i++)
        launch(&b, i, 63 - i); /* ages do not matter */
    for (unsigned i = 0; i < 130; i++)
        assert_int_equal(cycle(&b, i, ~UINT64_C(0)), i % 64);
    assert_int_equal(cycle(&b, 200, BIT64(0) | BIT64(1)), 0); /* behind 1: wraps */
    assert_int_equal(cycle(&b, 201, BIT64(0)), 0);
    assert_int_equal(cycle(&b, 202, BIT64(0) | BIT64(63)), 63);
    assert_int_equal(cycle(&b, 203, BIT64(63)), 63);
    assert_int_equal(cycle(&b, 204, BIT64(5) | BIT64(63)), 5);
    bench_end(&b);
}

static void test_gto_order(void **state)
{
    struct bench b;
    bench_start(&b, "gto", 0, 0);
    launch(&b, 4, 10);
    launch(&b, 0, 12);
    launch(&b, 9, 11);
    uint64_t all = BIT64(0) | BIT64(4) | BIT64(9);
    assert_int_equal(cycle(&b, 0, all), 4);                 /* oldest */
    assert_int_equal(cycle(&b, 1, all), 4);                 /* greedy */
    assert_int_equal(cycle(&b, 2, BIT64(0) | BIT64(9)), 9); /* it stalls: the next oldest */
    assert_int_equal(cycle(&b, 3, all), 9);                 /* greedy, though 4 is older and ready */
    assert_int_equal(cycle(&b, 4, BIT64(0)), 0);
    assert_int_equal(cycle(&b, 5, BIT64(4) | BIT64(9)), 4);
    /* A new warp in the slot of the last one is not favoured. */
    launch(&b, 4, 20);
    assert_int_equal(cycle(&b, 6, all), 9);
    bench_end(&b);
}

/* Every so many cycles the oldest becomes the youngest, all others move up; also when cycles pass without a pick. */
static void test_gto_rotation(void **state)
{
    struct bench b;
    bench_start(&b, "gto", 100, 0);
    launch(&b, 2, 0);
    launch(&b, 3, 1);
    launch(&b, 1, 2);
    uint64_t all = BIT64(1) | BIT64(2) | BIT64(3);
    static const unsigned order[] = {2, 3, 1};
    for (unsigned turn = 0; turn < 8; turn++) {
        /* The oldest of those that did not issue last, twice: gives the order but for the greedy one. */
        uint64_t now = turn * 100 + 50;
        unsigned first = order[turn % 3], second = order[(turn + 1) % 3], third = order[(turn + 2) % 3];
        assert_int_equal(cycle(&b, now, BIT64(third)), third);
        assert_int_equal(cycle(&b, now + 1, all & ~BIT64(third)), first);
        assert_int_equal(cycle(&b, now + 2, all & ~BIT64(first)), second);
    }
    /* 850 to 1150: three rotations at once lead to the same order. */
    unsigned first = order[11 % 3];
    assert_int_equal(cycle(&b, 1150, BIT64(order[(11 + 2) % 3])), order[(11 + 2) % 3]);
    assert_int_equal(cycle(&b, 1151, BIT64(first) | BIT64(order[(11 + 1) % 3])), first);
    bench_end(&b);
    /* At the cycle itself, not after it; greed outlives the rotation. */
    bench_start(&b, "gto", 100, 0);
    launch(&b, 0, 0);
    launch(&b, 1, 1);
    assert_int_equal(cycle(&b, 99, 3), 0);
    assert_int_equal(cycle(&b, 100, 3), 0);
    assert_int_equal(cycle(&b, 101, 2), 1);
    assert_int_equal(cycle(&b, 102, 3), 1);
    bench_end(&b);
    /* A kernel that begins late has no rotations to make up for. */
    bench_start(&b, "gto", 100, 1050);
    launch(&b, 0, 0);
    launch(&b, 1, 1);
    launch(&b, 2, 2);
    assert_int_equal(cycle(&b, 1149, 4), 2);
    assert_int_equal(cycle(&b, 1149, 3), 0); /* no rotation so far */
    assert_int_equal(cycle(&b, 1149, 4), 2);
    assert_int_equal(cycle(&b, 1150, 3), 1); /* the first one */
    bench_end(&b);
}

/* An older warp that was ready lets the greedy one go first for `patience` cycles, also when others are ready in
 * between; then it goes first once. */
static void test_gto_patience(void **state)
{
    struct bench b;
    bench_start(&b, "gto:patience=50", 1000, 0);
    launch(&b, 0, 0);
    launch(&b, 1, 1);
    launch(&b, 2, 2);
    assert_int_equal(cycle(&b, 10, BIT64(2)), 2);
    assert_int_equal(cycle(&b, 11, BIT64(2) | BIT64(1)), 2); /* 1 is passed over */
    assert_int_equal(cycle(&b, 30, 7), 2);                   /* and 0 too, but one is remembered */
    assert_int_equal(cycle(&b, 60, 7), 2);
    assert_int_equal(cycle(&b, 61, BIT64(0) | BIT64(2)), 2); /* 1 is not ready */
    assert_int_equal(cycle(&b, 70, 7), 1);
    assert_int_equal(cycle(&b, 71, 7), 1); /* greedy now; 0 was passed over */
    assert_int_equal(cycle(&b, 119, 7), 1);
    assert_int_equal(cycle(&b, 120, 7), 0);
    /* One that ended is not waited for: a new warp in its slot has its own time. */
    assert_int_equal(cycle(&b, 200, BIT64(2)), 2);
    assert_int_equal(cycle(&b, 201, BIT64(1) | BIT64(2)), 2);
    assert_int_equal(cycle(&b, 202, BIT64(1)), 1);
    end(&b, 1);
    launch(&b, 1, 3);
    assert_int_equal(cycle(&b, 300, BIT64(2)), 2);
    assert_int_equal(cycle(&b, 400, BIT64(1) | BIT64(2)), 2);
    bench_end(&b);
    /* Not longer than half a rotation; and no limit where nothing rotates. */
    for (unsigned rotation = 0; rotation <= 20; rotation += 20) {
        bench_start(&b, "gto:patience=1000", rotation, 0);
        launch(&b, 0, 0);
        launch(&b, 1, 1);
        assert_int_equal(cycle(&b, 0, 2), 1);
        assert_int_equal(cycle(&b, 1, 3), 1);
        assert_int_equal(cycle(&b, 10, 3), 1);
        assert_int_equal(cycle(&b, 11, 3), rotation ? 0 : 1);
        bench_end(&b);
    }
}

/* Whatever the greedy ones do, a warp that is ready only when they are too gets its turn within the documented bound.
 */
static void test_gto_bound(void **state)
{
    enum { WARPS = 6, ROTATION = 500, PATIENCE = 100 };
    struct bench b;
    bench_start(&b, "gto:patience=100", ROTATION, 0);
    for (unsigned i = 0; i < WARPS; i++)
        launch(&b, i, i);
    uint64_t x = 1;
    uint64_t last[WARPS] = {0};
    for (uint64_t now = 0; now < 200000; now += 7) {
        /* All of them are ready, or only one of those that issue all the time. */
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint64_t ready = x >> 63 ? mask_low(WARPS) : BIT64((x >> 40) % 2);
        last[cycle(&b, now, ready)] = now;
        for (unsigned i = 0; i < WARPS; i++)
            assert_true(now - last[i] <= WARPS * ROTATION + PATIENCE + 200);
    }
    bench_end(&b);
}

/* Along the order of preference the greedy warp takes the last one's age, waiting ones come last. */
static void test_gto_rotation_by_preference(void **state)
{
    struct bench b;
    bench_start(&b, "gto:rotate=preference:patience=1000000", 100, 0);
    for (unsigned i = 0; i < 4; i++)
        launch(&b, i, i);
    assert_int_equal(cycle(&b, 50, BIT64(2)), 2);
    b.waiting = BIT64(0);
    /* In order: 2 (greedy), 1, 3, 0 (waits). 2 takes the age of 0, which is 0; 1 that of 2; 3 that of 1; 0 that of 3.
     */
    assert_int_equal(cycle(&b, 100, BIT64(1) | BIT64(3)), 3);
    b.waiting = 0;
    assert_int_equal(cycle(&b, 101, BIT64(0) | BIT64(1)), 1);
    assert_int_equal(cycle(&b, 102, BIT64(0) | BIT64(2)), 2);
    assert_int_equal(cycle(&b, 103, BIT64(0)), 0);
    assert_int_equal(cycle(&b, 104, BIT64(1) | BIT64(2) | BIT64(3)), 2);
    bench_end(&b);
}

/* Who has an age less than others issues first, one after the other: what is left of the order. */
static void expect_ages(struct bench *b, const unsigned *order, unsigned count)
{
    uint64_t rest = 0;
    for (unsigned i = 0; i < count; i++)
        rest |= BIT64(order[i]);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(cycle(b, b->now + 1, rest), order[i]);
        rest &= ~BIT64(order[i]);
    }
}

/* Warps that wait, and those that have ended in slots that nobody took again, follow each other by slot, whatever their
 * ages. The order is that of the cycle before, if something was issued then: with the warp that was greedy before that,
 * and those that waited then. */
static void test_gto_rotation_by_last_preference(void **state)
{
    struct bench b;
    static const uint64_t age[] = {50, 40, 30, 20, 10, 0};
    for (unsigned idle = 0; idle < 2; idle++) {
        bench_start(&b, "gto:rotate=preference:patience=0", 100, 0);
        for (unsigned i = 0; i < 6; i++)
            launch(&b, i, age[i]);
        assert_int_equal(cycle(&b, 10, BIT64(1)), 1);
        end(&b, 3);
        b.waiting = BIT64(5) | BIT64(0);
        assert_int_equal(cycle(&b, idle ? 98 : 99, BIT64(2)), 2);
        b.waiting = idle ? b.waiting : BIT64(1) | BIT64(2) | BIT64(4);
        /* Busy in cycle 99, when 1 was still greedy: 1 (40), 4 (10), 2 (30), 0 (50, waits), 3 (20, ended), 5 (0,
         * waits). Each takes the age of the one before: 1: 0, 4: 40, 2: 10, 0: 30, 3: 50, 5: 20. Idle in cycle 99: 2
         * (30), 4 (10), 1 (40), 0, 3, 5; so 2: 0, 4: 30, 1: 10, 0: 40, 3: 50, 5: 20. */
        assert_int_equal(cycle(&b, 100, BIT64(5)), 5);
        b.waiting = 0;
        launch(&b, 6, 60);
        assert_int_equal(cycle(&b, 101, BIT64(6)), 6);
        static const unsigned busy_order[] = {1, 2, 5, 0, 4}, idle_order[] = {2, 1, 5, 4, 0};
        expect_ages(&b, idle ? idle_order : busy_order, 5);
        bench_end(&b);
    }
}

/* By age alone, whoever issued last; but a warp that was passed over for so long goes first once. */
static void test_oldest(void **state)
{
    struct bench b;
    bench_start(&b, "oldest:patience=5", 0, 10);
    launch(&b, 0, 3);
    launch(&b, 1, 1);
    launch(&b, 2, 2);
    assert_int_equal(ask(&b, BIT64(0) | BIT64(1) | BIT64(2)), 1);
    assert_int_equal(ask(&b, BIT64(0) | BIT64(2)), 2);
    assert_int_equal(cycle(&b, 11, BIT64(0)), 0);
    assert_int_equal(ask(&b, BIT64(0) | BIT64(2)), 2); /* no greed; since cycle 11, warp 1 is passed over */
    for (uint64_t now = 12; now < 16; now++)
        assert_int_equal(cycle(&b, now, BIT64(0) | BIT64(2)), 2);
    assert_int_equal(cycle(&b, 16, BIT64(0) | BIT64(1) | BIT64(2)), 1);
    /* Now it is warp 0, which issued in cycle 11. */
    for (uint64_t now = 17; now < 21; now++)
        assert_int_equal(cycle(&b, now, BIT64(0) | BIT64(2)), 2);
    assert_int_equal(cycle(&b, 21, BIT64(0) | BIT64(2)), 0);
    bench_end(&b);
    bench_start(&b, "oldest:patience=0", 0, 0);
    launch(&b, 0, 1);
    launch(&b, 1, 0);
    for (uint64_t now = 1; now < 30000; now++)
        assert_int_equal(cycle(&b, now, BIT64(0) | BIT64(1)), 1);
    bench_end(&b);
    (void)state;
}

/* The warp that issued last, else the youngest; but a warp that was passed over for so long goes first. */
static void test_gty(void **state)
{
    struct bench b;
    (void)state;
    bench_start(&b, "gty:patience=5", 0, 10);
    launch(&b, 0, 3);
    launch(&b, 1, 1);
    launch(&b, 2, 2);
    assert_int_equal(cycle(&b, 11, BIT64(0) | BIT64(1) | BIT64(2)), 0);
    assert_int_equal(cycle(&b, 12, BIT64(1) | BIT64(2)), 2);
    for (uint64_t now = 13; now < 16; now++)
        assert_int_equal(cycle(&b, now, BIT64(0) | BIT64(1) | BIT64(2)), 2); /* greed; warp 1 is passed over */
    unsigned first = LOCKSTEP_NO_WARP;
    for (uint64_t now = 16; now < 24 && first != 1; now++)
        first = cycle(&b, now, BIT64(0) | BIT64(1) | BIT64(2));
    assert_int_equal(first, 1);
    launch(&b, 1, 4); /* another warp in its slot: no greed for that */
    assert_int_equal(ask(&b, BIT64(0) | BIT64(2)), 0);
    bench_end(&b);
    bench_start(&b, "gty:patience=0", 0, 0);
    launch(&b, 0, 0);
    launch(&b, 1, 1);
    for (uint64_t now = 1; now < 30000; now++)
        assert_int_equal(cycle(&b, now, BIT64(0) | BIT64(1)), 1);
    bench_end(&b);
}

static void test_all_schedulers_are_complete(void **state)
{
    for (const struct lockstep_scheduler *const *s = sched_list(); *s; s++) {
        assert_non_null((*s)->name);
        assert_true((*s)->doc && (*s)->doc[0]);
        assert_ptr_equal(sched_find((*s)->name), *s);
        assert_int_equal((*s)->version, LOCKSTEP_SCHEDULER_VERSION);
        assert_true((*s)->state_bytes <= LOCKSTEP_SCHEDULER_STATE);
        for (const struct lockstep_scheduler_option *o = (*s)->options; o && o->name; o++)
            assert_true(o->doc && o->doc[0]);
        /* Whatever happens, a pick is one of the ready warps, or none. */
        struct bench b;
        bench_start(&b, (*s)->name, 7, 0);
        uint64_t x = 12345;
        for (unsigned i = 0; i < 64; i++)
            launch(&b, i, i);
        for (unsigned i = 0; i < 3000; i++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
            uint64_t ready = x ^ x >> 29;
            if (i % 3 == 0)
                ready = BIT64(x >> 58);
            if (ready)
                cycle(&b, 2 * i, ready);
            b.waiting = x << 7 & x << 13 & ~ready;
            if (i % 50 == 0) {
                end(&b, (unsigned)(x >> 40) % 64);
                launch(&b, (unsigned)(x >> 40) % 64, 64 + i);
            }
        }
        bench_end(&b);
    }
    assert_null(sched_find("none such"));
}

/* What the name says of options reaches the policy; what it says wrongly is refused. */
static void test_options(void **state)
{
    static const char *const wrong[] = {"",
                                        "none such",
                                        "lrr:x=1",
                                        "tls:active",
                                        "tls:active=",
                                        "tls:active=0",
                                        "tls:active=65",
                                        "tls:active=6x",
                                        "tls:active=-1",
                                        "cawa:profile=mine",
                                        "tls:",
                                        "tls:=6",
                                        "tls:active=99999999999999999999"};
    struct sched sched;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct diag_sink sink;
        diag_init(&sink);
        assert_int_equal(sched_open(&sched, wrong[i], &sink), -1);
        assert_int_equal(sink.errors, 1);
        assert_null(sched.policy);
        diag_free(&sink);
    }
    assert_int_equal(sched_open(&sched, "tls", NULL), 0);
    assert_int_equal(sched.options[0], 6);
    assert_int_equal(sched_open(&sched, "tls:active=9", NULL), 0);
    assert_ptr_equal(sched.policy, sched_find("tls"));
    assert_int_equal(sched.options[0], 9);
    assert_int_equal(sched_open(&sched, "cawa:stall=cycle:profile=artifact", NULL), 0);
    assert_int_equal(sched.options[0], 1);
    assert_int_equal(sched.options[4], 2);
    sched_close(&sched);
    assert_true(sched_is_file("./gto") && sched_is_file("mine.so") && sched_is_file("a/b.so:x=1"));
    assert_false(sched_is_file("gto") || sched_is_file(".so") || sched_is_file("gto:x=b.so"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lrr_order),
        cmocka_unit_test(test_gto_order),
        cmocka_unit_test(test_gto_rotation),
        cmocka_unit_test(test_oldest),
        cmocka_unit_test(test_gty),
        cmocka_unit_test(test_all_schedulers_are_complete),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_gto_patience),
        cmocka_unit_test(test_gto_bound),
        cmocka_unit_test(test_gto_rotation_by_preference),
        cmocka_unit_test(test_gto_rotation_by_last_preference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

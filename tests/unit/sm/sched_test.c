/* The warp schedulers through their interface: orders of GTO and LRR, and the rotation of ages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "sm/sched/sched.h"

struct bench {
    const struct lockstep_scheduler *policy;
    void *state;
    struct lockstep_warp_view warps[64];
    uint64_t members;
};

static void bench_init(struct bench *b, const char *name, uint64_t rotation)
{
    memset(b, 0, sizeof *b);
    b->policy = sched_find(name);
    assert_non_null(b->policy);
    b->state = calloc(1, b->policy->state_bytes + 1);
    struct lockstep_scheduler_setup setup = {.index = 0, .count = 1, .slots = ~UINT64_C(0), .age_rotation = rotation};
    b->policy->reset(b->state, &setup);
}

static void launch(struct bench *b, unsigned slot, uint64_t age)
{
    b->warps[slot].age = age;
    b->members |= BIT64(slot);
    if (b->policy->launched)
        b->policy->launched(b->state, slot, age, 0);
}

/* One cycle with these warps ready; the pick is issued. */
static unsigned cycle(struct bench *b, uint64_t now, uint64_t ready)
{
    struct lockstep_scheduler_view view = {.cycle = now, .ready = ready, .members = b->members, .warps = b->warps};
    if (b->policy->advance)
        b->policy->advance(b->state, &view);
    unsigned slot = b->policy->pick(b->state, &view);
    assert_true(mask_has(ready, slot));
    assert_int_equal(slot, b->policy->pick(b->state, &view)); /* picking changes nothing */
    if (b->policy->issued)
        b->policy->issued(b->state, slot, &view);
    return slot;
}

static void test_lrr_order(void **state)
{
    struct bench b;
    bench_init(&b, "lrr", 0);
    for (unsigned i = 0; i < 64; i++)
        launch(&b, i, 63 - i); /* ages do not matter */
    for (unsigned i = 0; i < 130; i++)
        assert_int_equal(cycle(&b, i, ~UINT64_C(0)), i % 64);
    assert_int_equal(cycle(&b, 200, BIT64(0) | BIT64(1)), 0); /* behind 1: wraps */
    assert_int_equal(cycle(&b, 201, BIT64(0)), 0);
    assert_int_equal(cycle(&b, 202, BIT64(0) | BIT64(63)), 63);
    assert_int_equal(cycle(&b, 203, BIT64(63)), 63);
    assert_int_equal(cycle(&b, 204, BIT64(5) | BIT64(63)), 5);
    free(b.state);
}

static void test_gto_order(void **state)
{
    struct bench b;
    bench_init(&b, "gto", 0);
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
    free(b.state);
}

/* Every so many cycles the oldest becomes the youngest, all others move up; also when cycles pass without a pick. */
static void test_gto_rotation(void **state)
{
    struct bench b;
    bench_init(&b, "gto", 100);
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
    free(b.state);
    /* At the cycle itself, not after it; greed outlives the rotation. */
    bench_init(&b, "gto", 100);
    launch(&b, 0, 0);
    launch(&b, 1, 1);
    assert_int_equal(cycle(&b, 99, 3), 0);
    assert_int_equal(cycle(&b, 100, 3), 0);
    assert_int_equal(cycle(&b, 101, 2), 1);
    assert_int_equal(cycle(&b, 102, 3), 1);
    free(b.state);
}

static void test_all_schedulers_are_complete(void **state)
{
    for (const struct lockstep_scheduler *const *s = sched_list(); *s; s++) {
        assert_non_null((*s)->name);
        assert_true((*s)->doc && (*s)->doc[0]);
        assert_ptr_equal(sched_find((*s)->name), *s);
        /* Whatever happens, a pick is one of the ready warps. */
        struct bench b;
        bench_init(&b, (*s)->name, 7);
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
            if (i % 50 == 0)
                launch(&b, (unsigned)(x >> 40) % 64, 64 + i);
        }
        free(b.state);
    }
    assert_null(sched_find("none such"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lrr_order),
        cmocka_unit_test(test_gto_order),
        cmocka_unit_test(test_gto_rotation),
        cmocka_unit_test(test_all_schedulers_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

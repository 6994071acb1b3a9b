/* The barriers of a block: full and counted ones, arrivals without waiting, reductions, warps that end; against a model
 * that keeps lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "sm/barrier.h"

static uint64_t arrive(struct sm_barriers *b, unsigned warp, struct simt_barrier barrier)
{
    uint64_t value;
    barrier.arrived = barrier.arrived ? barrier.arrived : mask_low(32);
    return sm_barrier_arrive(b, warp, &barrier, &value);
}

static const struct simt_barrier whole = {.id = 0, .mode = ISA_BARRIER_SYNC};

static void test_whole_block(void **state)
{
    struct sm_barriers b;
    sm_barriers_init(&b, 4);
    for (unsigned turn = 0; turn < 3; turn++) {
        assert_int_equal(arrive(&b, 2, whole), 0);
        assert_int_equal(arrive(&b, 0, whole), 0);
        assert_int_equal(arrive(&b, 3, whole), 0);
        assert_int_equal(arrive(&b, 1, whole), 0xF);
    }
    sm_barriers_init(&b, 64);
    for (unsigned w = 0; w < 63; w++)
        assert_int_equal(arrive(&b, w, whole), 0);
    assert_true(arrive(&b, 63, whole) == ~UINT64_C(0));
}

static void test_warps_that_end(void **state)
{
    struct sm_barriers b;
    uint32_t id;
    uint64_t value;
    sm_barriers_init(&b, 4);
    assert_int_equal(sm_barrier_ended(&b, 1, &id, &value), 0);
    assert_int_equal(arrive(&b, 0, whole), 0);
    assert_int_equal(arrive(&b, 2, (struct simt_barrier){.id = 5, .mode = ISA_BARRIER_SYNC}), 0);
    assert_int_equal(sm_barrier_ended(&b, 3, &id, &value), 0);
    /* 0 and 2 wait at different barriers: nobody can go. One of them comes to the other's after all. */
    assert_int_equal(b.running, 5);
    sm_barriers_init(&b, 3);
    assert_int_equal(arrive(&b, 0, whole), 0);
    assert_int_equal(arrive(&b, 2, whole), 0);
    assert_int_equal(sm_barrier_ended(&b, 1, &id, &value), 5);
    assert_int_equal(id, 0);
    assert_int_equal(sm_barrier_ended(&b, 1, &id, &value), 0);
    /* The others are alone at the next one. */
    assert_int_equal(arrive(&b, 0, whole), 0);
    assert_int_equal(arrive(&b, 2, whole), 5);
}

static void test_counts_and_arrivals(void **state)
{
    struct sm_barriers b;
    sm_barriers_init(&b, 6);
    struct simt_barrier wait = {.id = 3, .threads = 96, .mode = ISA_BARRIER_SYNC},
                        pass = {.id = 3, .threads = 96, .mode = ISA_BARRIER_ARRIVE};
    assert_int_equal(arrive(&b, 5, wait), 0);
    assert_int_equal(arrive(&b, 1, pass), 0);
    assert_int_equal(arrive(&b, 4, wait), BIT64(5) | BIT64(4)); /* 1 does not wait, so it is not released */
    /* The last to come may be one that does not wait. */
    assert_int_equal(arrive(&b, 0, wait), 0);
    assert_int_equal(arrive(&b, 1, pass), 0);
    assert_int_equal(arrive(&b, 2, pass), BIT64(0));
    /* Barriers do not mix. */
    assert_int_equal(arrive(&b, 0, wait), 0);
    assert_int_equal(arrive(&b, 1, (struct simt_barrier){.id = 4, .threads = 64, .mode = ISA_BARRIER_SYNC}), 0);
    assert_int_equal(arrive(&b, 2, (struct simt_barrier){.id = 4, .threads = 64, .mode = ISA_BARRIER_SYNC}),
                     BIT64(1) | BIT64(2));
    assert_int_equal(b.state[3].arrived[0], 1);
    /* A block of one warp never waits. */
    sm_barriers_init(&b, 1);
    assert_int_equal(arrive(&b, 0, whole), 1);
    assert_int_equal(arrive(&b, 0, (struct simt_barrier){.id = 15, .threads = 32, .mode = ISA_BARRIER_SYNC}), 1);
}

/* Each half of a warp of 64 lanes counts 32 threads; a barrier of the whole block has them come together. */
static void test_halves(void **state)
{
    const uint64_t low = mask_low(32), high = low << 32;
    struct sm_barriers b;
    sm_barriers_init(&b, 3);
    struct simt_barrier of_two = {.id = 1, .threads = 64, .mode = ISA_BARRIER_SYNC, .arrived = low};
    assert_int_equal(arrive(&b, 0, of_two), 0);
    assert_int_equal(arrive(&b, 0, of_two), 0); /* the same half again */
    of_two.arrived = high;
    assert_int_equal(arrive(&b, 2, of_two), 5);
    of_two.mode = ISA_BARRIER_ARRIVE;
    assert_int_equal(arrive(&b, 1, of_two), 0);
    of_two.mode = ISA_BARRIER_SYNC;
    of_two.arrived = 1; /* one lane of the other half */
    assert_int_equal(arrive(&b, 1, of_two), 2);
    of_two.arrived = low | high;
    assert_int_equal(arrive(&b, 2, of_two), 4);
    struct simt_barrier of_one = {.id = 2, .threads = 32, .mode = ISA_BARRIER_SYNC, .arrived = high};
    assert_int_equal(arrive(&b, 1, of_one), 2);
    struct simt_barrier of_block = {.mode = ISA_BARRIER_SYNC, .arrived = low | high};
    assert_int_equal(arrive(&b, 0, of_block), 0);
    assert_int_equal(arrive(&b, 1, of_block), 0);
    of_block.arrived = low; /* a last warp of 32 threads */
    assert_int_equal(arrive(&b, 2, of_block), 7);
}

static void test_reductions(void **state)
{
    static const struct {
        uint8_t reduce;
        uint64_t pred[3], expected;
    } cases[] = {
        {ISA_REDUCE_POPC, {0xFF, 0, 0xF0000000}, 12},
        {ISA_REDUCE_POPC, {0, 0, 0}, 0},
        {ISA_REDUCE_AND, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFF}, 1},
        {ISA_REDUCE_AND, {0xFFFFFFFF, 0xFFFFFFFE, 0xFFFF}, 0},
        {ISA_REDUCE_OR, {0, 0, 0}, 0},
        {ISA_REDUCE_OR, {0, 1, 0}, 1},
    };
    struct sm_barriers b;
    sm_barriers_init(&b, 3);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t value = 99, released = 0;
        for (unsigned w = 0; w < 3; w++) { /* the last warp has 16 lanes */
            struct simt_barrier red = {
                .id = 1, .mode = ISA_BARRIER_RED, .reduce = cases[i].reduce, .arrived = w == 2 ? 0xFFFF : 0xFFFFFFFF};
            red.pred = cases[i].pred[w];
            released = sm_barrier_arrive(&b, w, &red, &value);
        }
        assert_int_equal(released, 7);
        assert_int_equal(value, cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_block),
        cmocka_unit_test(test_warps_that_end),
        cmocka_unit_test(test_counts_and_arrivals),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_reductions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

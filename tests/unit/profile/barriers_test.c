/* Warps at barriers, from events that are made here: how long each waits, and who opened the barrier. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/barriers.h"

#define INSTRUCTIONS 8

static struct profile_barriers *fresh(void)
{
    struct profile_barriers *s = calloc(1, profile_barriers_bytes(INSTRUCTIONS));
    assert_non_null(s);
    return s;
}

static void arrive(struct profile_barriers *s, uint32_t warp, uint64_t cycle)
{
    profile_barriers_arrive(s, &(struct lockstep_arrive_event){.cycle = cycle, .warp = warp});
}

/* A warp comes to a barrier, and waits. */
static void come(struct profile_barriers *s, uint32_t warp, uint32_t pc, uint64_t cycle)
{
    arrive(s, warp, cycle);
    profile_barriers_came(s, warp, pc);
}

static void open(struct profile_barriers *s, uint64_t warps, uint64_t cycle)
{
    profile_barriers_open(s, &(struct lockstep_open_event){.cycle = cycle, .warps = warps});
}

static void expect_counts(const struct profile_barriers *s, uint32_t pc, const uint64_t *expected)
{
    for (unsigned i = 0; i < PROFILE_BARRIER_COUNTS; i++)
        if (s->counts[pc * PROFILE_BARRIER_COUNTS + i] != expected[i])
            fail_msg("%s of %u is %llu, not %llu", profile_barrier_name((enum profile_barrier_count)i), pc,
                     (unsigned long long)s->counts[pc * PROFILE_BARRIER_COUNTS + i], (unsigned long long)expected[i]);
}
/* expect(s, pc, opened, came, waited, waited_most, spread) */
#define expect(s, pc, ...) expect_counts(s, pc, (const uint64_t[PROFILE_BARRIER_COUNTS]){__VA_ARGS__})

/* The last warp comes and opens the barrier, which is told before its issue. */
static void test_last_opens(void **state)
{
    (void)state;
    struct profile_barriers *s = fresh();
    come(s, 1, 3, 100);
    come(s, 2, 3, 140);
    arrive(s, 3, 150);
    open(s, 0xe, 150);
    expect(s, 3, 0, 2, 49 + 9, 49, 0);
    profile_barriers_came(s, 3, 3);
    expect(s, 3, 1, 3, 58, 49, 50);
    come(s, 1, 3, 200); /* the next time, and two warps in one cycle */
    come(s, 2, 3, 200);
    arrive(s, 3, 200);
    open(s, 0xe, 200);
    profile_barriers_came(s, 3, 3);
    expect(s, 3, 2, 6, 58, 49, 50);
    free(s);
}

/* Warps that come to one barrier by several instructions: each waits at its own, and the last one's opened it. */
static void test_two_instructions(void **state)
{
    (void)state;
    struct profile_barriers *s = fresh();
    come(s, 0, 1, 10);
    arrive(s, 1, 30);
    open(s, 3, 30);
    profile_barriers_came(s, 1, 2);
    expect(s, 1, 0, 1, 19, 19, 0);
    expect(s, 2, 1, 1, 0, 0, 20);
    come(s, 0, 1, 40); /* both in one cycle */
    arrive(s, 1, 40);
    open(s, 3, 40);
    profile_barriers_came(s, 1, 2);
    expect(s, 1, 0, 2, 19, 19, 0);
    expect(s, 2, 2, 2, 0, 0, 20);
    free(s);
}

/* Nobody comes last: a warp that ended, or went by, opened the barrier; or the grid did. */
static void test_opened_from_elsewhere(void **state)
{
    (void)state;
    struct profile_barriers *s = fresh();
    come(s, 0, 1, 10);
    come(s, 5, 2, 25);
    open(s, 0x21, 100);
    expect(s, 1, 0, 1, 89, 89, 0);
    expect(s, 2, 1, 1, 74, 74, 15);
    open(s, 0x21, 200); /* nobody is there */
    expect(s, 2, 1, 1, 74, 74, 15);
    free(s);
}

/* A slot whose threads are other ones waits at no barrier. */
static void test_forgotten(void **state)
{
    (void)state;
    struct profile_barriers *s = fresh();
    come(s, 0, 1, 10);
    come(s, 1, 1, 20);
    profile_barriers_forget(s, 0);
    open(s, 3, 50);
    expect(s, 1, 1, 2, 29, 29, 0);
    free(s);
}

static void test_gather(void **state)
{
    (void)state;
    struct profile_barriers *a = fresh(), *b = fresh();
    uint64_t counts[INSTRUCTIONS * PROFILE_BARRIER_COUNTS] = {0};
    for (unsigned sm = 0; sm < 3; sm++) {
        struct profile_barriers *s = sm ? b : a;
        come(s, 0, 7, 10);
        come(s, 1, 7, 20);
        open(s, 3, sm ? 25 : 60);
    }
    profile_barriers_add(counts, a, INSTRUCTIONS);
    profile_barriers_add(counts, b, INSTRUCTIONS);
    const uint64_t expected[PROFILE_BARRIER_COUNTS] = {3, 6, 49 + 39 + 2 * (14 + 4), 49, 30};
    assert_memory_equal(counts + 7 * PROFILE_BARRIER_COUNTS, expected, sizeof expected);
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_last_opens), cmocka_unit_test(test_two_instructions),
                                       cmocka_unit_test(test_opened_from_elsewhere), cmocka_unit_test(test_forgotten),
                                       cmocka_unit_test(test_gather)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

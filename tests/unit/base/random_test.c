/* Random streams: the same for the same seed and unit, other numbers for any other, all equally likely. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

static void a_number_depends_on_its_place_alone(void **state)
{
    struct random_stream a = random_stream_of(7, "unit", 3), b = random_stream_of(7, "unit", 3);
    uint32_t numbers[100];
    (void)state;
    for (unsigned i = 0; i < 100; i++)
        numbers[i] = random_below(&a, 1000000);
    assert_int_equal(a.drawn, 100);
    b.drawn = 60; /* as from a checkpoint */
    for (unsigned i = 60; i < 100; i++)
        assert_int_equal(random_below(&b, 1000000), numbers[i]);
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* No stream is a part of another one: among so many numbers of 32 bits, chance makes a pair equal once in 25 times. */
static void streams_have_nothing_in_common(void **state)
{
    enum { SEEDS = 12, UNITS = 12, DRAWN = 64, ALL = SEEDS * 2 * UNITS * DRAWN };
    static uint32_t all[ALL];
    unsigned count = 0, equal = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (unsigned name = 0; name < 2; name++)
            for (uint64_t unit = 0; unit < UNITS; unit++) {
                struct random_stream s = random_stream_of(seed, name ? "a" : "b", unit);
                for (unsigned i = 0; i < DRAWN; i++)
                    all[count++] = random_below(&s, UINT32_MAX);
            }
    qsort(all, ALL, sizeof *all, by_value);
    for (unsigned i = 1; i < ALL; i++)
        equal += all[i] == all[i - 1];
    assert_true(equal < 3);
}

static void numbers_are_equally_likely(void **state)
{
    (void)state;
    for (uint32_t below = 1; below <= 10; below++) {
        struct random_stream s = random_stream_of(1, "unit", below);
        unsigned seen[10] = {0};
        for (unsigned i = 0; i < 10000 * below; i++) {
            uint32_t number = random_below(&s, below);
            assert_true(number < below);
            seen[number]++;
        }
        for (unsigned i = 0; i < below; i++)
            assert_in_range(seen[i], 9500, 10500); /* five standard deviations */
    }
}

static void jitter_has_bounds(void **state)
{
    struct jitter none = {random_stream_of(1, "unit", 0), 0}, some = {random_stream_of(1, "unit", 0), 4};
    unsigned seen[5] = {0};
    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        uint32_t more = jitter_next(&some);
        assert_int_equal(jitter_next(&none), 0);
        assert_true(more <= 4);
        seen[more]++;
    }
    assert_int_equal(none.stream.drawn, 0);
    assert_true(seen[0] && seen[1] && seen[2] && seen[3] && seen[4]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_depends_on_its_place_alone),
        cmocka_unit_test(streams_have_nothing_in_common),
        cmocka_unit_test(numbers_are_equally_likely),
        cmocka_unit_test(jitter_has_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Merging of statistics: counters add, maxima take the larger, and nothing else of the values is touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/stat.h"

struct values {
    uint64_t first, count, peak, last;
};

static const struct stat_desc descs[] = {
    {"count", STAT_COUNTER, offsetof(struct values, count), "things", "how many", STAT_NEEDS_NOTHING},
    {"peak", STAT_MAX, offsetof(struct values, peak), "things", "most at once", STAT_NEEDS_TIME},
};
static const struct stat_group group = {"g", "a group", descs, 2};

static void test_merge(void **state)
{
    struct values a = {1, 10, 7, 4}, b = {100, 32, 5, 400};
    stat_merge(&group, &a, &b);
    assert_int_equal(a.count, 42);
    assert_int_equal(a.peak, 7);
    b.peak = 9;
    stat_merge(&group, &a, &b);
    assert_int_equal(a.count, 74);
    assert_int_equal(a.peak, 9);
    assert_int_equal(a.first, 1);
    assert_int_equal(a.last, 4);
    assert_int_equal(b.count, 32);
}

static void test_merge_wide(void **state)
{
    struct values a = {.count = UINT64_C(1) << 40}, b = {.count = (UINT64_C(1) << 40) + 1, .peak = UINT64_MAX};
    stat_merge(&group, &a, &b);
    assert_true(a.count == (UINT64_C(1) << 41) + 1);
    assert_true(a.peak == UINT64_MAX);
}

static void test_value(void **state)
{
    struct values a = {1, 2, 3, 4};
    assert_int_equal(stat_value(&descs[0], &a), 2);
    assert_int_equal(stat_value(&descs[1], &a), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_merge_wide),
        cmocka_unit_test(test_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

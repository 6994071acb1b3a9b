/* The addresses of lanes and the survey of them, in every version that this processor runs, against a plain count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "simt/lanes_avx2.h"

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return random_state >> 11 ^ random_state << 37;
}

static struct lane_survey plain_survey(const uint64_t *address, uint32_t mask, uint64_t expected, uint64_t size)
{
    struct lane_survey s = {.low = INT64_MAX, .high = INT64_MIN};
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(mask >> lane & 1))
            continue;
        s.ones |= address[lane];
        s.bent |= address[lane] ^ (expected + lane * size);
        s.low = (int64_t)address[lane] < s.low ? (int64_t)address[lane] : s.low;
        s.high = (int64_t)address[lane] > s.high ? (int64_t)address[lane] : s.high;
    }
    return s;
}

static void check_survey(lane_survey_fn *survey, const uint64_t *address, uint32_t mask, uint64_t expected,
                         uint64_t size)
{
    struct lane_survey found = {.low = INT64_MAX, .high = INT64_MIN},
                       right = plain_survey(address, mask, expected, size);
    survey(&found, address, mask, expected, size);
    assert_int_equal(found.ones, right.ones);
    assert_int_equal(!found.bent, !right.bent);
    assert_int_equal(found.low, right.low);
    assert_int_equal(found.high, right.high);
}

static void survey_cases(lane_survey_fn *survey)
{
    for (unsigned round = 0; round < 2000; round++) {
        uint64_t address[LANES], first = next_random() >> (round % 50), size = UINT64_C(1) << round % 6;
        uint32_t mask = round % 3 ? (uint32_t)next_random() | 1u << round % 32 : UINT32_MAX;
        for (unsigned lane = 0; lane < LANES; lane++)
            address[lane] = round % 2 ? first + lane * size : next_random();
        check_survey(survey, address, mask, first, size);
        address[round % 32] ^= 8; /* one lane astray, executing or not */
        check_survey(survey, address, mask, first, size);
        check_survey(survey, address, mask & ~(1u << round % 32) ? mask & ~(1u << round % 32) : mask, first, size);
    }
}

static void test_survey(void **state)
{
    survey_cases(lane_survey);
    survey_cases(lane_survey_here());
}

static void address_cases(lane_addresses_fn *addresses)
{
    uint64_t wide[LANES], found[LANES];
    uint32_t narrow[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        wide[lane] = next_random();
        narrow[lane] = (uint32_t)next_random();
    }
    static const uint64_t offsets[] = {0, 4, UINT64_C(-4), UINT64_C(0x80000000), UINT64_C(1) << 40};
    for (unsigned i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        addresses(found, wide, true, offsets[i], 100);
        for (unsigned lane = 0; lane < LANES; lane++)
            assert_int_equal(found[lane], wide[lane] + offsets[i] + 100);
        addresses(found, narrow, false, offsets[i], 100);
        for (unsigned lane = 0; lane < LANES; lane++)
            assert_int_equal(found[lane], (uint64_t)(uint32_t)(narrow[lane] + (uint32_t)offsets[i]) + 100);
    }
}

static void test_addresses(void **state)
{
    address_cases(lane_addresses);
    address_cases(lane_addresses_here());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_survey),
        cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

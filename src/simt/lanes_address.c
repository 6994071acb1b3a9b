/* The addresses of a memory instruction's lanes, and what can be said of all of them at once: so that the usual access,
 * legal and in one place, is judged without looking at its lanes one by one. */
#include "base/hot.h"
#include "simt/lanes_avx2.h"
#include "simt/lanes_body.h"

HOT void LANE_FAMILY(lane_addresses)(uint64_t *restrict address, const void *row, bool wide, uint64_t offset,
                                     uint64_t base)
{
    if (!row) {
        for (unsigned lane = 0; lane < LANES; lane++)
            address[lane] = offset + base;
    } else if (wide) {
        const uint64_t *restrict from = row;
        for (unsigned lane = 0; lane < LANES; lane++)
            address[lane] = from[lane] + (offset + base);
    } else {
        const uint32_t *restrict from = row;
        for (unsigned lane = 0; lane < LANES; lane++)
            address[lane] = (uint64_t)(from[lane] + (uint32_t)offset) + base;
    }
}

#define SURVEY(LANE_ADDRESS, LANE_IN)                                                                                  \
    for (unsigned lane = 0; lane < LANES; lane++) {                                                                    \
        uint64_t in = (LANE_IN), a = (LANE_ADDRESS);                                                                   \
        ones |= a;                                                                                                     \
        bent |= (a ^ expected) & in;                                                                                   \
        low = (int64_t)a < low ? (int64_t)a : low;                                                                     \
        high = (int64_t)a > high ? (int64_t)a : high;                                                                  \
        expected += size;                                                                                              \
    }

HOT void LANE_FAMILY(lane_survey)(struct lane_survey *survey, const uint64_t *restrict address, uint32_t mask,
                                  uint64_t expected, uint64_t size)
{
    uint64_t ones = survey->ones, bent = survey->bent;
    int64_t low = survey->low, high = survey->high;
    uint64_t some = address[__builtin_ctz(mask)]; /* stands in for the lanes that do not execute */
    if (mask == UINT32_MAX)
        SURVEY(address[lane], ~UINT64_C(0))
    else
        SURVEY((address[lane] & in) | (some & ~in), -(uint64_t)((mask & lane_bit[lane]) != 0))
    *survey = (struct lane_survey){.ones = ones, .bent = bent, .low = low, .high = high};
}

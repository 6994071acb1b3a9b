/* Notes of who has arrived at mbarriers, against sets that are kept apart for each phase. */
#include "simt/arrivals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/hash.h"

enum { OBJECTS = 3, RANKS = 2, WARPS = 4 };

static const uint32_t addresses[OBJECTS] = {0, 8, 4096};

/* Of this phase and the one before. */
struct oracle {
    uint64_t now[RANKS][WARPS], before[RANKS][WARPS];
};

static void compare(const struct simt_arrivals *a, const struct oracle *oracles)
{
    for (unsigned o = 0; o < OBJECTS; o++)
        for (unsigned rank = 0; rank < RANKS; rank++)
            for (unsigned warp = 0; warp < WARPS; warp++) {
                assert_int_equal(simt_arrivals_of(a, addresses[o], rank, warp, false), oracles[o].now[rank][warp]);
                assert_int_equal(simt_arrivals_of(a, addresses[o], rank, warp, true), oracles[o].before[rank][warp]);
            }
}

static void end_phase(struct oracle *o)
{
    memcpy(o->before, o->now, sizeof o->before);
    memset(o->now, 0, sizeof o->now);
}

static void phases_are_apart(void **state)
{
    (void)state;
    struct simt_arrivals *a = calloc(1, sizeof *a);
    struct oracle oracles[OBJECTS] = {0};
    for (uint64_t i = 0; i < 4000; i++) {
        uint64_t r = random_at(7, i);
        unsigned o = r % OBJECTS, rank = r >> 8 & 1, warp = r >> 16 & 3, lane = r >> 24 & 31;
        bool bytes = (r >> 32 & 7) == 0, ended = (r >> 40 & 7) < 2;
        if ((r >> 48 & 127) == 0) {
            simt_arrivals_forget(a, addresses[o]);
            oracles[o] = (struct oracle){0};
        } else {
            simt_arrivals_note(a, addresses[o], bytes ? SIMT_NO_THREAD : SIMT_THREAD(rank, warp, lane), ended);
            oracles[o].now[rank][warp] |= bytes ? 0 : BIT64(lane);
            if (ended)
                end_phase(&oracles[o]);
        }
        compare(a, oracles);
    }
    assert_false(a->full);
    free(a);
}

/* What has no room is not noted, and the table says so; what was noted before stays. */
static void a_full_table_says_so(void **state)
{
    (void)state;
    struct simt_arrivals *a = calloc(1, sizeof *a);
    simt_arrivals_note(a, 64, SIMT_THREAD(0, 1, 5), false);
    for (uint32_t i = 0; i < SIMT_ARRIVALS; i++)
        simt_arrivals_note(a, 1024 + 8 * i, SIMT_THREAD(0, 0, 0), false);
    assert_true(a->full);
    assert_int_equal(simt_arrivals_of(a, 64, 0, 1, false), BIT64(5));
    assert_int_equal(simt_arrivals_of(a, 72, 0, 1, false), 0);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_are_apart),
        cmocka_unit_test(a_full_table_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The table of reasons to wait (warp/waits.def) is whole: each row has a set of its own, a cause and words in the hang
 * report, and stands where stalls.def puts its cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "sm/sm.h"

/* The row of stalls.def that a scheduler's cycle counts as when its warps wait for that reason. */
static unsigned stall_of(const struct warp_wait_info *info)
{
    static const char *const stalls[] = {
#define STALL(name, doc) #name,
#include "core/stalls.def"
#undef STALL
    };
    static const char *const causes[] = {
#define WARP_CAUSE(name, doc) #name,
#include "warp/causes.def"
#undef WARP_CAUSE
    };
    unsigned found = 0;
    assert_true(info->cause < WARP_CAUSE_COUNT);
    while (found < CORE_STALL_COUNT && strcmp(stalls[found], causes[info->cause]) != 0)
        found++;
    assert_true(found < CORE_STALL_COUNT);
    return found;
}

static void test_rows(void **state)
{
    assert_true(WARP_WAIT_COUNT > 1);
    for (unsigned w = 0; w < WARP_WAIT_COUNT; w++) {
        const struct warp_wait_info *info = warp_wait_info(w);
        assert_true(info->name[0] && info->doc[0]);
        assert_true(info->ender <= WARP_WAIT_BY_WARPS);
        /* The first cause that holds is the first row whose set has a warp. */
        if (w > 0)
            assert_true(stall_of(info) > stall_of(warp_wait_info(w - 1)));
        /* None that says that nobody waits. */
        assert_int_not_equal(stall_of(info), CORE_STALL_issued);
        assert_int_not_equal(stall_of(info), CORE_STALL_idle);
    }
}

static void test_sets(void **state)
{
    uint64_t all = 0, timed = 0;
    struct warp_waits waits = {0};
    assert_int_equal(sizeof waits, WARP_WAIT_COUNT * sizeof(uint64_t));
    assert_int_equal(warp_waits_any(&waits), 0);
    for (unsigned w = 0; w < WARP_WAIT_COUNT; w++) {
        waits.of[w] = BIT64(3 * w);
        all |= BIT64(3 * w);
        timed |= warp_wait_info(w)->ender == WARP_WAIT_BY_CLOCK ? BIT64(3 * w) : 0;
        assert_int_equal(warp_waits_any(&waits), all);
        assert_int_equal(warp_waits_timed(&waits), timed);
    }
    assert_int_equal(waits.barrier, waits.of[WARP_WAIT_barrier]);
    assert_int_equal(waits.fence, waits.of[WARP_WAIT_fence]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

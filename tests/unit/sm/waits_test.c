/* The table of reasons to wait (sm/waits.def) is whole: each row has a set of its own, a cause and words in the hang
 * report, and stands where stalls.def puts its cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "sm/sm.h"

static void test_rows(void **state)
{
    static const char *const causes[] = {
#define STALL(name, doc) #name,
#include "sm/stalls.def"
#undef STALL
    };
    assert_true(SM_WAIT_COUNT > 1);
    for (unsigned w = 0; w < SM_WAIT_COUNT; w++) {
        const struct sm_wait_info *info = sm_wait_info(w);
        assert_true(info->name[0] && info->doc[0]);
        assert_true(info->cause < SM_STALL_COUNT && info->ender <= SM_WAIT_BY_WARPS);
        /* The first cause that holds is the first row whose set has a warp. */
        if (w > 0)
            assert_true(info->cause > sm_wait_info(w - 1)->cause);
        /* None that says that nobody waits. */
        assert_string_not_equal(causes[info->cause], "issued");
        assert_string_not_equal(causes[info->cause], "idle");
    }
}

static void test_sets(void **state)
{
    uint64_t all = 0, timed = 0;
    struct sm_waits waits = {0};
    assert_int_equal(sizeof waits, SM_WAIT_COUNT * sizeof(uint64_t));
    assert_int_equal(sm_waits_any(&waits), 0);
    for (unsigned w = 0; w < SM_WAIT_COUNT; w++) {
        waits.of[w] = BIT64(3 * w);
        all |= BIT64(3 * w);
        timed |= sm_wait_info(w)->ender == SM_WAIT_BY_CLOCK ? BIT64(3 * w) : 0;
        assert_int_equal(sm_waits_any(&waits), all);
        assert_int_equal(sm_waits_timed(&waits), timed);
    }
    assert_int_equal(waits.barrier, waits.of[SM_WAIT_barrier]);
    assert_int_equal(waits.fence, waits.of[SM_WAIT_fence]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

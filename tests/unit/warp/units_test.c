/* The table of execution units (warp/units.def) is whole: every kind of instruction has a class that takes it, one class
 * is the load/store unit's, and it alone takes what it takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bits.h"
#include "warp/units.h"

static const struct {
    unsigned takes;
    bool memory;
    unsigned issued, collected, units, collectors, ports;
} rows[] = {
#define UNIT(name, takes, side, issued, collected, units, collectors, ports, label, what)                              \
    {takes, UNIT_MEMORY_IF_##side(true) UNIT_RESULT_IF_##side(false), issued, collected, units, collectors, ports},
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
};

static void every_kind_is_taken(void **state)
{
    (void)state;
    unsigned taken = 0;
    for (unsigned u = 0; u < WARP_UNIT_COUNT; u++)
        taken |= rows[u].takes;
    assert_int_equal(taken, mask_low(ISA_UNIT_COUNT));
    for (unsigned kind = 0; kind < ISA_UNIT_COUNT; kind++) {
        enum warp_unit first = warp_unit_of(kind);
        assert_true(first < WARP_UNIT_COUNT && rows[first].takes >> kind & 1);
        for (unsigned u = 0; u < first; u++)
            assert_false(rows[u].takes >> kind & 1);
        if (kind == ISA_UNIT_SP || kind == ISA_UNIT_SFU || kind == ISA_UNIT_EITHER || kind == ISA_UNIT_MEM)
            assert_true(first < WARP_UNIT_COLLECTED); /* machines with collectors have no others */
    }
}

static void one_takes_accesses(void **state)
{
    (void)state;
    unsigned others = 0;
    for (unsigned u = 0; u < WARP_UNIT_COUNT; u++) {
        assert_int_equal(rows[u].memory, u == WARP_UNIT_OF_MEMORY);
        assert_int_equal(warp_unit_is_memory(u), rows[u].memory);
        assert_int_equal(!rows[u].units, rows[u].memory); /* its pipelines are those of the load/store unit */
        assert_true(rows[u].issued && rows[u].collected && rows[u].collectors && rows[u].ports);
        others |= rows[u].memory ? 0 : rows[u].takes;
    }
    assert_int_equal(others & rows[WARP_UNIT_OF_MEMORY].takes, 0);
    assert_true(rows[WARP_UNIT_OF_MEMORY].takes & UNIT_TAKES(MEM));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_taken),
        cmocka_unit_test(one_takes_accesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Vector clocks, held against plain tables of numbers: rows that are shared until they differ must never show one
 * clock what another learnt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "effort.h"
#include "sanitize/clocks.h"

#define CLOCKS 6
#define SMS 3

typedef uint32_t table[SMS][SANITIZE_WARPS];

static void expect_equal(const struct sanitize_clocks *clocks, const table expected)
{
    for (uint32_t sm = 0; sm < SMS; sm++)
        for (uint32_t slot = 0; slot < SANITIZE_WARPS; slot++)
            assert_int_equal(sanitize_known(clocks, sm, slot), expected[sm][slot]);
}

static void join(table to, const table from)
{
    for (uint32_t sm = 0; sm < SMS; sm++)
        for (uint32_t slot = 0; slot < SANITIZE_WARPS; slot++)
            to[sm][slot] = from[sm][slot] > to[sm][slot] ? from[sm][slot] : to[sm][slot];
}

static void test_against_tables(void **state)
{
    for (uint64_t seed = 0; seed < 40; seed += effort_step(4)) {
        struct random_stream random = random_stream_of(seed, "clocks", 0);
        struct sanitize_clocks clocks[CLOCKS] = {{0}};
        static table tables[CLOCKS];
        memset(tables, 0, sizeof tables);
        for (unsigned step = 0; step < 200; step++) {
            uint32_t a = random_below(&random, CLOCKS), b = random_below(&random, CLOCKS);
            uint32_t sm = random_below(&random, SMS), slot = random_below(&random, 4) * 21;
            uint32_t epoch = 1 + random_below(&random, 50);
            switch (random_below(&random, 8)) {
            case 0:
                sanitize_forget(&clocks[a], SMS);
                memset(tables[a], 0, sizeof tables[a]);
                break;
            case 1:
            case 2:
            case 3:
                sanitize_learn_epoch(&clocks[a], sm, slot, epoch, SMS);
                tables[a][sm][slot] = epoch > tables[a][sm][slot] ? epoch : tables[a][sm][slot];
                break;
            default:
                sanitize_learn(&clocks[a], &clocks[b], SMS);
                join(tables[a], (const uint32_t(*)[SANITIZE_WARPS])tables[b]);
            }
            for (unsigned i = 0; i < CLOCKS; i++)
                expect_equal(&clocks[i], (const uint32_t(*)[SANITIZE_WARPS])tables[i]);
        }
        for (unsigned i = 0; i < CLOCKS; i++)
            sanitize_forget(&clocks[i], SMS);
    }
}

static void test_news(void **state)
{
    struct sanitize_clocks a = {0}, b = {0};
    assert_false(sanitize_has_news(&a, &b, 0, 0, SMS));
    sanitize_learn_epoch(&a, 1, 5, 7, SMS);
    assert_true(sanitize_has_news(&a, &b, 0, 5, SMS));
    assert_false(sanitize_has_news(&a, &b, 1, 5, SMS)); /* one's own epochs are none */
    assert_false(sanitize_has_news(&b, &a, 0, 0, SMS));
    sanitize_learn_epoch(&b, 1, 5, 6, SMS);
    assert_true(sanitize_has_news(&a, &b, 1, 6, SMS));
    sanitize_learn_epoch(&b, 1, 5, 7, SMS);
    assert_false(sanitize_has_news(&a, &b, 1, 6, SMS));
    sanitize_forget(&a, SMS);
    sanitize_forget(&b, SMS);
}

/* What one knows all of is not copied, and is when they part. */
static void test_rows_are_shared(void **state)
{
    struct sanitize_clocks a = {0}, b = {0};
    sanitize_learn_epoch(&a, 1, 5, 7, SMS);
    sanitize_learn(&b, &a, SMS);
    assert_ptr_equal(a.rows[1], b.rows[1]);
    assert_null(b.rows[0]);
    sanitize_learn_epoch(&b, 1, 6, 1, SMS);
    assert_ptr_not_equal(a.rows[1], b.rows[1]);
    assert_int_equal(sanitize_known(&a, 1, 6), 0);
    sanitize_learn(&a, &b, SMS);
    assert_ptr_equal(a.rows[1], b.rows[1]);
    sanitize_forget(&a, SMS);
    assert_int_equal(sanitize_known(&b, 1, 5), 7);
    sanitize_forget(&b, SMS);
    assert_int_equal(sanitize_known(&b, 1, 5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_tables),
        cmocka_unit_test(test_news),
        cmocka_unit_test(test_rows_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The rank test against a count of all orders, and against values of published tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "report/samples.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* How many of all choices of m places among m + n have a U at least as far from its mean as that of `mask`. */
static double counted(unsigned m, unsigned n, unsigned mask)
{
    double all = 0, beyond = 0, middle = m * n / 2.0, far = -1;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned choice = 0; choice < 1u << (m + n); choice++) {
            unsigned below = 0;
            double u = 0;
            if ((unsigned)__builtin_popcount(choice) != m || (pass == 0 && choice != mask))
                continue;
            for (unsigned i = 0; i < m + n; i++)
                if (choice >> i & 1)
                    u += below;
                else
                    below++;
            if (pass == 0) {
                far = fabs(u - middle);
                continue;
            }
            all++;
            beyond += fabs(u - middle) >= far;
        }
    return beyond / all;
}

static void test_counts_orders(void **state)
{
    (void)state;
    for (unsigned m = 1; m <= 4; m++)
        for (unsigned n = 1; n <= 4; n++)
            for (unsigned mask = 0; mask < 1u << (m + n); mask++) {
                double a[8], b[8];
                size_t a_count = 0, b_count = 0;
                if ((unsigned)__builtin_popcount(mask) != m)
                    continue;
                for (unsigned i = 0; i < m + n; i++)
                    if (mask >> i & 1)
                        a[a_count++] = i * i;
                    else
                        b[b_count++] = i * i;
                NEAR(report_rank_test(a, m, b, n), fmin(1, counted(m, n, mask)));
                NEAR(report_rank_test(a, m, b, n), report_rank_test(b, n, a, m));
            }
}

/* Critical values of U at 5%, two-sided, of the usual tables: 8 of 7 and 7 numbers, 13 of 8 and 8, 23 of 10 and 10. */
static void test_critical_values(void **state)
{
    static const struct {
        unsigned count, u;
    } table[] = {{7, 8}, {8, 13}, {10, 23}};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        double a[16], b[16];
        for (unsigned more = 0; more < 2; more++) {
            unsigned left = table[i].u + more; /* the first's numbers stand above so many of the second's together */
            for (unsigned k = 0; k < table[i].count; k++) {
                unsigned above = left < table[i].count ? left : table[i].count;
                b[k] = 10 * (k + 1);
                a[k] = 10 * above + 1 + k * 0.1;
                left -= above;
            }
            double p = report_rank_test(a, table[i].count, b, table[i].count);
            assert_true(more ? p > 0.05 : p <= 0.05);
        }
    }
}

static void test_ties_and_large_samples(void **state)
{
    double same[] = {3, 3, 3}, a[60], b[60];
    (void)state;
    NEAR(report_rank_test(same, 3, same, 3), 1);
    for (unsigned i = 0; i < 60; i++) {
        a[i] = i % 7;
        b[i] = i % 7 + 0.5 * (i % 2);
    }
    double p = report_rank_test(a, 60, b, 60);
    assert_true(p > 0.05 && p < 1);
    for (unsigned i = 0; i < 60; i++)
        b[i] = a[i] + 7;
    assert_true(report_rank_test(a, 60, b, 60) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_orders),
        cmocka_unit_test(test_critical_values),
        cmocka_unit_test(test_ties_and_large_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

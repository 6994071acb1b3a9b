/* The page of scatter plots: every point is drawn where its logarithms say and stands in the table; text is escaped;
 * nothing is fetched from elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/scatter.h"

static unsigned count_of(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

static void test_page(void **state)
{
    static const struct scatter_point points[] = {
        {"first", "lrr", "", 1000, 1000, 0},
        {"a<b&\"c\">", "gto", "L1D hits 1/2", 10000, 20000, 1},
        {"last", "lrr", "", 100000, 100000, 0},
    };
    static const struct scatter_group groups[] = {{"one", "three <points>", points, 3}, {"none", "empty", points, 0}};
    static const struct scatter_page page = {"title", "text", "there", "here", "scheduler", groups, 2};
    struct strbuf out = {0};
    scatter_html(&page, &out);
    assert_int_equal(count_of(out.text, "<svg"), 2);
    assert_int_equal(count_of(out.text, "<circle"), 2);
    assert_int_equal(count_of(out.text, "class=\"mark1\" x="), 1);
    assert_int_equal(count_of(out.text, "<tr><th scope=\"row\">"), 3);
    assert_int_equal(count_of(out.text, "class=\"wide\""), 2);
    assert_int_equal(count_of(out.text, "class=\"near\""), 2);
    assert_non_null(strstr(
        out.text, "<td class=\"number\">20000</td><td class=\"number\">10000</td><td class=\"number\">2.000</td>"));
    assert_int_equal(count_of(out.text, "a<b"), 0);
    /* Its mark's hover text, its label (it is far off), and the table. */
    assert_int_equal(count_of(out.text, "a&lt;b&amp;&quot;c&quot;&gt;"), 3);
    assert_int_equal(count_of(out.text, "three &lt;points&gt;"), 2);
    /* Equal numbers lie on the diagonal: as far from the left as from the bottom of the frame. */
    double x, y, left, top, width;
    assert_int_equal(sscanf(strstr(out.text, "<circle"), "<circle class=\"mark0\" cx=\"%lf\" cy=\"%lf\"", &x, &y), 2);
    assert_int_equal(sscanf(strstr(out.text, "class=\"frame\""), "class=\"frame\" x=\"%lf\" y=\"%lf\" width=\"%lf\"",
                            &left, &top, &width),
                     3);
    assert_true(x - left > (top + width - y) - 0.11 && x - left < (top + width - y) + 0.11);
    assert_int_equal(count_of(out.text, "http"), 0);
    assert_int_equal(count_of(out.text, "<script"), 0);
    strbuf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

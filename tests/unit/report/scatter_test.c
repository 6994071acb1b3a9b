/* The page of scatter plots: every point is drawn and stands in the table; text is escaped; nothing is fetched from
 * elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/chart.h"
#include "report/scatter.h"

static unsigned count_of(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

static const struct scatter_point points[] = {
    {"first", "lrr", "", 1000, 1000, 0},
    {"a<b&\"c\">", "gto", "L1D hits 1/2", 10000, 20000, 1},
    {"last", "lrr", "", 100000, 100000, 0},
};

static void test_page(void **state)
{
    static const struct scatter_group groups[] = {{"one", "three <points>", points, 3}, {"none", "empty", points, 0}};
    static const struct scatter_page page = {
        "title", "text", "there", "here", "scheduler", "L1D", groups, 2, "library()"};
    struct strbuf out = {0};
    scatter_html(&page, &out);
    assert_int_equal(count_of(out.text, "data-kind=scatter"), 1);
    assert_int_equal(count_of(out.text, "<script>\nlibrary()\n</script>"), 1);
    assert_int_equal(count_of(out.text, "name,variant,mark,x,y%0Afirst,lrr,0,1000,1000%0A"), 1);
    assert_int_equal(count_of(out.text, "<figure>"), 2);
    assert_int_equal(count_of(out.text, "<tr><th scope=\"row\">"), 3);
    assert_non_null(strstr(
        out.text, "<td class=\"number\">20000</td><td class=\"number\">10000</td><td class=\"number\">2.000</td>"));
    assert_int_equal(count_of(out.text, "a<b"), 0);
    assert_int_equal(count_of(out.text, "a&lt;b&amp;&quot;c&quot;&gt;"), 1);
    assert_int_equal(count_of(out.text, "three &lt;points&gt;"), 2);
    assert_int_equal(count_of(out.text, "http:") + count_of(out.text, "https:"), 0);
    assert_int_equal(count_of(out.text, "<script"), 2);
    strbuf_free(&out);
}

/* All of it stands in an attribute and in a file of numbers, in which nothing can end either. */
static void test_chart(void **state)
{
    static const struct chart chart = {"bars", "y", "a \"b\"", "</script><!--", true, 1.5};
    struct strbuf out = {0}, csv = {0};
    chart_place(&out, &chart, "words");
    assert_string_equal(out.text,
                        "<div class=scroll><div class=chart role=img data-kind=bars data-log=y data-base=\"1.5\" "
                        "data-x=\"a &quot;b&quot;\" data-y=\"&lt;/script&gt;&lt;!--\" "
                        "aria-label=\"words\"></div></div>\n");
    strbuf_add(&csv, "a,\"b \"\"</a>%\"\n\xc3\xa9\xff'1.5\n");
    out.length = 0;
    chart_file(&out, "f", &csv);
    assert_string_equal(out.text,
                        "<a download=\"f.csv\" "
                        "href=\"data:text/csv;charset=utf-8,a,%22b%20%22%22%3C%2Fa%3E%25%22%0A%C3%A9%FF%271.5%0A\">"
                        "CSV</a>");
    strbuf_free(&out);
    strbuf_free(&csv);
}

static void test_library(void **state)
{
    assert_true(chart_knows("/*! Chart.js v3.9.1 */ x < /y/ <!- z"));
    assert_true(chart_knows("/*! Chart.js v4.4.0 */"));
    assert_false(chart_knows("/*! Chart.js v2.9.4 */"));
    assert_false(chart_knows("/*! Chart.js v3.9.1 */ '</Script>'"));
    assert_false(chart_knows("/*! Chart.js v3.9.1 */ '<!--'"));
    assert_false(chart_knows(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_page), cmocka_unit_test(test_chart),
                                       cmocka_unit_test(test_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The page of scatter plots: every point is drawn and stands in the table; text is escaped; nothing is fetched from
 * elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/plot.h"
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
    static const struct scatter_group groups[] = {{"one", "three <points>", points, 3, "<svg>drawn</svg>"},
                                                  {"none", "empty", points, 0, NULL}};
    static const struct scatter_page page = {"title", "text", "there", "here", "scheduler", groups, 2};
    struct strbuf out = {0};
    scatter_html(&page, &out);
    assert_int_equal(count_of(out.text, "<svg>drawn</svg>"), 1);
    assert_int_equal(count_of(out.text, "<figure>"), 2);
    assert_int_equal(count_of(out.text, "<tr><th scope=\"row\">"), 3);
    assert_non_null(strstr(
        out.text, "<td class=\"number\">20000</td><td class=\"number\">10000</td><td class=\"number\">2.000</td>"));
    assert_int_equal(count_of(out.text, "a<b"), 0);
    assert_int_equal(count_of(out.text, "a&lt;b&amp;&quot;c&quot;&gt;"), 1);
    assert_int_equal(count_of(out.text, "three &lt;points&gt;"), 1);
    assert_int_equal(count_of(out.text, "http"), 0);
    assert_int_equal(count_of(out.text, "<script"), 0);
    strbuf_free(&out);
}

/* Every point stands among those of its mark; one that is far off has its name; the axes hold all of them. */
static void test_plot(void **state)
{
    static const struct scatter_group all = {"one", "", points, 3, NULL}, none = {"none", "", points, 0, NULL};
    static const struct scatter_page page = {"title", "text", "there \"x\"", "here", "scheduler", &all, 1};
    struct strbuf out = {0};
    assert_false(scatter_plot(&page, &none, &out));
    assert_true(scatter_plot(&page, &all, &out));
    assert_non_null(
        strstr(out.text, "$mark0 << END\n1000 1000\n100000 100000\nEND\n$mark1 << END\n10000 20000\nEND\n"));
    assert_non_null(strstr(out.text, "$names0 << END\n10000 20000 \"a<b&'c'>\"\nEND\n$names1 << END\nEND\n"));
    assert_non_null(strstr(out.text, "set xlabel 'there \"x\"'\n"));
    double low, high;
    assert_int_equal(sscanf(strstr(out.text, "set xrange"), "set xrange [%lf:%lf]", &low, &high), 2);
    assert_true(low < 1000 && high > 100000);
    strbuf_free(&out);
}

/* Whatever a text holds, gnuplot sees a constant on one line: `...`, \n and @macros do something in double quotes only. */
static void test_quotes(void **state)
{
    struct strbuf out = {0};
    plot_quote(&out, "it's `id` \"q\" \\n\n100%\t");
    plot_quote_tic(&out, "5%'s\r");
    plot_data_word(&out, "a \"b\" \\c\nEND");
    assert_string_equal(out.text, "'it''s `id` \"q\" \\n 100% ''5%%''s '\"a 'b' /c END\"");
    strbuf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_page), cmocka_unit_test(test_plot), cmocka_unit_test(test_quotes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Two runs side by side: what differs is told with its ratio, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/difference.h"

static json_t *kernel(const char *name, int cycles, int reads, int longest)
{
    return json_pack("{s:s, s:[i,i,i], s:i, s:f, s:f, s:{s:i}, s:{s:i, s:n}, s:{s:f}}", "name", name, "grid", 1, 1, 1,
                     "cycles", cycles, "time_ns", cycles * 0.5, "ipc", 1.0 * cycles, "l1d", "reads", reads, "network",
                     "latency_max", longest, "flits", "host", "seconds", 0.1 * cycles);
}

static struct report_run run_of(const char *label, json_t *kernels)
{
    return (struct report_run){.label = label, .kernels = kernels, .group = label};
}

static void test_differences(void **state)
{
    json_t *one = json_pack("[o,o]", kernel("a", 100, 7, 30), kernel("b", 100, 0, 20));
    json_t *two = json_pack("[o,o]", kernel("a", 150, 7, 10), kernel("b", 101, 0, 20));
    const struct report_run runs[] = {run_of("one", one), run_of("two", two)}, same[] = {runs[0], runs[0]};
    struct table_page page = {0};
    json_object_set_new(json_object_get(json_array_get(two, 0), "l1d"), "writes", json_integer(5));
    report_differences(runs, &page);
    assert_string_equal(page.text.text, "statistic            one    two  ratio\n"
                                        "cycles               200    251  1.255\n"
                                        "time_ns              100  125.5  1.255\n"
                                        "network.latency_max   30     20  0.667\n"
                                        "l1d.writes             -      5      -\n");
    table_page_free(&page);
    report_differences_kernels(runs, &page);
    assert_non_null(strstr(page.text.text, "\nkernel b\nstatistic  one   two  ratio\ncycles     100   101  1.010\n"));
    table_page_free(&page);
    report_differences(same, &page);
    assert_string_equal(page.text.text, "no statistic differs\n");
    table_page_free(&page);
    json_decref(one);
    json_decref(two);
}

static void test_settings(void **state)
{
    json_t *one = json_pack("{s:[s,s], s:s, s:{s:s, s:s, s:{s:i, s:i}}, s:b}", "program", "./p", "x", "mode", "timing",
                            "machine", "name", "m", "doc", "a", "sm", "warps", 48, "blocks", 8, "partial", 0);
    json_t *two =
        json_pack("{s:[s,s], s:s, s:{s:s, s:s, s:{s:i, s:i, s:i}}, s:b}", "program", "./p", "y", "mode", "timing",
                  "machine", "name", "m", "doc", "b", "sm", "warps", 24, "blocks", 8, "new", 1, "partial", 1);
    json_t *const documents[] = {one, two}, *const same[] = {one, one};
    const struct report_run runs[] = {run_of("one", NULL), run_of("two", NULL)};
    struct table_page page = {0};
    report_settings(runs, documents, &page);
    assert_string_equal(page.text.text, "          one    two\n"
                                        "program   ./p x  ./p y\n"
                                        "sm.warps  48     24\n"
                                        "sm.new    -      1\n\n");
    table_page_free(&page);
    report_settings(runs, same, &page);
    assert_int_equal(page.text.length, 0);
    table_page_free(&page);
    json_decref(one);
    json_decref(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_differences), cmocka_unit_test(test_settings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

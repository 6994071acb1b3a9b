/* Tables and figures: columns line up, CSV quotes what must be quoted, shares and rates are those of the numbers put
 * in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/figures.h"
#include "report/run_report.h"
#include "report/table.h"

static void test_table(void **state)
{
    struct table t;
    struct table_page page = {0};
    table_init(&t, "lrl");
    const char *const cells[] = {"name", "n", "note", "a", "100", "", "\xC3\xA4\xC3\xB6", "7", "x|y"};
    for (size_t i = 0; i < 9; i++)
        table_cell(&t, "%s", cells[i]);
    table_text(&t, &page);
    assert_string_equal(page.text.text, "name    n  note\na     100\n\xC3\xA4\xC3\xB6      7  x|y\n");
    page.text.length = 0;
    table_markdown(&t, &page.text);
    assert_string_equal(page.text.text,
                        "| name | n | note |\n|---|--:|---|\n| a | 100 |  |\n| \xC3\xA4\xC3\xB6 | 7 | x\\|y |\n");
    table_page_free(&page);
    table_free(&t);
}

static void test_kernel_names(void **state)
{
    static const char *const names[][2] = {
        {"vecadd", "vecadd"},
        {"_Z6insertPKjjPV", "insert"},
        {"_Z6reduceIfLi128EEvPKT_", "reduce"},
        {"_ZN2ns4name3runEv", "ns::name::run"},
        {"_ZL5localPi", "local"},
        {"_Z", "_Z"},
        {"_Z99abc", "_Z99abc"},
        {"_ZN12_GLOBAL__N_14scanEPj", "scan"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct strbuf out = {0};
        figures_kernel_name(names[i][0], &out);
        assert_string_equal(strbuf_text(&out), names[i][1]);
        strbuf_free(&out);
    }
}

static json_t *kernel(const char *name, int cycles)
{
    return json_pack("{s:s, s:[i,i,i], s:[i,i,i], s:s, s:i, s:f, s:i, s:i, s:f, s:{s:i,s:i,s:i,s:i}, s:{s:i,s:i}, "
                     "s:{s:i,s:i}, s:{s:i,s:i}, s:{s:f}}",
                     "name", name, "grid", 4, 2, 1, "block", 32, 1, 1, "status", "ok", "cycles", cycles, "time_ns",
                     (double)cycles, "warp_instructions", 10, "thread_instructions", 160, "simd_efficiency", 0.5,
                     "stalls", "issued", 10, "data", 60, "fence", 0, "barrier", 30, "l1d", "reads", 4, "read_hits", 1,
                     "l2", "reads", 0, "read_hits", 0, "energy", "dynamic", cycles * 1234, "total", cycles * 10000,
                     "host", "seconds", 0.001);
}

static void test_figures(void **state)
{
    struct figures f = {0};
    struct strbuf text = {0};
    json_t *a = kernel("a", 100), *b = kernel("a", 300);
    figures_add(&f, a);
    figures_add(&f, b);
    assert_true(f.launches == 2 && f.cycles == 400 && f.warp_instructions == 20);
    assert_true(figures_ipc(&f) == 0.8);
    figures_top_stalls(&f, 2, &text);
    strbuf_add(&text, " ");
    figures_percent(f.l1d_read_hits, f.l1d_reads, &text);
    strbuf_add(&text, " ");
    figures_percent(f.l2_read_hits, f.l2_reads, &text);
    assert_string_equal(text.text, "data 60%, barrier 30% 25.0% -");
    strbuf_free(&text);
    json_decref(a);
    json_decref(b);
}

/* Three digits and a prefix; a launch without energy leaves none. */
static void test_energy(void **state)
{
    static const struct {
        uint64_t pj;
        const char *text;
    } cases[] = {
        {0, "0 pJ"},
        {7, "7 pJ"},
        {999, "999 pJ"},
        {1000, "1.00 nJ"},
        {9994, "9.99 nJ"},
        {9996, "10.0 nJ"},
        {99940, "99.9 nJ"},
        {99960, "100 nJ"},
        {999400, "999 nJ"},
        {999600, "1.00 uJ"},
        {1234567890, "1.23 mJ"},
        {45600000000000, "45.6 J"},
        {UINT64_C(7000000000000000), "7.00 kJ"},
    };
    struct figures f = {.launches = 2, .energy_launches = 2};
    struct strbuf text = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text.length = 0;
        figures_energy(&f, cases[i].pj, &text);
        assert_string_equal(text.text, cases[i].text);
    }
    f.energy_launches = 1;
    text.length = 0;
    figures_energy(&f, 5, &text);
    assert_string_equal(text.text, "-");
    strbuf_free(&text);
}

static void test_kernel_table(void **state)
{
    struct table_page page = {0};
    json_t *kernels = json_array();
    report_kernels(kernels, &page);
    assert_int_equal(page.text.length, 0);
    for (int i = 0; i < 12; i++)
        json_array_append_new(kernels, kernel(i % 2 ? "odd" : "even", 10));
    report_kernels(kernels, &page);
    assert_non_null(strstr(page.text.text, "even     4x2     32      10          10  16.00  50.0%"));
    page.text.length = 0;
    json_array_append_new(kernels, kernel("odd", 10));
    report_kernels(kernels, &page);
    assert_non_null(strstr(page.text.text, "launches"));
    assert_non_null(strstr(page.text.text, "\nodd            7      70"));
    table_page_free(&page);
    json_decref(kernels);
}

static void test_csv(void **state)
{
    struct strbuf text = {0};
    json_t *documents =
        json_pack("[{s:[s,s],s:{s:s},s:s,s:s,s:[],s:[{s:s,s:i,s:[i,i,i],s:{s:i,s:f}},{s:s,s:i}]},"
                  "{s:[s],s:{s:s},s:s,s:[s,s],s:[{s:s,s:n}]}]",
                  "program", "./p", "an,argument", "machine", "name", "m1", "as", "reference", "scheduler", "gto", "parameters", "kernels",
                  "name", "a,\"b\"", "cycles", 5, "grid", 1, 2, 3, "l2", "reads", 7, "rate", 0.5, "name", "c", "cycles",
                  6, "program", "./p", "machine", "name", "m2", "scheduler", "lrr", "parameters", "a.b=1", "c.d=2",
                  "kernels", "name", "d", "cycles");
    assert_non_null(documents);
    report_csv(documents, &text);
    assert_string_equal(text.text, "program,machine,as,scheduler,parameters,name,cycles,grid,l2.reads,l2.rate\n"
                                   "\"./p an,argument\",m1,reference,gto,,\"a,\"\"b\"\"\",5,1x2x3,7,0.5\n"
                                   "\"./p an,argument\",m1,reference,gto,,c,6,,,\n"
                                   "./p,m2,,lrr,a.b=1 c.d=2,d,,,,\n");
    strbuf_free(&text);
    json_decref(documents);
}

static void test_compare(void **state)
{
    struct table_page page = {0};
    json_t *one = json_pack("[o,o]", kernel("a", 100), kernel("b", 100)),
           *two = json_pack("[o,o]", kernel("a", 50), kernel("b", 50));
    struct report_run runs[] = {{"lrr", one, NULL, "lrr"}, {"gto", two, NULL, "gto"}, {"bad", NULL, "exit 1", "bad"}};
    report_compare(runs, 2, NULL, &page);
    assert_non_null(strstr(page.text.text, "cycles                  200      100\nspeed-up              1.00x    2.00x\n"));
    assert_non_null(strstr(page.text.text, "dynamic energy       247 nJ   123 nJ\n"));
    assert_non_null(strstr(page.text.text, "total energy        2.00 uJ  1.00 uJ\n"));
    assert_non_null(strstr(page.text.text, "  of the first       100.0%    50.0%\n"));
    assert_non_null(strstr(page.text.text, "  data                60.0%    60.0%\n"));
    assert_null(strstr(page.text.text, "fence"));
    assert_null(strstr(page.text.text, "ended"));
    page.text.length = 0;
    report_compare(runs, 3, NULL, &page);
    assert_non_null(strstr(page.text.text, "ended                    ok       ok  exit 1\n"));
    assert_non_null(strstr(page.text.text, "speed-up              1.00x    2.00x       -\n"));
    page.text.length = 0;
    report_compare_kernels(runs, 2, &page);
    assert_non_null(strstr(page.text.text, "\nkernel b\n"));
    assert_non_null(strstr(page.text.text, "cycles                  100       50\n"));
    table_page_free(&page);
    json_decref(one);
    json_decref(two);
}

static void test_spread(void **state)
{
    struct table_page page = {0};
    json_t *kernels[5];
    for (unsigned i = 0; i < 5; i++)
        kernels[i] = json_pack("[o]", kernel("a", (int[]){100, 110, 120, 50, 60}[i]));
    struct report_run runs[] = {
        {"a seed 1", kernels[0], NULL, "a"}, {"a seed 2", kernels[1], NULL, "a"}, {"a seed 3", kernels[2], NULL, "a"},
        {"b seed 1", kernels[3], NULL, "b"}, {"b seed 2", kernels[4], NULL, "b"}, {"b seed 3", kernels[3], NULL, "b"},
        {"c seed 1", kernels[0], NULL, "c"}, {"c seed 2", NULL, "exit 1", "c"},   {"c seed 3", kernels[1], NULL, "c"}};
    report_spread(runs, 9, 3, &page);
    assert_string_equal(page.text.text, "cycles of 3 seeds  mean  deviation  least  most  speed-up\n"
                                   "a                   110      9.09%    100   120    1.000x\n"
                                   "b                    53     10.83%     50    60    2.062x\n"
                                   "c                     -          -      -     -         -\n");
    table_page_free(&page);
    for (unsigned i = 0; i < 5; i++)
        json_decref(kernels[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),   cmocka_unit_test(test_kernel_names), cmocka_unit_test(test_figures),
        cmocka_unit_test(test_energy),  cmocka_unit_test(test_kernel_table), cmocka_unit_test(test_csv),
        cmocka_unit_test(test_compare), cmocka_unit_test(test_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

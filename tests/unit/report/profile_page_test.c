/* The page of profiles, from results that are written here: what it says first, its tables, texts that look like
 * markup, results that lack something. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/profile_page.h"
#include "report/profile_text.h"

/* A result of a kernel `name`, whose line a.cu:3 waits `cycles` for its load, and its end as many as 100. */
static json_t *document(const char *name, int cycles)
{
    json_error_t error;
    json_t *kernel = json_pack_ex(
        &error, 0,
        "{s:s,s:i,s:{s:i},s:{s:[{s:i,s:s,s:[{s:s,s:i}],s:{s:i,s:i,s:i,s:i,s:i,s:i},s:{s:i}},{s:i,s:s,s:[{s:s,s:i}],s:{}"
        ",s:{s:i,s:i}}],"
        "s:[{s:s,s:i,s:s}],s:[{s:i,s:{s:i,s:i}}],s:[{s:s,s:i,s:i,s:i}]}}",
        "name", name, "cycles", 250, "sm", "atomics", 77, "profile", "instructions", "pc", 0, "text", "ld <b>;",
        "places", "file", "/none/<i>a.cu", "line", 3, "counts", "issues", 5, "awaited", cycles, "lanes", 60, "accesses",
        5, "transactions", 20, "hits", 5, "cycles", "issued", 5, "pc", 1, "text", "ret;", "places", "file",
        "/none/<i>a.cu", "line", 4, "counts", "cycles", "data_memory", cycles, "exit", 100, "lines", "file",
        "/none/<i>a.cu", "line", 3, "text", "x = \"<script>\";", "sms", "sm", 0, "warp_cycles", "data_memory", cycles,
        "exit", 100, "words", "name", "<u>lock", "warps_waited", cycles / 2, "taken", 12, "given", 12);
    if (!kernel)
        fail_msg("%s", error.text);
    return json_pack("{s:[s],s:s,s:{s:s,s:s},s:b,s:[o]}", "program", "./<b>p", "scheduler", "gto", "machine", "name",
                     "m", "doc", "a & b", "partial", 0, "kernels", kernel);
}

static char *page_of(json_t *one, json_t *other)
{
    const struct profile_page_result results[] = {{"one", "one.json", one}, {"<other>", NULL, other}};
    const struct profile_page page = {.results = results, .count = other ? 2 : 1, .maker = "lockstep"};
    struct strbuf out = {0};
    profile_page_html(&page, &out);
    json_decref(one);
    json_decref(other);
    return out.text;
}

static void expect_has(const char *page, const char *text)
{
    if (!strstr(page, text))
        fail_msg("the page has no %s", text);
}

static void test_one(void **state)
{
    (void)state;
    char *page = page_of(document("k", 400), NULL);
    expect_has(page,
               "<li><a href=\"#k0\"><b>k</b></a>: 250 cycles, 505 warp-cycles; its most expensive line is <a href=\"#");
    expect_has(page,
               "\">&lt;i&gt;a.cu:3</a> with <b>80.2%</b>.<br>40% of warp-cycles have a thread that waits for lock "
               "&lt;u&gt;lock");
    expect_has(page,
               "<tr><th scope=row>value from memory<td>warps.data_memory<td class=number>400<td class=number>79.2%");
    expect_has(page, "<th scope=row>sm.atomics<td class=number>77<td>instructions<td>");
    expect_has(page, "<th scope=row>cycles<td class=number>250<td>core cycles<td>");
    expect_has(page, "<th scope=row>&lt;u&gt;lock<td class=number>39.6%<td class=number>12<td");
    expect_has(page, "The file cannot be read");
    expect_has(page, " 80.2%          5   12.0  ld &lt;b&gt;;"
                     "                                     "
                     "its value awaited 99%; 4 transactions each, hits L1 25%");
    expect_has(page, "<th scope=row>machine<td>m: a &amp; b");
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "<i>a.cu"));
    assert_null(strstr(page, "<u>"));
    free(page);
}

/* Two results: columns; a kernel that only one has is told with gaps. */
static void test_two(void **state)
{
    (void)state;
    char *page = page_of(document("k", 400), document("k", 100));
    expect_has(page, "<b>k</b></a> in &lt;other&gt;: 250 cycles, 205 warp-cycles");
    expect_has(page,
               "warps.data_memory<td class=number>400<td class=number>100<td class=number>79.2%<td class=number>48.8%");
    expect_has(page, "<th scope=row>sm.atomics<td class=number>77<td class=number>77<td>");
    free(page);
    page = page_of(document("k", 400), document("h", 100));
    expect_has(page, "<h2 id=k0>Kernel k</h2>");
    expect_has(page, "<h2 id=k1>Kernel h</h2>");
    expect_has(page, "<th scope=row>sm.atomics<td class=number>77<td class=number>-<td>");
    expect_has(page, "<th scope=row>&lt;u&gt;lock<td class=number>39.6%<td class=number>-<td");
    free(page);
}

static void test_suits(void **state)
{
    (void)state;
    json_t *with = document("k", 1), *without = document("k", 1);
    json_object_del(json_array_get(json_object_get(without, "kernels"), 0), "profile");
    assert_true(profile_page_suits(with));
    assert_false(profile_page_suits(without));
    json_decref(with);
    json_decref(without);
}

/* Lines end at their ends, with blanks or without; what is no text has none. */
static void test_text(void **state)
{
    (void)state;
    static const char path[] = "profile_page_test.txt";
    struct profile_text text;
    FILE *file = fopen(path, "w");
    fputs("\tfirst  \r\n\n  last", file);
    fclose(file);
    profile_text_read(&text, path);
    assert_int_equal(text.lines.count, 3);
    assert_string_equal(profile_text_line(&text, 1), "\tfirst");
    assert_string_equal(profile_text_line(&text, 2), "");
    assert_string_equal(profile_text_line(&text, 3), "  last");
    assert_null(profile_text_line(&text, 0));
    assert_null(profile_text_line(&text, 4));
    profile_text_free(&text);
    file = fopen(path, "w");
    fwrite("a\0b\n", 1, 4, file);
    fclose(file);
    profile_text_read(&text, path);
    assert_int_equal(text.lines.count, 0);
    profile_text_free(&text);
    remove(path);
    profile_text_read(&text, path);
    assert_int_equal(text.lines.count, 0);
    profile_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_two),
        cmocka_unit_test(test_suits),
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

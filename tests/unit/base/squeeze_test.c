/* Compressed texts: what was put in comes out, and nothing else is taken for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/squeeze.h"

#define LABEL "label\n"

static void expect_same(const char *text, size_t length)
{
    struct strbuf file = {0}, again = {0};
    squeeze(LABEL, text, length, &file);
    assert_true(squeeze_is(LABEL, file.text, file.length));
    assert_false(squeeze_is("lobel\n", file.text, file.length));
    assert_false(squeeze_is("label", file.text, file.length));
    assert_true(unsqueeze(LABEL, file.text, file.length, &again));
    assert_int_equal(again.length, length);
    if (length)
        assert_memory_equal(again.text, text, length);
    strbuf_free(&file);
    strbuf_free(&again);
}

static void test_round(void **state)
{
    (void)state;
    static char large[3 << 20];
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = (char)((x = x * 1664525 + 1013904223) >> 28);
    expect_same("", 0);
    expect_same("a\0b", 3);
    expect_same(large, sizeof large);
}

static void test_damaged(void **state)
{
    (void)state;
    struct strbuf file = {0}, text = {0};
    squeeze(LABEL, "some text that is here", 22, &file);
    for (size_t n = 0; n < file.length; n++)
        assert_false(unsqueeze(LABEL, file.text, n, &text));
    strbuf_add(&file, "x");
    assert_false(unsqueeze(LABEL, file.text, file.length, &text)); /* something behind it */
    assert_false(unsqueeze(LABEL, "plain text, no frame", 20, &text));
    strbuf_free(&file);
    strbuf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round), cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

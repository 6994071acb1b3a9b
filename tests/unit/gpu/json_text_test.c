/* JSON as text: byte for byte what jansson writes. */
#include "gpu/json_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(const json_t *value)
{
    struct strbuf lines = {0}, compact = {0};
    char *expected = json_dumps(value, JSON_INDENT(1)), *one_line = json_dumps(value, JSON_COMPACT);
    json_text(value, 1, &lines);
    json_text(value, 0, &compact);
    assert_string_equal(strbuf_text(&lines), expected);
    assert_string_equal(strbuf_text(&compact), one_line);
    strbuf_free(&lines);
    strbuf_free(&compact);
    free(expected);
    free(one_line);
}

static void test_documents(void **state)
{
    (void)state;
    static const char *const documents[] = {
        "{}",
        "[]",
        "[{}, [], [[]], {\"a\": {}}]",
        "{\"b\": 1, \"a\": -9223372036854775808, \"c\": 9223372036854775807, \"\": 0, \"d\": [1, 20, 300]}",
        "[0.1, 1e300, -2.5e-7, 3.0, 1234567.875, true, false, null]",
        "{\"quote \\\" \\\\ \\n\": \"\\u0001 \\b\\f\\n\\r\\t / \\u00e4 \\u001f \\u007f \\\"\", \"tail\": \"\\\\\"}",
        "{\"nested\": [{\"x\": [1, {\"y\": \"z\"}]}, \"\", {\"w\": null}]}",
    };
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        json_t *value = json_loads(documents[i], 0, NULL);
        assert_non_null(value);
        check(value);
        json_decref(value);
    }
}

/* It appends, and what one object stands in twice is written twice. */
static void test_shared(void **state)
{
    (void)state;
    json_t *array = json_array(), *object = json_pack("{s:i}", "one", 1);
    json_array_append(array, object);
    json_array_append_new(array, object);
    check(array);
    struct strbuf text = {0};
    strbuf_add(&text, "before ");
    json_text(array, 0, &text);
    assert_string_equal(strbuf_text(&text), "before [{\"one\":1},{\"one\":1}]");
    assert_int_equal(text.length, strlen(text.text));
    strbuf_free(&text);
    json_decref(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

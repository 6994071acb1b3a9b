/* Parameters by name, from text and from YAML: values arrive in their fields, and every error names its place, its
 * range and the nearest thing that exists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/param.h"

static const char *const colours[] = {"red", "green", "blue", NULL};

struct lamp {
    uint32_t watts, colour, price;
    bool on;
    const char *name;
};
struct box {
    uint32_t width, watts;
};

static const struct param_desc lamp_descs[] = {
    {"watts", PARAM_TYPE_U32, offsetof(struct lamp, watts), 40, 1, 100, NULL, NULL, "W", "power", false},
    {"colour", PARAM_TYPE_ENUM, offsetof(struct lamp, colour), 1, 0, 0, colours, NULL, "", "light", false},
    {"on", PARAM_TYPE_BOOL, offsetof(struct lamp, on), 1, 0, 1, NULL, NULL, "", "lit", false},
    {"name", PARAM_TYPE_STR, offsetof(struct lamp, name), 0, 0, 0, NULL, "desk lamp", "", "label", false},
    {"price", PARAM_TYPE_DECIMAL, offsetof(struct lamp, price), 12500, 250, 99999, NULL, NULL, "EUR", "price", false},
};
static const struct param_desc box_descs[] = {
    {"width", PARAM_TYPE_U32, offsetof(struct box, width), 7, 0, UINT32_MAX, NULL, NULL, "", "size", false},
    {"watts", PARAM_TYPE_U32, offsetof(struct box, watts), 3, 1, 9, NULL, NULL, "W", "loss", false},
};

struct fixture {
    struct lamp lamp;
    struct box box;
    struct param_group groups[2];
    struct arena arena;
    struct diag_sink sink;
    struct strbuf text;
};

static int setup(void **state)
{
    struct fixture *f = base_calloc(1, sizeof *f);
    f->groups[0] = (struct param_group){"lamp", "a lamp", lamp_descs, 5, &f->lamp, NULL};
    f->groups[1] = (struct param_group){"box", "a box", box_descs, 2, &f->box, NULL};
    param_defaults(f->groups, 2);
    diag_init(&f->sink);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    diag_free(&f->sink);
    arena_free(&f->arena);
    strbuf_free(&f->text);
    free(f);
    return 0;
}

static int set(struct fixture *f, const char *name, const char *text)
{
    return param_set(f->groups, 2, &f->arena, name, text, DIAG_NOWHERE, &f->sink);
}

static int load(struct fixture *f, const char *text)
{
    static const char *const ignored[] = {"base", NULL};
    return param_load_yaml(f->groups, 2, &f->arena, "m.yaml", text, ignored, &f->sink);
}

/* The formatted diagnostics have this text. */
static void assert_said(struct fixture *f, const char *expected)
{
    f->text.length = 0;
    strbuf_add(&f->text, "");
    diag_format_all(&f->sink, &f->text);
    if (!strstr(strbuf_text(&f->text), expected))
        fail_msg("no '%s' in:\n%s", expected, strbuf_text(&f->text));
}

static void test_defaults(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(f->lamp.watts, 40);
    assert_int_equal(f->lamp.colour, 1);
    assert_true(f->lamp.on);
    assert_string_equal(f->lamp.name, "desk lamp");
    assert_int_equal(f->box.width, 7);
}

static void test_set_values(void **state)
{
    struct fixture *f = *state;
    char text[] = "a = b";
    assert_int_equal(set(f, "lamp.watts", "100"), 0);
    assert_int_equal(set(f, "lamp.colour", "blue"), 0);
    assert_int_equal(set(f, "lamp.on", "off"), 0);
    assert_int_equal(set(f, "lamp.name", text), 0);
    assert_int_equal(set(f, "box.width", "0xfFFFffff"), 0);
    text[0] = '?'; /* the value is a copy */
    assert_int_equal(f->lamp.watts, 100);
    assert_int_equal(f->lamp.colour, 2);
    assert_false(f->lamp.on);
    assert_string_equal(f->lamp.name, "a = b");
    assert_true(f->box.width == UINT32_MAX);
    assert_int_equal(f->sink.count, 0);
}

static void test_set_refuses(void **state)
{
    struct fixture *f = *state;
    static const char *const bad[][3] = {
        {"lamp.watts", "0", "lamp.watts = 0 is out of range (1 to 100 W)"},
        {"lamp.watts", "101", "lamp.watts = 101 is out of range (1 to 100 W)"},
        {"lamp.watts", "-1", "lamp.watts = -1 is not a whole number (1 to 100 W)"},
        {"lamp.watts", "4x", "is not a whole number"},
        {"lamp.watts", "", "is not a whole number"},
        {"lamp.watts", "0x", "is not a whole number"},
        {"box.width", "4294967296", "out of range (0 to 4294967295)"},
        {"box.width", "99999999999999999999", "not a whole number"},
        {"lamp.price", "0.249", "lamp.price = 0.249 is out of range (0.25 to 99.999 EUR)"},
        {"lamp.price", "100", "lamp.price = 100 is out of range (0.25 to 99.999 EUR)"},
        {"lamp.price", "1.2345", "not a number with at most three places behind the point (0.25 to 99.999 EUR)"},
        {"lamp.price", "1.", "not a number"},
        {"lamp.price", ".5", "not a number"},
        {"lamp.price", "1.2.3", "not a number"},
        {"lamp.price", "1e3", "not a number"},
        {"lamp.price", "-1", "not a number"},
        {"lamp.price", "", "not a number"},
        {"lamp.price", "99999999999999999999", "not a number"},
        {"lamp.on", "maybe", "lamp.on = maybe: expected true or false"},
        {"lamp.colour", "bleu", "expected red, green or blue"},
        {"lamp.colour", "gren", "did you mean 'green'?"},
        {"lamp.wats", "1", "did you mean 'lamp.watts'?"},
        {"lamb.watts", "1", "did you mean 'lamp.watts' or 'box.watts'?"},
        {"box.colour", "1", "did you mean 'lamp.colour'?"},
        {"colour", "red", "did you mean 'lamp.colour'?"},
        {"qqqqqqqqqq.zzzz", "1", "there is no parameter 'qqqqqqqqqq.zzzz'"},
    };
    struct lamp before = f->lamp;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(set(f, bad[i][0], bad[i][1]), -1);
        assert_said(f, bad[i][2]);
        diag_free(&f->sink);
    }
    assert_memory_equal(&before, &f->lamp, sizeof before);
    assert_int_equal(f->box.width, 7);
}

static void test_yaml_values(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load(f, "base: other\nlamp: {watts: 0x10, on: false, name: \"a: b\"}\nbox:\n  width: 12 # wide\n"),
                     0);
    assert_int_equal(f->lamp.watts, 16);
    assert_false(f->lamp.on);
    assert_string_equal(f->lamp.name, "a: b");
    assert_int_equal(f->box.width, 12);
    assert_int_equal(load(f, ""), 0);
    assert_int_equal(load(f, "# nothing\n"), 0);
    assert_int_equal(load(f, "box:\n"), 0);
    assert_int_equal(f->sink.count, 0);
}

static void test_yaml_reports_all_errors(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load(f, "lamp:\n  wats: 1\n  watts: 1000\n  on: [1]\nbxo:\n  width: 1\nbox:\n  width: '5'\n"), -1);
    assert_int_equal(f->sink.errors, 5);
    assert_said(f, "m.yaml:2:3: error: there is no parameter 'lamp.wats'\n      wats: 1\n      ^~~~\n    hint: did you "
                   "mean 'lamp.watts'?");
    assert_said(f, "m.yaml:3:10: error: lamp.watts = 1000 is out of range");
    assert_said(f, "m.yaml:4:7: error: lamp.on: expected a single value");
    assert_said(f, "m.yaml:5:1: error: there is no parameter group 'bxo'");
    assert_said(f, "m.yaml:8:10: error: box.width: expected a number, found text");
}

static void test_yaml_syntax(void **state)
{
    struct fixture *f = *state;
    static const char *const bad[][2] = {
        {"lamp: [1,\nbox: }\n", "m.yaml:2:"},
        {"lamp: {watts: 1}\nlamp: {on: true}\n", "m.yaml:2:1: error: 'lamp' is given twice; first in line 1"},
        {"lamp: &x {watts: 1}\n", "anchors are not supported"},
        {"lamp: *x\n", "error:"},
        {"lamp: !!map {watts: 1}\n", "tags are not supported"},
        {"--- \nlamp: {}\n--- \nbox: {}\n", "more than one document"},
        {"- 1\n", "expected a mapping of parameter groups"},
        {"lamp: 3\n", "m.yaml:1:7: error: lamp: expected a mapping of parameters"},
        {"? [a]\n: 1\n", "a key must be a single word"},
        {"lamp: {name: \"\\0\"}\n", "NUL"},
        {"\x01\x02", "error:"},
        {"\xd4u=\x88\xc7\n", "m.yaml:1:1: error: not a YAML document"},
        {"lamp: {watts: 1}\n# \xc3\xa4 \xff\n", "m.yaml:2:5: error: not a YAML document"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(load(f, bad[i][0]), -1);
        assert_said(f, bad[i][1]);
        diag_free(&f->sink);
    }
}

static void test_yaml_depth(void **state)
{
    struct fixture *f = *state;
    char text[1000];
    memset(text, '[', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(load(f, text), -1);
    assert_said(f, "levels of nesting");
}

/* What is formatted reads back, from YAML, to the same values. */
static void test_format_round_trip(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"plain", "two words", "a: b",        "#x",   "x #y", "'q'",  "\"q\"", "",
                                        " lead", "-1",        "back\\slash", "\x01", "~",    "null", "[1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct strbuf yaml = {0};
        f->lamp = (struct lamp){.watts = 77, .colour = 2, .on = false, .name = names[i]};
        strbuf_add(&yaml, "lamp:\n");
        for (unsigned p = 0; p < 4; p++) {
            strbuf_addf(&yaml, "  %s: ", lamp_descs[p].name);
            param_format(&f->groups[0], &lamp_descs[p], &yaml);
            strbuf_add(&yaml, "\n");
        }
        param_defaults(f->groups, 2);
        assert_int_equal(load(f, yaml.text), 0);
        assert_int_equal(f->lamp.watts, 77);
        assert_int_equal(f->lamp.colour, 2);
        assert_false(f->lamp.on);
        assert_string_equal(f->lamp.name, names[i]);
        strbuf_free(&yaml);
    }
}

/* Decimal numbers are kept as thousandths, and written without idle zeros. */
static void test_decimals(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *in, *out;
        uint32_t thousandths;
    } cases[] = {
        {"0.25", "0.25", 250},    {"7", "7", 7000},        {"007.10", "7.1", 7100},
        {"1.001", "1.001", 1001}, {"3.050", "3.05", 3050}, {"99.999", "99.999", 99999},
    };
    assert_int_equal(f->lamp.price, 12500);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf text = {0};
        assert_int_equal(set(f, "lamp.price", cases[i].in), 0);
        assert_int_equal(f->lamp.price, cases[i].thousandths);
        param_format(&f->groups[0], &lamp_descs[4], &text);
        assert_string_equal(strbuf_text(&text), cases[i].out);
        strbuf_free(&text);
    }
    assert_int_equal(load(f, "lamp:\n  price: 2.5\n"), 0);
    assert_int_equal(f->lamp.price, 2500);
    assert_int_equal(load(f, "lamp:\n  price: '2.5'\n"), -1);
    assert_said(f, "lamp.price: expected a number, found text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_set_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_set_refuses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_yaml_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_yaml_reports_all_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_yaml_syntax, setup, teardown),
        cmocka_unit_test_setup_teardown(test_yaml_depth, setup, teardown),
        cmocka_unit_test_setup_teardown(test_format_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_decimals, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

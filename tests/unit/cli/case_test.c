/* Launch files: what they say arrives in the struct, buffers are filled as documented (against values worked out by
 * hand), checks are zlib's CRC and the sum of words, and every error has line and column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/case.h"

static const char good[] = "ptx: k.ptx\n"
                           "kernel: k\n"
                           "grid: [4, 2]\n"
                           "block: [32]\n"
                           "shared: 16\n"
                           "registers: 12\n"
                           "buffers:\n"
                           "  a: {type: u32, count: 4, init: {lcg: {seed: 7, mod: 1000}}}\n"
                           "  b: {type: f32, count: 3, init: {iota: {start: 1, step: 2}}}\n"
                           "  c: {type: i32, count: 2, init: {const: -5}}\n"
                           "  d: {type: f32, count: 2, init: {const: 0.5}}\n"
                           "  e: {type: u32, count: 2, init: {file: e.bin}}\n"
                           "  f: {type: u32, count: 1, init: zero}\n"
                           "constants:\n"
                           "  t: {type: u32, count: 3, init: {iota: {start: 4294967295, step: 2}}}\n"
                           "args: [a, {u32: 5}, {i32: -1}, {f32: 1.5}, {u64: 0x100000000}, {f64: -2}, f]\n"
                           "check:\n"
                           "  - {buffer: b, crc32: 0xCBF43926}\n"
                           "  - {buffer: c, sum_u32: 10}\n";

static struct launch_case load(const char *text)
{
    struct launch_case c;
    struct diag_sink sink;
    diag_init(&sink);
    if (case_parse(&c, "dir/case.yaml", text, strlen(text), &sink) < 0) {
        struct strbuf out = {0};
        diag_format_all(&sink, &out);
        fail_msg("%s", out.text);
    }
    assert_int_equal(sink.count, 0);
    diag_free(&sink);
    return c;
}

static void test_members(void **state)
{
    struct launch_case c = load(good);
    assert_string_equal(c.ptx, "k.ptx");
    assert_string_equal(case_path(&c, c.ptx), "dir/k.ptx");
    assert_string_equal(case_path(&c, "/x/k.ptx"), "/x/k.ptx");
    assert_string_equal(c.kernel, "k");
    assert_true(c.grid[0] == 4 && c.grid[1] == 2 && c.grid[2] == 1);
    assert_true(c.block[0] == 32 && c.block[1] == 1 && c.block[2] == 1);
    assert_true(c.shared == 16 && c.registers == 12);
    assert_true(c.buffer_count == 6 && c.constant_count == 1 && c.arg_count == 7 && c.check_count == 2);
    assert_string_equal(c.buffers[4].file, "e.bin");
    assert_true(c.args[0].buffer == 0 && c.args[6].buffer == 5 && c.args[1].buffer == CASE_VALUE);
    assert_true(c.args[1].bits == 5 && c.args[2].bits == 0xFFFFFFFF && c.args[3].bits == 0x3FC00000);
    assert_true(c.args[4].bits == UINT64_C(0x100000000) && c.args[5].bits == UINT64_C(0xC000000000000000));
    assert_true(c.checks[0].buffer == 1 && !c.checks[0].is_sum && c.checks[0].expected == 0xCBF43926);
    assert_true(c.checks[1].buffer == 2 && c.checks[1].is_sum && c.checks[1].expected == 10);
    case_free(&c);
}

static void test_contents(void **state)
{
    struct launch_case c = load(good);
    uint32_t words[4] = {0};
    float floats[3];
    /* x1 = 1664525*7 + 1013904223 = 1025555898; (x1 >> 8) mod 1000 = 4006077 mod 1000. */
    case_fill_buffer(&c.buffers[0], NULL, words);
    assert_int_equal(words[0], 77);
    uint64_t x = 7;
    for (unsigned i = 0; i < 4; i++) {
        x = (x * 1664525 + 1013904223) % (UINT64_C(1) << 32);
        assert_int_equal(words[i], x / 256 % 1000);
    }
    case_fill_buffer(&c.buffers[1], NULL, floats);
    assert_true(floats[0] == 1 && floats[1] == 3 && floats[2] == 5);
    case_fill_buffer(&c.buffers[2], NULL, words);
    assert_true(words[0] == 0xFFFFFFFB && words[1] == 0xFFFFFFFB);
    case_fill_buffer(&c.buffers[3], NULL, floats);
    assert_true(floats[0] == 0.5f && floats[1] == 0.5f);
    case_fill_buffer(&c.buffers[4], "abcdefgh", words);
    assert_memory_equal(words, "abcdefgh", 8);
    case_fill_buffer(&c.buffers[5], NULL, words);
    assert_int_equal(words[0], 0);
    case_fill_buffer(&c.constants[0], NULL, words);
    assert_true(words[0] == UINT32_MAX && words[1] == 1 && words[2] == 3);
    case_free(&c);
}

static void test_checks(void **state)
{
    struct case_check crc = {.expected = 0xCBF43926}, sum = {.is_sum = true, .expected = 3};
    uint32_t words[3] = {UINT32_MAX, 2, 2}, found;
    assert_true(case_check_holds(&crc, "123456789", 9, &found));
    assert_false(case_check_holds(&crc, "123456780", 9, &found));
    assert_true(case_check_holds(&sum, words, 12, &found));
    assert_int_equal(found, 3);
    words[2] = 3;
    assert_false(case_check_holds(&sum, words, 12, &found));
    assert_int_equal(found, 4);
}

/* The text with its line `number` replaced. */
static char *with_line(const char *text, unsigned number, const char *line)
{
    struct strbuf out = {0};
    for (unsigned i = 1; *text; i++) {
        size_t n = strcspn(text, "\n") + 1;
        if (i == number)
            strbuf_addf(&out, "%s\n", line);
        else
            strbuf_addn(&out, text, n);
        text += n;
    }
    return out.text;
}

static void test_errors(void **state)
{
    static const struct {
        unsigned line;
        const char *text, *said;
    } bad[] = {
        {1, "pty: k.ptx", "case.yaml:1:1: error: 'pty' is not known here"},
        {1, "# none", "'ptx' is missing"},
        {2, "kernel: [k]", "case.yaml:2:9: error: expected a name"},
        {3, "grid: 4", "case.yaml:3:7: error: grid: expected up to three numbers"},
        {3, "grid: [1, 2, 3, 4]", "case.yaml:3:17: error: grid has three dimensions"},
        {3, "grid: [x]", "case.yaml:3:8: error: expected a whole number"},
        {4, "block: [1025]", "case.yaml:4:9: error: 1025 is out of range (1 to 1024)"},
        {4, "block: []", "block: expected up to three numbers"},
        {5, "shared: -1", "case.yaml:5:9: error: expected a whole number"},
        {8, "  a: {type: u33, count: 4, init: zero}", "case.yaml:8:13: error: 'u33' is not known here"},
        {8, "  a: {type: u64, count: 4, init: zero}", "'u64' is not known here"},
        {8, "  a: {type: u32, count: 0, init: zero}", "0 is out of range"},
        {8, "  a: {type: u32, count: 99999999999, init: zero}", "out of range"},
        {8, "  a: {type: u32, init: zero}", "case.yaml:8:3: error: 'count' is missing"},
        {8, "  a: {type: u32, count: 1, init: zeros}", "did you mean 'zero'?"},
        {8, "  a: {type: u32, count: 1, init: {zero: 1}}", "one way of filling"},
        {8, "  a: {type: u32, count: 1, init: const}", "one way of filling"},
        {8, "  a: {type: u32, count: 1, init: {const: 1, iota: 2}}", "one way of filling"},
        {8, "  a: {type: u32, count: 1, init: {const: [1]}}", "expected a whole number"},
        {8, "  a: {type: u32, count: 1, init: {const: 4294967296}}", "does not fit"},
        {8, "  a: {type: i32, count: 1, init: {const: -2147483649}}", "does not fit"},
        {8, "  a: {type: f32, count: 1, init: {const: 1.5x}}", "expected a number"},
        {8, "  a: {type: u32, count: 1, init: {lcg: {seed: 1}}}", "'mod' is missing"},
        {8, "  a: {type: u32, count: 1, init: {lcg: {seed: 1, mod: 0}}}", "mod must be at least 1"},
        {8, "  a: {type: u32, count: 1, init: {lcg: 5}}", "expected a mapping"},
        {8, "  a: 5", "case.yaml:8:6: error: expected a mapping"},
        {16, "args: [a, g]", "case.yaml:16:11: error: 'g' is not known here"},
        {16, "args: [{u32: 1, i32: 2}]", "a buffer's name or a value"},
        {16, "args: [{u33: 1}]", "'u33' is not known here"},
        {16, "args: a", "case.yaml:16:7: error: args: expected a list"},
        {18, "  - {buffer: z, crc32: 1}", "case.yaml:18:14: error: 'z' is not known here"},
        {18, "  - {buffer: b}", "either crc32 or sum_u32"},
        {18, "  - {buffer: b, crc32: 1, sum_u32: 1}", "either crc32 or sum_u32"},
        {18, "  - {buffer: b, crc32: 4294967296}", "out of range"},
        {18, "  - {crc32: 1}", "'buffer' is missing"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct launch_case c;
        struct diag_sink sink;
        struct strbuf out = {0};
        char *text = with_line(good, bad[i].line, bad[i].text);
        diag_init(&sink);
        int rc = case_parse(&c, "case.yaml", text, strlen(text), &sink);
        diag_format_all(&sink, &out);
        if (rc == 0 || !strstr(strbuf_text(&out), bad[i].said))
            fail_msg("%s: no '%s' in:\n%s", bad[i].text, bad[i].said, strbuf_text(&out));
        strbuf_free(&out);
        case_free(&c);
        diag_free(&sink);
        free(text);
    }
}

static void test_all_errors_at_once(void **state)
{
    static const char text[] = "ptx: a\nkernel: k\ngrid: [0]\nblock: [0]\nbuffers: [1]\nargs: 3\nmore: 1\n";
    struct launch_case c;
    struct diag_sink sink;
    diag_init(&sink);
    assert_int_equal(case_parse(&c, "x.yaml", text, strlen(text), &sink), -1);
    assert_int_equal(sink.errors, 5);
    case_free(&c);
    diag_free(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members), cmocka_unit_test(test_contents),           cmocka_unit_test(test_checks),
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_all_errors_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

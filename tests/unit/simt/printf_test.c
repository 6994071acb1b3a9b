/* Device printf against the host's: every conversion, flag, width and precision, with the argument buffer packed as the
 * CUDA programming guide says, and formats that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "simt/warp.h"

struct buffer {
    uint8_t bytes[256];
    uint64_t size;
};

static bool read_argument(void *context, uint64_t offset, void *to, unsigned bytes)
{
    struct buffer *b = context;
    if (offset + bytes > b->size)
        return false;
    memcpy(to, b->bytes + offset, bytes);
    return true;
}

/* Strings are passed by host address; 1 is an address that cannot be read. */
static bool read_string(void *context, uint64_t address, struct strbuf *to)
{
    if (address == 1)
        return false;
    strbuf_add(to, (const char *)(uintptr_t)address);
    return true;
}

static void add(struct buffer *b, const void *value, unsigned bytes)
{
    b->size = (b->size + bytes - 1) / bytes * bytes;
    memcpy(b->bytes + b->size, value, bytes);
    b->size += bytes;
}
static void add32(struct buffer *b, uint32_t v)
{
    add(b, &v, 4);
}
static void add64(struct buffer *b, uint64_t v)
{
    add(b, &v, 8);
}
static void add_double(struct buffer *b, double v)
{
    add(b, &v, 8);
}

static void expect(struct buffer *b, const char *format, const char *expected)
{
    struct strbuf out = {0};
    simt_printf(&out, format, read_argument, read_string, b);
    if (strcmp(strbuf_text(&out), expected))
        fail_msg("\"%s\" prints \"%s\" instead of \"%s\"", format, strbuf_text(&out), expected);
    strbuf_free(&out);
}

static const char *const flags[] = {"", "-", "+", " ", "#", "0", "-+", "+0", "#0", "- #"};
static const char *const sizes[] = {"", "1", "7", "20", ".0", ".3", "12.5", ".12", "3.1"};

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void test_numbers(void **state)
{
    static const uint64_t values[] = {0, 1, 42, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x123456789ABCDEF0, UINT64_MAX};
    static const double doubles[] = {0.0, -0.0, 1.0, 3.14159265358979, -2.5e-7, 1e300, 123456.789, 1.0 / 0.0, 5e-324};
    for (unsigned f = 0; f < sizeof flags / sizeof flags[0]; f++) {
        for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            char format[32], host[32], expected[512];
            for (const char *c = "diuxXo"; *c; c++) {
                for (unsigned v = 0; v < sizeof values / sizeof values[0]; v++) {
                    struct buffer b = {.size = 0};
                    add32(&b, (uint32_t)values[v]);
                    snprintf(format, sizeof format, "<%%%s%s%c>", flags[f], sizes[s], *c);
                    snprintf(expected, sizeof expected, format, (int)(uint32_t)values[v]);
                    expect(&b, format, expected);
                    for (const char *const *l = (const char *const[]){"l", "ll", "z", "j", NULL}; *l; l++) {
                        b.size = 0;
                        add64(&b, values[v]);
                        snprintf(format, sizeof format, "<%%%s%s%s%c>", flags[f], sizes[s], *l, *c);
                        snprintf(host, sizeof host, "<%%%s%sll%c>", flags[f], sizes[s], *c);
                        snprintf(expected, sizeof expected, host, (long long)values[v]);
                        expect(&b, format, expected);
                    }
                }
            }
            for (const char *c = "fFeEgGaA"; *c; c++) {
                for (unsigned v = 0; v < sizeof doubles / sizeof doubles[0]; v++) {
                    struct buffer b = {.size = 0};
                    add_double(&b, doubles[v]);
                    snprintf(format, sizeof format, "<%%%s%s%c>", flags[f], sizes[s], *c);
                    snprintf(expected, sizeof expected, format, doubles[v]);
                    expect(&b, format, expected);
                }
            }
        }
    }
}

static void test_texts_and_pointers(void **state)
{
    struct buffer b = {.size = 0};
    add64(&b, (uintptr_t) "hello");
    expect(&b, "%s", "hello");
    expect(&b, "%8s|", "   hello|");
    expect(&b, "%-8.3s|", "hel     |");
    b.size = 0;
    add32(&b, 'x');
    expect(&b, "%c%%", "x%");
    expect(&b, "%3c|", "  x|");
    b.size = 0;
    add64(&b, 0x7f001234);
    expect(&b, "%p", "0x7f001234");
    expect(&b, "%14p|", "    0x7f001234|");
    expect(&b, "%-14p|", "0x7f001234    |");
    b.size = 0;
    add64(&b, 0);
    expect(&b, "%p", "(nil)");
}

/* Each argument lies at its natural alignment. */
static void test_packing(void **state)
{
    struct buffer b = {.size = 0};
    add32(&b, 1);
    add_double(&b, 2.5);
    add32(&b, 'c');
    add32(&b, 7);
    add64(&b, (uintptr_t) "text");
    add32(&b, (uint32_t)-3);
    add64(&b, UINT64_C(1) << 40);
    expect(&b, "%d %g %c %u %s %d %lu.", "1 2.5 c 7 text -3 1099511627776.");
    b.size = 0;
    add32(&b, 10);
    add32(&b, 3);
    add_double(&b, 2.0 / 3);
    add32(&b, (uint32_t)-6);
    add32(&b, 42);
    expect(&b, "%*.*f|%*d|", "     0.667|42    |");
    b.size = 0;
    add32(&b, (uint32_t)-1);
    add_double(&b, 0.5);
    expect(&b, "%.*f", "0.500000"); /* a negative precision is as none */
}

static void test_wrong_formats(void **state)
{
    struct buffer b = {.size = 0};
    expect(&b, "", "");
    expect(&b, "100%", "100%");
    expect(&b, "%5", "%5");
    expect(&b, "%q %y", "%q %y");
    expect(&b, "%l", "%l");
    expect(&b, "a%%b%%", "a%b%");
    /* Missing arguments read as zero, unreadable strings as nothing. */
    expect(&b, "%d|%f", "0|0.000000");
    add64(&b, 1);
    expect(&b, "<%s>", "<>");
    /* Flags without end do not overflow anything. */
    char format[200] = "%";
    memset(format + 1, '0', 150);
    strcpy(format + 151, "d");
    struct strbuf out = {0};
    assert_int_equal(simt_printf(&out, format, read_argument, read_string, &b), 0);
    assert_true(out.length > 0);
    strbuf_free(&out);
    memset(format + 1, '*', 150);
    out = (struct strbuf){0};
    simt_printf(&out, format, read_argument, read_string, &b);
    strbuf_free(&out);
}

/* CUDA's printf returns how many arguments it has read: a width that is one counts, %% and wrong conversions do not. */
static void test_count(void **state)
{
    static const struct {
        const char *format;
        unsigned count;
    } cases[] = {{"", 0}, {"none\n", 0}, {"%d %p %f\n", 3}, {"%*.*f", 3}, {"%% %q", 0}, {"%lld%c", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer b = {.size = 0};
        struct strbuf out = {0};
        assert_int_equal(simt_printf(&out, cases[i].format, read_argument, read_string, &b), cases[i].count);
        strbuf_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_texts_and_pointers),
        cmocka_unit_test(test_packing),
        cmocka_unit_test(test_wrong_formats),
        cmocka_unit_test(test_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

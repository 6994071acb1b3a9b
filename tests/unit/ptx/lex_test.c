/* The lexer: kinds, places, values of literals, and that it never leaves the text. */
#include "unit/ptx/ptx_support.h"

#include "ptx/lex.h"

static void kinds_and_places(void **state)
{
    static const char text[] =
        "add.s32 \t%r1, -0x1F;// note\n  $L__BB0_2: /* a\nb */ .L1::no_allocate@!%p \"x\\\"y\" <<";
    static const struct {
        enum ptx_token_kind kind;
        const char *text;
        unsigned line, column;
    } expected[] = {
        {PTX_TOKEN_WORD, "add", 1, 1},  {PTX_TOKEN_DOT, "s32", 1, 4},
        {PTX_TOKEN_WORD, "%r1", 1, 10}, {PTX_TOKEN_PUNCT, ",", 1, 13},
        {PTX_TOKEN_PUNCT, "-", 1, 15},  {PTX_TOKEN_NUMBER, "0x1F", 1, 16},
        {PTX_TOKEN_PUNCT, ";", 1, 20},  {PTX_TOKEN_WORD, "$L__BB0_2", 2, 3},
        {PTX_TOKEN_PUNCT, ":", 2, 12},  {PTX_TOKEN_DOT, "L1::no_allocate", 3, 6},
        {PTX_TOKEN_PUNCT, "@", 3, 22},  {PTX_TOKEN_PUNCT, "!", 3, 23},
        {PTX_TOKEN_WORD, "%p", 3, 24},  {PTX_TOKEN_STRING, "x\\\"y", 3, 27},
        {PTX_TOKEN_PUNCT, "<<", 3, 34}, {PTX_TOKEN_END, "", 3, 36},
        {PTX_TOKEN_END, "", 3, 36},
    };
    struct ptx_lexer lexer;
    ptx_lex_init(&lexer, text, strlen(text));
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct ptx_token token = ptx_lex_next(&lexer);
        assert_int_equal(token.kind, expected[i].kind);
        if (token.kind == PTX_TOKEN_DOT)
            assert_int_equal(token.text[-1], '.');
        if (token.kind != PTX_TOKEN_PUNCT || token.length == 1)
            assert_true(ptx_token_is(&token, expected[i].text, strlen(expected[i].text)));
        assert_int_equal(token.line, expected[i].line);
        assert_int_equal(token.column, expected[i].column);
    }
}

static struct ptx_number read(const char *text, int rc)
{
    struct ptx_lexer lexer;
    ptx_lex_init(&lexer, text, strlen(text));
    struct ptx_token token = ptx_lex_next(&lexer);
    struct ptx_number number;
    assert_int_equal(token.kind, PTX_TOKEN_NUMBER);
    assert_int_equal(token.length, strlen(text));
    assert_int_equal(ptx_read_number(&token, &number), rc);
    return number;
}

static void literals(void **state)
{
    assert_int_equal(read("0", 0).integer, 0);
    assert_int_equal(read("0x7fU", 0).integer, 127);
    assert_true(read("12U", 0).is_unsigned);
    assert_int_equal(read("017", 0).integer, 15);
    assert_int_equal(read("0b101", 0).integer, 5);
    assert_int_equal(read("18446744073709551615", 0).integer, UINT64_MAX);
    assert_true(read("18446744073709551616", 0).overflow);
    assert_true(read("0f3F800000", 0).real == 1.0);
    assert_int_equal(read("0f7FA00001", 0).integer, 0x7FA00001);
    assert_int_equal(read("0f7FA00001", 0).image, 32);
    assert_true(read("0dC000000000000000", 0).real == -2.0);
    assert_true(read("1.5e3", 0).real == 1500.0);
    assert_true(read("25e-1", 0).real == 2.5);
    assert_true(read("3.", 0).is_float);
    read("0f3F80000", -1);
    read("0x", -1);
    read("09", -1);
    read("12ab", -1);
    read("0d12", -1);
}

static void stays_inside(void **state)
{
    static const char *const texts[] = {"/*", "\"abc", "/", "0x",   "1.", "1e", "1e+",
                                        ".",  ".a::",  "%", "\"\\", "#",  "//", "a\0b"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t length = i + 1 == sizeof texts / sizeof texts[0] ? 3 : strlen(texts[i]);
        char *exact = malloc(length); /* a sanitizer sees any step outside */
        memcpy(exact, texts[i], length);
        struct ptx_lexer lexer;
        ptx_lex_init(&lexer, exact, length);
        unsigned tokens = 0;
        while (ptx_lex_next(&lexer).kind != PTX_TOKEN_END)
            assert_true(++tokens < 10);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_and_places),
        cmocka_unit_test(literals),
        cmocka_unit_test(stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

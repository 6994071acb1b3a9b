/* The lexer. PTX ISA, "Syntax": identifiers begin with a letter, `_`, `$` or `%`; comments are C's; a line that begins
 * with # is for a preprocessor and is skipped. `.word` is one token, with `::` inside (`.L1::no_allocate`). */
#include "ptx/lex.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { IDENT = 1, DIGIT = 2, SPACE = 4, START = 8, HEX = 16 };

static const uint8_t char_class[256] = {
    ['0' ... '9'] = IDENT | DIGIT | HEX,
    ['A' ... 'F'] = IDENT | START | HEX,
    ['G' ... 'Z'] = IDENT | START,
    ['a' ... 'f'] = IDENT | START | HEX,
    ['g' ... 'z'] = IDENT | START,
    ['_'] = IDENT | START,
    ['$'] = IDENT | START,
    ['%'] = START,
    [' '] = SPACE,
    ['\t'] = SPACE,
    ['\r'] = SPACE,
    ['\n'] = SPACE,
    ['\v'] = SPACE,
    ['\f'] = SPACE,
};

static bool is_class(char c, uint8_t classes)
{
    return char_class[(unsigned char)c] & classes;
}

void ptx_lex_init(struct ptx_lexer *lexer, const char *text, size_t length)
{
    const char *nul = length ? memchr(text, 0, length) : NULL;
    *lexer = (struct ptx_lexer){text, nul ? nul : text + length, text, 1};
}

static void new_line(struct ptx_lexer *lexer)
{
    lexer->line++;
    lexer->line_start = lexer->at;
}

static char peek(const struct ptx_lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->at) > ahead ? lexer->at[ahead] : 0;
}

static void skip_line(struct ptx_lexer *lexer)
{
    while (lexer->at < lexer->end && *lexer->at != '\n')
        lexer->at++;
}

static void skip_block_comment(struct ptx_lexer *lexer)
{
    lexer->at += 2;
    while (lexer->at < lexer->end) {
        char c = *lexer->at++;
        if (c == '\n')
            new_line(lexer);
        else if (c == '*' && peek(lexer, 0) == '/') {
            lexer->at++;
            return;
        }
    }
}

/* Skips white space and comments; whether there were any. */
static bool skip_space(struct ptx_lexer *lexer)
{
    const char *start = lexer->at;
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '\n') {
            lexer->at++;
            new_line(lexer);
        } else if (is_class(c, SPACE)) {
            lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '/') {
            skip_line(lexer);
        } else if (c == '/' && peek(lexer, 1) == '*') {
            skip_block_comment(lexer);
        } else if (c == '#' && lexer->at == lexer->line_start) {
            skip_line(lexer);
        } else {
            break;
        }
    }
    return lexer->at != start;
}

static void skip_ident(struct ptx_lexer *lexer)
{
    while (lexer->at < lexer->end && is_class(*lexer->at, IDENT))
        lexer->at++;
}

static void lex_dot(struct ptx_lexer *lexer, struct ptx_token *token)
{
    lexer->at++;
    token->text = lexer->at;
    skip_ident(lexer);
    while (peek(lexer, 0) == ':' && peek(lexer, 1) == ':' && is_class(peek(lexer, 2), IDENT)) {
        lexer->at += 2;
        skip_ident(lexer);
    }
    token->kind = lexer->at > token->text ? PTX_TOKEN_DOT : PTX_TOKEN_BAD;
}

static bool is_prefixed(const char *text, size_t n)
{
    return n > 1 && text[0] == '0' && strchr("xXbBfFdD", text[1]) && text[1];
}

static void lex_number(struct ptx_lexer *lexer, struct ptx_token *token)
{
    skip_ident(lexer);
    token->kind = PTX_TOKEN_NUMBER;
    if (is_prefixed(token->text, (size_t)(lexer->at - token->text)))
        return;
    if (peek(lexer, 0) == '.' && !is_class(peek(lexer, 1), START)) {
        lexer->at++;
        skip_ident(lexer);
    }
    char last = lexer->at[-1];
    if ((last == 'e' || last == 'E') && (peek(lexer, 0) == '+' || peek(lexer, 0) == '-')) {
        lexer->at++;
        skip_ident(lexer);
    }
}

static void lex_string(struct ptx_lexer *lexer, struct ptx_token *token)
{
    token->text = ++lexer->at;
    token->kind = PTX_TOKEN_STRING;
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
        lexer->at += *lexer->at == '\\' && peek(lexer, 1) && peek(lexer, 1) != '\n' ? 2 : 1;
    token->length = (uint32_t)(lexer->at - token->text);
    if (peek(lexer, 0) == '"')
        lexer->at++;
    else
        token->kind = PTX_TOKEN_BAD;
}

static void lex_punct(struct ptx_lexer *lexer, struct ptx_token *token)
{
    static const struct {
        char text[3];
        uint8_t punct;
    } pairs[] = {{"<<", PTX_PUNCT_SHL}, {">>", PTX_PUNCT_SHR}, {"<=", PTX_PUNCT_LE},  {">=", PTX_PUNCT_GE},
                 {"==", PTX_PUNCT_EQ},  {"!=", PTX_PUNCT_NE},  {"&&", PTX_PUNCT_AND}, {"||", PTX_PUNCT_OR}};
    char c = *lexer->at, next = peek(lexer, 1);
    token->kind = strchr("{}()[]<>,;:@!|&^~?=+-*/%", c) ? PTX_TOKEN_PUNCT : PTX_TOKEN_BAD;
    token->punct = (uint8_t)c;
    lexer->at++;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i].text[0] == c && pairs[i].text[1] == next) {
            token->punct = pairs[i].punct;
            lexer->at++;
            return;
        }
}

struct ptx_token ptx_lex_next(struct ptx_lexer *lexer)
{
    struct ptx_token token = {.kind = PTX_TOKEN_END};
    token.spaced = skip_space(lexer);
    token.text = lexer->at;
    token.line = lexer->line;
    token.column = (uint32_t)(lexer->at - lexer->line_start) + 1;
    if (lexer->at == lexer->end)
        return token;
    char c = *lexer->at;
    if (c == '%' && !is_class(peek(lexer, 1), IDENT)) {
        lex_punct(lexer, &token);
    } else if (is_class(c, START)) {
        lexer->at++;
        skip_ident(lexer);
        token.kind = PTX_TOKEN_WORD;
    } else if (is_class(c, DIGIT)) {
        lex_number(lexer, &token);
    } else if (c == '.') {
        lex_dot(lexer, &token);
    } else if (c == '"') {
        lex_string(lexer, &token);
        return token;
    } else {
        lex_punct(lexer, &token);
    }
    token.length = (uint32_t)(lexer->at - token.text);
    return token;
}

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
}

/* Digits of a base; -1 when there are none or others. */
static int read_digits(const char *text, size_t n, unsigned base, struct ptx_number *number)
{
    if (n && (text[n - 1] == 'U' || text[n - 1] == 'u')) {
        number->is_unsigned = true;
        n--;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_class(text[i], HEX) || digit_value(text[i]) >= base)
            return -1;
        number->overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
        number->overflow |= __builtin_add_overflow(value, (uint64_t)digit_value(text[i]), &value);
    }
    number->integer = value;
    return n ? 0 : -1;
}

static int read_image(const char *text, size_t n, bool is_double, struct ptx_number *number)
{
    if (n != (is_double ? 16 : 8) || read_digits(text, n, 16, number) < 0)
        return -1;
    number->is_float = true;
    number->image = is_double ? 64 : 32;
    if (is_double) {
        memcpy(&number->real, &number->integer, sizeof number->real);
    } else {
        uint32_t bits = (uint32_t)number->integer;
        float single;
        memcpy(&single, &bits, sizeof single);
        number->real = (double)single;
    }
    return 0;
}

/* Decimal floating point, in the C locale whatever the process has chosen. */
static int read_decimal(const char *text, size_t n, struct ptx_number *number)
{
    char copy[128];
    if (n >= sizeof copy)
        return -1;
    memcpy(copy, text, n);
    copy[n] = 0;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        return -1;
    locale_t old = uselocale(c_locale);
    char *stop;
    number->real = strtod(copy, &stop);
    uselocale(old);
    freelocale(c_locale);
    number->is_float = true;
    return *stop ? -1 : 0;
}

int ptx_read_number(const struct ptx_token *token, struct ptx_number *number)
{
    const char *text = token->text;
    size_t n = token->length;
    *number = (struct ptx_number){0};
    if (is_prefixed(text, n)) {
        switch (text[1] | 0x20) {
        case 'x': return read_digits(text + 2, n - 2, 16, number);
        case 'b': return read_digits(text + 2, n - 2, 2, number);
        default: return read_image(text + 2, n - 2, (text[1] | 0x20) == 'd', number);
        }
    }
    for (size_t i = 0; i < n; i++)
        if (text[i] == '.' || text[i] == 'e' || text[i] == 'E')
            return read_decimal(text, n, number);
    return text[0] == '0' && n > 1 && is_class(text[1], DIGIT) ? read_digits(text + 1, n - 1, 8, number)
                                                               : read_digits(text, n, 10, number);
}

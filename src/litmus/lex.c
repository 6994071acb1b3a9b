/* Takes a litmus test apart into words, each with its place in the file (lex.h). */
#include "litmus/lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void litmus_lex(struct litmus_lexer *lexer, const char *file, const char *text, size_t length, struct diag_sink *sink)
{
    *lexer =
        (struct litmus_lexer){.at = text, .end = text + length, .line_start = text, .pos = {file, 1, 1}, .sink = sink};
}

static void step(struct litmus_lexer *l)
{
    if (*l->at++ == '\n') {
        l->pos.line++;
        l->line_start = l->at;
    }
    l->pos.column = (unsigned)(l->at - l->line_start) + 1;
}

static bool begins(const struct litmus_lexer *l, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(l->end - l->at) >= n && !memcmp(l->at, text, n);
}

/* Goes behind the text that ends a comment or string, or to the end. */
static void skip_past(struct litmus_lexer *l, const char *end)
{
    while (l->at < l->end && !begins(l, end))
        step(l);
    for (size_t i = 0; i < strlen(end) && l->at < l->end; i++)
        step(l);
}

/* Blanks, comments, and the strings in which suites say where a test is from. */
static void skip_blanks(struct litmus_lexer *l)
{
    for (;;) {
        while (l->at < l->end && isspace((unsigned char)*l->at))
            step(l);
        if (begins(l, "//")) {
            skip_past(l, "\n");
        } else if (begins(l, "(*")) {
            skip_past(l, "*)");
        } else if (begins(l, "\"")) {
            step(l);
            skip_past(l, "\"");
        } else {
            return;
        }
    }
}

/* How many characters more belong to a word: one of its own, the two of ::, or none. */
static unsigned more_of_word(const struct litmus_lexer *l, unsigned n, unsigned left)
{
    char c = l->at[n];
    if (isalnum((unsigned char)c) || c == '_' || c == '.')
        return 1;
    return n + 1 < left && c == ':' && l->at[n + 1] == ':' ? 2 : 0;
}

static unsigned length_of(const struct litmus_lexer *l, enum litmus_token_kind *kind)
{
    static const char *const pairs[] = {"==", "!=", "/\\", "\\/"};
    unsigned n = 1, left = (unsigned)(l->end - l->at);
    bool sign = *l->at == '-' && left > 1 && isdigit((unsigned char)l->at[1]);
    *kind = LITMUS_MARK;
    if (isalpha((unsigned char)*l->at) || *l->at == '_')
        *kind = LITMUS_WORD;
    else if (isdigit((unsigned char)*l->at) || sign)
        *kind = LITMUS_NUMBER;
    if (*kind != LITMUS_MARK) {
        for (unsigned more = 1; n < left && more; n += more)
            more = more_of_word(l, n, left);
        return n;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (begins(l, pairs[i]))
            return 2;
    return 1;
}

void litmus_next(struct litmus_lexer *l)
{
    skip_blanks(l);
    l->token = (struct litmus_token){LITMUS_END, l->at, 0, l->pos};
    if (l->at == l->end)
        return;
    l->token.length = length_of(l, &l->token.kind);
    for (unsigned i = 0; i < l->token.length; i++)
        step(l);
}

void litmus_take_line(struct litmus_lexer *l, const char **text, unsigned *length)
{
    const char *end = memchr(l->at, '\n', (size_t)(l->end - l->at));
    *text = l->at;
    *length = (unsigned)((end ? end : l->end) - l->at);
    while (*length && isspace((unsigned char)(*text)[*length - 1]))
        --*length;
    skip_past(l, "\n");
}

void litmus_skip_to_brace(struct litmus_lexer *l)
{
    while (l->at < l->end) {
        const char *first = l->at;
        while (first < l->end && (*first == ' ' || *first == '\t'))
            first++;
        if (first < l->end && *first == '{')
            return;
        skip_past(l, "\n");
    }
}

bool litmus_at(const struct litmus_lexer *l, const char *text)
{
    return !l->failed && l->token.kind != LITMUS_END && strlen(text) == l->token.length &&
           !memcmp(text, l->token.text, l->token.length);
}

bool litmus_take(struct litmus_lexer *l, const char *text)
{
    if (!litmus_at(l, text))
        return false;
    litmus_next(l);
    return true;
}

bool litmus_fail_at(struct litmus_lexer *l, const struct litmus_token *token, const char *hint, const char *format, ...)
{
    struct strbuf message = {0}, line = {0};
    va_list ap;
    if (l->failed)
        return false;
    l->failed = true;
    va_start(ap, format);
    strbuf_vaddf(&message, format, ap);
    va_end(ap);
    const char *start = token->text - (token->pos.column - 1);
    const char *end = memchr(start, '\n', (size_t)(l->end - start));
    strbuf_addn(&line, start, (size_t)((end ? end : l->end) - start));
    diag_add(l->sink, &(struct diag){.severity = DIAG_ERROR,
                                     .pos = token->pos,
                                     .span = token->length,
                                     .source_line = strbuf_text(&line),
                                     .message = strbuf_text(&message),
                                     .hint = hint});
    strbuf_free(&message);
    strbuf_free(&line);
    return false;
}

bool litmus_expect(struct litmus_lexer *l, const char *text)
{
    if (litmus_take(l, text))
        return true;
    if (l->token.kind == LITMUS_END)
        return litmus_fail(l, NULL, "the text ends where '%s' was expected", text);
    return litmus_fail(l, NULL, "expected '%s', not '%.*s'", text, (int)l->token.length, l->token.text);
}

/* The number that is looked at, and whether it is below 0. False: it is none of 64 bits. */
static bool read_number(const struct litmus_lexer *l, uint64_t *value, bool *negative)
{
    char text[24] = {0}, *end = text;
    if (l->failed || l->token.kind != LITMUS_NUMBER || l->token.length >= sizeof text)
        return false;
    memcpy(text, l->token.text, l->token.length);
    *negative = text[0] == '-';
    errno = 0;
    *value = *negative ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    return !*end && !errno;
}

bool litmus_number(struct litmus_lexer *l, uint32_t *value)
{
    uint64_t number;
    bool negative;
    if (!read_number(l, &number, &negative) || (negative ? -number > -(uint64_t)INT32_MIN : number > UINT32_MAX))
        return litmus_fail(l, NULL, "expected a number of 32 bits, not '%.*s'", (int)l->token.length, l->token.text);
    *value = (uint32_t)number;
    litmus_next(l);
    return true;
}

bool litmus_long_number(struct litmus_lexer *l, uint64_t *value)
{
    bool negative;
    if (!read_number(l, value, &negative))
        return litmus_fail(l, NULL, "expected a number of 64 bits, not '%.*s'", (int)l->token.length, l->token.text);
    litmus_next(l);
    return true;
}

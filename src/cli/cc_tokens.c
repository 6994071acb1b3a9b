/* The tokens of C++ source, as far as rewriting needs them: names, numbers, strings, single signs. Directives are read
 * like other text, since macros hold code; a token knows the directive it is in. */
#include <ctype.h>
#include <string.h>

#include "cli/cc_source.h"

struct reader {
    const char *at, *line_start;
    uint32_t line, directive, directives;
    bool fresh; /* nothing but blanks on this line so far */
};

static void next_line(struct reader *r, const char *newline)
{
    r->line++;
    r->line_start = newline + 1;
}

/* Counts the lines up to `end`, which is where reading goes on. */
static void move_to(struct reader *r, const char *end)
{
    for (; r->at < end; r->at++)
        if (*r->at == '\n')
            next_line(r, r->at);
}

static const char *comment_end(const char *at)
{
    if (at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    for (; *at && *at != '\n'; at++)
        if (*at == '\\' && at[1] == '\n')
            at++;
    return at;
}

/* Skips blanks, comments and joined lines. */
static void skip(struct reader *r)
{
    for (;;) {
        const char c = *r->at;
        if (c == '\n') {
            move_to(r, r->at + 1);
            r->directive = 0;
            r->fresh = true;
        } else if (c == '\\' && r->at[1] == '\n') {
            move_to(r, r->at + 2);
        } else if (c == '\\' && r->at[1] == '\r' && r->at[2] == '\n') {
            move_to(r, r->at + 3);
        } else if (c == '/' && (r->at[1] == '/' || r->at[1] == '*')) {
            move_to(r, comment_end(r->at));
        } else if (c && isspace((unsigned char)c)) {
            r->at++;
        } else {
            return;
        }
    }
}

/* Behind the quoted text that begins at `at`; a quotation ends with its line at the latest. */
static const char *quoted_end(const char *at)
{
    const char quote = *at++;
    for (; *at && *at != quote && *at != '\n'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at == quote ? at + 1 : at;
}

/* Behind R"mark( ... )mark", of which `at` is the quote. */
static const char *raw_end(const char *at)
{
    const size_t n = strcspn(at + 1, "( \n\"");
    if (n > 16 || at[1 + n] != '(')
        return quoted_end(at);
    for (const char *p = at + 1 + n; (p = strchr(p, ')')); p++)
        if (strncmp(p + 1, at + 1, n) == 0 && p[1 + n] == '"')
            return p + n + 2;
    return at + strlen(at);
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static const char *name_end(const char *at)
{
    while (in_name(*at))
        at++;
    return at;
}

static const char *number_end(const char *at)
{
    for (; in_name(*at) || *at == '.' || (*at == '\'' && in_name(at[1])); at++)
        if (strchr("eEpP", *at) && (at[1] == '+' || at[1] == '-'))
            at++;
    return at;
}

static const char *token_end(const char *at, enum cc_token_kind *kind)
{
    const bool number = isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]));
    *kind = number ? CC_NUMBER : *at == '"' ? CC_STRING : *at == '\'' ? CC_CHARACTER : CC_SIGN;
    if (number)
        return number_end(at);
    if (*at == '"' || *at == '\'')
        return quoted_end(at);
    const char *end = name_end(at);
    if (end == at)
        return at + 1;
    *kind = CC_NAME;
    if ((*end != '"' && *end != '\'') || end - at > 3 || !strchr("RuUL8", *at) || !strchr("RuUL8", end[-1]))
        return end;
    *kind = *end == '"' ? CC_STRING : CC_CHARACTER; /* a prefix: L"...", u8R"(...)" */
    return end[-1] == 'R' ? raw_end(end) : quoted_end(end);
}

void cc_tokens_read(struct cc_tokens *tokens, const char *text)
{
    struct reader r = {.at = text, .line_start = text, .line = 1, .fresh = true};
    for (skip(&r); *r.at; skip(&r)) {
        if (r.fresh && *r.at == '#')
            r.directive = ++r.directives;
        r.fresh = false;
        struct cc_token token = {r.at, 0, r.line, (uint32_t)(r.at - r.line_start) + 1, r.directive, CC_SIGN};
        const char *end = token_end(r.at, &token.kind);
        token.length = (uint32_t)(end - r.at);
        vec_push(tokens, token);
        move_to(&r, end);
    }
    vec_push(tokens, (struct cc_token){r.at, 0, r.line, 1, 0, CC_TOKENS_END});
    tokens->count--;
}

bool cc_token_is(const struct cc_token *token, const char *text)
{
    return strncmp(token->text, text, token->length) == 0 && text[token->length] == '\0' && token->length;
}

size_t cc_token_close(const struct cc_tokens *tokens, size_t at)
{
    unsigned depth = 0;
    const uint32_t directive = tokens->items[at].directive;
    for (; at < tokens->count && tokens->items[at].directive == directive; at++) {
        if (tokens->items[at].kind != CC_SIGN)
            continue;
        const char c = *tokens->items[at].text;
        depth += c == '(' || c == '[' || c == '{';
        if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return at;
    }
    return tokens->count;
}

/* The parser's hands: the next token, errors with the line they stand in, and getting back on the road after one. */
#include "ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ptx_advance(struct ptx_parser *p)
{
    p->last = p->token;
    if (p->stop)
        p->token = (struct ptx_token){
            .kind = PTX_TOKEN_END, .text = p->text_end, .line = p->token.line, .column = p->token.column};
    else
        p->token = ptx_lex_next(&p->lexer);
}

bool ptx_accept(struct ptx_parser *p, char punct)
{
    if (!PTX_IS_PUNCT(&p->token, (uint8_t)punct))
        return false;
    ptx_advance(p);
    return true;
}

bool ptx_accept_dot(struct ptx_parser *p, const char *word)
{
    if (p->token.kind != PTX_TOKEN_DOT || !ptx_token_is(&p->token, word, strlen(word)))
        return false;
    ptx_advance(p);
    return true;
}

/* The line of a token, cut where it grows too long for a terminal to show. */
static const char *line_of(struct ptx_parser *p, const struct ptx_token *at, char buffer[300])
{
    const char *start = at->text, *end = at->text;
    while (start > p->text && start[-1] != '\n' && at->text - start < 200)
        start--;
    if (start > p->text && start[-1] != '\n')
        return NULL;
    while (end < p->text_end && *end && *end != '\n' && *end != '\r' && end - start < 299)
        end++;
    memcpy(buffer, start, (size_t)(end - start));
    buffer[end - start] = 0;
    for (char *c = buffer; *c; c++)
        if ((unsigned char)*c < 32 && *c != '\t')
            *c = '?';
    return buffer;
}

static void report(struct ptx_parser *p, enum diag_severity severity, const struct ptx_token *at, const char *hint,
                   const char *message)
{
    char buffer[300];
    const char *line = line_of(p, at, buffer);
    uint32_t span = at->length < 100 ? at->length + (at->kind == PTX_TOKEN_DOT) : 1;
    diag_add(p->sink, &(struct diag){.severity = severity,
                                     .pos = {p->module->name, at->line, at->column},
                                     .span = span ? span : 1,
                                     .source_line = line,
                                     .message = message,
                                     .hint = hint});
}

int ptx_error(struct ptx_parser *p, const struct ptx_token *at, const char *hint, const char *format, ...)
{
    if (p->stop)
        return -1;
    struct strbuf message = {0};
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&message, format, ap);
    va_end(ap);
    report(p, DIAG_ERROR, at, hint, strbuf_text(&message));
    strbuf_free(&message);
    p->stop = ++p->errors >= PTX_MAX_ERRORS;
    return -1;
}

void ptx_warning(struct ptx_parser *p, const struct ptx_token *at, const char *format, ...)
{
    if (++p->warnings > 20)
        return;
    struct strbuf message = {0};
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&message, format, ap);
    va_end(ap);
    report(p, DIAG_WARNING, at, NULL, strbuf_text(&message));
    strbuf_free(&message);
}

int ptx_expected(struct ptx_parser *p, const char *what)
{
    const struct ptx_token *t = &p->token;
    int n = (int)(t->length < 60 ? t->length : 60);
    switch (t->kind) {
    case PTX_TOKEN_END: return ptx_error(p, t, NULL, "expected %s, found the end of the file", what);
    case PTX_TOKEN_DOT: return ptx_error(p, t, NULL, "expected %s, found `.%.*s`", what, n, t->text);
    case PTX_TOKEN_STRING: return ptx_error(p, t, NULL, "expected %s, found a string", what);
    default: return ptx_error(p, t, NULL, "expected %s, found `%.*s`", what, n, t->text);
    }
}

int ptx_expect(struct ptx_parser *p, char punct, const char *where)
{
    if (ptx_accept(p, punct))
        return 0;
    char what[100];
    snprintf(what, sizeof what, "`%c` %s", punct, where);
    return ptx_expected(p, what);
}

void ptx_recover(struct ptx_parser *p)
{
    for (uint32_t depth = 0; p->token.kind != PTX_TOKEN_END;) {
        if (PTX_IS_PUNCT(&p->token, '{')) {
            depth++;
        } else if (PTX_IS_PUNCT(&p->token, '}')) {
            if (depth == 0)
                return;
            depth--;
        } else if (PTX_IS_PUNCT(&p->token, ';')) {
            ptx_advance(p);
            return;
        }
        ptx_advance(p);
    }
}

void ptx_skip_braces(struct ptx_parser *p)
{
    struct ptx_token open = p->token;
    uint32_t depth = 0;
    do {
        if (p->token.kind == PTX_TOKEN_END) {
            ptx_error(p, &open, NULL, "this `{` is never closed");
            return;
        }
        depth += PTX_IS_PUNCT(&p->token, '{');
        depth -= PTX_IS_PUNCT(&p->token, '}');
        ptx_advance(p);
    } while (depth);
}

const char *ptx_copy(struct ptx_parser *p, const struct ptx_token *token)
{
    return arena_strndup(p->arena, token->text, token->length);
}

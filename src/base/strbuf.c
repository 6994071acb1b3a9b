/* A growable string, whose room at least doubles when it is full. */
#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static void strbuf_reserve(struct strbuf *b, size_t more)
{
    size_t need = b->length + more + 1;
    if (need <= b->capacity)
        return;
    b->capacity = need > 2 * b->capacity ? need + 32 : 2 * b->capacity;
    b->text = base_realloc(b->text, b->capacity);
}

void strbuf_addn(struct strbuf *b, const char *s, size_t n)
{
    strbuf_reserve(b, n);
    if (n)
        memcpy(b->text + b->length, s, n);
    b->length += n;
    b->text[b->length] = 0;
}

void strbuf_add(struct strbuf *b, const char *s)
{
    strbuf_addn(b, s, strlen(s));
}

void strbuf_vaddf(struct strbuf *b, const char *format, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    if (n > 0) {
        strbuf_reserve(b, (size_t)n);
        vsnprintf(b->text + b->length, (size_t)n + 1, format, again);
        b->length += (size_t)n;
    }
    va_end(again);
}

/* Bytes of a control character at s: 0 none; those above 127 are two in UTF-8. */
static size_t control_length(const char *s, size_t n)
{
    unsigned char c = (unsigned char)s[0], next = n > 1 ? (unsigned char)s[1] : 0;
    if (c == 0xC2 && next >= 0x80 && next < 0xA0)
        return 2;
    return (c < ' ' && c != '\n' && c != '\t') || c == 127;
}

void strbuf_add_shown(struct strbuf *b, const char *s, size_t n)
{
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        size_t length = control_length(s + i, n - i);
        if (!length)
            continue;
        strbuf_addn(b, s + from, i - from);
        strbuf_add(b, s[i] == '\r' ? "" : "?");
        i += length - 1;
        from = i + 1;
    }
    strbuf_addn(b, s + from, n - from);
}

void strbuf_addf(struct strbuf *b, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(b, format, ap);
    va_end(ap);
}

const char *strbuf_text(const struct strbuf *b)
{
    return b->text ? b->text : "";
}

void strbuf_free(struct strbuf *b)
{
    free(b->text);
    *b = (struct strbuf){0};
}

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

/* A growable string, always NUL-terminated once something was appended. */
#ifndef LOCKSTEP_BASE_STRBUF_H
#define LOCKSTEP_BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
    char *text; /* NULL until the first append */
    size_t length, capacity;
};

void strbuf_add(struct strbuf *b, const char *s);
void strbuf_addn(struct strbuf *b, const char *s, size_t n);
void strbuf_addf(struct strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds n bytes as a terminal may show them: of control characters, which could move its cursor or drive it, newline and
 * tab alone stay as they are. */
void strbuf_add_shown(struct strbuf *b, const char *s, size_t n);
void strbuf_vaddf(struct strbuf *b, const char *format, va_list ap);
/* The text, "" when nothing was added. */
const char *strbuf_text(const struct strbuf *b);
void strbuf_free(struct strbuf *b);

#endif

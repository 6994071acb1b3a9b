/* Diagnostics. A library function that fails returns -1 and explains itself into a sink: where, what was expected, what to do.
 * The caller (the command line, the CUDA runtime, a test) decides whether and how to print. */
#ifndef LOCKSTEP_BASE_DIAG_H
#define LOCKSTEP_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/strbuf.h"

enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

/* line and column count from 1; 0 means unknown. file may be NULL. */
struct diag_pos {
    const char *file;
    unsigned line, column;
};

struct diag {
    enum diag_severity severity;
    struct diag_pos pos;
    unsigned span;           /* width of the caret mark in characters, 0 for none */
    const char *source_line; /* the line that pos names, without its newline, or NULL */
    const char *message;
    const char *hint; /* what to do, or NULL */
};

struct diag_sink {
    struct arena arena; /* owns every text */
    struct diag *items;
    unsigned count, capacity;
    unsigned errors; /* all errors reported, also those beyond the limit, which are counted but not kept */
    unsigned limit;  /* errors kept; 0 means 20 */
};

void diag_init(struct diag_sink *sink);
void diag_free(struct diag_sink *sink);
/* Adds a diagnostic; texts are copied. sink may be NULL (nothing happens). */
void diag_add(struct diag_sink *sink, const struct diag *d);
/* Adds an error with a formatted message and returns -1, so that `return diag_error(...)` reads well. hint may be NULL. */
int diag_error(struct diag_sink *sink, struct diag_pos pos, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diag_warning(struct diag_sink *sink, struct diag_pos pos, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diag_note(struct diag_sink *sink, struct diag_pos pos, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Appends every kept diagnostic (`file:line:column: error: message`, the source line with a caret mark, the hint) and a
 * line that says how many more there were. */
void diag_format_all(const struct diag_sink *sink, struct strbuf *out);

#define DIAG_NOWHERE ((struct diag_pos){0})

#endif

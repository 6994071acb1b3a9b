/* A sink keeps copies of its diagnostics in an arena, and writes each with the line of source that it is about. */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void diag_init(struct diag_sink *sink)
{
    *sink = (struct diag_sink){0};
}

void diag_free(struct diag_sink *sink)
{
    free(sink->items);
    arena_free(&sink->arena);
    *sink = (struct diag_sink){0};
}

static const char *copy_or_null(struct arena *arena, const char *s)
{
    return s ? arena_strdup(arena, s) : NULL;
}

void diag_add(struct diag_sink *sink, const struct diag *d)
{
    if (!sink)
        return;
    sink->errors += d->severity == DIAG_ERROR;
    if (d->severity == DIAG_ERROR && sink->errors > (sink->limit ? sink->limit : 20))
        return;
    if (sink->count == sink->capacity) {
        sink->capacity = sink->capacity ? 2 * sink->capacity : 8;
        sink->items = base_realloc(sink->items, sink->capacity * sizeof *sink->items);
    }
    struct diag *kept = &sink->items[sink->count++];
    *kept = *d;
    kept->pos.file = copy_or_null(&sink->arena, d->pos.file);
    kept->source_line = copy_or_null(&sink->arena, d->source_line);
    kept->message = copy_or_null(&sink->arena, d->message);
    kept->hint = copy_or_null(&sink->arena, d->hint);
}

static void diag_vadd(struct diag_sink *sink, enum diag_severity severity, struct diag_pos pos, const char *hint,
                      const char *format, va_list ap)
{
    if (!sink)
        return;
    struct strbuf message = {0};
    strbuf_vaddf(&message, format, ap);
    diag_add(sink, &(struct diag){.severity = severity, .pos = pos, .message = strbuf_text(&message), .hint = hint});
    strbuf_free(&message);
}

int diag_error(struct diag_sink *sink, struct diag_pos pos, const char *hint, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    diag_vadd(sink, DIAG_ERROR, pos, hint, format, ap);
    va_end(ap);
    return -1;
}

void diag_warning(struct diag_sink *sink, struct diag_pos pos, const char *hint, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    diag_vadd(sink, DIAG_WARNING, pos, hint, format, ap);
    va_end(ap);
}

void diag_note(struct diag_sink *sink, struct diag_pos pos, const char *hint, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    diag_vadd(sink, DIAG_NOTE, pos, hint, format, ap);
    va_end(ap);
}

/* The source line and a caret under its column; tabs stay tabs so that the mark stands where the reader's terminal puts
 * it. */
static void add_source(const struct diag *d, struct strbuf *out)
{
    strbuf_addf(out, "    %s\n", d->source_line);
    if (!d->pos.column)
        return;
    strbuf_add(out, "    ");
    size_t length = strlen(d->source_line);
    for (unsigned i = 1; i < d->pos.column; i++)
        strbuf_add(out, i <= length && d->source_line[i - 1] == '\t' ? "\t" : " ");
    strbuf_add(out, "^");
    for (unsigned i = 1; i < d->span && i < 200; i++)
        strbuf_add(out, "~");
    strbuf_add(out, "\n");
}

/* Appends `file:line:column: error: message`, the source line with a caret mark, and the hint: names and lines of files
 * from anywhere. */
static void format_one(const struct diag *d, struct strbuf *out)
{
    static const char *const severities[] = {"error", "warning", "note"};
    struct strbuf raw = {0};
    if (d->pos.file)
        strbuf_addf(&raw, "%s:", d->pos.file);
    if (d->pos.line)
        strbuf_addf(&raw, "%u:", d->pos.line);
    if (d->pos.line && d->pos.column)
        strbuf_addf(&raw, "%u:", d->pos.column);
    strbuf_addf(&raw, "%s%s: %s\n", d->pos.file || d->pos.line ? " " : "", severities[d->severity], d->message);
    if (d->source_line)
        add_source(d, &raw);
    if (d->hint)
        strbuf_addf(&raw, "    hint: %s\n", d->hint);
    strbuf_add_shown(out, strbuf_text(&raw), raw.length);
    strbuf_free(&raw);
}

void diag_format_all(const struct diag_sink *sink, struct strbuf *out)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < sink->count; i++) {
        format_one(&sink->items[i], out);
        kept += sink->items[i].severity == DIAG_ERROR;
    }
    if (sink->errors > kept)
        strbuf_addf(out, "%u more error%s not shown\n", sink->errors - kept, sink->errors - kept == 1 ? "" : "s");
}

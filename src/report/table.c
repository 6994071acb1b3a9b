/* Tables; see table.h. Widths count characters, not bytes, so that UTF-8 text lines up. */
#include "report/table.h"

#include <string.h>

void table_init(struct table *t, const char *align)
{
    *t = (struct table){.columns = (unsigned)strlen(align), .align = align};
}

void table_free(struct table *t)
{
    vec_free(&t->cells);
    arena_free(&t->arena);
}

void table_cell(struct table *t, const char *format, ...)
{
    struct strbuf text = {0};
    va_list ap;
    va_start(ap, format);
    strbuf_vaddf(&text, format, ap);
    va_end(ap);
    vec_push(&t->cells, arena_strdup(&t->arena, strbuf_text(&text)));
    strbuf_free(&text);
}

static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static size_t column_width(const struct table *t, unsigned column)
{
    size_t widest = 0;
    for (size_t i = column; i < t->cells.count; i += t->columns) {
        size_t n = width_of(t->cells.items[i]);
        widest = n > widest ? n : widest;
    }
    return widest;
}

static void add_spaces(struct strbuf *out, size_t n)
{
    for (; n > 0; n--)
        strbuf_add(out, " ");
}

void table_text(const struct table *t, struct strbuf *out)
{
    for (size_t row = 0; row + t->columns <= t->cells.count; row += t->columns) {
        size_t pending = 0; /* spaces owed before the next cell that is not empty */
        for (unsigned c = 0; c < t->columns; c++) {
            const char *cell = t->cells.items[row + c];
            size_t width = column_width(t, c), used = width_of(cell);
            size_t before = t->align[c] == 'r' ? width - used : 0;
            if (*cell) {
                add_spaces(out, pending + before);
                strbuf_add(out, cell);
                pending = 2 + width - used - before;
            } else {
                pending += 2 + width;
            }
        }
        strbuf_add(out, "\n");
    }
}

static void markdown_cell(const char *cell, struct strbuf *out)
{
    strbuf_add(out, " ");
    for (; *cell; cell++)
        strbuf_addf(out, "%s%c", *cell == '|' ? "\\" : "", *cell);
    strbuf_add(out, " |");
}

void table_markdown(const struct table *t, struct strbuf *out)
{
    for (size_t row = 0; row + t->columns <= t->cells.count; row += t->columns) {
        strbuf_add(out, "|");
        for (unsigned c = 0; c < t->columns; c++)
            markdown_cell(t->cells.items[row + c], out);
        strbuf_add(out, "\n");
        for (unsigned c = 0; row == 0 && c < t->columns; c++)
            strbuf_addf(out, "%s%s", t->align[c] == 'r' ? "|--:" : "|---", c + 1 == t->columns ? "|\n" : "");
    }
}

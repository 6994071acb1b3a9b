/* Breaking lines: see fold.h. */
#include "report/fold.h"

#include <stdbool.h>
#include <string.h>

#include "report/table.h"

#define LEAST_INDENT 8 /* columns, of what follows in the next line */

unsigned fold_width(unsigned columns)
{
    unsigned width = columns && columns < FOLD_WIDTH ? columns : FOLD_WIDTH;
    return width < FOLD_LEAST ? FOLD_LEAST : width;
}

static size_t blanks_of(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && text[n] == ' ')
        n++;
    return n;
}

/* Bytes of a text that go into so many columns and end in front of a blank, or all of it; where no blank is among them,
 * as far as the next one. cells: rather in front of two blanks, which are between columns of a table. */
static size_t piece_of(const char *text, size_t length, size_t columns, bool cells)
{
    size_t most = table_bytes(text, length, columns), end = most;
    if (most == length)
        return length;
    for (size_t i = most; cells && i > 0; i--)
        if (text[i] == ' ' && text[i - 1] == ' ')
            return i;
    while (end > 0 && text[end] != ' ')
        end--;
    for (; end == 0 && most < length && text[most] != ' ';)
        most++;
    return end ? end : most;
}

static void add_line(const char *line, size_t length, size_t width, struct strbuf *out)
{
    size_t before = blanks_of(line, length), indent = before > LEAST_INDENT ? before : LEAST_INDENT;
    bool sentence = length > 1 && !strncmp(line, "- ", 2), row = !sentence && before < LEAST_INDENT;
    indent = sentence ? 2 : indent;
    for (line += before, length -= before; length; before = indent, row = false) {
        size_t piece = piece_of(line, length, width > before ? width - before : 1, row), kept = piece;
        while (kept > 0 && line[kept - 1] == ' ')
            kept--;
        strbuf_addf(out, "%*s", (int)before, "");
        strbuf_addn(out, line, kept);
        piece += blanks_of(line + piece, length - piece);
        line += piece;
        length -= piece;
        strbuf_add(out, length ? "\n" : "");
    }
}

void fold_lines(struct strbuf *text, size_t from, unsigned width)
{
    struct strbuf out = {0};
    for (size_t at = from; at < text->length;) {
        const char *end = memchr(text->text + at, '\n', text->length - at);
        size_t length = end ? (size_t)(end - text->text) - at : text->length - at;
        add_line(text->text + at, length, width, &out);
        strbuf_add(&out, end ? "\n" : "");
        at += length + (end != NULL);
    }
    text->length = from;
    strbuf_addn(text, strbuf_text(&out), out.length);
    strbuf_free(&out);
}

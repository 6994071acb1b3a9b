/* Plain-text and Markdown tables: cells are added row by row, columns get the width of their widest cell. On a terminal
 * a table keeps to its width, and some of its cells have a colour. */
#ifndef LOCKSTEP_REPORT_TABLE_H
#define LOCKSTEP_REPORT_TABLE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/terminal.h"
#include "base/vec.h"

struct table_cell {
    const char *text;
    size_t painted; /* so many of its first bytes have a colour */
    enum terminal_paint paint;
};

struct table {
    unsigned columns;
    const char *align; /* one letter a column, 'l' or 'r' */
    struct arena arena;
    VEC(struct table_cell) cells;
};

/* Part of a text that is shown in a colour. */
struct table_mark {
    size_t from, to; /* bytes of the text */
    enum terminal_paint paint;
};

/* A text that has tables in it, and what it is for. Zero is an empty one for a file: tables are as wide as they are,
 * nothing has a colour. */
struct table_page {
    struct strbuf text;
    unsigned columns;             /* of the terminal; 0: no bound */
    bool colours;                 /* asks for marks */
    VEC(struct table_mark) marks; /* in the order of the text */
};

/* align must outlive the table and has one letter for each of the columns. */
void table_init(struct table *t, const char *align);
void table_free(struct table *t);
/* Adds the next cell, from left to right and row by row; the first row is the heading. */
void table_cell(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Gives the first so many bytes of the cell that was added last a colour. */
void table_paint(struct table *t, enum terminal_paint paint, size_t bytes);
/* Appends the table as aligned text, two spaces between columns, no space at the end of a line. Where the page has
 * fewer columns than that takes (table_layout.h says how it is made to fit) texts take several lines and long words are
 * shortened in their middle; numbers are always whole. */
void table_text(const struct table *t, struct table_page *page);
/* Appends it as a Markdown table. */
void table_markdown(const struct table *t, struct strbuf *out);
/* Appends a text, with a colour where the page has any. */
void table_page_paint(struct table_page *page, enum terminal_paint paint, const char *text);
void table_page_free(struct table_page *page);

/* Characters of a text. Those of UTF-8 that take several bytes count once. */
size_t table_width(const char *text, size_t bytes);
/* Bytes of the first so many characters of a text. */
size_t table_bytes(const char *text, size_t bytes, size_t characters);
/* Appends a text of `bytes` bytes in so many characters at most: its middle gives way to "...". */
void table_shorten(const char *text, size_t bytes, size_t characters, struct strbuf *out);

#endif

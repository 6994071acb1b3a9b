/* Plain-text and Markdown tables: cells are added row by row, columns get the width of their widest cell. */
#ifndef LOCKSTEP_REPORT_TABLE_H
#define LOCKSTEP_REPORT_TABLE_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"

struct table {
    unsigned columns;
    const char *align; /* one letter a column, 'l' or 'r' */
    struct arena arena;
    VEC(const char *) cells;
};

/* align must outlive the table and has one letter for each of the columns. */
void table_init(struct table *t, const char *align);
void table_free(struct table *t);
/* Adds the next cell, from left to right and row by row; the first row is the heading. */
void table_cell(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the table as aligned text, two spaces between columns, no space at the end of a line. */
void table_text(const struct table *t, struct strbuf *out);
/* Appends it as a Markdown table. */
void table_markdown(const struct table *t, struct strbuf *out);

#endif

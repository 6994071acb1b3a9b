/* How a table is divided among the columns of a terminal. In this order, as far as it needs: texts are wrapped at their
 * blanks; a long last column of text goes below the row, indented; words that are no numbers are shortened in their
 * middle, the long ones; the table becomes several, one below the other, each of which begins with the first column. */
#ifndef LOCKSTEP_REPORT_TABLE_LAYOUT_H
#define LOCKSTEP_REPORT_TABLE_LAYOUT_H

#include "report/table.h"

/* Columns of the table that stand beside each other. */
struct table_block {
    const unsigned *columns; /* by number, in order */
    unsigned count;
};

struct table_layout {
    size_t *width;              /* of each column, in characters */
    struct table_block *blocks; /* one below the other */
    unsigned block_count;
    bool hangs; /* the last column stands below its row */
};

/* The part of a cell that stands in one line. */
struct table_piece {
    const char *text;
    size_t bytes, painted;
};

/* Divides the table; memory belongs to arena. columns: 0: no bound. */
struct table_layout table_lay_out(const struct table *t, unsigned columns, struct arena *arena);
/* Takes the next line's piece of the cell, which stands at *at and is moved on, for a column of that width and
 * alignment. Returns false when there is no more. */
bool table_next_piece(const struct table_cell *cell, char align, size_t width, const char **at, struct arena *arena,
                      struct table_piece *piece);

#endif

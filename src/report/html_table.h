/* Tables of pages. Each is written twice, for people and as comma-separated values that can be taken along, with whole
 * numbers where the page rounds. It scrolls in a box of its own, also by the keyboard. */
#ifndef LOCKSTEP_REPORT_HTML_TABLE_H
#define LOCKSTEP_REPORT_HTML_TABLE_H

#include <stdbool.h>

#include "base/strbuf.h"

struct html_table {
    struct strbuf *out;
    struct strbuf csv;
    const char *name;
    unsigned cells; /* of this row so far */
    bool body;
    bool fresh; /* no row has begun since the table did */
};

/* Begins a table. name: of the file, without its ending; caption: shown above it. Both must outlive the table. */
void html_table_begin(struct html_table *t, const char *name, const char *caption, struct strbuf *out);
/* A column's head. doc: what is in it, shown where the pointer rests; or NULL. */
void html_table_head(struct html_table *t, const char *text, bool number, const char *doc);
/* Begins a row. attributes: in HTML, "" or with a blank before; the first row ends the heads. */
void html_table_row(struct html_table *t, const char *attributes);
/* Ends the rows so far and goes on in a table below, of the same file: parts of a long table that are not on the screen
 * need not be laid out. Their columns must have widths of their own. caption: for those who do not see the rows above.
 */
void html_table_part(struct html_table *t, const char *caption);
/* Cells: the row's name; a text; a number with what is shown of it; nothing. */
void html_table_name(struct html_table *t, const char *text);
void html_table_text(struct html_table *t, const char *text);
void html_table_number(struct html_table *t, double value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void html_table_none(struct html_table *t);
/* A cell whose text leads to a place in the page. */
void html_table_link(struct html_table *t, const char *text, const char *anchor);
/* A cell whose content is HTML that the caller appends to t->out behind this; text: what the file has of it. */
void html_table_own(struct html_table *t, const char *attributes, const char *text);
/* A field of the file alone, of this row. */
void html_table_aside(struct html_table *t, const char *text);
/* Ends it, with the link to its file. */
void html_table_end(struct html_table *t);

#endif

/* Figures of pages, drawn in the browser by Chart.js, which a page carries with it: it needs nothing from outside. A
 * figure is drawn from the file of numbers that the page offers to be taken along (chart.js has the drawing itself). So
 * no text of a study is ever part of a script, and where no script runs, the numbers are there: the figure has a table
 * of them. */
#ifndef LOCKSTEP_REPORT_CHART_H
#define LOCKSTEP_REPORT_CHART_H

#include <stdbool.h>

#include "base/strbuf.h"

struct chart {
    const char
        *kind;       /* bars, stack, lines: rows of series,x,y,least,most,paper; timeline: of
                             lane,from,to,until,label; scatter: of name,variant,mark,x,y, a dot or, of mark 1, a square */
    const char *log; /* "x", "y" or "both": which axes are logarithmic; or "" */
    const char *x, *y;
    bool has_base; /* bars stand on base, not on 0 */
    double base;
};

/* Appends the place of a drawing, in a <figure> that also has an h3, a <details> with its numbers and chart_file.
 * alternative: in HTML, for those who do not see it. */
void chart_place(struct strbuf *out, const struct chart *chart, const char *alternative);
/* Appends the link by which the numbers are taken along as NAME.csv: comma-separated values, a line of names first. */
void chart_file(struct strbuf *out, const char *name, const struct strbuf *csv);
/* Appends a word for those whose browser runs no script. */
void chart_unscripted(struct strbuf *out);
/* True if a page can carry the library: it is of a version that is known, and nothing in it ends a script in HTML. */
bool chart_knows(const char *library);
/* Appends the library and what draws all figures before it. */
void chart_scripts(struct strbuf *out, const char *library);

/* The style sheet's part for drawings. */
extern const char chart_style[];

#endif

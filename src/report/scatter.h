/* A page of scatter plots: pairs of positive numbers that should be equal, on logarithmic axes, one plot a group, with
 * bands of 10 and 25 per cent around the diagonal and all figures in a table below. One HTML file that needs nothing
 * from elsewhere (chart.h), for light and dark screens. */
#ifndef LOCKSTEP_REPORT_SCATTER_H
#define LOCKSTEP_REPORT_SCATTER_H

#include "base/strbuf.h"

struct scatter_point {
    const char *name, *variant; /* "vecadd", "gto" */
    const char *note;           /* what is to be said of it, or "" */
    double x, y;                /* > 0 */
    unsigned mark;              /* 0 a dot, 1 a square (no others): tells variants apart */
};

struct scatter_group {
    const char *name, *summary;
    const struct scatter_point *points;
    unsigned count;
};

struct scatter_page {
    const char *title, *text; /* a paragraph under the title */
    const char *x_name, *y_name, *variant_name, *note_name;
    const struct scatter_group *groups;
    unsigned count;
    const char *library; /* by which it is drawn (chart.h); NULL: the tables alone */
};

/* Appends the page. All strings are plain text. */
void scatter_html(const struct scatter_page *page, struct strbuf *out);

#endif

/* A page of scatter plots: pairs of positive numbers that should be equal, on logarithmic axes, one plot a group, with
 * bands of 10 and 25 per cent around the diagonal and all figures in a table below. One HTML file with inline SVG, drawn
 * by gnuplot, that needs nothing from elsewhere, for light and dark screens. */
#ifndef LOCKSTEP_REPORT_SCATTER_H
#define LOCKSTEP_REPORT_SCATTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct scatter_point {
    const char *name, *variant; /* "vecadd", "gto" */
    const char *note;           /* what is to be said of it, or "" */
    uint64_t x, y;              /* > 0 */
    unsigned mark;              /* 0 a dot, 1 a square (no others): tells variants apart */
};

struct scatter_group {
    const char *name, *summary;
    const struct scatter_point *points;
    unsigned count;
    const char *drawing; /* SVG by scatter_plot's script, or NULL: the table alone */
};

struct scatter_page {
    const char *title, *text; /* a paragraph under the title */
    const char *x_name, *y_name, *variant_name;
    const struct scatter_group *groups;
    unsigned count;
};

/* Appends the script by which gnuplot draws a group to standard output; false when there is nothing to draw. */
bool scatter_plot(const struct scatter_page *page, const struct scatter_group *group, struct strbuf *out);
/* Appends the page. All strings are plain text. */
void scatter_html(const struct scatter_page *page, struct strbuf *out);

#endif

/* Texts in scripts for gnuplot. */
#ifndef LOCKSTEP_REPORT_PLOT_H
#define LOCKSTEP_REPORT_PLOT_H

#include "base/strbuf.h"

/* Appends a text as gnuplot quotes it. */
void plot_quote(struct strbuf *out, const char *text);
/* Appends the settings that every drawing has: the file `svg` that it goes to, and the names of its axes. */
void plot_settings(struct strbuf *out, const char *svg, const char *x_name, const char *y_name);
/* The style sheet's part for drawings, which follow light and dark screens. */
#define PLOT_STYLE                                                                                                     \
    "svg text { fill: var(--ink); }\n"                                                                                 \
    "svg [color=black] { color: var(--ink); } svg [stroke=black], svg [stroke='rgb(  0,   0,   0)'] { stroke: "        \
    "var(--ink); }\n"                                                                                                  \
    "svg [stroke*='221, 221, 221'] { stroke: var(--faint); }\n"

#endif

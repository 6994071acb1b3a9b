/* Texts in scripts for gnuplot. They come from studies and file names, and gnuplot runs what stands between backquotes
 * in double quotes: so a text stands in single quotes, in which nothing but their end has a meaning, and on one line. */
#ifndef LOCKSTEP_REPORT_PLOT_H
#define LOCKSTEP_REPORT_PLOT_H

#include "base/strbuf.h"

/* Appends a text as gnuplot quotes it. */
void plot_quote(struct strbuf *out, const char *text);
/* As plot_quote, for the mark of an axis: gnuplot takes that for a format, so each '%' is doubled. */
void plot_quote_tic(struct strbuf *out, const char *text);
/* Appends a text as a column of a data block, where double quotes alone quote and nothing escapes: a double quote
 * becomes a single one, a backslash a slash. */
void plot_data_word(struct strbuf *out, const char *text);
/* Appends the names of the axes. Drawings go to standard output, so that no script has the name of a file. */
void plot_axes(struct strbuf *out, const char *x_name, const char *y_name);
/* The style sheet's part for drawings, which follow light and dark screens. */
#define PLOT_STYLE                                                                                                     \
    "svg text { fill: var(--ink); }\n"                                                                                 \
    "svg [color=black] { color: var(--ink); } svg [stroke=black], svg [stroke='rgb(  0,   0,   0)'] { stroke: "        \
    "var(--ink); }\n"                                                                                                  \
    "svg [stroke*='221, 221, 221'] { stroke: var(--faint); }\n"

#endif

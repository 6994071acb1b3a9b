/* Texts of reports that keep to a width. */
#ifndef LOCKSTEP_REPORT_FOLD_H
#define LOCKSTEP_REPORT_FOLD_H

#include <stddef.h>

#include "base/strbuf.h"

#define FOLD_WIDTH 80 /* columns of a text that is for a file, or a wide terminal */
#define FOLD_LEAST 50 /* columns that a text takes though a terminal has fewer */

/* Columns for a text on a terminal of so many; 0: on none. */
unsigned fold_width(unsigned columns);
/* Breaks the lines behind byte `from` that are longer than so many columns at blanks, where they have some behind their
 * indentation. What follows is indented as the line is, and by 8 columns at least; below "- " by 2. */
void fold_lines(struct strbuf *text, size_t from, unsigned width);

#endif

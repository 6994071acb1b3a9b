/* Drawings by gnuplot, for pages: as SVG that stands in HTML. */
#ifndef LOCKSTEP_CLI_GNUPLOT_H
#define LOCKSTEP_CLI_GNUPLOT_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"

/* Draws what the script says to standard output. It is kept beside its drawing, as STEM.gnuplot and STEM.svg. Appends the drawing to svg and returns 0; 1 when there is no gnuplot, -1 with a diagnostic. */
int gnuplot_draw(const char *stem, const struct strbuf *script, struct arena *arena, struct strbuf *svg,
                 struct diag_sink *sink);

/* Removes the files of a drawing that is not to be kept. */
void gnuplot_remove(const char *stem, struct arena *arena);

#endif

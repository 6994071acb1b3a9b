/* Comma-separated values. */
#ifndef LOCKSTEP_REPORT_CSV_H
#define LOCKSTEP_REPORT_CSV_H

#include "base/strbuf.h"

/* Appends a text as a field: in quotes, which are doubled inside, where it has a comma, a quote or a line's end. */
void csv_text(struct strbuf *out, const char *text);

#endif

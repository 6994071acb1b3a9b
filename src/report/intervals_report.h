/* Statistics by intervals of time (`lockstep run --interval`): as a table for people, and as comma-separated values. */
#ifndef LOCKSTEP_REPORT_INTERVALS_REPORT_H
#define LOCKSTEP_REPORT_INTERVALS_REPORT_H

#include <jansson.h>

#include "report/table.h"

extern const char report_intervals_head[]; /* what such a file of values begins with */

/* Appends a table for each of the results that has intervals. */
void report_intervals(const json_t *kernels, struct table_page *page);
/* Appends a line for each interval of each of the results, under a line of names. */
void report_intervals_csv(const json_t *kernels, struct strbuf *out);

#endif

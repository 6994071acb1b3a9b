/* Two runs whose results are there, side by side: what was different about them, and what came of it. */
#ifndef LOCKSTEP_REPORT_DIFFERENCE_H
#define LOCKSTEP_REPORT_DIFFERENCE_H

#include "report/run_report.h"

/* Appends the settings in which two documents of --stats differ, machine parameters too: a column for each; nothing
 * when they are equal. */
void report_settings(const struct report_run runs[2], json_t *const documents[2], struct table_page *page);
/* Appends the statistics in which two runs differ, with the second's by the first's. The kernels of a run are put
 * together: counters are added up, and of what is no counter the most is taken. What one of them has not measured is
 * "-". */
void report_differences(const struct report_run runs[2], struct table_page *page);
/* Appends them for the launches of each kernel, in order of first launch. */
void report_differences_kernels(const struct report_run runs[2], struct table_page *page);

#endif

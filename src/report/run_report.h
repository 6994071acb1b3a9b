/* Reports of `lockstep run` and `lockstep compare` on kernels: tables for people, a JSON document and CSV for
 * programs. */
#ifndef LOCKSTEP_REPORT_RUN_REPORT_H
#define LOCKSTEP_REPORT_RUN_REPORT_H

#include <stdbool.h>

#include <jansson.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "report/table.h"

/* Appends one row a launch; with many launches one row a kernel, its launches added up. kernels: an array of result
 * objects. The largest cause of lost cycles has a colour. */
void report_kernels(const json_t *kernels, struct table_page *page);
/* Appends one line a kernel as CSV, below a line of names: program (with its arguments), machine, what it was taken as,
 * scheduler and parameters (those that are not the machine's) of its run, then the members of the result object,
 * `group.name` for those of groups; what was not measured is empty. documents: an array of runs' documents. There is a
 * column for all that any kernel has; without kernels nothing is written. */
void report_csv(const json_t *documents, struct strbuf *out);

/* One configuration of a comparison. */
struct report_run {
    const char *label;
    const json_t *kernels; /* array, may be empty or NULL */
    const char *failure;   /* NULL: all went well; else a word or two */
    const char *group;     /* of runs that differ in their seed alone: what label says without the seed */
};

/* Appends the comparison: one column a configuration, headline figures above, where the scheduler-cycles went below.
 * The kernels of a configuration are added up; with only, those of that name alone. Speed-up is relative to the first
 * configuration. The largest cause of each has a colour. */
void report_compare(const struct report_run *runs, unsigned count, const char *only, struct table_page *page);
/* Appends how the cycles of each `seeds` runs spread, which differ in their seed alone: mean, standard deviation of one
 * run as a share of it (from the sample: n - 1), least, most, and the first ones' mean time by theirs. Where one of
 * them did not end there is "-". count: a multiple of seeds, which is 1 or more. */
void report_spread(const struct report_run *runs, unsigned count, unsigned seeds, struct table_page *page);
/* Names of kernels, which belong to their results. */
struct report_names {
    VEC(const char *) list;
};
/* Appends the name of each kernel of the runs once, in order of first launch. */
void report_kernel_names(const struct report_run *runs, unsigned count, struct report_names *names);
/* Appends a comparison of each kernel, in order of first launch. */
void report_compare_kernels(const struct report_run *runs, unsigned count, struct table_page *page);

#endif

/* Samples: the same program under one configuration again and again, with other seeds or another value of a parameter,
 * and what they say together. */
#ifndef LOCKSTEP_REPORT_SAMPLES_H
#define LOCKSTEP_REPORT_SAMPLES_H

#include "base/strbuf.h"
#include "report/run_report.h"

/* Numbers to compare with, of which nothing but their distribution is known. */
struct report_numbers {
    const char *name; /* where they come from, for people */
    const double *values;
    size_t count;
};

/* Appends one column a configuration, for each `samples` runs that lie together: mean, standard deviation of one run,
 * least, quartiles and most of their cycles, the speed-up of means over the first configuration, and means of what else
 * there is. agree: a last row tells whether the cycles can be of the distribution of these numbers; NULL: none. Where a
 * run did not end well there is "-". Below the table stands a warning for each configuration whose cycles differ by
 * more than 10%. count: a multiple of samples. */
void report_samples(const struct report_run *runs, unsigned count, unsigned samples, const struct report_numbers *agree,
                    struct table_page *page);

/* The probability that two samples of one distribution differ at least as much in rank as these (Mann and Whitney's U,
 * two-sided): exact where no number is there twice and the samples are small, else by the normal approximation with
 * ties taken into account. The arrays are not empty. */
double report_rank_test(const double *a, size_t a_count, const double *b, size_t b_count);

/* The number below which a share (0 to 1) of the numbers lies, which are in ascending order, at least one; between two,
 * in proportion. */
double report_quantile(const double *sorted, size_t count, double share);

#endif

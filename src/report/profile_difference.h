/* Two profiles side by side, line by line: what moved. */
#ifndef LOCKSTEP_REPORT_PROFILE_DIFFERENCE_H
#define LOCKSTEP_REPORT_PROFILE_DIFFERENCE_H

#include <jansson.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "report/profile_lines.h"

/* A line of two profiles of a kernel; NULL: the other one has no such line. */
struct profile_pair {
    const struct profile_line *before, *after;
};
typedef VEC(struct profile_pair) profile_pairs;

/* Pairs the lines of files of one name (of one file each where no names agree): those of one text, in their order, and
 * between them lines that have been changed; where texts are not known, those of one number. The pair whose costs
 * differ most comes first. To be freed by vec_free. */
void profile_pairs_of(const struct profile_lines *before, const struct profile_lines *after, profile_pairs *pairs);
/* Appends, for each kernel that both arrays of result objects have a profile of: what moved in a sentence or two, the
 * lines whose cost differs with the causes that account for it, and locks, polled words and barriers likewise. names:
 * of the two; columns: of the terminal that it is for, 0: it is for none. Returns how many kernels. */
unsigned profile_difference(const json_t *const kernels[2], const char *const names[2], unsigned columns,
                            struct strbuf *out);

#endif

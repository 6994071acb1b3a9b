/* Which launches of a program are simulated cycle by cycle, where the user has chosen some (`lockstep run --time`,
 * --skip-launches, --time-launches): the others run functionally. */
#ifndef LOCKSTEP_CUDA_TIMED_H
#define LOCKSTEP_CUDA_TIMED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

#define TIMED_NEEDS_TIMING                                                                                             \
    "a choice of launches (--time, --skip-launches, --time-launches) needs timing mode: functional mode times none"
#define TIMED_HAS_NO_CHECKPOINTS                                                                                       \
    "a run of which some launches are timed (--time, --skip-launches, --time-launches) has no checkpoints"
#define TIMED_HAS_NO_CHECKS                                                                                            \
    "--check race and init look at all launches: they do not go with --time, --skip-launches or --time-launches"

struct timed {
    bool chosen;         /* some are; else all are timed */
    const char *pattern; /* of kernels' names, as fnmatch has it; NULL: all kernels */
    uint64_t skip, most; /* of the launches that match: so many first ones are not timed, and then so many are */
    uint64_t warm;       /* of those that are skipped, so many last ones fill caches */
    uint64_t matched;    /* launches so far that match */
};

/* How a launch is simulated. */
enum timed_how {
    TIMED_NOT,   /* functionally */
    TIMED_WARMS, /* cycle by cycle, so that caches are filled; nobody asks for its figures */
    TIMED_YES    /* cycle by cycle */
};

/* The user's choice as he wrote it, NULL where he did not: a pattern, which must outlive struct timed, and numbers of
 * launches. */
struct timed_texts {
    const char *pattern, *skip, *warm, *most;
};
/* Returns 0, or -1 with a diagnostic that names the variable of the environment. */
int timed_read(struct timed *t, const struct timed_texts *texts, struct diag_sink *sink);
/* Asked once for each launch, in their order. name, plain: of its kernel, as the PTX and as the source has it. */
enum timed_how timed_next(struct timed *t, const char *name, const char *plain);

#endif

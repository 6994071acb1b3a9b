/* An explicit-state checker of mbarrier objects: it drives the operations that are simulated (simt/mbarrier.h) through
 * all orders in which threads, pieces of asynchronous copies and arrivals from other blocks can come, and looks for a
 * state in which something is wrong (docs/check.md). It prints nothing. */
#ifndef LOCKSTEP_CHECK_MBARRIER_H
#define LOCKSTEP_CHECK_MBARRIER_H

#include "check/checker.h"

#define MBARRIER_CHECK_PHASES 8u

struct mbarrier_setup {
    const char *program; /* a name of mbarrier.def */
    uint32_t phases;     /* that threads go through: 1 to MBARRIER_CHECK_PHASES */
    bool limits;         /* a wait may end in vain at any time, and is begun again */
    uint64_t states;     /* at most; 0: no limit */
    /* The machine's part, done wrong, for tests of the checker: */
    bool deaf;    /* a phase that ends wakes nobody */
    bool hurries; /* a warp is suspended without another look at its object */
};

/* The programs, in the order of mbarrier.def; NULL ends them. */
extern const struct checker_program_name mbarrier_programs[];
/* Searches. Returns 0, or -1 with a diagnostic when there is no such program. result: as of checker_run, to be freed by
 * checker_free; `quiet` counts states in which all threads have ended and nothing is on its way. */
int mbarrier_check(const struct mbarrier_setup *setup, struct checker_result *result, struct diag_sink *sink);

#endif

/* The cost of a stretch of work to the host: its time, the processor time that the operating system spent, and the
 * pages that were touched for the first time. On some hosts those cost more than all the rest. */
#ifndef LOCKSTEP_BASE_HOST_USE_H
#define LOCKSTEP_BASE_HOST_USE_H

#include <stdint.h>

struct host_use {
    double seconds;        /* of the clock */
    double system_seconds; /* of the processors, in the operating system, all threads together */
    uint64_t page_faults;  /* pages touched for the first time, and the like, that no disk was needed for */
};

/* The process's use of the host so far, from some beginning. */
struct host_use host_use_now(void);
/* The process's use since `before`. */
struct host_use host_use_since(const struct host_use *before);

#endif

/* Kernels under way, for the queue: see flight.c. */
#ifndef LOCKSTEP_CUDA_FLIGHT_H
#define LOCKSTEP_CUDA_FLIGHT_H

#include "cuda/queue.h"

/* Does what was put off, up to and with the next kernel that stands. */
void flight_catch_up(struct runtime *rt);
/* As flight_defer, for work of any kind. */
cudaError_t flight_defer_as(struct runtime *rt, const struct later *later);
/* Runs launches together, when none is under way, to the end of all; after: which of those before it each comes after; lets:
 * see gpu_given.
 * ended receives when each has ended, in simulated nanoseconds. A failure is left to later calls. */
void flight_together(struct runtime *rt, const struct later_launch *launches, const uint64_t *after, const uint64_t *lets,
                     unsigned count, double *ended);

#endif

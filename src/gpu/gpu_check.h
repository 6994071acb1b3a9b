/* Derived facts of a whole device (base/check.h), recomputed between two windows of the engine, when every unit stands
 * at a cycle border. A unit's facts are checked by a function of its own room; a row in gpu_check.c calls it. */
#ifndef LOCKSTEP_GPU_GPU_CHECK_H
#define LOCKSTEP_GPU_GPU_CHECK_H

#include "gpu/gpu_impl.h"

struct check;

/* All facts of a launch under way; of a device that takes a checkpoint: gpu_check(gpu->run, c). */
void gpu_check(struct gpu_run *run, struct check *c);

/* For the engine, behind window number `window`: test builds check one unit now and then, each in its turn (every launch
 * begins with another one), and a fact that does not hold ends the program with its name. */
#ifdef LOCKSTEP_CHECKED
void gpu_check_window(struct gpu_run *run, uint64_t window);
#else
static inline void gpu_check_window(struct gpu_run *run, uint64_t window)
{
    (void)run;
    (void)window;
}
#endif

#endif

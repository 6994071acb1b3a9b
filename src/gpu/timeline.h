/* Timelines as text: see timeline.c. */
#ifndef LOCKSTEP_GPU_TIMELINE_H
#define LOCKSTEP_GPU_TIMELINE_H

#include "gpu/gpu.h"

struct gpu_run;

/* Puts the timeline of a launch that has ended so into its result, whose profile it takes from. */
void gpu_gather_timeline(struct gpu_run *run, enum gpu_status status);

#endif

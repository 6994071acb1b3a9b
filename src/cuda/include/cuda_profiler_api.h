/* cudaProfilerStart and cudaProfilerStop are declared with the rest of the runtime interface. */
#ifndef LOCKSTEP_CUDA_PROFILER_API_H
#define LOCKSTEP_CUDA_PROFILER_API_H
#include "cuda_runtime_api.h"
#endif

/* A visit, for the engine, which lets visitors in. */
#ifndef LOCKSTEP_GPU_VISIT_IMPL_H
#define LOCKSTEP_GPU_VISIT_IMPL_H

#include "gpu/gpu_impl.h"
#include "gpu/visit.h"

struct gpu_visit {
    struct gpu_run *run;
    struct gpu_watch *watch;
};

#endif

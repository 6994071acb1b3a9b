/* Everything declared here in NVIDIA's toolkit comes with cuda_runtime.h. */
#ifndef LOCKSTEP_DRIVER_FUNCTIONS_H
#define LOCKSTEP_DRIVER_FUNCTIONS_H
#include "cuda_runtime.h"
#endif

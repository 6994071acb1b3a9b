/* Everything declared here in NVIDIA's toolkit comes with cuda_runtime.h. */
#ifndef LOCKSTEP_CUDA_DEVICE_RUNTIME_API_H
#define LOCKSTEP_CUDA_DEVICE_RUNTIME_API_H
#include "cuda_runtime.h"
#endif

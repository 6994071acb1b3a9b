/* Everything declared here in NVIDIA's toolkit comes with cuda_runtime.h. */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__
#include "cuda_runtime.h"
#endif

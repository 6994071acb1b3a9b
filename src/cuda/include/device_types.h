/* Everything declared here in NVIDIA's toolkit comes with cuda_runtime.h. */
#ifndef __DEVICE_TYPES_H__
#define __DEVICE_TYPES_H__
#include "cuda_runtime.h"
#endif

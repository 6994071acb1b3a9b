/* A header that libraries include for the occupancy of kernels, which here the runtime interface alone computes. */
#ifndef CUDA_OCCUPANCY_H_
#define CUDA_OCCUPANCY_H_

#include "cuda_runtime_api.h"

#endif

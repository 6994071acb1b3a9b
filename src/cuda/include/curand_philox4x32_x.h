/* Part of curand_kernel.h. */
#ifndef CURAND_PHILOX4X32_X_H_
#define CURAND_PHILOX4X32_X_H_
#include "curand_kernel.h"
#endif

/* Part of curand_kernel.h. */
#ifndef CURAND_DISCRETE_H_
#define CURAND_DISCRETE_H_
#include "curand_kernel.h"
#endif

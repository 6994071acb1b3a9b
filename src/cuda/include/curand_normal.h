/* Part of curand_kernel.h. */
#ifndef CURAND_NORMAL_H_
#define CURAND_NORMAL_H_
#include "curand_kernel.h"
#endif

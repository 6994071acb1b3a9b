/* Part of curand_kernel.h. */
#ifndef CURAND_GLOBALS_H_
#define CURAND_GLOBALS_H_
#include "curand_kernel.h"
#endif

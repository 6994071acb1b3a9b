/* Part of curand_kernel.h. */
#ifndef CURAND_MRG32K3A_H_
#define CURAND_MRG32K3A_H_
#include "curand_kernel.h"
#endif

/* Everything declared here in NVIDIA's toolkit comes with cuda_runtime.h. */
#ifndef LOCKSTEP_MATH_FUNCTIONS_H
#define LOCKSTEP_MATH_FUNCTIONS_H
#include "cuda_runtime.h"
#endif

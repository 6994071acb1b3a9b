/* Everything declared here in NVIDIA's toolkit comes with cuda_runtime.h. */
#ifndef LOCKSTEP_SM_32_ATOMIC_FUNCTIONS_H
#define LOCKSTEP_SM_32_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif

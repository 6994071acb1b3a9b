/* Everything declared here in NVIDIA's toolkit comes with cuda_runtime.h. */
#ifndef LOCKSTEP_HOST_CONFIG_H
#define LOCKSTEP_HOST_CONFIG_H
#include "cuda_runtime.h"
#endif

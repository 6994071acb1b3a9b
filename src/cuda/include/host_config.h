/* Everything declared here in NVIDIA's toolkit comes with cuda_runtime.h. */
#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__
#include "cuda_runtime.h"
#endif

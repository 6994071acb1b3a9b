/* The name of NVTX before version 3. */
#ifndef NVTOOLSEXT_CUDART_H
#define NVTOOLSEXT_CUDART_H
#include "nvtx3/nvToolsExtCudaRt.h"
#endif

/* The name of NVTX before version 3. */
#ifndef NVTOOLSEXT_H
#define NVTOOLSEXT_H
#include "nvtx3/nvToolsExt.h"
#endif

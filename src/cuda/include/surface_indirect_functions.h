/* For programs that ask for it by this name. */
#ifndef __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif

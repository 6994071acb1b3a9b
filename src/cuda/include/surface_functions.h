/* For programs that ask for it by this name. */
#ifndef __SURFACE_FUNCTIONS_H__
#define __SURFACE_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif

/* For programs that ask for it by this name. */
#ifndef __TEXTURE_FETCH_FUNCTIONS_H__
#define __TEXTURE_FETCH_FUNCTIONS_H__
#include "cuda_runtime.h"
#endif

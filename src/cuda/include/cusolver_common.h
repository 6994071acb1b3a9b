/* cuSOLVER: what its parts share. */
#ifndef CUSOLVER_COMMON_H_
#define CUSOLVER_COMMON_H_

#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "library_types.h"
#include "lockstep/cusolver_types.h"

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverGetVersion(int *version);
cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value);
#ifdef __cplusplus
}
#endif

#endif

/* cuFFT: what programs call, in C too. The functions are those of lib/lockstep/libcufft.so.12, whose kernels are
 * Lockstep's own (src/cuda/fft). Functions that are not declared here are not there. */
#ifndef _CUFFT_H_
#define _CUFFT_H_

#include <stddef.h>

#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "library_types.h"
#include "lockstep/cufft_types.h"

#define LOCKSTEP_CUFFT(result, name, ...) result name(__VA_ARGS__);

#ifdef __cplusplus
extern "C" {
#endif
#include "lockstep/cufft_functions.h"
#ifdef __cplusplus
}
#endif

#endif

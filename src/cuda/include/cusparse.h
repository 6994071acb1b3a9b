/* cuSPARSE: what programs call, in C too. The functions are those of lib/lockstep/libcusparse.so.12, whose kernels are
 * Lockstep's own (src/cuda/sparse). Functions that are not declared here are not there. */
#ifndef CUSPARSE_H_
#define CUSPARSE_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "library_types.h"
#include "lockstep/cusparse_types.h"

#define LOCKSTEP_CUSPARSE(result, name, ...) result name(__VA_ARGS__);

#ifdef __cplusplus
extern "C" {
#endif
#include "lockstep/cusparse_functions.h"
#ifdef __cplusplus
}
#endif

#endif

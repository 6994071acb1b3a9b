/* cuSOLVER for dense matrices: what programs call, in C too. The functions are those of
 * lib/lockstep/libcusolver.so.12, whose kernels are Lockstep's own (src/cuda/solver). Functions that are not declared
 * here are not there. */
#ifndef CUSOLVERDN_H_
#define CUSOLVERDN_H_

#include "cublas_v2.h"
#include "cusolver_common.h"

#define LOCKSTEP_CUSOLVER(result, name, ...) result name(__VA_ARGS__);

#ifdef __cplusplus
extern "C" {
#endif
#include "lockstep/cusolver_functions.h"
#ifdef __cplusplus
}
#endif

#endif

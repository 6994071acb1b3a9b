/* cuBLAS: what programs call by their full names, in C too. The functions are those of lib/lockstep/libcublas.so.13,
 * whose kernels are Lockstep's own (src/cuda/blas). Functions that are not declared here are not there. */
#ifndef CUBLAS_API_H_
#define CUBLAS_API_H_

#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime_api.h"
#include "library_types.h"
#include "lockstep/cublas_types.h"

/* The first list has those whose names in the library end in _v2, which programs may leave out (cublas_v2.h). */
#define LOCKSTEP_CUBLAS_JOIN(a, b) LOCKSTEP_CUBLAS_JOIN_(a, b)
#define LOCKSTEP_CUBLAS_JOIN_(a, b) a##b
#define LOCKSTEP_CUBLAS_SECOND(name, ...) cublasStatus_t LOCKSTEP_CUBLAS_JOIN(name, _v2)(__VA_ARGS__);
#define LOCKSTEP_CUBLAS(name, ...) cublasStatus_t name(__VA_ARGS__);

#ifdef __cplusplus
extern "C" {
#endif
#define LOCKSTEP_I int
#include "lockstep/cublas_functions.h"
#include "lockstep/cublas_mixed.h"
#undef LOCKSTEP_I

/* The lists again, for the functions whose numbers have 64 bits: their names end in _64. */
#undef LOCKSTEP_CUBLAS_SECOND
#undef LOCKSTEP_CUBLAS
#define LOCKSTEP_CUBLAS_SECOND(name, ...) cublasStatus_t LOCKSTEP_CUBLAS_JOIN(name, _v2_64)(__VA_ARGS__);
#define LOCKSTEP_CUBLAS(name, ...) cublasStatus_t LOCKSTEP_CUBLAS_JOIN(name, _64)(__VA_ARGS__);
#define LOCKSTEP_CUBLAS_LONG
#define LOCKSTEP_I int64_t
#include "lockstep/cublas_functions.h"
#include "lockstep/cublas_mixed.h"
#undef LOCKSTEP_I
#undef LOCKSTEP_CUBLAS_LONG
#ifdef __cplusplus
}
#endif

#undef LOCKSTEP_CUBLAS_SECOND

#ifdef __cplusplus
/* The strategy under the name that all libraries have for it. */
static inline cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t handle, cudaEmulationStrategy emulationStrategy)
{
    return cublasSetEmulationStrategy(handle, (cublasEmulationStrategy_t)emulationStrategy);
}
static inline cublasStatus_t cublasGetEmulationStrategy(cublasHandle_t handle, cudaEmulationStrategy *emulationStrategy)
{
    return cublasGetEmulationStrategy(handle, (cublasEmulationStrategy_t *)emulationStrategy);
}
#endif

#endif

/* cuBLAS, as programs know it. */
#ifndef CUBLAS_V2_H_
#define CUBLAS_V2_H_

#if defined(CUBLAS_H_)
#error "cublas.h and cublas_v2.h do not go together"
#endif

#include "cublas_api.h"

/* cublasSgemm is cublasSgemm_v2 of the library, and so on. */
#define LOCKSTEP_CUBLAS_TEXT(a) LOCKSTEP_CUBLAS_TEXT_(a)
#define LOCKSTEP_CUBLAS_TEXT_(a) #a
#define LOCKSTEP_CUBLAS_SECOND(name, ...) cublasStatus_t name(__VA_ARGS__) __asm__(LOCKSTEP_CUBLAS_TEXT(name) "_v2");
#undef LOCKSTEP_CUBLAS
#define LOCKSTEP_CUBLAS(name, ...)

#ifdef __cplusplus
extern "C" {
#endif
#define LOCKSTEP_I int
#include "lockstep/cublas_functions.h"
#undef LOCKSTEP_I

#undef LOCKSTEP_CUBLAS_SECOND
#define LOCKSTEP_CUBLAS_SECOND(name, ...)                                                                              \
    cublasStatus_t LOCKSTEP_CUBLAS_JOIN(name, _64)(__VA_ARGS__) __asm__(LOCKSTEP_CUBLAS_TEXT(name) "_v2_64");
#define LOCKSTEP_CUBLAS_LONG
#define LOCKSTEP_I int64_t
#include "lockstep/cublas_functions.h"
#undef LOCKSTEP_I
#undef LOCKSTEP_CUBLAS_LONG
#ifdef __cplusplus
}
#endif

#undef LOCKSTEP_CUBLAS_SECOND

#ifdef __cplusplus
/* The type of the computation as it was given before CUDA 11. */
static inline cublasComputeType_t lockstep_cublas_compute_type(cudaDataType type)
{
    return type == CUDA_R_16F                         ? CUBLAS_COMPUTE_16F
           : type == CUDA_R_32F || type == CUDA_C_32F ? CUBLAS_COMPUTE_32F
           : type == CUDA_R_64F || type == CUDA_C_64F ? CUBLAS_COMPUTE_64F
           : type == CUDA_R_32I                       ? CUBLAS_COMPUTE_32I
                                                      : (cublasComputeType_t)0;
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void *alpha, const void *A, cudaDataType Atype,
                                          int lda, const void *B, cudaDataType Btype, int ldb, const void *beta,
                                          void *C, cudaDataType Ctype, int ldc, cudaDataType computeType,
                                          cublasGemmAlgo_t algo)
{
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc,
                        lockstep_cublas_compute_type(computeType), algo);
}
static inline cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                                 cublasOperation_t transb, int m, int n, int k, const void *alpha,
                                                 const void *const Aarray[], cudaDataType Atype, int lda,
                                                 const void *const Barray[], cudaDataType Btype, int ldb,
                                                 const void *beta, void *const Carray[], cudaDataType Ctype, int ldc,
                                                 int batchCount, cudaDataType computeType, cublasGemmAlgo_t algo)
{
    return cublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, Aarray, Atype, lda, Barray, Btype, ldb, beta,
                               Carray, Ctype, ldc, batchCount, lockstep_cublas_compute_type(computeType), algo);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                                        cublasOperation_t transb, int m, int n, int k,
                                                        const void *alpha, const void *A, cudaDataType Atype, int lda,
                                                        long long int strideA, const void *B, cudaDataType Btype,
                                                        int ldb, long long int strideB, const void *beta, void *C,
                                                        cudaDataType Ctype, int ldc, long long int strideC,
                                                        int batchCount, cudaDataType computeType, cublasGemmAlgo_t algo)
{
    return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, strideA, B, Btype, ldb,
                                      strideB, beta, C, Ctype, ldc, strideC, batchCount,
                                      lockstep_cublas_compute_type(computeType), algo);
}
#endif

#endif

// The functions whose numbers have 64 bits (cublasSgemm_64 and its like): those without _64, where the numbers fit. A
// vector or matrix with more elements in a row or column than an int counts is refused.
#include "context.cuh"

using namespace lockstep_blas;

// Calls the function without _64, if its parameters hold every number.
template <class... P, class... A> static cublasStatus_t by_ints(cublasStatus_t (*function)(P...), A... arguments)
{
    return (((P)arguments == arguments) && ...) ? function(arguments...) : CUBLAS_STATUS_NOT_SUPPORTED;
}

// Where the index of an element is to be put, which has 64 bits here and 32 in the function without _64: on the device
// it is put into the low half, which comes first, and the other half is cleared.
class long_index
{
    cublasHandle_t handle;
    int64_t *result;
    int on_host = 0;
    bool is_on_device() const
    {
        return handle && handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
    }

  public:
    long_index(cublasHandle_t handle, int64_t *result) : handle(handle), result(result)
    {
    }
    int *get()
    {
        return !result ? nullptr : is_on_device() ? (int *)result : &on_host;
    }
    cublasStatus_t give(cublasStatus_t status)
    {
        if (status != CUBLAS_STATUS_SUCCESS || !result)
            return status;
        if (!is_on_device())
            *result = on_host;
        else if (cudaMemsetAsync((int *)result + 1, 0, sizeof(int), handle->stream) != cudaSuccess)
            return CUBLAS_STATUS_EXECUTION_FAILED;
        return status;
    }
};

#define LOCKSTEP_LETTERS "../blas/long_letter.cuh"
#include "../kernels/letters.cuh"

// ---- those that take types as arguments, and those of halves
cublasStatus_t cublasSetVector_64(int64_t n, int64_t elemSize, const void *x, int64_t incx, void *devicePtr,
                                  int64_t incy)
{
    return by_ints(cublasSetVector, n, elemSize, x, incx, devicePtr, incy);
}
cublasStatus_t cublasGetVector_64(int64_t n, int64_t elemSize, const void *x, int64_t incx, void *y, int64_t incy)
{
    return by_ints(cublasGetVector, n, elemSize, x, incx, y, incy);
}
cublasStatus_t cublasSetMatrix_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A, int64_t lda, void *B,
                                  int64_t ldb)
{
    return by_ints(cublasSetMatrix, rows, cols, elemSize, A, lda, B, ldb);
}
cublasStatus_t cublasGetMatrix_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A, int64_t lda, void *B,
                                  int64_t ldb)
{
    return by_ints(cublasGetMatrix, rows, cols, elemSize, A, lda, B, ldb);
}
cublasStatus_t cublasSetVectorAsync_64(int64_t n, int64_t elemSize, const void *hostPtr, int64_t incx, void *devicePtr,
                                       int64_t incy, cudaStream_t stream)
{
    return by_ints(cublasSetVectorAsync, n, elemSize, hostPtr, incx, devicePtr, incy, stream);
}
cublasStatus_t cublasGetVectorAsync_64(int64_t n, int64_t elemSize, const void *devicePtr, int64_t incx, void *hostPtr,
                                       int64_t incy, cudaStream_t stream)
{
    return by_ints(cublasGetVectorAsync, n, elemSize, devicePtr, incx, hostPtr, incy, stream);
}
cublasStatus_t cublasSetMatrixAsync_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A, int64_t lda,
                                       void *B, int64_t ldb, cudaStream_t stream)
{
    return by_ints(cublasSetMatrixAsync, rows, cols, elemSize, A, lda, B, ldb, stream);
}
cublasStatus_t cublasGetMatrixAsync_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A, int64_t lda,
                                       void *B, int64_t ldb, cudaStream_t stream)
{
    return by_ints(cublasGetMatrixAsync, rows, cols, elemSize, A, lda, B, ldb, stream);
}
cublasStatus_t cublasNrm2Ex_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx,
                               void *result, cudaDataType resultType, cudaDataType executionType)
{
    return by_ints(cublasNrm2Ex, handle, n, x, xType, incx, result, resultType, executionType);
}
cublasStatus_t cublasDotEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx,
                              const void *y, cudaDataType yType, int64_t incy, void *result, cudaDataType resultType,
                              cudaDataType executionType)
{
    return by_ints(cublasDotEx, handle, n, x, xType, incx, y, yType, incy, result, resultType, executionType);
}
cublasStatus_t cublasDotcEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx,
                               const void *y, cudaDataType yType, int64_t incy, void *result, cudaDataType resultType,
                               cudaDataType executionType)
{
    return by_ints(cublasDotcEx, handle, n, x, xType, incx, y, yType, incy, result, resultType, executionType);
}
cublasStatus_t cublasScalEx_64(cublasHandle_t handle, int64_t n, const void *alpha, cudaDataType alphaType, void *x,
                               cudaDataType xType, int64_t incx, cudaDataType executionType)
{
    return by_ints(cublasScalEx, handle, n, alpha, alphaType, x, xType, incx, executionType);
}
cublasStatus_t cublasAxpyEx_64(cublasHandle_t handle, int64_t n, const void *alpha, cudaDataType alphaType,
                               const void *x, cudaDataType xType, int64_t incx, void *y, cudaDataType yType,
                               int64_t incy, cudaDataType executionType)
{
    return by_ints(cublasAxpyEx, handle, n, alpha, alphaType, x, xType, incx, y, yType, incy, executionType);
}
cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                               int64_t n, int64_t k, const void *alpha, const void *A, cudaDataType Atype, int64_t lda,
                               const void *B, cudaDataType Btype, int64_t ldb, const void *beta, void *C,
                               cudaDataType Ctype, int64_t ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo)
{
    return by_ints(cublasGemmEx, handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype,
                   ldc, computeType, algo);
}
cublasStatus_t cublasGemmBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                      int64_t m, int64_t n, int64_t k, const void *alpha, const void *const Aarray[],
                                      cudaDataType Atype, int64_t lda, const void *const Barray[], cudaDataType Btype,
                                      int64_t ldb, const void *beta, void *const Carray[], cudaDataType Ctype,
                                      int64_t ldc, int64_t batchCount, cublasComputeType_t computeType,
                                      cublasGemmAlgo_t algo)
{
    return by_ints(cublasGemmBatchedEx, handle, transa, transb, m, n, k, alpha, Aarray, Atype, lda, Barray, Btype, ldb,
                   beta, Carray, Ctype, ldc, batchCount, computeType, algo);
}
cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                             int64_t m, int64_t n, int64_t k, const void *alpha, const void *A,
                                             cudaDataType Atype, int64_t lda, long long int strideA, const void *B,
                                             cudaDataType Btype, int64_t ldb, long long int strideB, const void *beta,
                                             void *C, cudaDataType Ctype, int64_t ldc, long long int strideC,
                                             int64_t batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo)
{
    return by_ints(cublasGemmStridedBatchedEx, handle, transa, transb, m, n, k, alpha, A, Atype, lda, strideA, B, Btype,
                   ldb, strideB, beta, C, Ctype, ldc, strideC, batchCount, computeType, algo);
}
cublasStatus_t cublasSgemmEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                                int64_t n, int64_t k, const float *alpha, const void *A, cudaDataType Atype,
                                int64_t lda, const void *B, cudaDataType Btype, int64_t ldb, const float *beta, void *C,
                                cudaDataType Ctype, int64_t ldc)
{
    return by_ints(cublasSgemmEx, handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype,
                   ldc);
}
cublasStatus_t cublasHgemm_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                              int64_t n, int64_t k, const __half *alpha, const __half *A, int64_t lda, const __half *B,
                              int64_t ldb, const __half *beta, __half *C, int64_t ldc)
{
    return by_ints(cublasHgemm, handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
cublasStatus_t cublasHgemmBatched_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                     int64_t m, int64_t n, int64_t k, const __half *alpha, const __half *const Aarray[],
                                     int64_t lda, const __half *const Barray[], int64_t ldb, const __half *beta,
                                     __half *const Carray[], int64_t ldc, int64_t batchCount)
{
    return by_ints(cublasHgemmBatched, handle, transa, transb, m, n, k, alpha, Aarray, lda, Barray, ldb, beta, Carray,
                   ldc, batchCount);
}
cublasStatus_t cublasHgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                            int64_t m, int64_t n, int64_t k, const __half *alpha, const __half *A,
                                            int64_t lda, long long int strideA, const __half *B, int64_t ldb,
                                            long long int strideB, const __half *beta, __half *C, int64_t ldc,
                                            long long int strideC, int64_t batchCount)
{
    return by_ints(cublasHgemmStridedBatched, handle, transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb, strideB,
                   beta, C, ldc, strideC, batchCount);
}

// The functions whose numbers have 64 bits (cublasSgemm_64 and its like): those without _64, where the numbers fit. A
// vector or matrix with more elements in a row or column than an int counts is refused.
#include "context.cuh"

#include <climits>

using namespace lockstep_blas;

template <class... N> static bool are_ints(N... numbers)
{
    return ((numbers >= INT_MIN && numbers <= INT_MAX) && ...);
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
    return are_ints(n, elemSize, incx, incy)
               ? cublasSetVector((int)n, (int)elemSize, x, (int)incx, devicePtr, (int)incy)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasGetVector_64(int64_t n, int64_t elemSize, const void *x, int64_t incx, void *y, int64_t incy)
{
    return are_ints(n, elemSize, incx, incy) ? cublasGetVector((int)n, (int)elemSize, x, (int)incx, y, (int)incy)
                                             : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasSetMatrix_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A, int64_t lda, void *B,
                                  int64_t ldb)
{
    return are_ints(rows, cols, elemSize, lda, ldb)
               ? cublasSetMatrix((int)rows, (int)cols, (int)elemSize, A, (int)lda, B, (int)ldb)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasGetMatrix_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A, int64_t lda, void *B,
                                  int64_t ldb)
{
    return are_ints(rows, cols, elemSize, lda, ldb)
               ? cublasGetMatrix((int)rows, (int)cols, (int)elemSize, A, (int)lda, B, (int)ldb)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasSetVectorAsync_64(int64_t n, int64_t elemSize, const void *hostPtr, int64_t incx, void *devicePtr,
                                       int64_t incy, cudaStream_t stream)
{
    return are_ints(n, elemSize, incx, incy)
               ? cublasSetVectorAsync((int)n, (int)elemSize, hostPtr, (int)incx, devicePtr, (int)incy, stream)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasGetVectorAsync_64(int64_t n, int64_t elemSize, const void *devicePtr, int64_t incx, void *hostPtr,
                                       int64_t incy, cudaStream_t stream)
{
    return are_ints(n, elemSize, incx, incy)
               ? cublasGetVectorAsync((int)n, (int)elemSize, devicePtr, (int)incx, hostPtr, (int)incy, stream)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasSetMatrixAsync_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A, int64_t lda,
                                       void *B, int64_t ldb, cudaStream_t stream)
{
    return are_ints(rows, cols, elemSize, lda, ldb)
               ? cublasSetMatrixAsync((int)rows, (int)cols, (int)elemSize, A, (int)lda, B, (int)ldb, stream)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasGetMatrixAsync_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A, int64_t lda,
                                       void *B, int64_t ldb, cudaStream_t stream)
{
    return are_ints(rows, cols, elemSize, lda, ldb)
               ? cublasGetMatrixAsync((int)rows, (int)cols, (int)elemSize, A, (int)lda, B, (int)ldb, stream)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasNrm2Ex_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx,
                               void *result, cudaDataType resultType, cudaDataType executionType)
{
    return are_ints(n, incx) ? cublasNrm2Ex(handle, (int)n, x, xType, (int)incx, result, resultType, executionType)
                             : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasDotEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx,
                              const void *y, cudaDataType yType, int64_t incy, void *result, cudaDataType resultType,
                              cudaDataType executionType)
{
    return are_ints(n, incx, incy) ? cublasDotEx(handle, (int)n, x, xType, (int)incx, y, yType, (int)incy, result,
                                                 resultType, executionType)
                                   : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasDotcEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType, int64_t incx,
                               const void *y, cudaDataType yType, int64_t incy, void *result, cudaDataType resultType,
                               cudaDataType executionType)
{
    return are_ints(n, incx, incy) ? cublasDotcEx(handle, (int)n, x, xType, (int)incx, y, yType, (int)incy, result,
                                                  resultType, executionType)
                                   : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasScalEx_64(cublasHandle_t handle, int64_t n, const void *alpha, cudaDataType alphaType, void *x,
                               cudaDataType xType, int64_t incx, cudaDataType executionType)
{
    return are_ints(n, incx) ? cublasScalEx(handle, (int)n, alpha, alphaType, x, xType, (int)incx, executionType)
                             : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasAxpyEx_64(cublasHandle_t handle, int64_t n, const void *alpha, cudaDataType alphaType,
                               const void *x, cudaDataType xType, int64_t incx, void *y, cudaDataType yType,
                               int64_t incy, cudaDataType executionType)
{
    return are_ints(n, incx, incy)
               ? cublasAxpyEx(handle, (int)n, alpha, alphaType, x, xType, (int)incx, y, yType, (int)incy, executionType)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                               int64_t n, int64_t k, const void *alpha, const void *A, cudaDataType Atype, int64_t lda,
                               const void *B, cudaDataType Btype, int64_t ldb, const void *beta, void *C,
                               cudaDataType Ctype, int64_t ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo)
{
    return are_ints(m, n, k, lda, ldb, ldc)
               ? cublasGemmEx(handle, transa, transb, (int)m, (int)n, (int)k, alpha, A, Atype, (int)lda, B, Btype,
                              (int)ldb, beta, C, Ctype, (int)ldc, computeType, algo)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasGemmBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                      int64_t m, int64_t n, int64_t k, const void *alpha, const void *const Aarray[],
                                      cudaDataType Atype, int64_t lda, const void *const Barray[], cudaDataType Btype,
                                      int64_t ldb, const void *beta, void *const Carray[], cudaDataType Ctype,
                                      int64_t ldc, int64_t batchCount, cublasComputeType_t computeType,
                                      cublasGemmAlgo_t algo)
{
    return are_ints(m, n, k, lda, ldb, ldc, batchCount)
               ? cublasGemmBatchedEx(handle, transa, transb, (int)m, (int)n, (int)k, alpha, Aarray, Atype, (int)lda,
                                     Barray, Btype, (int)ldb, beta, Carray, Ctype, (int)ldc, (int)batchCount,
                                     computeType, algo)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                             int64_t m, int64_t n, int64_t k, const void *alpha, const void *A,
                                             cudaDataType Atype, int64_t lda, long long int strideA, const void *B,
                                             cudaDataType Btype, int64_t ldb, long long int strideB, const void *beta,
                                             void *C, cudaDataType Ctype, int64_t ldc, long long int strideC,
                                             int64_t batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo)
{
    return are_ints(m, n, k, lda, ldb, ldc, batchCount)
               ? cublasGemmStridedBatchedEx(handle, transa, transb, (int)m, (int)n, (int)k, alpha, A, Atype, (int)lda,
                                            strideA, B, Btype, (int)ldb, strideB, beta, C, Ctype, (int)ldc, strideC,
                                            (int)batchCount, computeType, algo)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasSgemmEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                                int64_t n, int64_t k, const float *alpha, const void *A, cudaDataType Atype,
                                int64_t lda, const void *B, cudaDataType Btype, int64_t ldb, const float *beta, void *C,
                                cudaDataType Ctype, int64_t ldc)
{
    return are_ints(m, n, k, lda, ldb, ldc)
               ? cublasSgemmEx(handle, transa, transb, (int)m, (int)n, (int)k, alpha, A, Atype, (int)lda, B, Btype,
                               (int)ldb, beta, C, Ctype, (int)ldc)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasHgemm_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
                              int64_t n, int64_t k, const __half *alpha, const __half *A, int64_t lda, const __half *B,
                              int64_t ldb, const __half *beta, __half *C, int64_t ldc)
{
    return are_ints(m, n, k, lda, ldb, ldc) ? cublasHgemm(handle, transa, transb, (int)m, (int)n, (int)k, alpha, A,
                                                          (int)lda, B, (int)ldb, beta, C, (int)ldc)
                                            : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasHgemmBatched_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                     int64_t m, int64_t n, int64_t k, const __half *alpha, const __half *const Aarray[],
                                     int64_t lda, const __half *const Barray[], int64_t ldb, const __half *beta,
                                     __half *const Carray[], int64_t ldc, int64_t batchCount)
{
    return are_ints(m, n, k, lda, ldb, ldc, batchCount)
               ? cublasHgemmBatched(handle, transa, transb, (int)m, (int)n, (int)k, alpha, Aarray, (int)lda, Barray,
                                    (int)ldb, beta, Carray, (int)ldc, (int)batchCount)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasHgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                            int64_t m, int64_t n, int64_t k, const __half *alpha, const __half *A,
                                            int64_t lda, long long int strideA, const __half *B, int64_t ldb,
                                            long long int strideB, const __half *beta, __half *C, int64_t ldc,
                                            long long int strideC, int64_t batchCount)
{
    return are_ints(m, n, k, lda, ldb, ldc, batchCount)
               ? cublasHgemmStridedBatched(handle, transa, transb, (int)m, (int)n, (int)k, alpha, A, (int)lda, strideA,
                                           B, (int)ldb, strideB, beta, C, (int)ldc, strideC, (int)batchCount)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}

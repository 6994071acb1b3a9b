// Products of one type: included once for each. Of halves the plain product has its own kind of name.
#define T LOCKSTEP_T
#define ONE(name) LOCKSTEP_BLAS_NAME(LOCKSTEP_L, name)
#ifdef LOCKSTEP_HALVES
#define PLAIN ONE(gemm)
#else
#define PLAIN LOCKSTEP_BLAS_V2(LOCKSTEP_L, gemm)
#endif

cublasStatus_t PLAIN(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                     const T *alpha, const T *A, int lda, const T *B, int ldb, const T *beta, T *C, int ldc)
{
    return multiply<T, T, number<T>::sum>(handle, sizes{transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta,
                                          places{A, B, C, NULL, NULL, NULL, 0, 0, 0, 1});
}
cublasStatus_t ONE(gemmBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                                int k, const T *alpha, const T *const Aarray[], int lda, const T *const Barray[],
                                int ldb, const T *beta, T *const Carray[], int ldc, int batchCount)
{
    return multiply<T, T, number<T>::sum>(handle, sizes{transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta,
                                          places{NULL, NULL, NULL, (const void *const *)Aarray,
                                                 (const void *const *)Barray, (void *const *)Carray, 0, 0, 0,
                                                 batchCount});
}
cublasStatus_t ONE(gemmStridedBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                       int n, int k, const T *alpha, const T *A, int lda, long long int strideA,
                                       const T *B, int ldb, long long int strideB, const T *beta, T *C, int ldc,
                                       long long int strideC, int batchCount)
{
    return multiply<T, T, number<T>::sum>(handle, sizes{transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta,
                                          places{A, B, C, NULL, NULL, NULL, strideA, strideB, strideC, batchCount});
}

#undef T
#undef ONE
#undef PLAIN

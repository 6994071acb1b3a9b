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

#if defined(LOCKSTEP_BY_REAL) // products of pairs by three products of numbers: here they are what they always are
cublasStatus_t ONE(gemm3m)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           int k, const T *alpha, const T *A, int lda, const T *B, int ldb, const T *beta, T *C,
                           int ldc)
{
    return PLAIN(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
#elif !defined(LOCKSTEP_HALVES)
// Batches of batches. Factors lie on the host or on the device, all other numbers of groups on the host.
cublasStatus_t ONE(gemmGroupedBatched)(cublasHandle_t handle, const cublasOperation_t transa_array[],
                                       const cublasOperation_t transb_array[], const int m_array[], const int n_array[],
                                       const int k_array[], const T alpha_array[], const T *const Aarray[],
                                       const int lda_array[], const T *const Barray[], const int ldb_array[],
                                       const T beta_array[], T *const Carray[], const int ldc_array[], int group_count,
                                       const int group_size[])
{
    LOCKSTEP_BLAS_BEGIN(handle, group_count < 0, group_count == 0);
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int g = 0, done = 0; g < group_count && status == CUBLAS_STATUS_SUCCESS; done += group_size[g++])
        status = ONE(gemmBatched)(handle, transa_array[g], transb_array[g], m_array[g], n_array[g], k_array[g],
                                  alpha_array + g, Aarray + done, lda_array[g], Barray + done, ldb_array[g],
                                  beta_array + g, Carray + done, ldc_array[g], group_size[g]);
    return status;
}
#endif

#undef T
#undef ONE
#undef PLAIN

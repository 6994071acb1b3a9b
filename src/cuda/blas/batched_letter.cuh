// Many small matrices of one type: included once for each.
#define T LOCKSTEP_T
#define ONE(name) LOCKSTEP_BLAS_NAME(LOCKSTEP_L, name)

cublasStatus_t ONE(getrfBatched)(cublasHandle_t handle, int n, T *const A[], int lda, int *P, int *info, int batchSize)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || batchSize < 0 || lda < n, n == 0 || batchSize == 0);
    return launch(handle, blocks_of(batchSize), small_threads, factorize_all<T>, n, A, lda, P, info, batchSize);
}
cublasStatus_t ONE(getriBatched)(cublasHandle_t handle, int n, const T *const A[], int lda, const int *P, T *const C[],
                                 int ldc, int *info, int batchSize)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || batchSize < 0 || lda < n || ldc < n, n == 0 || batchSize == 0);
    return launch(handle, blocks_of(batchSize), small_threads, invert_factors<T>, n, A, lda, P, C, ldc, info,
                  batchSize);
}
// *info is on the host, and says which argument is at fault.
cublasStatus_t ONE(getrsBatched)(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,
                                 const T *const Aarray[], int lda, const int *devIpiv, T *const Barray[], int ldb,
                                 int *info, int batchSize)
{
    LOCKSTEP_BLAS_BEGIN(handle, !info, false);
    const int fault = n < 0 ? -2 : nrhs < 0 ? -3 : lda < n ? -5 : ldb < n ? -8 : batchSize < 0 ? -10 : 0;
    *info = fault;
    LOCKSTEP_BLAS_BEGIN(handle, fault, n == 0 || nrhs == 0 || batchSize == 0);
    return launch(handle, blocks_of(batchSize), small_threads, solve_all<T>, n, nrhs, Aarray, lda, devIpiv, Barray, ldb,
                  batchSize, trans != CUBLAS_OP_N, trans == CUBLAS_OP_C);
}
cublasStatus_t ONE(matinvBatched)(cublasHandle_t handle, int n, const T *const A[], int lda, T *const Ainv[],
                                  int lda_inv, int *info, int batchSize)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || n > small_most || batchSize < 0 || lda < n || lda_inv < n,
                        n == 0 || batchSize == 0);
    return launch(handle, blocks_of(batchSize), small_threads, invert_all<T>, n, A, lda, Ainv, lda_inv, info,
                  batchSize);
}

#undef T
#undef ONE

// Symmetric and triangular matrices of one type: included once for each.
#define T LOCKSTEP_T
#define R LOCKSTEP_R
#define V2(name) LOCKSTEP_BLAS_V2(LOCKSTEP_L, name)
#define ONE(name) LOCKSTEP_BLAS_NAME(LOCKSTEP_L, name)

cublasStatus_t V2(symm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,
                        const T *alpha, const T *A, int lda, const T *B, int ldb, const T *beta, T *C, int ldc)
{
    return multiply_half(handle, side, m, n, alpha, half_of(A, lda, SYMMETRIC, uplo), B, ldb, beta, C, ldc);
}
cublasStatus_t V2(syrk)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                        const T *alpha, const T *A, int lda, const T *beta, T *C, int ldc)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return multiply_part(handle, uplo, trans, n, k, factor_of(handle, alpha), A, lda, A, lda, factor_of(handle, beta),
                         C, ldc, false);
}
cublasStatus_t V2(syr2k)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                         const T *alpha, const T *A, int lda, const T *B, int ldb, const T *beta, T *C, int ldc)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    const factor<T> by = factor_of(handle, alpha);
    cublasStatus_t status =
        multiply_part(handle, uplo, trans, n, k, by, A, lda, B, ldb, factor_of(handle, beta), C, ldc, false);
    return status ? status
                  : multiply_part(handle, uplo, trans, n, k, by, B, ldb, A, lda, known(make<T>(1)), C, ldc, false);
}
cublasStatus_t ONE(syrkx)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                          const T *alpha, const T *A, int lda, const T *B, int ldb, const T *beta, T *C, int ldc)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return multiply_part(handle, uplo, trans, n, k, factor_of(handle, alpha), A, lda, B, ldb, factor_of(handle, beta),
                         C, ldc, false);
}
cublasStatus_t V2(trmm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                        cublasDiagType_t diag, int m, int n, const T *alpha, const T *A, int lda, const T *B, int ldb,
                        T *C, int ldc)
{
    LOCKSTEP_BLAS_BEGIN(handle, ldb < at_least_one(m) || ldc < at_least_one(m), m <= 0 || n <= 0);
    operand<T> a = half_of(A, lda, TRIANGULAR, uplo);
    a.unit = diag == CUBLAS_DIAG_UNIT;
    a.transposed = trans != CUBLAS_OP_N;
    a.conjugated = trans == CUBLAS_OP_C;
    // In place, the product needs what it overwrites.
    if (B == C) {
        T *copy = (T *)room_for(handle, sizeof(T) * m * n);
        if (!copy)
            return CUBLAS_STATUS_ALLOC_FAILED;
        if (cudaMemcpy2DAsync(copy, sizeof(T) * m, B, sizeof(T) * ldb, sizeof(T) * m, n, cudaMemcpyDeviceToDevice,
                              handle->stream))
            return CUBLAS_STATUS_EXECUTION_FAILED;
        B = copy;
        ldb = m;
    }
    const bool left = side == CUBLAS_SIDE_LEFT;
    if (lda < at_least_one(left ? m : n))
        return CUBLAS_STATUS_INVALID_VALUE;
    const operand<T> other = whole(B, ldb);
    return run_product(handle, product_of(m, n, left ? m : n, factor_of(handle, alpha), left ? a : other,
                                          left ? other : a, known(make<T>(0)), C, ldc));
}
cublasStatus_t V2(trsm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                        cublasDiagType_t diag, int m, int n, const T *alpha, const T *A, int lda, T *B, int ldb)
{
    return solve<T>(handle, side, uplo, trans, diag, m, n, alpha, A, NULL, lda, B, NULL, ldb, 1);
}
cublasStatus_t ONE(trsmBatched)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                                cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T *alpha,
                                const T *const A[], int lda, T *const B[], int ldb, int batchCount)
{
    return solve<T>(handle, side, uplo, trans, diag, m, n, alpha, NULL, A, lda, NULL, B, ldb, batchCount);
}
cublasStatus_t ONE(geam)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                         const T *alpha, const T *A, int lda, const T *beta, const T *B, int ldb, T *C, int ldc)
{
    LOCKSTEP_BLAS_BEGIN(handle,
                        m < 0 || n < 0 || lda < at_least_one(transa == CUBLAS_OP_N ? m : n) ||
                            ldb < at_least_one(transb == CUBLAS_OP_N ? m : n) || ldc < at_least_one(m),
                        m == 0 || n == 0);
    return launch(handle, grid_of(m, n), tile, add_matrices<T>, m, n, scalar_of(handle, alpha), whole(A, lda, transa),
                  scalar_of(handle, beta), whole(B, ldb, transb), C, ldc);
}
cublasStatus_t ONE(dgmm)(cublasHandle_t handle, cublasSideMode_t mode, int m, int n, const T *A, int lda, const T *x,
                         int incx, T *C, int ldc)
{
    const bool rows = mode == CUBLAS_SIDE_LEFT;
    LOCKSTEP_BLAS_BEGIN(handle, m < 0 || n < 0 || lda < at_least_one(m) || ldc < at_least_one(m), m == 0 || n == 0);
    return launch(handle, grid_of(m, n), tile, scale_lines<T>, m, n, rows, A, lda, elements(x, rows ? m : n, incx), C,
                  ldc);
}

#ifdef LOCKSTEP_BY_REAL
cublasStatus_t V2(hemm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,
                        const T *alpha, const T *A, int lda, const T *B, int ldb, const T *beta, T *C, int ldc)
{
    return multiply_half(handle, side, m, n, alpha, half_of(A, lda, HERMITIAN, uplo), B, ldb, beta, C, ldc);
}
cublasStatus_t V2(herk)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                        const R *alpha, const T *A, int lda, const R *beta, T *C, int ldc)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return multiply_part(handle, uplo, trans, n, k, real_factor_of<T>(handle, alpha), A, lda, A, lda,
                         real_factor_of<T>(handle, beta), C, ldc, true);
}
cublasStatus_t ONE(herkx)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                          const T *alpha, const T *A, int lda, const T *B, int ldb, const R *beta, T *C, int ldc)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return multiply_part(handle, uplo, trans, n, k, factor_of(handle, alpha), A, lda, B, ldb,
                         real_factor_of<T>(handle, beta), C, ldc, true);
}
// alpha op(A) op(B)* + conj(alpha) op(B) op(A)* + beta C.
// The imaginary parts on the diagonal cancel, so that each of the two steps may drop its own.
cublasStatus_t V2(her2k)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                         const T *alpha, const T *A, int lda, const T *B, int ldb, const R *beta, T *C, int ldc)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    const factor<T> by = factor_of(handle, alpha);
    factor<T> conjugate_by = by;
    conjugate_by.conjugated = true;
    cublasStatus_t status =
        multiply_part(handle, uplo, trans, n, k, by, A, lda, B, ldb, real_factor_of<T>(handle, beta), C, ldc, true);
    return status ? status
                  : multiply_part(handle, uplo, trans, n, k, conjugate_by, B, ldb, A, lda, known(make<T>(1)), C, ldc,
                                  true);
}
#endif

#undef T
#undef R
#undef V2
#undef ONE

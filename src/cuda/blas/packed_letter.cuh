// Banded and packed matrices of one type: included once for each.
#define T LOCKSTEP_T
#define R LOCKSTEP_R
#define V2(name) LOCKSTEP_BLAS_V2(LOCKSTEP_L, name)
#define ONE(name) LOCKSTEP_BLAS_NAME(LOCKSTEP_L, name)

cublasStatus_t V2(gbmv)(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int kl, int ku, const T *alpha,
                        const T *A, int lda, const T *x, int incx, const T *beta, T *y, int incy)
{
    LOCKSTEP_BLAS_BEGIN(handle, m < 0 || n < 0 || kl < 0 || ku < 0 || lda < kl + ku + 1 || incx == 0 || incy == 0,
                        m == 0 || n == 0);
    const stored<T> a = {A, m, n, kl, ku, lda, FULL, false, false, trans != CUBLAS_OP_N, trans == CUBLAS_OP_C};
    return multiply(handle, a, alpha, x, incx, beta, y, incy);
}
cublasStatus_t V2(tbmv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                        int n, int k, const T *A, int lda, T *x, int incx)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || k < 0 || lda < k + 1 || incx == 0, n == 0);
    return multiply_triangle(handle, triangle(A, n, k, lda, uplo, trans, diag), x, incx);
}
cublasStatus_t V2(tbsv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                        int n, int k, const T *A, int lda, T *x, int incx)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || k < 0 || lda < k + 1 || incx == 0, n == 0);
    return solve(handle, triangle(A, n, k, lda, uplo, trans, diag), x, incx);
}
cublasStatus_t V2(tpmv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                        int n, const T *AP, T *x, int incx)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || incx == 0, n == 0);
    return multiply_triangle(handle, triangle(AP, n, 0, 0, uplo, trans, diag), x, incx);
}
cublasStatus_t V2(tpsv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                        int n, const T *AP, T *x, int incx)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || incx == 0, n == 0);
    return solve(handle, triangle(AP, n, 0, 0, uplo, trans, diag), x, incx);
}
cublasStatus_t ONE(tpttr)(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *AP, T *A, int lda)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || lda < at_least_one(n), n == 0);
    return launch(handle, grid_of(n), dim3(32, 8), copy_triangle<T>, half_stored(AP, n, 0, 0, TRIANGULAR, uplo),
                  (T *)AP, A, lda, false);
}
cublasStatus_t ONE(trttp)(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *A, int lda, T *AP)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || lda < at_least_one(n), n == 0);
    return launch(handle, grid_of(n), dim3(32, 8), copy_triangle<T>,
                  half_stored((const T *)AP, n, 0, 0, TRIANGULAR, uplo), AP, (T *)A, lda, true);
}

// Symmetric matrices of real numbers are what hermitian ones are of complex numbers.
#ifdef LOCKSTEP_BY_REAL
#define SHAPE HERMITIAN
#define BAND(name) V2(hb##name)
#define PACKED(name) V2(hp##name)
#else
#define SHAPE SYMMETRIC
#define BAND(name) V2(sb##name)
#define PACKED(name) V2(sp##name)
#endif
cublasStatus_t BAND(mv)(cublasHandle_t handle, cublasFillMode_t uplo, int n, int k, const T *alpha, const T *A, int lda,
                        const T *x, int incx, const T *beta, T *y, int incy)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || k < 0 || lda < k + 1 || incx == 0 || incy == 0, n == 0);
    return multiply(handle, half_stored(A, n, k, lda, SHAPE, uplo), alpha, x, incx, beta, y, incy);
}
cublasStatus_t PACKED(mv)(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *alpha, const T *AP, const T *x,
                          int incx, const T *beta, T *y, int incy)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || incx == 0 || incy == 0, n == 0);
    return multiply(handle, half_stored(AP, n, 0, 0, SHAPE, uplo), alpha, x, incx, beta, y, incy);
}
cublasStatus_t PACKED(r)(cublasHandle_t handle, cublasFillMode_t uplo, int n, const R *alpha, const T *x, int incx,
                         T *AP)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return add_outer(handle, SHAPE, uplo, n, real_factor_of<T>(handle, alpha), x, incx, (const T *)NULL, 0, AP);
}
cublasStatus_t PACKED(r2)(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx,
                          const T *y, int incy, T *AP)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return add_outer(handle, SHAPE, uplo, n, factor_of(handle, alpha), x, incx, y, incy, AP);
}
#undef SHAPE
#undef BAND
#undef PACKED

#undef T
#undef R
#undef V2
#undef ONE

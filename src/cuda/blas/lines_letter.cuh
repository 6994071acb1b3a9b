// A matrix and vectors of one type: included once for each.
#define T LOCKSTEP_T
#define R LOCKSTEP_R
#define V2(name) LOCKSTEP_BLAS_V2(LOCKSTEP_L, name)
#define ONE(name) LOCKSTEP_BLAS_NAME(LOCKSTEP_L, name)

cublasStatus_t V2(gemv)(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T *alpha, const T *A,
                        int lda, const T *x, int incx, const T *beta, T *y, int incy)
{
    return multiply_general(handle, whole(A, lda, trans), m, n, alpha, vectors_of<const T>{x, NULL, 0, 0, incx}, beta,
                            vectors_of<T>{y, NULL, 0, 0, incy}, 1);
}
cublasStatus_t ONE(gemvBatched)(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T *alpha,
                                const T *const Aarray[], int lda, const T *const xarray[], int incx, const T *beta,
                                T *const yarray[], int incy, int batchCount)
{
    operand<T> a = whole((const T *)NULL, lda, trans);
    a.many = Aarray;
    return multiply_general(handle, a, m, n, alpha, vectors_of<const T>{NULL, xarray, 0, 0, incx}, beta,
                            vectors_of<T>{NULL, yarray, 0, 0, incy}, batchCount);
}
cublasStatus_t ONE(gemvStridedBatched)(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T *alpha,
                                       const T *A, int lda, long long int strideA, const T *x, int incx,
                                       long long int stridex, const T *beta, T *y, int incy, long long int stridey,
                                       int batchCount)
{
    operand<T> a = whole(A, lda, trans);
    a.stride = strideA;
    return multiply_general(handle, a, m, n, alpha, vectors_of<const T>{x, NULL, stridex, 0, incx}, beta,
                            vectors_of<T>{y, NULL, stridey, 0, incy}, batchCount);
}
cublasStatus_t V2(symv)(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *alpha, const T *A, int lda,
                        const T *x, int incx, const T *beta, T *y, int incy)
{
    return multiply_half(handle, half_of(A, lda, SYMMETRIC, uplo), n, alpha, x, incx, beta, y, incy);
}
cublasStatus_t V2(trmv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                        int n, const T *A, int lda, T *x, int incx)
{
    return multiply_triangle(handle, triangle(A, lda, uplo, trans, diag), n, x, incx);
}
cublasStatus_t V2(trsv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                        int n, const T *A, int lda, T *x, int incx)
{
    return solve(handle, triangle(A, lda, uplo, trans, diag), n, x, incx);
}
cublasStatus_t V2(syr)(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, T *A,
                       int lda)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return add_half(handle, uplo, n, factor_of(handle, alpha), x, incx, (const T *)NULL, 0, A, lda, false);
}
cublasStatus_t V2(syr2)(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx,
                        const T *y, int incy, T *A, int lda)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return add_half(handle, uplo, n, factor_of(handle, alpha), x, incx, y, incy, A, lda, false);
}

#ifdef LOCKSTEP_BY_REAL
cublasStatus_t V2(geru)(cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy,
                        T *A, int lda)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return add_product(handle, m, n, factor_of(handle, alpha), x, incx, y, incy, A, lda, false);
}
cublasStatus_t V2(gerc)(cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy,
                        T *A, int lda)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return add_product(handle, m, n, factor_of(handle, alpha), x, incx, y, incy, A, lda, true);
}
cublasStatus_t V2(hemv)(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *alpha, const T *A, int lda,
                        const T *x, int incx, const T *beta, T *y, int incy)
{
    return multiply_half(handle, half_of(A, lda, HERMITIAN, uplo), n, alpha, x, incx, beta, y, incy);
}
cublasStatus_t V2(her)(cublasHandle_t handle, cublasFillMode_t uplo, int n, const R *alpha, const T *x, int incx, T *A,
                       int lda)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return add_half(handle, uplo, n, real_factor_of<T>(handle, alpha), x, incx, (const T *)NULL, 0, A, lda, true);
}
cublasStatus_t V2(her2)(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx,
                        const T *y, int incy, T *A, int lda)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return add_half(handle, uplo, n, factor_of(handle, alpha), x, incx, y, incy, A, lda, true);
}
#else
cublasStatus_t V2(ger)(cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy,
                       T *A, int lda)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    return add_product(handle, m, n, factor_of(handle, alpha), x, incx, y, incy, A, lda, false);
}
#endif

#undef T
#undef R
#undef V2
#undef ONE

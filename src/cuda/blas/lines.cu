// Level 2: a matrix and vectors.
#include "lines.cuh"

using namespace lockstep_blas;

template <class T>
static cublasStatus_t multiply(cublasHandle_t handle, const operand<T> &a, int rows, int columns, const T *alpha,
                               const vectors_of<const T> &x, const T *beta, const vectors_of<T> &y, int batch)
{
    line_product<T> p = {rows, columns, batch, scalar_of(handle, alpha), scalar_of(handle, beta), a, x, y};
    return run_line_product(handle, p);
}
template <class T>
static cublasStatus_t multiply_general(cublasHandle_t handle, operand<T> a, int m, int n, const T *alpha,
                                       vectors_of<const T> x, const T *beta, vectors_of<T> y, int batch)
{
    LOCKSTEP_BLAS_BEGIN(handle, m < 0 || n < 0 || batch < 0 || a.ld < at_least_one(m) || x.step == 0 || y.step == 0,
                        m == 0 || n == 0 || batch == 0);
    x.n = a.transposed ? m : n;
    y.n = a.transposed ? n : m;
    return multiply(handle, a, y.n, x.n, alpha, x, beta, y, batch);
}
template <class T>
static cublasStatus_t multiply_half(cublasHandle_t handle, const operand<T> &a, int n, const T *alpha, const T *x,
                                    int incx, const T *beta, T *y, int incy)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || a.ld < at_least_one(n) || incx == 0 || incy == 0, n == 0);
    return multiply(handle, a, n, n, alpha, vectors_of<const T>{x, NULL, 0, n, incx}, beta,
                    vectors_of<T>{y, NULL, 0, n, incy}, 1);
}
template <class T>
static cublasStatus_t add_product(cublasHandle_t handle, int m, int n, factor<T> alpha, const T *x, int incx,
                                  const T *y, int incy, T *a, int lda, bool conjugated)
{
    LOCKSTEP_BLAS_BEGIN(handle, m < 0 || n < 0 || lda < at_least_one(m) || incx == 0 || incy == 0, m == 0 || n == 0);
    outer_product<T> p = {m,          n,     alpha, elements(x, m, incx),  elements(y, n, incy),
                          conjugated, false, false, CUBLAS_FILL_MODE_FULL, a,
                          lda};
    return run_outer(handle, p);
}
// y is NULL where there is x alone.
template <class T>
static cublasStatus_t add_half(cublasHandle_t handle, cublasFillMode_t uplo, int n, factor<T> alpha, const T *x,
                               int incx, const T *y, int incy, T *a, int lda, bool hermitian)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || lda < at_least_one(n) || incx == 0 || (y && incy == 0), n == 0);
    outer_product<T> p = {n,
                          n,
                          alpha,
                          elements(x, n, incx),
                          y ? elements(y, n, incy) : elements(x, n, incx),
                          hermitian,
                          y != NULL,
                          hermitian,
                          uplo,
                          a,
                          lda};
    return run_outer(handle, p);
}
template <class T>
static operand<T> triangle(const T *a, int lda, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag)
{
    operand<T> t = half_of(a, lda, TRIANGULAR, uplo);
    t.transposed = trans != CUBLAS_OP_N;
    t.conjugated = trans == CUBLAS_OP_C;
    t.unit = diag == CUBLAS_DIAG_UNIT;
    return t;
}
// x = op(A) x by way of a copy of x.
template <class T>
static cublasStatus_t multiply_triangle(cublasHandle_t handle, const operand<T> &a, int n, T *x, int incx)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || a.ld < at_least_one(n) || incx == 0, n == 0);
    const size_t step = sizeof(T) * (incx < 0 ? -incx : incx);
    T *copy = (T *)room_for(handle, sizeof(T) * n);
    if (!copy)
        return CUBLAS_STATUS_ALLOC_FAILED;
    if (cudaMemcpy2DAsync(copy, sizeof(T), x, step, sizeof(T), n, cudaMemcpyDeviceToDevice, handle->stream))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    line_product<T> p = {};
    p.rows = p.columns = n;
    p.batch = 1;
    p.alpha = constant(make<T>(1));
    p.a = a;
    p.x = vectors_of<const T>{copy, NULL, 0, n, incx < 0 ? -1 : 1};
    p.y = vectors_of<T>{x, NULL, 0, n, incx};
    return run_line_product(handle, p);
}
template <class T> static cublasStatus_t solve(cublasHandle_t handle, const operand<T> &a, int n, T *x, int incx)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || a.ld < at_least_one(n) || incx == 0, n == 0);
    return launch(handle, 1, 256, solve_line<T>, n, a, a.lower != a.transposed, elements(x, n, incx));
}

#define LOCKSTEP_LETTERS "../blas/lines_letter.cuh"
#include "../kernels/letters.cuh"

// Level 2 of matrices that are stored as a band or as a packed triangle.
#include "packed.cuh"

using namespace lockstep_blas;

template <class T>
static cublasStatus_t multiply(cublasHandle_t handle, const stored<T> &a, const T *alpha, const T *x, int incx,
                               const T *beta, T *y, int incy)
{
    return launch(handle, blocks_for(a.height(), 128), 128, multiply_stored<T>, a, scalar_of(handle, alpha),
                  elements(x, a.width(), incx), scalar_of(handle, beta), elements(y, a.height(), incy));
}

// A square matrix of which half is stored, with k diagonals beside the main one; ld 0: packed.
template <class T> static stored<T> half_stored(const T *at, int n, int k, int ld, form shape, cublasFillMode_t uplo)
{
    const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
    return stored<T>{at, n, n, lower ? k : 0, lower ? 0 : k, ld, shape, lower, false, false, false};
}
template <class T>
static stored<T> triangle(const T *at, int n, int k, int ld, cublasFillMode_t uplo, cublasOperation_t trans,
                          cublasDiagType_t diag)
{
    stored<T> a = half_stored(at, n, k, ld, TRIANGULAR, uplo);
    a.unit = diag == CUBLAS_DIAG_UNIT;
    a.transposed = trans != CUBLAS_OP_N;
    a.conjugated = trans == CUBLAS_OP_C;
    return a;
}

// x = op(A) x by way of a copy of x.
template <class T> static cublasStatus_t multiply_triangle(cublasHandle_t handle, const stored<T> &a, T *x, int incx)
{
    const int n = a.columns;
    T *copy = (T *)room_for(handle, sizeof(T) * n);
    if (!copy)
        return CUBLAS_STATUS_ALLOC_FAILED;
    if (cudaMemcpy2DAsync(copy, sizeof(T), x, sizeof(T) * (incx < 0 ? -incx : incx), sizeof(T), n,
                          cudaMemcpyDeviceToDevice, handle->stream))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return launch(handle, blocks_for(n, 128), 128, multiply_stored<T>, a, constant(make<T>(1)),
                  elements((const T *)copy, n, incx < 0 ? -1 : 1), constant(T()), elements(x, n, incx));
}
template <class T> static cublasStatus_t solve(cublasHandle_t handle, const stored<T> &a, T *x, int incx)
{
    return launch(handle, 1, 256, solve_stored<T>, a, a.lower != a.transposed, elements(x, a.columns, incx));
}

static dim3 grid_of(int n)
{
    const unsigned columns = blocks_for(n, 8);
    return dim3(blocks_for(n, 32), columns < 65535 ? columns : 65535);
}
// y is NULL where there is x alone.
template <class T>
static cublasStatus_t add_outer(cublasHandle_t handle, form shape, cublasFillMode_t uplo, int n, factor<T> alpha,
                                const T *x, int incx, const T *y, int incy, T *packed)
{
    LOCKSTEP_BLAS_BEGIN(handle, n < 0 || incx == 0 || (y && incy == 0), n == 0);
    const vector_of<const T> of_x = elements(x, n, incx), of_y = y ? elements(y, n, incy) : of_x;
    return launch(handle, grid_of(n), dim3(32, 8), add_packed<T>, half_stored((const T *)packed, n, 0, 0, shape, uplo),
                  packed, alpha, of_x, of_y, y != NULL);
}

#define LOCKSTEP_LETTERS "../blas/packed_letter.cuh"
#include "../kernels/letters.cuh"

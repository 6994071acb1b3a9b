// Kernels of many small matrices, one block each: their factors, their inverses, systems of equations.
#pragma once

#include "../kernels/pivots.cuh"
#include "context.cuh"

namespace lockstep_blas
{

static const int small_threads = 64;

// P A = L U in the place of A. pivots: row k was exchanged with row pivots[k] - 1; NULL: none is. *info: the first
// pivot that is 0, counted from 1, or 0.
template <class T> __device__ void factorize(int n, T *a, int lda, int *pivots, int *info)
{
    int first_zero = 0;
    for (int k = 0; k < n; k++) {
        if (pivots) {
            const int row = pivot_row<small_threads>(a, lda, n, k);
            if (threadIdx.x == 0)
                pivots[k] = row + 1;
            swap_rows(a, lda, n, k, row);
        }
        const T pivot = a[k + (long long)k * lda];
        if (is_zero(pivot)) {
            first_zero = first_zero ? first_zero : k + 1;
            continue; // all threads do
        }
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            a[i + (long long)k * lda] = a[i + (long long)k * lda] / pivot;
        __syncthreads();
        const int left = n - 1 - k;
        for (int e = threadIdx.x; e < left * left; e += blockDim.x) {
            const long long i = k + 1 + e % left, j = k + 1 + e / left;
            a[i + j * lda] = a[i + j * lda] - a[i + (long long)k * lda] * a[k + j * lda];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *info = first_zero;
}
template <class T> __global__ void factorize_all(int n, T *const *many, int lda, int *pivots, int *info, int batch)
{
    for (int z = blockIdx.x; z < batch; z += gridDim.x)
        factorize(n, many[z], lda, pivots ? pivots + (long long)z * n : NULL, &info[z]);
}

// Solves op(L U) x = b for one right-hand side by one thread, b with its rows exchanged already.
template <class T> __device__ void solve_factors(int n, const T *lu, int lda, T *b, bool transposed, bool conjugated)
{
    for (int i = 0; i < n; i++) {
        T rest = b[i];
        for (int k = 0; k < i; k++)
            rest =
                rest -
                conjugate_if(transposed ? lu[k + (long long)i * lda] : lu[i + (long long)k * lda], conjugated) * b[k];
        b[i] = transposed ? rest / conjugate_if(lu[i + (long long)i * lda], conjugated) : rest;
    }
    for (int i = n - 1; i >= 0; i--) {
        T rest = b[i];
        for (int k = i + 1; k < n; k++)
            rest =
                rest -
                conjugate_if(transposed ? lu[k + (long long)i * lda] : lu[i + (long long)k * lda], conjugated) * b[k];
        b[i] = transposed ? rest : rest / lu[i + (long long)i * lda];
    }
}

// op(A) X = B for A by its factors.
template <class T>
__global__ void solve_all(int n, int sides, const T *const *many, int lda, const int *pivots, T *const *many_b, int ldb,
                          int batch, bool transposed, bool conjugated)
{
    for (int z = blockIdx.x; z < batch; z += gridDim.x) {
        T *b = many_b[z];
        const int *rows = pivots ? pivots + (long long)z * n : NULL;
        for (int k = 0; k < n && rows && !transposed; k++)
            swap_rows(b, ldb, sides, k, rows[k] - 1);
        for (int j = threadIdx.x; j < sides; j += blockDim.x)
            solve_factors(n, many[z], lda, b + (long long)j * ldb, transposed, conjugated);
        __syncthreads();
        for (int k = n - 1; k >= 0 && rows && transposed; k--)
            swap_rows(b, ldb, sides, k, rows[k] - 1);
    }
}

// The inverse from the factors: column j is the solution for unit vector j.
template <class T> __device__ void invert(int n, const T *lu, int lda, const int *rows, T *inverse, int ldi)
{
    for (int e = threadIdx.x; e < n * n; e += blockDim.x)
        inverse[e % n + (long long)(e / n) * ldi] = make<T>(e % n == e / n ? 1 : 0);
    __syncthreads();
    for (int k = 0; k < n && rows; k++)
        swap_rows(inverse, ldi, n, k, rows[k] - 1);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        solve_factors(n, lu, lda, inverse + (long long)j * ldi, false, false);
    __syncthreads();
}
template <class T>
__global__ void invert_factors(int n, const T *const *many, int lda, const int *pivots, T *const *inverses, int ldi,
                               int *info, int batch)
{
    for (int z = blockIdx.x; z < batch; z += gridDim.x) {
        int first_zero = 0;
        for (int k = n - 1; k >= 0; k--)
            if (is_zero(many[z][k + (long long)k * lda]))
                first_zero = k + 1;
        if (threadIdx.x == 0)
            info[z] = first_zero;
        if (!first_zero)
            invert(n, many[z], lda, pivots ? pivots + (long long)z * n : NULL, inverses[z], ldi);
    }
}
// The inverse of matrices of up to 32 rows, which are factorized in shared memory.
static const int small_most = 32;
template <class T>
__global__ void invert_all(int n, const T *const *many, int lda, T *const *inverses, int ldi, int *info, int batch)
{
    __shared__ T lu[small_most * small_most];
    __shared__ int rows[small_most], zero;
    for (int z = blockIdx.x; z < batch; z += gridDim.x) {
        __syncthreads();
        for (int e = threadIdx.x; e < n * n; e += blockDim.x)
            lu[e] = many[z][e % n + (long long)(e / n) * lda];
        __syncthreads();
        factorize(n, lu, n, rows, &zero);
        __syncthreads();
        if (threadIdx.x == 0)
            info[z] = zero;
        if (!zero)
            invert(n, lu, n, rows, inverses[z], ldi);
    }
}

} // namespace lockstep_blas

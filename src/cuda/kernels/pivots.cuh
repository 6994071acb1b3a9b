// Rows exchanged in a matrix of columns, by one block.
#pragma once

#include "numbers.cuh"

namespace lockstep_kernels
{

// The row, from k on, of the largest element in column k: by all threads, for all threads.
template <int threads, class T> __device__ int pivot_row(const T *a, int lda, int n, int k)
{
    typedef typename number<T>::real real;
    __shared__ real sizes[threads];
    __shared__ int rows[threads];
    real best = -1;
    int row = k;
    for (int i = k + threadIdx.x; i < n; i += blockDim.x) {
        const real size = magnitude(a[i + (long long)k * lda]);
        if (size > best) {
            best = size;
            row = i;
        }
    }
    __syncthreads();
    sizes[threadIdx.x] = best;
    rows[threadIdx.x] = row;
    for (unsigned half = threads / 2; half; half /= 2) {
        __syncthreads();
        const unsigned other = threadIdx.x + half;
        if (threadIdx.x < half && (sizes[other] > sizes[threadIdx.x] ||
                                   (sizes[other] == sizes[threadIdx.x] && rows[other] < rows[threadIdx.x]))) {
            sizes[threadIdx.x] = sizes[other];
            rows[threadIdx.x] = rows[other];
        }
    }
    __syncthreads();
    return rows[0];
}
template <class T> __device__ void swap_rows(T *a, int lda, int columns, int r, int s)
{
    for (int j = threadIdx.x; j < columns && r != s; j += blockDim.x) {
        T *at = a + (long long)j * lda, old = at[r];
        at[r] = at[s];
        at[s] = old;
    }
    __syncthreads();
}

} // namespace lockstep_kernels

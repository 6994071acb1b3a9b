// Kernels of a matrix and vectors.
#pragma once

#include "gemm.cuh"

namespace lockstep_blas
{

// Vectors of a batch: their elements, or where to find them.
template <class T> struct vectors_of {
    T *one;
    T *const *many;
    long long stride;
    int n, step;
    __device__ vector_of<T> get(long long z) const
    {
        return elements(many ? many[z] : one + z * stride, n, step);
    }
};

// y = alpha op(A) x + beta y, of `rows` by `columns` as op(A) has them.
template <class T> struct line_product {
    int rows, columns, batch;
    scalar<T> alpha, beta;
    operand<T> a;
    vectors_of<const T> x;
    vectors_of<T> y;
    __device__ void put(const vector_of<T> &to, int row, T sum) const
    {
        const T by = beta.get(), value = alpha.get() * sum;
        to[row] = is_zero(by) ? value : multiply_add(by, to[row], value);
    }
};

// A thread has a row: threads next to each other read rows next to each other.
template <class T> __global__ void multiply_rows(line_product<T> p)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int z = blockIdx.y; z < p.batch && row < p.rows; z += gridDim.y) {
        const T *a = p.a.matrix(z);
        const vector_of<const T> x = p.x.get(z);
        T sum = T();
        for (int k = 0; k < p.columns; k++)
            sum = multiply_add(p.a.get(a, row, k), x[k], sum);
        p.put(p.y.get(z), row, sum);
    }
}
// A block has a row, which is a column as the matrix lies.
static const int line_threads = 128;
template <class T> __global__ void multiply_columns(line_product<T> p)
{
    __shared__ T all[line_threads];
    const int row = blockIdx.x;
    for (int z = blockIdx.y; z < p.batch; z += gridDim.y) {
        const T *a = p.a.matrix(z);
        const vector_of<const T> x = p.x.get(z);
        T sum = T();
        for (int k = threadIdx.x; k < p.columns; k += blockDim.x)
            sum = multiply_add(p.a.get(a, row, k), x[k], sum);
        all[threadIdx.x] = sum;
        for (unsigned half = line_threads / 2; half; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half)
                all[threadIdx.x] = all[threadIdx.x] + all[threadIdx.x + half];
        }
        if (threadIdx.x == 0)
            p.put(p.y.get(z), row, all[0]);
        __syncthreads();
    }
}
template <class T> cublasStatus_t run_line_product(cublasHandle_t handle, const line_product<T> &p)
{
    const unsigned deep = p.batch < 65535 ? p.batch : 65535;
    if (p.a.shape == FULL && p.a.transposed)
        return launch(handle, dim3(p.rows, deep), line_threads, multiply_columns<T>, p);
    return launch(handle, dim3(blocks_for(p.rows, line_threads), deep), line_threads, multiply_rows<T>, p);
}

// A += alpha x y', and alpha' y x' where `both`: of a whole matrix or of a triangle.
template <class T> struct outer_product {
    int m, n;
    factor<T> alpha;
    vector_of<const T> x, y;
    bool conjugated, both, real_diagonal;
    cublasFillMode_t part;
    T *a;
    int lda;
};
template <class T> __global__ void add_outer(outer_product<T> p)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const T alpha = p.alpha.get();
    for (int j = blockIdx.y * blockDim.y + threadIdx.y; i < p.m && j < p.n; j += gridDim.y * blockDim.y) {
        if (p.part != CUBLAS_FILL_MODE_FULL && (p.part == CUBLAS_FILL_MODE_LOWER ? i < j : i > j))
            continue;
        T *at = &p.a[i + (long long)j * p.lda];
        T sum = multiply_add(alpha * p.x[i], conjugate_if(p.y[j], p.conjugated), *at);
        if (p.both)
            sum = multiply_add(conjugate_if(alpha, p.conjugated) * p.y[i], conjugate_if(p.x[j], p.conjugated), sum);
        *at = p.real_diagonal && i == j ? real_part(sum) : sum;
    }
}
template <class T> cublasStatus_t run_outer(cublasHandle_t handle, const outer_product<T> &p)
{
    const unsigned rows = blocks_for(p.m, 32), columns = blocks_for(p.n, 8);
    return launch(handle, dim3(rows, columns < 65535 ? columns : 65535), dim3(32, 8), add_outer<T>, p);
}

// Solves T x = b in x by one block: an unknown at a time, whose part in all other equations is taken away at once.
template <class T> __global__ void solve_line(int n, operand<T> a, bool lower, vector_of<T> x)
{
    for (int step = 0; step < n; step++) {
        const int k = lower ? step : n - 1 - step;
        if (threadIdx.x == 0 && !a.unit)
            x[k] = x[k] / a.get(a.one, k, k);
        __syncthreads();
        const T known = x[k];
        for (int other = threadIdx.x; other < n - 1 - step; other += blockDim.x) {
            const int r = lower ? k + 1 + other : other;
            x[r] = x[r] - a.get(a.one, r, k) * known;
        }
        __syncthreads();
    }
}

} // namespace lockstep_blas

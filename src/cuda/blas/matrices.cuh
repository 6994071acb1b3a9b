// Kernels of matrices beside the product: sums of two, products with a diagonal, and triangles of 32 rows that are
// solved.
#pragma once

#include "gemm.cuh"

namespace lockstep_blas
{

// C = alpha op(A) + beta op(B), where each is read only if its factor is not 0.
template <class T>
__global__ void add_matrices(int m, int n, scalar<T> alpha, operand<T> a, scalar<T> beta, operand<T> b, T *c, int ldc)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const T by_a = alpha.get(), by_b = beta.get();
    for (int j = blockIdx.y * blockDim.y + threadIdx.y; i < m && j < n; j += gridDim.y * blockDim.y) {
        T sum = is_zero(by_a) ? T() : by_a * a.get(a.one, i, j);
        if (!is_zero(by_b))
            sum = multiply_add(by_b, b.get(b.one, i, j), sum);
        c[i + (long long)j * ldc] = sum;
    }
}

// C = diag(x) A, or A diag(x).
template <class T>
__global__ void scale_lines(int m, int n, bool rows, const T *a, int lda, vector_of<const T> x, T *c, int ldc)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = blockIdx.y * blockDim.y + threadIdx.y; i < m && j < n; j += gridDim.y * blockDim.y)
        c[i + (long long)j * ldc] = a[i + (long long)j * lda] * x[rows ? i : j];
}
template <class T> __global__ void scale_batch(int m, int n, int batch, scalar<T> alpha, operand<T> b, T *const *many)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const T by = alpha.get();
    for (int z = blockIdx.z; z < batch; z += gridDim.z) {
        T *to = many ? many[z] : (T *)b.one;
        for (int j = blockIdx.y * blockDim.y + threadIdx.y; i < m && j < n; j += gridDim.y * blockDim.y) {
            const long long at = i + j * b.ld;
            to[at] = is_zero(by) ? T() : by * to[at];
        }
    }
}

inline dim3 grid_of(int m, int n, int batch = 1)
{
    const unsigned rows = blocks_for(m, 32), columns = blocks_for(n, 8);
    return dim3(rows, columns < 65535 ? columns : 65535, batch < 65535 ? batch : 65535);
}
static const dim3 tile(32, 8);

// ---- triangular systems. T x = b for `sides` columns b at once, or rows where the unknowns lie along them. `lower`:
// unknowns are found from the first on. A thread has one right-hand side, `count` unknowns of it from `from` on.
static const int solve_rows = 32, solve_threads = 32;

template <class T> struct system_of {
    operand<T> a; // the triangle, so that element (r, k) is unknown k's factor in equation r
    T *b;
    T *const *many_b;
    long long unknown_step, side_step;
    int sides, batch;
    bool lower;
};
template <class T> __global__ void solve_triangle(system_of<T> s, int from, int count)
{
    __shared__ T factors[solve_rows][solve_rows + 1], unknowns[solve_rows][solve_threads];
    const int side = blockIdx.x * blockDim.x + threadIdx.x;
    for (int z = blockIdx.y; z < s.batch; z += gridDim.y) {
        const T *a = s.a.matrix(z);
        __syncthreads();
        for (int e = threadIdx.x; e < count * count; e += blockDim.x)
            factors[e / count][e % count] = s.a.get(a, from + e / count, from + e % count);
        __syncthreads();
        if (side >= s.sides)
            continue;
        T *b = (s.many_b ? s.many_b[z] : s.b) + side * s.side_step + from * s.unknown_step;
        for (int step = 0; step < count; step++) {
            const int r = s.lower ? step : count - 1 - step;
            T rest = b[r * s.unknown_step];
            for (int k = s.lower ? 0 : r + 1; k < (s.lower ? r : count); k++)
                rest = rest - factors[r][k] * unknowns[k][threadIdx.x];
            b[r * s.unknown_step] = unknowns[r][threadIdx.x] = rest / factors[r][r];
        }
    }
}

// Solves block by block: what a block's unknowns add to the other equations is a product of matrices.
template <class T> cublasStatus_t solve_system(cublasHandle_t handle, const system_of<T> &s, int unknowns, bool left)
{
    typedef typename number<T>::sum S;
    const dim3 grid(blocks_for(s.sides, solve_threads), s.batch < 65535 ? s.batch : 65535);
    for (int done = 0; done < unknowns; done += solve_rows) {
        const int count = unknowns - done < solve_rows ? unknowns - done : solve_rows;
        const int from = s.lower ? done : unknowns - done - count, rest = unknowns - done - count;
        cublasStatus_t status = launch(handle, grid, solve_threads, solve_triangle<T>, s, from, count);
        if (status || !rest)
            return status;
        const int other = s.lower ? from + count : 0; // the first equation that is not solved yet
        operand<T> factors = s.a, known_part = whole((const T *)s.b, left ? s.side_step : s.unknown_step);
        // The block of factors has no part of the diagonal: it is whole. From the right, its transpose is the operand.
        factors.shape = FULL;
        factors.offset = factors.transposed ? from + other * factors.ld : other + from * factors.ld;
        known_part.many = (const T *const *)s.many_b;
        known_part.offset = from * s.unknown_step;
        if (!left)
            factors.transposed = !factors.transposed;
        product<T, T, S> p = left ? product_of(rest, s.sides, count, known(make<S>(-1)), factors, known_part,
                                               known(make<S>(1)), s.b, s.side_step)
                                  : product_of(s.sides, rest, count, known(make<S>(-1)), known_part, factors,
                                               known(make<S>(1)), s.b, s.unknown_step);
        p.batch = s.batch;
        p.many_d = s.many_b;
        p.c.many = (const T *const *)s.many_b;
        p.c.offset = other * s.unknown_step;
        if ((status = run_product(handle, p)))
            return status;
    }
    return CUBLAS_STATUS_SUCCESS;
}

} // namespace lockstep_blas

// Products of matrices. One kernel makes all of them: D = alpha op(A) op(B) + beta C, where an operand may be whole,
// symmetric or triangular, and the result whole or a triangle. Matrices lie in columns.
#pragma once

#include "context.cuh"

namespace lockstep_blas
{

// FULL: all elements are there. Of the others those of one triangle are; the rest are the same mirrored (and
// conjugated), or 0.
enum form { FULL, SYMMETRIC, HERMITIAN, TRIANGULAR };

// A matrix, or as many as there are in a batch, with what is to be read in its place.
template <class T> struct operand {
    const T *one;
    const T *const *many; // in the place of `one`, which is then NULL
    long long stride;     // from one matrix of a batch to the next, without `many`
    long long ld;
    long long offset; // of the first element in each
    bool transposed, conjugated;
    form shape;
    bool lower, unit; // of those that are not FULL: the triangle that is there; whether its diagonal counts as 1

    __device__ const T *matrix(long long z) const
    {
        return (many ? many[z] : one + z * stride) + offset;
    }
    // Element (i, j) of op(matrix).
    __device__ T get(const T *matrix, long long i, long long j) const
    {
        if (transposed) {
            long long k = i;
            i = j;
            j = k;
        }
        if (shape == FULL)
            return conjugate_if(matrix[i + j * ld], conjugated);
        const bool there = lower ? i >= j : i <= j;
        if (shape == TRIANGULAR) {
            if (unit && i == j)
                return make<T>(1);
            return there ? conjugate_if(matrix[i + j * ld], conjugated) : T();
        }
        const T value = there ? matrix[i + j * ld] : matrix[j + i * ld];
        if (shape == HERMITIAN)
            return i == j ? real_part(value) : conjugate_if(value, there == conjugated);
        return conjugate_if(value, conjugated);
    }
};
template <class T> inline operand<T> whole(const T *matrix, long long ld, cublasOperation_t op = CUBLAS_OP_N)
{
    operand<T> a = {};
    a.one = matrix;
    a.ld = ld;
    a.transposed = op == CUBLAS_OP_T || op == CUBLAS_OP_C;
    a.conjugated = op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG;
    return a;
}
template <class T> inline operand<T> half_of(const T *matrix, long long ld, form shape, cublasFillMode_t uplo)
{
    operand<T> a = whole(matrix, ld);
    a.shape = shape;
    a.lower = uplo == CUBLAS_FILL_MODE_LOWER;
    return a;
}

// alpha and beta: on the host or on the device, where they may be of another type than sums are: halves, or the real
// part alone.
template <class S> struct factor {
    S value;
    const S *at;
    const __half *half_at;
    const typename number<S>::real *real_at;
    bool conjugated;
    __device__ S get() const
    {
        if (half_at)
            return make<S>(__half2float(*half_at));
        return real_at ? make<S>(*real_at) : conjugate_if(at ? *at : value, conjugated);
    }
};
template <class S> inline factor<S> known(S value)
{
    factor<S> f = {};
    f.value = value;
    return f;
}
template <class S> inline factor<S> factor_of(cublasHandle_t handle, const S *p)
{
    const scalar<S> s = scalar_of(handle, p);
    factor<S> f = known(s.value);
    f.at = s.at;
    return f;
}
inline factor<float> factor_of(cublasHandle_t handle, const __half *p)
{
    const bool on_host = handle->pointer_mode == CUBLAS_POINTER_MODE_HOST;
    factor<float> f = known(on_host ? __half2float(*p) : 0.0f);
    f.half_at = on_host ? NULL : p;
    return f;
}

// A real factor of complex numbers.
template <class S> inline factor<S> real_factor_of(cublasHandle_t handle, const typename number<S>::real *p)
{
    const bool on_host = handle->pointer_mode == CUBLAS_POINTER_MODE_HOST;
    factor<S> f = known(on_host ? make<S>(*p) : S());
    f.real_at = on_host ? NULL : p;
    return f;
}

// A: elements of both operands. C: of the result. S: of sums.
template <class A, class C, class S> struct product {
    int m, n, k, batch;
    factor<S> alpha, beta;
    operand<A> a, b;
    operand<C> c; // read where beta is not 0
    C *d;         // and written, as c lies
    C *const *many_d;
    cublasFillMode_t part; // of the result: CUBLAS_FILL_MODE_FULL, or a triangle
    bool real_diagonal;    // of the result

    __device__ C *result(long long z) const
    {
        return (many_d ? many_d[z] : d + z * c.stride) + c.offset;
    }
    __device__ bool wanted(int i, int j) const
    {
        return i < m && j < n && (part == CUBLAS_FILL_MODE_FULL || (part == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j));
    }
};

// What becomes of a value before it is rounded: nothing here, a bias and a function in cublasLt.
struct as_it_is {
    template <class S> __device__ S operator()(S value, int, int, int) const
    {
        return value;
    }
};

static const int gemm_side = 16, gemm_depth = 16; // threads of a block along each side; steps of k between barriers

// A part of op(A) in shared memory: `Rows` rows from `row` on, gemm_depth columns from `column` on. Threads next to
// each other read elements next to each other.
template <int Rows, class A, class S>
__device__ void bring_rows(S (*to)[Rows + 1], const operand<A> &a, const A *matrix, int row, int column, int rows,
                           int columns)
{
    const int thread = threadIdx.y * gemm_side + threadIdx.x;
    for (int e = thread; e < Rows * gemm_depth; e += gemm_side * gemm_side) {
        const int i = a.transposed ? e / gemm_depth : e % Rows, k = a.transposed ? e % gemm_depth : e / Rows;
        const bool inside = row + i < rows && column + k < columns;
        to[k][i] = inside ? convert<S>(a.get(matrix, row + i, column + k)) : S();
    }
}
// The columns of op(B) in the same way, as rows of its transpose.
template <int Columns, class A, class S>
__device__ void bring_columns(S (*to)[Columns + 1], const operand<A> &b, const A *matrix, int row, int column, int rows,
                              int columns)
{
    const int thread = threadIdx.y * gemm_side + threadIdx.x;
    for (int e = thread; e < Columns * gemm_depth; e += gemm_side * gemm_side) {
        const int j = b.transposed ? e % Columns : e / gemm_depth, k = b.transposed ? e / Columns : e % gemm_depth;
        const bool inside = row + k < rows && column + j < columns;
        to[k][j] = inside ? convert<S>(b.get(matrix, row + k, column + j)) : S();
    }
}

// A block makes 16 Each by 16 Each elements of the result, a thread Each by Each of them, 16 apart.
template <class A, class C, class S, int Each, class Finish>
__global__ void __launch_bounds__(256) gemm(product<A, C, S> p, Finish finish)
{
    const int side = gemm_side * Each, tiles = (p.m + side - 1) / side;
    const int row = blockIdx.x % tiles * side, column = blockIdx.x / tiles * side;
    __shared__ S rows[gemm_depth][gemm_side * Each + 1], columns[gemm_depth][gemm_side * Each + 1];
    if ((p.part == CUBLAS_FILL_MODE_LOWER && row + side <= column) ||
        (p.part == CUBLAS_FILL_MODE_UPPER && column + side <= row))
        return;
    const S alpha = p.alpha.get(), beta = p.beta.get();
    const int depth = is_zero(alpha) ? 0 : p.k;
    for (int z = blockIdx.z; z < p.batch; z += gridDim.z) {
        S sums[Each][Each] = {};
        const A *a = depth ? p.a.matrix(z) : NULL, *b = depth ? p.b.matrix(z) : NULL;
        for (int k = 0; k < depth; k += gemm_depth) {
            bring_rows<gemm_side * Each>(rows, p.a, a, row, k, p.m, depth);
            bring_columns<gemm_side * Each>(columns, p.b, b, k, column, depth, p.n);
            __syncthreads();
#pragma unroll 4
            for (int step = 0; step < gemm_depth; step++)
#pragma unroll
                for (int i = 0; i < Each; i++)
#pragma unroll
                    for (int j = 0; j < Each; j++)
                        sums[i][j] = multiply_add(rows[step][threadIdx.x + i * gemm_side],
                                                  columns[step][threadIdx.y + j * gemm_side], sums[i][j]);
            __syncthreads();
        }
        C *d = p.result(z);
        const C *c = is_zero(beta) ? NULL : p.c.matrix(z);
#pragma unroll
        for (int j = 0; j < Each; j++)
#pragma unroll
            for (int i = 0; i < Each; i++) {
                const int at_row = row + threadIdx.x + i * gemm_side, at_column = column + threadIdx.y + j * gemm_side;
                if (!p.wanted(at_row, at_column))
                    continue;
                const long long at = at_row + at_column * p.c.ld;
                S value = alpha * sums[i][j];
                if (c)
                    value = multiply_add(beta, convert<S>(c[at]), value);
                if (p.real_diagonal && at_row == at_column)
                    value = real_part(value);
                d[at] = convert<C>(finish(value, at_row, at_column, z));
            }
    }
}

// Small results are made of small tiles, so that more than one SM has some; wide numbers fill registers sooner.
template <class A, class C, class S, class Finish>
cublasStatus_t run_product(cublasHandle_t handle, const product<A, C, S> &p, Finish finish)
{
    const int most = sizeof(S) > 4 ? 2 : 4, each = p.m >= 64 && p.n >= 64 ? most : 1;
    const unsigned blocks = blocks_for(p.m, gemm_side * each) * blocks_for(p.n, gemm_side * each);
    const dim3 grid(blocks, 1, p.batch < 65535 ? p.batch : 65535), block(gemm_side, gemm_side);
    return each > 1 ? launch(handle, grid, block, gemm<A, C, S, most, Finish>, p, finish)
                    : launch(handle, grid, block, gemm<A, C, S, 1, Finish>, p, finish);
}
template <class A, class C, class S> cublasStatus_t run_product(cublasHandle_t handle, const product<A, C, S> &p)
{
    return run_product(handle, p, as_it_is());
}

// D = alpha op(A) op(B) + beta D, whole, of one matrix each.
template <class A, class C, class S>
inline product<A, C, S> product_of(int m, int n, int k, factor<S> alpha, const operand<A> &a, const operand<A> &b,
                                   factor<S> beta, C *d, long long ld)
{
    product<A, C, S> p = {};
    p.m = m;
    p.n = n;
    p.k = k;
    p.batch = 1;
    p.alpha = alpha;
    p.beta = beta;
    p.a = a;
    p.b = b;
    p.c = whole((const C *)d, ld);
    p.d = d;
    p.part = CUBLAS_FILL_MODE_FULL;
    return p;
}

inline int at_least_one(int n)
{
    return n > 1 ? n : 1;
}
// Sizes of a product that cannot be: rows of a matrix as it lies are no more than its leading dimension.
inline bool bad_sizes(cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, int lda, int ldb,
                      int ldc)
{
    const bool plain_a = transa == CUBLAS_OP_N || transa == CUBLAS_OP_CONJG;
    const bool plain_b = transb == CUBLAS_OP_N || transb == CUBLAS_OP_CONJG;
    return m < 0 || n < 0 || k < 0 || lda < at_least_one(plain_a ? m : k) || ldb < at_least_one(plain_b ? k : n) ||
           ldc < at_least_one(m);
}

} // namespace lockstep_blas

// Matrices of which a band or a triangle alone is stored, with vectors.
#pragma once

#include "lines.cuh"

namespace lockstep_blas
{

// A matrix of n columns as it is stored: a band of `below` and `above` the diagonal, a column after the other in `ld`
// places, the diagonal's in place `above`; or, packed, one triangle's columns without gaps. Of a symmetric, hermitian
// or triangular one `lower` says which half is there.
template <class T> struct stored {
    const T *at;
    int rows, columns, below, above, ld; // ld 0: packed
    form shape;
    bool lower, unit, transposed, conjugated;

    __host__ __device__ long long place(long long i, long long j) const
    {
        if (ld)
            return above + i - j + j * ld;
        return lower ? i + j * (2LL * columns - j - 1) / 2 : i + j * (j + 1) / 2;
    }
    __device__ bool is_there(long long i, long long j) const
    {
        return ld ? j - i <= above && i - j <= below : lower ? i >= j : i <= j;
    }
    // Element (i, j) of op(matrix).
    __device__ T get(long long i, long long j) const
    {
        if (transposed) {
            const long long k = i;
            i = j;
            j = k;
        }
        if (shape == TRIANGULAR && unit && i == j)
            return make<T>(1);
        if (is_there(i, j)) {
            const T value = at[place(i, j)];
            return shape == HERMITIAN && i == j ? real_part(value) : conjugate_if(value, conjugated);
        }
        if ((shape == SYMMETRIC || shape == HERMITIAN) && is_there(j, i))
            return conjugate_if(at[place(j, i)], (shape == HERMITIAN) != conjugated);
        return T();
    }
    // Rows of op(matrix), and how far from the diagonal there may be elements in one.
    __host__ __device__ int height() const
    {
        return transposed ? columns : rows;
    }
    __host__ __device__ int width() const
    {
        return transposed ? rows : columns;
    }
    __device__ long long first(int row) const
    {
        const int far = shape == FULL || shape == TRIANGULAR ? transposed ? above : below : below + above;
        return ld && row > far ? row - far : 0;
    }
    __device__ long long end(int row) const
    {
        const long long far = shape == FULL || shape == TRIANGULAR ? transposed ? below : above : below + above;
        return ld && row + far + 1 < width() ? row + far + 1 : width();
    }
};

// y = alpha op(A) x + beta y: a thread has a row.
template <class T>
__global__ void multiply_stored(stored<T> a, scalar<T> alpha, vector_of<const T> x, scalar<T> beta, vector_of<T> y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.height())
        return;
    T sum = T();
    for (long long k = a.first(row); k < a.end(row); k++)
        sum = multiply_add(a.get(row, k), x[k], sum);
    const T by = beta.get(), value = alpha.get() * sum;
    y[row] = is_zero(by) ? value : multiply_add(by, y[row], value);
}

// Solves op(A) x = b in x by one block, as solve_line does.
template <class T> __global__ void solve_stored(stored<T> a, bool lower, vector_of<T> x)
{
    const int n = a.columns, reach = a.ld ? a.below + a.above : n;
    for (int step = 0; step < n; step++) {
        const int k = lower ? step : n - 1 - step, left = n - 1 - step < reach ? n - 1 - step : reach;
        if (threadIdx.x == 0 && !a.unit)
            x[k] = x[k] / a.get(k, k);
        __syncthreads();
        const T known = x[k];
        for (int other = threadIdx.x; other < left; other += blockDim.x) {
            const int r = lower ? k + 1 + other : k - 1 - other;
            x[r] = x[r] - a.get(r, k) * known;
        }
        __syncthreads();
    }
}

// A += alpha x y', and alpha' y x' where `both`, in a packed triangle.
template <class T>
__global__ void add_packed(stored<T> a, T *to, factor<T> alpha, vector_of<const T> x, vector_of<const T> y, bool both)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = a.columns;
    const bool conjugated = a.shape == HERMITIAN;
    const T by = alpha.get();
    for (int j = blockIdx.y * blockDim.y + threadIdx.y; i < n && j < n; j += gridDim.y * blockDim.y) {
        if (!a.is_there(i, j))
            continue;
        T sum = multiply_add(by * x[i], conjugate_if(y[j], conjugated), to[a.place(i, j)]);
        if (both)
            sum = multiply_add(conjugate_if(by, conjugated) * y[i], conjugate_if(x[j], conjugated), sum);
        to[a.place(i, j)] = conjugated && i == j ? real_part(sum) : sum;
    }
}

// Between a packed triangle and one in a whole matrix.
template <class T> __global__ void copy_triangle(stored<T> a, T *packed, T *whole, int ld, bool pack)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = a.columns;
    for (int j = blockIdx.y * blockDim.y + threadIdx.y; i < n && j < n; j += gridDim.y * blockDim.y)
        if (a.is_there(i, j)) {
            T &here = packed[a.place(i, j)], &there = whole[i + (long long)j * ld];
            if (pack)
                here = there;
            else
                there = here;
        }
}

} // namespace lockstep_blas

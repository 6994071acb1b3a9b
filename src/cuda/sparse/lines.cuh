// A sparse matrix as its kernels see it: line by line, whatever its format and whether it is transposed.
#pragma once

#include "context.cuh"

namespace lockstep_sparse
{

// Line i of `count` has the elements offsets[i] to offsets[i + 1], which lie at order[k], or at k without an order.
struct grouping {
    long long count, nnz;
    index_array offsets, others;
    const long long *order;
    __device__ long long position(long long k) const
    {
        return order ? order[k] : k;
    }
};
template <class T> struct lines : grouping {
    T *values;
    bool conjugated;
    __device__ long long begin(long long line) const
    {
        return offsets[line];
    }
    __device__ long long end(long long line) const
    {
        return offsets[line + 1];
    }
    __device__ long long other(long long k) const
    {
        return others[position(k)];
    }
    __device__ T value(long long k) const
    {
        return conjugate_if(values[position(k)], conjugated);
    }
};

// The rows of op(A), of matrix `batch`: those of the matrix itself, where its format has them, or others in the
// handle's room, which is asked for `extra` bytes besides.
cusparseStatus_t group_lines(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseOperation_t op, int batch,
                             size_t extra, grouping *to, void **extra_at);
template <class T>
cusparseStatus_t lines_of(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseOperation_t op, int batch,
                          size_t extra, lines<T> *to, void **extra_at)
{
    to->values = (T *)a->values + batch * a->values_stride;
    to->conjugated = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    return group_lines(handle, a, op, batch, extra, to, extra_at);
}

// `count` keys of [0, groups) put together, those of one key in the order in which they come.
struct groups {
    long long *offsets, *order;
};
size_t groups_bytes(long long count, long long groups);
cusparseStatus_t make_groups(cusparseHandle_t handle, index_array keys, long long count, long long n, cutter *room,
                             groups *made);

// a[0 .. n) become the sums of those before them; a[n] the sum of all.
cusparseStatus_t sum_up(cusparseHandle_t handle, long long n, long long *a);
// out[k] = the line of element k.
cusparseStatus_t expand_lines(cusparseHandle_t handle, index_array offsets, long long lines, index_array out);

// Sorts `count` things, of which less(i, j) compares two and swap(i, j) exchanges two: by a heap, in place.
template <class Less, class Swap> __device__ void sort_by(long long count, Less less, Swap swap)
{
    for (long long heaped = count / 2, left = count; left > 1;) {
        if (heaped > 0) {
            heaped--;
        } else {
            swap(0, --left);
            if (left <= 1)
                break;
        }
        for (long long at = heaped, child; (child = 2 * at + 1) < left; at = child) {
            if (child + 1 < left && less(child, child + 1))
                child++;
            if (!less(at, child))
                break;
            swap(at, child);
        }
    }
}

// ---- sums over neighbouring lanes
__device__ inline float from_lane(float v, int mask)
{
    return __shfl_xor_sync(~0u, v, mask);
}
__device__ inline double from_lane(double v, int mask)
{
    return __shfl_xor_sync(~0u, v, mask);
}
template <class C> __device__ inline C from_lane(C v, int mask)
{
    return C{from_lane(v.x, mask), from_lane(v.y, mask)};
}
template <class S> __device__ inline S sum_of_lanes(S v, int lanes)
{
    for (int mask = lanes / 2; mask; mask /= 2)
        v = v + from_lane(v, mask);
    return v;
}

} // namespace lockstep_sparse

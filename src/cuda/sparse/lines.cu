// Elements put into lines: a counting sort by atomics, whose groups are then put into their first order, so that
// results do not depend on the order in which threads come.
#include "lines.cuh"

namespace lockstep_sparse
{

static const unsigned scan_threads = 256;

__global__ void scan(long long n, long long *a)
{
    __shared__ long long part[scan_threads];
    long long carry = 0;
    for (long long base = 0; base < n; base += scan_threads) {
        const long long i = base + threadIdx.x, mine = i < n ? a[i] : 0;
        part[threadIdx.x] = mine;
        __syncthreads();
        for (unsigned far = 1; far < scan_threads; far *= 2) {
            const long long before = threadIdx.x >= far ? part[threadIdx.x - far] : 0;
            __syncthreads();
            part[threadIdx.x] += before;
            __syncthreads();
        }
        if (i < n)
            a[i] = carry + part[threadIdx.x] - mine;
        carry += part[scan_threads - 1];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        a[n] = carry;
}
cusparseStatus_t sum_up(cusparseHandle_t handle, long long n, long long *a)
{
    return launch(handle, 1, scan_threads, scan, n, a);
}

struct count_each {
    index_array keys;
    long long *counts;
    __device__ void operator()(long long k) const
    {
        atomicAdd((unsigned long long *)&counts[keys[k]], 1ull);
    }
};
struct place_each {
    index_array keys;
    const long long *offsets;
    long long *filled, *order;
    __device__ void operator()(long long k) const
    {
        const long long key = keys[k];
        order[offsets[key] + (long long)atomicAdd((unsigned long long *)&filled[key], 1ull)] = k;
    }
};
struct settle_each {
    const long long *offsets;
    long long *order;
    __device__ void operator()(long long line) const
    {
        long long *mine = order + offsets[line];
        sort_by(
            offsets[line + 1] - offsets[line], [mine](long long i, long long j) { return mine[i] < mine[j]; },
            [mine](long long i, long long j) {
                const long long old = mine[i];
                mine[i] = mine[j];
                mine[j] = old;
            });
    }
};
size_t groups_bytes(long long count, long long groups)
{
    return (2 * (groups + 1) + count) * sizeof(long long) + 3 * 16;
}
cusparseStatus_t make_groups(cusparseHandle_t handle, index_array keys, long long count, long long n, cutter *room,
                             groups *made)
{
    made->offsets = room->cut<long long>(n + 1);
    long long *filled = room->cut<long long>(n + 1);
    made->order = room->cut<long long>(count);
    LOCKSTEP_SPARSE_STEP(status_of(cudaMemsetAsync(made->offsets, 0, (n + 1) * sizeof(long long), handle->stream)));
    LOCKSTEP_SPARSE_STEP(status_of(cudaMemsetAsync(filled, 0, (n + 1) * sizeof(long long), handle->stream)));
    LOCKSTEP_SPARSE_STEP(run_for_each(handle, count, count_each{keys, made->offsets}));
    LOCKSTEP_SPARSE_STEP(sum_up(handle, n, made->offsets));
    LOCKSTEP_SPARSE_STEP(run_for_each(handle, count, place_each{keys, made->offsets, filled, made->order}));
    return run_for_each(handle, n, settle_each{made->offsets, made->order});
}

struct expand_each {
    index_array offsets, out;
    __device__ void operator()(long long line) const
    {
        for (long long k = offsets[line], end = offsets[line + 1]; k < end; k++)
            out.set(k, line);
    }
};
cusparseStatus_t expand_lines(cusparseHandle_t handle, index_array offsets, long long lines, index_array out)
{
    return run_for_each(handle, lines, expand_each{offsets, out});
}

// Of each place of sliced ELL, by a thread for each row of each slice: the line to which it belongs, or the one behind
// them all where there is no element, and its other index.
struct unslice_each {
    index_array offsets, columns, lines, others;
    long long rows, count, slice_rows;
    bool transposed;
    __device__ void operator()(long long row) const
    {
        const long long slice = row / slice_rows;
        for (long long k = offsets[slice] + row % slice_rows; k < offsets[slice + 1]; k += slice_rows) {
            const long long column = columns[k];
            const bool there = row < rows && column >= 0;
            lines.set(k, !there ? count : transposed ? column : row);
            others.set(k, transposed ? row : column);
        }
    }
};
static cusparseStatus_t group_slices(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, bool transposed,
                                     size_t extra, grouping *to, void **extra_at)
{
    const long long count = transposed ? a->cols : a->rows, slices = (a->rows + a->slice_rows - 1) / a->slice_rows;
    const size_t wanted = groups_bytes(a->places, count + 1) + 2 * (a->places * sizeof(long long) + 16);
    cutter room = {(char *)handle->room.get(wanted + extra + 16, handle->stream)};
    if (!room.at)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    if (extra_at)
        *extra_at = room.cut<char>(extra);
    const index_array keys = {room.cut<long long>(a->places), true, 0},
                      others = {room.cut<long long>(a->places), true, 0};
    const unslice_each each = {indices(a->major, a->major_type, a->base),
                               indices(a->minor, a->minor_type, a->base),
                               keys,
                               others,
                               a->rows,
                               count,
                               a->slice_rows,
                               transposed};
    LOCKSTEP_SPARSE_STEP(run_for_each(handle, slices * a->slice_rows, each));
    groups made;
    LOCKSTEP_SPARSE_STEP(make_groups(handle, keys, a->places, count + 1, &room, &made));
    to->count = count;
    to->nnz = a->nnz;
    to->offsets = index_array{made.offsets, true, 0};
    to->others = others;
    to->order = made.order;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t group_lines(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseOperation_t op, int batch,
                             size_t extra, grouping *to, void **extra_at)
{
    const bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE, coordinates = a->format == CUSPARSE_FORMAT_COO;
    if (a->format == CUSPARSE_FORMAT_SLICED_ELLPACK)
        return group_slices(handle, a, transposed, extra, to, extra_at);
    const bool as_it_lies = !coordinates && (a->format == CUSPARSE_FORMAT_CSC) == transposed;
    const long long count = transposed ? a->cols : a->rows,
                    major_count = a->format == CUSPARSE_FORMAT_CSC ? a->cols : a->rows;
    const index_array major = indices(a->major, a->major_type, a->base).from(batch * a->major_stride);
    const index_array minor = indices(a->minor, a->minor_type, a->base).from(batch * a->values_stride);
    const size_t wanted = as_it_lies ? 0 : groups_bytes(a->nnz, count) + (coordinates ? 0 : a->nnz * 8 + 16);
    cutter room = {};
    if (wanted + extra) {
        room.at = (char *)handle->room.get(wanted + extra + 16, handle->stream);
        if (!room.at)
            return CUSPARSE_STATUS_ALLOC_FAILED;
    }
    if (extra_at)
        *extra_at = room.cut<char>(extra);
    to->count = count;
    to->nnz = a->nnz;
    to->order = NULL;
    to->offsets = major;
    to->others = minor;
    if (as_it_lies)
        return CUSPARSE_STATUS_SUCCESS;
    index_array keys = minor;
    if (!coordinates) {
        to->others = index_array{room.cut<long long>(a->nnz), true, 0};
        LOCKSTEP_SPARSE_STEP(expand_lines(handle, major, major_count, to->others));
    } else {
        keys = transposed ? minor : major;
        to->others = transposed ? major : minor;
    }
    groups made;
    LOCKSTEP_SPARSE_STEP(make_groups(handle, keys, a->nnz, count, &room, &made));
    to->offsets = index_array{made.offsets, true, 0};
    to->order = made.order;
    return CUSPARSE_STATUS_SUCCESS;
}

} // namespace lockstep_sparse

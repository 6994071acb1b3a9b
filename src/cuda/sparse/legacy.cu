// Functions of the older kind: sums of sparse matrices, elements counted, systems of three diagonals.
#include "lines.cuh"

using namespace lockstep_sparse;

// ---- alpha A + beta B, by a thread for each row. Columns are sorted.
struct csr {
    index_array offsets, columns;
};
static csr csr_of(const cusparseMatDescr_t descr, const int *offsets, const int *columns)
{
    return csr{ints(offsets, descr->base), ints(columns, descr->base)};
}
// Calls put(column, k, l) for each column of the row that A (at k) or B (at l) has; -1 is nowhere.
template <class Put> __device__ void merge_row(const csr &a, const csr &b, long long row, Put put)
{
    long long k = a.offsets[row], l = b.offsets[row];
    const long long k_end = a.offsets[row + 1], l_end = b.offsets[row + 1];
    while (k < k_end || l < l_end) {
        const long long none = 0x7fffffffffffffffll;
        const long long i = k < k_end ? a.columns[k] : none, j = l < l_end ? b.columns[l] : none;
        put(i < j ? i : j, i <= j ? k : -1, j <= i ? l : -1);
        k += i <= j;
        l += j <= i;
    }
}
struct count_row {
    csr a, b;
    long long *counts;
    __device__ void operator()(long long row) const
    {
        long long count = 0;
        merge_row(a, b, row, [&count](long long, long long, long long) { count++; });
        counts[row] = count;
    }
};
struct write_offset {
    const long long *from;
    index_array to;
    __device__ void operator()(long long i) const
    {
        to.set(i, from[i]);
    }
};
template <class T> struct add_row {
    csr a, b, c;
    const T *a_values, *b_values;
    T *c_values;
    scalar<T> alpha, beta;
    __device__ void operator()(long long row) const
    {
        long long to = c.offsets[row];
        merge_row(a, b, row, [&](long long column, long long k, long long l) {
            T sum = T();
            if (k >= 0)
                sum = alpha.get() * a_values[k];
            if (l >= 0)
                sum = multiply_add(beta.get(), b_values[l], sum);
            c.columns.set(to, column);
            c_values[to++] = sum;
        });
    }
};
// Where a count goes that the pointer mode says the place of.
static cusparseStatus_t bring_total(cusparseHandle_t handle, const int *first, const int *last, int *total)
{
    int ends[2] = {0, 0};
    if (first)
        LOCKSTEP_SPARSE_STEP(
            status_of(cudaMemcpyAsync(&ends[0], first, sizeof(int), cudaMemcpyDeviceToHost, handle->stream)));
    LOCKSTEP_SPARSE_STEP(
        status_of(cudaMemcpyAsync(&ends[1], last, sizeof(int), cudaMemcpyDeviceToHost, handle->stream)));
    LOCKSTEP_SPARSE_STEP(status_of(cudaStreamSynchronize(handle->stream)));
    ends[1] -= ends[0];
    if (handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE)
        return status_of(cudaMemcpy(total, &ends[1], sizeof(int), cudaMemcpyHostToDevice));
    *total = ends[1];
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA, int nnzA,
                                      const int *offsetsA, const int *colsA, const cusparseMatDescr_t descrB, int nnzB,
                                      const int *offsetsB, const int *colsB, const cusparseMatDescr_t descrC,
                                      int *offsetsC, int *nnz, void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 0 || n < 0 || nnzA < 0 || nnzB < 0 || !descrA || !descrB || !descrC ||
                                      !offsetsA || !offsetsB || !offsetsC || !nnz);
    long long *counts = (long long *)handle->room.get((m + 1) * sizeof(long long), handle->stream);
    if (!counts)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    const count_row each = {csr_of(descrA, offsetsA, colsA), csr_of(descrB, offsetsB, colsB), counts};
    LOCKSTEP_SPARSE_STEP(run_for_each(handle, m, each));
    LOCKSTEP_SPARSE_STEP(sum_up(handle, m, counts));
    LOCKSTEP_SPARSE_STEP(run_for_each(handle, m + 1, write_offset{counts, ints(offsetsC, descrC->base)}));
    return bring_total(handle, offsetsC, offsetsC + m, nnz);
}

// ---- elements of a dense matrix that are not 0
template <class T> struct count_line {
    dense<const T> a;
    int width;
    int *counts, *total;
    __device__ void operator()(long long line) const
    {
        int count = 0;
        for (int j = 0; j < width; j++)
            count += !is_zero(a.of(line, j));
        counts[line] = count;
        atomicAdd(total, count);
    }
};

// ---- systems of three diagonals, each by one thread for each right-hand side. Element i of a diagonal lies at
// i * step + system * stride.
template <class T> struct diagonals {
    int n, sides;
    long long step, stride, side_step, side_stride;
    const T *below, *on, *above;
    T *x, *room; // room: two diagonals more and one of what the eliminated rows keep, for each side
    bool pivoting;
    __device__ void operator()(long long side) const;
};
// A row while it is eliminated: its diagonal, the two elements behind it, its right-hand side.
template <class T> struct row_of_three {
    T a, b, c, x;
};
template <class T> __device__ void diagonals<T>::operator()(long long side) const
{
    const long long first = side * stride, gap = sides;
    T *mine = x + side * side_stride, *kept = room + side;
    auto at = [&](int which, long long i) -> T & { return kept[(3 * i + which) * gap]; };
    row_of_three<T> top = {on[first], n > 1 ? above[first] : T(), T(), mine[0]};
    for (long long i = 0; i < n; i++) {
        row_of_three<T> next = {};
        if (i + 1 < n) {
            const long long here = first + (i + 1) * step;
            T left = below[here];
            next = {on[here], i + 2 < n ? above[here] : T(), T(), mine[(i + 1) * side_step]};
            if (pivoting && magnitude(left) > magnitude(top.a)) {
                const row_of_three<T> lower = {left, next.a, next.b, next.x};
                left = top.a;
                next = {top.b, top.c, T(), top.x};
                top = lower;
            }
            const T by = left / top.a;
            next.a = next.a - by * top.b;
            next.b = next.b - by * top.c;
            next.x = next.x - by * top.x;
        }
        at(0, i) = top.a;
        at(1, i) = top.b;
        at(2, i) = top.c;
        mine[i * side_step] = top.x;
        top = next;
    }
    for (long long i = n - 1; i >= 0; i--) {
        T rest = mine[i * side_step];
        if (i + 1 < n)
            rest = rest - at(1, i) * mine[(i + 1) * side_step];
        if (i + 2 < n)
            rest = rest - at(2, i) * mine[(i + 2) * side_step];
        mine[i * side_step] = rest / at(0, i);
    }
}
template <class T> static cusparseStatus_t solve_diagonals(cusparseHandle_t handle, diagonals<T> each)
{
    if (!each.below || !each.on || !each.above || !each.x)
        return CUSPARSE_STATUS_INVALID_VALUE;
    each.room = (T *)handle->room.get(3ull * each.n * each.sides * sizeof(T), handle->stream);
    return each.room ? run_for_each(handle, each.sides, each) : CUSPARSE_STATUS_ALLOC_FAILED;
}

#define LOCKSTEP_LETTERS "../sparse/legacy_letter.cuh"
#include "../kernels/letters.cuh"

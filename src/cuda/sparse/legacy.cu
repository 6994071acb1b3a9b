// Functions of the older kind: sums of sparse matrices, elements counted, systems of three diagonals and of five.
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

// ---- systems of five diagonals, each by one thread: element i of a diagonal lies at i * systems + system. A row is
// exchanged with one of the two below it where that has the larger element. Rows that are done lie in the place of the
// diagonals: their diagonal in `far_below`, the four elements behind it in the others.
template <class T> struct five_diagonals {
    int n, systems;
    T *far_below, *below, *on, *above, *far_above, *x;
    __device__ void operator()(long long system) const;
};
// A row while it is eliminated: its elements from the column of the elimination on, and its right-hand side.
template <class T> struct row_of_five {
    T a[5], x;
};
template <class T> __device__ void exchange_larger(row_of_five<T> &top, row_of_five<T> &lower)
{
    if (!(magnitude(lower.a[0]) > magnitude(top.a[0])))
        return;
    const row_of_five<T> old = top;
    top = lower;
    lower = old;
}
// The first element goes, and the others move to the left.
template <class T> __device__ void eliminate(const row_of_five<T> &top, row_of_five<T> &row)
{
    const T by = row.a[0] / top.a[0];
    for (int k = 0; k < 4; k++)
        row.a[k] = row.a[k + 1] - by * top.a[k + 1];
    row.a[4] = T();
    row.x = row.x - by * top.x;
}
template <class T> __device__ void five_diagonals<T>::operator()(long long system) const
{
    // Row i without the elements left of column `first`.
    auto row_at = [&](long long i, long long first) {
        row_of_five<T> row = {};
        if (i >= n)
            return row;
        const T *const diagonals[5] = {far_below, below, on, above, far_above};
        const long long at = i * systems + system;
        for (int k = 0; k < 5; k++) {
            const long long column = i - 2 + k;
            if (column >= first && column < n)
                row.a[column - first] = diagonals[k][at];
        }
        row.x = x[at];
        return row;
    };
    row_of_five<T> top = row_at(0, 0), second = row_at(1, 0), third = row_at(2, 0);
    for (long long i = 0; i < n; i++) {
        exchange_larger(top, second);
        exchange_larger(top, third);
        const long long at = i * systems + system;
        row_of_five<T> next = row_at(i + 3, i + 1);
        if (i + 1 < n)
            eliminate(top, second);
        if (i + 2 < n)
            eliminate(top, third);
        far_below[at] = top.a[0];
        below[at] = top.a[1];
        on[at] = top.a[2];
        above[at] = top.a[3];
        far_above[at] = top.a[4];
        x[at] = top.x;
        top = second;
        second = third;
        third = next;
    }
    for (long long i = n - 1; i >= 0; i--) {
        const long long at = i * systems + system;
        const T *const behind[4] = {below, on, above, far_above};
        T rest = x[at];
        for (int k = 0; k < 4 && i + 1 + k < n; k++)
            rest = rest - behind[k][at] * x[at + (k + 1) * (long long)systems];
        x[at] = rest / far_below[at];
    }
}

#define LOCKSTEP_LETTERS "../sparse/legacy_letter.cuh"
#include "../kernels/letters.cuh"

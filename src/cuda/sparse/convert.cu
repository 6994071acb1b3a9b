// Other forms of a matrix: dense and sparse, transposed, lines and coordinates, sorted.
#include "lines.cuh"

using namespace lockstep_sparse;

// ---- sparse to dense
template <class T> struct spread_each {
    lines<T> a;
    dense<T> b;
    long long columns;
    __device__ void operator()(long long row) const
    {
        for (long long j = 0; j < columns; j++)
            b.of(row, j) = make<T>(0);
        for (long long k = a.begin(row), end = a.end(row); k < end; k++)
            b.of(row, a.other(k)) = a.value(k);
    }
};
static cusparseStatus_t check_dense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b)
{
    LOCKSTEP_SPARSE_BEGIN(handle, !a || !b || a->rows != b->rows || a->cols != b->cols);
    return a->type == b->type && a->format != CUSPARSE_FORMAT_SLICED_ELLPACK ? CUSPARSE_STATUS_SUCCESS
                                                                             : CUSPARSE_STATUS_NOT_SUPPORTED;
}
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t, size_t *size)
{
    LOCKSTEP_SPARSE_STEP(check_dense(handle, a, b));
    LOCKSTEP_SPARSE_BEGIN(handle, !size);
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t, void *)
{
    LOCKSTEP_SPARSE_STEP(check_dense(handle, a, b));
    return by_any_type(a->type, [&](auto zero) {
        typedef decltype(zero) T;
        spread_each<T> each;
        each.columns = a->cols;
        for (int z = 0; z < a->batch; z++) {
            LOCKSTEP_SPARSE_STEP(lines_of(handle, a, CUSPARSE_OPERATION_NON_TRANSPOSE, z, 0, &each.a, NULL));
            each.b = dense_of<T>(b, CUSPARSE_OPERATION_NON_TRANSPOSE, z);
            LOCKSTEP_SPARSE_STEP(run_for_each(handle, a->rows, each));
        }
        return CUSPARSE_STATUS_SUCCESS;
    });
}

// ---- dense to sparse: elements are counted in the analysis, and again where they are written
template <class T> __device__ bool is_kept(T value)
{
    return !is_zero(value);
}
template <> __device__ bool is_kept(__half value)
{
    return __half2float(value) != 0;
}
template <> __device__ bool is_kept(__nv_bfloat16 value)
{
    return __bfloat162float(value) != 0;
}
template <class T> struct count_each {
    dense<T> a;
    long long width;
    long long *counts;
    __device__ void operator()(long long line) const
    {
        long long count = 0;
        for (long long j = 0; j < width; j++)
            count += is_kept(a.of(line, j));
        counts[line] = count;
    }
};
struct write_each {
    const long long *from;
    index_array to;
    __device__ void operator()(long long i) const
    {
        to.set(i, from[i]);
    }
};
template <class T> struct gather_line {
    dense<T> a;
    long long width;
    const long long *offsets;
    index_array lines, others; // lines: where the format has them
    T *values;
    __device__ void operator()(long long line) const
    {
        long long k = offsets[line];
        for (long long j = 0; j < width; j++) {
            const T value = a.of(line, j);
            if (!is_kept(value))
                continue;
            if (lines.at)
                lines.set(k, line);
            others.set(k, j);
            values[k++] = value;
        }
    }
};
// offsets[i]: how many elements lines before i have; the lines are columns for CSC.
template <class T>
static cusparseStatus_t count_lines(cusparseHandle_t handle, cusparseConstDnMatDescr_t a, cusparseConstSpMatDescr_t b,
                                    count_each<T> *each, long long *lines)
{
    const bool columns = b->format == CUSPARSE_FORMAT_CSC;
    *lines = columns ? a->cols : a->rows;
    each->width = columns ? a->rows : a->cols;
    each->a = dense_of<T>(a, columns ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE, 0);
    each->counts = (long long *)handle->room.get((*lines + 1) * sizeof(long long), handle->stream);
    if (!each->counts)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    LOCKSTEP_SPARSE_STEP(run_for_each(handle, *lines, *each));
    return sum_up(handle, *lines, each->counts);
}
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                  cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, size_t *size)
{
    LOCKSTEP_SPARSE_STEP(check_dense(handle, b, a));
    LOCKSTEP_SPARSE_BEGIN(handle, !size);
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void *)
{
    LOCKSTEP_SPARSE_STEP(check_dense(handle, b, a));
    return by_any_type(a->type, [&](auto zero) {
        count_each<decltype(zero)> each;
        long long lines, nnz;
        LOCKSTEP_SPARSE_STEP(count_lines(handle, a, b, &each, &lines));
        if (b->format != CUSPARSE_FORMAT_COO)
            LOCKSTEP_SPARSE_STEP(
                run_for_each(handle, lines + 1, write_each{each.counts, indices(b->major, b->major_type, b->base)}));
        LOCKSTEP_SPARSE_STEP(
            status_of(cudaMemcpyAsync(&nnz, each.counts + lines, sizeof nnz, cudaMemcpyDeviceToHost, handle->stream)));
        LOCKSTEP_SPARSE_STEP(status_of(cudaStreamSynchronize(handle->stream)));
        b->nnz = nnz;
        return CUSPARSE_STATUS_SUCCESS;
    });
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void *)
{
    LOCKSTEP_SPARSE_STEP(check_dense(handle, b, a));
    return by_any_type(a->type, [&](auto zero) {
        typedef decltype(zero) T;
        count_each<T> counted;
        long long lines;
        LOCKSTEP_SPARSE_STEP(count_lines(handle, a, b, &counted, &lines));
        gather_line<T> each = {counted.a, counted.width, counted.counts};
        each.lines = indices(b->format == CUSPARSE_FORMAT_COO ? b->major : NULL, b->major_type, b->base);
        each.others = indices(b->minor, b->minor_type, b->base);
        each.values = (T *)b->values;
        return run_for_each(handle, lines, each);
    });
}

// ---- lines and coordinates
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *rows, int nnz, int m, int *offsets,
                                  cusparseIndexBase_t base)
{
    LOCKSTEP_SPARSE_BEGIN(handle, nnz < 0 || m < 0 || (nnz && !rows) || !offsets);
    cutter room = {(char *)handle->room.get(groups_bytes(nnz, m), handle->stream)};
    if (!room.at)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    groups made;
    LOCKSTEP_SPARSE_STEP(make_groups(handle, ints(rows, base), nnz, m, &room, &made));
    return run_for_each(handle, m + 1, write_each{made.offsets, ints(offsets, base)});
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int nnz, int m, int *rows,
                                  cusparseIndexBase_t base)
{
    LOCKSTEP_SPARSE_BEGIN(handle, nnz < 0 || m < 0 || !offsets || (nnz && !rows));
    return expand_lines(handle, ints(offsets, base), m, ints(rows, base));
}

// ---- transposed
template <class T> struct transpose_each {
    lines<T> a;
    index_array others;
    T *values; // NULL: the structure alone
    __device__ void operator()(long long k) const
    {
        others.set(k, a.other(k));
        if (values)
            values[k] = a.value(k);
    }
};
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz, const void *,
                                               const int *, const int *, void *, int *, int *, cudaDataType,
                                               cusparseAction_t, cusparseIndexBase_t, cusparseCsr2CscAlg_t,
                                               size_t *size)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 0 || n < 0 || nnz < 0 || !size);
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void *values,
                                    const int *offsets, const int *cols, void *cscValues, int *cscOffsets, int *rows,
                                    cudaDataType type, cusparseAction_t action, cusparseIndexBase_t base,
                                    cusparseCsr2CscAlg_t, void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 0 || n < 0 || nnz < 0 || !offsets || !cscOffsets || (nnz && (!cols || !rows)));
    const cusparseSpMatDescr a = {
        CUSPARSE_FORMAT_CSR, m,   n, nnz, (void *)offsets, (void *)cols, (void *)values, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_32I,  base};
    return by_any_type(type, [&](auto zero) {
        typedef decltype(zero) T;
        transpose_each<T> each;
        LOCKSTEP_SPARSE_STEP(lines_of(handle, &a, CUSPARSE_OPERATION_TRANSPOSE, 0, 0, &each.a, NULL));
        each.others = ints(rows, base);
        each.values = action == CUSPARSE_ACTION_NUMERIC ? (T *)cscValues : NULL;
        LOCKSTEP_SPARSE_STEP(run_for_each(handle, nnz, each));
        return run_for_each(handle, n + 1, write_each{(const long long *)each.a.offsets.at, ints(cscOffsets, base)});
    });
}

// ---- sorted
struct number_each {
    int *p;
    __device__ void operator()(long long i) const
    {
        p[i] = (int)i;
    }
};
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p)
{
    LOCKSTEP_SPARSE_BEGIN(handle, n < 0 || (n && !p));
    return run_for_each(handle, n, number_each{p});
}

// Sorts the indices of each line, and p, which says from where they came, with them.
struct sort_line {
    index_array offsets;
    int *others, *p;
    __device__ void operator()(long long line) const
    {
        int *mine = others + offsets[line], *from = p ? p + offsets[line] : NULL;
        sort_by(
            offsets[line + 1] - offsets[line],
            [mine, from](long long i, long long j) {
                return mine[i] < mine[j] || (from && mine[i] == mine[j] && from[i] < from[j]);
            },
            [mine, from](long long i, long long j) {
                const int index = mine[i], old = from ? from[i] : 0;
                mine[i] = mine[j];
                mine[j] = index;
                if (from) {
                    from[i] = from[j];
                    from[j] = old;
                }
            });
    }
};
static cusparseStatus_t answer_size(cusparseHandle_t handle, int m, int n, int nnz, size_t *size)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 0 || n < 0 || nnz < 0 || !size);
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
static cusparseStatus_t sort_lines(cusparseHandle_t handle, int lines, int nnz, const cusparseMatDescr_t descr,
                                   const int *offsets, int *others, int *p)
{
    LOCKSTEP_SPARSE_BEGIN(handle, lines < 0 || nnz < 0 || !descr || !offsets || (nnz && !others));
    return run_for_each(handle, lines, sort_line{ints(offsets, descr->base), others, p});
}
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *,
                                                const int *, size_t *size)
{
    return answer_size(handle, m, n, nnz, size);
}
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int, int nnz, const cusparseMatDescr_t descr,
                                  const int *offsets, int *cols, int *p, void *)
{
    return sort_lines(handle, m, nnz, descr, offsets, cols, p);
}
cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *,
                                                const int *, size_t *size)
{
    return answer_size(handle, m, n, nnz, size);
}
cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int, int n, int nnz, const cusparseMatDescr_t descr,
                                  const int *offsets, int *rows, int *p, void *)
{
    return sort_lines(handle, n, nnz, descr, offsets, rows, p);
}

struct permute_each {
    const long long *order;
    const int *from[3];
    int *to[3];
    __device__ void operator()(long long k) const
    {
        for (int i = 0; i < 3; i++)
            if (from[i])
                to[i][k] = from[i][order[k]];
    }
};
// By `major`, and by `minor` where that is the same.
static cusparseStatus_t sort_coordinates(cusparseHandle_t handle, int lines, int nnz, int *major, int *minor, int *p)
{
    LOCKSTEP_SPARSE_BEGIN(handle, lines < 0 || nnz < 0 || (nnz && (!major || !minor)));
    int *const parts[] = {major, minor, p};
    const size_t bytes = (size_t)nnz * sizeof(int), room_for_groups = groups_bytes(nnz, lines + 1);
    cutter room = {(char *)handle->room.get(room_for_groups + 3 * (bytes + 16), handle->stream)};
    if (!room.at)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    permute_each each;
    for (int i = 0; i < 3; i++) {
        int *copy = room.cut<int>(nnz);
        each.from[i] = parts[i] ? copy : NULL;
        each.to[i] = parts[i];
        if (parts[i])
            LOCKSTEP_SPARSE_STEP(
                status_of(cudaMemcpyAsync(copy, parts[i], bytes, cudaMemcpyDeviceToDevice, handle->stream)));
    }
    groups made;
    // One line more, since indices may count from 1.
    LOCKSTEP_SPARSE_STEP(make_groups(handle, ints(each.from[0], 0), nnz, lines + 1, &room, &made));
    each.order = made.order;
    LOCKSTEP_SPARSE_STEP(run_for_each(handle, nnz, each));
    return run_for_each(handle, lines + 1, sort_line{index_array{made.offsets, true, 0}, minor, p});
}
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *,
                                                const int *, size_t *size)
{
    return answer_size(handle, m, n, nnz, size);
}
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int, int nnz, int *rows, int *cols, int *p,
                                       void *)
{
    return sort_coordinates(handle, m, nnz, rows, cols, p);
}
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int, int n, int nnz, int *rows, int *cols, int *p,
                                          void *)
{
    return sort_coordinates(handle, n, nnz, cols, rows, p);
}

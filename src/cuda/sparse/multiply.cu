// Products of two sparse matrices: every product of two elements is written down, and those of a row are sorted and
// summed. The result waits in the descriptor until its caller has made room for it.
#include "lines.cuh"

using namespace lockstep_sparse;

struct cusparseSpGEMMDescr {
    long long *starts; // of each row's products; starts[rows]: how many there are
    long long *ends;   // of each row's elements; then the sums of their counts
    long long *columns;
    void *values;
    long long products, nnz;
};

template <class T> static cusparseStatus_t make_room(T **at, long long count)
{
    cudaFree(*at);
    *at = NULL;
    return status_of(cudaMalloc(at, (count ? count : 1) * sizeof(T)));
}
static void forget(cusparseSpGEMMDescr_t descr)
{
    cudaFree(descr->starts);
    cudaFree(descr->ends);
    cudaFree(descr->columns);
    cudaFree(descr->values);
    *descr = cusparseSpGEMMDescr{};
}
static cusparseStatus_t read_one(cusparseHandle_t handle, const long long *at, long long *to)
{
    LOCKSTEP_SPARSE_STEP(status_of(cudaMemcpyAsync(to, at, sizeof *to, cudaMemcpyDeviceToHost, handle->stream)));
    return status_of(cudaStreamSynchronize(handle->stream));
}

struct count_products {
    grouping a, b;
    long long *counts;
    __device__ void operator()(long long row) const
    {
        long long count = 0;
        for (long long k = a.offsets[row], end = a.offsets[row + 1]; k < end; k++) {
            const long long other = a.others[k];
            count += b.offsets[other + 1] - b.offsets[other];
        }
        counts[row] = count;
    }
};
template <class T> struct multiply_rows {
    lines<T> a, b;
    const long long *starts;
    long long *counts, *columns;
    T *values;
    __device__ void operator()(long long row) const
    {
        long long *mine = columns + starts[row], count = 0;
        T *sums = values + starts[row];
        for (long long k = a.begin(row), end = a.end(row); k < end; k++) {
            const T left = a.value(k);
            const long long other = a.other(k);
            for (long long l = b.begin(other), last = b.end(other); l < last; l++) {
                mine[count] = b.other(l);
                sums[count++] = left * b.value(l);
            }
        }
        sort_by(
            count, [mine](long long i, long long j) { return mine[i] < mine[j]; },
            [mine, sums](long long i, long long j) {
                const long long column = mine[i];
                mine[i] = mine[j];
                mine[j] = column;
                const T value = sums[i];
                sums[i] = sums[j];
                sums[j] = value;
            });
        long long kept = 0;
        for (long long i = 0; i < count; kept++) {
            const long long column = mine[i];
            T sum = sums[i++];
            for (; i < count && mine[i] == column; i++)
                sum = sum + sums[i];
            mine[kept] = column;
            sums[kept] = sum;
        }
        counts[row] = kept;
    }
};
template <class T> struct copy_rows {
    const long long *starts, *ends, *columns;
    const T *values;
    scalar<T> alpha, beta;
    index_array offsets_out, columns_out;
    T *values_out;
    long long rows;
    bool structure, numbers;
    __device__ void operator()(long long row) const
    {
        const long long from = starts[row], to = ends[row], count = ends[row + 1] - to;
        if (structure)
            offsets_out.set(row, to);
        if (structure && row == rows - 1)
            offsets_out.set(rows, to + count);
        for (long long i = 0; i < count; i++) {
            if (structure)
                columns_out.set(to + i, columns[from + i]);
            if (!numbers)
                continue;
            const T value = alpha.get() * values[from + i], by = beta.get();
            T &at = values_out[to + i];
            at = is_zero(by) ? value : multiply_add(by, at, value);
        }
    }
};

static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                              cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, cusparseConstSpMatDescr_t c,
                              cusparseSpGEMMDescr_t descr)
{
    LOCKSTEP_SPARSE_BEGIN(handle,
                          !a || !b || !c || !descr || a->cols != b->rows || a->rows != c->rows || b->cols != c->cols);
    const bool plain = opA == CUSPARSE_OPERATION_NON_TRANSPOSE && opB == CUSPARSE_OPERATION_NON_TRANSPOSE;
    const bool rows =
        a->format == CUSPARSE_FORMAT_CSR && b->format == CUSPARSE_FORMAT_CSR && c->format == CUSPARSE_FORMAT_CSR;
    return plain && rows && a->type == b->type && a->type == c->type ? CUSPARSE_STATUS_SUCCESS
                                                                     : CUSPARSE_STATUS_NOT_SUPPORTED;
}
static cusparseStatus_t count_all(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                  cusparseSpGEMMDescr_t descr)
{
    count_products each;
    LOCKSTEP_SPARSE_STEP(make_room(&descr->starts, a->rows + 1));
    LOCKSTEP_SPARSE_STEP(group_lines(handle, a, CUSPARSE_OPERATION_NON_TRANSPOSE, 0, 0, &each.a, NULL));
    LOCKSTEP_SPARSE_STEP(group_lines(handle, b, CUSPARSE_OPERATION_NON_TRANSPOSE, 0, 0, &each.b, NULL));
    each.counts = descr->starts;
    LOCKSTEP_SPARSE_STEP(run_for_each(handle, a->rows, each));
    LOCKSTEP_SPARSE_STEP(sum_up(handle, a->rows, descr->starts));
    return read_one(handle, descr->starts + a->rows, &descr->products);
}
// Behind count_all().
static cusparseStatus_t multiply(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                 cusparseSpGEMMDescr_t descr)
{
    if (!descr->starts)
        return CUSPARSE_STATUS_INVALID_VALUE;
    LOCKSTEP_SPARSE_STEP(make_room(&descr->ends, a->rows + 1));
    LOCKSTEP_SPARSE_STEP(make_room(&descr->columns, descr->products));
    LOCKSTEP_SPARSE_STEP(by_type(a->type, [&](auto zero) {
        typedef decltype(zero) T;
        multiply_rows<T> each;
        LOCKSTEP_SPARSE_STEP(make_room((T **)&descr->values, descr->products));
        LOCKSTEP_SPARSE_STEP(lines_of(handle, a, CUSPARSE_OPERATION_NON_TRANSPOSE, 0, 0, &each.a, NULL));
        LOCKSTEP_SPARSE_STEP(lines_of(handle, b, CUSPARSE_OPERATION_NON_TRANSPOSE, 0, 0, &each.b, NULL));
        each.starts = descr->starts;
        each.counts = descr->ends;
        each.columns = descr->columns;
        each.values = (T *)descr->values;
        return run_for_each(handle, a->rows, each);
    }));
    LOCKSTEP_SPARSE_STEP(sum_up(handle, a->rows, descr->ends));
    return read_one(handle, descr->ends + a->rows, &descr->nnz);
}
static cusparseStatus_t copy(cusparseHandle_t handle, const void *alpha, const void *beta, cusparseSpMatDescr_t c,
                             cusparseSpGEMMDescr_t descr, bool structure, bool numbers)
{
    if (!descr->ends || !c->major || (descr->nnz && (!c->minor || !c->values)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return by_type(c->type, [&](auto zero) {
        typedef decltype(zero) T;
        copy_rows<T> each = {descr->starts, descr->ends, descr->columns, (const T *)descr->values};
        if (numbers) {
            each.alpha = scalar_of<T>(handle, alpha);
            each.beta = scalar_of<T>(handle, beta);
        }
        each.offsets_out = indices(c->major, c->major_type, c->base);
        each.columns_out = indices(c->minor, c->minor_type, c->base);
        each.values_out = (T *)c->values;
        each.rows = c->rows;
        each.structure = structure;
        each.numbers = numbers;
        return run_for_each(handle, c->rows, each);
    });
}

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr)
{
    return create(descr);
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr)
{
    if (descr)
        forget(descr);
    free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}
// Called twice, as all functions of a `size`: without a buffer it says how large that has to be.
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t opA,
                                               cusparseOperation_t opB, const void *, cusparseConstSpMatDescr_t a,
                                               cusparseConstSpMatDescr_t b, const void *, cusparseSpMatDescr_t c,
                                               cudaDataType computeType, cusparseSpGEMMAlg_t,
                                               cusparseSpGEMMDescr_t descr, size_t *size, void *buffer)
{
    LOCKSTEP_SPARSE_STEP(check(handle, opA, opB, a, b, c, descr));
    if (!size)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (computeType != a->type)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    *size = buffer_bytes;
    return buffer ? count_all(handle, a, b, descr) : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t descr, int64_t *count)
{
    if (!descr || !count)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *count = descr->products;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_estimateMemory(cusparseHandle_t handle, cusparseOperation_t opA,
                                               cusparseOperation_t opB, const void *, cusparseConstSpMatDescr_t a,
                                               cusparseConstSpMatDescr_t b, const void *, cusparseSpMatDescr_t c,
                                               cudaDataType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descr, float,
                                               size_t *size3, void *, size_t *size2)
{
    LOCKSTEP_SPARSE_STEP(check(handle, opA, opB, a, b, c, descr));
    if (!size3)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *size3 = buffer_bytes;
    if (size2)
        *size2 = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                        const void *, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                        const void *, cusparseSpMatDescr_t c, cudaDataType, cusparseSpGEMMAlg_t,
                                        cusparseSpGEMMDescr_t descr, size_t *size, void *buffer)
{
    LOCKSTEP_SPARSE_STEP(check(handle, opA, opB, a, b, c, descr));
    if (!size)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *size = buffer_bytes;
    if (!buffer)
        return CUSPARSE_STATUS_SUCCESS;
    LOCKSTEP_SPARSE_STEP(multiply(handle, a, b, descr));
    c->nnz = descr->nnz;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                     const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                     const void *beta, cusparseSpMatDescr_t c, cudaDataType, cusparseSpGEMMAlg_t,
                                     cusparseSpGEMMDescr_t descr)
{
    LOCKSTEP_SPARSE_STEP(check(handle, opA, opB, a, b, c, descr));
    return alpha && beta ? copy(handle, alpha, beta, c, descr, true, true) : CUSPARSE_STATUS_INVALID_VALUE;
}

// ---- with a structure that stays while values change
cusparseStatus_t cusparseSpGEMMreuse_workEstimation(cusparseHandle_t handle, cusparseOperation_t opA,
                                                    cusparseOperation_t opB, cusparseConstSpMatDescr_t a,
                                                    cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
                                                    cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descr, size_t *size,
                                                    void *buffer)
{
    LOCKSTEP_SPARSE_STEP(check(handle, opA, opB, a, b, c, descr));
    if (!size)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *size = buffer_bytes;
    return buffer ? count_all(handle, a, b, descr) : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                         cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                         cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descr,
                                         size_t *size2, void *buffer2, size_t *size3, void *, size_t *size4, void *)
{
    LOCKSTEP_SPARSE_STEP(check(handle, opA, opB, a, b, c, descr));
    if (!size2 || !size3 || !size4)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *size2 = *size3 = *size4 = buffer_bytes;
    if (!buffer2)
        return CUSPARSE_STATUS_SUCCESS;
    LOCKSTEP_SPARSE_STEP(multiply(handle, a, b, descr));
    c->nnz = descr->nnz;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                          cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                          cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descr,
                                          size_t *size, void *buffer)
{
    LOCKSTEP_SPARSE_STEP(check(handle, opA, opB, a, b, c, descr));
    if (!size)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *size = buffer_bytes;
    return buffer ? copy(handle, NULL, NULL, c, descr, true, false) : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                             const void *alpha, cusparseConstSpMatDescr_t a,
                                             cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c,
                                             cudaDataType computeType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descr)
{
    LOCKSTEP_SPARSE_STEP(check(handle, opA, opB, a, b, c, descr));
    if (!alpha || !beta)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (computeType != a->type)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    LOCKSTEP_SPARSE_STEP(multiply(handle, a, b, descr));
    return copy(handle, alpha, beta, c, descr, false, true);
}

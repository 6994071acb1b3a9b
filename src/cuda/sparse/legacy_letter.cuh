// Older functions of one type: included once for each, with LOCKSTEP_L and LOCKSTEP_T set.
#define T LOCKSTEP_T
#define NAME(name) LOCKSTEP_SPARSE_NAME(LOCKSTEP_L, name)

cusparseStatus_t NAME(nnz)(cusparseHandle_t handle, cusparseDirection_t direction, int m, int n,
                           const cusparseMatDescr_t descr, const T *A, int lda, int *counts, int *total)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 0 || n < 0 || lda < m || !descr || !counts || !total || (m && n && !A));
    const bool rows = direction == CUSPARSE_DIRECTION_ROW;
    count_line<T> each = {{A, rows ? 1 : lda, rows ? lda : 1, false}, rows ? n : m, counts};
    each.total = (int *)handle->room.get(sizeof(int), handle->stream);
    if (!each.total)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    LOCKSTEP_SPARSE_STEP(status_of(cudaMemsetAsync(each.total, 0, sizeof(int), handle->stream)));
    LOCKSTEP_SPARSE_STEP(run_for_each(handle, rows ? m : n, each));
    return bring_total(handle, NULL, each.total, total);
}

cusparseStatus_t NAME(csrgeam2_bufferSizeExt)(cusparseHandle_t handle, int m, int n, const T *alpha,
                                              const cusparseMatDescr_t descrA, int nnzA, const T *, const int *,
                                              const int *, const T *beta, const cusparseMatDescr_t descrB, int nnzB,
                                              const T *, const int *, const int *, const cusparseMatDescr_t descrC,
                                              const T *, const int *, const int *, size_t *size)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 0 || n < 0 || nnzA < 0 || nnzB < 0 || !alpha || !beta || !descrA || !descrB ||
                                      !descrC || !size);
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t NAME(csrgeam2)(cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t descrA,
                                int nnzA, const T *valuesA, const int *offsetsA, const int *colsA, const T *beta,
                                const cusparseMatDescr_t descrB, int nnzB, const T *valuesB, const int *offsetsB,
                                const int *colsB, const cusparseMatDescr_t descrC, T *valuesC, int *offsetsC,
                                int *colsC, void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 0 || n < 0 || nnzA < 0 || nnzB < 0 || !alpha || !beta || !descrA || !descrB ||
                                      !descrC || !offsetsA || !offsetsB || !offsetsC);
    const add_row<T> each = {csr_of(descrA, offsetsA, colsA),
                             csr_of(descrB, offsetsB, colsB),
                             csr_of(descrC, offsetsC, colsC),
                             valuesA,
                             valuesB,
                             valuesC,
                             scalar_of<T>(handle, alpha),
                             scalar_of<T>(handle, beta)};
    return run_for_each(handle, m, each);
}

#define LOCKSTEP_GTSV(name, pivoting)                                                                                  \
    cusparseStatus_t NAME(name##_bufferSizeExt)(cusparseHandle_t handle, int m, int n, const T *, const T *,           \
                                                const T *, const T *, int ldb, size_t *size)                           \
    {                                                                                                                  \
        LOCKSTEP_SPARSE_BEGIN(handle, m < 1 || n < 0 || ldb < m || !size);                                             \
        *size = buffer_bytes;                                                                                          \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusparseStatus_t NAME(name)(cusparseHandle_t handle, int m, int n, const T *dl, const T *d, const T *du, T *B,     \
                                int ldb, void *)                                                                       \
    {                                                                                                                  \
        LOCKSTEP_SPARSE_BEGIN(handle, m < 1 || n < 0 || ldb < m);                                                      \
        return solve_diagonals<T>(handle, {m, n, 1, 0, 1, ldb, dl, d, du, B, NULL, pivoting});                         \
    }
LOCKSTEP_GTSV(gtsv2, true)
LOCKSTEP_GTSV(gtsv2_nopivot, false)
#undef LOCKSTEP_GTSV

cusparseStatus_t NAME(gtsv2StridedBatch_bufferSizeExt)(cusparseHandle_t handle, int m, const T *, const T *, const T *,
                                                       const T *, int batchCount, int batchStride, size_t *size)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 1 || batchCount < 0 || batchStride < m || !size);
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t NAME(gtsv2StridedBatch)(cusparseHandle_t handle, int m, const T *dl, const T *d, const T *du, T *x,
                                         int batchCount, int batchStride, void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 1 || batchCount < 0 || batchStride < m);
    return solve_diagonals<T>(handle, {m, batchCount, 1, batchStride, 1, batchStride, dl, d, du, x, NULL, false});
}
cusparseStatus_t NAME(gtsvInterleavedBatch_bufferSizeExt)(cusparseHandle_t handle, int, int m, const T *, const T *,
                                                          const T *, const T *, int batchCount, size_t *size)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 1 || batchCount < 0 || !size);
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t NAME(gtsvInterleavedBatch)(cusparseHandle_t handle, int, int m, T *dl, T *d, T *du, T *x,
                                            int batchCount, void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 1 || batchCount < 0);
    return solve_diagonals<T>(handle, {m, batchCount, batchCount, 1, batchCount, 1, dl, d, du, x, NULL, true});
}
cusparseStatus_t NAME(gpsvInterleavedBatch_bufferSizeExt)(cusparseHandle_t handle, int, int m, const T *, const T *,
                                                          const T *, const T *, const T *, const T *, int batchCount,
                                                          size_t *size)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 1 || batchCount < 0 || !size);
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t NAME(gpsvInterleavedBatch)(cusparseHandle_t handle, int, int m, T *ds, T *dl, T *d, T *du, T *dw, T *x,
                                            int batchCount, void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, m < 1 || batchCount < 0 || !ds || !dl || !d || !du || !dw || !x);
    return run_for_each(handle, batchCount, five_diagonals<T>{m, batchCount, ds, dl, d, du, dw, x});
}

#undef T
#undef NAME

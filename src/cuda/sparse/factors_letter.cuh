// Incomplete factors of one type: included once for each, with LOCKSTEP_L and LOCKSTEP_T set.
#define T LOCKSTEP_T
#define NAME(name) LOCKSTEP_SPARSE_NAME(LOCKSTEP_L, name)
#define LOCKSTEP_FACTORED(name, kernel)                                                                                \
    cusparseStatus_t NAME(name##_bufferSize)(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr,  \
                                             T *, const int *, const int *, name##Info_t info, int *size)              \
    {                                                                                                                  \
        LOCKSTEP_SPARSE_BEGIN(handle, m < 0 || nnz < 0 || !descr || !info || !size);                                   \
        *size = (int)buffer_bytes;                                                                                     \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusparseStatus_t NAME(name##_analysis)(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr,    \
                                           const T *, const int *, const int *, name##Info_t info,                     \
                                           cusparseSolvePolicy_t, void *)                                              \
    {                                                                                                                  \
        LOCKSTEP_SPARSE_BEGIN(handle, m < 0 || nnz < 0 || !descr || !info);                                            \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    cusparseStatus_t NAME(name)(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, T *values,    \
                                const int *offsets, const int *cols, name##Info_t info, cusparseSolvePolicy_t, void *) \
    {                                                                                                                  \
        LOCKSTEP_SPARSE_BEGIN(handle,                                                                                  \
                              m < 0 || nnz < 0 || !descr || !info || (nnz && !values) || !offsets || (nnz && !cols));  \
        return factorize<T>(handle, kernel<T>, m, descr, values, offsets, cols, info->zero);                           \
    }
LOCKSTEP_FACTORED(csrilu02, factor_lu)
LOCKSTEP_FACTORED(csric02, factor_cholesky)
#undef LOCKSTEP_FACTORED
#undef T
#undef NAME

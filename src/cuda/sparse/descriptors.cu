// Descriptors of the generic functions: made, read, changed. `Const` forms are the same ones.
#include "context.cuh"

using namespace lockstep_sparse;

template <class T> static void give(T *to, T value)
{
    if (to)
        *to = value;
}
static bool is_index(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I;
}
static bool is_base(cusparseIndexBase_t base)
{
    return base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE;
}

// ---- sparse vectors
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *vec, int64_t size, int64_t nnz, void *indices, void *values,
                                     cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType type)
{
    if (size < 0 || nnz < 0 || nnz > size || (nnz && (!indices || !values)) || !is_index(indexType) || !is_base(base))
        return CUSPARSE_STATUS_INVALID_VALUE;
    LOCKSTEP_SPARSE_STEP(create(vec));
    **vec = cusparseSpVecDescr{size, nnz, indices, values, indexType, base, type};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *vec, int64_t size, int64_t nnz,
                                          const void *indices, const void *values, cusparseIndexType_t indexType,
                                          cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateSpVec((cusparseSpVecDescr_t *)vec, size, nnz, (void *)indices, (void *)values, indexType, base,
                               type);
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vec)
{
    free((void *)vec);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t vec, int64_t *size, int64_t *nnz, void **indices, void **values,
                                  cusparseIndexType_t *indexType, cusparseIndexBase_t *base, cudaDataType *type)
{
    if (!vec)
        return CUSPARSE_STATUS_INVALID_VALUE;
    give(size, vec->size);
    give(nnz, vec->nnz);
    give(indices, vec->indices);
    give(values, vec->values);
    give(indexType, vec->index_type);
    give(base, vec->base);
    give(type, vec->type);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t vec, int64_t *size, int64_t *nnz, const void **indices,
                                       const void **values, cusparseIndexType_t *indexType, cusparseIndexBase_t *base,
                                       cudaDataType *type)
{
    return cusparseSpVecGet((cusparseSpVecDescr_t)vec, size, nnz, (void **)indices, (void **)values, indexType, base,
                            type);
}

// ---- dense vectors
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vec, int64_t size, void *values, cudaDataType type)
{
    if (size < 0 || (size && !values))
        return CUSPARSE_STATUS_INVALID_VALUE;
    LOCKSTEP_SPARSE_STEP(create(vec));
    **vec = cusparseDnVecDescr{size, values, type};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *vec, int64_t size, const void *values,
                                          cudaDataType type)
{
    return cusparseCreateDnVec((cusparseDnVecDescr_t *)vec, size, (void *)values, type);
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vec)
{
    free((void *)vec);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t vec, int64_t *size, void **values, cudaDataType *type)
{
    if (!vec)
        return CUSPARSE_STATUS_INVALID_VALUE;
    give(size, vec->size);
    give(values, vec->values);
    give(type, vec->type);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t vec, int64_t *size, const void **values,
                                       cudaDataType *type)
{
    return cusparseDnVecGet((cusparseDnVecDescr_t)vec, size, (void **)values, type);
}

// ---- members of their own
#define LOCKSTEP_SPARSE_GET(name, descriptor, T, member)                                                               \
    cusparseStatus_t name(descriptor descr, T *value)                                                                  \
    {                                                                                                                  \
        if (!descr || !value)                                                                                          \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                                      \
        *value = descr->member;                                                                                        \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }
#define LOCKSTEP_SPARSE_VALUES(kind)                                                                                   \
    LOCKSTEP_SPARSE_GET(cusparse##kind##GetValues, cusparse##kind##Descr_t, void *, values)                            \
    LOCKSTEP_SPARSE_GET(cusparseConst##kind##GetValues, cusparseConst##kind##Descr_t, const void *, values)            \
    cusparseStatus_t cusparse##kind##SetValues(cusparse##kind##Descr_t descr, void *values)                            \
    {                                                                                                                  \
        if (!descr || !values)                                                                                         \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                                      \
        descr->values = values;                                                                                        \
        return CUSPARSE_STATUS_SUCCESS;                                                                                \
    }
LOCKSTEP_SPARSE_VALUES(SpVec)
LOCKSTEP_SPARSE_VALUES(DnVec)
LOCKSTEP_SPARSE_VALUES(SpMat)
LOCKSTEP_SPARSE_VALUES(DnMat)
LOCKSTEP_SPARSE_GET(cusparseSpVecGetIndexBase, cusparseConstSpVecDescr_t, cusparseIndexBase_t, base)
LOCKSTEP_SPARSE_GET(cusparseSpMatGetIndexBase, cusparseConstSpMatDescr_t, cusparseIndexBase_t, base)
LOCKSTEP_SPARSE_GET(cusparseSpMatGetFormat, cusparseConstSpMatDescr_t, cusparseFormat_t, format)
LOCKSTEP_SPARSE_GET(cusparseSpMatGetStridedBatch, cusparseConstSpMatDescr_t, int, batch)

// ---- sparse matrices
static cusparseStatus_t create_matrix(cusparseSpMatDescr_t *mat, const cusparseSpMatDescr &as)
{
    if (as.rows < 0 || as.cols < 0 || as.nnz < 0 || !is_index(as.major_type) || !is_index(as.minor_type) ||
        !is_base(as.base))
        return CUSPARSE_STATUS_INVALID_VALUE;
    LOCKSTEP_SPARSE_STEP(create(mat));
    **mat = as;
    (*mat)->batch = 1;
    return CUSPARSE_STATUS_SUCCESS;
}
#define LOCKSTEP_SPARSE_COMPRESSED(Format, FORMAT)                                                                     \
    cusparseStatus_t cusparseCreate##Format(cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,        \
                                            void *offsets, void *indices, void *values,                                \
                                            cusparseIndexType_t offsetsType, cusparseIndexType_t indexType,            \
                                            cusparseIndexBase_t base, cudaDataType type)                               \
    {                                                                                                                  \
        return create_matrix(mat,                                                                                      \
                             {FORMAT, rows, cols, nnz, offsets, indices, values, offsetsType, indexType, base, type}); \
    }                                                                                                                  \
    cusparseStatus_t cusparseCreateConst##Format(                                                                      \
        cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz, const void *offsets,                  \
        const void *indices, const void *values, cusparseIndexType_t offsetsType, cusparseIndexType_t indexType,       \
        cusparseIndexBase_t base, cudaDataType type)                                                                   \
    {                                                                                                                  \
        return create_matrix((cusparseSpMatDescr_t *)mat, {FORMAT, rows, cols, nnz, (void *)offsets, (void *)indices,  \
                                                           (void *)values, offsetsType, indexType, base, type});       \
    }                                                                                                                  \
    cusparseStatus_t cusparse##Format##Get(cusparseSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz,       \
                                           void **offsets, void **indices, void **values,                              \
                                           cusparseIndexType_t *offsetsType, cusparseIndexType_t *indexType,           \
                                           cusparseIndexBase_t *base, cudaDataType *type)                              \
    {                                                                                                                  \
        return get_matrix(mat, FORMAT, rows, cols, nnz, offsets, indices, values, offsetsType, indexType, base, type); \
    }                                                                                                                  \
    cusparseStatus_t cusparseConst##Format##Get(                                                                       \
        cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz, const void **offsets,               \
        const void **indices, const void **values, cusparseIndexType_t *offsetsType, cusparseIndexType_t *indexType,   \
        cusparseIndexBase_t *base, cudaDataType *type)                                                                 \
    {                                                                                                                  \
        return get_matrix(mat, FORMAT, rows, cols, nnz, (void **)offsets, (void **)indices, (void **)values,           \
                          offsetsType, indexType, base, type);                                                         \
    }                                                                                                                  \
    cusparseStatus_t cusparse##Format##SetPointers(cusparseSpMatDescr_t mat, void *offsets, void *indices,             \
                                                   void *values)                                                       \
    {                                                                                                                  \
        return set_pointers(mat, FORMAT, offsets, indices, values);                                                    \
    }
static cusparseStatus_t get_matrix(cusparseConstSpMatDescr_t mat, cusparseFormat_t format, int64_t *rows, int64_t *cols,
                                   int64_t *nnz, void **major, void **minor, void **values,
                                   cusparseIndexType_t *major_type, cusparseIndexType_t *minor_type,
                                   cusparseIndexBase_t *base, cudaDataType *type)
{
    if (!mat || mat->format != format)
        return CUSPARSE_STATUS_INVALID_VALUE;
    give(rows, mat->rows);
    give(cols, mat->cols);
    give(nnz, mat->nnz);
    give(major, mat->major);
    give(minor, mat->minor);
    give(values, mat->values);
    give(major_type, mat->major_type);
    give(minor_type, mat->minor_type);
    give(base, mat->base);
    give(type, mat->type);
    return CUSPARSE_STATUS_SUCCESS;
}
static cusparseStatus_t set_pointers(cusparseSpMatDescr_t mat, cusparseFormat_t format, void *major, void *minor,
                                     void *values)
{
    if (!mat || mat->format != format || !major)
        return CUSPARSE_STATUS_INVALID_VALUE;
    mat->major = major;
    mat->minor = minor;
    mat->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
LOCKSTEP_SPARSE_COMPRESSED(Csr, CUSPARSE_FORMAT_CSR)
LOCKSTEP_SPARSE_COMPRESSED(Csc, CUSPARSE_FORMAT_CSC)

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz, void *rowIndices,
                                   void *colIndices, void *values, cusparseIndexType_t indexType,
                                   cusparseIndexBase_t base, cudaDataType type)
{
    return create_matrix(
        mat, {CUSPARSE_FORMAT_COO, rows, cols, nnz, rowIndices, colIndices, values, indexType, indexType, base, type});
}
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                                        const void *rowIndices, const void *colIndices, const void *values,
                                        cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateCoo((cusparseSpMatDescr_t *)mat, rows, cols, nnz, (void *)rowIndices, (void *)colIndices,
                             (void *)values, indexType, base, type);
}
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz, void **rowIndices,
                                void **colIndices, void **values, cusparseIndexType_t *indexType,
                                cusparseIndexBase_t *base, cudaDataType *type)
{
    return get_matrix(mat, CUSPARSE_FORMAT_COO, rows, cols, nnz, rowIndices, colIndices, values, NULL, indexType, base,
                      type);
}
cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz,
                                     const void **rowIndices, const void **colIndices, const void **values,
                                     cusparseIndexType_t *indexType, cusparseIndexBase_t *base, cudaDataType *type)
{
    return get_matrix(mat, CUSPARSE_FORMAT_COO, rows, cols, nnz, (void **)rowIndices, (void **)colIndices,
                      (void **)values, NULL, indexType, base, type);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t mat, void *rowIndices, void *colIndices, void *values)
{
    return set_pointers(mat, CUSPARSE_FORMAT_COO, rowIndices, colIndices, values);
}
cusparseStatus_t cusparseCreateSlicedEll(cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                                         int64_t valuesSize, int64_t sliceSize, void *sliceOffsets, void *colIndices,
                                         void *values, cusparseIndexType_t offsetsType, cusparseIndexType_t indexType,
                                         cusparseIndexBase_t base, cudaDataType type)
{
    if (sliceSize < 1 || valuesSize < nnz)
        return CUSPARSE_STATUS_INVALID_VALUE;
    LOCKSTEP_SPARSE_STEP(create_matrix(mat, {CUSPARSE_FORMAT_SLICED_ELLPACK, rows, cols, nnz, sliceOffsets, colIndices,
                                             values, offsetsType, indexType, base, type}));
    (*mat)->places = valuesSize;
    (*mat)->slice_rows = sliceSize;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateConstSlicedEll(cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                                              int64_t valuesSize, int64_t sliceSize, const void *sliceOffsets,
                                              const void *colIndices, const void *values,
                                              cusparseIndexType_t offsetsType, cusparseIndexType_t indexType,
                                              cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateSlicedEll((cusparseSpMatDescr_t *)mat, rows, cols, nnz, valuesSize, sliceSize,
                                   (void *)sliceOffsets, (void *)colIndices, (void *)values, offsetsType, indexType,
                                   base, type);
}
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t mat)
{
    free((void *)mat);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz)
{
    if (!mat)
        return CUSPARSE_STATUS_INVALID_VALUE;
    give(rows, mat->rows);
    give(cols, mat->cols);
    give(nnz, mat->nnz);
    return CUSPARSE_STATUS_SUCCESS;
}
static cusparseStatus_t set_batch(cusparseSpMatDescr_t mat, cusparseFormat_t format, int count, int64_t major_stride,
                                  int64_t values_stride)
{
    if (!mat || mat->format != format || count < 1 || major_stride < 0 || values_stride < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    mat->batch = count;
    mat->major_stride = major_stride;
    mat->values_stride = values_stride;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t mat, int count, int64_t stride)
{
    return set_batch(mat, CUSPARSE_FORMAT_COO, count, stride, stride);
}
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t mat, int count, int64_t offsetsStride,
                                            int64_t valuesStride)
{
    return set_batch(mat, CUSPARSE_FORMAT_CSR, count, offsetsStride, valuesStride);
}
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t mat, cusparseSpMatAttribute_t attribute,
                                           void *data, size_t size)
{
    if (!mat || !data || size < sizeof(int) || attribute < CUSPARSE_SPMAT_FILL_MODE ||
        attribute > CUSPARSE_SPMAT_DIAG_TYPE)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *(int *)data = attribute == CUSPARSE_SPMAT_FILL_MODE ? (int)mat->fill : (int)mat->diagonal;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t mat, cusparseSpMatAttribute_t attribute, void *data,
                                           size_t size)
{
    if (!mat || !data || size < sizeof(int) || attribute < CUSPARSE_SPMAT_FILL_MODE ||
        attribute > CUSPARSE_SPMAT_DIAG_TYPE)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (attribute == CUSPARSE_SPMAT_FILL_MODE)
        mat->fill = (cusparseFillMode_t) * (const int *)data;
    else
        mat->diagonal = (cusparseDiagType_t) * (const int *)data;
    return CUSPARSE_STATUS_SUCCESS;
}

// ---- dense matrices
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ld, void *values,
                                     cudaDataType type, cusparseOrder_t order)
{
    if (rows < 0 || cols < 0 || (order != CUSPARSE_ORDER_ROW && order != CUSPARSE_ORDER_COL) ||
        ld < (order == CUSPARSE_ORDER_ROW ? cols : rows) || (rows && cols && !values))
        return CUSPARSE_STATUS_INVALID_VALUE;
    LOCKSTEP_SPARSE_STEP(create(mat));
    **mat = cusparseDnMatDescr{rows, cols, ld, values, type, order, 1, 0};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ld,
                                          const void *values, cudaDataType type, cusparseOrder_t order)
{
    return cusparseCreateDnMat((cusparseDnMatDescr_t *)mat, rows, cols, ld, (void *)values, type, order);
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t mat)
{
    free((void *)mat);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *ld, void **values,
                                  cudaDataType *type, cusparseOrder_t *order)
{
    if (!mat)
        return CUSPARSE_STATUS_INVALID_VALUE;
    give(rows, mat->rows);
    give(cols, mat->cols);
    give(ld, mat->ld);
    give(values, mat->values);
    give(type, mat->type);
    give(order, mat->order);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *ld,
                                       const void **values, cudaDataType *type, cusparseOrder_t *order)
{
    return cusparseDnMatGet((cusparseDnMatDescr_t)mat, rows, cols, ld, (void **)values, type, order);
}
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t mat, int count, int64_t stride)
{
    if (!mat || count < 1 || stride < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    mat->batch = count;
    mat->stride = stride;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t mat, int *count, int64_t *stride)
{
    if (!mat)
        return CUSPARSE_STATUS_INVALID_VALUE;
    give(count, mat->batch);
    give(stride, mat->stride);
    return CUSPARSE_STATUS_SUCCESS;
}

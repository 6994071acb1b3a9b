/* Functions of cuSPARSE: LOCKSTEP_CUSPARSE(result, name, arguments). Included by cusparse.h, which says what becomes of
 * a row. */
#define LOCKSTEP_SPARSE(name, ...) LOCKSTEP_CUSPARSE(cusparseStatus_t, name, __VA_ARGS__)

/* ---- handles ---- */
LOCKSTEP_SPARSE(cusparseCreate, cusparseHandle_t *handle)
LOCKSTEP_SPARSE(cusparseDestroy, cusparseHandle_t handle)
LOCKSTEP_SPARSE(cusparseGetVersion, cusparseHandle_t handle, int *version)
LOCKSTEP_SPARSE(cusparseGetProperty, libraryPropertyType type, int *value)
LOCKSTEP_CUSPARSE(const char *, cusparseGetErrorName, cusparseStatus_t status)
LOCKSTEP_CUSPARSE(const char *, cusparseGetErrorString, cusparseStatus_t status)
LOCKSTEP_SPARSE(cusparseSetStream, cusparseHandle_t handle, cudaStream_t stream)
LOCKSTEP_SPARSE(cusparseGetStream, cusparseHandle_t handle, cudaStream_t *stream)
LOCKSTEP_SPARSE(cusparseSetPointerMode, cusparseHandle_t handle, cusparsePointerMode_t mode)
LOCKSTEP_SPARSE(cusparseGetPointerMode, cusparseHandle_t handle, cusparsePointerMode_t *mode)
LOCKSTEP_SPARSE(cusparseLoggerSetFile, FILE *file)
LOCKSTEP_SPARSE(cusparseLoggerOpenFile, const char *path)
LOCKSTEP_SPARSE(cusparseLoggerSetLevel, int level)
LOCKSTEP_SPARSE(cusparseLoggerSetMask, int mask)
LOCKSTEP_SPARSE(cusparseLoggerForceDisable, void)

/* ---- descriptors of vectors: `Const` forms are of arrays that are only read ---- */
#define LOCKSTEP_GET_INDEXED cusparseIndexType_t *indexType, cusparseIndexBase_t *base, cudaDataType *type
LOCKSTEP_SPARSE(cusparseCreateSpVec, cusparseSpVecDescr_t *vec, int64_t size, int64_t nnz, void *indices, void *values,
                cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType type)
LOCKSTEP_SPARSE(cusparseCreateConstSpVec, cusparseConstSpVecDescr_t *vec, int64_t size, int64_t nnz,
                const void *indices, const void *values, cusparseIndexType_t indexType, cusparseIndexBase_t base,
                cudaDataType type)
LOCKSTEP_SPARSE(cusparseDestroySpVec, cusparseConstSpVecDescr_t vec)
LOCKSTEP_SPARSE(cusparseSpVecGet, cusparseSpVecDescr_t vec, int64_t *size, int64_t *nnz, void **indices, void **values,
                LOCKSTEP_GET_INDEXED)
LOCKSTEP_SPARSE(cusparseConstSpVecGet, cusparseConstSpVecDescr_t vec, int64_t *size, int64_t *nnz, const void **indices,
                const void **values, LOCKSTEP_GET_INDEXED)
LOCKSTEP_SPARSE(cusparseSpVecGetIndexBase, cusparseConstSpVecDescr_t vec, cusparseIndexBase_t *base)
LOCKSTEP_SPARSE(cusparseSpVecGetValues, cusparseSpVecDescr_t vec, void **values)
LOCKSTEP_SPARSE(cusparseConstSpVecGetValues, cusparseConstSpVecDescr_t vec, const void **values)
LOCKSTEP_SPARSE(cusparseSpVecSetValues, cusparseSpVecDescr_t vec, void *values)
LOCKSTEP_SPARSE(cusparseCreateDnVec, cusparseDnVecDescr_t *vec, int64_t size, void *values, cudaDataType type)
LOCKSTEP_SPARSE(cusparseCreateConstDnVec, cusparseConstDnVecDescr_t *vec, int64_t size, const void *values,
                cudaDataType type)
LOCKSTEP_SPARSE(cusparseDestroyDnVec, cusparseConstDnVecDescr_t vec)
LOCKSTEP_SPARSE(cusparseDnVecGet, cusparseDnVecDescr_t vec, int64_t *size, void **values, cudaDataType *type)
LOCKSTEP_SPARSE(cusparseConstDnVecGet, cusparseConstDnVecDescr_t vec, int64_t *size, const void **values,
                cudaDataType *type)
LOCKSTEP_SPARSE(cusparseDnVecGetValues, cusparseDnVecDescr_t vec, void **values)
LOCKSTEP_SPARSE(cusparseConstDnVecGetValues, cusparseConstDnVecDescr_t vec, const void **values)
LOCKSTEP_SPARSE(cusparseDnVecSetValues, cusparseDnVecDescr_t vec, void *values)

/* ---- and of matrices: offsets and indices are those of rows and columns, or the other way round (Csc) ---- */
#define LOCKSTEP_COMPRESSED(any)                                                                                       \
    int64_t rows, int64_t cols, int64_t nnz, any *offsets, any *indices, any *values, cusparseIndexType_t offsetsType, \
        cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType type
#define LOCKSTEP_GET_COMPRESSED(any)                                                                                   \
    int64_t *rows, int64_t *cols, int64_t *nnz, any **offsets, any **indices, any **values,                            \
        cusparseIndexType_t *offsetsType, LOCKSTEP_GET_INDEXED
#define LOCKSTEP_COORDINATES(any)                                                                                      \
    int64_t rows, int64_t cols, int64_t nnz, any *rowIndices, any *colIndices, any *values,                            \
        cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType type
#define LOCKSTEP_GET_COORDINATES(any)                                                                                  \
    int64_t *rows, int64_t *cols, int64_t *nnz, any **rowIndices, any **colIndices, any **values, LOCKSTEP_GET_INDEXED
LOCKSTEP_SPARSE(cusparseCreateCsr, cusparseSpMatDescr_t *mat, LOCKSTEP_COMPRESSED(void))
LOCKSTEP_SPARSE(cusparseCreateConstCsr, cusparseConstSpMatDescr_t *mat, LOCKSTEP_COMPRESSED(const void))
LOCKSTEP_SPARSE(cusparseCreateCsc, cusparseSpMatDescr_t *mat, LOCKSTEP_COMPRESSED(void))
LOCKSTEP_SPARSE(cusparseCreateConstCsc, cusparseConstSpMatDescr_t *mat, LOCKSTEP_COMPRESSED(const void))
LOCKSTEP_SPARSE(cusparseCreateCoo, cusparseSpMatDescr_t *mat, LOCKSTEP_COORDINATES(void))
LOCKSTEP_SPARSE(cusparseCreateConstCoo, cusparseConstSpMatDescr_t *mat, LOCKSTEP_COORDINATES(const void))
/* Sliced ELL: rows in slices of sliceSize, each as wide as its longest row; shorter ones have column indices below 0.
 */
#define LOCKSTEP_SLICED(any)                                                                                           \
    int64_t rows, int64_t cols, int64_t nnz, int64_t valuesSize, int64_t sliceSize, any *sliceOffsets,                 \
        any *colIndices, any *values, cusparseIndexType_t offsetsType, cusparseIndexType_t indexType,                  \
        cusparseIndexBase_t base, cudaDataType type
LOCKSTEP_SPARSE(cusparseCreateSlicedEll, cusparseSpMatDescr_t *mat, LOCKSTEP_SLICED(void))
LOCKSTEP_SPARSE(cusparseCreateConstSlicedEll, cusparseConstSpMatDescr_t *mat, LOCKSTEP_SLICED(const void))
LOCKSTEP_SPARSE(cusparseDestroySpMat, cusparseConstSpMatDescr_t mat)
LOCKSTEP_SPARSE(cusparseCsrGet, cusparseSpMatDescr_t mat, LOCKSTEP_GET_COMPRESSED(void))
LOCKSTEP_SPARSE(cusparseConstCsrGet, cusparseConstSpMatDescr_t mat, LOCKSTEP_GET_COMPRESSED(const void))
LOCKSTEP_SPARSE(cusparseCscGet, cusparseSpMatDescr_t mat, LOCKSTEP_GET_COMPRESSED(void))
LOCKSTEP_SPARSE(cusparseConstCscGet, cusparseConstSpMatDescr_t mat, LOCKSTEP_GET_COMPRESSED(const void))
LOCKSTEP_SPARSE(cusparseCooGet, cusparseSpMatDescr_t mat, LOCKSTEP_GET_COORDINATES(void))
LOCKSTEP_SPARSE(cusparseConstCooGet, cusparseConstSpMatDescr_t mat, LOCKSTEP_GET_COORDINATES(const void))
LOCKSTEP_SPARSE(cusparseCsrSetPointers, cusparseSpMatDescr_t mat, void *offsets, void *indices, void *values)
LOCKSTEP_SPARSE(cusparseCscSetPointers, cusparseSpMatDescr_t mat, void *offsets, void *indices, void *values)
LOCKSTEP_SPARSE(cusparseCooSetPointers, cusparseSpMatDescr_t mat, void *rowIndices, void *colIndices, void *values)
LOCKSTEP_SPARSE(cusparseSpMatGetFormat, cusparseConstSpMatDescr_t mat, cusparseFormat_t *format)
LOCKSTEP_SPARSE(cusparseSpMatGetIndexBase, cusparseConstSpMatDescr_t mat, cusparseIndexBase_t *base)
LOCKSTEP_SPARSE(cusparseSpMatGetSize, cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz)
LOCKSTEP_SPARSE(cusparseSpMatGetValues, cusparseSpMatDescr_t mat, void **values)
LOCKSTEP_SPARSE(cusparseConstSpMatGetValues, cusparseConstSpMatDescr_t mat, const void **values)
LOCKSTEP_SPARSE(cusparseSpMatSetValues, cusparseSpMatDescr_t mat, void *values)
LOCKSTEP_SPARSE(cusparseSpMatGetStridedBatch, cusparseConstSpMatDescr_t mat, int *count)
LOCKSTEP_SPARSE(cusparseCooSetStridedBatch, cusparseSpMatDescr_t mat, int count, int64_t stride)
LOCKSTEP_SPARSE(cusparseCsrSetStridedBatch, cusparseSpMatDescr_t mat, int count, int64_t offsetsStride,
                int64_t valuesStride)
LOCKSTEP_SPARSE(cusparseSpMatGetAttribute, cusparseConstSpMatDescr_t mat, cusparseSpMatAttribute_t attribute,
                void *data, size_t size)
LOCKSTEP_SPARSE(cusparseSpMatSetAttribute, cusparseSpMatDescr_t mat, cusparseSpMatAttribute_t attribute, void *data,
                size_t size)
LOCKSTEP_SPARSE(cusparseCreateDnMat, cusparseDnMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ld, void *values,
                cudaDataType type, cusparseOrder_t order)
LOCKSTEP_SPARSE(cusparseCreateConstDnMat, cusparseConstDnMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ld,
                const void *values, cudaDataType type, cusparseOrder_t order)
LOCKSTEP_SPARSE(cusparseDestroyDnMat, cusparseConstDnMatDescr_t mat)
LOCKSTEP_SPARSE(cusparseDnMatGet, cusparseDnMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *ld, void **values,
                cudaDataType *type, cusparseOrder_t *order)
LOCKSTEP_SPARSE(cusparseConstDnMatGet, cusparseConstDnMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *ld,
                const void **values, cudaDataType *type, cusparseOrder_t *order)
LOCKSTEP_SPARSE(cusparseDnMatGetValues, cusparseDnMatDescr_t mat, void **values)
LOCKSTEP_SPARSE(cusparseConstDnMatGetValues, cusparseConstDnMatDescr_t mat, const void **values)
LOCKSTEP_SPARSE(cusparseDnMatSetValues, cusparseDnMatDescr_t mat, void *values)
LOCKSTEP_SPARSE(cusparseDnMatSetStridedBatch, cusparseDnMatDescr_t mat, int count, int64_t stride)
LOCKSTEP_SPARSE(cusparseDnMatGetStridedBatch, cusparseConstDnMatDescr_t mat, int *count, int64_t *stride)

/* ---- vectors ---- */
LOCKSTEP_SPARSE(cusparseAxpby, cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t x,
                const void *beta, cusparseDnVecDescr_t y)
LOCKSTEP_SPARSE(cusparseGather, cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x)
LOCKSTEP_SPARSE(cusparseScatter, cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y)
LOCKSTEP_SPARSE(cusparseRot, cusparseHandle_t handle, const void *c, const void *s, cusparseSpVecDescr_t x,
                cusparseDnVecDescr_t y)
#define LOCKSTEP_DOT                                                                                                   \
    cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y
LOCKSTEP_SPARSE(cusparseSpVV_bufferSize, LOCKSTEP_DOT, const void *result, cudaDataType computeType, size_t *size)
LOCKSTEP_SPARSE(cusparseSpVV, LOCKSTEP_DOT, void *result, cudaDataType computeType, void *buffer)

/* ---- dense matrices and sparse ones ---- */
#define LOCKSTEP_TO_DENSE                                                                                              \
    cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg
#define LOCKSTEP_TO_SPARSE                                                                                             \
    cusparseHandle_t handle, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t alg
LOCKSTEP_SPARSE(cusparseSparseToDense_bufferSize, LOCKSTEP_TO_DENSE, size_t *size)
LOCKSTEP_SPARSE(cusparseSparseToDense, LOCKSTEP_TO_DENSE, void *buffer)
LOCKSTEP_SPARSE(cusparseDenseToSparse_bufferSize, LOCKSTEP_TO_SPARSE, size_t *size)
LOCKSTEP_SPARSE(cusparseDenseToSparse_analysis, LOCKSTEP_TO_SPARSE, void *buffer)
LOCKSTEP_SPARSE(cusparseDenseToSparse_convert, LOCKSTEP_TO_SPARSE, void *buffer)

/* ---- products ---- */
#define LOCKSTEP_SPMV                                                                                                  \
    cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t a,                  \
        cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType computeType,               \
        cusparseSpMVAlg_t alg
#define LOCKSTEP_OPERATIONS cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB
#define LOCKSTEP_SPMM                                                                                                  \
    LOCKSTEP_OPERATIONS, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,                  \
        const void *beta, cusparseDnMatDescr_t c, cudaDataType computeType, cusparseSpMMAlg_t alg
#define LOCKSTEP_SDDMM                                                                                                 \
    LOCKSTEP_OPERATIONS, const void *alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,                  \
        const void *beta, cusparseSpMatDescr_t c, cudaDataType computeType, cusparseSDDMMAlg_t alg
#define LOCKSTEP_SPGEMM                                                                                                \
    LOCKSTEP_OPERATIONS, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,                  \
        const void *beta, cusparseSpMatDescr_t c, cudaDataType computeType, cusparseSpGEMMAlg_t alg,                   \
        cusparseSpGEMMDescr_t descr
#define LOCKSTEP_REUSE                                                                                                 \
    LOCKSTEP_OPERATIONS, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,             \
        cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr
LOCKSTEP_SPARSE(cusparseSpMV_bufferSize, LOCKSTEP_SPMV, size_t *size)
LOCKSTEP_SPARSE(cusparseSpMV_preprocess, LOCKSTEP_SPMV, void *buffer)
LOCKSTEP_SPARSE(cusparseSpMV, LOCKSTEP_SPMV, void *buffer)
LOCKSTEP_SPARSE(cusparseSpMM_bufferSize, LOCKSTEP_SPMM, size_t *size)
LOCKSTEP_SPARSE(cusparseSpMM_preprocess, LOCKSTEP_SPMM, void *buffer)
LOCKSTEP_SPARSE(cusparseSpMM, LOCKSTEP_SPMM, void *buffer)
LOCKSTEP_SPARSE(cusparseSDDMM_bufferSize, LOCKSTEP_SDDMM, size_t *size)
LOCKSTEP_SPARSE(cusparseSDDMM_preprocess, LOCKSTEP_SDDMM, void *buffer)
LOCKSTEP_SPARSE(cusparseSDDMM, LOCKSTEP_SDDMM, void *buffer)
LOCKSTEP_SPARSE(cusparseSpGEMM_createDescr, cusparseSpGEMMDescr_t *descr)
LOCKSTEP_SPARSE(cusparseSpGEMM_destroyDescr, cusparseSpGEMMDescr_t descr)
LOCKSTEP_SPARSE(cusparseSpGEMM_workEstimation, LOCKSTEP_SPGEMM, size_t *size, void *buffer)
LOCKSTEP_SPARSE(cusparseSpGEMM_getNumProducts, cusparseSpGEMMDescr_t descr, int64_t *count)
LOCKSTEP_SPARSE(cusparseSpGEMM_estimateMemory, LOCKSTEP_SPGEMM, float fraction, size_t *size3, void *buffer3,
                size_t *size2)
LOCKSTEP_SPARSE(cusparseSpGEMM_compute, LOCKSTEP_SPGEMM, size_t *size, void *buffer)
LOCKSTEP_SPARSE(cusparseSpGEMM_copy, LOCKSTEP_SPGEMM)
LOCKSTEP_SPARSE(cusparseSpGEMMreuse_workEstimation, LOCKSTEP_REUSE, size_t *size, void *buffer)
LOCKSTEP_SPARSE(cusparseSpGEMMreuse_nnz, LOCKSTEP_REUSE, size_t *size2, void *buffer2, size_t *size3, void *buffer3,
                size_t *size4, void *buffer4)
LOCKSTEP_SPARSE(cusparseSpGEMMreuse_copy, LOCKSTEP_REUSE, size_t *size, void *buffer)
LOCKSTEP_SPARSE(cusparseSpGEMMreuse_compute, LOCKSTEP_SPGEMM)

/* ---- triangular systems ---- */
#define LOCKSTEP_SPSV                                                                                                  \
    cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t a,                  \
        cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpSVAlg_t alg,          \
        cusparseSpSVDescr_t descr
#define LOCKSTEP_SPSM                                                                                                  \
    LOCKSTEP_OPERATIONS, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,                  \
        cusparseDnMatDescr_t c, cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr
LOCKSTEP_SPARSE(cusparseSpSV_createDescr, cusparseSpSVDescr_t *descr)
LOCKSTEP_SPARSE(cusparseSpSV_destroyDescr, cusparseSpSVDescr_t descr)
LOCKSTEP_SPARSE(cusparseSpSV_bufferSize, LOCKSTEP_SPSV, size_t *size)
LOCKSTEP_SPARSE(cusparseSpSV_analysis, LOCKSTEP_SPSV, void *buffer)
LOCKSTEP_SPARSE(cusparseSpSV_solve, LOCKSTEP_SPSV)
LOCKSTEP_SPARSE(cusparseSpSM_createDescr, cusparseSpSMDescr_t *descr)
LOCKSTEP_SPARSE(cusparseSpSM_destroyDescr, cusparseSpSMDescr_t descr)
LOCKSTEP_SPARSE(cusparseSpSM_bufferSize, LOCKSTEP_SPSM, size_t *size)
LOCKSTEP_SPARSE(cusparseSpSM_analysis, LOCKSTEP_SPSM, void *buffer)
LOCKSTEP_SPARSE(cusparseSpSM_solve, LOCKSTEP_SPSM)

/* ---- functions of the older kind, whose matrices are CSR of 32 bits ---- */
LOCKSTEP_SPARSE(cusparseCreateMatDescr, cusparseMatDescr_t *descr)
LOCKSTEP_SPARSE(cusparseDestroyMatDescr, cusparseMatDescr_t descr)
LOCKSTEP_SPARSE(cusparseSetMatType, cusparseMatDescr_t descr, cusparseMatrixType_t type)
LOCKSTEP_CUSPARSE(cusparseMatrixType_t, cusparseGetMatType, const cusparseMatDescr_t descr)
LOCKSTEP_SPARSE(cusparseSetMatFillMode, cusparseMatDescr_t descr, cusparseFillMode_t mode)
LOCKSTEP_CUSPARSE(cusparseFillMode_t, cusparseGetMatFillMode, const cusparseMatDescr_t descr)
LOCKSTEP_SPARSE(cusparseSetMatDiagType, cusparseMatDescr_t descr, cusparseDiagType_t type)
LOCKSTEP_CUSPARSE(cusparseDiagType_t, cusparseGetMatDiagType, const cusparseMatDescr_t descr)
LOCKSTEP_SPARSE(cusparseSetMatIndexBase, cusparseMatDescr_t descr, cusparseIndexBase_t base)
LOCKSTEP_CUSPARSE(cusparseIndexBase_t, cusparseGetMatIndexBase, const cusparseMatDescr_t descr)
LOCKSTEP_SPARSE(cusparseXcoo2csr, cusparseHandle_t handle, const int *rows, int nnz, int m, int *offsets,
                cusparseIndexBase_t base)
LOCKSTEP_SPARSE(cusparseXcsr2coo, cusparseHandle_t handle, const int *offsets, int nnz, int m, int *rows,
                cusparseIndexBase_t base)
LOCKSTEP_SPARSE(cusparseCreateIdentityPermutation, cusparseHandle_t handle, int n, int *p)
LOCKSTEP_SPARSE(cusparseXcoosort_bufferSizeExt, cusparseHandle_t handle, int m, int n, int nnz, const int *rows,
                const int *cols, size_t *size)
LOCKSTEP_SPARSE(cusparseXcoosortByRow, cusparseHandle_t handle, int m, int n, int nnz, int *rows, int *cols, int *p,
                void *buffer)
LOCKSTEP_SPARSE(cusparseXcoosortByColumn, cusparseHandle_t handle, int m, int n, int nnz, int *rows, int *cols, int *p,
                void *buffer)
LOCKSTEP_SPARSE(cusparseXcsrsort_bufferSizeExt, cusparseHandle_t handle, int m, int n, int nnz, const int *offsets,
                const int *cols, size_t *size)
LOCKSTEP_SPARSE(cusparseXcsrsort, cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descr,
                const int *offsets, int *cols, int *p, void *buffer)
LOCKSTEP_SPARSE(cusparseXcscsort_bufferSizeExt, cusparseHandle_t handle, int m, int n, int nnz, const int *offsets,
                const int *rows, size_t *size)
LOCKSTEP_SPARSE(cusparseXcscsort, cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descr,
                const int *offsets, int *rows, int *p, void *buffer)
#define LOCKSTEP_TRANSPOSE                                                                                             \
    cusparseHandle_t handle, int m, int n, int nnz, const void *values, const int *offsets, const int *cols,           \
        void *cscValues, int *cscOffsets, int *rows, cudaDataType type, cusparseAction_t action,                       \
        cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg
LOCKSTEP_SPARSE(cusparseCsr2cscEx2_bufferSize, LOCKSTEP_TRANSPOSE, size_t *size)
LOCKSTEP_SPARSE(cusparseCsr2cscEx2, LOCKSTEP_TRANSPOSE, void *buffer)
LOCKSTEP_SPARSE(cusparseXcsrgeam2Nnz, cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA, int nnzA,
                const int *offsetsA, const int *colsA, const cusparseMatDescr_t descrB, int nnzB, const int *offsetsB,
                const int *colsB, const cusparseMatDescr_t descrC, int *offsetsC, int *nnz, void *buffer)
LOCKSTEP_SPARSE(cusparseCreateCsrilu02Info, csrilu02Info_t *info)
LOCKSTEP_SPARSE(cusparseDestroyCsrilu02Info, csrilu02Info_t info)
LOCKSTEP_SPARSE(cusparseXcsrilu02_zeroPivot, cusparseHandle_t handle, csrilu02Info_t info, int *position)
LOCKSTEP_SPARSE(cusparseCreateCsric02Info, csric02Info_t *info)
LOCKSTEP_SPARSE(cusparseDestroyCsric02Info, csric02Info_t info)
LOCKSTEP_SPARSE(cusparseXcsric02_zeroPivot, cusparseHandle_t handle, csric02Info_t info, int *position)

#define LOCKSTEP_L S
#define LOCKSTEP_T float
#include "lockstep/cusparse_letter.h"
#define LOCKSTEP_L D
#define LOCKSTEP_T double
#include "lockstep/cusparse_letter.h"
#define LOCKSTEP_L C
#define LOCKSTEP_T cuComplex
#include "lockstep/cusparse_letter.h"
#define LOCKSTEP_L Z
#define LOCKSTEP_T cuDoubleComplex
#include "lockstep/cusparse_letter.h"

#undef LOCKSTEP_SPARSE
#undef LOCKSTEP_GET_INDEXED
#undef LOCKSTEP_COMPRESSED
#undef LOCKSTEP_GET_COMPRESSED
#undef LOCKSTEP_COORDINATES
#undef LOCKSTEP_GET_COORDINATES
#undef LOCKSTEP_DOT
#undef LOCKSTEP_TO_DENSE
#undef LOCKSTEP_TO_SPARSE
#undef LOCKSTEP_SPMV
#undef LOCKSTEP_OPERATIONS
#undef LOCKSTEP_SPMM
#undef LOCKSTEP_SDDMM
#undef LOCKSTEP_SPGEMM
#undef LOCKSTEP_REUSE
#undef LOCKSTEP_SPSV
#undef LOCKSTEP_SPSM
#undef LOCKSTEP_TRANSPOSE

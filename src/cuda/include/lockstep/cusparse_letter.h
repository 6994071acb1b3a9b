/* Functions of cuSPARSE that each type has: LOCKSTEP_L and LOCKSTEP_T are set (cusparse_functions.h). */
#define LOCKSTEP_SPARSE_JOIN(a, b, c) LOCKSTEP_SPARSE_JOIN_(a, b, c)
#define LOCKSTEP_SPARSE_JOIN_(a, b, c) a##b##c
#define LOCKSTEP_SPARSE_OF(name, ...) LOCKSTEP_SPARSE(LOCKSTEP_SPARSE_JOIN(cusparse, LOCKSTEP_L, name), __VA_ARGS__)

LOCKSTEP_SPARSE_OF(nnz, cusparseHandle_t handle, cusparseDirection_t direction, int m, int n,
                   const cusparseMatDescr_t descr, const LOCKSTEP_T *A, int lda, int *counts, int *total)

/* alpha A + beta B */
#define LOCKSTEP_CSR(any, M)                                                                                           \
    const cusparseMatDescr_t descr##M, int nnz##M, any LOCKSTEP_T *values##M, const int *offsets##M, const int *cols##M
LOCKSTEP_SPARSE_OF(csrgeam2_bufferSizeExt, cusparseHandle_t handle, int m, int n, const LOCKSTEP_T *alpha,
                   LOCKSTEP_CSR(const, A), const LOCKSTEP_T *beta, LOCKSTEP_CSR(const, B),
                   const cusparseMatDescr_t descrC, const LOCKSTEP_T *valuesC, const int *offsetsC, const int *colsC,
                   size_t *size)
LOCKSTEP_SPARSE_OF(csrgeam2, cusparseHandle_t handle, int m, int n, const LOCKSTEP_T *alpha, LOCKSTEP_CSR(const, A),
                   const LOCKSTEP_T *beta, LOCKSTEP_CSR(const, B), const cusparseMatDescr_t descrC, LOCKSTEP_T *valuesC,
                   int *offsetsC, int *colsC, void *buffer)
#undef LOCKSTEP_CSR

/* Factors in the place of A, where A has elements. */
#define LOCKSTEP_FACTORS(any, info_type)                                                                               \
    cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, any LOCKSTEP_T *values,                   \
        const int *offsets, const int *cols, info_type info
#define LOCKSTEP_FACTORED(name, info_type)                                                                             \
    LOCKSTEP_SPARSE_OF(name##_bufferSize, LOCKSTEP_FACTORS(, info_type), int *size)                                    \
    LOCKSTEP_SPARSE_OF(name##_analysis, LOCKSTEP_FACTORS(const, info_type), cusparseSolvePolicy_t policy,              \
                       void *buffer)                                                                                   \
    LOCKSTEP_SPARSE_OF(name, LOCKSTEP_FACTORS(, info_type), cusparseSolvePolicy_t policy, void *buffer)
LOCKSTEP_FACTORED(csrilu02, csrilu02Info_t)
LOCKSTEP_FACTORED(csric02, csric02Info_t)
#undef LOCKSTEP_FACTORED
#undef LOCKSTEP_FACTORS

/* Systems of three diagonals. */
#define LOCKSTEP_DIAGONALS const LOCKSTEP_T *dl, const LOCKSTEP_T *d, const LOCKSTEP_T *du
LOCKSTEP_SPARSE_OF(gtsv2_bufferSizeExt, cusparseHandle_t handle, int m, int n, LOCKSTEP_DIAGONALS, const LOCKSTEP_T *B,
                   int ldb, size_t *size)
LOCKSTEP_SPARSE_OF(gtsv2, cusparseHandle_t handle, int m, int n, LOCKSTEP_DIAGONALS, LOCKSTEP_T *B, int ldb,
                   void *buffer)
LOCKSTEP_SPARSE_OF(gtsv2_nopivot_bufferSizeExt, cusparseHandle_t handle, int m, int n, LOCKSTEP_DIAGONALS,
                   const LOCKSTEP_T *B, int ldb, size_t *size)
LOCKSTEP_SPARSE_OF(gtsv2_nopivot, cusparseHandle_t handle, int m, int n, LOCKSTEP_DIAGONALS, LOCKSTEP_T *B, int ldb,
                   void *buffer)
LOCKSTEP_SPARSE_OF(gtsv2StridedBatch_bufferSizeExt, cusparseHandle_t handle, int m, LOCKSTEP_DIAGONALS,
                   const LOCKSTEP_T *x, int batchCount, int batchStride, size_t *size)
LOCKSTEP_SPARSE_OF(gtsv2StridedBatch, cusparseHandle_t handle, int m, LOCKSTEP_DIAGONALS, LOCKSTEP_T *x, int batchCount,
                   int batchStride, void *buffer)
LOCKSTEP_SPARSE_OF(gtsvInterleavedBatch_bufferSizeExt, cusparseHandle_t handle, int algo, int m, LOCKSTEP_DIAGONALS,
                   const LOCKSTEP_T *x, int batchCount, size_t *size)
LOCKSTEP_SPARSE_OF(gtsvInterleavedBatch, cusparseHandle_t handle, int algo, int m, LOCKSTEP_T *dl, LOCKSTEP_T *d,
                   LOCKSTEP_T *du, LOCKSTEP_T *x, int batchCount, void *buffer)
#undef LOCKSTEP_DIAGONALS
/* And of five: what is in the diagonals is overwritten. */
#define LOCKSTEP_DIAGONALS(any)                                                                                        \
    any LOCKSTEP_T *ds, any LOCKSTEP_T *dl, any LOCKSTEP_T *d, any LOCKSTEP_T *du, any LOCKSTEP_T *dw, any LOCKSTEP_T *x
LOCKSTEP_SPARSE_OF(gpsvInterleavedBatch_bufferSizeExt, cusparseHandle_t handle, int algo, int m,
                   LOCKSTEP_DIAGONALS(const), int batchCount, size_t *size)
LOCKSTEP_SPARSE_OF(gpsvInterleavedBatch, cusparseHandle_t handle, int algo, int m, LOCKSTEP_DIAGONALS(), int batchCount,
                   void *buffer)
#undef LOCKSTEP_DIAGONALS

#undef LOCKSTEP_SPARSE_OF
#undef LOCKSTEP_SPARSE_JOIN
#undef LOCKSTEP_SPARSE_JOIN_
#undef LOCKSTEP_L
#undef LOCKSTEP_T

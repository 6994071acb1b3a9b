// The functions of one type whose numbers have 64 bits: included once for each type, with LOCKSTEP_L, LOCKSTEP_T and
// their kin set. Each is the function without _64 where the numbers fit.
#define T LOCKSTEP_T
#define R LOCKSTEP_R
#define V2(name) LOCKSTEP_BLAS_V2(LOCKSTEP_L, name)
#define ONE(name) LOCKSTEP_BLAS_NAME(LOCKSTEP_L, name)
#define LONG_V2(letter, name) LOCKSTEP_CUBLAS_JOIN(LOCKSTEP_BLAS_V2(letter, name), _64)
#define LONG(letter, name) LOCKSTEP_CUBLAS_JOIN(LOCKSTEP_BLAS_NAME(letter, name), _64)

cublasStatus_t LONG_V2(LOCKSTEP_L, axpy)(cublasHandle_t handle, int64_t n, const T *alpha, const T *x, int64_t incx,
                                         T *y, int64_t incy)
{
    return are_ints(n, incx, incy) ? V2(axpy)(handle, (int)n, alpha, x, (int)incx, y, (int)incy)
                                   : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, scal)(cublasHandle_t handle, int64_t n, const T *alpha, T *x, int64_t incx)
{
    return are_ints(n, incx) ? V2(scal)(handle, (int)n, alpha, x, (int)incx) : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, copy)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, T *y, int64_t incy)
{
    return are_ints(n, incx, incy) ? V2(copy)(handle, (int)n, x, (int)incx, y, (int)incy) : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, swap)(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy)
{
    return are_ints(n, incx, incy) ? V2(swap)(handle, (int)n, x, (int)incx, y, (int)incy) : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, rot)(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy,
                                        const R *c, const T *s)
{
    return are_ints(n, incx, incy) ? V2(rot)(handle, (int)n, x, (int)incx, y, (int)incy, c, s)
                                   : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_LR, nrm2)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, R *result)
{
    return are_ints(n, incx) ? LOCKSTEP_BLAS_V2(LOCKSTEP_LR, nrm2)(handle, (int)n, x, (int)incx, result)
                             : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_LR, asum)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, R *result)
{
    return are_ints(n, incx) ? LOCKSTEP_BLAS_V2(LOCKSTEP_LR, asum)(handle, (int)n, x, (int)incx, result)
                             : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_LI, amax)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, int64_t *result)
{
    long_index place(handle, result);
    return place.give(are_ints(n, incx) ? LOCKSTEP_BLAS_V2(LOCKSTEP_LI, amax)(handle, (int)n, x, (int)incx, place.get())
                                        : CUBLAS_STATUS_NOT_SUPPORTED);
}
cublasStatus_t LONG_V2(LOCKSTEP_LI, amin)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, int64_t *result)
{
    long_index place(handle, result);
    return place.give(are_ints(n, incx) ? LOCKSTEP_BLAS_V2(LOCKSTEP_LI, amin)(handle, (int)n, x, (int)incx, place.get())
                                        : CUBLAS_STATUS_NOT_SUPPORTED);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, gemv)(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
                                         const T *alpha, const T *A, int64_t lda, const T *x, int64_t incx,
                                         const T *beta, T *y, int64_t incy)
{
    return are_ints(m, n, lda, incx, incy)
               ? V2(gemv)(handle, trans, (int)m, (int)n, alpha, A, (int)lda, x, (int)incx, beta, y, (int)incy)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG(LOCKSTEP_L, gemvBatched)(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
                                             const T *alpha, const T *const Aarray[], int64_t lda,
                                             const T *const xarray[], int64_t incx, const T *beta, T *const yarray[],
                                             int64_t incy, int64_t batchCount)
{
    return are_ints(m, n, lda, incx, incy, batchCount)
               ? ONE(gemvBatched)(handle, trans, (int)m, (int)n, alpha, Aarray, (int)lda, xarray, (int)incx, beta,
                                  yarray, (int)incy, (int)batchCount)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG(LOCKSTEP_L, gemvStridedBatched)(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
                                                    int64_t n, const T *alpha, const T *A, int64_t lda,
                                                    long long int strideA, const T *x, int64_t incx,
                                                    long long int stridex, const T *beta, T *y, int64_t incy,
                                                    long long int stridey, int64_t batchCount)
{
    return are_ints(m, n, lda, incx, incy, batchCount)
               ? ONE(gemvStridedBatched)(handle, trans, (int)m, (int)n, alpha, A, (int)lda, strideA, x, (int)incx,
                                         stridex, beta, y, (int)incy, stridey, (int)batchCount)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, symv)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                         const T *A, int64_t lda, const T *x, int64_t incx, const T *beta, T *y,
                                         int64_t incy)
{
    return are_ints(n, lda, incx, incy)
               ? V2(symv)(handle, uplo, (int)n, alpha, A, (int)lda, x, (int)incx, beta, y, (int)incy)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, trmv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                         cublasDiagType_t diag, int64_t n, const T *A, int64_t lda, T *x, int64_t incx)
{
    return are_ints(n, lda, incx) ? V2(trmv)(handle, uplo, trans, diag, (int)n, A, (int)lda, x, (int)incx)
                                  : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, trsv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                         cublasDiagType_t diag, int64_t n, const T *A, int64_t lda, T *x, int64_t incx)
{
    return are_ints(n, lda, incx) ? V2(trsv)(handle, uplo, trans, diag, (int)n, A, (int)lda, x, (int)incx)
                                  : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, syr)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                        const T *x, int64_t incx, T *A, int64_t lda)
{
    return are_ints(n, incx, lda) ? V2(syr)(handle, uplo, (int)n, alpha, x, (int)incx, A, (int)lda)
                                  : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, syr2)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                         const T *x, int64_t incx, const T *y, int64_t incy, T *A, int64_t lda)
{
    return are_ints(n, incx, incy, lda) ? V2(syr2)(handle, uplo, (int)n, alpha, x, (int)incx, y, (int)incy, A, (int)lda)
                                        : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, gemm)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int64_t m, int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda,
                                         const T *B, int64_t ldb, const T *beta, T *C, int64_t ldc)
{
    return are_ints(m, n, k, lda, ldb, ldc) ? V2(gemm)(handle, transa, transb, (int)m, (int)n, (int)k, alpha, A,
                                                       (int)lda, B, (int)ldb, beta, C, (int)ldc)
                                            : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG(LOCKSTEP_L, gemmBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                             int64_t m, int64_t n, int64_t k, const T *alpha, const T *const Aarray[],
                                             int64_t lda, const T *const Barray[], int64_t ldb, const T *beta,
                                             T *const Carray[], int64_t ldc, int64_t batchCount)
{
    return are_ints(m, n, k, lda, ldb, ldc, batchCount)
               ? ONE(gemmBatched)(handle, transa, transb, (int)m, (int)n, (int)k, alpha, Aarray, (int)lda, Barray,
                                  (int)ldb, beta, Carray, (int)ldc, (int)batchCount)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG(LOCKSTEP_L, gemmStridedBatched)(cublasHandle_t handle, cublasOperation_t transa,
                                                    cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                                    const T *alpha, const T *A, int64_t lda, long long int strideA,
                                                    const T *B, int64_t ldb, long long int strideB, const T *beta, T *C,
                                                    int64_t ldc, long long int strideC, int64_t batchCount)
{
    return are_ints(m, n, k, lda, ldb, ldc, batchCount)
               ? ONE(gemmStridedBatched)(handle, transa, transb, (int)m, (int)n, (int)k, alpha, A, (int)lda, strideA, B,
                                         (int)ldb, strideB, beta, C, (int)ldc, strideC, (int)batchCount)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, symm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m,
                                         int64_t n, const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb,
                                         const T *beta, T *C, int64_t ldc)
{
    return are_ints(m, n, lda, ldb, ldc)
               ? V2(symm)(handle, side, uplo, (int)m, (int)n, alpha, A, (int)lda, B, (int)ldb, beta, C, (int)ldc)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, syrk)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                         int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda, const T *beta,
                                         T *C, int64_t ldc)
{
    return are_ints(n, k, lda, ldc)
               ? V2(syrk)(handle, uplo, trans, (int)n, (int)k, alpha, A, (int)lda, beta, C, (int)ldc)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, syr2k)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                          int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda, const T *B,
                                          int64_t ldb, const T *beta, T *C, int64_t ldc)
{
    return are_ints(n, k, lda, ldb, ldc)
               ? V2(syr2k)(handle, uplo, trans, (int)n, (int)k, alpha, A, (int)lda, B, (int)ldb, beta, C, (int)ldc)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, trmm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                                         cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
                                         const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb, T *C,
                                         int64_t ldc)
{
    return are_ints(m, n, lda, ldb, ldc)
               ? V2(trmm)(handle, side, uplo, trans, diag, (int)m, (int)n, alpha, A, (int)lda, B, (int)ldb, C, (int)ldc)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, trsm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                                         cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
                                         const T *alpha, const T *A, int64_t lda, T *B, int64_t ldb)
{
    return are_ints(m, n, lda, ldb)
               ? V2(trsm)(handle, side, uplo, trans, diag, (int)m, (int)n, alpha, A, (int)lda, B, (int)ldb)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG(LOCKSTEP_L, trsmBatched)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                                             cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
                                             const T *alpha, const T *const A[], int64_t lda, T *const B[], int64_t ldb,
                                             int64_t batchCount)
{
    return are_ints(m, n, lda, ldb, batchCount) ? ONE(trsmBatched)(handle, side, uplo, trans, diag, (int)m, (int)n,
                                                                   alpha, A, (int)lda, B, (int)ldb, (int)batchCount)
                                                : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG(LOCKSTEP_L, geam)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                      int64_t m, int64_t n, const T *alpha, const T *A, int64_t lda, const T *beta,
                                      const T *B, int64_t ldb, T *C, int64_t ldc)
{
    return are_ints(m, n, lda, ldb, ldc)
               ? ONE(geam)(handle, transa, transb, (int)m, (int)n, alpha, A, (int)lda, beta, B, (int)ldb, C, (int)ldc)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG(LOCKSTEP_L, dgmm)(cublasHandle_t handle, cublasSideMode_t mode, int64_t m, int64_t n, const T *A,
                                      int64_t lda, const T *x, int64_t incx, T *C, int64_t ldc)
{
    return are_ints(m, n, lda, incx, ldc)
               ? ONE(dgmm)(handle, mode, (int)m, (int)n, A, (int)lda, x, (int)incx, C, (int)ldc)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}

#ifdef LOCKSTEP_BY_REAL
cublasStatus_t LONG_V2(LOCKSTEP_L, dotu)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, const T *y,
                                         int64_t incy, T *result)
{
    return are_ints(n, incx, incy) ? V2(dotu)(handle, (int)n, x, (int)incx, y, (int)incy, result)
                                   : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, dotc)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, const T *y,
                                         int64_t incy, T *result)
{
    return are_ints(n, incx, incy) ? V2(dotc)(handle, (int)n, x, (int)incx, y, (int)incy, result)
                                   : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_BY_REAL, scal)(cublasHandle_t handle, int64_t n, const R *alpha, T *x, int64_t incx)
{
    return are_ints(n, incx) ? LOCKSTEP_BLAS_V2(LOCKSTEP_BY_REAL, scal)(handle, (int)n, alpha, x, (int)incx)
                             : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_BY_REAL, rot)(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy,
                                              const R *c, const R *s)
{
    return are_ints(n, incx, incy)
               ? LOCKSTEP_BLAS_V2(LOCKSTEP_BY_REAL, rot)(handle, (int)n, x, (int)incx, y, (int)incy, c, s)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, geru)(cublasHandle_t handle, int64_t m, int64_t n, const T *alpha, const T *x,
                                         int64_t incx, const T *y, int64_t incy, T *A, int64_t lda)
{
    return are_ints(m, n, incx, incy, lda)
               ? V2(geru)(handle, (int)m, (int)n, alpha, x, (int)incx, y, (int)incy, A, (int)lda)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, gerc)(cublasHandle_t handle, int64_t m, int64_t n, const T *alpha, const T *x,
                                         int64_t incx, const T *y, int64_t incy, T *A, int64_t lda)
{
    return are_ints(m, n, incx, incy, lda)
               ? V2(gerc)(handle, (int)m, (int)n, alpha, x, (int)incx, y, (int)incy, A, (int)lda)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, hemv)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                         const T *A, int64_t lda, const T *x, int64_t incx, const T *beta, T *y,
                                         int64_t incy)
{
    return are_ints(n, lda, incx, incy)
               ? V2(hemv)(handle, uplo, (int)n, alpha, A, (int)lda, x, (int)incx, beta, y, (int)incy)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, her)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const R *alpha,
                                        const T *x, int64_t incx, T *A, int64_t lda)
{
    return are_ints(n, incx, lda) ? V2(her)(handle, uplo, (int)n, alpha, x, (int)incx, A, (int)lda)
                                  : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, her2)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                         const T *x, int64_t incx, const T *y, int64_t incy, T *A, int64_t lda)
{
    return are_ints(n, incx, incy, lda) ? V2(her2)(handle, uplo, (int)n, alpha, x, (int)incx, y, (int)incy, A, (int)lda)
                                        : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, hemm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m,
                                         int64_t n, const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb,
                                         const T *beta, T *C, int64_t ldc)
{
    return are_ints(m, n, lda, ldb, ldc)
               ? V2(hemm)(handle, side, uplo, (int)m, (int)n, alpha, A, (int)lda, B, (int)ldb, beta, C, (int)ldc)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, herk)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                         int64_t n, int64_t k, const R *alpha, const T *A, int64_t lda, const R *beta,
                                         T *C, int64_t ldc)
{
    return are_ints(n, k, lda, ldc)
               ? V2(herk)(handle, uplo, trans, (int)n, (int)k, alpha, A, (int)lda, beta, C, (int)ldc)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, her2k)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                          int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda, const T *B,
                                          int64_t ldb, const R *beta, T *C, int64_t ldc)
{
    return are_ints(n, k, lda, ldb, ldc)
               ? V2(her2k)(handle, uplo, trans, (int)n, (int)k, alpha, A, (int)lda, B, (int)ldb, beta, C, (int)ldc)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
#else
cublasStatus_t LONG_V2(LOCKSTEP_L, dot)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, const T *y,
                                        int64_t incy, T *result)
{
    return are_ints(n, incx, incy) ? V2(dot)(handle, (int)n, x, (int)incx, y, (int)incy, result)
                                   : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t LONG_V2(LOCKSTEP_L, ger)(cublasHandle_t handle, int64_t m, int64_t n, const T *alpha, const T *x,
                                        int64_t incx, const T *y, int64_t incy, T *A, int64_t lda)
{
    return are_ints(m, n, incx, incy, lda)
               ? V2(ger)(handle, (int)m, (int)n, alpha, x, (int)incx, y, (int)incy, A, (int)lda)
               : CUBLAS_STATUS_NOT_SUPPORTED;
}
#endif

#undef T
#undef R
#undef V2
#undef ONE
#undef LONG_V2
#undef LONG

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
    return by_ints(V2(axpy), handle, n, alpha, x, incx, y, incy);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, scal)(cublasHandle_t handle, int64_t n, const T *alpha, T *x, int64_t incx)
{
    return by_ints(V2(scal), handle, n, alpha, x, incx);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, copy)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, T *y, int64_t incy)
{
    return by_ints(V2(copy), handle, n, x, incx, y, incy);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, swap)(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy)
{
    return by_ints(V2(swap), handle, n, x, incx, y, incy);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, rot)(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy,
                                        const R *c, const T *s)
{
    return by_ints(V2(rot), handle, n, x, incx, y, incy, c, s);
}
cublasStatus_t LONG_V2(LOCKSTEP_LR, nrm2)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, R *result)
{
    return by_ints(LOCKSTEP_BLAS_V2(LOCKSTEP_LR, nrm2), handle, n, x, incx, result);
}
cublasStatus_t LONG_V2(LOCKSTEP_LR, asum)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, R *result)
{
    return by_ints(LOCKSTEP_BLAS_V2(LOCKSTEP_LR, asum), handle, n, x, incx, result);
}
cublasStatus_t LONG_V2(LOCKSTEP_LI, amax)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, int64_t *result)
{
    long_index place(handle, result);
    return place.give(by_ints(LOCKSTEP_BLAS_V2(LOCKSTEP_LI, amax), handle, n, x, incx, place.get()));
}
cublasStatus_t LONG_V2(LOCKSTEP_LI, amin)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, int64_t *result)
{
    long_index place(handle, result);
    return place.give(by_ints(LOCKSTEP_BLAS_V2(LOCKSTEP_LI, amin), handle, n, x, incx, place.get()));
}
cublasStatus_t LONG_V2(LOCKSTEP_L, gemv)(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
                                         const T *alpha, const T *A, int64_t lda, const T *x, int64_t incx,
                                         const T *beta, T *y, int64_t incy)
{
    return by_ints(V2(gemv), handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy);
}
cublasStatus_t LONG(LOCKSTEP_L, gemvBatched)(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
                                             const T *alpha, const T *const Aarray[], int64_t lda,
                                             const T *const xarray[], int64_t incx, const T *beta, T *const yarray[],
                                             int64_t incy, int64_t batchCount)
{
    return by_ints(ONE(gemvBatched), handle, trans, m, n, alpha, Aarray, lda, xarray, incx, beta, yarray, incy,
                   batchCount);
}
cublasStatus_t LONG(LOCKSTEP_L, gemvStridedBatched)(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
                                                    int64_t n, const T *alpha, const T *A, int64_t lda,
                                                    long long int strideA, const T *x, int64_t incx,
                                                    long long int stridex, const T *beta, T *y, int64_t incy,
                                                    long long int stridey, int64_t batchCount)
{
    return by_ints(ONE(gemvStridedBatched), handle, trans, m, n, alpha, A, lda, strideA, x, incx, stridex, beta, y,
                   incy, stridey, batchCount);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, symv)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                         const T *A, int64_t lda, const T *x, int64_t incx, const T *beta, T *y,
                                         int64_t incy)
{
    return by_ints(V2(symv), handle, uplo, n, alpha, A, lda, x, incx, beta, y, incy);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, trmv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                         cublasDiagType_t diag, int64_t n, const T *A, int64_t lda, T *x, int64_t incx)
{
    return by_ints(V2(trmv), handle, uplo, trans, diag, n, A, lda, x, incx);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, trsv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                         cublasDiagType_t diag, int64_t n, const T *A, int64_t lda, T *x, int64_t incx)
{
    return by_ints(V2(trsv), handle, uplo, trans, diag, n, A, lda, x, incx);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, syr)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                        const T *x, int64_t incx, T *A, int64_t lda)
{
    return by_ints(V2(syr), handle, uplo, n, alpha, x, incx, A, lda);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, syr2)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                         const T *x, int64_t incx, const T *y, int64_t incy, T *A, int64_t lda)
{
    return by_ints(V2(syr2), handle, uplo, n, alpha, x, incx, y, incy, A, lda);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, gemm)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int64_t m, int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda,
                                         const T *B, int64_t ldb, const T *beta, T *C, int64_t ldc)
{
    return by_ints(V2(gemm), handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
cublasStatus_t LONG(LOCKSTEP_L, gemmBatched)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                             int64_t m, int64_t n, int64_t k, const T *alpha, const T *const Aarray[],
                                             int64_t lda, const T *const Barray[], int64_t ldb, const T *beta,
                                             T *const Carray[], int64_t ldc, int64_t batchCount)
{
    return by_ints(ONE(gemmBatched), handle, transa, transb, m, n, k, alpha, Aarray, lda, Barray, ldb, beta, Carray,
                   ldc, batchCount);
}
cublasStatus_t LONG(LOCKSTEP_L, gemmStridedBatched)(cublasHandle_t handle, cublasOperation_t transa,
                                                    cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                                    const T *alpha, const T *A, int64_t lda, long long int strideA,
                                                    const T *B, int64_t ldb, long long int strideB, const T *beta, T *C,
                                                    int64_t ldc, long long int strideC, int64_t batchCount)
{
    return by_ints(ONE(gemmStridedBatched), handle, transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb, strideB,
                   beta, C, ldc, strideC, batchCount);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, symm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m,
                                         int64_t n, const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb,
                                         const T *beta, T *C, int64_t ldc)
{
    return by_ints(V2(symm), handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, syrk)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                         int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda, const T *beta,
                                         T *C, int64_t ldc)
{
    return by_ints(V2(syrk), handle, uplo, trans, n, k, alpha, A, lda, beta, C, ldc);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, syr2k)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                          int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda, const T *B,
                                          int64_t ldb, const T *beta, T *C, int64_t ldc)
{
    return by_ints(V2(syr2k), handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, trmm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                                         cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
                                         const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb, T *C,
                                         int64_t ldc)
{
    return by_ints(V2(trmm), handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, C, ldc);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, trsm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                                         cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
                                         const T *alpha, const T *A, int64_t lda, T *B, int64_t ldb)
{
    return by_ints(V2(trsm), handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb);
}
cublasStatus_t LONG(LOCKSTEP_L, trsmBatched)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                                             cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
                                             const T *alpha, const T *const A[], int64_t lda, T *const B[], int64_t ldb,
                                             int64_t batchCount)
{
    return by_ints(ONE(trsmBatched), handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, batchCount);
}
cublasStatus_t LONG(LOCKSTEP_L, geam)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                      int64_t m, int64_t n, const T *alpha, const T *A, int64_t lda, const T *beta,
                                      const T *B, int64_t ldb, T *C, int64_t ldc)
{
    return by_ints(ONE(geam), handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc);
}
cublasStatus_t LONG(LOCKSTEP_L, dgmm)(cublasHandle_t handle, cublasSideMode_t mode, int64_t m, int64_t n, const T *A,
                                      int64_t lda, const T *x, int64_t incx, T *C, int64_t ldc)
{
    return by_ints(ONE(dgmm), handle, mode, m, n, A, lda, x, incx, C, ldc);
}

#ifdef LOCKSTEP_BY_REAL
cublasStatus_t LONG_V2(LOCKSTEP_L, dotu)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, const T *y,
                                         int64_t incy, T *result)
{
    return by_ints(V2(dotu), handle, n, x, incx, y, incy, result);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, dotc)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, const T *y,
                                         int64_t incy, T *result)
{
    return by_ints(V2(dotc), handle, n, x, incx, y, incy, result);
}
cublasStatus_t LONG_V2(LOCKSTEP_BY_REAL, scal)(cublasHandle_t handle, int64_t n, const R *alpha, T *x, int64_t incx)
{
    return by_ints(LOCKSTEP_BLAS_V2(LOCKSTEP_BY_REAL, scal), handle, n, alpha, x, incx);
}
cublasStatus_t LONG_V2(LOCKSTEP_BY_REAL, rot)(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy,
                                              const R *c, const R *s)
{
    return by_ints(LOCKSTEP_BLAS_V2(LOCKSTEP_BY_REAL, rot), handle, n, x, incx, y, incy, c, s);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, geru)(cublasHandle_t handle, int64_t m, int64_t n, const T *alpha, const T *x,
                                         int64_t incx, const T *y, int64_t incy, T *A, int64_t lda)
{
    return by_ints(V2(geru), handle, m, n, alpha, x, incx, y, incy, A, lda);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, gerc)(cublasHandle_t handle, int64_t m, int64_t n, const T *alpha, const T *x,
                                         int64_t incx, const T *y, int64_t incy, T *A, int64_t lda)
{
    return by_ints(V2(gerc), handle, m, n, alpha, x, incx, y, incy, A, lda);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, hemv)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                         const T *A, int64_t lda, const T *x, int64_t incx, const T *beta, T *y,
                                         int64_t incy)
{
    return by_ints(V2(hemv), handle, uplo, n, alpha, A, lda, x, incx, beta, y, incy);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, her)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const R *alpha,
                                        const T *x, int64_t incx, T *A, int64_t lda)
{
    return by_ints(V2(her), handle, uplo, n, alpha, x, incx, A, lda);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, her2)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                         const T *x, int64_t incx, const T *y, int64_t incy, T *A, int64_t lda)
{
    return by_ints(V2(her2), handle, uplo, n, alpha, x, incx, y, incy, A, lda);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, hemm)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m,
                                         int64_t n, const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb,
                                         const T *beta, T *C, int64_t ldc)
{
    return by_ints(V2(hemm), handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, herk)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                         int64_t n, int64_t k, const R *alpha, const T *A, int64_t lda, const R *beta,
                                         T *C, int64_t ldc)
{
    return by_ints(V2(herk), handle, uplo, trans, n, k, alpha, A, lda, beta, C, ldc);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, her2k)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                          int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda, const T *B,
                                          int64_t ldb, const R *beta, T *C, int64_t ldc)
{
    return by_ints(V2(her2k), handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
#else
cublasStatus_t LONG_V2(LOCKSTEP_L, dot)(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, const T *y,
                                        int64_t incy, T *result)
{
    return by_ints(V2(dot), handle, n, x, incx, y, incy, result);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, ger)(cublasHandle_t handle, int64_t m, int64_t n, const T *alpha, const T *x,
                                        int64_t incx, const T *y, int64_t incy, T *A, int64_t lda)
{
    return by_ints(V2(ger), handle, m, n, alpha, x, incx, y, incy, A, lda);
}
#endif

// ---- banded and packed matrices, and what stands beside them
cublasStatus_t LONG_V2(LOCKSTEP_L, gbmv)(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
                                         int64_t kl, int64_t ku, const T *alpha, const T *A, int64_t lda, const T *x,
                                         int64_t incx, const T *beta, T *y, int64_t incy)
{
    return by_ints(V2(gbmv), handle, trans, m, n, kl, ku, alpha, A, lda, x, incx, beta, y, incy);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, tbmv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                         cublasDiagType_t diag, int64_t n, int64_t k, const T *A, int64_t lda, T *x,
                                         int64_t incx)
{
    return by_ints(V2(tbmv), handle, uplo, trans, diag, n, k, A, lda, x, incx);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, tbsv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                         cublasDiagType_t diag, int64_t n, int64_t k, const T *A, int64_t lda, T *x,
                                         int64_t incx)
{
    return by_ints(V2(tbsv), handle, uplo, trans, diag, n, k, A, lda, x, incx);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, tpmv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                         cublasDiagType_t diag, int64_t n, const T *AP, T *x, int64_t incx)
{
    return by_ints(V2(tpmv), handle, uplo, trans, diag, n, AP, x, incx);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, tpsv)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                                         cublasDiagType_t diag, int64_t n, const T *AP, T *x, int64_t incx)
{
    return by_ints(V2(tpsv), handle, uplo, trans, diag, n, AP, x, incx);
}
cublasStatus_t LONG(LOCKSTEP_L, syrkx)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n,
                                       int64_t k, const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb,
                                       const T *beta, T *C, int64_t ldc)
{
    return by_ints(ONE(syrkx), handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
#ifdef LOCKSTEP_BY_REAL
cublasStatus_t LONG_V2(LOCKSTEP_L, hbmv)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t k,
                                         const T *alpha, const T *A, int64_t lda, const T *x, int64_t incx,
                                         const T *beta, T *y, int64_t incy)
{
    return by_ints(V2(hbmv), handle, uplo, n, k, alpha, A, lda, x, incx, beta, y, incy);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, hpmv)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                         const T *AP, const T *x, int64_t incx, const T *beta, T *y, int64_t incy)
{
    return by_ints(V2(hpmv), handle, uplo, n, alpha, AP, x, incx, beta, y, incy);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, hpr)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const R *alpha,
                                        const T *x, int64_t incx, T *AP)
{
    return by_ints(V2(hpr), handle, uplo, n, alpha, x, incx, AP);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, hpr2)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                         const T *x, int64_t incx, const T *y, int64_t incy, T *AP)
{
    return by_ints(V2(hpr2), handle, uplo, n, alpha, x, incx, y, incy, AP);
}
cublasStatus_t LONG(LOCKSTEP_L, herkx)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n,
                                       int64_t k, const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb,
                                       const R *beta, T *C, int64_t ldc)
{
    return by_ints(ONE(herkx), handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
cublasStatus_t LONG(LOCKSTEP_L, gemm3m)(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                        int64_t m, int64_t n, int64_t k, const T *alpha, const T *A, int64_t lda,
                                        const T *B, int64_t ldb, const T *beta, T *C, int64_t ldc)
{
    return by_ints(ONE(gemm3m), handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
#else
cublasStatus_t LONG_V2(LOCKSTEP_L, sbmv)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t k,
                                         const T *alpha, const T *A, int64_t lda, const T *x, int64_t incx,
                                         const T *beta, T *y, int64_t incy)
{
    return by_ints(V2(sbmv), handle, uplo, n, k, alpha, A, lda, x, incx, beta, y, incy);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, spmv)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                         const T *AP, const T *x, int64_t incx, const T *beta, T *y, int64_t incy)
{
    return by_ints(V2(spmv), handle, uplo, n, alpha, AP, x, incx, beta, y, incy);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, spr)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                        const T *x, int64_t incx, T *AP)
{
    return by_ints(V2(spr), handle, uplo, n, alpha, x, incx, AP);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, spr2)(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                                         const T *x, int64_t incx, const T *y, int64_t incy, T *AP)
{
    return by_ints(V2(spr2), handle, uplo, n, alpha, x, incx, y, incy, AP);
}
cublasStatus_t LONG_V2(LOCKSTEP_L, rotm)(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy,
                                         const T *param)
{
    return by_ints(V2(rotm), handle, n, x, incx, y, incy, param);
}
#endif

#undef T
#undef R
#undef V2
#undef ONE
#undef LONG_V2
#undef LONG

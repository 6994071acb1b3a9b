/* Functions of cuBLAS that all four types have (cublas_functions.h). */
#define LOCKSTEP_CUBLAS_NAME(letter, name) LOCKSTEP_CUBLAS_JOIN(LOCKSTEP_CUBLAS_JOIN(cublas, letter), name)
#define LOCKSTEP_BLAS(name, ...) LOCKSTEP_CUBLAS_SECOND(LOCKSTEP_CUBLAS_NAME(LOCKSTEP_L, name), __VA_ARGS__)
#define LOCKSTEP_BLAS_ONE(name, ...) LOCKSTEP_CUBLAS(LOCKSTEP_CUBLAS_NAME(LOCKSTEP_L, name), __VA_ARGS__)

/* ---- vectors ---- */
LOCKSTEP_BLAS(axpy, cublasHandle_t handle, LOCKSTEP_I n, const LOCKSTEP_T *alpha, const LOCKSTEP_T *x, LOCKSTEP_I incx,
              LOCKSTEP_T *y, LOCKSTEP_I incy)
LOCKSTEP_BLAS(scal, cublasHandle_t handle, LOCKSTEP_I n, const LOCKSTEP_T *alpha, LOCKSTEP_T *x, LOCKSTEP_I incx)
LOCKSTEP_BLAS(copy, cublasHandle_t handle, LOCKSTEP_I n, const LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_T *y,
              LOCKSTEP_I incy)
LOCKSTEP_BLAS(swap, cublasHandle_t handle, LOCKSTEP_I n, LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_T *y, LOCKSTEP_I incy)
LOCKSTEP_BLAS(rot, cublasHandle_t handle, LOCKSTEP_I n, LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_T *y, LOCKSTEP_I incy,
              const LOCKSTEP_R *c, const LOCKSTEP_T *s)
LOCKSTEP_CUBLAS_SECOND(LOCKSTEP_CUBLAS_NAME(LOCKSTEP_LR, nrm2), cublasHandle_t handle, LOCKSTEP_I n,
                       const LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_R *result)
LOCKSTEP_CUBLAS_SECOND(LOCKSTEP_CUBLAS_NAME(LOCKSTEP_LR, asum), cublasHandle_t handle, LOCKSTEP_I n,
                       const LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_R *result)
LOCKSTEP_CUBLAS_SECOND(LOCKSTEP_CUBLAS_NAME(LOCKSTEP_LI, amax), cublasHandle_t handle, LOCKSTEP_I n,
                       const LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_I *result)
LOCKSTEP_CUBLAS_SECOND(LOCKSTEP_CUBLAS_NAME(LOCKSTEP_LI, amin), cublasHandle_t handle, LOCKSTEP_I n,
                       const LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_I *result)

/* ---- a matrix and vectors ---- */
LOCKSTEP_BLAS(gemv, cublasHandle_t handle, cublasOperation_t trans, LOCKSTEP_I m, LOCKSTEP_I n, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *beta,
              LOCKSTEP_T *y, LOCKSTEP_I incy)
LOCKSTEP_BLAS_ONE(gemvBatched, cublasHandle_t handle, cublasOperation_t trans, LOCKSTEP_I m, LOCKSTEP_I n,
                  const LOCKSTEP_T *alpha, const LOCKSTEP_T *const Aarray[], LOCKSTEP_I lda,
                  const LOCKSTEP_T *const xarray[], LOCKSTEP_I incx, const LOCKSTEP_T *beta, LOCKSTEP_T *const yarray[],
                  LOCKSTEP_I incy, LOCKSTEP_I batchCount)
LOCKSTEP_BLAS_ONE(gemvStridedBatched, cublasHandle_t handle, cublasOperation_t trans, LOCKSTEP_I m, LOCKSTEP_I n,
                  const LOCKSTEP_T *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda, long long int strideA,
                  const LOCKSTEP_T *x, LOCKSTEP_I incx, long long int stridex, const LOCKSTEP_T *beta, LOCKSTEP_T *y,
                  LOCKSTEP_I incy, long long int stridey, LOCKSTEP_I batchCount)
LOCKSTEP_BLAS(symv, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *beta,
              LOCKSTEP_T *y, LOCKSTEP_I incy)
LOCKSTEP_BLAS(trmv, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
              LOCKSTEP_I n, const LOCKSTEP_T *A, LOCKSTEP_I lda, LOCKSTEP_T *x, LOCKSTEP_I incx)
LOCKSTEP_BLAS(trsv, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
              LOCKSTEP_I n, const LOCKSTEP_T *A, LOCKSTEP_I lda, LOCKSTEP_T *x, LOCKSTEP_I incx)
LOCKSTEP_BLAS(syr, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_T *A, LOCKSTEP_I lda)
LOCKSTEP_BLAS(syr2, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *y, LOCKSTEP_I incy, LOCKSTEP_T *A, LOCKSTEP_I lda)

/* ---- matrices ---- */
LOCKSTEP_BLAS(gemm, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, LOCKSTEP_I m,
              LOCKSTEP_I n, LOCKSTEP_I k, const LOCKSTEP_T *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda,
              const LOCKSTEP_T *B, LOCKSTEP_I ldb, const LOCKSTEP_T *beta, LOCKSTEP_T *C, LOCKSTEP_I ldc)
LOCKSTEP_BLAS_ONE(gemmBatched, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, LOCKSTEP_I m,
                  LOCKSTEP_I n, LOCKSTEP_I k, const LOCKSTEP_T *alpha, const LOCKSTEP_T *const Aarray[], LOCKSTEP_I lda,
                  const LOCKSTEP_T *const Barray[], LOCKSTEP_I ldb, const LOCKSTEP_T *beta, LOCKSTEP_T *const Carray[],
                  LOCKSTEP_I ldc, LOCKSTEP_I batchCount)
LOCKSTEP_BLAS_ONE(gemmStridedBatched, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                  LOCKSTEP_I m, LOCKSTEP_I n, LOCKSTEP_I k, const LOCKSTEP_T *alpha, const LOCKSTEP_T *A,
                  LOCKSTEP_I lda, long long int strideA, const LOCKSTEP_T *B, LOCKSTEP_I ldb, long long int strideB,
                  const LOCKSTEP_T *beta, LOCKSTEP_T *C, LOCKSTEP_I ldc, long long int strideC, LOCKSTEP_I batchCount)
LOCKSTEP_BLAS(symm, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, LOCKSTEP_I m, LOCKSTEP_I n,
              const LOCKSTEP_T *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *B, LOCKSTEP_I ldb,
              const LOCKSTEP_T *beta, LOCKSTEP_T *C, LOCKSTEP_I ldc)
LOCKSTEP_BLAS(syrk, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, LOCKSTEP_I n, LOCKSTEP_I k,
              const LOCKSTEP_T *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *beta, LOCKSTEP_T *C,
              LOCKSTEP_I ldc)
LOCKSTEP_BLAS(syr2k, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, LOCKSTEP_I n, LOCKSTEP_I k,
              const LOCKSTEP_T *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *B, LOCKSTEP_I ldb,
              const LOCKSTEP_T *beta, LOCKSTEP_T *C, LOCKSTEP_I ldc)
LOCKSTEP_BLAS(trmm, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
              cublasDiagType_t diag, LOCKSTEP_I m, LOCKSTEP_I n, const LOCKSTEP_T *alpha, const LOCKSTEP_T *A,
              LOCKSTEP_I lda, const LOCKSTEP_T *B, LOCKSTEP_I ldb, LOCKSTEP_T *C, LOCKSTEP_I ldc)
LOCKSTEP_BLAS(trsm, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
              cublasDiagType_t diag, LOCKSTEP_I m, LOCKSTEP_I n, const LOCKSTEP_T *alpha, const LOCKSTEP_T *A,
              LOCKSTEP_I lda, LOCKSTEP_T *B, LOCKSTEP_I ldb)
LOCKSTEP_BLAS_ONE(trsmBatched, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                  cublasOperation_t trans, cublasDiagType_t diag, LOCKSTEP_I m, LOCKSTEP_I n, const LOCKSTEP_T *alpha,
                  const LOCKSTEP_T *const A[], LOCKSTEP_I lda, LOCKSTEP_T *const B[], LOCKSTEP_I ldb,
                  LOCKSTEP_I batchCount)
LOCKSTEP_BLAS_ONE(geam, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, LOCKSTEP_I m,
                  LOCKSTEP_I n, const LOCKSTEP_T *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *beta,
                  const LOCKSTEP_T *B, LOCKSTEP_I ldb, LOCKSTEP_T *C, LOCKSTEP_I ldc)
LOCKSTEP_BLAS_ONE(dgmm, cublasHandle_t handle, cublasSideMode_t mode, LOCKSTEP_I m, LOCKSTEP_I n, const LOCKSTEP_T *A,
                  LOCKSTEP_I lda, const LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_T *C, LOCKSTEP_I ldc)

#ifndef LOCKSTEP_CUBLAS_LONG
/* ---- many small matrices ---- */
LOCKSTEP_BLAS_ONE(getrfBatched, cublasHandle_t handle, int n, LOCKSTEP_T *const A[], int lda, int *P, int *info,
                  int batchSize)
LOCKSTEP_BLAS_ONE(getriBatched, cublasHandle_t handle, int n, const LOCKSTEP_T *const A[], int lda, const int *P,
                  LOCKSTEP_T *const C[], int ldc, int *info, int batchSize)
LOCKSTEP_BLAS_ONE(getrsBatched, cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,
                  const LOCKSTEP_T *const Aarray[], int lda, const int *devIpiv, LOCKSTEP_T *const Barray[], int ldb,
                  int *info, int batchSize)
LOCKSTEP_BLAS_ONE(matinvBatched, cublasHandle_t handle, int n, const LOCKSTEP_T *const A[], int lda,
                  LOCKSTEP_T *const Ainv[], int lda_inv, int *info, int batchSize)
#endif

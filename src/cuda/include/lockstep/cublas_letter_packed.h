/* Functions of cuBLAS on banded and packed matrices and others (cublas_functions.h): those of all four types, of the
 * complex ones, and of the real ones. */
LOCKSTEP_BLAS(gbmv, cublasHandle_t handle, cublasOperation_t trans, LOCKSTEP_I m, LOCKSTEP_I n, LOCKSTEP_I kl,
              LOCKSTEP_I ku, const LOCKSTEP_T *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *x,
              LOCKSTEP_I incx, const LOCKSTEP_T *beta, LOCKSTEP_T *y, LOCKSTEP_I incy)
LOCKSTEP_BLAS(tbmv, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
              LOCKSTEP_I n, LOCKSTEP_I k, const LOCKSTEP_T *A, LOCKSTEP_I lda, LOCKSTEP_T *x, LOCKSTEP_I incx)
LOCKSTEP_BLAS(tbsv, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
              LOCKSTEP_I n, LOCKSTEP_I k, const LOCKSTEP_T *A, LOCKSTEP_I lda, LOCKSTEP_T *x, LOCKSTEP_I incx)
LOCKSTEP_BLAS(tpmv, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
              LOCKSTEP_I n, const LOCKSTEP_T *AP, LOCKSTEP_T *x, LOCKSTEP_I incx)
LOCKSTEP_BLAS(tpsv, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
              LOCKSTEP_I n, const LOCKSTEP_T *AP, LOCKSTEP_T *x, LOCKSTEP_I incx)
#ifndef LOCKSTEP_CUBLAS_LONG
LOCKSTEP_BLAS_ONE(tpttr, cublasHandle_t handle, cublasFillMode_t uplo, int n, const LOCKSTEP_T *AP, LOCKSTEP_T *A,
                  int lda)
LOCKSTEP_BLAS_ONE(trttp, cublasHandle_t handle, cublasFillMode_t uplo, int n, const LOCKSTEP_T *A, int lda,
                  LOCKSTEP_T *AP)
#endif
LOCKSTEP_BLAS_ONE(syrkx, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, LOCKSTEP_I n,
                  LOCKSTEP_I k, const LOCKSTEP_T *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *B,
                  LOCKSTEP_I ldb, const LOCKSTEP_T *beta, LOCKSTEP_T *C, LOCKSTEP_I ldc)

#ifdef LOCKSTEP_BY_REAL
LOCKSTEP_BLAS(hbmv, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, LOCKSTEP_I k, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *beta,
              LOCKSTEP_T *y, LOCKSTEP_I incy)
LOCKSTEP_BLAS(hpmv, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *AP, const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *beta, LOCKSTEP_T *y,
              LOCKSTEP_I incy)
LOCKSTEP_BLAS(hpr, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, const LOCKSTEP_R *alpha,
              const LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_T *AP)
LOCKSTEP_BLAS(hpr2, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *y, LOCKSTEP_I incy, LOCKSTEP_T *AP)
#ifndef LOCKSTEP_CUBLAS_LONG
LOCKSTEP_BLAS(rotg, cublasHandle_t handle, LOCKSTEP_T *a, LOCKSTEP_T *b, LOCKSTEP_R *c, LOCKSTEP_T *s)
#endif
LOCKSTEP_BLAS_ONE(herkx, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, LOCKSTEP_I n,
                  LOCKSTEP_I k, const LOCKSTEP_T *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *B,
                  LOCKSTEP_I ldb, const LOCKSTEP_R *beta, LOCKSTEP_T *C, LOCKSTEP_I ldc)
LOCKSTEP_BLAS_ONE(gemm3m, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, LOCKSTEP_I m,
                  LOCKSTEP_I n, LOCKSTEP_I k, const LOCKSTEP_T *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda,
                  const LOCKSTEP_T *B, LOCKSTEP_I ldb, const LOCKSTEP_T *beta, LOCKSTEP_T *C, LOCKSTEP_I ldc)
#else
LOCKSTEP_BLAS(sbmv, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, LOCKSTEP_I k, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *beta,
              LOCKSTEP_T *y, LOCKSTEP_I incy)
LOCKSTEP_BLAS(spmv, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *AP, const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *beta, LOCKSTEP_T *y,
              LOCKSTEP_I incy)
LOCKSTEP_BLAS(spr, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_T *AP)
LOCKSTEP_BLAS(spr2, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *y, LOCKSTEP_I incy, LOCKSTEP_T *AP)
LOCKSTEP_BLAS(rotm, cublasHandle_t handle, LOCKSTEP_I n, LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_T *y, LOCKSTEP_I incy,
              const LOCKSTEP_T *param)
#ifndef LOCKSTEP_CUBLAS_LONG
LOCKSTEP_BLAS(rotmg, cublasHandle_t handle, LOCKSTEP_T *d1, LOCKSTEP_T *d2, LOCKSTEP_T *x1, const LOCKSTEP_T *y1,
              LOCKSTEP_T *param)
LOCKSTEP_BLAS_ONE(gemmGroupedBatched, cublasHandle_t handle, const cublasOperation_t transa_array[],
                  const cublasOperation_t transb_array[], const int m_array[], const int n_array[], const int k_array[],
                  const LOCKSTEP_T alpha_array[], const LOCKSTEP_T *const Aarray[], const int lda_array[],
                  const LOCKSTEP_T *const Barray[], const int ldb_array[], const LOCKSTEP_T beta_array[],
                  LOCKSTEP_T *const Carray[], const int ldc_array[], int group_count, const int group_size[])
#endif
#endif

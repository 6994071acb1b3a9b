/* Functions of cuBLAS that the complex types have (cublas_functions.h). */
LOCKSTEP_BLAS(dotu, cublasHandle_t handle, LOCKSTEP_I n, const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *y,
              LOCKSTEP_I incy, LOCKSTEP_T *result)
LOCKSTEP_BLAS(dotc, cublasHandle_t handle, LOCKSTEP_I n, const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *y,
              LOCKSTEP_I incy, LOCKSTEP_T *result)
LOCKSTEP_CUBLAS_SECOND(LOCKSTEP_CUBLAS_NAME(LOCKSTEP_BY_REAL, scal), cublasHandle_t handle, LOCKSTEP_I n,
                       const LOCKSTEP_R *alpha, LOCKSTEP_T *x, LOCKSTEP_I incx)
LOCKSTEP_CUBLAS_SECOND(LOCKSTEP_CUBLAS_NAME(LOCKSTEP_BY_REAL, rot), cublasHandle_t handle, LOCKSTEP_I n, LOCKSTEP_T *x,
                       LOCKSTEP_I incx, LOCKSTEP_T *y, LOCKSTEP_I incy, const LOCKSTEP_R *c, const LOCKSTEP_R *s)
LOCKSTEP_BLAS(geru, cublasHandle_t handle, LOCKSTEP_I m, LOCKSTEP_I n, const LOCKSTEP_T *alpha, const LOCKSTEP_T *x,
              LOCKSTEP_I incx, const LOCKSTEP_T *y, LOCKSTEP_I incy, LOCKSTEP_T *A, LOCKSTEP_I lda)
LOCKSTEP_BLAS(gerc, cublasHandle_t handle, LOCKSTEP_I m, LOCKSTEP_I n, const LOCKSTEP_T *alpha, const LOCKSTEP_T *x,
              LOCKSTEP_I incx, const LOCKSTEP_T *y, LOCKSTEP_I incy, LOCKSTEP_T *A, LOCKSTEP_I lda)
LOCKSTEP_BLAS(hemv, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *beta,
              LOCKSTEP_T *y, LOCKSTEP_I incy)
LOCKSTEP_BLAS(her, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, const LOCKSTEP_R *alpha,
              const LOCKSTEP_T *x, LOCKSTEP_I incx, LOCKSTEP_T *A, LOCKSTEP_I lda)
LOCKSTEP_BLAS(her2, cublasHandle_t handle, cublasFillMode_t uplo, LOCKSTEP_I n, const LOCKSTEP_T *alpha,
              const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *y, LOCKSTEP_I incy, LOCKSTEP_T *A, LOCKSTEP_I lda)
LOCKSTEP_BLAS(hemm, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, LOCKSTEP_I m, LOCKSTEP_I n,
              const LOCKSTEP_T *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *B, LOCKSTEP_I ldb,
              const LOCKSTEP_T *beta, LOCKSTEP_T *C, LOCKSTEP_I ldc)
LOCKSTEP_BLAS(herk, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, LOCKSTEP_I n, LOCKSTEP_I k,
              const LOCKSTEP_R *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_R *beta, LOCKSTEP_T *C,
              LOCKSTEP_I ldc)
LOCKSTEP_BLAS(her2k, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, LOCKSTEP_I n, LOCKSTEP_I k,
              const LOCKSTEP_T *alpha, const LOCKSTEP_T *A, LOCKSTEP_I lda, const LOCKSTEP_T *B, LOCKSTEP_I ldb,
              const LOCKSTEP_R *beta, LOCKSTEP_T *C, LOCKSTEP_I ldc)

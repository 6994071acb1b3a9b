/* Functions of cuBLAS that the real types have (cublas_functions.h). */
LOCKSTEP_BLAS(dot, cublasHandle_t handle, int n, const LOCKSTEP_T *x, int incx, const LOCKSTEP_T *y, int incy,
              LOCKSTEP_T *result)
LOCKSTEP_BLAS(ger, cublasHandle_t handle, int m, int n, const LOCKSTEP_T *alpha, const LOCKSTEP_T *x, int incx,
              const LOCKSTEP_T *y, int incy, LOCKSTEP_T *A, int lda)
LOCKSTEP_BLAS(rotg, cublasHandle_t handle, LOCKSTEP_T *a, LOCKSTEP_T *b, LOCKSTEP_T *c, LOCKSTEP_T *s)

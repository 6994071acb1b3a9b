/* Functions of cuBLAS that the real types have (cublas_functions.h). */
LOCKSTEP_BLAS(dot, cublasHandle_t handle, LOCKSTEP_I n, const LOCKSTEP_T *x, LOCKSTEP_I incx, const LOCKSTEP_T *y,
              LOCKSTEP_I incy, LOCKSTEP_T *result)
LOCKSTEP_BLAS(ger, cublasHandle_t handle, LOCKSTEP_I m, LOCKSTEP_I n, const LOCKSTEP_T *alpha, const LOCKSTEP_T *x,
              LOCKSTEP_I incx, const LOCKSTEP_T *y, LOCKSTEP_I incy, LOCKSTEP_T *A, LOCKSTEP_I lda)
#ifndef LOCKSTEP_CUBLAS_LONG
LOCKSTEP_BLAS(rotg, cublasHandle_t handle, LOCKSTEP_T *a, LOCKSTEP_T *b, LOCKSTEP_T *c, LOCKSTEP_T *s)
#endif

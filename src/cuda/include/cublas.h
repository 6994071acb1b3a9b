/* cuBLAS as it was before handles, in C++ and C: one handle for the whole program, which cublasInit makes, operations
 * as letters, results as values, and errors by cublasGetError. Of the functions, those that programs of that time call.
 */
#ifndef CUBLAS_H_
#define CUBLAS_H_

#if defined(CUBLAS_V2_H_)
#error "cublas.h and cublas_v2.h do not go together"
#endif

#include "cublas_api.h"

typedef cublasStatus_t cublasStatus;

/* The handle and the last error are the program's: each object has the same weak variables. */
__attribute__((weak)) cublasHandle_t lockstep_cublas_handle;
__attribute__((weak)) cublasStatus_t lockstep_cublas_error;

static inline void lockstep_cublas_note(cublasStatus_t status)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        lockstep_cublas_error = status;
}
static inline cublasOperation_t lockstep_cublas_operation(char letter)
{
    return letter == 't' || letter == 'T' ? CUBLAS_OP_T : letter == 'c' || letter == 'C' ? CUBLAS_OP_C : CUBLAS_OP_N;
}
static inline cublasFillMode_t lockstep_cublas_fill(char letter)
{
    return letter == 'u' || letter == 'U' ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}
static inline cublasSideMode_t lockstep_cublas_side(char letter)
{
    return letter == 'r' || letter == 'R' ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
}
static inline cublasDiagType_t lockstep_cublas_diagonal(char letter)
{
    return letter == 'u' || letter == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}

static inline cublasStatus_t cublasInit(void)
{
    return lockstep_cublas_handle ? CUBLAS_STATUS_SUCCESS : cublasCreate_v2(&lockstep_cublas_handle);
}
static inline cublasStatus_t cublasShutdown(void)
{
    cublasHandle_t handle = lockstep_cublas_handle;
    lockstep_cublas_handle = NULL;
    return handle ? cublasDestroy_v2(handle) : CUBLAS_STATUS_NOT_INITIALIZED;
}
static inline cublasStatus_t cublasGetError(void)
{
    cublasStatus_t error = lockstep_cublas_error;
    lockstep_cublas_error = CUBLAS_STATUS_SUCCESS;
    return error;
}
static inline cublasStatus_t cublasGetVersion(int *version)
{
    return cublasGetVersion_v2(lockstep_cublas_handle, version);
}
static inline cublasStatus_t cublasAlloc(int n, int elemSize, void **devicePtr)
{
    return cudaMalloc(devicePtr, (size_t)n * elemSize) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                      : CUBLAS_STATUS_ALLOC_FAILED;
}
static inline cublasStatus_t cublasFree(void *devicePtr)
{
    return cudaFree(devicePtr) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
static inline cublasStatus_t cublasSetKernelStream(cudaStream_t stream)
{
    return cublasSetStream_v2(lockstep_cublas_handle, stream);
}

/* S: the letter, T: the type, SR and IS: the letters of what gives a real number and an index, R: that number's type.
 */
#define LOCKSTEP_CUBLAS_OLD(S, T, SR, IS, R)                                                                           \
    static inline void cublas##S##axpy(int n, T alpha, const T *x, int incx, T *y, int incy)                           \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##S##axpy_v2(lockstep_cublas_handle, n, &alpha, x, incx, y, incy));                 \
    }                                                                                                                  \
    static inline void cublas##S##scal(int n, T alpha, T *x, int incx)                                                 \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##S##scal_v2(lockstep_cublas_handle, n, &alpha, x, incx));                          \
    }                                                                                                                  \
    static inline void cublas##S##copy(int n, const T *x, int incx, T *y, int incy)                                    \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##S##copy_v2(lockstep_cublas_handle, n, x, incx, y, incy));                         \
    }                                                                                                                  \
    static inline void cublas##S##swap(int n, T *x, int incx, T *y, int incy)                                          \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##S##swap_v2(lockstep_cublas_handle, n, x, incx, y, incy));                         \
    }                                                                                                                  \
    static inline R cublas##SR##nrm2(int n, const T *x, int incx)                                                      \
    {                                                                                                                  \
        R result = 0;                                                                                                  \
        lockstep_cublas_note(cublas##SR##nrm2_v2(lockstep_cublas_handle, n, x, incx, &result));                        \
        return result;                                                                                                 \
    }                                                                                                                  \
    static inline R cublas##SR##asum(int n, const T *x, int incx)                                                      \
    {                                                                                                                  \
        R result = 0;                                                                                                  \
        lockstep_cublas_note(cublas##SR##asum_v2(lockstep_cublas_handle, n, x, incx, &result));                        \
        return result;                                                                                                 \
    }                                                                                                                  \
    static inline int cublas##IS##amax(int n, const T *x, int incx)                                                    \
    {                                                                                                                  \
        int result = 0;                                                                                                \
        lockstep_cublas_note(cublas##IS##amax_v2(lockstep_cublas_handle, n, x, incx, &result));                        \
        return result;                                                                                                 \
    }                                                                                                                  \
    static inline int cublas##IS##amin(int n, const T *x, int incx)                                                    \
    {                                                                                                                  \
        int result = 0;                                                                                                \
        lockstep_cublas_note(cublas##IS##amin_v2(lockstep_cublas_handle, n, x, incx, &result));                        \
        return result;                                                                                                 \
    }                                                                                                                  \
    static inline void cublas##S##gemv(char trans, int m, int n, T alpha, const T *A, int lda, const T *x, int incx,   \
                                       T beta, T *y, int incy)                                                         \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##S##gemv_v2(lockstep_cublas_handle, lockstep_cublas_operation(trans), m, n,        \
                                                &alpha, A, lda, x, incx, &beta, y, incy));                             \
    }                                                                                                                  \
    static inline void cublas##S##trmv(char uplo, char trans, char diag, int n, const T *A, int lda, T *x, int incx)   \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##S##trmv_v2(lockstep_cublas_handle, lockstep_cublas_fill(uplo),                    \
                                                lockstep_cublas_operation(trans), lockstep_cublas_diagonal(diag), n,   \
                                                A, lda, x, incx));                                                     \
    }                                                                                                                  \
    static inline void cublas##S##trsv(char uplo, char trans, char diag, int n, const T *A, int lda, T *x, int incx)   \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##S##trsv_v2(lockstep_cublas_handle, lockstep_cublas_fill(uplo),                    \
                                                lockstep_cublas_operation(trans), lockstep_cublas_diagonal(diag), n,   \
                                                A, lda, x, incx));                                                     \
    }                                                                                                                  \
    static inline void cublas##S##gemm(char transa, char transb, int m, int n, int k, T alpha, const T *A, int lda,    \
                                       const T *B, int ldb, T beta, T *C, int ldc)                                     \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##S##gemm_v2(lockstep_cublas_handle, lockstep_cublas_operation(transa),             \
                                                lockstep_cublas_operation(transb), m, n, k, &alpha, A, lda, B, ldb,    \
                                                &beta, C, ldc));                                                       \
    }                                                                                                                  \
    static inline void cublas##S##symm(char side, char uplo, int m, int n, T alpha, const T *A, int lda, const T *B,   \
                                       int ldb, T beta, T *C, int ldc)                                                 \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##S##symm_v2(lockstep_cublas_handle, lockstep_cublas_side(side),                    \
                                                lockstep_cublas_fill(uplo), m, n, &alpha, A, lda, B, ldb, &beta, C,    \
                                                ldc));                                                                 \
    }                                                                                                                  \
    static inline void cublas##S##syrk(char uplo, char trans, int n, int k, T alpha, const T *A, int lda, T beta,      \
                                       T *C, int ldc)                                                                  \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##S##syrk_v2(lockstep_cublas_handle, lockstep_cublas_fill(uplo),                    \
                                                lockstep_cublas_operation(trans), n, k, &alpha, A, lda, &beta, C,      \
                                                ldc));                                                                 \
    }                                                                                                                  \
    static inline void cublas##S##trmm(char side, char uplo, char transa, char diag, int m, int n, T alpha,            \
                                       const T *A, int lda, T *B, int ldb)                                             \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##S##trmm_v2(                                                                       \
            lockstep_cublas_handle, lockstep_cublas_side(side), lockstep_cublas_fill(uplo),                            \
            lockstep_cublas_operation(transa), lockstep_cublas_diagonal(diag), m, n, &alpha, A, lda, B, ldb, B, ldb)); \
    }                                                                                                                  \
    static inline void cublas##S##trsm(char side, char uplo, char transa, char diag, int m, int n, T alpha,            \
                                       const T *A, int lda, T *B, int ldb)                                             \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##S##trsm_v2(lockstep_cublas_handle, lockstep_cublas_side(side),                    \
                                                lockstep_cublas_fill(uplo), lockstep_cublas_operation(transa),         \
                                                lockstep_cublas_diagonal(diag), m, n, &alpha, A, lda, B, ldb));        \
    }
LOCKSTEP_CUBLAS_OLD(S, float, S, Is, float)
LOCKSTEP_CUBLAS_OLD(D, double, D, Id, double)
LOCKSTEP_CUBLAS_OLD(C, cuComplex, Sc, Ic, float)
LOCKSTEP_CUBLAS_OLD(Z, cuDoubleComplex, Dz, Iz, double)
#undef LOCKSTEP_CUBLAS_OLD

#define LOCKSTEP_CUBLAS_OLD_DOT(name, T)                                                                               \
    static inline T cublas##name(int n, const T *x, int incx, const T *y, int incy)                                    \
    {                                                                                                                  \
        T result;                                                                                                      \
        lockstep_cublas_note(cublas##name##_v2(lockstep_cublas_handle, n, x, incx, y, incy, &result));                 \
        return result;                                                                                                 \
    }
LOCKSTEP_CUBLAS_OLD_DOT(Sdot, float)
LOCKSTEP_CUBLAS_OLD_DOT(Ddot, double)
LOCKSTEP_CUBLAS_OLD_DOT(Cdotu, cuComplex)
LOCKSTEP_CUBLAS_OLD_DOT(Cdotc, cuComplex)
LOCKSTEP_CUBLAS_OLD_DOT(Zdotu, cuDoubleComplex)
LOCKSTEP_CUBLAS_OLD_DOT(Zdotc, cuDoubleComplex)
#undef LOCKSTEP_CUBLAS_OLD_DOT

#define LOCKSTEP_CUBLAS_OLD_GER(name, T)                                                                               \
    static inline void cublas##name(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *A, int lda)  \
    {                                                                                                                  \
        lockstep_cublas_note(cublas##name##_v2(lockstep_cublas_handle, m, n, &alpha, x, incx, y, incy, A, lda));       \
    }
LOCKSTEP_CUBLAS_OLD_GER(Sger, float)
LOCKSTEP_CUBLAS_OLD_GER(Dger, double)
LOCKSTEP_CUBLAS_OLD_GER(Cgeru, cuComplex)
LOCKSTEP_CUBLAS_OLD_GER(Cgerc, cuComplex)
LOCKSTEP_CUBLAS_OLD_GER(Zgeru, cuDoubleComplex)
LOCKSTEP_CUBLAS_OLD_GER(Zgerc, cuDoubleComplex)
#undef LOCKSTEP_CUBLAS_OLD_GER

#endif

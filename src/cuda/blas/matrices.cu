// Level 3 beside the general product: symmetric and triangular matrices, sums of two, products with a diagonal.
#include "matrices.cuh"

using namespace lockstep_blas;

template <class T>
static cublasStatus_t multiply_half(cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T *alpha,
                                    const operand<T> &a, const T *b, int ldb, const T *beta, T *c, int ldc)
{
    const bool left = side == CUBLAS_SIDE_LEFT;
    LOCKSTEP_BLAS_BEGIN(
        handle, m < 0 || n < 0 || a.ld < at_least_one(left ? m : n) || ldb < at_least_one(m) || ldc < at_least_one(m),
        m == 0 || n == 0);
    const operand<T> other = whole(b, ldb);
    return run_product(handle, product_of(m, n, left ? m : n, factor_of(handle, alpha), left ? a : other,
                                          left ? other : a, factor_of(handle, beta), c, ldc));
}

// A triangle of alpha op(A) op(B)' + beta C: ' transposes, and conjugates where the result is hermitian.
template <class T, class S>
static cublasStatus_t multiply_part(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                                    factor<S> alpha, const T *a, int lda, const T *b, int ldb, factor<S> beta, T *c,
                                    int ldc, bool hermitian)
{
    const bool plain = trans == CUBLAS_OP_N;
    const cublasOperation_t turned = hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
    LOCKSTEP_BLAS_BEGIN(handle,
                        n < 0 || k < 0 || lda < at_least_one(plain ? n : k) || ldb < at_least_one(plain ? n : k) ||
                            ldc < at_least_one(n),
                        n == 0);
    product<T, T, S> p = product_of(n, n, k, alpha, whole(a, lda, plain ? CUBLAS_OP_N : turned),
                                    whole(b, ldb, plain ? turned : CUBLAS_OP_N), beta, c, ldc);
    p.part = uplo;
    p.real_diagonal = hermitian;
    return run_product(handle, p);
}

template <class T>
static cublasStatus_t solve(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                            cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T *alpha, const T *a,
                            const T *const *many_a, int lda, T *b, T *const *many_b, int ldb, int batch)
{
    const bool left = side == CUBLAS_SIDE_LEFT;
    LOCKSTEP_BLAS_BEGIN(handle,
                        m < 0 || n < 0 || batch < 0 || lda < at_least_one(left ? m : n) || ldb < at_least_one(m),
                        m == 0 || n == 0 || batch == 0);
    system_of<T> s = {};
    s.a = half_of(a, lda, TRIANGULAR, uplo);
    s.a.many = many_a;
    s.a.unit = diag == CUBLAS_DIAG_UNIT;
    // X op(A) = B is op(A)' X' = B': from the right the triangle is transposed once more.
    s.a.transposed = (trans != CUBLAS_OP_N) == left;
    s.a.conjugated = trans == CUBLAS_OP_C;
    s.lower = s.a.lower != s.a.transposed;
    s.b = b;
    s.many_b = many_b;
    s.unknown_step = left ? 1 : ldb;
    s.side_step = left ? ldb : 1;
    s.sides = left ? n : m;
    s.batch = batch;
    const scalar<T> by = scalar_of(handle, alpha);
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (by.at || !is_zero(by.value - make<T>(1)))
        status = launch(handle, grid_of(m, n, batch), tile, scale_batch<T>, m, n, batch, by, whole((const T *)b, ldb),
                        many_b);
    return status ? status : solve_system(handle, s, left ? m : n, left);
}

#define LOCKSTEP_LETTERS "../blas/matrices_letter.cuh"
#include "../kernels/letters.cuh"

// ---- types as arguments: of pairs of floats alone
#define LOCKSTEP_BY_TYPES(name, plain, F)                                                                              \
    cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,           \
                        const F *alpha, const void *A, cudaDataType Atype, int lda, const F *beta, void *C,            \
                        cudaDataType Ctype, int ldc)                                                                   \
    {                                                                                                                  \
        LOCKSTEP_BLAS_BEGIN(handle, false, false);                                                                     \
        if (Atype != CUDA_C_32F || Ctype != CUDA_C_32F)                                                                \
            return CUBLAS_STATUS_NOT_SUPPORTED;                                                                        \
        return plain(handle, uplo, trans, n, k, alpha, (const float2 *)A, lda, beta, (float2 *)C, ldc);                \
    }
LOCKSTEP_BY_TYPES(cublasCsyrkEx, cublasCsyrk_v2, cuComplex)
LOCKSTEP_BY_TYPES(cublasCsyrk3mEx, cublasCsyrk_v2, cuComplex)
LOCKSTEP_BY_TYPES(cublasCherkEx, cublasCherk_v2, float)
LOCKSTEP_BY_TYPES(cublasCherk3mEx, cublasCherk_v2, float)

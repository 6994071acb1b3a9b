// General products of matrices: of one type, of types that are arguments, in batches.
#include "gemm.cuh"

using namespace lockstep_blas;

// The places of the matrices of a product or of a batch of them.
struct places {
    const void *a, *b;
    void *c;
    const void *const *many_a, *const *many_b;
    void *const *many_c;
    long long stride_a, stride_b, stride_c;
    int batch;
};
struct sizes {
    cublasOperation_t transa, transb;
    int m, n, k, lda, ldb, ldc;
};

template <class A, class C, class S, class F>
static cublasStatus_t multiply(cublasHandle_t handle, const sizes &s, const F *alpha, const F *beta, const places &at)
{
    LOCKSTEP_BLAS_BEGIN(handle, bad_sizes(s.transa, s.transb, s.m, s.n, s.k, s.lda, s.ldb, s.ldc) || at.batch < 0,
                        s.m == 0 || s.n == 0 || at.batch == 0);
    product<A, C, S> p = product_of(s.m, s.n, s.k, factor_of(handle, alpha), whole((const A *)at.a, s.lda, s.transa),
                                    whole((const A *)at.b, s.ldb, s.transb), factor_of(handle, beta), (C *)at.c, s.ldc);
    p.batch = at.batch;
    p.a.many = (const A *const *)at.many_a;
    p.b.many = (const A *const *)at.many_b;
    p.c.many = (const C *const *)at.many_c;
    p.many_d = (C *const *)at.many_c;
    p.a.stride = at.stride_a;
    p.b.stride = at.stride_b;
    p.c.stride = at.stride_c;
    return run_product(handle, p);
}

#define LOCKSTEP_LETTERS "../blas/gemm_letter.cuh"
#include "../kernels/letters.cuh"

// Halves: sums are kept as float.
#define LOCKSTEP_L H
#define LOCKSTEP_T __half
#define LOCKSTEP_HALVES
#include "gemm_letter.cuh"

// ---- types as arguments: the combinations that there are
struct types {
    cudaDataType a, b, c;
    cublasComputeType_t compute;
};
static cublasStatus_t multiply_by_types(cublasHandle_t handle, const sizes &s, const void *alpha, const void *beta,
                                        const places &at, const types &t)
{
    LOCKSTEP_BLAS_BEGIN(handle, false, false);
    if (t.a != t.b)
        return CUBLAS_STATUS_NOT_SUPPORTED;
#define LOCKSTEP_TYPES(a_type, c_type, A, C, S, F)                                                                     \
    if (t.a == a_type && t.c == c_type)                                                                                \
        return multiply<A, C, S>(handle, s, (const F *)alpha, (const F *)beta, at);
    switch (t.compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        LOCKSTEP_TYPES(CUDA_R_16F, CUDA_R_16F, __half, __half, float, __half)
        break;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        LOCKSTEP_TYPES(CUDA_R_8I, CUDA_R_32I, signed char, int, int, int)
        break;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        LOCKSTEP_TYPES(CUDA_R_64F, CUDA_R_64F, double, double, double, double)
        LOCKSTEP_TYPES(CUDA_C_64F, CUDA_C_64F, double2, double2, double2, double2)
        break;
    default:
        LOCKSTEP_TYPES(CUDA_R_32F, CUDA_R_32F, float, float, float, float)
        LOCKSTEP_TYPES(CUDA_C_32F, CUDA_C_32F, float2, float2, float2, float2)
        LOCKSTEP_TYPES(CUDA_R_16F, CUDA_R_16F, __half, __half, float, float)
        LOCKSTEP_TYPES(CUDA_R_16F, CUDA_R_32F, __half, float, float, float)
        LOCKSTEP_TYPES(CUDA_R_16BF, CUDA_R_16BF, __nv_bfloat16, __nv_bfloat16, float, float)
        LOCKSTEP_TYPES(CUDA_R_16BF, CUDA_R_32F, __nv_bfloat16, float, float, float)
        LOCKSTEP_TYPES(CUDA_R_8I, CUDA_R_32F, signed char, float, float, float)
    }
#undef LOCKSTEP_TYPES
    return CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                            int k, const void *alpha, const void *A, cudaDataType Atype, int lda, const void *B,
                            cudaDataType Btype, int ldb, const void *beta, void *C, cudaDataType Ctype, int ldc,
                            cublasComputeType_t computeType, cublasGemmAlgo_t)
{
    return multiply_by_types(handle, sizes{transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta,
                             places{A, B, C, NULL, NULL, NULL, 0, 0, 0, 1}, types{Atype, Btype, Ctype, computeType});
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                   int n, int k, const void *alpha, const void *const Aarray[], cudaDataType Atype,
                                   int lda, const void *const Barray[], cudaDataType Btype, int ldb, const void *beta,
                                   void *const Carray[], cudaDataType Ctype, int ldc, int batchCount,
                                   cublasComputeType_t computeType, cublasGemmAlgo_t)
{
    return multiply_by_types(handle, sizes{transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta,
                             places{NULL, NULL, NULL, Aarray, Barray, Carray, 0, 0, 0, batchCount},
                             types{Atype, Btype, Ctype, computeType});
}
// The bytes of a factor of such a product.
static size_t factor_bytes(const types &t)
{
    const bool pairs = t.a == CUDA_C_32F || t.a == CUDA_C_64F;
    switch (t.compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return sizeof(__half);
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return sizeof(int);
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        return pairs ? sizeof(double2) : sizeof(double);
    default:
        return pairs ? sizeof(float2) : sizeof(float);
    }
}
cublasStatus_t cublasGemmGroupedBatchedEx(cublasHandle_t handle, const cublasOperation_t transa_array[],
                                          const cublasOperation_t transb_array[], const int m_array[],
                                          const int n_array[], const int k_array[], const void *alpha_array,
                                          const void *const Aarray[], cudaDataType_t Atype, const int lda_array[],
                                          const void *const Barray[], cudaDataType_t Btype, const int ldb_array[],
                                          const void *beta_array, void *const Carray[], cudaDataType_t Ctype,
                                          const int ldc_array[], int group_count, const int group_size[],
                                          cublasComputeType_t computeType)
{
    LOCKSTEP_BLAS_BEGIN(handle, group_count < 0, group_count == 0);
    const types t = {Atype, Btype, Ctype, computeType};
    const size_t step = factor_bytes(t);
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int g = 0, done = 0; g < group_count && status == CUBLAS_STATUS_SUCCESS; done += group_size[g++])
        status = multiply_by_types(
            handle,
            sizes{transa_array[g], transb_array[g], m_array[g], n_array[g], k_array[g], lda_array[g], ldb_array[g],
                  ldc_array[g]},
            (const char *)alpha_array + g * step, (const char *)beta_array + g * step,
            places{NULL, NULL, NULL, Aarray + done, Barray + done, Carray + done, 0, 0, 0, group_size[g]}, t);
    return status;
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void *alpha, const void *A, cudaDataType Atype,
                                          int lda, long long int strideA, const void *B, cudaDataType Btype, int ldb,
                                          long long int strideB, const void *beta, void *C, cudaDataType Ctype, int ldc,
                                          long long int strideC, int batchCount, cublasComputeType_t computeType,
                                          cublasGemmAlgo_t)
{
    return multiply_by_types(handle, sizes{transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta,
                             places{A, B, C, NULL, NULL, NULL, strideA, strideB, strideC, batchCount},
                             types{Atype, Btype, Ctype, computeType});
}
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                             int k, const float *alpha, const void *A, cudaDataType Atype, int lda, const void *B,
                             cudaDataType Btype, int ldb, const float *beta, void *C, cudaDataType Ctype, int ldc)
{
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

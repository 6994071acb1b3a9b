// cuBLASLt: one product, described by its parts. The kernel is that of gemm.
#include <stdlib.h>
#include <string.h>

#include "lt_epilogue.cuh"

using namespace lockstep_blas;

// ---- descriptors, in the place of the opaque ones, and their attributes
struct layout {
    int type, order;
    uint64_t rows, cols;
    int64_t ld, stride;
    int batch;
};
struct operation {
    int compute, scale_type, pointer_mode, transa, transb, transc, fill, epilogue, sm_count, bias_type;
    const void *bias;
    void *aux;
    int64_t aux_ld, aux_stride, bias_stride;
    int8_t fast;
};
static_assert(sizeof(layout) <= sizeof(cublasLtMatrixLayoutOpaque_t) &&
                  sizeof(operation) <= sizeof(cublasLtMatmulDescOpaque_t),
              "descriptors have room in the opaque ones");

struct attribute {
    int name;
    size_t offset, size;
};
#define LOCKSTEP_ATTRIBUTE(name, type, member)                                                                         \
    {                                                                                                                  \
        name, offsetof(type, member), sizeof(((type *)0)->member)                                                      \
    }
static const attribute layout_attributes[] = {
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_TYPE, layout, type),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ORDER, layout, order),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ROWS, layout, rows),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_COLS, layout, cols),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_LD, layout, ld),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, layout, batch),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, layout, stride),
};
static const attribute operation_attributes[] = {
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, operation, compute),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_SCALE_TYPE, operation, scale_type),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_POINTER_MODE, operation, pointer_mode),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSA, operation, transa),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSB, operation, transb),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSC, operation, transc),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_FILL_MODE, operation, fill),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE, operation, epilogue),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_POINTER, operation, bias),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, operation, bias_stride),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, operation, aux),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, operation, aux_ld),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, operation, aux_stride),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, operation, sm_count),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_FAST_ACCUM, operation, fast),
    LOCKSTEP_ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, operation, bias_type),
};
// The attribute, or NULL; *status says why.
template <size_t N>
static const attribute *find(const attribute (&all)[N], int name, size_t size, cublasStatus_t *status)
{
    *status = CUBLAS_STATUS_NOT_SUPPORTED;
    for (const attribute &known : all)
        if (known.name == name) {
            *status = size < known.size ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
            return *status ? NULL : &known;
        }
    return NULL;
}
template <size_t N>
static cublasStatus_t set(const attribute (&all)[N], void *to, int name, const void *buf, size_t size)
{
    cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE;
    const attribute *known = to && buf ? find(all, name, size, &status) : NULL;
    if (known)
        memcpy((char *)to + known->offset, buf, known->size);
    return status;
}
template <size_t N>
static cublasStatus_t get(const attribute (&all)[N], const void *from, int name, void *buf, size_t size,
                          size_t *written)
{
    cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE;
    const attribute *known = from && buf ? find(all, name, size, &status) : NULL;
    if (!known)
        return status;
    memcpy(buf, (const char *)from + known->offset, known->size);
    if (written)
        *written = known->size;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t matLayout, size_t size, cudaDataType type,
                                                 uint64_t rows, uint64_t cols, int64_t ld)
{
    if (!matLayout || size < sizeof(layout))
        return CUBLAS_STATUS_INVALID_VALUE;
    const layout made = {type, CUBLASLT_ORDER_COL, rows, cols, ld, 0, 1};
    memset(matLayout, 0, sizeof *matLayout);
    memcpy(matLayout, &made, sizeof made);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *matLayout, cudaDataType type, uint64_t rows,
                                          uint64_t cols, int64_t ld)
{
    *matLayout = (cublasLtMatrixLayout_t)malloc(sizeof **matLayout);
    return *matLayout ? cublasLtMatrixLayoutInit(*matLayout, type, rows, cols, ld) : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t matLayout)
{
    free(matLayout);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t matLayout, cublasLtMatrixLayoutAttribute_t attr,
                                                const void *buf, size_t sizeInBytes)
{
    return set(layout_attributes, matLayout, attr, buf, sizeInBytes);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t matLayout, cublasLtMatrixLayoutAttribute_t attr,
                                                void *buf, size_t sizeInBytes, size_t *sizeWritten)
{
    return get(layout_attributes, matLayout, attr, buf, sizeInBytes, sizeWritten);
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t matmulDesc, size_t size,
                                               cublasComputeType_t computeType, cudaDataType_t scaleType)
{
    if (!matmulDesc || size < sizeof(operation))
        return CUBLAS_STATUS_INVALID_VALUE;
    operation made = {};
    made.compute = computeType;
    made.scale_type = scaleType;
    made.fill = CUBLAS_FILL_MODE_FULL;
    made.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    made.bias_type = -1;
    memset(matmulDesc, 0, sizeof *matmulDesc);
    memcpy(matmulDesc, &made, sizeof made);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *matmulDesc, cublasComputeType_t computeType,
                                        cudaDataType_t scaleType)
{
    *matmulDesc = (cublasLtMatmulDesc_t)malloc(sizeof **matmulDesc);
    return *matmulDesc ? cublasLtMatmulDescInit(*matmulDesc, computeType, scaleType) : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t matmulDesc)
{
    free(matmulDesc);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t matmulDesc, cublasLtMatmulDescAttributes_t attr,
                                              const void *buf, size_t sizeInBytes)
{
    return set(operation_attributes, matmulDesc, attr, buf, sizeInBytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t matmulDesc, cublasLtMatmulDescAttributes_t attr,
                                              void *buf, size_t sizeInBytes, size_t *sizeWritten)
{
    return get(operation_attributes, matmulDesc, attr, buf, sizeInBytes, sizeWritten);
}

// ---- handles and preferences, in which there is nothing
cublasStatus_t cublasLtCreate(cublasLtHandle_t *lightHandle)
{
    *lightHandle = (cublasLtHandle_t)malloc(1);
    return *lightHandle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t lightHandle)
{
    free(lightHandle);
    return CUBLAS_STATUS_SUCCESS;
}
size_t cublasLtGetVersion(void)
{
    return CUBLAS_VERSION;
}
cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t pref, size_t)
{
    return pref ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *pref)
{
    *pref = (cublasLtMatmulPreference_t)calloc(1, sizeof **pref);
    return *pref ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t pref)
{
    free(pref);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t pref,
                                                    cublasLtMatmulPreferenceAttributes_t, const void *, size_t)
{
    return pref ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

// ---- products
struct task {
    const operation *what;
    const layout *a, *b, *c, *d;
    const void *alpha, *beta, *at_a, *at_b, *at_c;
    void *at_d;
    cudaStream_t stream;
    bool run; // or only say if it could be
};

// Rows that lie one behind the other are columns of the transpose.
template <class T> static operand<T> operand_of(const void *at, const layout &l, int trans, bool once_more)
{
    operand<T> a = whole((const T *)at, l.ld, (cublasOperation_t)trans);
    a.stride = l.stride;
    if ((l.order == CUBLASLT_ORDER_ROW) != once_more)
        a.transposed = !a.transposed;
    return a;
}

static cublasContext handle_of(const task &t)
{
    cublasContext handle = {};
    handle.stream = t.stream;
    handle.pointer_mode = (cublasPointerMode_t)t.what->pointer_mode;
    return handle;
}
template <class A, class C, class S, class F, class Finish>
static cublasStatus_t multiply(const task &t, bool by_rows, Finish finish)
{
    cublasContext handle = handle_of(t);
    const bool plain = t.what->transa == CUBLAS_OP_N;
    const int k = (int)(plain ? t.a->cols : t.a->rows), m = (int)t.d->rows, n = (int)t.d->cols;
    // Of a result in rows the transpose is made: op(B)' op(A)'.
    const operand<A> a = operand_of<A>(t.at_a, *t.a, t.what->transa, by_rows);
    const operand<A> b = operand_of<A>(t.at_b, *t.b, t.what->transb, by_rows);
    product<A, C, S> p =
        product_of(by_rows ? n : m, by_rows ? m : n, k, factor_of(&handle, (const F *)t.alpha), by_rows ? b : a,
                   by_rows ? a : b, factor_of(&handle, (const F *)t.beta), (C *)t.at_d, t.d->ld);
    p.c.one = (const C *)t.at_c;
    p.c.stride = t.d->stride;
    p.batch = t.d->batch;
    return run_product(&handle, p, finish);
}
// The gradient of the bias is of an operand along the depth of the product, or of the result along its rows.
template <class A, class C, class S> static cublasStatus_t bias_gradient(const task &t)
{
    cublasContext handle = handle_of(t);
    const int epilogue = t.what->epilogue, m = (int)t.d->rows, n = (int)t.d->cols;
    const int k = (int)(t.what->transa == CUBLAS_OP_N ? t.a->cols : t.a->rows);
    C *to = (C *)t.what->bias;
    if (epilogue == CUBLASLT_EPILOGUE_BGRADA)
        return run_sums_of_rows<S>(&handle, operand_of<A>(t.at_a, *t.a, t.what->transa, false), m, k, to);
    if (epilogue == CUBLASLT_EPILOGUE_BGRADB)
        return run_sums_of_rows<S>(&handle, operand_of<A>(t.at_b, *t.b, t.what->transb, true), n, k, to);
    if (epilogue & EPILOGUE_BGRAD)
        return run_sums_of_rows<S>(&handle, operand_of<C>(t.at_d, *t.d, CUBLAS_OP_N, false), m, n, to);
    return CUBLAS_STATUS_SUCCESS;
}
template <class A, class C, class S, class F> static cublasStatus_t multiply_real(const task &t)
{
    const operation &what = *t.what;
    const bool by_rows = t.d->order == CUBLASLT_ORDER_ROW;
    if (!t.run)
        return CUBLAS_STATUS_SUCCESS;
    const finished<C> finish = {
        (const C *)what.bias, (C *)what.aux, what.aux_ld, what.aux_stride, what.bias_stride, by_rows, what.epilogue};
    const cublasStatus_t status = multiply<A, C, S, F>(t, by_rows, finish);
    return status ? status : bias_gradient<A, C, S>(t);
}
template <class T> static cublasStatus_t multiply_complex(const task &t)
{
    if (t.what->epilogue != CUBLASLT_EPILOGUE_DEFAULT || t.d->order != CUBLASLT_ORDER_COL)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return t.run ? multiply<T, T, T, T>(t, false, nothing_more<T>()) : CUBLAS_STATUS_SUCCESS;
}

static bool has_epilogue(const operation &what, int batch)
{
    const int gradients = CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB | EPILOGUE_BGRAD;
    for (int epilogue : epilogues)
        if (epilogue == what.epilogue)
            return batch == 1 || !(epilogue & gradients);
    return false;
}
static cublasStatus_t fits(const task &t)
{
    const operation &what = *t.what;
    const bool plain_a = what.transa == CUBLAS_OP_N, plain_b = what.transb == CUBLAS_OP_N;
    if (!has_epilogue(what, t.d->batch) || what.transc != CUBLAS_OP_N || what.fill != CUBLAS_FILL_MODE_FULL ||
        what.pointer_mode > CUBLASLT_POINTER_MODE_DEVICE || t.a->order > CUBLASLT_ORDER_ROW ||
        t.b->order > CUBLASLT_ORDER_ROW || t.c->order != t.d->order || t.d->order > CUBLASLT_ORDER_ROW ||
        t.a->type != t.b->type || t.c->type != t.d->type || t.c->ld != t.d->ld || t.c->stride != t.d->stride ||
        (what.bias_type >= 0 && what.bias_type != t.d->type))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const uint64_t k = plain_a ? t.a->cols : t.a->rows;
    const bool right = (plain_a ? t.a->rows : t.a->cols) == t.d->rows && (plain_b ? t.b->rows : t.b->cols) == k &&
                       (plain_b ? t.b->cols : t.b->rows) == t.d->cols && t.c->rows == t.d->rows &&
                       t.c->cols == t.d->cols && t.d->rows && t.d->cols && t.d->batch > 0;
    return right ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
static cublasStatus_t multiply_by_types(const task &t)
{
    const cublasStatus_t status = fits(t);
    if (status)
        return status;
    const int a = t.a->type, d = t.d->type, scale = t.what->scale_type;
#define LOCKSTEP_TYPES(a_type, d_type, s_type, ...)                                                                    \
    if (a == a_type && d == d_type && scale == s_type)                                                                 \
        return multiply_real<__VA_ARGS__>(t);
    LOCKSTEP_TYPES(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, float, float, float, float)
    LOCKSTEP_TYPES(CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, double, double, double, double)
    LOCKSTEP_TYPES(CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, __half, __half, float, float)
    LOCKSTEP_TYPES(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, __half, __half, float, __half)
    LOCKSTEP_TYPES(CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, __half, float, float, float)
    LOCKSTEP_TYPES(CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, __nv_bfloat16, __nv_bfloat16, float, float)
    LOCKSTEP_TYPES(CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, __nv_bfloat16, float, float, float)
    LOCKSTEP_TYPES(CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, signed char, int, int, int)
#undef LOCKSTEP_TYPES
    if (a == CUDA_C_32F && d == CUDA_C_32F && scale == CUDA_C_32F)
        return multiply_complex<float2>(t);
    if (a == CUDA_C_64F && d == CUDA_C_64F && scale == CUDA_C_64F)
        return multiply_complex<double2>(t);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t operationDesc,
                                              cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
                                              cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
                                              cublasLtMatmulPreference_t, int requestedAlgoCount,
                                              cublasLtMatmulHeuristicResult_t heuristicResultsArray[],
                                              int *returnAlgoCount)
{
    if (!lightHandle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!operationDesc || !Adesc || !Bdesc || !Cdesc || !Ddesc || requestedAlgoCount < 1)
        return CUBLAS_STATUS_INVALID_VALUE;
    task t = {(operation *)operationDesc,
              (layout *)Adesc,
              (layout *)Bdesc,
              (layout *)Cdesc,
              (layout *)Ddesc,
              NULL,
              NULL,
              NULL,
              NULL,
              NULL,
              NULL,
              NULL,
              false};
    *returnAlgoCount = 0;
    const cublasStatus_t status = multiply_by_types(t);
    if (status)
        return status;
    memset(heuristicResultsArray, 0, sizeof *heuristicResultsArray);
    heuristicResultsArray->wavesCount = 1;
    *returnAlgoCount = 1;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t computeDesc, const void *alpha,
                              const void *A, cublasLtMatrixLayout_t Adesc, const void *B, cublasLtMatrixLayout_t Bdesc,
                              const void *beta, const void *C, cublasLtMatrixLayout_t Cdesc, void *D,
                              cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *, void *, size_t,
                              cudaStream_t stream)
{
    if (!lightHandle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!computeDesc || !Adesc || !Bdesc || !Cdesc || !Ddesc || !alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    task t = {(operation *)computeDesc,
              (layout *)Adesc,
              (layout *)Bdesc,
              (layout *)Cdesc,
              (layout *)Ddesc,
              alpha,
              beta,
              A,
              B,
              C,
              D,
              stream,
              true};
    return multiply_by_types(t);
}

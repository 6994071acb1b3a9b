// Products of a sparse matrix and dense vectors or matrices, and of dense ones where a sparse matrix has elements.
#include "lines.cuh"

using namespace lockstep_sparse;

template <class T, class S> __device__ void put(T *to, S sum, const scalar<S> &alpha, const scalar<S> &beta)
{
    const S by = beta.get(), value = alpha.get() * sum;
    *to = convert<T>(is_zero(by) ? value : multiply_add(by, convert<S>(*to), value));
}

// ---- a vector: some lanes of a warp have a row.
template <class T, class S>
__global__ void multiply_vector(lines<T> a, int lanes, scalar<S> alpha, const T *x, scalar<S> beta, T *y)
{
    const long long row = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / lanes;
    const int lane = threadIdx.x % lanes;
    S sum = S();
    if (row < a.count)
        for (long long k = a.begin(row) + lane, end = a.end(row); k < end; k += lanes)
            sum = multiply_add(convert<S>(a.value(k)), convert<S>(x[a.other(k)]), sum);
    sum = sum_of_lanes(sum, lanes);
    if (row < a.count && lane == 0)
        put(&y[row], sum, alpha, beta);
}
static int lanes_for(const grouping &a)
{
    int lanes = 1;
    while (lanes < 32 && lanes * a.count < a.nnz)
        lanes *= 2;
    return lanes;
}

static cusparseStatus_t check_vector(cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,
                                     cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y,
                                     cudaDataType computeType)
{
    if (!a || !x || !y || !alpha || !beta)
        return CUSPARSE_STATUS_INVALID_VALUE;
    const bool plain = op == CUSPARSE_OPERATION_NON_TRANSPOSE;
    if (x->size != (plain ? a->cols : a->rows) || y->size != (plain ? a->rows : a->cols))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return x->type != a->type || y->type != a->type || computeType != sums_in(a->type) ? CUSPARSE_STATUS_NOT_SUPPORTED
                                                                                       : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpMVAlg_t,
                                         size_t *size)
{
    LOCKSTEP_SPARSE_BEGIN(handle, !size);
    LOCKSTEP_SPARSE_STEP(check_vector(opA, alpha, a, x, beta, y, computeType));
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpMVAlg_t, void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, false);
    return check_vector(opA, alpha, a, x, beta, y, computeType);
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                              cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpMVAlg_t, void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, false);
    LOCKSTEP_SPARSE_STEP(check_vector(opA, alpha, a, x, beta, y, computeType));
    return by_any_type(a->type, [&](auto zero) {
        typedef decltype(zero) T;
        typedef typename number<T>::sum S;
        lines<T> rows;
        LOCKSTEP_SPARSE_STEP(lines_of(handle, a, opA, 0, 0, &rows, NULL));
        const int lanes = lanes_for(rows);
        return launch(handle, blocks_for(rows.count * lanes, threads), threads, multiply_vector<T, S>, rows, lanes,
                      scalar_of<S>(handle, alpha), (const T *)x->values, scalar_of<S>(handle, beta), (T *)y->values);
    });
}

// ---- a matrix: a thread has an element of the product.
template <class T, class S> struct multiply_each {
    lines<T> a;
    dense<T> b, c;
    long long columns;
    bool rows_lie;
    scalar<S> alpha, beta;
    __device__ void operator()(long long e) const
    {
        const long long i = rows_lie ? e / columns : e % a.count, j = rows_lie ? e % columns : e / a.count;
        S sum = S();
        for (long long k = a.begin(i), end = a.end(i); k < end; k++)
            sum = multiply_add(convert<S>(a.value(k)), convert<S>(b.get(a.other(k), j)), sum);
        put(&c.of(i, j), sum, alpha, beta);
    }
};
static cusparseStatus_t check_matrix(cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
                                     cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta,
                                     cusparseDnMatDescr_t c, cudaDataType computeType)
{
    if (!a || !b || !c || !alpha || !beta)
        return CUSPARSE_STATUS_INVALID_VALUE;
    const bool plain = opA == CUSPARSE_OPERATION_NON_TRANSPOSE;
    if ((plain ? a->rows : a->cols) != c->rows || (plain ? a->cols : a->rows) != rows_of(b, opB) ||
        columns_of(b, opB) != c->cols)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if ((a->batch > 1 && a->batch != c->batch) || (b->batch > 1 && b->batch != c->batch))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return b->type != a->type || c->type != a->type || computeType != sums_in(a->type) ? CUSPARSE_STATUS_NOT_SUPPORTED
                                                                                       : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                         const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void *beta, cusparseDnMatDescr_t c, cudaDataType computeType,
                                         cusparseSpMMAlg_t, size_t *size)
{
    LOCKSTEP_SPARSE_BEGIN(handle, !size);
    LOCKSTEP_SPARSE_STEP(check_matrix(opA, opB, alpha, a, b, beta, c, computeType));
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                         const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void *beta, cusparseDnMatDescr_t c, cudaDataType computeType,
                                         cusparseSpMMAlg_t, void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, false);
    return check_matrix(opA, opB, alpha, a, b, beta, c, computeType);
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                              const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void *beta, cusparseDnMatDescr_t c, cudaDataType computeType, cusparseSpMMAlg_t,
                              void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, false);
    LOCKSTEP_SPARSE_STEP(check_matrix(opA, opB, alpha, a, b, beta, c, computeType));
    return by_any_type(a->type, [&](auto zero) {
        typedef decltype(zero) T;
        typedef typename number<T>::sum S;
        multiply_each<T, S> each;
        each.columns = c->cols;
        each.rows_lie = c->order == CUSPARSE_ORDER_ROW;
        each.alpha = scalar_of<S>(handle, alpha);
        each.beta = scalar_of<S>(handle, beta);
        for (int z = 0; z < c->batch; z++) {
            LOCKSTEP_SPARSE_STEP(lines_of(handle, a, opA, a->batch > 1 ? z : 0, 0, &each.a, NULL));
            each.b = dense_of<T>(b, opB, b->batch > 1 ? z : 0);
            each.c = dense_of<T>(c, CUSPARSE_OPERATION_NON_TRANSPOSE, z);
            LOCKSTEP_SPARSE_STEP(run_for_each(handle, c->rows * c->cols, each));
        }
        return CUSPARSE_STATUS_SUCCESS;
    });
}

// ---- where C has elements: a warp has a row.
template <class T, class S> struct sample_each {
    lines<T> c;
    dense<T> a, b;
    long long inner;
    scalar<S> alpha, beta;
    __device__ void operator()(long long thread) const
    {
        const long long i = thread / 32;
        for (long long k = c.begin(i) + thread % 32, end = c.end(i); k < end; k += 32) {
            const long long j = c.other(k);
            S sum = S();
            for (long long l = 0; l < inner; l++)
                sum = multiply_add(convert<S>(a.get(i, l)), convert<S>(b.get(l, j)), sum);
            put(&c.values[k], sum, alpha, beta);
        }
    }
};
static cusparseStatus_t check_sampled(cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
                                      cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta,
                                      cusparseSpMatDescr_t c, cudaDataType computeType)
{
    if (!a || !b || !c || !alpha || !beta)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (rows_of(a, opA) != c->rows || columns_of(b, opB) != c->cols || columns_of(a, opA) != rows_of(b, opB) ||
        (a->batch > 1 && a->batch != c->batch) || (b->batch > 1 && b->batch != c->batch))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return c->format != CUSPARSE_FORMAT_CSR || a->type != c->type || b->type != c->type ||
                   computeType != sums_in(c->type)
               ? CUSPARSE_STATUS_NOT_SUPPORTED
               : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                          const void *alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void *beta, cusparseSpMatDescr_t c, cudaDataType computeType,
                                          cusparseSDDMMAlg_t, size_t *size)
{
    LOCKSTEP_SPARSE_BEGIN(handle, !size);
    LOCKSTEP_SPARSE_STEP(check_sampled(opA, opB, alpha, a, b, beta, c, computeType));
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                          const void *alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void *beta, cusparseSpMatDescr_t c, cudaDataType computeType,
                                          cusparseSDDMMAlg_t, void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, false);
    return check_sampled(opA, opB, alpha, a, b, beta, c, computeType);
}
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                               const void *alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                               const void *beta, cusparseSpMatDescr_t c, cudaDataType computeType, cusparseSDDMMAlg_t,
                               void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, false);
    LOCKSTEP_SPARSE_STEP(check_sampled(opA, opB, alpha, a, b, beta, c, computeType));
    return by_any_type(c->type, [&](auto zero) {
        typedef decltype(zero) T;
        typedef typename number<T>::sum S;
        sample_each<T, S> each;
        each.inner = columns_of(a, opA);
        each.alpha = scalar_of<S>(handle, alpha);
        each.beta = scalar_of<S>(handle, beta);
        for (int z = 0; z < c->batch; z++) {
            LOCKSTEP_SPARSE_STEP(lines_of(handle, c, CUSPARSE_OPERATION_NON_TRANSPOSE, z, 0, &each.c, NULL));
            each.a = dense_of<T>(a, opA, a->batch > 1 ? z : 0);
            each.b = dense_of<T>(b, opB, b->batch > 1 ? z : 0);
            LOCKSTEP_SPARSE_STEP(run_for_each(handle, c->rows * 32, each));
        }
        return CUSPARSE_STATUS_SUCCESS;
    });
}

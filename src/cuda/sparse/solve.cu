// Triangular systems with a sparse matrix, of one right-hand side or of many.
#include "waiting.cuh"

using namespace lockstep_sparse;

struct cusparseSpSVDescr {
    bool analyzed;
};
struct cusparseSpSMDescr {
    bool analyzed;
};

template <class T> struct triangle {
    lines<T> a;
    bool lower, unit;
    scalar<T> alpha;
    dense<T> b, x;
    long long sides;
    int *ready; // of each row, for each side
};
// Of a row, elements outside of the triangle are passed over.
template <class T> __global__ void solve_rows(triangle<T> t)
{
    const long long warp = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / 32, n = t.a.count;
    if (warp >= n)
        return;
    const long long row = t.lower ? warp : n - 1 - warp;
    for (long long side = blockIdx.y; side < t.sides; side += gridDim.y) {
        int *ready = t.ready + side * n;
        T sum = T(), diagonal = T();
        for (long long first = t.a.begin(row), end = t.a.end(row); first < end; first += 32) {
            const long long k = first + threadIdx.x % 32, column = k < end ? t.a.other(k) : -1;
            const bool needed = k < end && (t.lower ? column < row : column > row);
            wait_for(needed ? &ready[column] : NULL);
            if (needed)
                sum = multiply_add(t.a.value(k), fresh(&t.x.of(column, side)), sum);
            else if (column == row)
                diagonal = diagonal + t.a.value(k);
        }
        sum = sum_of_lanes(sum, 32);
        diagonal = sum_of_lanes(diagonal, 32);
        if (threadIdx.x % 32 == 0) {
            const T rest = t.alpha.get() * t.b.get(row, side) - sum;
            t.x.of(row, side) = t.unit ? rest : rest / diagonal;
        }
        tell_ready(&ready[row]);
    }
}

static cusparseStatus_t check_triangle(cusparseConstSpMatDescr_t a, cudaDataType b, cudaDataType x,
                                       cudaDataType computeType)
{
    if (a->rows != a->cols)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return b != a->type || x != a->type || computeType != a->type ? CUSPARSE_STATUS_NOT_SUPPORTED
                                                                  : CUSPARSE_STATUS_SUCCESS;
}
template <class T>
static cusparseStatus_t solve(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t a, const dense<T> &b, const dense<T> &x, long long sides)
{
    triangle<T> t;
    const size_t bytes = a->rows * sides * sizeof(int);
    LOCKSTEP_SPARSE_STEP(lines_of(handle, a, op, 0, bytes, &t.a, (void **)&t.ready));
    LOCKSTEP_SPARSE_STEP(status_of(cudaMemsetAsync(t.ready, 0, bytes, handle->stream)));
    t.lower = (a->fill == CUSPARSE_FILL_MODE_LOWER) == (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
    t.unit = a->diagonal == CUSPARSE_DIAG_TYPE_UNIT;
    t.alpha = scalar_of<T>(handle, alpha);
    t.b = b;
    t.x = x;
    t.sides = sides;
    const unsigned blocks = blocks_for(a->rows * 32, threads);
    return launch(handle, dim3(blocks, (unsigned)(sides < 65535 ? sides : 65535)), threads, solve_rows<T>, t);
}

// ---- one right-hand side
cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr)
{
    return create(descr);
}
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr)
{
    free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}
static cusparseStatus_t check_vectors(cusparseHandle_t handle, const void *alpha, cusparseConstSpMatDescr_t a,
                                      cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType computeType,
                                      cusparseSpSVDescr_t descr)
{
    LOCKSTEP_SPARSE_BEGIN(handle, !alpha || !a || !x || !y || !descr || x->size != a->rows || y->size != a->rows);
    return check_triangle(a, x->type, y->type, computeType);
}
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                         cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpSVAlg_t,
                                         cusparseSpSVDescr_t descr, size_t *size)
{
    LOCKSTEP_SPARSE_STEP(check_vectors(handle, alpha, a, x, y, computeType, descr));
    LOCKSTEP_SPARSE_BEGIN(handle, !size);
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
// Nothing is prepared: rows find out by themselves what they wait for.
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t, const void *alpha,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                       cudaDataType computeType, cusparseSpSVAlg_t, cusparseSpSVDescr_t descr, void *)
{
    LOCKSTEP_SPARSE_STEP(check_vectors(handle, alpha, a, x, y, computeType, descr));
    descr->analyzed = true;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                    cudaDataType computeType, cusparseSpSVAlg_t, cusparseSpSVDescr_t descr)
{
    LOCKSTEP_SPARSE_STEP(check_vectors(handle, alpha, a, x, y, computeType, descr));
    if (!descr->analyzed)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return by_type(a->type, [&](auto zero) {
        typedef decltype(zero) T;
        return solve<T>(handle, opA, alpha, a, {(T *)x->values, 1, 0, false}, {(T *)y->values, 1, 0, false}, 1);
    });
}

// ---- many
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr)
{
    return create(descr);
}
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr)
{
    free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}
static cusparseStatus_t check_matrices(cusparseHandle_t handle, cusparseOperation_t opB, const void *alpha,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c,
                                       cudaDataType computeType, cusparseSpSMDescr_t descr)
{
    LOCKSTEP_SPARSE_BEGIN(handle, !alpha || !a || !b || !c || !descr || rows_of(b, opB) != a->rows ||
                                      c->rows != a->rows || columns_of(b, opB) != c->cols);
    return b->batch > 1 || c->batch > 1 ? CUSPARSE_STATUS_NOT_SUPPORTED
                                        : check_triangle(a, b->type, c->type, computeType);
}
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t opB,
                                         const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         cusparseDnMatDescr_t c, cudaDataType computeType, cusparseSpSMAlg_t,
                                         cusparseSpSMDescr_t descr, size_t *size)
{
    LOCKSTEP_SPARSE_STEP(check_matrices(handle, opB, alpha, a, b, c, computeType, descr));
    LOCKSTEP_SPARSE_BEGIN(handle, !size);
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t opB,
                                       const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                       cusparseDnMatDescr_t c, cudaDataType computeType, cusparseSpSMAlg_t,
                                       cusparseSpSMDescr_t descr, void *)
{
    LOCKSTEP_SPARSE_STEP(check_matrices(handle, opB, alpha, a, b, c, computeType, descr));
    descr->analyzed = true;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                                    const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                    cusparseDnMatDescr_t c, cudaDataType computeType, cusparseSpSMAlg_t,
                                    cusparseSpSMDescr_t descr)
{
    LOCKSTEP_SPARSE_STEP(check_matrices(handle, opB, alpha, a, b, c, computeType, descr));
    if (!descr->analyzed)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return by_type(a->type, [&](auto zero) {
        typedef decltype(zero) T;
        return solve<T>(handle, opA, alpha, a, dense_of<T>(b, opB, 0),
                        dense_of<T>(c, CUSPARSE_OPERATION_NON_TRANSPOSE, 0), c->cols);
    });
}

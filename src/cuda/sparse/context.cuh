// Handles and descriptors of cuSPARSE, and what its functions share: scalars, room on the device, launches, types.
#pragma once

#include "../kernels/launch.cuh"

#include <cusparse.h>
#include <stdlib.h>

struct cusparseContext {
    cudaStream_t stream;
    cusparsePointerMode_t pointer_mode;
    lockstep_kernels::device_room room;
};
struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
    cusparseIndexBase_t base;
};
struct cusparseSpVecDescr {
    int64_t size, nnz;
    void *indices, *values;
    cusparseIndexType_t index_type;
    cusparseIndexBase_t base;
    cudaDataType type;
};
struct cusparseDnVecDescr {
    int64_t size;
    void *values;
    cudaDataType type;
};
struct cusparseDnMatDescr {
    int64_t rows, cols, ld;
    void *values;
    cudaDataType type;
    cusparseOrder_t order;
    int batch;
    int64_t stride; // in elements, as all strides are
};
// major: offsets of rows (CSR) or columns (CSC), or each element's row (COO). minor: each element's other index.
// Of sliced ELL, major: offsets of slices, each of slice_rows rows; minor and values have `places` places, column by
// column of a slice, of which those with a negative index have no element.
struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, cols, nnz;
    void *major, *minor, *values;
    cusparseIndexType_t major_type, minor_type;
    cusparseIndexBase_t base;
    cudaDataType type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
    int batch;
    int64_t major_stride, values_stride;
    int64_t places, slice_rows;
};

namespace lockstep_sparse
{

using namespace lockstep_kernels;

// Answered where a function asks how much room its caller gives it: the handle has room of its own, and allocations of
// nothing are awkward.
static const size_t buffer_bytes = 16;

template <class T> inline scalar<T> scalar_of(cusparseHandle_t handle, const void *p)
{
    return handle->pointer_mode == CUSPARSE_POINTER_MODE_HOST ? scalar<T>{*(const T *)p, NULL}
                                                              : scalar<T>{T(), (const T *)p};
}

inline cusparseStatus_t status_of(cudaError_t error)
{
    return error == cudaSuccess                 ? CUSPARSE_STATUS_SUCCESS
           : error == cudaErrorMemoryAllocation ? CUSPARSE_STATUS_ALLOC_FAILED
                                                : CUSPARSE_STATUS_EXECUTION_FAILED;
}

// Nothing is launched for nothing.
template <class... P, class... A>
inline cusparseStatus_t launch(cusparseHandle_t handle, dim3 grid, unsigned block, void (*kernel)(P...), A... arguments)
{
    if (grid.x == 0 || grid.y == 0)
        return CUSPARSE_STATUS_SUCCESS;
    return status_of(start(handle->stream, grid, block, 0, kernel, arguments...));
}

static const unsigned threads = 128;

template <class Each> cusparseStatus_t run_for_each(cusparseHandle_t handle, long long n, Each each)
{
    return status_of(start_for_each(handle->stream, n, each));
}

// f(T()) for the type of elements.
template <class F> cusparseStatus_t by_type(cudaDataType type, F f)
{
    switch (type) {
    case CUDA_R_32F:
        return f(float());
    case CUDA_R_64F:
        return f(double());
    case CUDA_C_32F:
        return f(float2());
    case CUDA_C_64F:
        return f(double2());
    default:
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
}
// And of those that are computed with as float.
template <class F> cusparseStatus_t by_any_type(cudaDataType type, F f)
{
    switch (type) {
    case CUDA_R_16F:
        return f(__half());
    case CUDA_R_16BF:
        return f(__nv_bfloat16());
    default:
        return by_type(type, f);
    }
}
inline cudaDataType sums_in(cudaDataType type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}
inline size_t size_of(cudaDataType type)
{
    return type == CUDA_C_64F ? 16 : type == CUDA_R_64F || type == CUDA_C_32F ? 8 : type == CUDA_R_32F ? 4 : 2;
}
inline size_t size_of(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_64I ? 8 : 4;
}

// Indices of 32 or 64 bits, counted from `base`.
struct index_array {
    void *at;
    bool wide;
    int base;
    __device__ long long operator[](long long i) const
    {
        return (wide ? ((const long long *)at)[i] : ((const int *)at)[i]) - base;
    }
    __device__ void set(long long i, long long value) const
    {
        if (wide)
            ((long long *)at)[i] = value + base;
        else
            ((int *)at)[i] = (int)(value + base);
    }
    __host__ index_array from(long long first) const
    {
        return index_array{(char *)at + first * (wide ? 8 : 4), wide, base};
    }
};
inline index_array indices(const void *at, cusparseIndexType_t type, cusparseIndexBase_t base)
{
    return index_array{(void *)at, type == CUSPARSE_INDEX_64I, (int)base};
}
inline index_array ints(const int *at, int base)
{
    return index_array{(void *)at, false, base};
}

// A dense matrix, or its transpose.
template <class T> struct dense {
    T *at;
    long long row_step, column_step;
    bool conjugated;
    __device__ T &of(long long i, long long j) const
    {
        return at[i * row_step + j * column_step];
    }
    __device__ T get(long long i, long long j) const
    {
        return conjugate_if(of(i, j), conjugated);
    }
};
template <class T> inline dense<T> dense_of(cusparseConstDnMatDescr_t m, cusparseOperation_t op, int batch)
{
    const bool rows_lie = (m->order == CUSPARSE_ORDER_ROW) != (op != CUSPARSE_OPERATION_NON_TRANSPOSE);
    return dense<T>{(T *)m->values + batch * m->stride, rows_lie ? m->ld : 1, rows_lie ? 1 : m->ld,
                    op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
}
inline int64_t rows_of(cusparseConstDnMatDescr_t m, cusparseOperation_t op)
{
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? m->rows : m->cols;
}
inline int64_t columns_of(cusparseConstDnMatDescr_t m, cusparseOperation_t op)
{
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? m->cols : m->rows;
}

// A descriptor of T, zeroed: all are freed by free().
template <class T> inline cusparseStatus_t create(T **made)
{
    if (!made)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *made = (T *)calloc(1, sizeof(T));
    return *made ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

} // namespace lockstep_sparse

// The beginning of a function: no handle, arguments that cannot be.
#define LOCKSTEP_SPARSE_BEGIN(handle, bad)                                                                             \
    if (!(handle))                                                                                                     \
        return CUSPARSE_STATUS_NOT_INITIALIZED;                                                                        \
    if (bad)                                                                                                           \
    return CUSPARSE_STATUS_INVALID_VALUE
// The next step, if the ones before went well.
#define LOCKSTEP_SPARSE_STEP(call)                                                                                     \
    do {                                                                                                               \
        const cusparseStatus_t step = (call);                                                                          \
        if (step != CUSPARSE_STATUS_SUCCESS)                                                                           \
            return step;                                                                                               \
    } while (0)

// Names of one type's functions.
#define LOCKSTEP_SPARSE_NAME(letter, name) LOCKSTEP_SPARSE_NAME_(letter, name)
#define LOCKSTEP_SPARSE_NAME_(letter, name) cusparse##letter##name

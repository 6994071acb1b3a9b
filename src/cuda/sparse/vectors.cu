// Sparse vectors and dense ones.
#include "lines.cuh"

using namespace lockstep_sparse;

template <class T> struct sparse_vector {
    long long nnz;
    index_array at;
    T *values;
};
template <class T> static sparse_vector<T> vector_of(cusparseConstSpVecDescr_t x)
{
    return sparse_vector<T>{x->nnz, indices(x->indices, x->index_type, x->base), (T *)x->values};
}
static bool do_not_match(cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y)
{
    return !x || !y || x->size != y->size || x->type != y->type;
}

template <class T> struct gather_each {
    sparse_vector<T> x;
    const T *y;
    __device__ void operator()(long long k) const
    {
        x.values[k] = y[x.at[k]];
    }
};
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x)
{
    LOCKSTEP_SPARSE_BEGIN(handle, do_not_match(x, y));
    return by_any_type(x->type, [&](auto zero) {
        typedef decltype(zero) T;
        return run_for_each(handle, x->nnz, gather_each<T>{vector_of<T>(x), (const T *)y->values});
    });
}

template <class T> struct scatter_each {
    sparse_vector<T> x;
    T *y;
    __device__ void operator()(long long k) const
    {
        y[x.at[k]] = x.values[k];
    }
};
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y)
{
    LOCKSTEP_SPARSE_BEGIN(handle, do_not_match(x, y));
    return by_any_type(x->type, [&](auto zero) {
        typedef decltype(zero) T;
        return run_for_each(handle, x->nnz, scatter_each<T>{vector_of<T>(x), (T *)y->values});
    });
}

template <class T> struct scale_each {
    scalar<T> by;
    T *y;
    __device__ void operator()(long long i) const
    {
        y[i] = by.get() * y[i];
    }
};
template <class T> struct add_each {
    scalar<T> alpha;
    sparse_vector<T> x;
    T *y;
    __device__ void operator()(long long k) const
    {
        T &to = y[x.at[k]];
        to = multiply_add(alpha.get(), x.values[k], to);
    }
};
cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t x,
                               const void *beta, cusparseDnVecDescr_t y)
{
    LOCKSTEP_SPARSE_BEGIN(handle, do_not_match(x, y) || !alpha || !beta);
    return by_type(x->type, [&](auto zero) {
        typedef decltype(zero) T;
        T *to = (T *)y->values;
        LOCKSTEP_SPARSE_STEP(run_for_each(handle, y->size, scale_each<T>{scalar_of<T>(handle, beta), to}));
        return run_for_each(handle, x->nnz, add_each<T>{scalar_of<T>(handle, alpha), vector_of<T>(x), to});
    });
}

template <class T> struct rotate_each {
    scalar<T> c, s;
    sparse_vector<T> x;
    T *y;
    __device__ void operator()(long long k) const
    {
        T &to = y[x.at[k]];
        const T a = x.values[k], b = to;
        x.values[k] = c.get() * a + s.get() * b;
        to = c.get() * b - conjugate(s.get()) * a;
    }
};
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s, cusparseSpVecDescr_t x,
                             cusparseDnVecDescr_t y)
{
    LOCKSTEP_SPARSE_BEGIN(handle, do_not_match(x, y) || !c || !s);
    return by_type(x->type, [&](auto zero) {
        typedef decltype(zero) T;
        return run_for_each(
            handle, x->nnz,
            rotate_each<T>{scalar_of<T>(handle, c), scalar_of<T>(handle, s), vector_of<T>(x), (T *)y->values});
    });
}

// By one warp: sparse vectors are short.
template <class T> __global__ void dot(sparse_vector<T> x, const T *y, bool conjugated, T *result)
{
    T sum = T();
    for (long long k = threadIdx.x; k < x.nnz; k += 32)
        sum = multiply_add(conjugate_if(x.values[k], conjugated), y[x.at[k]], sum);
    sum = sum_of_lanes(sum, 32);
    if (threadIdx.x == 0)
        *result = sum;
}
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseConstSpVecDescr_t x,
                                         cusparseConstDnVecDescr_t y, const void *, cudaDataType, size_t *size)
{
    LOCKSTEP_SPARSE_BEGIN(handle, do_not_match(x, y) || !size);
    *size = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, void *result, cudaDataType computeType, void *)
{
    LOCKSTEP_SPARSE_BEGIN(handle, do_not_match(x, y) || !result);
    if (computeType != x->type)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return by_type(x->type, [&](auto zero) {
        typedef decltype(zero) T;
        const bool on_host = handle->pointer_mode == CUSPARSE_POINTER_MODE_HOST;
        T *to = on_host ? (T *)handle->room.get(sizeof(T), handle->stream) : (T *)result;
        if (!to)
            return CUSPARSE_STATUS_ALLOC_FAILED;
        LOCKSTEP_SPARSE_STEP(launch(handle, 1, 32, dot<T>, vector_of<T>(x), (const T *)y->values,
                                    opX == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, to));
        if (!on_host)
            return CUSPARSE_STATUS_SUCCESS;
        LOCKSTEP_SPARSE_STEP(status_of(cudaMemcpyAsync(result, to, sizeof(T), cudaMemcpyDeviceToHost, handle->stream)));
        return status_of(cudaStreamSynchronize(handle->stream));
    });
}

// A handle of cuBLAS, and what its functions share: scalars that lie on the host or on the device, room on the device,
// launches.
#pragma once

#include "numbers.cuh"

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasMath_t math;
    cublasAtomicsMode_t atomics;
    int sm_target;
    void *room; // on the device; grows
    size_t room_bytes;
};

namespace lockstep_blas
{

// A scalar argument: its value, or where the device finds it.
template <class T> struct scalar {
    T value;
    const T *at;
    __device__ T get() const
    {
        return at ? *at : value;
    }
};
template <class T> inline scalar<T> scalar_of(cublasHandle_t handle, const T *p)
{
    return handle->pointer_mode == CUBLAS_POINTER_MODE_HOST ? scalar<T>{*p, NULL} : scalar<T>{T(), p};
}
template <class T> inline scalar<T> constant(T value)
{
    return scalar<T>{value, NULL};
}

// Room for `bytes` on the device until the next call for the handle; NULL when there is none left.
inline void *room_for(cublasHandle_t handle, size_t bytes)
{
    if (bytes > handle->room_bytes) {
        void *more;
        if (cudaMalloc(&more, bytes) != cudaSuccess)
            return NULL;
        cudaStreamSynchronize(handle->stream);
        cudaFree(handle->room);
        handle->room = more;
        handle->room_bytes = bytes;
    }
    return handle->room;
}

template <class... P, class... A>
inline cublasStatus_t launch(cublasHandle_t handle, dim3 grid, dim3 block, void (*kernel)(P...), A... arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.stream = handle->stream;
    return cudaLaunchKernelEx(&config, kernel, P(arguments)...) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                               : CUBLAS_STATUS_EXECUTION_FAILED;
}

// Blocks of `each` threads for n of them.
inline unsigned blocks_for(long long n, unsigned each)
{
    return (unsigned)((n + each - 1) / each);
}

// Vectors with a negative increment are read from their last element on.
template <class T> struct vector_of {
    T *first;
    long long step;
    __host__ __device__ T &operator[](long long i) const
    {
        return first[i * step];
    }
};
template <class T> __host__ __device__ inline vector_of<T> elements(T *x, int n, int step)
{
    return vector_of<T>{step < 0 ? x - (long long)(n - 1) * step : x, step};
}

} // namespace lockstep_blas

// The beginning of every function: no handle, arguments that cannot be, nothing to do.
#define LOCKSTEP_BLAS_BEGIN(handle, bad, nothing)                                                                      \
    if (!(handle))                                                                                                     \
        return CUBLAS_STATUS_NOT_INITIALIZED;                                                                          \
    if (bad)                                                                                                           \
        return CUBLAS_STATUS_INVALID_VALUE;                                                                            \
    if (nothing)                                                                                                       \
    return CUBLAS_STATUS_SUCCESS

// Names of one type's functions (lockstep/cublas_functions.h).
#define LOCKSTEP_BLAS_NAME(letter, name) LOCKSTEP_CUBLAS_JOIN(LOCKSTEP_CUBLAS_JOIN(cublas, letter), name)
#define LOCKSTEP_BLAS_V2(letter, name) LOCKSTEP_CUBLAS_JOIN(LOCKSTEP_BLAS_NAME(letter, name), _v2)

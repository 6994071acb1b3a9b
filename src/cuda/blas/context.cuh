// A handle of cuBLAS, and what its functions share: scalars that lie on the host or on the device, room on the device,
// launches.
#pragma once

#include "../kernels/launch.cuh"

#include <cublas_api.h>

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasMath_t math;
    cublasAtomicsMode_t atomics;
    int sm_target;
    cublasEmulationStrategy_t emulation; // how numbers are to be made of parts: kept, and without effect
    cudaEmulationSpecialValuesSupport special_values;
    cudaEmulationMantissaControl mantissa;
    int most_mantissa_bits, mantissa_offset, *mantissa_bits;
    lockstep_kernels::device_room room;
};

namespace lockstep_blas
{

using namespace lockstep_kernels;

template <class T> inline scalar<T> scalar_of(cublasHandle_t handle, const T *p)
{
    return handle->pointer_mode == CUBLAS_POINTER_MODE_HOST ? scalar<T>{*p, NULL} : scalar<T>{T(), p};
}

// Room for `bytes` on the device until the next call for the handle; NULL when there is none left.
inline void *room_for(cublasHandle_t handle, size_t bytes)
{
    return handle->room.get(bytes, handle->stream);
}

template <class... P, class... A>
inline cublasStatus_t launch(cublasHandle_t handle, dim3 grid, dim3 block, void (*kernel)(P...), A... arguments)
{
    return start(handle->stream, grid, block, 0, kernel, arguments...) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                                      : CUBLAS_STATUS_EXECUTION_FAILED;
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

// Handles of cuSOLVER, and what its functions share.
#pragma once

#include "../kernels/launch.cuh"

#include <cusolverDn.h>
#include <stdlib.h>

struct cusolverDnContext {
    cudaStream_t stream;
    cusolverDeterministicMode_t mode;
};

namespace lockstep_solver
{

using namespace lockstep_kernels;

static const int block_threads = 256;

inline cusolverStatus_t status_of(cudaError_t error)
{
    return error == cudaSuccess                 ? CUSOLVER_STATUS_SUCCESS
           : error == cudaErrorMemoryAllocation ? CUSOLVER_STATUS_ALLOC_FAILED
                                                : CUSOLVER_STATUS_EXECUTION_FAILED;
}
// Blocks of block_threads; nothing is launched for nothing.
template <class... P, class... A>
inline cusolverStatus_t launch(cusolverDnHandle_t handle, long long blocks, void (*kernel)(P...), A... arguments)
{
    const unsigned grid = blocks < 65535 ? (unsigned)blocks : 65535;
    return grid == 0 ? CUSOLVER_STATUS_SUCCESS
                     : status_of(start(handle->stream, grid, block_threads, 0, kernel, arguments...));
}
template <class Each> cusolverStatus_t run_for_each(cusolverDnHandle_t handle, long long n, Each each)
{
    return status_of(start_for_each(handle->stream, n, each));
}
inline cusolverStatus_t clear(cusolverDnHandle_t handle, int *info, int count)
{
    return status_of(cudaMemsetAsync(info, 0, count * sizeof *info, handle->stream));
}

// A matrix of columns.
template <class T> struct columns {
    T *at;
    long long ld;
    __device__ T &operator()(long long i, long long j) const
    {
        return at[i + j * ld];
    }
};

// The square root of a real number as a T.
template <class T> __device__ T root(typename number<T>::real a)
{
    return make<T>(sqrt(a));
}
__device__ inline float real_of(float a)
{
    return a;
}
__device__ inline double real_of(double a)
{
    return a;
}
template <class C> __device__ inline decltype(C().x) real_of(C a)
{
    return a.x;
}
__device__ inline float squared(float a)
{
    return a * a;
}
__device__ inline double squared(double a)
{
    return a * a;
}
template <class C> __device__ inline decltype(C().x) squared(C a)
{
    return a.x * a.x + a.y * a.y;
}

// ---- sums over a warp and over a block, for all of its threads
__device__ inline float from_lane(float v, int mask)
{
    return __shfl_xor_sync(~0u, v, mask);
}
__device__ inline double from_lane(double v, int mask)
{
    return __shfl_xor_sync(~0u, v, mask);
}
template <class C> __device__ inline C from_lane(C v, int mask)
{
    return C{from_lane(v.x, mask), from_lane(v.y, mask)};
}
template <class T> __device__ inline T sum_of_warp(T v)
{
    for (int mask = 16; mask; mask /= 2)
        v = v + from_lane(v, mask);
    return v;
}
template <class T> __device__ T sum_of_block(T mine)
{
    __shared__ T parts[block_threads / 32];
    mine = sum_of_warp(mine);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = mine;
    __syncthreads();
    T sum = parts[0];
    for (int i = 1; i < block_threads / 32; i++)
        sum = sum + parts[i];
    return sum;
}

} // namespace lockstep_solver

#define LOCKSTEP_SOLVER_BEGIN(handle, bad)                                                                             \
    if (!(handle))                                                                                                     \
        return CUSOLVER_STATUS_NOT_INITIALIZED;                                                                        \
    if (bad)                                                                                                           \
    return CUSOLVER_STATUS_INVALID_VALUE
#define LOCKSTEP_SOLVER_STEP(call)                                                                                     \
    do {                                                                                                               \
        const cusolverStatus_t step = (call);                                                                          \
        if (step != CUSOLVER_STATUS_SUCCESS)                                                                           \
            return step;                                                                                               \
    } while (0)

// Names of one type's functions.
#define LOCKSTEP_SOLVER_NAME(letter, kind, name) LOCKSTEP_SOLVER_NAME_(letter, kind, name)
#define LOCKSTEP_SOLVER_NAME_(letter, kind, name) cusolverDn##letter##kind##name

/* The functions of the runtime that device code may call. Kernels cannot launch kernels here: the calls are there for headers that
 * mention them, and fail. */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__
#include "cuda_runtime.h"

#if defined(__CUDA__)
static __device__ __inline__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance()
{
    return cudaErrorNotSupported;
}
static __device__ __inline__ void *cudaGetParameterBuffer(size_t, size_t)
{
    return nullptr;
}
static __device__ __inline__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3, unsigned int, cudaStream_t)
{
    return cudaErrorNotSupported;
}
#endif
#endif

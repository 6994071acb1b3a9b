/* Functions of the runtime that kernels may call as well. No call of theirs fails: there is no error to remember. */
#ifndef LOCKSTEP_RUNTIME_DEVICE_H
#define LOCKSTEP_RUNTIME_DEVICE_H

static __device__ __inline__ const char *cudaGetErrorName(cudaError_t error)
{
    switch ((int)error) {
#define CUDA_ERROR(name, value, text)                                                                                  \
    case name:                                                                                                         \
        return #name;
#include "cuda_errors.def"
#undef CUDA_ERROR
    default:
        break;
    }
    return "unrecognized error code";
}
static __device__ __inline__ const char *cudaGetErrorString(cudaError_t error)
{
    switch ((int)error) {
#define CUDA_ERROR(name, value, text)                                                                                  \
    case name:                                                                                                         \
        return text;
#include "cuda_errors.def"
#undef CUDA_ERROR
    default:
        break;
    }
    return "unrecognized error code";
}
static __device__ __inline__ cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}
static __device__ __inline__ cudaError_t cudaPeekAtLastError()
{
    return cudaSuccess;
}
/* The handle of a condition is the address of its word. */
static __device__ __inline__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value)
{
    *(volatile unsigned int *)handle = value;
}

#endif

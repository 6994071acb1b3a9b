/* threadIdx, blockIdx, blockDim, gridDim and warpSize. Each is an object whose members are properties (clang accepts
 * __declspec in CUDA mode), so that `threadIdx.x` reads the special register %tid.x and nothing is stored anywhere. */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "vector_types.h"

#if defined(__CUDA__)

#define LOCKSTEP_BUILTIN_VARIABLE(NAME, REGISTER)                                                                      \
    struct lockstep_##NAME {                                                                                           \
        __declspec(property(get = lockstep_x)) unsigned int x;                                                         \
        __declspec(property(get = lockstep_y)) unsigned int y;                                                         \
        __declspec(property(get = lockstep_z)) unsigned int z;                                                         \
        static __device__ __forceinline__ __attribute__((nodebug)) unsigned int lockstep_x()                           \
        {                                                                                                              \
            return __nvvm_read_ptx_sreg_##REGISTER##_x();                                                              \
        }                                                                                                              \
        static __device__ __forceinline__ __attribute__((nodebug)) unsigned int lockstep_y()                           \
        {                                                                                                              \
            return __nvvm_read_ptx_sreg_##REGISTER##_y();                                                              \
        }                                                                                                              \
        static __device__ __forceinline__ __attribute__((nodebug)) unsigned int lockstep_z()                           \
        {                                                                                                              \
            return __nvvm_read_ptx_sreg_##REGISTER##_z();                                                              \
        }                                                                                                              \
        __device__ __forceinline__ __attribute__((nodebug)) operator uint3() const                                     \
        {                                                                                                              \
            return uint3{lockstep_x(), lockstep_y(), lockstep_z()};                                                    \
        }                                                                                                              \
        __device__ __forceinline__ __attribute__((nodebug)) operator dim3() const                                      \
        {                                                                                                              \
            return dim3(lockstep_x(), lockstep_y(), lockstep_z());                                                     \
        }                                                                                                              \
        lockstep_##NAME() = delete;                                                                                    \
        lockstep_##NAME(const lockstep_##NAME &) = delete;                                                             \
        void operator=(const lockstep_##NAME &) const = delete;                                                        \
    };                                                                                                                 \
    extern const __device__ __attribute__((weak)) lockstep_##NAME NAME;

LOCKSTEP_BUILTIN_VARIABLE(threadIdx, tid)
LOCKSTEP_BUILTIN_VARIABLE(blockIdx, ctaid)
LOCKSTEP_BUILTIN_VARIABLE(blockDim, ntid)
LOCKSTEP_BUILTIN_VARIABLE(gridDim, nctaid)
#undef LOCKSTEP_BUILTIN_VARIABLE

/* A constant, so that it may size arrays, and no macro, since cudaDeviceProp has a member of that name. */
static const __device__ int warpSize = 32;

#endif
#endif

/* The qualifiers of CUDA C++ (__global__, __device__, __shared__ ...), in three settings: clang's CUDA mode, where each
 * is an attribute the compiler acts on; and plain C or C++ host code, where they vanish so that headers with device
 * functions can be shared.
 * __noinline__ is a keyword of clang from 15 on; clang 14 needs the macro, and bits/shared_ptr_base.h takes care that it
 * does not reach the C++ library, which spells __attribute__((__noinline__)). */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#if defined(__CUDA__)
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
/* Clang has no such attribute: `lockstep cc` reads the annotation in the IR of device code. */
#if defined(__CUDA_ARCH__)
#define __cluster_dims__(...) __attribute__((annotate("lockstep.cluster", __VA_ARGS__)))
#else
#define __cluster_dims__(...)
#endif
/* CCCL asks nvcc for lambdas of the device, whose types the host must not ask. Clang's lambdas have the same type on
 * both sides. */
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
/* A hint that a by-value kernel parameter is never written; parameters are read in place anyway. */
#define __grid_constant__
#define __device_builtin__
#define __cudart_builtin__
/* True if the device has a feature of one architecture alone: __CUDA_ARCH_HAS_FEATURE__(SM90_ALL). */
#define __CUDA_ARCH_HAS_FEATURE__(feature) __CUDA_ARCH_FEAT_##feature
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB

#endif

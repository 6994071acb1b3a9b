/* The header every CUDA C++ program sees; `lockstep cc` includes it before the program's first line, as nvcc does.
 * Host code gets the runtime interface; in clang's CUDA mode also the built-in variables and the device functions.
 * The order below matters: clang's own wrappers of <new>, <algorithm> and <complex> need the qualifiers first. No more
 * of the C++ library is read than nvcc reads: names that it declares clash with those of programs that use namespace std.
 * The guards of these headers are those of NVIDIA's, since programs ask for them (#ifdef __DRIVER_TYPES_H__). */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "host_defines.h"

#if defined(__CUDA__)
/* The device's operators new and delete, in clang's wrapper of <new>, call these. Standard headers may read it early. */
extern "C" __device__ void *malloc(__SIZE_TYPE__ size);
extern "C" __device__ void free(void *p);
#endif

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__cplusplus)
#include <cmath>
#include <cstdlib>
#include <math.h>
#include <new>
#include <utility>
#else
#include <math.h>
#endif
#if !defined(__clang__) || __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif

#include "builtin_types.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"

#if defined(__cplusplus)
#include "lockstep/runtime_cxx.h"
#include "lockstep/texture.h"
#endif
/* Headers that NVIDIA's header of this name includes: their guards are macros that programs ask for. */
#include "device_types.h"
#include "driver_functions.h"
#include "host_config.h"
#if defined(__CUDA__)
#include "device_launch_parameters.h"
#include "lockstep/device.h"

#include "common_functions.h"
#include "cuda_device_runtime_api.h"
#include "device_atomic_functions.h"
#include "device_double_functions.h"
#include "device_functions.h"
#include "math_functions.h"
#include "sm_20_atomic_functions.h"
#include "sm_20_intrinsics.h"
#include "sm_30_intrinsics.h"
#include "sm_32_atomic_functions.h"
#include "sm_32_intrinsics.h"
#include "sm_35_atomic_functions.h"
#include "sm_35_intrinsics.h"
#include "sm_60_atomic_functions.h"
#include "sm_61_intrinsics.h"
#endif

#endif

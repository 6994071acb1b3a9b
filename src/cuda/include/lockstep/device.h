/* The device functions, by family. Nothing here is guarded by __CUDA_ARCH__: clang checks kernel bodies in the host
 * pass too and picks overloads by __device__. Compute capability, where it matters (sm_80 for redux, bf16), is tested
 * inside bodies. */
#ifndef LOCKSTEP_DEVICE_H
#define LOCKSTEP_DEVICE_H

/* A device function, always inlined: most are one instruction. That instruction belongs to the line of the program that
 * calls the function, in messages and reports, since the function has no lines of its own (nodebug). */
#define LOCKSTEP_DEVICE static __device__ __forceinline__ __attribute__((nodebug))

#include "sync.h"
#include "cluster.h"

#include "warp.h"

#include "atomic.h"
#include "nv_atomic.h"

#include "arith.h"
#include "bits.h"
#include "simd.h"
#include "dpx.h"
#include "memory.h"
#include "system.h"

#include "math.h"

#include "managed.h"
#include "sized.h"
#include "runtime_device.h"

#endif

/* The CUDA runtime interface as this library implements it: the user's own header, its functions exported. */
#ifndef LOCKSTEP_CUDA_API_H
#define LOCKSTEP_CUDA_API_H

#pragma GCC visibility push(default)
#include "cuda/include/cuda_runtime_api.h"

/* Entry points that only compilers call. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device_function, const char *name, int thread_limit,
                            void *tid, void *bid, void *block, void *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device_address, const char *name, int ext, size_t bytes,
                       int constant, int global);
void __cudaRegisterTexture(void **handle, const struct textureReference *host, const void **device_address,
                           const char *name, int dimensions, int as_float, int ext);
void __cudaRegisterHostVar(void **handle, const char *device_name, char *host, size_t bytes);
/* Code of `lockstep cc` says before it registers a variable, or after, that it is managed: the pointer is to get its address. */
void __cudaLockstepManaged(const void *variable, void **pointer);
void __cudaLockstepManagedReady(void);
void *__cudaLockstepManagedAt(const void *variable);
/* Code of `lockstep cc -rdc=true` calls it in place of registering a fat binary: the device code is a part of that of the
 * whole program. `callback` registers what is in it. */
void __cudaLockstepLinked(void (*callback)(void **), void *wrapper, const char *module, void (*dummy)(void *));
void __cudaRegisterManagedVar(void **handle, void **host, char *device_address, const char *name, int ext, size_t bytes,
                              int constant, int global);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);
#pragma GCC visibility pop

/* The name by which a program built with --default-stream per-thread calls `function`. Work is executed when it is
 * given, so that the default streams do not differ. SUFFIX is ptsz or ptds. */
#define ALSO_PER_THREAD(function, suffix)                                                                              \
    extern __typeof__(function) function##_##suffix __attribute__((alias(#function), visibility("default")))

#endif

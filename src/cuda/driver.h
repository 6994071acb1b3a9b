/* The driver interface (libcuda.so.1) over the functions of the runtime: one device, one heap, one state for both. Handles
 * of streams and events are the runtime's, those of modules and libraries are images, those of functions and kernels are
 * the records that launches take in place of a host stub. All contexts share the device's memory. */
#ifndef LOCKSTEP_CUDA_DRIVER_H
#define LOCKSTEP_CUDA_DRIVER_H

#pragma GCC visibility push(default)
#include "cuda/include/cuda.h"
#pragma GCC visibility pop

#include "cuda/runtime.h"

/* The calling thread begins the entry point `name`: runtime functions speak under its name until driver_end. Returns an
 * error when the driver was not initialised, or, with needs_context, when the thread has no context. Every call that
 * succeeds is followed by driver_end, which returns the result that the error of a runtime function stands for. */
CUresult driver_begin(const char *name, bool needs_context);
CUresult driver_end(cudaError_t error);
CUresult driver_result(cudaError_t error);
/* NULL: there is no such result. */
const char *driver_result_name(CUresult result);

/* Bodies of entry points: `call` is evaluated between the two. */
#define DRIVER_CALL(call)                                                                                              \
    CUresult refused_ = driver_begin(__func__, true);                                                                  \
    return refused_ ? refused_ : driver_end(call)
#define DRIVER_QUERY(call)                                                                                             \
    CUresult refused_ = driver_begin(__func__, false);                                                                 \
    return refused_ ? refused_ : driver_end(call)

/* The thread's context, or NULL. The runtime is locked. */
struct CUctx_st *driver_current(struct runtime *rt);

/* driver_virtual.c: the device is gone, and so is its virtual memory. */
void driver_virtual_forget(struct runtime *rt);

/* driver_module.c: the records behind handles; NULL: it is none. The runtime is locked. */
struct image *driver_module(const struct runtime *rt, const void *handle);

/* Options of a call that loads code: count, names and values, which the runtime numbers as the driver does. */
struct jit_options {
    unsigned count;
    const CUjit_option *names;
    void **values;
};
/* driver_module.c, for the runtime's libraries (library.c) too; called without the lock. Loads code; name: of the file
 * that it is from, for messages, or NULL. */
cudaError_t driver_load(void **module, const void *data, const char *name, const struct jit_options *o);
cudaError_t driver_load_file(void **module, const char *path, const struct jit_options *o);
cudaError_t driver_unload(const void *handle);
/* The record of a kernel of that code; of its first `count` kernels; how many there are. */
cudaError_t driver_function(void **to, const void *handle, const char *name);
cudaError_t driver_functions(void **to, unsigned count, const void *handle);
cudaError_t driver_count_functions(unsigned *count, const void *handle);
/* Where a variable of it lies, and its size: one of these may be NULL. */
cudaError_t driver_variable(CUdeviceptr *address, size_t *bytes, const void *handle, const char *name);

/* A pointer of the driver, as the runtime has it, and back. */
static inline void *driver_pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}
static inline CUdeviceptr driver_address(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

#endif

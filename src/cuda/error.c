/* Error names and texts, and each thread's last error. */
#include "cuda/runtime.h"

const char *cudaGetErrorName(cudaError_t error)
{
    switch ((unsigned)error) {
#define CUDA_ERROR(name, value, text)                                                                                  \
    case value:                                                                                                        \
        return #name;
#include "cuda/include/lockstep/cuda_errors.def"
#undef CUDA_ERROR
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch ((unsigned)error) {
#define CUDA_ERROR(name, value, text)                                                                                  \
    case value:                                                                                                        \
        return text;
#include "cuda/include/lockstep/cuda_errors.def"
#undef CUDA_ERROR
    }
    return "unrecognized error code";
}

/* A failed kernel's error stays, whoever asks, until the device is reset. */
static cudaError_t last_error(bool forget)
{
    struct runtime *rt = runtime_lock();
    struct thread_state *thread = runtime_thread();
    cudaError_t error = rt->fault ? rt->fault : thread->last_error;
    if (error)
        results_seen(rt);
    runtime_unlock(rt, cudaSuccess);
    if (forget)
        thread->last_error = cudaSuccess;
    return error;
}

cudaError_t cudaGetLastError(void)
{
    return last_error(true);
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error(false);
}

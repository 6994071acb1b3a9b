// What libraries of kernels share on the host: scalars that lie there or on the device, room on the device, launches.
#pragma once

#include "numbers.cuh"

namespace lockstep_kernels
{

// A scalar argument: its value, or where the device finds it.
template <class T> struct scalar {
    T value;
    const T *at;
    __device__ T get() const
    {
        return at ? *at : value;
    }
};
template <class T> inline scalar<T> constant(T value)
{
    return scalar<T>{value, NULL};
}

// Room on the device that lasts until the next call that asks for some, and grows.
struct device_room {
    void *at;
    size_t bytes;
    // NULL when there is none left.
    void *get(size_t wanted, cudaStream_t stream)
    {
        if (wanted > bytes) {
            void *more;
            if (cudaMalloc(&more, wanted) != cudaSuccess)
                return NULL;
            cudaStreamSynchronize(stream);
            cudaFree(at);
            at = more;
            bytes = wanted;
        }
        return at;
    }
};

// Cuts one room into arrays, each aligned for any type.
struct cutter {
    char *at;
    template <class T> T *cut(long long count)
    {
        char *here = at;
        at += (count * sizeof(T) + 15) / 16 * 16;
        return (T *)here;
    }
};

template <class... P, class... A>
inline cudaError_t start(cudaStream_t stream, dim3 grid, dim3 block, size_t shared, void (*kernel)(P...),
                         A... arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel, P(arguments)...);
}

// Blocks of `each` threads for n of them.
inline unsigned blocks_for(long long n, unsigned each)
{
    return (unsigned)((n + each - 1) / each);
}

// each(i) for i of [0, n), by a thread each, or by fewer that take several. Nothing is launched for nothing.
template <class Each> __global__ void for_each(long long n, Each each)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
        each(i);
}
template <class Each> cudaError_t start_for_each(cudaStream_t stream, long long n, Each each)
{
    const unsigned threads = 128, blocks = blocks_for(n, threads);
    return n <= 0 ? cudaSuccess : start(stream, blocks < 4096 ? blocks : 4096, threads, 0, for_each<Each>, n, each);
}

} // namespace lockstep_kernels

/* C++ additions to the runtime interface: typed allocation, symbols by reference, kernels by function pointer,
 * occupancy search, and the argument packing of cudaLaunchKernelEx. */
#ifndef LOCKSTEP_RUNTIME_CXX_H
#define LOCKSTEP_RUNTIME_CXX_H

#include "../cuda_runtime_api.h"

template <class T> static inline cudaError_t cudaMalloc(T **p, size_t size)
{
    return cudaMalloc((void **)p, size);
}
template <class T> static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)p, pitch, width, height);
}
template <class T> static inline cudaError_t cudaMallocManaged(T **p, size_t size, unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)p, size, flags);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream)
{
    return cudaMallocAsync((void **)p, size, stream);
}
static inline cudaError_t cudaMallocAsync(void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(p, size, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)p, size, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)p, size, pool, stream);
}
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t size, unsigned flags = 0)
{
    return cudaHostAlloc((void **)p, size, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t size, unsigned flags)
{
    return cudaHostAlloc((void **)p, size, flags);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **p, void *host, unsigned flags)
{
    return cudaHostGetDevicePointer((void **)p, host, flags);
}

/* As programs before CUDA 12 update and instantiate a graph. */
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *error,
                                              cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t answer = cudaGraphExecUpdate(exec, graph, &info);
    if (error)
        *error = info.errorNode;
    if (result)
        *result = info.result;
    return answer;
}
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *error,
                                               char *log, size_t size)
{
    if (error)
        *error = nullptr;
    if (log && size)
        *log = '\0';
    return cudaGraphInstantiate(exec, graph, 0);
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                                    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol)
{
    return cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
    return cudaGetSymbolSize(size, (const void *)&symbol);
}

template <class T>
static inline cudaError_t cudaLaunchKernel(T *func, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                           cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)func, grid, block, args, shared, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                                      cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)func, grid, block, args, shared, stream);
}
/* Arguments are converted to the kernel's parameter types before their addresses are taken. */
template <class... Param, class... Arg>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Param...), Arg &&...arg)
{
    return [&](Param... value) {
        void *args[sizeof...(Param) + 1] = {(void *)&value..., nullptr};
        return cudaLaunchKernelExC(config, (const void *)kernel, args);
    }(static_cast<Arg &&>(arg)...);
}

/* Those of a handle are of its parameters' types already. */
template <class... Arg>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, cudaKernel_t kernel, Arg &&...arg)
{
    void *args[sizeof...(Arg) + 1] = {(void *)&arg..., nullptr};
    return cudaLaunchKernelExC(config, (const void *)kernel, args);
}

template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *func, enum cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)func, config);
}
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *func, enum cudaSharedMemConfig config)
{
    return cudaFuncSetSharedMemConfig((const void *)func, config);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, T *func)
{
    return cudaFuncGetAttributes(attr, (const void *)func);
}
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *func, enum cudaFuncAttribute attr, int value)
{
    return cudaFuncSetAttribute((const void *)func, attr, value);
}
template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *func)
{
    return cudaFuncGetName(name, (const void *)func);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T func, int blockSize,
                                                                        size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)func, blockSize, shared,
                                                                  cudaOccupancyDefault);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T func, int blockSize,
                                                                                 size_t shared, unsigned flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)func, blockSize, shared, flags);
}

template <class... Param>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, void (*func)(Param...),
                                                         const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxActiveClusters(clusters, (const void *)func, config);
}
template <class... Param>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, void (*func)(Param...),
                                                               const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxPotentialClusterSize(blocks, (const void *)func, config);
}

/* The block size, a multiple of the warp size and at most limit (0: no limit), that keeps most threads resident; the
 * larger one on a tie. sharedOf(blockSize) is the dynamic shared memory a block of that size asks for. */
template <class SharedOf, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize, int *blockSize, T func,
                                                                         SharedOf sharedOf, int limit = 0)
{
    int device = 0, multiprocessors = 0, warp = 0, bestThreads = 0, bestBlocks = 0, best = 0;
    struct cudaFuncAttributes attributes;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&attributes, (const void *)func);
    if (error != cudaSuccess)
        return error;
    int top = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < top)
        top = limit;
    for (int size = (top + warp - 1) / warp * warp; size > 0; size -= warp) {
        int threads = size < top ? size : top, blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)func, threads,
                                                              (size_t)sharedOf(threads));
        if (error != cudaSuccess)
            return error;
        if (blocks * threads > bestThreads) {
            bestThreads = blocks * threads;
            bestBlocks = blocks;
            best = threads;
        }
    }
    *minGridSize = bestBlocks * multiprocessors;
    *blockSize = best;
    return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, T func,
                                                             size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        minGridSize, blockSize, func, [shared](int) { return shared; }, limit);
}

/* The flags speak of caches, which decide nothing here. */
template <class SharedOf, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *minGridSize, int *blockSize,
                                                                                  T func, SharedOf sharedOf,
                                                                                  int limit = 0, unsigned = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(minGridSize, blockSize, func, sharedOf, limit);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, T func,
                                                                      size_t shared = 0, int limit = 0, unsigned = 0)
{
    return cudaOccupancyMaxPotentialBlockSize(minGridSize, blockSize, func, shared, limit);
}

template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, T func, int blocks, int blockSize)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(shared, (const void *)func, blocks, blockSize);
}

/* The CUDA 12 forms, which name the place by a device number (cudaCpuDeviceId is the host). */
static inline struct cudaMemLocation lockstep_mem_location(int device)
{
    struct cudaMemLocation location = {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                                       device == cudaCpuDeviceId ? 0 : device};
    return location;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t count, int device, cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync(p, count, lockstep_mem_location(device), 0u, stream);
}
static inline cudaError_t cudaMemAdvise(const void *p, size_t count, enum cudaMemoryAdvise advice, int device)
{
    return cudaMemAdvise(p, count, advice, lockstep_mem_location(device));
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

#endif

// The runtime interface: streams, events, managed and pitched memory, attributes, occupancy, properties, launches by
// function pointer.
#include <cstdio>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t e = (call);                                                                                        \
        if (e != cudaSuccess)                                                                                          \
            printf("%s:%d %s %s\n", __FILE__, __LINE__, cudaGetErrorName(e), cudaGetErrorString(e));                   \
    } while (0)

__global__ void scale(float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= a;
}

int main()
{
    int n = 256, device = 0, block = 0, grid = 0, active = 0;
    float *managed = nullptr, *pitched = nullptr, *pinned = nullptr, a = 2.0f, ms = 0;
    size_t pitch = 0, free_bytes = 0, total = 0;
    cudaDeviceProp prop;
    cudaFuncAttributes attributes;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaGetDeviceProperties(&prop, device));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreateWithFlags(&stop, cudaEventDefault));
    CHECK(cudaMallocManaged(&managed, n * sizeof(float)));
    CHECK(cudaMallocPitch(&pitched, &pitch, 100, 10));
    CHECK(cudaMallocHost(&pinned, n * sizeof(float)));
    CHECK(cudaMemcpy2D(pitched, pitch, pinned, 100, 100, 2, cudaMemcpyHostToDevice));
    CHECK(cudaMemsetAsync(managed, 0, n * sizeof(float), stream));
    CHECK(cudaEventRecord(start, stream));
    scale<<<n / 64, 64, 0, stream>>>(managed, a, n);
    void *args[] = {&managed, &a, &n};
    CHECK(cudaLaunchKernel(scale, dim3(4), dim3(64), args, 0, stream));
    CHECK(cudaLaunchKernel((const void *)scale, dim3(4), dim3(64), args, 0, stream));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(64);
    config.stream = stream;
    CHECK(cudaLaunchKernelEx(&config, scale, managed, 3.0f, n));
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaStreamWaitEvent(stream, stop, 0));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFuncGetAttributes(&attributes, scale));
    CHECK(cudaFuncSetAttribute(scale, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    CHECK(cudaFuncSetCacheConfig(scale, cudaFuncCachePreferL1));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0));
    CHECK(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, scale, 0, 0, cudaOccupancyDefault));
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        &grid, &block, scale, [](int) { return (size_t)0; }, 0, cudaOccupancyDefault));
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&free_bytes, scale, 2, 64));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, scale, 64, 0));
    CHECK(cudaDeviceGetAttribute(&active, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    CHECK(cudaProfilerStart());
    CHECK(cudaProfilerStop());
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(managed));
    CHECK(cudaFree(pitched));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaStreamDestroy(stream));
    printf("%s %d.%d\n", prop.name, prop.major, prop.minor);
    return 0;
}

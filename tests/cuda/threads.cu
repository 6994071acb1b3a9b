// Several host threads at once, each with its stream, its memory and its own last error.
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

__device__ int launches;

__global__ void step(int *p, int by)
{
    p[threadIdx.x] += by;
    if (threadIdx.x == 0)
        atomicAdd(&launches, 1);
}

static void work(int number, int *wrong)
{
    cudaStream_t stream;
    int *device, host[32];
    *wrong += cudaStreamCreate(&stream) != cudaSuccess;
    *wrong += cudaMalloc(&device, sizeof host) != cudaSuccess;
    *wrong += cudaMemsetAsync(device, 0, sizeof host, stream) != cudaSuccess;
    if (number == 2)
        step<<<1, 4096, 0, stream>>>(device, 1);
    for (int i = 0; i < 20; i++)
        step<<<1, 32, 0, stream>>>(device, number);
    *wrong += cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, stream) != cudaSuccess;
    *wrong += cudaStreamSynchronize(stream) != cudaSuccess;
    for (int i = 0; i < 32; i++)
        *wrong += host[i] != 20 * number;
    *wrong += cudaGetLastError() != (number == 2 ? cudaErrorInvalidConfiguration : cudaSuccess);
    *wrong += cudaFree(device) != cudaSuccess;
    *wrong += cudaStreamDestroy(stream) != cudaSuccess;
}

int main()
{
    int wrong[4] = {0, 0, 0, 0}, total = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(work, i, &wrong[i]);
    for (auto &thread : threads)
        thread.join();
    cudaMemcpyFromSymbol(&total, launches, sizeof total);
    printf("%d %d %d %d wrong, %d launches\n", wrong[0], wrong[1], wrong[2], wrong[3], total);
    return 0;
}

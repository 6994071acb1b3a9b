// Device malloc beyond the machine's own heap, after the program asked for a larger one.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void grow(int **kept, int words)
{
    int *p = (int *)malloc(words * sizeof(int));
    if (p)
        p[words - 1] = threadIdx.x;
    kept[threadIdx.x] = p;
}

__global__ void shrink(int **kept, int words, int *sum)
{
    atomicAdd(sum, kept[threadIdx.x][words - 1]);
    free(kept[threadIdx.x]);
}

int main()
{
    const int words = 1 << 18; // 32 threads of 1 MiB
    int **kept, *host[32], *sum, total = 0, got = 0;
    size_t heap = 0;
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
    cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
    cudaMalloc(&kept, sizeof host);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    for (int round = 0; round < 3; round++) {
        grow<<<1, 32>>>(kept, words);
        cudaMemcpy(host, kept, sizeof host, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 32; i++)
            got += host[i] != nullptr;
        shrink<<<1, 32>>>(kept, words, sum);
    }
    cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost);
    printf("%zu MiB, %d blocks, sum %d, %s\n", heap >> 20, got, total, cudaGetErrorName(cudaGetLastError()));
    return 0;
}

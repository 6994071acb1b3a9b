// Memory that host and device name by the same pointer: managed allocations and variables, pinned and registered memory.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct node {
    int value;
    node *next;
};

#ifndef __clang__
__managed__ int total = 1000;
#else
__device__ int total = 1000; // clang has managed variables for other devices only
#endif

__global__ void walk(node *list, int *sum)
{
    for (node *n = list; n; n = n->next) {
        n->value *= 2;
        *sum += n->value;
        total += 1;
    }
}

__global__ void fill(int *p, int n)
{
    if ((int)threadIdx.x < n)
        p[threadIdx.x] += threadIdx.x;
}

static int read_total()
{
#ifndef __clang__
    return total;
#else
    int value = -1;
    cudaMemcpyFromSymbol(&value, total, sizeof value);
    return value;
#endif
}

int main()
{
    node *nodes;
    int *sum, supported = 0;
    cudaDeviceGetAttribute(&supported, cudaDevAttrManagedMemory, 0);
    if (!supported) {
        printf("no managed memory here\n");
        return 77;
    }
    cudaMallocManaged(&nodes, 10 * sizeof *nodes);
    cudaMallocManaged(&sum, sizeof *sum);
    for (int i = 0; i < 10; i++)
        nodes[i] = {i, i < 9 ? &nodes[i + 1] : nullptr};
    *sum = 5;
    walk<<<1, 1>>>(nodes, sum);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("sum %d last %d total %d\n", *sum, nodes[9].value, read_total());

    int *pinned, *device;
    cudaHostAlloc(&pinned, 32 * sizeof(int), cudaHostAllocMapped);
    for (int i = 0; i < 32; i++)
        pinned[i] = 100;
    cudaHostGetDevicePointer(&device, pinned, 0);
    fill<<<1, 32>>>(device, 32);
    cudaDeviceSynchronize();
    printf("pinned %d %d\n", pinned[0], pinned[31]);

    int *own = (int *)malloc(32 * sizeof(int));
    for (int i = 0; i < 32; i++)
        own[i] = 200;
    cudaHostRegister(own, 32 * sizeof(int), cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&device, own, 0);
    fill<<<1, 32>>>(device, 32);
    cudaDeviceSynchronize();
    cudaHostUnregister(own);
    printf("registered %d %d\n", own[0], own[31]);
    free(own);
    cudaFreeHost(pinned);
    cudaFree(sum);
    printf("%s\n", cudaGetErrorName(cudaFree(nodes)));
    return 0;
}

// Device malloc, new and virtual functions, beyond the machine's own heap, after the program asked for a larger one.
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

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape()
    {
    }
};
struct square : shape {
    int side;
    __device__ explicit square(int s) : side(s)
    {
    }
    __device__ int area() const override
    {
        return side * side;
    }
};
struct strip : shape {
    int *cells, length;
    __device__ explicit strip(int n) : cells(new int[n]), length(n)
    {
        cells[n - 1] = n;
    }
    __device__ ~strip() override
    {
        delete[] cells;
    }
    __device__ int area() const override
    {
        return cells[length - 1];
    }
};

__global__ void objects(int *sum)
{
    shape *s = threadIdx.x & 1 ? (shape *)new square(threadIdx.x) : new strip(threadIdx.x + 1);
    atomicAdd(sum, s->area());
    delete s;
}

int main()
{
    const int words = 1 << 18; // 32 threads of 1 MiB
    int **kept, *host[32], *sum, total = 0, got = 0, got_objects = 0;
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
    objects<<<1, 32>>>(sum);
    cudaMemcpy(&got_objects, sum, sizeof got_objects, cudaMemcpyDeviceToHost);
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    printf("objects %d, warps of %d\n", got_objects - total, prop.warpSize);
    printf("%zu MiB, %d blocks, sum %d, %s\n", heap >> 20, got, total, cudaGetErrorName(cudaGetLastError()));
    return 0;
}

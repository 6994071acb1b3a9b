#include <cstdio>

#include "multi.h"

// The same names as in kernel.cu: each file has its own.
namespace
{
__global__ void fill(int *p)
{
    p[threadIdx.x] = (int)threadIdx.x;
}
} // namespace
static __device__ int bias = 1;
static __global__ void add(int *p)
{
    p[threadIdx.x] += bias;
}

int main()
{
    int *p = nullptr;
    cudaMalloc(&p, 128);
    fill<<<1, 32>>>(p);
    add<<<1, 32>>>(p);
    launch(p, helper(32));
    printf("%d\n", c_helper(3));
    return cudaFree(p) == cudaSuccess ? 0 : 1;
}

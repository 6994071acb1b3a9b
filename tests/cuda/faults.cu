// Fails in the way its argument names, and prints what the calls after it answer.
#include <cassert>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void beyond(int *p, int where) { p[where + threadIdx.x] = 1; }
__global__ void askew(char *p) { *(int *)(p + 2) = 1; }
__global__ void check(int limit) { assert((int)threadIdx.x < limit); }
__global__ void stop(int lane)
{
    if (threadIdx.x == lane)
        asm volatile("trap;");
}
__global__ void wait_for_ever(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
}

static const char *name(cudaError_t error) { return cudaGetErrorName(error); }

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int *p;
    cudaMalloc(&p, 256);
    cudaMemset(p, 0, 256);
    if (!strcmp(how, "beyond"))
        beyond<<<1, 32>>>(p, 1 << 20);
    else if (!strcmp(how, "askew"))
        askew<<<1, 1>>>((char *)p);
    else if (!strcmp(how, "assert"))
        check<<<1, 64>>>(40);
    else if (!strcmp(how, "trap"))
        stop<<<1, 32>>>(3);
    else if (!strcmp(how, "hang"))
        wait_for_ever<<<1, 32>>>(p);
    else
        return 2;
    cudaError_t after = cudaDeviceSynchronize();
    printf("%s %s %s\n", name(after), name(cudaGetLastError()), name(cudaMalloc(&p, 16)));
    cudaDeviceReset();
    printf("%s\n", name(cudaMalloc(&p, 16)));
    return 0;
}

// Device code of several files that is one: functions, variables and classes of other files; names that two files have for themselves.
#include <stdio.h>
#include "relocatable.h"

__device__ int counter = 5;
__constant__ float scale = 1.5f;
static __device__ int own = 100;
namespace {
__device__ int hidden = 7;
__global__ void add_own(int *p) { *p += own + hidden; }
}
__device__ int twice(int x) { return helper(x) * 2; }
__device__ Shape::~Shape() {}
static __global__ void same_name(int *p) { *p = 1; }

int main()
{
    int *p, value = 0;
    cudaMalloc(&p, 4);
    use<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    printf("use: %d\n", value);
    int next = 50;
    cudaMemcpyToSymbol(counter, &next, 4);
    next = 1000;
    cudaMemcpyToSymbol(own, &next, 4);
    use<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    printf("use: %d\n", value);
    add_own<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    printf("add_own: %d\n", value);
    other_file(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    printf("other file: %d\n", value);
    same_name<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&next, counter, 4);
    printf("same_name: %d, counter: %d\n", value, next);
    reshape(3);
    cudaDeviceReset();
    cudaMalloc(&p, 4);
    use<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    printf("after a reset: %d, %s\n", value, cudaGetErrorString(cudaGetLastError()));
}

// One of two files that have a kernel and a variable of the same name, each its own.
#include <cstdio>
#include <cuda_runtime.h>

static __device__ int which = 1;
static __global__ void tell(int *out) { *out = which; }

int ask_other();

int main()
{
    int *device, host = 0;
    cudaMalloc(&device, sizeof host);
    tell<<<1, 1>>>(device);
    cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    printf("here %d\n", host);
    printf("there %d\n", ask_other());
    cudaFree(device);
    return 0;
}

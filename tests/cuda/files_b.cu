// The other of the two files, see files_a.cu.
#include <cuda_runtime.h>

static __device__ int which = 2;
static __global__ void tell(int *out) { *out = which; }

int ask_other()
{
    int *device, host = 0, ten = 10;
    cudaMalloc(&device, sizeof host);
    cudaMemcpyToSymbol(which, &ten, sizeof ten);
    tell<<<1, 1>>>(device);
    cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(device);
    return host;
}

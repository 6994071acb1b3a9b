/* Kernels that need many registers: bounded ones say how large their blocks are, the other one does not. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define MANY 48

__device__ void body(float *at)
{
    float v[MANY], sum = 0;
    int i = threadIdx.x;
#pragma unroll
    for (int k = 0; k < MANY; k++)
        v[k] = at[i + 1024 * k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < MANY; k++)
        sum = sum * 0.5f + v[MANY - 1 - k] * v[k];
    at[i] = sum;
}

#ifdef BOUNDED
__global__ void __launch_bounds__(1024) many(float *at)
#else
__global__ void many(float *at)
#endif
{
    body(at);
}

int main()
{
    float *at, host[1024];
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    cudaMalloc(&at, 1024 * MANY * sizeof *at);
    cudaMemset(at, 0x3f, 1024 * MANY * sizeof *at);
    many<<<1, 1024>>>(at);
    many<<<1, 1024>>>(at);
    cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(host, at, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s, %s, %a\n", p.name, cudaGetErrorName(error), host[1023]);
    return 0;
}

/* Kernels that miss their allocations; the command line says which. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void read_behind(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1; // READ
}

__global__ void read_vectors(const int4 *in, int *out)
{
    int4 v = in[threadIdx.x];
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__global__ void write_behind(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i + 1;
}

__global__ void count_behind(int *counts, int *out)
{
    int i = threadIdx.x;
    out[i] = atomicAdd(&counts[i], 5) + 1;
}

__global__ void read_far(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x + (1 << 24)];
}

__global__ void write_null(int *out)
{
    out[threadIdx.x] = 1;
}

static int *device(int n)
{
    int *p, host[256];
    for (int i = 0; i < 256; i++)
        host[i] = i;
    cudaMalloc(&p, n * sizeof(int));
    cudaMemcpy(p, host, n * sizeof(int), cudaMemcpyHostToDevice);
    return p;
}

int main(int, char **argv)
{
    const char *how = argv[1];
    int *in = device(70), *out = device(128), host[128], sum = 0;
    for (int launch = 0; launch < 2; launch++) {
        if (!strcmp(how, "read"))
            read_behind<<<2, 64>>>(in, out, 70);
        else if (!strcmp(how, "vectors"))
            read_vectors<<<1, 32>>>((const int4 *)in, out);
        else if (!strcmp(how, "write"))
            write_behind<<<2, 64>>>(in);
        else if (!strcmp(how, "count"))
            count_behind<<<1, 128>>>(in, out);
        else if (!strcmp(how, "far"))
            read_far<<<1, 32>>>(in, out);
        else
            write_null<<<1, 32>>>(NULL);
    }
    cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 128; i++)
        sum += host[i];
    cudaMemcpy(host, in, 70 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 70; i++)
        sum += 3 * host[i];
    printf("%s: %s %d\n", how, cudaGetErrorName(error), error ? 0 : sum);
    return 0;
}

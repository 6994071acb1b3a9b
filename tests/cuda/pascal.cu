// What a program is told about gtx1080ti, and what fits on it.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add_one(float *p)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

__global__ void turn_round(float *p)
{
    __shared__ float s[4096];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void own_words(unsigned *p, unsigned words)
{
    extern __shared__ unsigned s[];
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        s[i] = i;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        sum += s[words - 1 - i];
    atomicAdd(&p[blockIdx.x], sum);
}

static int attribute(cudaDeviceAttr which)
{
    int value = -1;
    cudaDeviceGetAttribute(&value, which, 0);
    return value;
}

template <typename... T> static int blocks(void (*kernel)(T...), int threads, size_t shared)
{
    int n = -1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, threads, shared);
    return n;
}

int main()
{
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess)
        return 1;
    printf("%s, compute capability %d.%d, %d SMs\n", p.name, p.major, p.minor, p.multiProcessorCount);
    printf("clocks: SM %d kHz, memory %d kHz; bus %d bits\n", attribute(cudaDevAttrClockRate),
           attribute(cudaDevAttrMemoryClockRate), p.memoryBusWidth);
    printf("memory %zu MiB, L2 %d bytes, L1 for global loads: %d\n", p.totalGlobalMem >> 20, p.l2CacheSize,
           p.globalL1CacheSupported);
    printf("shared memory: block %zu, on request %zu, SM %zu\n", p.sharedMemPerBlock, p.sharedMemPerBlockOptin,
           p.sharedMemPerMultiprocessor);
    printf("registers: block %d, SM %d; warp %d; threads: block %d, SM %d; blocks: SM %d\n", p.regsPerBlock,
           p.regsPerMultiprocessor, p.warpSize, p.maxThreadsPerBlock, p.maxThreadsPerMultiProcessor,
           p.maxBlocksPerMultiProcessor);

    printf("blocks of 32, 64, 128, 1024 threads on an SM: %d %d %d %d\n", blocks(add_one, 32, 0),
           blocks(add_one, 64, 0), blocks(add_one, 128, 0), blocks(add_one, 1024, 0));
    printf("with 16 KiB of shared memory each: %d\n", blocks(turn_round, 256, 0));

    const unsigned all = 98304 / 4;
    unsigned *sums, host[56];
    cudaMalloc((void **)&sums, sizeof host);
    cudaMemset(sums, 0, sizeof host);
    own_words<<<56, 128, all * 4>>>(sums, all);
    printf("98304 bytes unasked: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaError_t error = cudaFuncSetAttribute(own_words, cudaFuncAttributeMaxDynamicSharedMemorySize, all * 4);
    printf("asked: %s, %d fit\n", cudaGetErrorName(error), blocks(own_words, 128, all * 4));
    own_words<<<56, 128, all * 4>>>(sums, all);
    error = cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
    int right = 0;
    for (int i = 0; i < 56; i++)
        right += host[i] == (unsigned)((unsigned long long)all * (all - 1) / 2);
    printf("ran: %s, %d of 56 sums right\n", cudaGetErrorName(error), right);
    error = cudaFuncSetAttribute(own_words, cudaFuncAttributeMaxDynamicSharedMemorySize, all * 4 + 4);
    printf("one word more: %s\n", cudaGetErrorName(error));
    return 0;
}

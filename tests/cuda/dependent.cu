/* Programmatic dependent launch: a kernel prepares beside the one before it, and waits for it where it needs its values. Prints
 * how long a pair takes, in tenths of the first kernel alone. */
#include <cstdio>

#include "must.h"

enum { THREADS = 64, ROUNDS = 2000 };

__device__ int work(int n)
{
    for (int i = 0; i < ROUNDS; i++)
        n = n * 3 + (n >> 7);
    return n == 12345;
}

__global__ void first(int *p)
{
    cudaTriggerProgrammaticLaunchCompletion();
    p[threadIdx.x] = work(threadIdx.x) + 5;
}

__global__ void second(int *p, int rounds)
{
    int n = 0;
    for (int i = 0; i < rounds; i++)
        n += work(threadIdx.x + i);
    cudaGridDependencySynchronize();
    p[threadIdx.x] = p[threadIdx.x] * 2 + n;
}

int main()
{
    int *p, got[THREADS];
    cudaStream_t s;
    cudaEvent_t begin, end;
    float once = 0;
    must(cudaMalloc((void **)&p, THREADS * sizeof *p));
    must(cudaStreamCreate(&s));
    must(cudaEventCreate(&begin));
    must(cudaEventCreate(&end));
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(1);
    c.blockDim = dim3(THREADS);
    c.stream = s;
    c.attrs = &a;
    for (int way = 0; way < 3; way++) {
        float ms;
        must(cudaEventRecord(begin, s));
        first<<<1, THREADS, 0, s>>>(p);
        c.numAttrs = way == 2;
        if (way)
            must(cudaLaunchKernelEx(&c, second, p, 1));
        must(cudaEventRecord(end, s));
        must(cudaStreamSynchronize(s));
        must(cudaEventElapsedTime(&ms, begin, end));
        once = way ? once : ms;
        printf("%d\n", (int)(ms / once * 10 + 0.5f));
        must(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < THREADS; i++)
            if (got[i] != (way ? 10 : 5)) {
                printf("WRONG: %d\n", got[i]);
                return 1;
            }
    }
    a.id = cudaLaunchAttributeProgrammaticEvent;
    cudaError_t error = cudaLaunchKernelEx(&c, second, p, 1);
    printf("%s\n", cudaGetErrorName(error));
    cudaGetLastError();
    return 0;
}

// The table of one.cu with a lock for each of its counts.
#include <cstdio>
#include <cuda_runtime.h>

const int BINS = 256;
__device__ int lock[BINS], table[BINS];

__device__ void add(int bin, int value)
{
    for (bool done = false; !done;)
        if (atomicCAS(&lock[bin], 0, 1) == 0) {
            *(volatile int *)&table[bin] += value;
            __threadfence();
            atomicExch(&lock[bin], 0);
            done = true;
        }
}

__global__ void tally(int rounds)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++)
        add((thread * 2654435761u + r * 40503u) >> 24, 1);
}

int main()
{
    int counts[BINS], sum = 0;
    tally<<<8, 64>>>(2);
    cudaMemcpyFromSymbol(counts, table, sizeof counts);
    for (int count : counts)
        sum += count;
    printf("%d of 1024 counted\n", sum);
    return sum != 1024;
}

// The barrier of the grid as an instruction: each block reads in every round what all others wrote in the one before. Blocks that end
// early are waited for no more.
#include <cstdio>
#include <cuda_runtime.h>
#include <lockstep/lock.h>

#define ROUNDS 6

__global__ void rounds(unsigned *values, unsigned *wrong)
{
    unsigned block = blockIdx.x, blocks = gridDim.x;
    for (unsigned round = 0; round < ROUNDS - block % 3; round++) {
        if (threadIdx.x == 0)
            values[round * blocks + block] = round * 100 + block;
        if (threadIdx.x % 7 == round % 7)
            __nanosleep(100 * block);
        lockstep_barrier_grid();
        for (unsigned other = threadIdx.x; other < blocks; other += blockDim.x)
            if (round < ROUNDS - other % 3 && values[round * blocks + other] != round * 100 + other)
                atomicAdd(wrong, 1);
    }
}

int main(int count, char **arguments)
{
    unsigned blocks = count > 1 ? 4000 : 45, *values, *wrong, found = 77;
    cudaMalloc(&values, ROUNDS * blocks * sizeof *values);
    cudaMalloc(&wrong, sizeof *wrong);
    cudaMemset(values, 0, ROUNDS * blocks * sizeof *values);
    cudaMemset(wrong, 0, sizeof *wrong);
    rounds<<<blocks, 96>>>(values, wrong);
    cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost);
    printf("%s, wrong %u\n", cudaGetErrorName(cudaGetLastError()), found);
}

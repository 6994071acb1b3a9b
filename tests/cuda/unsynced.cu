// Exchanges between lanes that do not execute them together. Each kernel is named by the argument and prints what lanes
// got; the lines that end in "NOTED" are the ones that Lockstep must name.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

// The last step of a block's sum as NVIDIA's sample code has it: each warp's sum lies in shared memory, the first lanes
// of the first warp add them up, and for large offsets read from lanes that are not there.
__device__ int warp_sum(unsigned mask, int value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(mask, value, offset); // NOTED
    return value;
}

__global__ void block_sum(int *out)
{
    __shared__ int sums[32];
    int value = warp_sum(0xffffffff, 1);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = value;
    __syncthreads();
    unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < blockDim.x / 32);
    if (threadIdx.x < blockDim.x / 32) {
        value = warp_sum(mask, sums[threadIdx.x]);
        if (threadIdx.x == 0)
            *out = value;
    }
}

__global__ void unnamed(int *out)
{
    int got = 0;
    if (threadIdx.x < 8)
        got = __ballot_sync(0xf, 1); // NOTED
    out[threadIdx.x] = got;
}

// The upper half goes another way: lockstep's warps do not wait for it.
__global__ void absent(int *out)
{
    if (threadIdx.x < 16)
        __syncwarp(); // NOTED
    out[threadIdx.x] = threadIdx.x;
}

// Each lane names the lanes below it, and not itself: a prefix count that is undefined, and that programs have.
__global__ void below(int *out)
{
    unsigned mask = (1u << threadIdx.x) - 1;
    out[threadIdx.x] = __popc(__ballot_sync(mask, threadIdx.x % 3)); // NOTED
}

// All of this is as the manual wants it: groups with masks of their own, lanes that have ended.
__global__ void groups(int *out)
{
    int lane = threadIdx.x, key = lane % 3;
    unsigned mask = __match_any_sync(0xffffffff, key);
    int ballot = __ballot_sync(mask, lane >= 9);
    int all = __all_sync(mask, key != 1), any = __any_sync(mask, lane == 30);
    int first = __shfl_sync(mask, lane, __ffs(mask) - 1);
    __syncwarp(mask);
    if (lane >= 24)
        return;
    if (__popc(__ballot_sync(0xffffffff, 1)) != 24)
        return;
    out[lane] = ballot == (int)(mask & 0xfffffe00) && all == (key != 1) && any == (key == 0) && first == key;
}

static void run(const char *name, void (*kernel)(int *), int threads)
{
    int *out;
    cudaMallocManaged(&out, 256 * sizeof *out);
    for (int i = 0; i < 2; i++) { // what was noted is not noted again
        kernel<<<1, threads>>>(out);
        printf("%s: %s:", name, cudaGetErrorName(cudaDeviceSynchronize()));
        for (int k = 0; k < 24 && !cudaPeekAtLastError(); k++)
            printf(" %d", out[k]);
        printf("\n");
    }
    cudaFree(out);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "block_sum"))
        run(how, block_sum, 256);
    else if (!strcmp(how, "unnamed"))
        run(how, unnamed, 32);
    else if (!strcmp(how, "absent"))
        run(how, absent, 32);
    else if (!strcmp(how, "below"))
        run(how, below, 32);
    else
        run(how, groups, 32);
    return 0;
}

// Grid barriers of cooperative launches: a sum over the whole grid that every step needs, in a loop; ping-pong between two
// buffers in which each block reads what all others wrote; and what is refused.
//
//     grid            prints what the barriers made
//     grid plain      a grid barrier in a launch that is not cooperative
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
namespace cg = cooperative_groups;

#define STEPS 5

// Each step: every block adds its part, all wait, every thread checks the sum of all blocks, all wait.
__global__ void sums(unsigned *sum, unsigned *wrong)
{
    cg::grid_group grid = cg::this_grid();
    for (unsigned step = 0; step < STEPS; step++) {
        atomicAdd(&sum[step], (unsigned)grid.thread_rank() + step);
        grid.sync();
        unsigned n = (unsigned)grid.size(), expected = n * (n - 1) / 2 + n * step;
        if (*(volatile unsigned *)&sum[step] != expected)
            atomicAdd(wrong, 1);
        cg::sync(grid);
    }
}

// Element i of a step is the sum of its two neighbours before, which other blocks wrote: plain loads and stores.
__global__ void waves(unsigned *a, unsigned *b, unsigned n)
{
    cg::grid_group grid = cg::this_grid();
    unsigned i = (unsigned)grid.thread_rank();
    for (unsigned step = 0; step < STEPS; step++) {
        b[i] = a[(i + n - 1) % n] + a[(i + 1) % n];
        grid.sync();
        unsigned *swap = a;
        a = b;
        b = swap;
    }
}

static int waves_fail(unsigned blocks, unsigned threads)
{
    static unsigned host[1 << 16], next[1 << 16], got[1 << 16];
    unsigned n = blocks * threads, *a, *b;
    for (unsigned i = 0; i < n; i++)
        host[i] = i * 2654435761u;
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    cudaMemcpy(a, host, n * sizeof *a, cudaMemcpyHostToDevice);
    void *args[] = {&a, &b, &n};
    cudaError_t error = cudaLaunchCooperativeKernel((void *)waves, dim3(blocks), dim3(threads), args, 0, 0);
    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned i = 0; i < n; i++)
            next[i] = host[(i + n - 1) % n] + host[(i + 1) % n];
        memcpy(host, next, n * sizeof *host);
    }
    cudaMemcpy(got, STEPS % 2 ? b : a, n * sizeof *got, cudaMemcpyDeviceToHost);
    return error || memcmp(got, host, n * sizeof *got) != 0;
}

static unsigned sums_wrong(dim3 blocks, unsigned threads)
{
    unsigned *sum, *wrong, result = ~0u;
    cudaMalloc(&sum, STEPS * sizeof *sum);
    cudaMalloc(&wrong, sizeof *wrong);
    cudaMemset(sum, 0, STEPS * sizeof *sum);
    cudaMemset(wrong, 0, sizeof *wrong);
    void *args[] = {&sum, &wrong};
    if (cudaLaunchCooperativeKernel((void *)sums, blocks, dim3(threads), args, 0, 0) == cudaSuccess)
        cudaMemcpy(&result, wrong, sizeof result, cudaMemcpyDeviceToHost);
    return result;
}

int main(int argc, char **argv)
{
    cudaDeviceProp device;
    int fit = 0, cooperative = 0;
    cudaGetDeviceProperties(&device, 0);
    cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, (void *)sums, 64, 0);
    unsigned most = (unsigned)(fit * device.multiProcessorCount);
    if (argc > 1 && !strcmp(argv[1], "plain")) {
        unsigned *sum;
        cudaMalloc(&sum, (STEPS + 1) * sizeof *sum);
        sums<<<2, 64>>>(sum, sum + STEPS);
        printf("plain: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }
    printf("cooperative %d, some fit %d\n", cooperative, fit > 0);
    printf("one block: %u\n", sums_wrong(1, 64));
    printf("two dimensions: %u\n", sums_wrong(dim3(3, 2), 96));
    printf("as many as fit: %u\n", sums_wrong(most, 64));
    printf("waves: %d\n", waves_fail(12, 128));
    bool refused = sums_wrong(most + 1, 64) == ~0u;
    printf("one more than fit: %d %s\n", refused, cudaGetErrorName(cudaGetLastError()));
    printf("after that: %u\n", sums_wrong(4, 64));
    return 0;
}

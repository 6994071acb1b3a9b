/* What a step costs by the way in which steps are kept apart: barriers of all blocks, by a counter in memory or by
 * cooperative groups, a launch a step, or a node of a graph a step.
 *
 * In a step each thread scales elements of an array of doubles: 16 bytes an element. There are as many blocks as the
 * elements need, and no more than the GPU holds at a time. A figure is 16 bytes times elements a second. */
#include "measure.h"
#include <cooperative_groups.h>

static __device__ __forceinline__ void scale(double *a, long count)
{
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < count; i += (long)gridDim.x * blockDim.x)
        a[i] = a[i] * 1.25;
}
__global__ void one_step(double *a, long count)
{
    scale(a, count);
}
__global__ void by_counter(double *a, long count, int steps, u32 *arrived)
{
    for (int s = 1; s <= steps; s++) {
        scale(a, count);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1u);
            while (*(volatile u32 *)arrived < (u32)s * gridDim.x)
                ;
        }
        __syncthreads();
    }
}
__global__ void by_grid(double *a, long count, int steps, u32 *)
{
    for (int s = 0; s < steps; s++) {
        scale(a, count);
        cooperative_groups::this_grid().sync();
    }
}

enum { BY_COUNTER, BY_GRID, BY_LAUNCH, BY_GRAPH };
static const char *const names[] = {"steps by a counter; elements", "steps by grid.sync; elements", "steps by launches; elements",
                                    "steps by a graph; elements"};
static cudaEvent_t e0, e1;
static cudaStream_t s;

static cudaGraphExec_t graph_of(double *a, long count, unsigned blocks, unsigned threads, int steps)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    check(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), "capture");
    for (int i = 0; i < steps; i++)
        one_step<<<blocks, threads, 0, s>>>(a, count);
    check(cudaStreamEndCapture(s, &g), "capture");
    check(cudaGraphInstantiate(&x, g, 0), "graph");
    cudaGraphDestroy(g);
    return x;
}
static unsigned blocks_for(const void *kernel, long count, unsigned threads, bool resident)
{
    int of_sm = 1;
    long wanted = (count + threads - 1) / threads;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_sm, kernel, (int)threads, 0);
    return (unsigned)(resident ? std::min(wanted, (long)of_sm * measure.sms) : wanted);
}
/* Seconds of some steps, by events: what the host takes is none of the GPU's. */
static double seconds_of(int how, double *a, long count, unsigned threads, int steps, u32 *arrived)
{
    const void *kernel = how == BY_COUNTER ? (const void *)by_counter : how == BY_GRID ? (const void *)by_grid : (const void *)one_step;
    unsigned blocks = blocks_for(kernel, count, threads, how <= BY_GRID);
    void *args[] = {&a, &count, &steps, &arrived};
    cudaGraphExec_t x = how == BY_GRAPH ? graph_of(a, count, blocks, threads, steps) : nullptr;
    float ms = 0;
    check(cudaMemset(arrived, 0, 4), "counter");
    cudaEventRecord(e0, s);
    if (how <= BY_GRID)
        check(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), args, 0, s), names[how]);
    else if (how == BY_GRAPH)
        check(cudaGraphLaunch(x, s), names[how]);
    else
        for (int i = 0; i < steps; i++)
            one_step<<<blocks, threads, 0, s>>>(a, count);
    cudaEventRecord(e1, s);
    finish(names[how]);
    cudaEventElapsedTime(&ms, e0, e1);
    if (x)
        cudaGraphExecDestroy(x);
    return ms * 1e-3;
}
static void ladder(int how, double *a, long count, u32 *arrived)
{
    /* Steps are told by a difference: what comes once, such as the launch of a kernel with barriers, falls out. */
    int few = measure.few || measure.small ? 2 : 100, more = measure.few || measure.small ? 5 : 1100;
    for (unsigned threads : {32u, 64u, 128u, 256u, 512u, 1024u}) {
        std::vector<double> v;
        char type[32];
        if (measure.few && threads != 64 && threads != 256 && threads != 1024)
            continue;
        for (int k = measure.few ? 0 : -1; k < measure.repetitions; k++) {
            double once = seconds_of(how, a, count, threads, few, arrived), again = seconds_of(how, a, count, threads, more, arrived);
            if (k >= 0)
                v.push_back(16.0 * (double)count * (more - few) / (again - once) / 1e9);
        }
        snprintf(type, sizeof type, "%u threads", threads);
        row(names[how], type, count, v, "GB/s", true);
    }
}

int main(int argc, char **argv)
{
    begin_program(argc, argv);
    /* Sizes at which cards were measured, some in other steps than the others. */
    std::vector<long> counts = {4096, 16350, 16562, 65320, 67031, 256017, 261002, 1036569, 1042953};
    static const char *const parts[] = {"counter", "grid", "launches", "graph"};
    double *a = device_array<double>(1042953);
    u32 *arrived = device_array<u32>(32);
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    cudaStreamCreate(&s);
    for (int how = BY_COUNTER; how <= BY_GRAPH; how++)
        if (wanted(parts[how]))
            for (long count : counts)
                if (count == 4096 || (!measure.small && (!measure.few || count <= 67031)))
                    ladder(how, a, count, arrived);
    return 0;
}

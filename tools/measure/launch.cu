/* Launches and barriers of the grid: what a step of a program costs that ends with a kernel boundary, with a node of a
 * graph, with a barrier by spinning or with the one of cooperative groups. Times are of the host's clock or of events;
 * clock cycles follow from the SM's own clock beside them. */
#include "measure.h"
#include <chrono>
#include <cooperative_groups.h>

__global__ void empty(u32 *out)
{
    if (out == (u32 *)1)
        *out = 1;
}
/* The clock of an SM beside the time in nanoseconds. */
__global__ void clocks(u64 *to, u64 cycles)
{
    u64 t, c = clock64(), b = c;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    to[0] = t;
    while (clock64() - b < cycles)
        ;
    c = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    to[1] = t;
    to[2] = c - b;
}
/* When blocks begin, by the timer of the device: how long a launch takes to fill it. */
__global__ void begins(u64 *to)
{
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    if (threadIdx.x == 0)
        to[blockIdx.x] = t;
}
/* All blocks meet by a counter: one thread of each adds and reads until all have. */
__global__ void spin_steps(mark *m, volatile u32 *count, int steps)
{
    u64 begin = clock64();
    for (int s = 1; s <= steps; s++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd((u32 *)count, 1u);
            while (*count < (u32)s * gridDim.x)
                ;
            __threadfence();
        }
        __syncthreads();
    }
    u64 end = clock64();
    note(m, begin, end);
}
/* The same, but the last one to come opens the barrier by a store to a word of its own. */
__global__ void flag_steps(mark *m, volatile u32 *count, int steps)
{
    u64 begin = clock64();
    for (int s = 1; s <= steps; s++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            if (atomicAdd((u32 *)count, 1u) == (u32)s * gridDim.x - 1)
                count[64] = (u32)s;
            else
                while (count[64] < (u32)s)
                    ;
            __threadfence();
        }
        __syncthreads();
    }
    u64 end = clock64();
    note(m, begin, end);
}
__global__ void grid_steps(mark *m, volatile u32 *, int steps)
{
    cooperative_groups::grid_group g = cooperative_groups::this_grid();
    u64 begin = clock64();
    for (int s = 1; s <= steps; s++)
        g.sync();
    u64 end = clock64();
    note(m, begin, end);
}

static double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
static void grid_barriers(mark *m, u32 *count)
{
    std::vector<unsigned> blocks, threads = {32, 256, 1024};
    unsigned sms = (unsigned)measure.sms;
    if (measure.small)
        blocks = {1, 2};
    else if (measure.few)
        blocks = {1, 2, 8, 32, sms, 4 * sms};
    else
        blocks = {1, 2, 4, 8, 16, 32, 64, sms / 2, sms, 2 * sms, 4 * sms, 8 * sms};
    int steps = measure.small ? 2 : measure.few ? 4 : 200;
    for (unsigned b : blocks)
        for (unsigned t : threads) {
            if (b * t > sms * 2048)
                continue;
            for (int how = 0; how < 3; how++) {
                static const char *const names[] = {"spin on a counter", "spin on a flag", "grid.sync"};
                void *args[] = {&m, &count, &steps};
                const void *kernel = how == 0 ? (const void *)spin_steps : how == 1 ? (const void *)flag_steps : (const void *)grid_steps;
                std::vector<double> v = cycles_of(m, steps, names[how], [&] {
                    check(cudaMemset(count, 0, 1024), "count");
                    check(cudaLaunchCooperativeKernel(kernel, dim3(b), dim3(t), args, 0, 0), names[how]);
                });
                char type[48];
                snprintf(type, sizeof type, "%s %u threads", names[how], t);
                row("grid barrier; blocks", type, b, v, "cycles");
            }
        }
}
static void launches(u32 *count)
{
    int many = measure.small ? 2 : measure.few ? 8 : 500;
    cudaEvent_t e0, e1;
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    for (unsigned b : {1u, 32u, 132u, 264u, 1056u, 4224u, 16896u})
        for (unsigned t : {32u, 256u, 1024u}) {
            if ((measure.small && (b > 1 || t > 32)) || (measure.few && b * t > 1 << 20))
                continue;
            std::vector<double> queued, lone;
            for (int k = 0; k < measure.repetitions; k++) {
                empty<<<b, t>>>(count);
                finish("empty");
                double begin = seconds();
                cudaEventRecord(e0);
                for (int i = 0; i < many; i++)
                    empty<<<b, t>>>(count);
                cudaEventRecord(e1);
                finish("empty");
                double took = seconds() - begin;
                float ms = 0;
                cudaEventElapsedTime(&ms, e0, e1);
                if (measure.few) { /* the host's own time is none of the machine's */
                    queued.push_back(ms / many * 1e3);
                    continue;
                }
                queued.push_back(took / many * 1e6);
                begin = seconds();
                for (int i = 0; i < many / 10 + 1; i++) {
                    empty<<<b, t>>>(count);
                    cudaDeviceSynchronize();
                }
                lone.push_back((seconds() - begin) / (many / 10 + 1) * 1e6);
            }
            char type[32];
            snprintf(type, sizeof type, "%u threads", t);
            row("launches one behind the other; blocks", type, b, queued, "us");
            if (!lone.empty())
                row("launch and wait; blocks", type, b, lone, "us");
        }
}
/* The same launches as nodes of a graph, and with programmatic dependent launch. */
#ifdef MEASURE_CLUSTERS
enum { PROGRAMMATIC = 2 };
#else
enum { PROGRAMMATIC = 1 }; /* without */
#endif
static void graphs(u32 *count)
{
    int kernels = measure.small ? 2 : measure.few ? 8 : 200;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaEvent_t e0, e1;
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    for (unsigned b : {1u, 132u, 264u, 1056u, 4224u})
        for (unsigned t : {32u, 256u, 1024u})
            for (int early = 0; early < PROGRAMMATIC; early++) {
                if (measure.few && b * t > 1 << 20)
                    continue;
                cudaGraph_t g;
                cudaGraphExec_t x;
                cudaLaunchAttribute a;
                a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
                a.val.programmaticStreamSerializationAllowed = 1;
                cudaLaunchConfig_t c = {};
                c.gridDim = b;
                c.blockDim = t;
                c.stream = s;
                c.attrs = &a;
                c.numAttrs = (unsigned)early;
                check(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), "capture");
                for (int i = 0; i < kernels; i++)
                    check(cudaLaunchKernelEx(&c, empty, count), "launch");
                check(cudaStreamEndCapture(s, &g), "capture");
                check(cudaGraphInstantiate(&x, g, 0), "graph");
                std::vector<double> v, host;
                for (int k = -1; k < measure.repetitions; k++) {
                    double begin = seconds();
                    cudaEventRecord(e0, s);
                    check(cudaGraphLaunch(x, s), "graph");
                    cudaEventRecord(e1, s);
                    finish("graph");
                    float ms = 0;
                    cudaEventElapsedTime(&ms, e0, e1);
                    if (k >= 0)
                        v.push_back(ms * 1000 / kernels), host.push_back((seconds() - begin) * 1e6);
                }
                char type[48];
                snprintf(type, sizeof type, "%u threads%s", t, early ? " programmatic" : "");
                row("graph of 200 kernels; blocks", type, b, v, "us a kernel");
                if (!measure.few)
                    row("graph of 200 kernels whole; blocks", type, b, host, "us");
                cudaGraphExecDestroy(x);
                cudaGraphDestroy(g);
            }
}
static void device_side(u64 *to)
{
    std::vector<double> mhz, resolution;
    for (int k = 0; k < measure.repetitions; k++) {
        clocks<<<1, 1>>>(to, measure.small ? 1000 : 5000000);
        finish("clocks");
        std::vector<u64> h = from_device(to, 3);
        mhz.push_back((double)h[2] / (double)(h[1] - h[0]) * 1000);
    }
    row("clock of an SM", "clock64 by globaltimer", 1, mhz, "MHz", true);
    for (unsigned b : {132u, 264u, 1056u, 2112u, 8448u}) {
        if (measure.small)
            break;
        std::vector<double> v;
        for (int k = 0; k < measure.repetitions; k++) {
            begins<<<b, 32>>>(to);
            finish("begins");
            std::vector<u64> h = from_device(to, b);
            v.push_back((double)(*std::max_element(h.begin(), h.end()) - *std::min_element(h.begin(), h.end())));
        }
        row("from the first block's begin to the last's; blocks of 32 threads", "globaltimer", b, v, "ns");
    }
}

int main(int argc, char **argv)
{
    begin_program(argc, argv);
    mark *m = device_array<mark>(8192);
    u64 *p = device_array<u64>(1 << 20);
    if (wanted("device"))
        device_side(p);
    if (wanted("barriers"))
        grid_barriers(m, (u32 *)p);
    if (wanted("launches"))
        launches((u32 *)p);
    if (wanted("graphs"))
        graphs((u32 *)p);
    return 0;
}

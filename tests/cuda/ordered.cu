// Launches of several streams and such that may begin early: for --check race, which knows their order. The argument chooses a program; those whose
// name ends in "_right" have no race.
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { THREADS = 64, BLOCKS = 3, COUNT = THREADS * BLOCKS };
enum { AT_ONCE = 1, LATE = 2, WAITS = 4, ONE_WAITS = 8, READS_AGAIN = 16 };

static void must(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    printf("%s\n", cudaGetErrorName(error));
    exit(1);
}

__global__ void writes(int *p, int how)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (how & AT_ONCE)
        cudaTriggerProgrammaticLaunchCompletion();
    if (how & WAITS)
        cudaGridDependencySynchronize();
    p[i] = i + 1; // writes writes
    if (how & LATE)
        cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void reads(const int *p, int *q, int how)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (how & AT_ONCE)
        cudaTriggerProgrammaticLaunchCompletion();
    if (how & WAITS || (how & ONE_WAITS && threadIdx.x == 0))
        cudaGridDependencySynchronize();
    if (how & ONE_WAITS)
        __syncthreads();
    q[i] = p[COUNT - 1 - i]; // reads reads
    if (how & READS_AGAIN)
        cudaGridDependencySynchronize();
    q[i] += p[COUNT - 1 - i]; // reads again
}

// Of this one a thread alone waits, and tells nobody.
__global__ void sums(const int *p, int *q)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (threadIdx.x < 32)
        cudaGridDependencySynchronize();
    q[i] = p[i]; // sums reads
}

__global__ void tells(int *p, int *flag)
{
    p[threadIdx.x] = threadIdx.x + 1; // tells writes
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(flag, 1);
}

__global__ void hears(const int *p, int *q, int *flag, int fences)
{
    if (threadIdx.x == 0)
        while (atomicAdd(flag, 0) == 0)
            ;
    __syncthreads();
    if (fences)
        __threadfence();
    q[threadIdx.x] = p[threadIdx.x]; // hears reads
}

__global__ void counts(int *p)
{
    atomicAdd(p, 1);
}

static int *p, *q, *r, *flag;
static cudaStream_t a, b, n;
static cudaEvent_t event;

template <class Kernel, class... Arguments> static void launch_early(cudaStream_t s, Kernel kernel, Arguments... arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(BLOCKS);
    c.blockDim = dim3(THREADS);
    c.stream = s;
    c.attrs = &attribute;
    c.numAttrs = 1;
    must(cudaLaunchKernelEx(&c, kernel, arguments...));
}

static void early(cudaStream_t s, const int *from, int *to, int how)
{
    launch_early(s, reads, from, to, how);
}

static void early_writes(cudaStream_t s, int *to, int how)
{
    launch_early(s, writes, to, how);
}

static void read_in(cudaStream_t s)
{
    reads<<<BLOCKS, THREADS, 0, s>>>(p, q, 0);
}

static void write_in(cudaStream_t s, int how = 0)
{
    writes<<<BLOCKS, THREADS, 0, s>>>(p, how);
}

static void graph(bool joined)
{
    cudaGraph_t g;
    cudaGraphExec_t exec;
    must(cudaStreamBeginCapture(n, cudaStreamCaptureModeGlobal));
    must(cudaEventRecord(event, n));
    must(cudaStreamWaitEvent(b, event, 0));
    write_in(n);
    if (joined) {
        must(cudaEventRecord(event, n));
        must(cudaStreamWaitEvent(b, event, 0));
    }
    read_in(b);
    must(cudaEventRecord(event, b));
    must(cudaStreamWaitEvent(n, event, 0));
    must(cudaStreamEndCapture(n, &g));
    must(cudaGraphInstantiate(&exec, g, 0));
    must(cudaGraphLaunch(exec, n));
    must(cudaGraphLaunch(exec, n));
    must(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(g));
}

static const struct {
    const char *name;
    void (*run)();
} programs[] = {
    {"stream_right", [] { write_in(a); read_in(a); }},
    {"streams", [] { write_in(a); read_in(b); }},
    {"streams_turned", [] { read_in(a); write_in(b); }},
    {"streams_event_right", [] { write_in(a); must(cudaEventRecord(event, a)); must(cudaStreamWaitEvent(b, event, 0)); read_in(b); }},
    {"streams_event_before", [] { must(cudaEventRecord(event, a)); write_in(a); must(cudaStreamWaitEvent(b, event, 0)); read_in(b); }},
    {"streams_legacy_right", [] { write_in(a); write_in(0); read_in(b); }},
    {"streams_not_blocking", [] { write_in(n); read_in(0); }},
    {"streams_host_right", [] { write_in(n); must(cudaStreamSynchronize(n)); read_in(b); }},
    {"streams_other_host", [] { write_in(n); must(cudaStreamSynchronize(b)); read_in(b); }},
    {"streams_event_host_right", [] { write_in(n); must(cudaEventRecord(event, n)); must(cudaEventSynchronize(event)); read_in(b); }},
    {"streams_fill_right", [] { write_in(a); must(cudaMemsetAsync(r, 0, 4, a)); must(cudaEventRecord(event, a)); must(cudaStreamWaitEvent(b, event, 0)); read_in(b); }},
    {"streams_flag_right", [] { tells<<<1, THREADS, 0, a>>>(p, flag); hears<<<1, THREADS, 0, n>>>(p, q, flag, 1); }},
    {"streams_flag", [] { tells<<<1, THREADS, 0, a>>>(p, flag); hears<<<1, THREADS, 0, n>>>(p, q, flag, 0); }},
    {"streams_atomics_right", [] { counts<<<2, THREADS, 0, a>>>(p); counts<<<2, THREADS, 0, n>>>(p); }},
    {"many_right", [] { for (int i = 0; i < 40; i++) { write_in(a); read_in(a); } }},
    {"early", [] { write_in(a, AT_ONCE); early(a, p, q, 0); }},
    {"early_late", [] { write_in(a, LATE); early(a, p, q, 0); }},
    {"early_untold", [] { write_in(a); early(a, p, q, 0); }},
    {"early_right", [] { write_in(a, AT_ONCE); early(a, p, q, WAITS); }},
    {"early_one_right", [] { write_in(a, AT_ONCE); early(a, p, q, ONE_WAITS); }},
    {"early_too_late", [] { write_in(a, AT_ONCE); early(a, p, q, READS_AGAIN); }},
    {"early_legacy", [] { write_in(0, AT_ONCE); early(0, p, q, 0); }},
    {"early_writes", [] { read_in(a); early_writes(a, p, 0); }},
    {"early_elsewhere_right", [] { write_in(a, AT_ONCE); early(a, r, r + COUNT, 0); }},
    {"early_no_leave_right", [] { write_in(a, AT_ONCE); read_in(a); }},
    {"early_chain_right", [] { write_in(a, AT_ONCE); early(a, p, q, AT_ONCE | WAITS); early(a, p, r, WAITS); }},
    {"early_chain", [] { write_in(a, AT_ONCE); early(a, r, q, AT_ONCE); early(a, p, r + COUNT, 0); }},
    {"early_chain_end_right", [] { write_in(a, AT_ONCE); early(a, r, q, AT_ONCE); read_in(a); }},
    {"early_behind_right", [] { write_in(a); writes<<<1, 1, 0, a>>>(r, AT_ONCE); early(a, p, q, 0); }},
    {"early_fill_right", [] { write_in(a, AT_ONCE); must(cudaMemsetAsync(r, 0, 4, a)); early(a, p, q, 0); }},
    {"early_host_right", [] { write_in(a, AT_ONCE); must(cudaDeviceSynchronize()); early(a, p, q, 0); }},
    {"early_half", [] {
         cudaLaunchAttribute attribute = {};
         attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
         attribute.val.programmaticStreamSerializationAllowed = 1;
         cudaLaunchConfig_t c = {};
         c.gridDim = dim3(BLOCKS);
         c.blockDim = dim3(THREADS);
         c.stream = a;
         c.attrs = &attribute;
         c.numAttrs = 1;
         write_in(a, AT_ONCE);
         must(cudaLaunchKernelEx(&c, sums, (const int *)p, q));
     }},
    {"graph", [] { graph(false); }},
    {"graph_right", [] { graph(true); }},
    {"memory_right", [] { // what was freed and allocated again is other memory
         int *first, *second;
         must(cudaMallocAsync(&first, COUNT * sizeof(int), a));
         writes<<<BLOCKS, THREADS, 0, a>>>(first, 0);
         must(cudaFreeAsync(first, a));
         must(cudaMallocAsync(&second, COUNT * sizeof(int), n));
         writes<<<BLOCKS, THREADS, 0, n>>>(second, 0);
         must(cudaFreeAsync(second, n));
     }},
};

int main(int argc, char **argv)
{
    must(cudaStreamCreate(&a));
    must(cudaStreamCreate(&b));
    must(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    must(cudaMalloc(&p, COUNT * sizeof *p));
    must(cudaMalloc(&q, COUNT * sizeof *q));
    must(cudaMalloc(&r, 2 * COUNT * sizeof *r));
    must(cudaMalloc(&flag, sizeof *flag));
    must(cudaMemset(p, 0, COUNT * sizeof *p));
    must(cudaMemset(r, 0, 2 * COUNT * sizeof *r));
    must(cudaMemset(flag, 0, sizeof *flag));
    must(cudaDeviceSynchronize());
    for (const auto &program : programs) {
        if (argc < 2)
            printf("%s\n", program.name);
        if (argc > 1 && !strcmp(argv[1], program.name)) {
            program.run();
            must(cudaDeviceSynchronize());
        }
    }
}

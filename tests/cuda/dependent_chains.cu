// Programmatic dependent launch in chains: three and more kernels, with events, several streams and graphs; kernels that let others begin at
// once, late, or never; with and without a wait; and one without leave in the middle. Prints what is wrong, and which kernels began
// before the first of their chain had ended, by the device's clock.
#include <cstdio>

#include <cstdlib>

static void must(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    printf("%s\n", cudaGetErrorName(error));
    exit(1);
}

enum { THREADS = 64, BLOCKS = 3, COUNT = THREADS * BLOCKS, ROUNDS = 1500 };
enum { AT_ONCE = 1, LATE = 2, WAITS = 4 };

__device__ unsigned long long now()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ int work(int n)
{
    for (int i = 0; i < ROUNDS; i++)
        n = n * 3 + (n >> 7);
    return n == 12345;
}

// p = p * by + add, behind the wait where there is one; times: when block 0 began and ended.
__global__ void step(int *p, int by, int add, int how, unsigned long long *times)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i == 0)
        times[0] = now();
    if (how & AT_ONCE)
        cudaTriggerProgrammaticLaunchCompletion();
    int none = p[i] == -1; // an old value may be read here, and must not be used
    if (how & WAITS)
        cudaGridDependencySynchronize();
    none += work(i + none);
    if (how & LATE)
        cudaTriggerProgrammaticLaunchCompletion();
    p[i] = p[i] * by + add + (none > 2);
    if (i == 0)
        times[1] = now();
}

static int *p, *q;
static unsigned long long *times;
static unsigned steps;

static void launch(cudaStream_t s, int *at, int by, int add, int how, bool leave)
{
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(BLOCKS);
    c.blockDim = dim3(THREADS);
    c.stream = s;
    c.attrs = &a;
    c.numAttrs = leave;
    must(cudaLaunchKernelEx(&c, step, at, by, add, how, times + 2 * steps++));
}

static void clear()
{
    must(cudaDeviceSynchronize());
    must(cudaMemset(p, 0, COUNT * sizeof *p));
    must(cudaMemset(q, 0, COUNT * sizeof *q));
    must(cudaMemset(times, 0, 64 * sizeof *times));
    must(cudaDeviceSynchronize());
    steps = 0;
}

static void look(const char *name, int expected, int *at)
{
    int got[COUNT], wrong = 0;
    unsigned long long when[64];
    must(cudaDeviceSynchronize());
    must(cudaMemcpy(got, at, sizeof got, cudaMemcpyDeviceToHost));
    must(cudaMemcpy(when, times, sizeof when, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++)
        wrong += got[i] != expected;
    printf("%s: %d wrong, early:", name, wrong);
    for (unsigned i = 1; i < steps; i++)
        printf(" %d", when[2 * i] < when[1]);
    printf("\n");
}

int main()
{
    cudaStream_t s, t;
    cudaEvent_t e;
    must(cudaMalloc((void **)&p, COUNT * sizeof *p));
    must(cudaMalloc((void **)&q, COUNT * sizeof *q));
    must(cudaMalloc((void **)&times, 64 * sizeof *times));
    must(cudaStreamCreate(&s));
    must(cudaStreamCreate(&t));
    must(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));

    clear();
    launch(s, p, 1, 2, AT_ONCE, false);
    for (int i = 0; i < 4; i++)
        launch(s, p, 3, 1, AT_ONCE | WAITS, true);
    look("chain of five", ((((2 * 3 + 1) * 3 + 1) * 3) + 1) * 3 + 1, p);

    clear();
    launch(s, p, 1, 2, LATE, false);
    launch(s, p, 3, 1, LATE | WAITS, true);
    launch(s, p, 3, 1, WAITS, true);
    look("late", (2 * 3 + 1) * 3 + 1, p);

    clear();
    launch(s, p, 1, 2, 0, false);
    launch(s, p, 3, 1, WAITS, true);
    launch(s, p, 3, 1, WAITS, true);
    look("nobody lets", (2 * 3 + 1) * 3 + 1, p);

    clear();
    launch(s, p, 1, 2, AT_ONCE, false);
    launch(s, p, 3, 1, AT_ONCE, false);
    launch(s, p, 3, 1, WAITS, true);
    look("no leave in the middle", (2 * 3 + 1) * 3 + 1, p);

    clear(); // the one in the middle touches nothing of theirs, and neither waits nor lasts
    launch(s, p, 1, 2, AT_ONCE, false);
    launch(s, q, 1, 2, AT_ONCE, true);
    launch(s, p, 3, 1, WAITS, true);
    look("past one that does not wait", 2 * 3 + 1, p);

    clear(); // what another stream does is waited for by an event, from which no leave comes
    launch(t, p, 1, 2, AT_ONCE, false);
    must(cudaEventRecord(e, t));
    launch(s, q, 1, 2, AT_ONCE, false);
    must(cudaStreamWaitEvent(s, e, 0));
    launch(s, p, 3, 1, 0, true);
    look("event", 2 * 3 + 1, p);

    clear(); // two chains beside each other
    for (int i = 0; i < 3; i++) {
        launch(s, p, 3, 1, AT_ONCE | WAITS, i > 0);
        launch(t, q, 2, 1, AT_ONCE | WAITS, i > 0);
    }
    look("two streams", (1 * 3 + 1) * 3 + 1, p);

    for (int way = 0; way < 2; way++) {
        cudaGraph_t graph;
        cudaGraphExec_t whole;
        clear();
        must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        launch(s, p, 1, 2, AT_ONCE, false);
        if (way) { // a node beside the chain
            must(cudaEventRecord(e, s));
            must(cudaStreamWaitEvent(t, e, 0));
            launch(t, q, 1, 2, AT_ONCE, false);
            must(cudaEventRecord(e, t));
        }
        launch(s, p, 3, 1, AT_ONCE | WAITS, true);
        if (way)
            must(cudaStreamWaitEvent(s, e, 0));
        launch(s, p, 3, 1, WAITS, true);
        must(cudaStreamEndCapture(s, &graph));
        must(cudaGraphInstantiate(&whole, graph, 0));
        must(cudaGraphLaunch(whole, s));
        look(way ? "graph of two ways" : "graph", (2 * 3 + 1) * 3 + 1, p);
        must(cudaGraphExecDestroy(whole));
        must(cudaGraphDestroy(graph));
    }
    return 0;
}

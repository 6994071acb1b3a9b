/* Kernels of several streams: what runs beside what, by simulated time, and that values are right in any case. Prints a
 * line for each part: how many times as long as one kernel alone it took, in tenths. */
#include <cstdio>

#include "must.h"

enum { STREAMS = 4, THREADS = 64, ROUNDS = 2000 };

__global__ void grow(int *p, int factor)
{
    int n = p[threadIdx.x];
    for (int i = 0; i < ROUNDS; i++)
        n = n * 3 + (n >> 7);
    p[threadIdx.x] = p[threadIdx.x] * factor + 1 + (n == 12345);
}

static cudaStream_t s[STREAMS];
static cudaEvent_t begin_, end_, between;
static int *p[STREAMS];
static float once;

static int tenths(const char *what)
{
    float ms;
    must(cudaDeviceSynchronize());
    must(cudaEventElapsedTime(&ms, begin_, end_));
    if (once == 0)
        once = ms;
    printf("%s %d\n", what, (int)(ms / once * 10 + 0.5f));
    return 0;
}

static int start()
{
    for (int i = 0; i < STREAMS; i++)
        must(cudaMemset(p[i], 0, THREADS * sizeof(int)));
    must(cudaEventRecord(begin_, 0));
    return 0;
}

/* The first words are these? */
static int check(int a, int b, int c, int d)
{
    const int expected[] = {a, b, c, d};
    for (int i = 0; i < STREAMS; i++) {
        int got[THREADS];
        must(cudaMemcpy(got, p[i], sizeof got, cudaMemcpyDeviceToHost));
        for (int k = 0; k < THREADS; k++)
            if (got[k] != expected[i]) {
                printf("WRONG: %d of stream %d, not %d\n", got[k], i, expected[i]);
                return 1;
            }
    }
    return 0;
}

/* A graph, launched twice behind a kernel: one node, two beside each other behind it, one behind both. */
static int run_graph()
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    if (start())
        return 1;
    must(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    must(cudaEventRecord(between, s[0]));
    must(cudaStreamWaitEvent(s[1], between, 0));
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    grow<<<1, THREADS, 0, s[1]>>>(p[1], 2);
    must(cudaEventRecord(between, s[1]));
    must(cudaStreamWaitEvent(s[0], between, 0));
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    must(cudaStreamEndCapture(s[0], &g));
    must(cudaGraphInstantiate(&x, g, 0));
    must(cudaEventRecord(begin_, s[0]));
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    must(cudaGraphLaunch(x, s[0]));
    must(cudaGraphLaunch(x, s[0]));
    must(cudaEventRecord(end_, s[0]));
    if (tenths("a graph twice") || check(127, 3, 0, 0))
        return 1;
    must(cudaGraphExecDestroy(x));
    must(cudaGraphDestroy(g));
    return 0;
}

static int run()
{
    if (start())
        return 1;
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    must(cudaEventRecord(end_, s[0]));
    if (tenths("alone") || check(1, 0, 0, 0) || start())
        return 1;
    for (int i = 0; i < STREAMS; i++)
        grow<<<1, THREADS, 0, s[i]>>>(p[i], 2);
    must(cudaEventRecord(end_, 0));
    if (tenths("beside") || check(1, 1, 1, 1) || start())
        return 1;
    for (int i = 0; i < STREAMS; i++)
        grow<<<1, THREADS, 0, s[0]>>>(p[i % 2], 2);
    must(cudaEventRecord(end_, s[0]));
    if (tenths("one stream") || check(3, 3, 0, 0) || start())
        return 1;
    /* Two chains of two, of which the second begins in the middle of the first. */
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    must(cudaEventRecord(between, s[0]));
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    must(cudaStreamWaitEvent(s[1], between, 0));
    grow<<<1, THREADS, 0, s[1]>>>(p[1], 2);
    grow<<<1, THREADS, 0, s[1]>>>(p[1], 2);
    must(cudaEventRecord(end_, s[1]));
    if (tenths("behind an event") || check(3, 3, 0, 0) || start())
        return 1;
    /* The legacy stream waits for the others, and they for it. */
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    grow<<<1, THREADS, 0, s[1]>>>(p[1], 2);
    grow<<<1, THREADS>>>(p[0], 2);
    grow<<<1, THREADS, 0, s[2]>>>(p[0], 2);
    must(cudaEventRecord(end_, 0));
    if (tenths("across the legacy stream") || check(7, 1, 0, 0) || start())
        return 1;
    /* A copy behind one kernel and before another keeps its place, and does not hold the other stream. */
    int *kept;
    must(cudaMallocHost((void **)&kept, THREADS * sizeof *kept));
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    must(cudaMemcpyAsync(kept, p[0], THREADS * sizeof *kept, cudaMemcpyDeviceToHost, s[0]));
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    must(cudaMemcpyAsync(p[2], p[0], THREADS * sizeof *kept, cudaMemcpyDeviceToDevice, s[0]));
    grow<<<1, THREADS, 0, s[1]>>>(p[1], 2);
    must(cudaEventRecord(end_, s[0]));
    if (tenths("around copies") || check(3, 1, 3, 0))
        return 1;
    if (kept[0] != 1) {
        printf("WRONG: %d was copied\n", kept[0]);
        return 1;
    }
    /* A kernel that is given memory of the host's is not held back: the program might poll it, without a call. */
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    grow<<<1, THREADS, 0, s[1]>>>(kept, 2);
    if (*(volatile int *)kept != 3) {
        printf("WRONG: the host sees %d\n", kept[0]);
        return 1;
    }
    must(cudaFreeHost(kept));
    /* An event has the time of its own stream. */
    if (start())
        return 1;
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    grow<<<1, THREADS, 0, s[1]>>>(p[1], 2);
    grow<<<1, THREADS, 0, s[0]>>>(p[0], 2);
    must(cudaEventRecord(end_, s[1]));
    if (tenths("an event of one stream") || check(3, 1, 0, 0))
        return 1;
    return run_graph();
}

int main()
{
    for (int i = 0; i < STREAMS; i++) {
        must(cudaStreamCreate(&s[i]));
        must(cudaMalloc((void **)&p[i], THREADS * sizeof(int)));
    }
    must(cudaEventCreate(&begin_));
    must(cudaEventCreate(&end_));
    must(cudaEventCreate(&between));
    int wrong = run();
    printf("%s\n", wrong ? "WRONG" : "right");
    return wrong;
}

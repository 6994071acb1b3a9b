/* How far apart launches begin, by events: one behind the other, as nodes of a graph, and with leave to begin early. Prints
 * nanoseconds a launch. The kernel may name what comes before and behind it. */
#include <cstdio>

#include "must.h"

enum { LAUNCHES = 8 };

__global__ void count(int *n)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    *n += 1;
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

static int launch_all(cudaStream_t s, int *n, bool early)
{
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = c.blockDim = dim3(1);
    c.stream = s;
    c.attrs = &a;
    c.numAttrs = early;
    for (int i = 0; i < LAUNCHES; i++)
        must(cudaLaunchKernelEx(&c, count, n));
    return 0;
}

int main()
{
    int *n, counted;
    cudaStream_t s;
    cudaEvent_t e0, e1;
    must(cudaMalloc(&n, sizeof *n));
    must(cudaMemset(n, 0, sizeof *n));
    must(cudaStreamCreate(&s));
    must(cudaEventCreate(&e0));
    must(cudaEventCreate(&e1));
    count<<<1, 1, 0, s>>>(n); /* what comes once comes before */
    for (int way = 0; way < 4; way++) {
        cudaGraph_t g;
        cudaGraphExec_t x = nullptr;
        if (way >= 2) {
            must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
            if (launch_all(s, n, way == 3))
                return 1;
            must(cudaStreamEndCapture(s, &g));
            must(cudaGraphInstantiate(&x, g, 0));
        }
        must(cudaEventRecord(e0, s));
        if (x)
            must(cudaGraphLaunch(x, s));
        else if (launch_all(s, n, way == 1))
            return 1;
        must(cudaEventRecord(e1, s));
        must(cudaStreamSynchronize(s));
        float ms;
        must(cudaEventElapsedTime(&ms, e0, e1));
        printf("%s%s %.0f\n", way >= 2 ? "graph" : "launches", way % 2 ? " early" : "", (double)ms * 1e6 / LAUNCHES);
    }
    must(cudaMemcpy(&counted, n, sizeof counted, cudaMemcpyDeviceToHost));
    printf("%s\n", counted == 1 + 4 * LAUNCHES ? "right" : "WRONG");
    return counted != 1 + 4 * LAUNCHES;
}

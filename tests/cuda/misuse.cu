// Calls that are wrong, and the error that each is to answer: memory beyond its allocation (also where the next one begins), freed, of
// the other side; sizes that overflow; symbols, launches, streams and events. Nothing of it may change anything.
#include <cstdio>
#include <string>
#include <cuda_runtime.h>

static int failures;
static void answered(const char *call, const char *expected, cudaError_t error)
{
    if (cudaGetErrorName(error) != std::string(expected))
        printf("%s: %s, expected %s\n", call, cudaGetErrorName(error), expected), failures++;
    if (cudaGetLastError() != error)
        printf("%s: another last error\n", call), failures++;
}
#define SUCCEEDS(call) answered(#call, "cudaSuccess", call)
#define VALUE(call) answered(#call, "cudaErrorInvalidValue", call)
#define PITCH(call) answered(#call, "cudaErrorInvalidPitchValue", call)
#define DIRECTION(call) answered(#call, "cudaErrorInvalidMemcpyDirection", call)
#define CONFIGURATION(call) answered(#call, "cudaErrorInvalidConfiguration", call)
#define HANDLE(call) answered(#call, "cudaErrorInvalidResourceHandle", call)
#define FUNCTION(call) answered(#call, "cudaErrorInvalidDeviceFunction", call)
#define SYMBOL(call) answered(#call, "cudaErrorInvalidSymbol", call)
#define MEMORY(call) answered(#call, "cudaErrorMemoryAllocation", call)

__device__ int symbol[4];
__constant__ int constant[4];
__global__ void kernel(int *p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(64) bounded(int *p) { p[threadIdx.x] = 1; }

static const size_t huge = (size_t)-1;
static char *a, *b, *freed, host[4096], back[1024];

static void unchanged(const char *after, int a_value)
{
    cudaMemcpy(back, a, 1024, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 1024; i++)
        if (back[i] != a_value && ++failures)
            return (void)printf("%s changed the allocation\n", after);
    cudaMemcpy(back, b, 1024, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 1024; i++)
        if (back[i] != 7 && ++failures)
            return (void)printf("%s changed the allocation behind\n", after);
}

static void copies()
{
    VALUE(cudaMemcpy(a, host, 1025, cudaMemcpyHostToDevice));
    VALUE(cudaMemcpy(a + 1000, host, 25, cudaMemcpyDefault));
    VALUE(cudaMemcpy(back, a + 1000, 25, cudaMemcpyDeviceToHost));
    VALUE(cudaMemcpy(a, host, huge, cudaMemcpyHostToDevice));
    VALUE(cudaMemcpy(a, nullptr, 4, cudaMemcpyHostToDevice));
    VALUE(cudaMemcpy(nullptr, a, 4, cudaMemcpyDeviceToHost));
    VALUE(cudaMemcpy(a, host, 4, cudaMemcpyDeviceToDevice));
    VALUE(cudaMemcpy(a, host, 4, cudaMemcpyDeviceToHost));
    DIRECTION(cudaMemcpy(a, host, 4, (cudaMemcpyKind)9));
    VALUE(cudaMemcpy(freed, host, 4, cudaMemcpyDefault));
    VALUE(cudaMemcpy(host, freed, 4, cudaMemcpyDefault));
    VALUE(cudaMemcpy(freed, a, 4, cudaMemcpyDeviceToHost));
    VALUE(cudaMemcpyAsync(a, freed, 4, cudaMemcpyDeviceToDevice, 0));
    SUCCEEDS(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    unchanged("cudaMemcpy", 5);
}

static void rows()
{
    VALUE(cudaMemcpy2D(a, 256, host, 256, 256, 5, cudaMemcpyHostToDevice));
    VALUE(cudaMemcpy2D(a, 1024, host, 1024, 16, 2, cudaMemcpyHostToDevice));
    VALUE(cudaMemcpy2D(host, 256, a + 1, 256, 256, 4, cudaMemcpyDeviceToHost));
    VALUE(cudaMemcpy2DAsync(a, 256, host, 256, 256, 5, cudaMemcpyHostToDevice, 0));
    VALUE(cudaMemcpy2D(a, huge / 2 + 1, host, huge / 2 + 1, 16, 3, cudaMemcpyHostToDevice));
    VALUE(cudaMemcpy2D(a, 16, host, huge / 4, 16, 4, cudaMemcpyHostToDevice));
    VALUE(cudaMemcpy2D(a, 256, host, 256, 16, 2, cudaMemcpyDeviceToHost));
    PITCH(cudaMemcpy2D(a, 8, host, 256, 16, 2, cudaMemcpyHostToDevice));
    PITCH(cudaMemcpy2D(a, 256, host, 8, 16, 2, cudaMemcpyHostToDevice));
    PITCH(cudaMemcpy2D(a, 0, host, 0, 16, 2, cudaMemcpyHostToDevice));
    VALUE(cudaMemset2D(a, 1024, 1, 16, 2));
    VALUE(cudaMemset2D(a, 256, 1, 256, 5));
    VALUE(cudaMemset2DAsync(a, 256, 1, 256, 5, 0));
    VALUE(cudaMemset2D(a, huge / 2, 1, 16, 4));
    PITCH(cudaMemset2D(a, 8, 1, 16, 2));
    VALUE(cudaMemset(a, 1, 1025));
    VALUE(cudaMemset(a, 1, huge));
    VALUE(cudaMemset(nullptr, 1, 4));
    VALUE(cudaMemset(host, 1, 4));
    VALUE(cudaMemset(freed, 1, 4));
    unchanged("rows", 5);
    SUCCEEDS(cudaMemcpy2D(a + 16, 256, host, 16, 16, 4, cudaMemcpyHostToDevice)); // the last row ends in the allocation
    SUCCEEDS(cudaMemset2D(a + 240, 256, 5, 16, 4));
    cudaMemset(a, 5, 1024);
}

static void slices()
{
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(host, 16, 16, 4);
    p.dstPtr = make_cudaPitchedPtr(a, 16, 16, 4);
    p.kind = cudaMemcpyHostToDevice;
    p.extent = make_cudaExtent(16, 4, 17);
    VALUE(cudaMemcpy3D(&p));
    VALUE(cudaMemcpy3DAsync(&p, 0));
    VALUE(cudaMemset3D(p.dstPtr, 0, p.extent));
    p.extent = make_cudaExtent(17, 4, 2);
    PITCH(cudaMemcpy3D(&p));
    PITCH(cudaMemset3D(p.dstPtr, 0, p.extent));
    p.extent = make_cudaExtent(16, 5, 2);
    VALUE(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(16, huge / 2, 4);
    VALUE(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(16, 4, 2);
    p.dstPos = make_cudaPos(1, 0, 0);
    PITCH(cudaMemcpy3D(&p));
    p.dstPos = make_cudaPos(0, 0, 15);
    VALUE(cudaMemcpy3D(&p));
    p.dstPos = make_cudaPos(0, 0, huge);
    VALUE(cudaMemcpy3D(&p));
    p.dstPos = make_cudaPos(0, 0, 0);
    p.dstPtr.ptr = nullptr;
    VALUE(cudaMemcpy3D(&p));
    VALUE(cudaMemcpy3D(nullptr));
    unchanged("slices", 5);
}

static void frees()
{
    char *pinned, *managed;
    void *at;
    size_t pitch;
    cudaMallocHost(&pinned, 1024);
    cudaMallocManaged(&managed, 1024);
    VALUE(cudaFree(a + 4));
    VALUE(cudaFree(host));
    VALUE(cudaFree(freed));
    VALUE(cudaFree(pinned));
    VALUE(cudaFree(managed + 8));
    VALUE(cudaFreeHost(a));
    VALUE(cudaFreeHost(pinned + 4));
    VALUE(cudaFreeHost(host));
    VALUE(cudaMemcpy(managed + 1000, host, 25, cudaMemcpyDefault));
    SUCCEEDS(cudaFreeHost(pinned));
    VALUE(cudaFreeHost(pinned));
    VALUE(cudaMemcpy(pinned, a, 4, cudaMemcpyDeviceToHost));
    VALUE(cudaMemcpy(pinned, host, 4, cudaMemcpyHostToHost));
    SUCCEEDS(cudaGetSymbolAddress(&at, symbol));
    VALUE(cudaFree(at));
    SUCCEEDS(cudaMemcpyToSymbol(symbol, host, 4));
    SUCCEEDS(cudaFree(nullptr));
    VALUE(cudaMalloc((void **)nullptr, 4));
    VALUE(cudaMallocPitch((void **)&at, &pitch, huge, 2));
    MEMORY(cudaMallocPitch((void **)&at, &pitch, 1 << 20, huge));
    MEMORY(cudaMallocHost(&at, huge));
    MEMORY(cudaMallocManaged(&at, huge));
    cudaFree(managed);
}

static void symbols()
{
    VALUE(cudaMemcpyToSymbol(symbol, host, 17));
    VALUE(cudaMemcpyToSymbol(symbol, host, 4, 13));
    VALUE(cudaMemcpyToSymbol(constant, host, 4, huge));
    VALUE(cudaMemcpyFromSymbol(host, symbol, 17));
    VALUE(cudaMemcpyToSymbol(symbol, nullptr, 4));
    DIRECTION(cudaMemcpyToSymbol(symbol, host, 4, 0, cudaMemcpyDeviceToHost));
    DIRECTION(cudaMemcpyFromSymbol(host, symbol, 4, 0, cudaMemcpyHostToDevice));
    SYMBOL(cudaMemcpyToSymbol((const void *)host, host, 4));
}

static void launches()
{
    void *arguments[] = {&a}, *nothing[] = {nullptr};
    CONFIGURATION(cudaLaunchKernel((void *)kernel, 1, 2048, arguments, 0, 0));
    CONFIGURATION(cudaLaunchKernel((void *)kernel, 0, 32, arguments, 0, 0));
    CONFIGURATION(cudaLaunchKernel((void *)kernel, 1, dim3(32, 0), arguments, 0, 0));
    CONFIGURATION(cudaLaunchKernel((void *)kernel, dim3(1, 65536), 32, arguments, 0, 0));
    CONFIGURATION(cudaLaunchKernel((void *)kernel, 1, dim3(1, 1, 65), arguments, 0, 0));
    VALUE(cudaLaunchKernel((void *)kernel, 1, 32, arguments, 1 << 20, 0));
    VALUE(cudaLaunchKernel((void *)kernel, 1, 32, arguments, huge, 0));
    VALUE(cudaLaunchKernel((void *)bounded, 1, 128, arguments, 0, 0));
    VALUE(cudaLaunchKernel((void *)kernel, 1, 32, nullptr, 0, 0));
    VALUE(cudaLaunchKernel((void *)kernel, 1, 32, nothing, 0, 0));
    FUNCTION(cudaLaunchKernel((void *)nullptr, 1, 32, arguments, 0, 0));
    FUNCTION(cudaLaunchKernel((void *)host, 1, 32, arguments, 0, 0));
    unchanged("launches", 5);
}

static void handles()
{
    void *arguments[] = {&a};
    cudaStream_t stream, next;
    cudaEvent_t event, later;
    float ms;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    SUCCEEDS(cudaEventRecord(event, stream));
    SUCCEEDS(cudaStreamDestroy(stream));
    cudaStreamCreate(&next); // must not have the name of the one before
    HANDLE(cudaStreamDestroy(stream));
    HANDLE(cudaStreamSynchronize(stream));
    HANDLE(cudaStreamQuery(stream));
    HANDLE(cudaLaunchKernel((void *)kernel, 1, 32, arguments, 0, stream));
    HANDLE(cudaMemcpyAsync(a, host, 4, cudaMemcpyHostToDevice, stream));
    HANDLE(cudaMemsetAsync(a, 0, 4, stream));
    HANDLE(cudaEventRecord(event, stream));
    HANDLE(cudaStreamWaitEvent(stream, event, 0));
    SUCCEEDS(cudaEventDestroy(event));
    cudaEventCreate(&later);
    HANDLE(cudaEventDestroy(event));
    HANDLE(cudaEventRecord(event));
    HANDLE(cudaEventSynchronize(event));
    HANDLE(cudaEventQuery(event));
    HANDLE(cudaStreamWaitEvent(next, event, 0));
    HANDLE(cudaEventElapsedTime(&ms, later, later));
    cudaEventRecord(later);
    SUCCEEDS(cudaEventElapsedTime(&ms, later, later));
    HANDLE(cudaEventElapsedTime(&ms, event, later));
    unchanged("handles", 5);
}

int main()
{
    cudaMalloc(&a, 1024);
    cudaMalloc(&b, 1024);
    cudaMalloc(&freed, 1024);
    SUCCEEDS(cudaFree(freed));
    cudaMemset(a, 5, 1024);
    cudaMemset(b, 7, 1024);
    copies();
    rows();
    slices();
    frees();
    symbols();
    launches();
    handles();
    SUCCEEDS(cudaDeviceSynchronize());
    puts(failures ? "FAILED" : "all are refused");
    return failures != 0;
}

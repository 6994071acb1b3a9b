// Memory pools, allocation in streams, and graphs that allocate; then graphs that are changed and shown. Prints what holds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error_));                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define HOLDS(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: not %s\n", __LINE__, #condition);                                                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

__global__ void add(int *values, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] += by;
}

static uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which)
{
    uint64_t value = 0;
    CHECK(cudaMemPoolGetAttribute(pool, which, &value));
    return value;
}

static void pools(cudaStream_t stream)
{
    cudaMemPool_t own, in_use, made;
    CHECK(cudaDeviceGetDefaultMemPool(&own, 0));
    CHECK(cudaDeviceGetMemPool(&in_use, 0));
    HOLDS(own == in_use);
    int *a, *b, got[64];
    CHECK(cudaMallocAsync(&a, 256, stream));
    HOLDS(attribute(own, cudaMemPoolAttrUsedMemCurrent) == 256);
    CHECK(cudaMemsetAsync(a, 0, 256, stream));
    add<<<1, 64, 0, stream>>>(a, 64, 7);
    CHECK(cudaMemcpyAsync(got, a, 256, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaStreamSynchronize(stream));
    HOLDS(got[0] == 7 && got[63] == 7);
    HOLDS(attribute(own, cudaMemPoolAttrUsedMemCurrent) == 0 && attribute(own, cudaMemPoolAttrUsedMemHigh) == 256);
    uint64_t zero = 0, keep = 1 << 20;
    CHECK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &zero));
    HOLDS(attribute(own, cudaMemPoolAttrUsedMemHigh) == 0 && attribute(own, cudaMemPoolAttrReservedMemCurrent) == 0);

    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&made, &props));
    CHECK(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(cudaMallocFromPoolAsync((void **)&a, 1000, made, stream));
    CHECK(cudaDeviceSetMemPool(0, made));
    CHECK(cudaMallocAsync(&b, 24, stream));
    HOLDS(attribute(made, cudaMemPoolAttrUsedMemCurrent) == 1024);
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaFree(b));
    HOLDS(attribute(made, cudaMemPoolAttrUsedMemCurrent) == 0 && attribute(made, cudaMemPoolAttrReservedMemCurrent) == 1024);
    CHECK(cudaMemPoolTrimTo(made, 100));
    HOLDS(attribute(made, cudaMemPoolAttrReservedMemCurrent) == 100);
    cudaMemAccessFlags flags;
    CHECK(cudaMemPoolGetAccess(&flags, made, &props.location));
    HOLDS(flags == cudaMemAccessFlagsProtReadWrite);
    CHECK(cudaMallocFromPoolAsync((void **)&a, 8, made, stream));
    CHECK(cudaMemPoolDestroy(made)); // what it gave stays
    CHECK(cudaMemsetAsync(a, 0, 8, stream));
    CHECK(cudaFreeAsync(a, stream));
    HOLDS(cudaMemPoolDestroy(made) == cudaErrorInvalidValue && cudaMemPoolDestroy(own) == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetMemPool(&in_use, 0));
    HOLDS(own == in_use);
    cudaGetLastError();
    printf("pools\n");
}

static uint64_t graph_memory(cudaGraphMemAttributeType which)
{
    uint64_t value = 0;
    CHECK(cudaDeviceGetGraphMemAttribute(0, which, &value));
    return value;
}

static void captured(cudaStream_t stream)
{
    int *a, got[64] = {0};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&a, 256, stream));
    CHECK(cudaMemsetAsync(a, 0, 256, stream));
    add<<<1, 64, 0, stream>>>(a, 64, 5);
    CHECK(cudaMemcpyAsync(got, a, 256, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    HOLDS(graph_memory(cudaGraphMemAttrUsedMemCurrent) == 0 && graph_memory(cudaGraphMemAttrReservedMemCurrent) == 256);
    for (int i = 0; i < 3; i++) {
        got[0] = 0;
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        HOLDS(got[0] == 5 && got[63] == 5);
    }
    HOLDS(graph_memory(cudaGraphMemAttrUsedMemHigh) == 256);
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphExecDestroy(exec));
    HOLDS(graph_memory(cudaGraphMemAttrReservedMemCurrent) == 0);
    printf("captured\n");
}

// Memory that the program frees, or the next launch.
static void kept(cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t made, filled, node;
    cudaMemAllocNodeParams params = {}, said;
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = 64;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemAllocNode(&made, graph, NULL, 0, &params));
    cudaMemsetParams fill = {};
    fill.dst = params.dptr;
    fill.value = 9;
    fill.elementSize = 1;
    fill.width = 64;
    fill.height = 1;
    CHECK(cudaGraphAddMemsetNode(&filled, graph, &made, 1, &fill));
    CHECK(cudaGraphMemAllocNodeGetParams(made, &said));
    HOLDS(said.dptr == params.dptr && said.bytesize == 64);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    HOLDS(cudaGraphLaunch(exec, stream) == cudaErrorInvalidValue); // not freed
    unsigned char got[64];
    CHECK(cudaMemcpy(got, params.dptr, 64, cudaMemcpyDeviceToHost));
    HOLDS(got[0] == 9 && got[63] == 9);
    CHECK(cudaFreeAsync(params.dptr, stream));
    HOLDS(cudaFree(params.dptr) == cudaErrorInvalidValue); // freed
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaFree(params.dptr));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphExecDestroy(exec));
    void *pointer = NULL;
    CHECK(cudaGraphAddMemFreeNode(&node, graph, &filled, 1, params.dptr));
    CHECK(cudaGraphMemFreeNodeGetParams(node, &pointer));
    HOLDS(pointer == params.dptr);
    CHECK(cudaGraphDestroy(graph));
    HOLDS(graph_memory(cudaGraphMemAttrUsedMemCurrent) == 64); // the last launch's
    CHECK(cudaFree(params.dptr));
    HOLDS(graph_memory(cudaGraphMemAttrReservedMemCurrent) == 0);
    cudaGetLastError();
    printf("kept\n");
}

static void changed(cudaStream_t stream, const char *picture)
{
    cudaGraph_t graph;
    cudaGraphNode_t first, second, third, list[4];
    cudaGraphExec_t exec;
    cudaEvent_t event, other, said;
    int *a, one = 1, two = 2, n = 4, got[4];
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventCreate(&other));
    CHECK(cudaMalloc(&a, 16));
    CHECK(cudaMemset(a, 0, 16));
    CHECK(cudaGraphCreate(&graph, 0));
    void *args[] = {&a, &n, &one};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = params.blockDim = dim3(4);
    params.gridDim = dim3(1);
    params.kernelParams = args;
    CHECK(cudaGraphAddKernelNode(&first, graph, NULL, 0, &params));
    CHECK(cudaGraphAddMemcpyNode1D(&second, graph, &first, 1, got, a, 16, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddEventRecordNode(&third, graph, &second, 1, event));
    CHECK(cudaGraphEventRecordNodeGetEvent(third, &said));
    HOLDS(said == event);
    CHECK(cudaGraphEventRecordNodeSetEvent(third, other));
    size_t count = 4;
    CHECK(cudaGraphNodeGetDependentNodes(first, list, NULL, &count));
    HOLDS(count == 1 && list[0] == second);
    CHECK(cudaGraphDebugDotPrint(graph, picture, 0));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    HOLDS(got[3] == 1);
    CHECK(cudaEventSynchronize(other));
    CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec, second, got, a + 1, 8, cudaMemcpyDeviceToHost));
    args[2] = &two;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, first, &params));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    HOLDS(got[0] == 3 && got[1] == 3 && got[2] == 1);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphRemoveDependencies(graph, &second, &third, NULL, 1));
    CHECK(cudaGraphDestroyNode(second));
    count = 4;
    CHECK(cudaGraphGetNodes(graph, list, &count));
    HOLDS(count == 2);
    cudaGraphInstantiateParams with = {};
    CHECK(cudaGraphInstantiateWithParams(&exec, graph, &with));
    HOLDS(with.result_out == cudaGraphInstantiateSuccess);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaMemcpy(got, a, 16, cudaMemcpyDeviceToHost));
    HOLDS(got[0] == 4);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(a));
    printf("changed\n");
}

int main(int, char **argv)
{
    cudaStream_t stream;
    int supported = 0;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    HOLDS(supported == 1);
    pools(stream);
    captured(stream);
    kept(stream);
    changed(stream, argv[1]);
    CHECK(cudaStreamDestroy(stream));
    return 0;
}

/* Graphs: made by hand and by capture, each with the results of the same calls without, and in the right order. */
#include <cstdio>
#include <cstring>

static int failures;

static void check(const char *name, bool right)
{
    printf("%s: %s\n", name, right ? "right" : "WRONG");
    failures += !right;
}

static void must(cudaError_t error)
{
    if (error) {
        printf("a call failed: %s\n", cudaGetErrorName(error));
        failures++;
    }
}

struct wide {
    int a;
    double b;
};

__global__ void append(int *list, int value)
{
    list[++list[0]] = value;
}

__global__ void add(int *p, int n, struct wide w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(p + i, w.a + (int)w.b);
}

static int *device, *results;

/* The list on the device is these values. */
static bool list_is(const int *values, int count)
{
    must(cudaMemcpy(results, device, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    return results[0] == count && memcmp(results + 1, values, count * sizeof(int)) == 0;
}

static cudaGraphNode_t append_node(cudaGraph_t graph, int value, cudaGraphNode_t need)
{
    void *args[] = {&device, &value};
    cudaKernelNodeParams p = {};
    p.func = (void *)append;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = args;
    cudaGraphNode_t node;
    must(cudaGraphAddKernelNode(&node, graph, need ? &need : NULL, need ? 1 : 0, &p));
    return node;
}

/* Edges run against the order in which the nodes are made; arguments are those at the time of their making. */
static void by_hand()
{
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    must(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t third = append_node(graph, 3, NULL), second = append_node(graph, 2, NULL), fill, first, found;
    cudaMemsetParams zero = {device, 0, 0, 4, 64, 1};
    must(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &zero));
    first = append_node(graph, 1, fill);
    cudaGraphNode_t from[] = {first, second}, to[] = {second, third};
    must(cudaGraphAddDependencies(graph, from, to, NULL, 2));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, 0));
    const int want[] = {1, 2, 3, 3};
    check("nodes in the order of their edges", list_is(want, 3));
    size_t nodes = 0, roots = 0, edges = 0;
    must(cudaGraphGetNodes(graph, NULL, &nodes));
    must(cudaGraphGetRootNodes(graph, NULL, &roots));
    must(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    cudaGraphNodeType type;
    must(cudaGraphNodeGetType(fill, &type));
    check("numbers of nodes and edges", nodes == 4 && roots == 1 && edges == 3 && type == cudaGraphNodeTypeMemset);
    int seven = 7;
    void *args[] = {&device, &seven};
    cudaKernelNodeParams p;
    must(cudaGraphKernelNodeGetParams(second, &p));
    check("parameters of a kernel", p.func == (void *)append && *(int *)p.kernelParams[1] == 2);
    p.kernelParams = args;
    must(cudaGraphExecKernelNodeSetParams(exec, second, &p));
    must(cudaGraphNodeSetEnabled(exec, third, 0));
    must(cudaGraphLaunch(exec, 0));
    const int changed[] = {1, 7};
    check("parameters set after instantiation", list_is(changed, 2));
    must(cudaGraphClone(&clone, graph));
    must(cudaGraphNodeFindInClone(&found, second, clone));
    must(cudaGraphKernelNodeSetParams(found, &p));
    cudaGraphExecUpdateResultInfo info;
    must(cudaGraphExecUpdate(exec, graph, &info));
    must(cudaGraphNodeSetEnabled(exec, third, 1));
    must(cudaGraphLaunch(exec, 0));
    check("an update", info.result == cudaGraphExecUpdateSuccess && list_is(want, 3));
    append_node(clone, 9, NULL);
    check("an update with another shape", cudaGraphExecUpdate(exec, clone, &info) == cudaErrorGraphExecUpdateFailure &&
                                              info.result == cudaGraphExecUpdateErrorTopologyChanged);
    cudaGraphNode_t back[] = {third}, ahead[] = {first};
    must(cudaGraphAddDependencies(graph, back, ahead, NULL, 1));
    cudaGraphExec_t none;
    check("a cycle", cudaGraphInstantiate(&none, graph, 0) == cudaErrorInvalidValue);
    cudaGetLastError();
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(clone));
    must(cudaGraphDestroy(graph));
}

static void on_host(void *data)
{
    ++*(int *)data;
}

/* Copies, fills of other elements, host functions, events and a graph within a graph. */
static void of_every_kind()
{
    cudaGraph_t graph, child;
    cudaGraphNode_t fill, in, record, wait, calls, inner, out, empty;
    cudaGraphExec_t exec;
    cudaEvent_t event;
    int host[64], back[64] = {}, called = 0;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    must(cudaEventCreate(&event));
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphCreate(&child, 0));
    wide w = {5, 6.5};
    int n = 60;
    void *args[] = {&device, &n, &w};
    cudaKernelNodeParams p = {(void *)add, dim3(2), dim3(32), 0, args, NULL};
    must(cudaGraphAddKernelNode(&inner, child, NULL, 0, &p));
    must(cudaGraphAddMemcpyNode1D(&in, graph, NULL, 0, device, host, sizeof host, cudaMemcpyHostToDevice));
    cudaMemsetParams words = {device + 32, 0, 0x01020304, 4, 8, 1};
    must(cudaGraphAddMemsetNode(&fill, graph, &in, 1, &words));
    must(cudaGraphAddEventRecordNode(&record, graph, &fill, 1, event));
    must(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    must(cudaGraphAddChildGraphNode(&inner, graph, &wait, 1, child));
    must(cudaGraphAddEmptyNode(&empty, graph, &inner, 1));
    cudaHostNodeParams h = {on_host, &called};
    must(cudaGraphAddHostNode(&calls, graph, &empty, 1, &h));
    must(cudaGraphAddMemcpyNode1D(&out, graph, &calls, 1, back, device, sizeof back, cudaMemcpyDeviceToHost));
    must(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    must(cudaGraphDestroy(graph));
    must(cudaGraphDestroy(child));
    must(cudaGraphUpload(exec, 0));
    for (int i = 0; i < 3; i++)
        must(cudaGraphLaunch(exec, 0));
    must(cudaDeviceSynchronize());
    bool right = called == 3 && cudaEventQuery(event) == cudaSuccess;
    for (int i = 0; i < 64; i++)
        right = right && back[i] == (i >= 32 && i < 40 ? 0x01020304 : i) + (i < n ? 11 : 0);
    check("nodes of every kind", right);
    must(cudaGraphExecDestroy(exec));
}

static cudaGraphNodeParams any(cudaGraphNodeType type)
{
    cudaGraphNodeParams params = {cudaGraphNodeTypeEmpty};
    params.type = type;
    return params;
}

/* The same node for each kind, by one call; each comes after the one before. Memory of the graph goes into the list. */
static void by_one_call()
{
    cudaGraph_t graph, child;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[10], inner;
    cudaEvent_t event;
    int called = 0, back[4] = {}, value = 5, count = 0;
    must(cudaEventCreate(&event));
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphCreate(&child, 0));
    inner = append_node(child, 7, NULL);
    auto next = [&](cudaGraphNodeParams &params) {
        must(cudaGraphAddNode(nodes + count, graph, count ? nodes + count - 1 : NULL, NULL, count ? 1 : 0, &params));
        return nodes[count++];
    };
    cudaGraphNodeParams p = any(cudaGraphNodeTypeMemAlloc);
    p.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    p.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    p.alloc.bytesize = 256;
    next(p);
    int *own = (int *)p.alloc.dptr;
    p = any(cudaGraphNodeTypeMemset);
    p.memset.dst = own;
    p.memset.elementSize = 4;
    p.memset.width = 64;
    p.memset.height = 1;
    cudaGraphNode_t fill = next(p);
    void *args[] = {&own, &value};
    p = any(cudaGraphNodeTypeKernel);
    p.kernel.func = (void *)append;
    p.kernel.gridDim = p.kernel.blockDim = dim3(1);
    p.kernel.kernelParams = args;
    cudaGraphNode_t kernel = next(p);
    p = any(cudaGraphNodeTypeEventRecord);
    p.eventRecord.event = event;
    next(p);
    p = any(cudaGraphNodeTypeWaitEvent);
    p.eventWait.event = event;
    next(p);
    p = any(cudaGraphNodeTypeHost);
    p.host.fn = on_host;
    p.host.userData = &called;
    next(p);
    p = any(cudaGraphNodeTypeGraph);
    p.graph.graph = child;
    p.graph.ownership = cudaGraphChildGraphOwnershipMove;
    next(p);
    p = any(cudaGraphNodeTypeEmpty);
    next(p);
    p = any(cudaGraphNodeTypeMemcpy);
    p.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(own, 16, 16, 1);
    p.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(back, 16, 16, 1);
    p.memcpy.copyParams.extent = make_cudaExtent(16, 1, 1);
    p.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    next(p);
    p = any(cudaGraphNodeTypeMemFree);
    p.free.dptr = own;
    next(p);
    must(cudaMemset(device, 0, 64 * sizeof(int)));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, 0));
    must(cudaDeviceSynchronize());
    const int sevens[] = {7, 7};
    cudaGraph_t is;
    must(cudaGraphChildGraphNodeGetGraph(nodes[6], &is));
    check("nodes by one call", count == 10 && called == 1 && back[0] == 1 && back[1] == 5 && list_is(sevens, 1) &&
                                   cudaEventQuery(event) == cudaSuccess && is == child && inner);
    p = any(cudaGraphNodeTypeKernel);
    p.kernel.func = (void *)append;
    p.kernel.gridDim = p.kernel.blockDim = dim3(1);
    p.kernel.kernelParams = args;
    value = 6;
    must(cudaGraphExecNodeSetParams(exec, kernel, &p));
    must(cudaGraphLaunch(exec, 0));
    must(cudaDeviceSynchronize());
    bool right = back[1] == 6;
    value = 8;
    must(cudaGraphNodeSetParams(kernel, &p));
    cudaKernelNodeParams now;
    must(cudaGraphKernelNodeGetParams(kernel, &now));
    check("nodes set by one call", right && *(int *)now.kernelParams[1] == 8 &&
                                       cudaGraphNodeSetParams(fill, &p) == cudaErrorInvalidValue);
    cudaGetLastError();
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
}

/* Two streams, forked and joined by events; nothing happens before the launch. */
static void by_capture()
{
    cudaStream_t a, b;
    cudaEvent_t fork, joined;
    cudaGraph_t graph, outer;
    cudaGraphExec_t exec, twice;
    cudaStreamCaptureStatus status;
    must(cudaStreamCreate(&a));
    must(cudaStreamCreate(&b));
    must(cudaEventCreate(&fork));
    must(cudaEventCreate(&joined));
    must(cudaMemset(device, 0, 64 * sizeof(int)));
    must(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    append<<<1, 1, 0, a>>>(device, 1);
    must(cudaEventRecord(fork, a));
    must(cudaStreamWaitEvent(b, fork, 0));
    append<<<1, 1, 0, b>>>(device, 2);
    must(cudaStreamIsCapturing(b, &status));
    must(cudaEventRecord(joined, b));
    must(cudaStreamWaitEvent(a, joined, 0));
    append<<<1, 1, 0, a>>>(device, 3);
    must(cudaStreamEndCapture(a, &graph));
    check("a capture does nothing", status == cudaStreamCaptureStatusActive && list_is(NULL, 0));
    must(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    must(cudaGraphLaunch(exec, a));
    must(cudaStreamSynchronize(a));
    const int want[] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    check("a capture of two streams", list_is(want, 3));
    must(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed));
    must(cudaGraphLaunch(exec, b));
    must(cudaGraphLaunch(exec, b));
    must(cudaStreamEndCapture(b, &outer));
    must(cudaGraphInstantiate(&twice, outer, 0));
    must(cudaGraphLaunch(twice, b));
    must(cudaStreamSynchronize(b));
    check("a captured graph", list_is(want, 9));
    must(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    bool refused = cudaStreamSynchronize(a) == cudaErrorStreamCaptureUnsupported;
    check("a wait in a capture", refused && cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureInvalidated &&
                                     graph == NULL && cudaStreamSynchronize(a) == cudaSuccess);
    must(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    must(cudaEventRecord(fork, a));
    must(cudaStreamWaitEvent(b, fork, 0));
    append<<<1, 1, 0, b>>>(device, 4);
    check("a stream that is not joined", cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureUnjoined);
    check("an end without a beginning", cudaStreamEndCapture(a, &graph) == cudaErrorIllegalState);
    cudaGetLastError();
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphExecDestroy(twice));
}

/* A node made by hand stands between those that a stream makes: the program says what the stream goes on behind. And a
 * capture into a graph that has nodes already. */
static void by_hand_in_capture()
{
    cudaStream_t s;
    cudaGraph_t graph, same, own;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, first;
    const cudaGraphNode_t *needs;
    cudaStreamCaptureStatus status;
    size_t count, all;
    int value = 2;
    void *arguments[] = {&device, &value};
    cudaKernelNodeParams params = {};
    params.func = (void *)append;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    must(cudaStreamCreate(&s));
    must(cudaMemset(device, 0, 64 * sizeof(int)));
    check("an update without a capture", cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, 0) == cudaErrorIllegalState);
    cudaGetLastError();
    must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    append<<<1, 1, 0, s>>>(device, 1);
    must(cudaStreamGetCaptureInfo(s, &status, NULL, &same, &needs, NULL, &count));
    must(cudaGraphAddKernelNode(&node, same, needs, count, &params));
    must(cudaStreamUpdateCaptureDependencies(s, &node, NULL, 1, cudaStreamSetCaptureDependencies));
    append<<<1, 1, 0, s>>>(device, 3);
    must(cudaStreamGetCaptureInfo(s, &status, NULL, NULL, &needs, NULL, &count));
    bool one = count == 1;
    must(cudaStreamUpdateCaptureDependencies(s, &node, NULL, 1, cudaStreamAddCaptureDependencies));
    must(cudaStreamGetCaptureInfo(s, &status, NULL, NULL, &needs, NULL, &count));
    check("dependencies are added or set", one && count == 2 &&
                                               cudaStreamUpdateCaptureDependencies(s, &node, NULL, 1, 2) == cudaErrorInvalidValue);
    cudaGetLastError();
    must(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, cudaStreamSetCaptureDependencies)); // and need no join
    must(cudaStreamEndCapture(s, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, s));
    must(cudaStreamSynchronize(s));
    const int want[] = {1, 2, 3};
    check("a node by hand in a capture", graph == same && list_is(want, 3));

    must(cudaMemset(device, 0, 64 * sizeof(int)));
    must(cudaGraphCreate(&own, 0));
    value = 7;
    must(cudaGraphAddKernelNode(&first, own, NULL, 0, &params));
    bool refused = cudaStreamBeginCaptureToGraph(s, own, &node, NULL, 1, cudaStreamCaptureModeGlobal) == cudaErrorInvalidValue;
    cudaGetLastError();
    must(cudaStreamBeginCaptureToGraph(s, own, &first, NULL, 1, cudaStreamCaptureModeGlobal));
    append<<<1, 1, 0, s>>>(device, 8);
    must(cudaStreamEndCapture(s, &same));
    must(cudaStreamBeginCaptureToGraph(s, own, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    refused &= cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported &&
               cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated;
    cudaGetLastError();
    must(cudaGraphGetNodes(own, NULL, &all)); // the graph is the program's still
    must(cudaGraphInstantiate(&exec, own, 0));
    must(cudaGraphLaunch(exec, s));
    must(cudaStreamSynchronize(s));
    const int both[] = {7, 8};
    check("a capture into a graph", refused && same == own && all == 2 && list_is(both, 2));
}

__device__ int symbol[4];

static void copies_in_capture()
{
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int from[4] = {1, 2, 3, 4}, to[4] = {}, square[4] = {};
    must(cudaStreamCreate(&s));
    must(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    must(cudaMemsetAsync(device, 0xff, 64, s));
    must(cudaMemcpyToSymbolAsync(symbol, from, sizeof from, 0, cudaMemcpyHostToDevice, s));
    must(cudaMemcpyFromSymbolAsync(to, symbol, 8, 8, cudaMemcpyDeviceToHost, s));
    must(cudaMemcpy2DAsync(device, 16, from, 8, 8, 2, cudaMemcpyHostToDevice, s));
    must(cudaMemset2DAsync(device + 3, 16, 0, 4, 2, s));
    must(cudaMemcpyAsync(results, device, 32, cudaMemcpyDeviceToHost, s));
    must(cudaMemcpy2DAsync(square, 8, device, 16, 8, 2, cudaMemcpyDeviceToHost, s));
    must(cudaStreamEndCapture(s, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    from[2] = 30; /* read when the graph is launched */
    must(cudaGraphLaunch(exec, s));
    must(cudaStreamSynchronize(s));
    const int want[] = {1, 2, -1, 0, 30, 4, -1, 0}, squares[] = {1, 2, 30, 4};
    check("copies and fills in a capture", to[0] == 30 && to[1] == 4 && memcmp(results, want, sizeof want) == 0 &&
                                               memcmp(square, squares, sizeof square) == 0);
}

int main()
{
    must(cudaMalloc(&device, 64 * sizeof(int)));
    must(cudaMallocHost(&results, 64 * sizeof(int)));
    by_hand();
    of_every_kind();
    by_one_call();
    by_capture();
    by_hand_in_capture();
    copies_in_capture();
    must(cudaDeviceSynchronize());
    return failures != 0;
}

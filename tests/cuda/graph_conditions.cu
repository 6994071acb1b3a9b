// Conditional nodes of graphs: if, if and else, while, switch, within each other, with values that they begin with, with bodies by capture.
#include <cstdio>

__global__ void set(cudaGraphConditionalHandle handle, const unsigned *value)
{
    cudaGraphSetConditional(handle, *value);
}
__global__ void count_down(cudaGraphConditionalHandle handle, int *left)
{
    cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void add(int *to, int n)
{
    *to += n;
}

static int failures, *word, *left_over;
static unsigned *value;
static void check(const char *what, int is, int should)
{
    failures += is != should;
    if (is != should)
        std::printf("%s: %d, not %d\n", what, is, should);
}
#define MUST(call) check(#call, (call), cudaSuccess)

static cudaGraphNode_t kernel(cudaGraph_t graph, void *function, void **arguments, const cudaGraphNode_t *need = nullptr)
{
    cudaGraphNode_t node;
    cudaKernelNodeParams p = {};
    p.func = function;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = arguments;
    MUST(cudaGraphAddKernelNode(&node, graph, need, need ? 1 : 0, &p));
    return node;
}
static cudaGraphNode_t add_node(cudaGraph_t graph, int n, const cudaGraphNode_t *need = nullptr)
{
    void *arguments[] = {&word, &n};
    return kernel(graph, (void *)add, arguments, need);
}
static cudaGraphNode_t condition(cudaGraph_t graph, cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size,
                                 cudaGraph_t **bodies, const cudaGraphNode_t *need = nullptr)
{
    cudaGraphNode_t node;
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    MUST(cudaGraphAddNode(&node, graph, need, nullptr, need ? 1 : 0, &p));
    *bodies = p.conditional.phGraph_out;
    return node;
}
static cudaGraphConditionalHandle handle_of(cudaGraph_t graph, unsigned begin = 0, unsigned flags = 0)
{
    cudaGraphConditionalHandle handle;
    MUST(cudaGraphConditionalHandleCreate(&handle, graph, begin, flags));
    return handle;
}
static int launched(cudaGraphExec_t exec, unsigned with, int start)
{
    *value = with;
    *word = 0;
    *left_over = start;
    MUST(cudaGraphLaunch(exec, nullptr));
    MUST(cudaDeviceSynchronize());
    return *word;
}

// A kernel sets what the node behind it goes by; another one is behind that.
static void choices(cudaGraphConditionalNodeType type, unsigned size, const int *should, const char *what)
{
    cudaGraph_t graph, *bodies;
    cudaGraphExec_t exec;
    MUST(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle = handle_of(graph);
    void *arguments[] = {&handle, &value};
    cudaGraphNode_t before = kernel(graph, (void *)set, arguments), node = condition(graph, handle, type, size, &bodies, &before);
    for (unsigned i = 0; i < size; i++)
        add_node(bodies[i], 10 * (i + 1));
    add_node(graph, 1, &node);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned v = 0; v < 4; v++)
        check(what, launched(exec, v, 0), should[v]);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

// while, its body by capture, in the body an if; the value that it begins with comes with each launch.
static void loops()
{
    cudaGraph_t graph, *bodies, *inner;
    cudaGraphExec_t exec, other;
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle again = handle_of(graph, 1, cudaGraphCondAssignDefault);
    condition(graph, again, cudaGraphCondTypeWhile, 1, &bodies);
    MUST(cudaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(word, 1);
    count_down<<<1, 1, 0, stream>>>(again, left_over);
    MUST(cudaStreamEndCapture(stream, nullptr));
    cudaGraphConditionalHandle maybe = handle_of(bodies[0]);
    void *arguments[] = {&maybe, &value};
    cudaGraphNode_t before = kernel(bodies[0], (void *)set, arguments);
    condition(bodies[0], maybe, cudaGraphCondTypeIf, 1, &inner, &before);
    add_node(inner[0], 100);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    check("while", launched(exec, 0, 4), 4);
    check("while, again", launched(exec, 1, 3), 303);
    check("while, once", launched(exec, 1, -5), 101);

    // An update changes what bodies do; a graph of other bodies is none.
    cudaGraph_t copy, *rest;
    MUST(cudaGraphClone(&copy, graph));
    cudaGraphExecUpdateResultInfo info;
    MUST(cudaGraphExecUpdate(exec, copy, &info));
    check("updated", launched(exec, 0, 2), 2);
    MUST(cudaGraphInstantiate(&other, copy, 0));
    check("a copy", launched(other, 0, 5), 5);
    condition(bodies[0], handle_of(graph), cudaGraphCondTypeIf, 2, &rest);
    check("other bodies", cudaGraphExecUpdate(exec, graph, &info), cudaErrorGraphExecUpdateFailure);
    cudaGetLastError();
    MUST(cudaGraphDebugDotPrint(graph, "conditions.dot", 0));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphExecDestroy(other));
    MUST(cudaGraphDestroy(copy));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
}

static void mistakes()
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle handle;
    MUST(cudaGraphCreate(&graph, 0));
    handle = handle_of(graph);
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = handle + 4;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    check("no such handle", cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p), cudaErrorInvalidValue);
    p.conditional.handle = handle;
    p.conditional.size = 2;
    check("while with two bodies", cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p), cudaErrorInvalidValue);
    check("flags", cudaGraphConditionalHandleCreate(&handle, graph, 1, 8), cudaErrorInvalidValue);
    check("no graph", cudaGraphConditionalHandleCreate(&handle, nullptr, 1, 0), cudaErrorInvalidValue);
    cudaGetLastError();
    MUST(cudaGraphDestroy(graph));
}

int main()
{
    MUST(cudaMallocManaged(&word, sizeof *word));
    MUST(cudaMallocManaged(&left_over, sizeof *left_over));
    MUST(cudaMallocManaged(&value, sizeof *value));
    const int ifs[] = {1, 11, 11, 11}, either[] = {21, 11, 11, 11}, cases[] = {11, 21, 31, 1};
    choices(cudaGraphCondTypeIf, 1, ifs, "if");
    choices(cudaGraphCondTypeIf, 2, either, "if and else");
    choices(cudaGraphCondTypeSwitch, 3, cases, "switch");
    loops();
    mistakes();
    std::printf("%d failures\n", failures);
    return failures != 0;
}

/* Graphs that can be launched: copies of graphs. A launch does what the nodes stand for one after the other, in the
 * stream of the launch, or in streams of the graph's own (graph_lanes.c), and by the runtime's own calls, an order that
 * every graph allows; so results, figures and diagnostics are those of a program that made the calls itself. */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

/* True when one of the graphs in the node is such a graph. */
static bool within(const struct CUgraphNode_st *node, bool (*is_such)(cudaGraph_t))
{
    if (node->type == cudaGraphNodeTypeGraph)
        return is_such(node->child);
    for (unsigned i = 0; node->type == cudaGraphNodeTypeConditional && i < node->condition.size; i++)
        if (is_such(node->condition.bodies[i]))
            return true;
    return false;
}

static bool has_cycle(cudaGraph_t graph)
{
    cudaGraphNode_t *order = graph_order(graph);
    bool cycle = !order;
    for (size_t i = 0; order && i < graph->nodes.count; i++)
        cycle |= within(order[i], has_cycle);
    free(order);
    return cycle;
}

static cudaError_t instantiate(struct runtime *rt, cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    if (!exec || !graph)
        return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return runtime_refuse(rt, cudaErrorNotSupported, "kernels cannot launch graphs");
    if (has_cycle(graph))
        return runtime_refuse(rt, cudaErrorInvalidValue, "nodes of the graph wait for each other");
    *exec = base_calloc(1, sizeof **exec);
    (*exec)->graph = graph_clone(graph);
    (*exec)->flags = flags;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    RUNTIME_CALL(instantiate(rt, exec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    RUNTIME_CALL(instantiate(rt, exec, graph, flags));
}

static cudaError_t instantiate_with(struct runtime *rt, cudaGraphExec_t *exec, cudaGraph_t graph,
                                    cudaGraphInstantiateParams *params)
{
    if (!params)
        return cudaErrorInvalidValue;
    cudaError_t error = instantiate(rt, exec, graph, params->flags);
    params->errNode_out = NULL;
    params->result_out = error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    return error;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params)
{
    RUNTIME_CALL(instantiate_with(rt, exec, graph, params));
}
ALSO_PER_THREAD(cudaGraphInstantiateWithParams, ptsz);

static cudaError_t destroy(struct runtime *rt, cudaGraphExec_t exec)
{
    graph_free(exec->graph);
    free(exec);
    return graph_memory_sweep(rt);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    if (!exec)
        return cudaErrorInvalidValue;
    graph_lanes_free(exec->lanes);
    RUNTIME_CALL(destroy(rt, exec));
}

static cudaError_t exec_flags(cudaGraphExec_t exec, unsigned long long *flags)
{
    if (!exec || !flags)
        return cudaErrorInvalidValue;
    *flags = exec->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    RUNTIME_CALL(exec_flags(exec, flags));
}

/* ---- update ---- */

static enum cudaGraphExecUpdateResult refuse_update(cudaGraphExecUpdateResultInfo *info, cudaGraphNode_t node,
                                                    enum cudaGraphExecUpdateResult result)
{
    info->result = result;
    info->errorNode = node;
    return result;
}

static enum cudaGraphExecUpdateResult compare(cudaGraph_t a, cudaGraph_t b, cudaGraphExecUpdateResultInfo *info);

/* Compares the graphs in two nodes of one type. */
static enum cudaGraphExecUpdateResult compare_within(cudaGraphNode_t old, cudaGraphNode_t now,
                                                     cudaGraphExecUpdateResultInfo *info)
{
    if (old->type == cudaGraphNodeTypeGraph)
        return compare(old->child, now->child, info);
    if (old->type != cudaGraphNodeTypeConditional)
        return cudaGraphExecUpdateSuccess;
    if (old->condition.type != now->condition.type || old->condition.size != now->condition.size)
        return refuse_update(info, now, cudaGraphExecUpdateErrorParametersChanged);
    for (unsigned i = 0; i < old->condition.size; i++)
        if (compare(old->condition.bodies[i], now->condition.bodies[i], info))
            return info->result;
    return cudaGraphExecUpdateSuccess;
}

/* Two graphs match when their nodes, in the order of their making, do and need the same. */
static enum cudaGraphExecUpdateResult compare(cudaGraph_t a, cudaGraph_t b, cudaGraphExecUpdateResultInfo *info)
{
    if (a->nodes.count != b->nodes.count)
        return refuse_update(info, NULL, cudaGraphExecUpdateErrorTopologyChanged);
    for (size_t i = 0; i < a->nodes.count; i++)
        a->nodes.items[i]->mark = b->nodes.items[i]->mark = (unsigned)i;
    for (size_t i = 0; i < a->nodes.count; i++) {
        cudaGraphNode_t old = a->nodes.items[i], now = b->nodes.items[i];
        if (old->type != now->type)
            return refuse_update(info, now, cudaGraphExecUpdateErrorNodeTypeChanged);
        if (old->needs.count != now->needs.count)
            return refuse_update(info, now, cudaGraphExecUpdateErrorTopologyChanged);
        for (size_t k = 0; k < old->needs.count; k++)
            if (old->needs.items[k]->mark != now->needs.items[k]->mark)
                return refuse_update(info, now, cudaGraphExecUpdateErrorTopologyChanged);
        if (compare_within(old, now, info))
            return info->result;
    }
    return cudaGraphExecUpdateSuccess;
}

static cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    cudaGraphExecUpdateResultInfo own = {0};
    if (!exec || !graph)
        return cudaErrorInvalidValue;
    enum cudaGraphExecUpdateResult result = compare(exec->graph, graph, &own);
    if (info)
        *info = own;
    if (result)
        return cudaErrorGraphExecUpdateFailure;
    for (size_t i = 0; i < graph->nodes.count; i++)
        node_assign(exec->graph->nodes.items[i], graph->nodes.items[i]);
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    RUNTIME_CALL(update(exec, graph, info));
}

cudaGraphNode_t graph_copy_of(cudaGraphExec_t exec, cudaGraphNode_t node, enum cudaGraphNodeType type)
{
    for (size_t i = 0; exec && node && i < exec->graph->nodes.count; i++)
        if (exec->graph->nodes.items[i]->original == node && exec->graph->nodes.items[i]->type == type)
            return exec->graph->nodes.items[i];
    return NULL;
}

static cudaError_t set_kernel(struct runtime *rt, cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    return node ? node_set_kernel(rt, node, params) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params)
{
    RUNTIME_CALL(set_kernel(rt, graph_copy_of(exec, node, cudaGraphNodeTypeKernel), params));
}

#define EXEC_SET(Kind, field, Params)                                                                                  \
    static cudaError_t set_##field(cudaGraphNode_t node, const struct Params *params)                                  \
    {                                                                                                                  \
        if (!node || !params)                                                                                          \
            return cudaErrorInvalidValue;                                                                              \
        node->field = *params;                                                                                         \
        return cudaSuccess;                                                                                            \
    }                                                                                                                  \
    cudaError_t cudaGraphExec##Kind##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,                         \
                                                   const struct Params *params)                                        \
    {                                                                                                                  \
        RUNTIME_CALL(set_##field(graph_copy_of(exec, node, cudaGraphNodeType##Kind), params));                         \
    }
EXEC_SET(Memcpy, copy, cudaMemcpy3DParms)
EXEC_SET(Memset, fill, cudaMemsetParams)
EXEC_SET(Host, host, cudaHostNodeParams)

static cudaError_t enable(cudaGraphExec_t exec, cudaGraphNode_t node, const unsigned *enabled, unsigned *is_enabled)
{
    cudaGraphNode_t copy = node ? graph_copy_of(exec, node, node->type) : NULL;
    if (!copy || (!enabled && !is_enabled))
        return cudaErrorInvalidValue;
    if (enabled)
        copy->disabled = !*enabled;
    else
        *is_enabled = !copy->disabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    RUNTIME_CALL(enable(exec, node, &enabled, NULL));
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
    RUNTIME_CALL(enable(exec, node, NULL, enabled));
}

/* ---- launches: without the lock, which the calls take ---- */

/* A launch of a graph. */
struct going {
    cudaStream_t stream;
    bool again;  /* what the last launch allocated and did not free is free */
    bool behind; /* a kernel of the graph has been launched */
};

static cudaError_t run_graph(cudaGraph_t graph, struct going *g, const struct graph_lanes *lanes);

static cudaError_t run_memory(const struct CUgraphNode_st *node, bool again)
{
    RUNTIME_CALL(node->type == cudaGraphNodeTypeMemAlloc ? graph_memory_take(rt, node->memory, again)
                                                         : graph_memory_give(rt, node->memory));
}

/* Elements of more than a byte whose bytes differ come from a row on the host. */
static cudaError_t run_fill(const struct cudaMemsetParams *p, cudaStream_t stream)
{
    size_t bytes = p->width * p->elementSize;
    uint8_t value[4];
    memcpy(value, &p->value, sizeof value);
    bool same = true;
    for (unsigned i = 1; i < p->elementSize; i++)
        same = same && value[i] == value[0];
    if (same)
        return cudaMemset2DAsync(p->dst, p->height > 1 ? p->pitch : bytes, value[0], bytes, p->height, stream);
    uint8_t *row = base_calloc(bytes + 1, 1);
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < bytes; i++)
        row[i] = value[i % p->elementSize];
    for (size_t y = 0; y < p->height && !error; y++)
        error = cudaMemcpyAsync((char *)p->dst + y * p->pitch, row, bytes, cudaMemcpyHostToDevice, stream);
    free(row);
    return error;
}

/* A node that needs several others waits for all of them to end: which of them its stream had in front is not kept. */
static cudaError_t run_kernel(const struct CUgraphNode_st *node, struct going *g)
{
    const struct cudaKernelNodeParams *p = &node->kernel;
    const struct call_configuration c = {.grid = p->gridDim,
                                         .block = p->blockDim,
                                         .shared = p->sharedMemBytes,
                                         .stream = g->stream,
                                         .cooperative = node->cooperative,
                                         .cluster = node->cluster,
                                         .by_graph = g->behind,
                                         .early = node->early && node->needs.count == 1};
    g->behind = true;
    return launch_func(p->func, &c, p->kernelParams);
}

static cudaError_t run_condition(const struct graph_condition *c, struct going *g)
{
    unsigned value = 0;
    cudaError_t error = graph_condition_read(c, g->stream, &value);
    const unsigned body = c->type == cudaGraphCondTypeSwitch ? value : !value;
    if (c->type != cudaGraphCondTypeWhile)
        return error || body >= c->size ? error : run_graph(c->bodies[body], g, NULL);
    while (!error && value) {
        error = run_graph(c->bodies[0], g, NULL);
        error = error ? error : graph_condition_read(c, g->stream, &value);
    }
    return error;
}

static cudaError_t run_node(const struct CUgraphNode_st *node, struct going *g)
{
    cudaStream_t stream = g->stream;
    if (node->disabled)
        return cudaSuccess;
    switch (node->type) {
    case cudaGraphNodeTypeKernel:
        return run_kernel(node, g);
    case cudaGraphNodeTypeMemcpy:
        return cudaMemcpy3DAsync(&node->copy, stream);
    case cudaGraphNodeTypeMemset:
        return run_fill(&node->fill, stream);
    case cudaGraphNodeTypeHost:
        return cudaLaunchHostFunc(stream, node->host.fn, node->host.userData);
    case cudaGraphNodeTypeGraph:
        return run_graph(node->child, g, NULL);
    case cudaGraphNodeTypeWaitEvent:
        return cudaStreamWaitEvent(stream, node->event, 0);
    case cudaGraphNodeTypeEventRecord:
        return cudaEventRecord(node->event, stream);
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
        return run_memory(node, g->again);
    case cudaGraphNodeTypeConditional:
        return run_condition(&node->condition, g);
    case cudaGraphNodeTypeEmpty:
        break;
    }
    return cudaSuccess;
}

static cudaError_t run_graph(cudaGraph_t graph, struct going *g, const struct graph_lanes *lanes)
{
    const cudaStream_t stream = g->stream;
    cudaGraphNode_t *order = graph_order(graph);
    cudaError_t error = graph_lanes_begin(lanes, stream);
    for (size_t i = 0; i < graph->nodes.count; i++)
        order[i]->mark = (unsigned)i;
    for (size_t i = 0; i < graph->nodes.count && !error; i++) {
        error = graph_lane_enter(lanes, order[i], i, &g->stream);
        error = error ? error : run_node(order[i], g);
        error = error ? error : graph_lane_leave(lanes, i);
    }
    g->stream = stream;
    free(order);
    return error ? error : graph_lanes_end(lanes, stream);
}

/* Kernels of the graph may run beside each other, or (--check race) are to be known as such that may. */
static bool has_company(void)
{
    struct runtime *rt = runtime_lock();
    bool several =
        !runtime_ready(rt) && rt->mode == GPU_TIMING &&
        (rt->machine.gpu.kernels > 1 || rt->checks & GPU_CHECKS_race) && !rt->replay.on && !rt->monitor;
    runtime_unlock(rt, cudaSuccess);
    return several;
}

static cudaError_t ready(struct runtime *rt, cudaGraphExec_t exec, cudaStream_t stream)
{
    return exec ? stream_check(rt, stream) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    RUNTIME_CALL(ready(rt, exec, stream));
}
ALSO_PER_THREAD(cudaGraphUpload, ptsz);

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t error = cudaGraphUpload(exec, stream);
    if (error || capture_graph(stream, exec->graph, &error))
        return error;
    struct going g = {.stream = stream, .again = exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch};
    if (!exec->divided && has_company())
        exec->lanes = graph_lanes_new(exec->graph);
    exec->divided = true;
    error = graph_conditions_begin(exec->graph, stream);
    return error ? error : run_graph(exec->graph, &g, exec->lanes);
}
ALSO_PER_THREAD(cudaGraphLaunch, ptsz);

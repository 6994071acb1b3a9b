/* Nodes of any kind by one call (cudaGraphAddNode), for which the calls for each kind do the work; so they are called
 * without the lock. Nodes that Lockstep has not (external semaphores) are refused by name. */
#include "cuda/graph.h"

static cudaError_t refuse_kind(const char *call, const struct cudaGraphNodeParams *params)
{
    struct runtime *rt = runtime_lock();
    rt->entry = call;
    if (!params)
        return runtime_unlock(rt, cudaErrorInvalidValue);
    return runtime_unlock(rt, runtime_refuse(rt, cudaErrorNotSupported, "%s",
                                             params->type == cudaGraphNodeTypeConditional
                                                 ? "conditional nodes stay as they were made"
                                                 : "nodes of this kind are not supported"));
}

static struct cudaKernelNodeParams kernel_of(const struct cudaGraphNodeParams *params)
{
    const struct cudaKernelNodeParamsV2 *p = &params->kernel;
    return (struct cudaKernelNodeParams){p->func,           p->gridDim,      p->blockDim,
                                         p->sharedMemBytes, p->kernelParams, p->extra};
}

static struct cudaMemsetParams fill_of(const struct cudaGraphNodeParams *params)
{
    const struct cudaMemsetParamsV2 *p = &params->memset;
    return (struct cudaMemsetParams){p->dst, p->pitch, p->value, p->elementSize, p->width, p->height};
}

static struct cudaHostNodeParams host_of(const struct cudaGraphNodeParams *params)
{
    return (struct cudaHostNodeParams){params->host.fn, params->host.userData};
}

/* ---- making ---- */

/* The parent takes the graph itself over, and not a copy. */
static cudaError_t take_child(cudaGraphNode_t node, cudaGraph_t graph)
{
    struct runtime *rt = runtime_lock();
    graph_free(node->child);
    node->child = graph;
    return runtime_unlock(rt, cudaSuccess);
}

static cudaError_t add_child(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                             const struct cudaChildGraphNodeParams *params)
{
    cudaError_t error = cudaGraphAddChildGraphNode(node, graph, needs, count, params->graph);
    bool moves = params->ownership == cudaGraphChildGraphOwnershipMove;
    return error || !moves ? error : take_child(*node, params->graph);
}

/* The address is given back in the parameters. */
static cudaError_t add_allocation(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                                  struct cudaMemAllocNodeParamsV2 *params)
{
    struct cudaMemAllocNodeParams p = {.poolProps = params->poolProps,
                                       .accessDescs = params->accessDescs,
                                       .accessDescCount = params->accessDescCount,
                                       .bytesize = params->bytesize};
    cudaError_t error = cudaGraphAddMemAllocNode(node, graph, needs, count, &p);
    if (!error)
        params->dptr = p.dptr;
    return error;
}

static cudaError_t add_any(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                           struct cudaGraphNodeParams *params, const char *call)
{
    struct cudaKernelNodeParams kernel;
    struct cudaMemsetParams fill;
    struct cudaHostNodeParams host;
    if (!params)
        return refuse_kind(call, NULL);
    switch (params->type) {
    case cudaGraphNodeTypeKernel:
        kernel = kernel_of(params);
        return cudaGraphAddKernelNode(node, graph, needs, count, &kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(node, graph, needs, count, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        fill = fill_of(params);
        return cudaGraphAddMemsetNode(node, graph, needs, count, &fill);
    case cudaGraphNodeTypeHost:
        host = host_of(params);
        return cudaGraphAddHostNode(node, graph, needs, count, &host);
    case cudaGraphNodeTypeGraph:
        return add_child(node, graph, needs, count, &params->graph);
    case cudaGraphNodeTypeEmpty:
        return cudaGraphAddEmptyNode(node, graph, needs, count);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphAddEventWaitNode(node, graph, needs, count, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(node, graph, needs, count, params->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
        return add_allocation(node, graph, needs, count, &params->alloc);
    case cudaGraphNodeTypeMemFree:
        return cudaGraphAddMemFreeNode(node, graph, needs, count, params->free.dptr);
    case cudaGraphNodeTypeConditional:
        return graph_condition_add(node, graph, needs, count, &params->conditional);
    }
    return refuse_kind(call, params);
}

/* Whole nodes depend on whole nodes: the edges' data says nothing that their order does not. */
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                             const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *params)
{
    if (graph_is_12())
        return add_any(node, graph, needs, (size_t)(uintptr_t)edges, (struct cudaGraphNodeParams *)count, __func__);
    return add_any(node, graph, needs, count, params, __func__);
}

/* The name by which CUDA 12's headers call it with edge data. */
__attribute__((visibility("default"))) cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph,
                                                                       const cudaGraphNode_t *needs,
                                                                       const cudaGraphEdgeData *edges, size_t count,
                                                                       struct cudaGraphNodeParams *params);
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *params)
{
    (void)edges;
    return add_any(node, graph, needs, count, params, __func__);
}

/* ---- setting ---- */

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    struct cudaKernelNodeParams kernel;
    struct cudaMemsetParams fill;
    struct cudaHostNodeParams host;
    if (!params)
        return refuse_kind(__func__, NULL);
    switch (params->type) {
    case cudaGraphNodeTypeKernel:
        kernel = kernel_of(params);
        return cudaGraphKernelNodeSetParams(node, &kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphMemcpyNodeSetParams(node, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        fill = fill_of(params);
        return cudaGraphMemsetNodeSetParams(node, &fill);
    case cudaGraphNodeTypeHost:
        host = host_of(params);
        return cudaGraphHostNodeSetParams(node, &host);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphEventWaitNodeSetEvent(node, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphEventRecordNodeSetEvent(node, params->eventRecord.event);
    default: /* the others are as they were made */
        return refuse_kind(__func__, params);
    }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    struct cudaKernelNodeParams kernel;
    struct cudaMemsetParams fill;
    struct cudaHostNodeParams host;
    if (!params)
        return refuse_kind(__func__, NULL);
    switch (params->type) {
    case cudaGraphNodeTypeKernel:
        kernel = kernel_of(params);
        return cudaGraphExecKernelNodeSetParams(exec, node, &kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphExecMemcpyNodeSetParams(exec, node, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        fill = fill_of(params);
        return cudaGraphExecMemsetNodeSetParams(exec, node, &fill);
    case cudaGraphNodeTypeHost:
        host = host_of(params);
        return cudaGraphExecHostNodeSetParams(exec, node, &host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphExecEventWaitNodeSetEvent(exec, node, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphExecEventRecordNodeSetEvent(exec, node, params->eventRecord.event);
    default:
        return refuse_kind(__func__, params);
    }
}

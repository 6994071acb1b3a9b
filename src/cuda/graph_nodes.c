/* Entry points that make graphs and nodes, and read and set what they do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

/* ---- graphs ---- */

static cudaError_t create(cudaGraph_t *graph, unsigned flags)
{
    if (!graph || flags)
        return cudaErrorInvalidValue;
    *graph = base_calloc(1, sizeof **graph);
    return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    RUNTIME_CALL(create(graph, flags));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    RUNTIME_CALL(graph ? (graph_free(graph), graph_memory_sweep(rt)) : cudaErrorInvalidValue);
}

static cudaError_t clone_graph(cudaGraph_t *to, cudaGraph_t graph)
{
    if (!to || !graph)
        return cudaErrorInvalidValue;
    *to = graph_clone(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *to, cudaGraph_t original)
{
    RUNTIME_CALL(clone_graph(to, original));
}

static cudaError_t find_in_clone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t graph)
{
    for (size_t i = 0; node && original && graph && i < graph->nodes.count; i++)
        if (graph->nodes.items[i]->original == original) {
            *node = graph->nodes.items[i];
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t graph)
{
    RUNTIME_CALL(find_in_clone(node, original, graph));
}

/* ---- nodes ---- */

/* The values begin with their size, so that they can be copied without the kernel. */
cudaError_t node_set_kernel(struct runtime *rt, cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    struct kernel *kernel;
    if (!params || params->extra)
        return runtime_refuse(rt, params ? cudaErrorNotSupported : cudaErrorInvalidValue,
                              "the arguments of a kernel are wanted as pointers to each");
    if (!kernel_lookup(rt, params->func))
        return runtime_refuse(rt, cudaErrorInvalidDeviceFunction, "that is no kernel of this program");
    cudaError_t error = kernel_find(rt, params->func, &kernel);
    if (error)
        return error;
    const struct isa_function *f = kernel->function;
    for (uint32_t i = 0; i < f->param_count; i++)
        if (!params->kernelParams || !params->kernelParams[i])
            return runtime_refuse(rt, cudaErrorInvalidValue, "an argument of kernel %s is null", kernel->shown);
    size_t bytes = 16 + f->param_bytes;
    uint8_t *values = base_calloc(1, bytes);
    void **pointers = base_calloc(f->param_count + 1u, sizeof(void *));
    memcpy(values, &bytes, sizeof bytes);
    for (uint32_t i = 0; i < f->param_count; i++) {
        pointers[i] = values + 16 + f->params[i].offset;
        memcpy(pointers[i], params->kernelParams[i], f->params[i].bytes);
    }
    free(node->values);
    free(node->kernel.kernelParams);
    node->kernel = *params;
    node->kernel.kernelParams = pointers;
    node->values = values;
    return cudaSuccess;
}

struct cudaMemcpy3DParms graph_copy_1d(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){.srcPtr = {(void *)(uintptr_t)from, bytes, bytes, 1},
                                      .dstPtr = {to, bytes, bytes, 1},
                                      .extent = {bytes, 1, 1},
                                      .kind = kind};
}

/* Makes a node; NULL in *node if it cannot be. */
static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, enum cudaGraphNodeType type,
                       const cudaGraphNode_t *needs, size_t count)
{
    if (!node || !graph || (count && !needs))
        return cudaErrorInvalidValue;
    *node = graph_add(graph, type, needs, count);
    return *node ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t add_kernel(struct runtime *rt, cudaGraphNode_t *node, cudaGraph_t graph,
                              const cudaGraphNode_t *needs, size_t count, const struct cudaKernelNodeParams *params)
{
    cudaError_t error = add(node, graph, cudaGraphNodeTypeKernel, needs, count);
    if (!error && (error = node_set_kernel(rt, *node, params)) != cudaSuccess) {
        vec_free(&(*node)->needs);
        free(*node);
        *node = NULL;
        graph->nodes.count--;
    }
    return error;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const struct cudaKernelNodeParams *params)
{
    RUNTIME_CALL(add_kernel(rt, node, graph, dependencies, count, params));
}

/* Nodes that keep one value, which is not to be null. */
#define ADD_NODE(Kind, field, Params, given)                                                                           \
    static cudaError_t add_##Kind(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,              \
                                  size_t count, Params params)                                                         \
    {                                                                                                                  \
        cudaError_t error = params ? add(node, graph, cudaGraphNodeType##Kind, needs, count) : cudaErrorInvalidValue;  \
        if (!error)                                                                                                    \
            (*node)->field = given;                                                                                    \
        return error;                                                                                                  \
    }
#define ADD_CALL(Name, Kind, Params)                                                                                   \
    cudaError_t cudaGraphAdd##Name##Node(cudaGraphNode_t *node, cudaGraph_t graph,                                     \
                                         const cudaGraphNode_t *dependencies, size_t count, Params params)             \
    {                                                                                                                  \
        RUNTIME_CALL(add_##Kind(node, graph, dependencies, count, params));                                            \
    }
ADD_NODE(Memcpy, copy, const struct cudaMemcpy3DParms *, *params)
ADD_CALL(Memcpy, Memcpy, const struct cudaMemcpy3DParms *)
ADD_NODE(Memset, fill, const struct cudaMemsetParams *, *params)
ADD_CALL(Memset, Memset, const struct cudaMemsetParams *)
ADD_NODE(Host, host, const struct cudaHostNodeParams *, *params)
ADD_CALL(Host, Host, const struct cudaHostNodeParams *)
ADD_NODE(Graph, child, cudaGraph_t, graph_clone(params))
ADD_CALL(ChildGraph, Graph, cudaGraph_t)
ADD_NODE(EventRecord, event, cudaEvent_t, params)
ADD_CALL(EventRecord, EventRecord, cudaEvent_t)
ADD_NODE(WaitEvent, event, cudaEvent_t, params)
ADD_CALL(EventWait, WaitEvent, cudaEvent_t)

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     size_t count, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms params = graph_copy_1d(to, from, bytes, kind);
    RUNTIME_CALL(add_Memcpy(node, graph, dependencies, count, &params));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                  size_t count)
{
    RUNTIME_CALL(add(node, graph, cudaGraphNodeTypeEmpty, dependencies, count));
}

/* ---- what nodes do ---- */

#define NODE_GET(Name, Kind, field, Params)                                                                            \
    static cudaError_t get_##field(cudaGraphNode_t node, Params *params)                                               \
    {                                                                                                                  \
        if (!node || !params || node->type != cudaGraphNodeType##Kind)                                                 \
            return cudaErrorInvalidValue;                                                                              \
        *params = node->field;                                                                                         \
        return cudaSuccess;                                                                                            \
    }                                                                                                                  \
    cudaError_t Name(cudaGraphNode_t node, Params *params)                                                             \
    {                                                                                                                  \
        RUNTIME_CALL(get_##field(node, params));                                                                       \
    }
#define NODE_SET(Kind, field, Params)                                                                                  \
    static cudaError_t set_##field(cudaGraphNode_t node, const Params *params)                                         \
    {                                                                                                                  \
        if (!node || !params || node->type != cudaGraphNodeType##Kind)                                                 \
            return cudaErrorInvalidValue;                                                                              \
        node->field = *params;                                                                                         \
        return cudaSuccess;                                                                                            \
    }                                                                                                                  \
    cudaError_t cudaGraph##Kind##NodeSetParams(cudaGraphNode_t node, const Params *params)                             \
    {                                                                                                                  \
        RUNTIME_CALL(set_##field(node, params));                                                                       \
    }
NODE_GET(cudaGraphKernelNodeGetParams, Kernel, kernel, struct cudaKernelNodeParams)
NODE_GET(cudaGraphMemcpyNodeGetParams, Memcpy, copy, struct cudaMemcpy3DParms)
NODE_SET(Memcpy, copy, struct cudaMemcpy3DParms)
NODE_GET(cudaGraphMemsetNodeGetParams, Memset, fill, struct cudaMemsetParams)
NODE_SET(Memset, fill, struct cudaMemsetParams)
NODE_GET(cudaGraphHostNodeGetParams, Host, host, struct cudaHostNodeParams)
NODE_SET(Host, host, struct cudaHostNodeParams)
NODE_GET(cudaGraphChildGraphNodeGetGraph, Graph, child, cudaGraph_t)

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    RUNTIME_CALL(node && node->type == cudaGraphNodeTypeKernel ? node_set_kernel(rt, node, params)
                                                               : cudaErrorInvalidValue);
}

static cudaError_t type_of(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    if (!node || !type)
        return cudaErrorInvalidValue;
    *type = node->type;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    RUNTIME_CALL(type_of(node, type));
}

/* ---- nodes and edges of a graph: without room for them, only how many there are ---- */

static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots)
{
    size_t room = nodes && count ? *count : 0, n = 0;
    if (!graph || !count)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (roots && graph->nodes.items[i]->needs.count)
            continue;
        if (n < room)
            nodes[n] = graph->nodes.items[i];
        n++;
    }
    for (size_t i = n; i < room; i++)
        nodes[i] = NULL;
    *count = nodes && room < n ? room : n;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    RUNTIME_CALL(list_nodes(graph, nodes, count, false));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    RUNTIME_CALL(list_nodes(graph, nodes, count, true));
}

/* True in the library for programs built by CUDA 12, whose calls about edges lack the argument of their data. */
bool graph_is_12(void)
{
    static const char here;
    Dl_info info;
    return dladdr(&here, &info) && info.dli_fname && strstr(info.dli_fname, "libcudart.so.12");
}

static cudaError_t list_edges(cudaGraph_t graph, cudaGraphNode_t only, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *count)
{
    if (!graph || !count)
        return cudaErrorInvalidValue;
    size_t room = from || to ? *count : 0, n = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cudaGraphNode_t node = graph->nodes.items[i];
        for (size_t k = 0; (!only || node == only) && k < node->needs.count; k++, n++) {
            if (n >= room)
                continue;
            if (from)
                from[n] = node->needs.items[k];
            if (to)
                to[n] = node;
            if (edges)
                edges[n] = (cudaGraphEdgeData){0};
        }
    }
    *count = room && room < n ? room : n;
    return cudaSuccess;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *count)
{
    RUNTIME_CALL(graph_is_12() ? list_edges(graph, NULL, from, to, NULL, (size_t *)(void *)edges)
                         : list_edges(graph, NULL, from, to, edges, count));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                         size_t *count)
{
    cudaGraph_t graph = node ? node->graph : NULL;
    RUNTIME_CALL(graph_is_12() ? list_edges(graph, node, nodes, NULL, NULL, (size_t *)(void *)edges)
                         : list_edges(graph, node, nodes, NULL, edges, count));
}

static cudaError_t depend(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    if (!graph || (count && (!from || !to)))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (!from[i] || !to[i] || from[i]->graph != graph || to[i]->graph != graph)
            return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        vec_push(&to[i]->needs, from[i]);
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges, size_t count)
{
    RUNTIME_CALL(depend(graph, from, to, graph_is_12() ? (size_t)(uintptr_t)edges : count));
}

/* The names by which CUDA 12's headers call those with edge data. */
#pragma GCC visibility push(default)
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                                 size_t *count);
cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                            size_t *count);
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count);
#pragma GCC visibility pop

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                                 size_t *count)
{
    RUNTIME_CALL(list_edges(graph, NULL, from, to, edges, count));
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                            size_t *count)
{
    cudaGraph_t graph = node ? node->graph : NULL;
    RUNTIME_CALL(list_edges(graph, node, nodes, NULL, edges, count));
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count)
{
    (void)edges;
    RUNTIME_CALL(depend(graph, from, to, count));
}

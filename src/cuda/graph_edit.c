/* Graphs that are changed after they were made, and shown: nodes and edges that go, other events and copies for nodes,
 * a picture for Graphviz. */
#include <string.h>

#include "base/file.h"
#include "base/file.h"
#include "cuda/graph.h"

static cudaError_t destroy_node(struct runtime *rt, cudaGraphNode_t node)
{
    if (!node)
        return cudaErrorInvalidValue;
    if (node->type == cudaGraphNodeTypeMemAlloc || node->type == cudaGraphNodeTypeMemFree)
        return runtime_refuse(rt, cudaErrorNotSupported, "nodes that allocate or free memory stay in their graph");
    graph_remove(node);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    RUNTIME_CALL(destroy_node(rt, node));
}

/* ---- edges ---- */

static bool part(cudaGraphNode_t from, cudaGraphNode_t to)
{
    for (size_t i = 0; i < to->needs.count; i++)
        if (to->needs.items[i] == from) {
            to->needs.items[i] = to->needs.items[--to->needs.count];
            return true;
        }
    return false;
}

static cudaError_t remove_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    if (!graph || (count && (!from || !to)))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (!from[i] || !to[i] || to[i]->graph != graph || !part(from[i], to[i]))
            return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count)
{
    RUNTIME_CALL(remove_edges(graph, from, to, graph_is_12() ? (size_t)(uintptr_t)edges : count));
}

static bool needs_node(cudaGraphNode_t node, cudaGraphNode_t other)
{
    for (size_t i = 0; i < node->needs.count; i++)
        if (node->needs.items[i] == other)
            return true;
    return false;
}

static cudaError_t list_dependents(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                   size_t *count)
{
    if (!node || !count)
        return cudaErrorInvalidValue;
    size_t room = nodes ? *count : 0, n = 0;
    for (size_t i = 0; i < node->graph->nodes.count; i++) {
        if (!needs_node(node->graph->nodes.items[i], node))
            continue;
        if (n < room) {
            nodes[n] = node->graph->nodes.items[i];
            if (edges)
                edges[n] = (cudaGraphEdgeData){0};
        }
        n++;
    }
    *count = nodes && room < n ? room : n;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                           size_t *count)
{
    RUNTIME_CALL(graph_is_12() ? list_dependents(node, nodes, NULL, (size_t *)(void *)edges)
                               : list_dependents(node, nodes, edges, count));
}

/* Of CUDA 12, with edge data. */
#pragma GCC visibility push(default)
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edges, size_t count);
cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                              size_t *count);
#pragma GCC visibility pop

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edges, size_t count)
{
    (void)edges;
    RUNTIME_CALL(remove_edges(graph, from, to, count));
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                              size_t *count)
{
    RUNTIME_CALL(list_dependents(node, nodes, edges, count));
}

/* ---- what nodes do ---- */

static cudaError_t get_event(cudaGraphNode_t node, enum cudaGraphNodeType type, cudaEvent_t *event)
{
    if (!node || node->type != type || !event)
        return cudaErrorInvalidValue;
    *event = node->event;
    return cudaSuccess;
}

static cudaError_t set_event(struct runtime *rt, cudaGraphNode_t node, enum cudaGraphNodeType type, cudaEvent_t event)
{
    if (!node || node->type != type)
        return cudaErrorInvalidValue;
    cudaError_t error = event_check(rt, event);
    if (!error)
        node->event = event;
    return error;
}

#define EVENT_NODES(Name, Type)                                                                                        \
    cudaError_t cudaGraph##Name##NodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)                                \
    {                                                                                                                  \
        RUNTIME_CALL(get_event(node, cudaGraphNodeType##Type, event));                                                 \
    }                                                                                                                  \
    cudaError_t cudaGraph##Name##NodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)                                 \
    {                                                                                                                  \
        RUNTIME_CALL(set_event(rt, node, cudaGraphNodeType##Type, event));                                             \
    }                                                                                                                  \
    cudaError_t cudaGraphExec##Name##NodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)       \
    {                                                                                                                  \
        RUNTIME_CALL(                                                                                                  \
            set_event(rt, graph_copy_of(exec, node, cudaGraphNodeType##Type), cudaGraphNodeType##Type, event));        \
    }
EVENT_NODES(EventRecord, EventRecord)
EVENT_NODES(EventWait, WaitEvent)

static cudaError_t set_copy(cudaGraphNode_t node, const struct cudaMemcpy3DParms *copy)
{
    if (!node || node->type != cudaGraphNodeTypeMemcpy)
        return cudaErrorInvalidValue;
    node->copy = *copy;
    return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes,
                                           enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms copy = graph_copy_1d(to, from, bytes, kind);
    RUNTIME_CALL(set_copy(node, &copy));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from,
                                               size_t bytes, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms copy = graph_copy_1d(to, from, bytes, kind);
    RUNTIME_CALL(set_copy(graph_copy_of(exec, node, cudaGraphNodeTypeMemcpy), &copy));
}

static cudaError_t set_child(cudaGraphNode_t node, cudaGraph_t child)
{
    if (!node || !child || node->child->nodes.count != child->nodes.count)
        return cudaErrorInvalidValue;
    const struct CUgraphNode_st like = {.type = cudaGraphNodeTypeGraph, .child = child};
    node_assign(node, &like);
    return cudaSuccess;
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
    RUNTIME_CALL(set_child(graph_copy_of(exec, node, cudaGraphNodeTypeGraph), child));
}

/* ---- pictures ---- */

static const char *name_of(const struct runtime *rt, const struct CUgraphNode_st *node)
{
    static const char *const names[] = {"kernel", "copy",  "fill",           "host function",
                                        "graph",  "empty", "wait for event", "record event"};
    if (node->type == cudaGraphNodeTypeKernel) {
        const struct kernel *kernel = kernel_lookup(rt, node->kernel.func);
        return kernel ? kernel->shown : "kernel";
    }
    return node->type == cudaGraphNodeTypeMemAlloc  ? "allocate"
           : node->type == cudaGraphNodeTypeMemFree ? "free"
           : node->type == cudaGraphNodeTypeConditional
               ? (node->condition.type == cudaGraphCondTypeWhile ? "while" : "if")
               : names[node->type];
}

/* Nodes by their number in the graph: addresses differ from run to run. */
static void draw(const struct runtime *rt, cudaGraph_t graph, struct strbuf *out)
{
    strbuf_add(out, "digraph graph_ {\n");
    for (size_t i = 0; i < graph->nodes.count; i++)
        graph->nodes.items[i]->mark = (unsigned)i;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct CUgraphNode_st *node = graph->nodes.items[i];
        strbuf_addf(out, "    node%zu [label=\"%zu: %s\"];\n", i, i, name_of(rt, node));
        for (size_t k = 0; k < node->needs.count; k++)
            strbuf_addf(out, "    node%u -> node%zu;\n", node->needs.items[k]->mark, i);
    }
    strbuf_add(out, "}\n");
}

static cudaError_t print_graph(struct runtime *rt, cudaGraph_t graph, const char *path)
{
    struct strbuf text = {0};
    if (!graph || !path)
        return runtime_refuse(rt, cudaErrorInvalidValue, "a graph and the path of a file are needed");
    draw(rt, graph, &text);
    int lost = file_store(path, text.text, text.length, 0666);
    strbuf_free(&text);
    return lost ? runtime_refuse(rt, cudaErrorOperatingSystem, "the file cannot be written") : cudaSuccess;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    (void)flags;
    RUNTIME_CALL(print_graph(rt, graph, path));
}

/* Conditional nodes of graphs. A condition is a word of device memory, and its handle the word's address: a kernel sets
 * it by a store (cudaGraphSetConditional). A launch of the graph waits for what comes before the node, reads the word
 * on the host and gives the stream what the node's body does, as often as the word says. So reading takes no simulated
 * time, and kernels behind the node do not begin before it. */
#include <stdlib.h>

#include "cuda/graph.h"

static cudaError_t create_handle(struct runtime *rt, cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                 unsigned value, unsigned flags)
{
    struct graph_memory *word;
    if (!handle || !graph || flags & ~(unsigned)cudaGraphCondAssignDefault)
        return cudaErrorInvalidValue;
    cudaError_t error = runtime_ready(rt);
    error = error ? error : graph_memory_make(rt, sizeof value, &word);
    if (error)
        return error;
    word->is_condition = true;
    word->assigns = flags & cudaGraphCondAssignDefault;
    word->value = value;
    vec_push(&graph->conditions, word);
    *handle = word->start;
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int value,
                                             unsigned int flags)
{
    RUNTIME_CALL(create_handle(rt, handle, graph, value, flags));
}

static bool has_size(const struct cudaConditionalNodeParams *params)
{
    switch (params->type) {
    case cudaGraphCondTypeIf:
        return params->size == 1 || params->size == 2;
    case cudaGraphCondTypeWhile:
        return params->size == 1;
    case cudaGraphCondTypeSwitch:
        return params->size > 0;
    }
    return false;
}

static cudaError_t add(struct runtime *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                       size_t count, struct cudaConditionalNodeParams *params)
{
    if (!node || !graph || (count && !needs))
        return cudaErrorInvalidValue;
    struct graph_memory *word = params->handle ? graph_memory_at(rt, params->handle) : NULL;
    if (!word || !word->is_condition)
        return runtime_refuse(rt, cudaErrorInvalidValue, "the handle is none of cudaGraphConditionalHandleCreate");
    if (!has_size(params))
        return runtime_refuse(rt, cudaErrorInvalidValue, "a condition of this type does not have %u graphs",
                              params->size);
    *node = graph_add(graph, cudaGraphNodeTypeConditional, needs, count);
    if (!*node)
        return cudaErrorInvalidValue;
    struct graph_condition *c = &(*node)->condition;
    *c = (struct graph_condition){.word = word, .type = params->type, .size = params->size};
    c->bodies = base_calloc(c->size, sizeof(cudaGraph_t));
    for (unsigned i = 0; i < c->size; i++)
        c->bodies[i] = base_calloc(1, sizeof **c->bodies);
    word->nodes++;
    params->phGraph_out = c->bodies;
    return cudaSuccess;
}

cudaError_t graph_condition_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                                struct cudaConditionalNodeParams *params)
{
    RUNTIME_CALL(add(rt, node, graph, needs, count, params));
}

void graph_condition_assign(struct graph_condition *to, const struct graph_condition *from)
{
    *to = *from;
    to->bodies = base_calloc(from->size, sizeof(cudaGraph_t));
    for (unsigned i = 0; i < from->size; i++)
        to->bodies[i] = graph_clone(from->bodies[i]);
    to->word->nodes++;
}

void graph_condition_free(struct graph_condition *condition)
{
    for (unsigned i = 0; i < condition->size; i++)
        graph_free(condition->bodies[i]);
    free(condition->bodies);
    if (condition->word) /* NULL: of a node that is just being made */
        graph_memory_left(condition->word);
}

cudaError_t graph_conditions_begin(cudaGraph_t graph, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < graph->nodes.count && !error; i++) {
        const struct CUgraphNode_st *node = graph->nodes.items[i];
        if (node->type == cudaGraphNodeTypeGraph)
            error = graph_conditions_begin(node->child, stream);
        if (node->type != cudaGraphNodeTypeConditional)
            continue;
        const struct graph_condition *c = &node->condition;
        if (c->word->assigns)
            error = cudaMemcpyAsync((void *)(uintptr_t)c->word->start, &c->word->value, sizeof c->word->value,
                                    cudaMemcpyHostToDevice, stream);
        for (unsigned k = 0; k < c->size && !error; k++)
            error = graph_conditions_begin(c->bodies[k], stream);
    }
    return error;
}

cudaError_t graph_condition_read(const struct graph_condition *condition, cudaStream_t stream, unsigned *value)
{
    cudaError_t error = cudaMemcpyAsync(value, (const void *)(uintptr_t)condition->word->start, sizeof *value,
                                        cudaMemcpyDeviceToHost, stream);
    return error ? error : cudaStreamSynchronize(stream);
}

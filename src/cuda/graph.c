/* Graphs as such: their nodes and edges, copies of them, an order to do them in. */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

static bool has_node(cudaGraph_t graph, cudaGraphNode_t node)
{
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (graph->nodes.items[i] == node)
            return true;
    return false;
}

cudaGraphNode_t graph_add(cudaGraph_t graph, enum cudaGraphNodeType type, const cudaGraphNode_t *needs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!has_node(graph, needs[i]))
            return NULL;
    cudaGraphNode_t node = base_calloc(1, sizeof *node);
    node->graph = graph;
    node->type = type;
    for (size_t i = 0; i < count; i++)
        vec_push(&node->needs, needs[i]);
    vec_push(&graph->nodes, node);
    return node;
}

static void free_work(cudaGraphNode_t node)
{
    if (node->type == cudaGraphNodeTypeKernel)
        free(node->kernel.kernelParams);
    else if (node->type == cudaGraphNodeTypeGraph)
        graph_free(node->child);
    else if (node->type == cudaGraphNodeTypeConditional)
        graph_condition_free(&node->condition);
    else if ((node->type == cudaGraphNodeTypeMemAlloc || node->type == cudaGraphNodeTypeMemFree) && node->memory)
        graph_memory_left(node->memory);
    free(node->values);
}

void graph_free(cudaGraph_t graph)
{
    for (size_t i = 0; graph && i < graph->nodes.count; i++) {
        cudaGraphNode_t node = graph->nodes.items[i];
        free_work(node);
        vec_free(&node->needs);
        free(node);
    }
    for (size_t i = 0; graph && i < graph->conditions.count; i++)
        graph_memory_left(graph->conditions.items[i]);
    if (graph) {
        vec_free(&graph->nodes);
        vec_free(&graph->conditions);
    }
    free(graph);
}

/* Arguments lie in one block, and the pointers to them in another. */
static void copy_arguments(cudaGraphNode_t to, const struct CUgraphNode_st *from)
{
    size_t count = 0, bytes = 0;
    while (from->kernel.kernelParams[count])
        count++;
    memcpy(&bytes, from->values, sizeof bytes);
    to->values = base_calloc(1, bytes);
    memcpy(to->values, from->values, bytes);
    to->kernel.kernelParams = base_calloc(count + 1, sizeof(void *));
    for (size_t i = 0; i < count; i++)
        to->kernel.kernelParams[i] = to->values + ((uint8_t *)from->kernel.kernelParams[i] - from->values);
}

void node_assign(cudaGraphNode_t to, const struct CUgraphNode_st *from)
{
    struct CUgraphNode_st old = *to;
    to->cooperative = from->cooperative;
    to->cluster = from->cluster;
    to->early = from->early;
    to->values = NULL;
    switch (from->type) {
    case cudaGraphNodeTypeKernel:
        to->kernel = from->kernel;
        copy_arguments(to, from);
        break;
    case cudaGraphNodeTypeMemcpy:
        to->copy = from->copy;
        break;
    case cudaGraphNodeTypeMemset:
        to->fill = from->fill;
        break;
    case cudaGraphNodeTypeHost:
        to->host = from->host;
        break;
    case cudaGraphNodeTypeGraph:
        to->child = graph_clone(from->child);
        break;
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord:
        to->event = from->event;
        break;
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
        to->memory = from->memory;
        to->memory->nodes++;
        break;
    case cudaGraphNodeTypeConditional:
        graph_condition_assign(&to->condition, &from->condition);
        break;
    case cudaGraphNodeTypeEmpty:
        break;
    }
    free_work(&old);
}

void graph_remove(cudaGraphNode_t node)
{
    cudaGraph_t graph = node->graph;
    size_t kept = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cudaGraphNode_t other = graph->nodes.items[i];
        for (size_t k = 0; k < other->needs.count;)
            if (other->needs.items[k] == node)
                other->needs.items[k] = other->needs.items[--other->needs.count];
            else
                k++;
        if (other != node)
            graph->nodes.items[kept++] = other;
    }
    graph->nodes.count = kept;
    free_work(node);
    vec_free(&node->needs);
    free(node);
}

static size_t index_of(cudaGraph_t graph, cudaGraphNode_t node)
{
    size_t i = 0;
    while (graph->nodes.items[i] != node)
        i++;
    return i;
}

cudaGraph_t graph_clone(cudaGraph_t graph)
{
    cudaGraph_t clone = base_calloc(1, sizeof *clone);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cudaGraphNode_t from = graph->nodes.items[i], to = graph_add(clone, from->type, NULL, 0);
        to->original = from;
        node_assign(to, from);
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cudaGraphNode_t from = graph->nodes.items[i], to = clone->nodes.items[i];
        for (size_t k = 0; k < from->needs.count; k++)
            vec_push(&to->needs, clone->nodes.items[index_of(graph, from->needs.items[k])]);
    }
    return clone;
}

static bool is_ready(const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->needs.count; i++)
        if (!node->needs.items[i]->mark)
            return false;
    return true;
}

cudaGraphNode_t *graph_order(cudaGraph_t graph)
{
    size_t count = graph->nodes.count, done = 0, before;
    cudaGraphNode_t *order = base_calloc(count + 1, sizeof(cudaGraphNode_t));
    for (size_t i = 0; i < count; i++)
        graph->nodes.items[i]->mark = 0;
    do {
        before = done;
        for (size_t i = 0; i < count; i++) {
            cudaGraphNode_t node = graph->nodes.items[i];
            if (!node->mark && is_ready(node)) {
                node->mark = 1;
                order[done++] = node;
            }
        }
    } while (done > before && done < count);
    if (done == count)
        return order;
    free(order);
    return NULL;
}

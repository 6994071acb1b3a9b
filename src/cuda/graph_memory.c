/* Nodes of graphs that allocate and free memory: see struct graph_memory. */
#include <stdlib.h>

#include "cuda/graph.h"

void graph_memory_left(struct graph_memory *memory)
{
    if (!--memory->nodes && !memory->start)
        free(memory);
}

static void measure(const struct runtime *rt, uint64_t *used, uint64_t *reserved)
{
    *used = *reserved = 0;
    for (size_t i = 0; i < rt->graph_memories.count; i++) {
        const struct graph_memory *memory = rt->graph_memories.items[i];
        *reserved += memory->bytes;
        *used += memory->live ? memory->bytes : 0;
    }
}

static void note_high(struct runtime *rt)
{
    uint64_t now[2];
    measure(rt, &now[0], &now[1]);
    for (unsigned i = 0; i < 2; i++)
        rt->graph_memory_high[i] = now[i] > rt->graph_memory_high[i] ? now[i] : rt->graph_memory_high[i];
}

struct graph_memory *graph_memory_at(const struct runtime *rt, uint64_t start)
{
    for (size_t i = 0; i < rt->graph_memories.count; i++)
        if (rt->graph_memories.items[i]->start == start)
            return rt->graph_memories.items[i];
    return NULL;
}

cudaError_t graph_memory_make(struct runtime *rt, size_t bytes, struct graph_memory **memory)
{
    void *pointer = NULL;
    cudaError_t error = memory_allocate(rt, &pointer, bytes);
    if (error)
        return error;
    *memory = base_calloc(1, sizeof **memory);
    **memory = (struct graph_memory){
        .start = (uintptr_t)pointer,
        .bytes = bytes,
        .nodes = 1,
        .params = {.poolProps = {.allocType = cudaMemAllocationTypePinned, .location = {cudaMemLocationTypeDevice, 0}},
                   .bytesize = bytes,
                   .dptr = pointer}};
    vec_push(&rt->graph_memories, *memory);
    note_high(rt);
    return cudaSuccess;
}

cudaError_t graph_memory_take(struct runtime *rt, struct graph_memory *memory, bool again)
{
    if (memory->live && !again)
        return runtime_refuse(rt, cudaErrorInvalidValue,
                              "what the last launch of the graph has allocated was not freed");
    memory->live = true;
    note_high(rt);
    return cudaSuccess;
}

cudaError_t graph_memory_give(struct runtime *rt, struct graph_memory *memory)
{
    if (!memory->live)
        return runtime_refuse(rt, cudaErrorInvalidValue, "the graph frees what is not allocated");
    memory->live = false;
    return cudaSuccess;
}

bool graph_memory_freed(struct runtime *rt, uint64_t start, cudaError_t *error)
{
    struct graph_memory *memory = graph_memory_at(rt, start);
    if (!memory)
        return false;
    *error = graph_memory_give(rt, memory);
    *error = *error ? *error : graph_memory_sweep(rt);
    return true;
}

cudaError_t graph_memory_sweep(struct runtime *rt)
{
    for (size_t i = 0; i < rt->graph_memories.count;) {
        struct graph_memory *memory = rt->graph_memories.items[i];
        if (memory->nodes || memory->live) {
            i++;
            continue;
        }
        cudaError_t error = flight_wait(rt);
        error = error ? error : replay_call(rt, memory->start, 0, 0);
        if (error)
            return error;
        gpu_free(rt->gpu, memory->start);
        rt->graph_memories.items[i] = rt->graph_memories.items[--rt->graph_memories.count];
        free(memory);
    }
    return cudaSuccess;
}

/* Nodes that outlive the device have none of its memory any more: the record goes with the last of them. */
void graph_memory_forget(struct runtime *rt)
{
    for (size_t i = 0; i < rt->graph_memories.count; i++) {
        struct graph_memory *memory = rt->graph_memories.items[i];
        memory->start = 0;
        if (!memory->nodes)
            free(memory);
    }
    vec_free(&rt->graph_memories);
}

/* ---- nodes ---- */

static cudaError_t add_node(struct runtime *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                            size_t count, enum cudaGraphNodeType type, struct graph_memory *memory)
{
    *node = graph_add(graph, type, needs, count);
    if (!*node)
        return runtime_refuse(rt, cudaErrorInvalidValue, "what it is to come after is no node of the graph");
    (*node)->memory = memory;
    return cudaSuccess;
}

static cudaError_t add_allocation(struct runtime *rt, cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *needs, size_t count, struct cudaMemAllocNodeParams *params)
{
    struct graph_memory *memory;
    if (!node || !graph || (count && !needs) || !params || !params->bytesize)
        return cudaErrorInvalidValue;
    if (params->poolProps.allocType != cudaMemAllocationTypePinned ||
        params->poolProps.location.type != cudaMemLocationTypeDevice || params->poolProps.location.id)
        return runtime_refuse(rt, cudaErrorInvalidValue, "a node allocates the device's own memory");
    cudaError_t error = graph_memory_make(rt, params->bytesize, &memory);
    if (error)
        return error;
    error = add_node(rt, node, graph, needs, count, cudaGraphNodeTypeMemAlloc, memory);
    memory->nodes -= error != cudaSuccess;
    if (!error)
        params->dptr = memory->params.dptr;
    return error;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     size_t count, struct cudaMemAllocNodeParams *params)
{
    RUNTIME_CALL(add_allocation(rt, node, graph, dependencies, count, params));
}

static cudaError_t add_free(struct runtime *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                            size_t count, const void *pointer)
{
    struct graph_memory *memory = graph_memory_at(rt, (uintptr_t)pointer);
    if (!node || !graph || (count && !needs) || !memory)
        return memory ? cudaErrorInvalidValue
                      : runtime_refuse(rt, cudaErrorInvalidValue, "a graph frees what a graph has allocated");
    cudaError_t error = add_node(rt, node, graph, needs, count, cudaGraphNodeTypeMemFree, memory);
    memory->nodes += !error;
    return error;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                    size_t count, void *pointer)
{
    RUNTIME_CALL(add_free(rt, node, graph, dependencies, count, pointer));
}

static cudaError_t allocation_of(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params)
{
    if (!node || !params || node->type != cudaGraphNodeTypeMemAlloc)
        return cudaErrorInvalidValue;
    *params = node->memory->params;
    return cudaSuccess;
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params)
{
    RUNTIME_CALL(allocation_of(node, params));
}

static cudaError_t freed_by(cudaGraphNode_t node, void **pointer)
{
    if (!node || !pointer || node->type != cudaGraphNodeTypeMemFree)
        return cudaErrorInvalidValue;
    *pointer = node->memory->params.dptr;
    return cudaSuccess;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer)
{
    RUNTIME_CALL(freed_by(node, pointer));
}

/* ---- the device's books ---- */

static cudaError_t attribute(struct runtime *rt, int device, enum cudaGraphMemAttributeType which, uint64_t *value)
{
    uint64_t now[2];
    if (device || !value || (unsigned)which > cudaGraphMemAttrReservedMemHigh)
        return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    measure(rt, &now[0], &now[1]);
    *value = which & 1 ? rt->graph_memory_high[which / 2] : now[which / 2];
    return cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    RUNTIME_CALL(attribute(rt, device, attr, value));
}

static cudaError_t set_back(struct runtime *rt, int device, enum cudaGraphMemAttributeType which, const uint64_t *value)
{
    uint64_t now[2];
    bool high = which == cudaGraphMemAttrUsedMemHigh || which == cudaGraphMemAttrReservedMemHigh;
    if (device || !value || *value || !high)
        return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    measure(rt, &now[0], &now[1]);
    rt->graph_memory_high[which / 2] = now[which / 2];
    return cudaSuccess;
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    RUNTIME_CALL(set_back(rt, device, attr, value));
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    RUNTIME_CALL(device ? cudaErrorInvalidDevice : graph_memory_sweep(rt));
}

/* Stream capture: between cudaStreamBeginCapture and cudaStreamEndCapture the calls that are given to a stream become
 * nodes of a graph. Each node needs those before it in its stream; events that were recorded in a capture carry what
 * was before them to the streams that wait for them, which capture from then on, too. */
#include <stdlib.h>

#include "cuda/graph.h"

static struct CUstream_st *capturing_stream(const struct runtime *rt, cudaStream_t stream)
{
    for (size_t i = 0; rt->captures.count && i < rt->streams.count; i++)
        if (rt->streams.items[i] == stream)
            return stream->capture ? stream : NULL;
    return NULL;
}

/* Locks the runtime if the stream captures; else NULL. */
static struct runtime *lock_if_on(cudaStream_t stream)
{
    struct runtime *rt = runtime_lock();
    if (capturing_stream(rt, stream))
        return rt;
    pthread_mutex_unlock(&rt->lock);
    return NULL;
}

bool capture_is_on(cudaStream_t stream)
{
    struct runtime *rt = lock_if_on(stream);
    if (rt)
        pthread_mutex_unlock(&rt->lock);
    return rt != NULL;
}

/* The node for the next call of the stream. NULL with *error if the capture is invalid already. */
static cudaGraphNode_t next_node(cudaStream_t stream, enum cudaGraphNodeType type, cudaError_t *error)
{
    *error = stream->capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    if (*error)
        return NULL;
    cudaGraphNode_t node = graph_add(stream->capture->graph, type, stream->tail.items, stream->tail.count);
    stream->tail.count = 0;
    vec_push(&stream->tail, node);
    return node;
}

bool capture_kernel(const void *func, const struct call_configuration *c, void **args, cudaError_t *error)
{
    struct runtime *rt = lock_if_on(c->stream);
    if (!rt)
        return false;
    rt->entry = "a launch";
    struct cudaKernelNodeParams params = {(void *)(uintptr_t)func, c->grid, c->block, (unsigned)c->shared, args, NULL};
    cudaGraphNode_t node = next_node(c->stream, cudaGraphNodeTypeEmpty, error);
    if (node)
        *error = node_set_kernel(rt, node, &params);
    if (node && !*error) {
        node->type = cudaGraphNodeTypeKernel;
        node->cooperative = c->cooperative;
        node->cluster = c->cluster;
        node->early = c->early;
    } else
        c->stream->capture->invalid = true;
    runtime_unlock(rt, *error);
    return true;
}

/* Notes a call whose node keeps one value. */
#define CAPTURE(stream, kind, field, value, error)                                                                     \
    struct runtime *rt = lock_if_on(stream);                                                                           \
    if (!rt)                                                                                                           \
        return false;                                                                                                  \
    cudaGraphNode_t node = next_node((stream), cudaGraphNodeType##kind, (error));                                      \
    if (node)                                                                                                          \
        node->field = (value);                                                                                         \
    runtime_unlock(rt, *(error));                                                                                      \
    return true

bool capture_copy(cudaStream_t stream, const struct cudaMemcpy3DParms *params, cudaError_t *error)
{
    CAPTURE(stream, Memcpy, copy, *params, error);
}

bool capture_fill(cudaStream_t stream, const struct cudaMemsetParams *params, cudaError_t *error)
{
    CAPTURE(stream, Memset, fill, *params, error);
}

bool capture_host(cudaStream_t stream, cudaHostFn_t function, void *data, cudaError_t *error)
{
    const struct cudaHostNodeParams params = {function, data};
    CAPTURE(stream, Host, host, params, error);
}

bool capture_graph(cudaStream_t stream, cudaGraph_t graph, cudaError_t *error)
{
    CAPTURE(stream, Graph, child, graph_clone(graph), error);
}

/* A node that allocates or frees. */
static cudaError_t note_memory(cudaStream_t stream, enum cudaGraphNodeType type, struct graph_memory *memory)
{
    cudaError_t error;
    cudaGraphNode_t node = next_node(stream, type, &error);
    if (!node)
        return error;
    node->memory = memory;
    return cudaSuccess;
}

static cudaError_t allocate_in_capture(struct runtime *rt, cudaStream_t stream, void **pointer, size_t bytes)
{
    struct graph_memory *memory;
    cudaError_t error = pointer && bytes ? graph_memory_make(rt, bytes, &memory) : cudaErrorInvalidValue;
    if (error)
        return error;
    *pointer = (void *)(uintptr_t)memory->start;
    error = note_memory(stream, cudaGraphNodeTypeMemAlloc, memory);
    memory->nodes -= error != cudaSuccess;
    return error;
}

bool capture_allocate(cudaStream_t stream, void **pointer, size_t bytes, cudaError_t *error)
{
    struct runtime *rt = lock_if_on(stream);
    if (!rt)
        return false;
    rt->entry = "cudaMallocAsync";
    *error = runtime_unlock(rt, allocate_in_capture(rt, stream, pointer, bytes));
    return true;
}

static cudaError_t free_in_capture(struct runtime *rt, cudaStream_t stream, void *pointer)
{
    struct graph_memory *memory = graph_memory_at(rt, (uintptr_t)pointer);
    if (!memory)
        return runtime_refuse(rt, cudaErrorInvalidValue, "a graph frees what a graph has allocated");
    cudaError_t error = note_memory(stream, cudaGraphNodeTypeMemFree, memory);
    memory->nodes += !error;
    return error;
}

bool capture_free(cudaStream_t stream, void *pointer, cudaError_t *error)
{
    struct runtime *rt = lock_if_on(stream);
    if (!rt)
        return false;
    rt->entry = "cudaFreeAsync";
    *error = runtime_unlock(rt, free_in_capture(rt, stream, pointer));
    return true;
}

bool capture_record(cudaStream_t stream, cudaEvent_t event, cudaError_t *error)
{
    struct runtime *rt = lock_if_on(stream);
    if (!rt)
        return false;
    *error = event_check(rt, event);
    if (!*error) {
        event->capture = stream->capture;
        event->tail.count = 0;
        for (size_t i = 0; i < stream->tail.count; i++)
            vec_push(&event->tail, stream->tail.items[i]);
    }
    runtime_unlock(rt, *error);
    return true;
}

static bool has_node(const struct CUstream_st *stream, cudaGraphNode_t node)
{
    for (size_t i = 0; i < stream->tail.count; i++)
        if (stream->tail.items[i] == node)
            return true;
    return false;
}

static void add_to_tail(cudaStream_t stream, const cudaGraphNode_t *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!has_node(stream, nodes[i]))
            vec_push(&stream->tail, nodes[i]);
}

static cudaError_t join(struct runtime *rt, cudaStream_t stream, cudaEvent_t event)
{
    cudaError_t error = stream_check(rt, stream);
    if (error)
        return error;
    if (stream_is_default(stream))
        return runtime_refuse(rt, cudaErrorStreamCaptureImplicit, "a default stream cannot join a capture");
    if (stream->capture && stream->capture != event->capture) {
        stream->capture->invalid = true;
        return cudaErrorStreamCaptureMerge;
    }
    if (!stream->capture)
        stream->tail.count = 0;
    stream->capture = event->capture;
    add_to_tail(stream, event->tail.items, event->tail.count);
    return cudaSuccess;
}

bool capture_wait(cudaStream_t stream, cudaEvent_t event, cudaError_t *error)
{
    struct runtime *rt = runtime_lock();
    bool on = rt->captures.count && capturing_stream(rt, stream);
    if (!rt->captures.count || (*error = event_check(rt, event)) != cudaSuccess || (!event->capture && !on)) {
        pthread_mutex_unlock(&rt->lock);
        return false;
    }
    if (event->capture)
        *error = join(rt, stream, event);
    else if (event->recorded) {
        stream->capture->invalid = true;
        *error = runtime_refuse(rt, cudaErrorStreamCaptureIsolation, "the event was recorded before the capture");
    }
    runtime_unlock(rt, *error);
    return true;
}

bool capture_refuses(cudaStream_t stream, cudaError_t *error)
{
    struct runtime *rt = lock_if_on(stream);
    if (!rt)
        return false;
    stream->capture->invalid = true;
    rt->entry = "a call";
    *error = runtime_unlock(rt, runtime_refuse(rt, cudaErrorStreamCaptureUnsupported,
                                               "the stream is being captured, and this cannot be part of a graph"));
    return true;
}

/* ---- begin and end ---- */

static cudaError_t check_begin(struct runtime *rt, cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    cudaError_t error = stream_check(rt, stream);
    if (error || (unsigned)mode > cudaStreamCaptureModeRelaxed)
        return error ? error : cudaErrorInvalidValue;
    if (stream_is_default(stream))
        return runtime_refuse(rt, cudaErrorStreamCaptureUnsupported, "a default stream cannot be captured");
    if (stream->capture)
        return runtime_refuse(rt, cudaErrorIllegalState, "the stream is being captured already");
    return cudaSuccess;
}

static void begin(struct runtime *rt, cudaStream_t stream, cudaGraph_t graph, bool borrowed)
{
    struct capture *capture = base_calloc(1, sizeof *capture);
    *capture = (struct capture){.graph = graph, .origin = stream, .id = ++rt->next_capture, .borrowed = borrowed};
    vec_push(&rt->captures, capture);
    stream->capture = capture;
    stream->tail.count = 0;
}

static cudaError_t begin_anew(struct runtime *rt, cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    cudaError_t error = check_begin(rt, stream, mode);
    if (!error)
        begin(rt, stream, base_calloc(1, sizeof(struct CUgraph_st)), false);
    return error;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    RUNTIME_CALL(begin_anew(rt, stream, mode));
}
ALSO_PER_THREAD(cudaStreamBeginCapture, ptsz);

/* All of these are nodes of the graph. */
static bool are_of(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!nodes || !nodes[i] || nodes[i]->graph != graph)
            return false;
    return true;
}

static cudaError_t begin_in(struct runtime *rt, cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *needs,
                            size_t count, enum cudaStreamCaptureMode mode)
{
    cudaError_t error = graph && are_of(graph, needs, count) ? check_begin(rt, stream, mode) : cudaErrorInvalidValue;
    if (error)
        return error;
    for (size_t i = 0; i < graph->nodes.count; i++)
        graph->nodes.items[i]->let_go = true;
    begin(rt, stream, graph, true);
    add_to_tail(stream, needs, count);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                          const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode)
{
    (void)edges;
    RUNTIME_CALL(begin_in(rt, stream, graph, needs, count, mode));
}
ALSO_PER_THREAD(cudaStreamBeginCaptureToGraph, ptsz);

/* Sets or adds to the nodes that the stream's next node needs. A node that is taken from them here need not be joined
 * again before the capture ends. */
static cudaError_t update(struct runtime *rt, cudaStream_t stream, const cudaGraphNode_t *needs, size_t count,
                          unsigned flags)
{
    cudaError_t error = stream_check(rt, stream);
    if (error)
        return error;
    if (!capturing_stream(rt, stream))
        return runtime_refuse(rt, cudaErrorIllegalState, "the stream is not being captured");
    if (stream->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (!are_of(stream->capture->graph, needs, count) || flags > cudaStreamSetCaptureDependencies)
        return cudaErrorInvalidValue;
    if (flags == cudaStreamSetCaptureDependencies) {
        for (size_t i = 0; i < stream->tail.count; i++)
            stream->tail.items[i]->let_go = true;
        stream->tail.count = 0;
    }
    add_to_tail(stream, needs, count);
    return cudaSuccess;
}

/* In CUDA 12 this function has no `edges`: the arguments behind it stand one place further up. */
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *needs,
                                                const cudaGraphEdgeData *edges, size_t count, unsigned flags)
{
    const bool is_12 = graph_is_12();
    const size_t own_count = is_12 ? (size_t)(uintptr_t)edges : count;
    RUNTIME_CALL(update(rt, stream, needs, own_count, is_12 ? (unsigned)count : flags));
}
ALSO_PER_THREAD(cudaStreamUpdateCaptureDependencies, ptsz);

#pragma GCC visibility push(default)
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *needs,
                                                   const cudaGraphEdgeData *edges, size_t count, unsigned flags);
#pragma GCC visibility pop
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *needs,
                                                   const cudaGraphEdgeData *edges, size_t count, unsigned flags)
{
    (void)edges;
    RUNTIME_CALL(update(rt, stream, needs, count, flags));
}
ALSO_PER_THREAD(cudaStreamUpdateCaptureDependencies_v2, ptsz);

/* All nodes come before what the stream would do next. */
static bool is_joined(const struct capture *capture)
{
    const struct CUstream_st *origin = capture->origin;
    cudaGraph_t graph = capture->graph;
    for (size_t i = 0; i < graph->nodes.count; i++)
        graph->nodes.items[i]->mark = graph->nodes.items[i]->let_go;
    for (size_t i = 0; i < origin->tail.count; i++)
        origin->tail.items[i]->mark = 1;
    for (size_t i = graph->nodes.count; i-- > 0;) { /* a node is made after those that it needs */
        cudaGraphNode_t node = graph->nodes.items[i];
        if (!node->mark)
            return false;
        for (size_t k = 0; k < node->needs.count; k++)
            node->needs.items[k]->mark = 1;
    }
    return true;
}

static void forget(struct runtime *rt, struct capture *capture)
{
    for (size_t i = 0; i < rt->streams.count; i++)
        if (rt->streams.items[i]->capture == capture) {
            rt->streams.items[i]->capture = NULL;
            vec_free(&rt->streams.items[i]->tail);
        }
    for (size_t i = 0; i < rt->events.count; i++)
        if (rt->events.items[i]->capture == capture) {
            rt->events.items[i]->capture = NULL;
            vec_free(&rt->events.items[i]->tail);
        }
    for (size_t i = 0; i < rt->captures.count; i++)
        if (rt->captures.items[i] == capture)
            rt->captures.items[i] = rt->captures.items[--rt->captures.count];
    free(capture);
}

static cudaError_t end(struct runtime *rt, cudaStream_t stream, cudaGraph_t *graph)
{
    cudaError_t error = stream_check(rt, stream);
    if (error)
        return error;
    struct CUstream_st *on = capturing_stream(rt, stream);
    if (!graph && !(on && on->capture->borrowed)) /* nobody else would have the graph */
        return cudaErrorInvalidValue;
    if (graph)
        *graph = NULL;
    if (!on)
        return runtime_refuse(rt, cudaErrorIllegalState, "the stream is not being captured");
    struct capture *capture = on->capture;
    if (capture->origin != stream)
        error = cudaErrorStreamCaptureUnmatched;
    else if (capture->invalid)
        error = cudaErrorStreamCaptureInvalidated;
    else if (!is_joined(capture))
        error = runtime_refuse(rt, cudaErrorStreamCaptureUnjoined, "a stream that joined was not waited for");
    if (error == cudaErrorStreamCaptureUnmatched) {
        capture->invalid = true;
        return error;
    }
    if (!error && graph)
        *graph = capture->graph;
    else if (!capture->borrowed)
        graph_free(capture->graph);
    forget(rt, capture);
    return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    RUNTIME_CALL(end(rt, stream, graph));
}
ALSO_PER_THREAD(cudaStreamEndCapture, ptsz);

/* ---- questions ---- */

static cudaError_t capture_info(struct runtime *rt, cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **needs,
                                size_t *count)
{
    cudaError_t error = status ? stream_check(rt, stream) : cudaErrorInvalidValue;
    if (error)
        return error;
    const struct CUstream_st *on = capturing_stream(rt, stream);
    *status = !on                    ? cudaStreamCaptureStatusNone
              : on->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                     : cudaStreamCaptureStatusActive;
    if (*status != cudaStreamCaptureStatusActive)
        return cudaSuccess;
    if (id)
        *id = on->capture->id;
    if (graph)
        *graph = on->capture->graph;
    if (needs)
        *needs = on->tail.items;
    if (count)
        *count = on->tail.count;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    RUNTIME_CALL(capture_info(rt, stream, status, NULL, NULL, NULL, NULL));
}
ALSO_PER_THREAD(cudaStreamIsCapturing, ptsz);

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **needs, const cudaGraphEdgeData **edges,
                                     size_t *count)
{
    if (edges)
        *edges = NULL;
    RUNTIME_CALL(capture_info(rt, stream, status, id, graph, needs, count));
}
ALSO_PER_THREAD(cudaStreamGetCaptureInfo, ptsz);

/* Those of CUDA 12. */
#pragma GCC visibility push(default)
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **needs,
                                        size_t *count);
extern __typeof__(cudaStreamGetCaptureInfo) cudaStreamGetCaptureInfo_v3
    __attribute__((alias("cudaStreamGetCaptureInfo")));
extern __typeof__(cudaStreamGetCaptureInfo) cudaStreamGetCaptureInfo_v3_ptsz
    __attribute__((alias("cudaStreamGetCaptureInfo")));
#pragma GCC visibility pop

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **needs,
                                        size_t *count)
{
    RUNTIME_CALL(capture_info(rt, stream, status, id, graph, needs, count));
}
ALSO_PER_THREAD(cudaStreamGetCaptureInfo_v2, ptsz);

static cudaError_t exchange(enum cudaStreamCaptureMode *mode)
{
    struct thread_state *thread = runtime_thread();
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    enum cudaStreamCaptureMode old = thread->capture_mode;
    thread->capture_mode = *mode;
    *mode = old;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    RUNTIME_QUERY(exchange(mode));
}

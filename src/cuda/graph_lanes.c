/* The streams of a graph that can be launched. Where the machine runs several kernels at a time, nodes that do not need
 * each other are given to streams of the graph's own, its *lanes*: a node follows one that it needs in its lane, if no
 * other has yet, or begins a lane. Between lanes, and between them and the stream of the launch, events keep the order,
 * as in a program that parts and joins streams itself; so nothing here knows what runs beside what (queue.c). A graph
 * whose nodes are one chain has no lanes, and goes into the stream of the launch. */
#include <stdlib.h>

#include "cuda/graph.h"

#define NO_LANE SIZE_MAX

struct graph_lanes {
    size_t nodes, count;
    size_t *of;            /* by node, in graph_order: its lane */
    bool *first, *told;    /* in its lane; nodes of other lanes, or the launch's stream, wait for it */
    cudaEvent_t *events;   /* of those that are told */
    cudaStream_t *streams; /* by lane */
    cudaEvent_t begin;
};

void graph_lanes_free(struct graph_lanes *lanes)
{
    if (!lanes)
        return;
    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->streams[i])
            cudaStreamDestroy(lanes->streams[i]);
    for (size_t i = 0; i < lanes->nodes; i++)
        if (lanes->events[i])
            cudaEventDestroy(lanes->events[i]);
    if (lanes->begin)
        cudaEventDestroy(lanes->begin);
    free(lanes->of);
    free(lanes->first);
    free(lanes->told);
    free(lanes->events);
    free(lanes->streams);
    free(lanes);
}

/* Gives each node its lane. The order's nodes are marked with their numbers. last: by lane. */
static void divide(struct graph_lanes *lanes, const cudaGraphNode_t *order, size_t *last)
{
    for (size_t i = 0; i < lanes->nodes; i++) {
        lanes->of[i] = NO_LANE;
        for (size_t k = 0; k < order[i]->needs.count && lanes->of[i] == NO_LANE; k++) {
            size_t need = order[i]->needs.items[k]->mark;
            if (last[lanes->of[need]] == need)
                lanes->of[i] = lanes->of[need];
        }
        lanes->first[i] = lanes->of[i] == NO_LANE;
        if (lanes->first[i])
            lanes->of[i] = lanes->count++;
        last[lanes->of[i]] = i;
        for (size_t k = 0; k < order[i]->needs.count; k++)
            lanes->told[order[i]->needs.items[k]->mark] |= lanes->of[order[i]->needs.items[k]->mark] != lanes->of[i];
    }
    for (size_t n = 0; n < lanes->count; n++)
        lanes->told[last[n]] = true;
}

static cudaError_t make_handles(struct graph_lanes *lanes)
{
    cudaError_t error = cudaEventCreateWithFlags(&lanes->begin, cudaEventDisableTiming);
    for (size_t i = 0; i < lanes->count && !error; i++)
        error = cudaStreamCreateWithFlags(&lanes->streams[i], cudaStreamNonBlocking);
    for (size_t i = 0; i < lanes->nodes && !error; i++)
        if (lanes->told[i])
            error = cudaEventCreateWithFlags(&lanes->events[i], cudaEventDisableTiming);
    return error;
}

struct graph_lanes *graph_lanes_new(cudaGraph_t graph)
{
    struct graph_lanes *lanes = base_calloc(1, sizeof *lanes);
    cudaGraphNode_t *order = graph_order(graph);
    size_t n = lanes->nodes = graph->nodes.count, *last = base_calloc(n + 1, sizeof *last);
    lanes->of = base_calloc(n + 1, sizeof *lanes->of);
    lanes->first = base_calloc(n + 1, sizeof *lanes->first);
    lanes->told = base_calloc(n + 1, sizeof *lanes->told);
    lanes->events = base_calloc(n + 1, sizeof(cudaEvent_t));
    for (size_t i = 0; i < n; i++)
        order[i]->mark = (unsigned)i;
    divide(lanes, order, last);
    lanes->streams = base_calloc(lanes->count + 1, sizeof(cudaStream_t));
    free(order);
    free(last);
    if (lanes->count > 1 && make_handles(lanes) == cudaSuccess)
        return lanes;
    graph_lanes_free(lanes);
    return NULL;
}

cudaError_t graph_lanes_begin(const struct graph_lanes *lanes, cudaStream_t stream)
{
    return lanes ? cudaEventRecord(lanes->begin, stream) : cudaSuccess;
}

cudaError_t graph_lane_enter(const struct graph_lanes *lanes, const struct CUgraphNode_st *node, size_t number,
                             cudaStream_t *stream)
{
    cudaError_t error = cudaSuccess;
    if (!lanes)
        return cudaSuccess;
    *stream = lanes->streams[lanes->of[number]];
    if (!node->needs.count)
        error = cudaStreamWaitEvent(*stream, lanes->begin, 0);
    for (size_t k = 0; k < node->needs.count && !error; k++) {
        size_t need = node->needs.items[k]->mark;
        if (lanes->of[need] != lanes->of[number])
            error = cudaStreamWaitEvent(*stream, lanes->events[need], 0);
    }
    return error;
}

cudaError_t graph_lane_leave(const struct graph_lanes *lanes, size_t number)
{
    return lanes && lanes->told[number] ? cudaEventRecord(lanes->events[number], lanes->streams[lanes->of[number]])
                                        : cudaSuccess;
}

cudaError_t graph_lanes_end(const struct graph_lanes *lanes, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; lanes && i < lanes->nodes && !error; i++)
        if (lanes->told[i])
            error = cudaStreamWaitEvent(stream, lanes->events[i], 0);
    return error;
}

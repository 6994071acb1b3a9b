/* The streams of a graph that can be launched. Where the machine runs several kernels at a time, nodes that do not need
 * each other are given to streams of the graph's own, its *lanes*: a node follows one that it needs in its lane, if no
 * other has yet, or begins a lane. Between lanes, and between them and the stream of the launch, events keep the order,
 * as in a program that parts and joins streams itself; so nothing here knows what runs beside what (queue.c). A graph
 * whose nodes are one chain has no lanes, and goes into the stream of the launch. */
#include <stdlib.h>

#include "cuda/graph.h"

#define NO_LANE SIZE_MAX

struct place {
    size_t lane;
    bool told;         /* nodes of other lanes, or the launch's stream, wait for the node */
    cudaEvent_t event; /* by which they do */
};

struct graph_lanes {
    size_t nodes, count;
    struct place *places;  /* by node, in graph_order */
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
        if (lanes->places[i].event)
            cudaEventDestroy(lanes->places[i].event);
    if (lanes->begin)
        cudaEventDestroy(lanes->begin);
    free(lanes->places);
    free(lanes->streams);
    free(lanes);
}

/* Gives each node its lane. The order's nodes are marked with their numbers. last: by lane. */
static void divide(struct graph_lanes *lanes, const cudaGraphNode_t *order, size_t *last)
{
    struct place *places = lanes->places;
    for (size_t i = 0; i < lanes->nodes; i++) {
        size_t lane = NO_LANE;
        for (size_t k = 0; k < order[i]->needs.count && lane == NO_LANE; k++) {
            size_t need = order[i]->needs.items[k]->mark;
            if (last[places[need].lane] == need)
                lane = places[need].lane;
        }
        if (lane == NO_LANE)
            lane = lanes->count++;
        places[i].lane = lane;
        last[lane] = i;
        for (size_t k = 0; k < order[i]->needs.count; k++) {
            struct place *need = &places[order[i]->needs.items[k]->mark];
            need->told |= need->lane != lane;
        }
    }
    for (size_t n = 0; n < lanes->count; n++)
        places[last[n]].told = true;
}

static cudaError_t make_handles(struct graph_lanes *lanes)
{
    cudaError_t error = cudaEventCreateWithFlags(&lanes->begin, cudaEventDisableTiming);
    for (size_t i = 0; i < lanes->count && !error; i++)
        error = cudaStreamCreateWithFlags(&lanes->streams[i], cudaStreamNonBlocking);
    for (size_t i = 0; i < lanes->nodes && !error; i++)
        if (lanes->places[i].told)
            error = cudaEventCreateWithFlags(&lanes->places[i].event, cudaEventDisableTiming);
    return error;
}

struct graph_lanes *graph_lanes_new(cudaGraph_t graph)
{
    struct graph_lanes *lanes = base_calloc(1, sizeof *lanes);
    cudaGraphNode_t *order = graph_order(graph);
    size_t n = lanes->nodes = graph->nodes.count, *last = base_calloc(n + 1, sizeof *last);
    lanes->places = base_calloc(n + 1, sizeof *lanes->places);
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
    const size_t lane = lanes->places[number].lane;
    *stream = lanes->streams[lane];
    if (!node->needs.count)
        error = cudaStreamWaitEvent(*stream, lanes->begin, 0);
    for (size_t k = 0; k < node->needs.count && !error; k++) {
        const struct place *need = &lanes->places[node->needs.items[k]->mark];
        if (need->lane != lane)
            error = cudaStreamWaitEvent(*stream, need->event, 0);
    }
    return error;
}

cudaError_t graph_lane_leave(const struct graph_lanes *lanes, size_t number)
{
    const struct place *place = lanes ? &lanes->places[number] : NULL;
    return place && place->told ? cudaEventRecord(place->event, lanes->streams[place->lane]) : cudaSuccess;
}

cudaError_t graph_lanes_end(const struct graph_lanes *lanes, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; lanes && i < lanes->nodes && !error; i++)
        if (lanes->places[i].told)
            error = cudaStreamWaitEvent(stream, lanes->places[i].event, 0);
    return error;
}

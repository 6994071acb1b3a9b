/* Graphs: nodes and what they need, from which copies are made that can be launched (graph.c, graph_nodes.c,
 * graph_run.c), and streams whose calls are noted instead of done (capture.c). Everything here is called with the
 * runtime locked, but for what says otherwise. */
#ifndef LOCKSTEP_CUDA_GRAPH_H
#define LOCKSTEP_CUDA_GRAPH_H

#include "cuda/runtime.h"

/* A conditional node: what it does, depending on the word whose address is the condition's handle. */
struct graph_condition {
    struct graph_memory *word;
    enum cudaGraphConditionalNodeType type;
    unsigned size;
    cudaGraph_t *bodies; /* so many, the node's */
};

struct CUgraphNode_st {
    cudaGraph_t graph;
    enum cudaGraphNodeType type;
    cudaGraphNode_t original; /* a clone's */
    bool disabled;            /* of a graph that can be launched: does nothing */
    bool cooperative, early;  /* of a kernel: see call_configuration */
    dim3 cluster;             /* likewise */
    unsigned mark;            /* of a walk over the graph */
    bool let_go;              /* the end of a capture need not come behind it */
    VEC(cudaGraphNode_t) needs;
    union {
        struct cudaKernelNodeParams kernel; /* kernelParams: into values; both are the node's */
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        cudaGraph_t child; /* the node's */
        cudaEvent_t event;
        struct graph_memory *memory; /* allocated or freed: shared by all nodes that do */
        struct graph_condition condition;
    };
    uint8_t *values;
};

/* Memory that nodes allocate: taken from the device when the first of them is made, so that its address is the same in
 * all launches, and given back when no node is left and no launch has it allocated. */
struct graph_memory {
    uint64_t start, bytes; /* start: 0 when the device is gone */
    unsigned nodes;
    bool live;   /* allocated by a launch, and not freed since */
    bool is_condition, assigns; /* the word of a condition; a launch of its graph gives it this value */
    unsigned value;
    struct cudaMemAllocNodeParams params;
};

struct CUgraph_st {
    VEC(cudaGraphNode_t) nodes;
    VEC(struct graph_memory *) conditions; /* whose handles were made for it */
};

struct CUgraphExec_st {
    cudaGraph_t graph; /* its own copy */
    unsigned long long flags;
    bool divided;              /* at its first launch: lanes is decided */
    struct graph_lanes *lanes; /* NULL: its nodes go into the stream of the launch */
};

struct capture {
    cudaGraph_t graph;
    cudaStream_t origin;
    unsigned long long id;
    bool invalid;  /* a call was made that cannot be captured */
    bool borrowed; /* the graph is the program's, which has it whatever comes of the capture */
};

/* graph.c */
/* A new node of the graph, which needs others of it; NULL if they are none of its nodes. */
cudaGraphNode_t graph_add(cudaGraph_t graph, enum cudaGraphNodeType type, const cudaGraphNode_t *needs, size_t count);
void graph_free(cudaGraph_t graph);
/* Takes a node out of its graph, with its edges. */
void graph_remove(cudaGraphNode_t node);
cudaGraph_t graph_clone(cudaGraph_t graph);
/* Makes the node do what another one of its type does. */
void node_assign(cudaGraphNode_t to, const struct CUgraphNode_st *from);
/* The nodes so that each comes after all that it needs, in the order of their making otherwise; to be freed. NULL if
 * they wait for each other. */
cudaGraphNode_t *graph_order(cudaGraph_t graph);

/* graph_nodes.c: sets what the node does; the values of a kernel's arguments are copied. */
cudaError_t node_set_kernel(struct runtime *rt, cudaGraphNode_t node, const struct cudaKernelNodeParams *params);
/* True in the library for programs built by CUDA 12, whose calls about edges lack the argument of their data. */
bool graph_is_12(void);
struct cudaMemcpy3DParms graph_copy_1d(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);

/* graph_memory.c */
/* True if memory of a graph begins there: it is free now, or *error says why it cannot be freed. */
bool graph_memory_freed(struct runtime *rt, uint64_t start, cudaError_t *error);
/* A node that allocates, or frees, is launched. */
cudaError_t graph_memory_take(struct runtime *rt, struct graph_memory *memory, bool again);
cudaError_t graph_memory_give(struct runtime *rt, struct graph_memory *memory);
/* The memory that begins there; NULL: that is none of a graph's. */
struct graph_memory *graph_memory_at(const struct runtime *rt, uint64_t start);
/* New memory for a node; the node is counted. */
cudaError_t graph_memory_make(struct runtime *rt, size_t bytes, struct graph_memory **memory);
/* A node is no more. */
void graph_memory_left(struct graph_memory *memory);
/* Gives memory back that no node needs any more. */
cudaError_t graph_memory_sweep(struct runtime *rt);
void graph_memory_forget(struct runtime *rt);

/* graph_condition.c: called without the lock, but for assign and free. add: a conditional node with empty bodies, which
 * the parameters name then. */
cudaError_t graph_condition_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                                struct cudaConditionalNodeParams *params);
void graph_condition_assign(struct graph_condition *to, const struct graph_condition *from);
void graph_condition_free(struct graph_condition *condition);
/* A launch begins: conditions of the graph get the values that they are to begin with. */
cudaError_t graph_conditions_begin(cudaGraph_t graph, cudaStream_t stream);
/* The condition's value once the stream has done what it was given. */
cudaError_t graph_condition_read(const struct graph_condition *condition, cudaStream_t stream, unsigned *value);

/* graph_lanes.c: called without the lock. lanes may be NULL: then nothing is done, and *stream stays. */
struct graph_lanes;
/* The lanes of a graph without cycles; NULL: it is one chain. */
struct graph_lanes *graph_lanes_new(cudaGraph_t graph);
void graph_lanes_free(struct graph_lanes *lanes);
/* A launch into the stream begins; ends: what the stream is given then waits for all nodes. */
cudaError_t graph_lanes_begin(const struct graph_lanes *lanes, cudaStream_t stream);
cudaError_t graph_lanes_end(const struct graph_lanes *lanes, cudaStream_t stream);
/* Around what is done for a node, given by its number in graph_order; the nodes are marked with their numbers. enter:
 * *stream receives the stream of the node's lane, which from now on waits for the nodes of other lanes that this one
 * needs. leave: the node has been given to that stream. */
cudaError_t graph_lane_enter(const struct graph_lanes *lanes, const struct CUgraphNode_st *node, size_t number,
                             cudaStream_t *stream);
cudaError_t graph_lane_leave(const struct graph_lanes *lanes, size_t number);

/* graph_run.c: the copy of a node of the graph that was instantiated; NULL if there is none of that type. */
cudaGraphNode_t graph_copy_of(cudaGraphExec_t exec, cudaGraphNode_t node, enum cudaGraphNodeType type);

/* capture.c: called without the lock. True if the stream captures: then the call is noted as a node, and *error is what
 * it answers. */
bool capture_kernel(const void *func, const struct call_configuration *c, void **args, cudaError_t *error);
bool capture_copy(cudaStream_t stream, const struct cudaMemcpy3DParms *params, cudaError_t *error);
bool capture_fill(cudaStream_t stream, const struct cudaMemsetParams *params, cudaError_t *error);
bool capture_host(cudaStream_t stream, cudaHostFn_t function, void *data, cudaError_t *error);
bool capture_record(cudaStream_t stream, cudaEvent_t event, cudaError_t *error);
/* Also true if the event was recorded in a stream that captures, which this one joins. */
bool capture_wait(cudaStream_t stream, cudaEvent_t event, cudaError_t *error);
/* Memory allocated at capture; freed. */
bool capture_allocate(cudaStream_t stream, void **pointer, size_t bytes, cudaError_t *error);
bool capture_free(cudaStream_t stream, void *pointer, cudaError_t *error);
bool capture_graph(cudaStream_t stream, cudaGraph_t graph, cudaError_t *error);
bool capture_is_on(cudaStream_t stream);
/* For calls that cannot be captured: the capture is invalid then. */
bool capture_refuses(cudaStream_t stream, cudaError_t *error);

#endif

/* The queue of the work that streams have been given and have not done: see queue.c. */
#ifndef LOCKSTEP_CUDA_QUEUE_H
#define LOCKSTEP_CUDA_QUEUE_H

#include "cuda/runtime.h"

/* A launch that is put off; launch.params is its own. */
struct later_launch {
    struct gpu_launch launch;
    cudaStream_t stream;
    const char *code;
};

enum later_kind {
    LATER_WORK,   /* a copy or a fill */
    LATER_LAUNCH, /* data is a struct later_launch */
    LATER_RECORD, /* of an event, in the stream */
    LATER_AWAIT   /* the stream waits for an event */
};

/* Work that is put off, in the queue until all that it comes after is done. */
struct later {
    enum later_kind kind;
    cudaStream_t stream;
    flight_later *run;
    void *data;
    cudaEvent_t event; /* LATER_RECORD, LATER_AWAIT */
    double time_ns;    /* the end of the kernels before it that ran together, simulated; 0: the present time */
};

/* True: in these two streams work is done in the order in which it is given. */
bool queue_ordered(cudaStream_t a, cudaStream_t b);
/* True: the launch, into this stream, is to wait in the queue for others that may run beside it, until the program
 * waits. */
bool queue_holds(const struct runtime *rt, const struct gpu_launch *launch, cudaStream_t stream);
/* Puts a launch off; where the queue is full, all that is in it is done. */
cudaError_t queue_launch(struct runtime *rt, struct later_launch *launch, flight_later *run);
/* Does what is first in the queue: one thing, or launches that may run together. off: it is called off. */
void queue_step(struct runtime *rt, bool off);

#endif

// A runtime of tasks for kernels over the nodes of a graph. Each block has a queue of tasks, which are 64 nodes each. It
// takes its own from the end, and when it has no more, it steals from the beginning of others', one after another, until
// it has found all of them empty. The queues are lock-free: Cederman and Tsigas, "On dynamic load balancing on graphics
// processors" (Graphics Hardware 2008), and the asymmetric work stealing of Orr et al. (ASPLOS 2015).
//
// The owner lowers `tail`, and thieves raise `head` by a compare-and-swap; who has the last task is decided by that too.
// Head has a version beside its index, so that a swap fails whoever came between. Owner and thieves each write one of
// both and then read the other, so each does so with a fence between (fence.sc): one of them sees the other.
//
// SCOPE says how far a block's operations on its own queue reach: the device, or the block itself, which is right only
// where nobody steals.
#ifndef LOCKSTEP_TASKS_H
#define LOCKSTEP_TASKS_H

#include "graph.h"

constexpr unsigned TASK_NODES = 64, TASK_THREADS = 128, TASK_NONE = 0xffffffffu;
constexpr unsigned TASK_LINE = 128; // bytes between what different queues write
enum task_scope { TASK_DEVICE, TASK_BLOCK };

struct tasks {
    unsigned nodes, tasks, queues;
    unsigned *tail;           // by queue, a line each: where the next task would be put
    unsigned long long *head; // likewise: version in the upper half, index of the first task in the lower
    unsigned *entry;          // tasks of queue q: entry[q * most] on
    unsigned most;            // entries of a queue
    unsigned *done;           // by task: how often it was taken
};

__device__ inline unsigned *tail_of(const tasks &t, unsigned queue)
{
    return t.tail + queue * (TASK_LINE / sizeof(unsigned));
}
__device__ inline unsigned long long *head_of(const tasks &t, unsigned queue)
{
    return t.head + queue * (TASK_LINE / sizeof(unsigned long long));
}

template <int SCOPE> __device__ inline unsigned load_tail(const unsigned *at)
{
    unsigned value;
    if (SCOPE == TASK_BLOCK)
        asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    else
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}
template <int SCOPE> __device__ inline void store_tail(unsigned *at, unsigned value)
{
    if (SCOPE == TASK_BLOCK)
        asm volatile("st.release.cta.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    else
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
template <int SCOPE> __device__ inline unsigned long long load_head(const unsigned long long *at)
{
    unsigned long long value;
    if (SCOPE == TASK_BLOCK)
        asm volatile("ld.acquire.cta.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    else
        asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}
// Takes the first task away, if head is still what it was.
template <int SCOPE> __device__ inline bool advance_head(unsigned long long *at, unsigned long long was)
{
    unsigned long long to = ((was >> 32) + 1) << 32 | ((unsigned)was + 1), found;
    if (SCOPE == TASK_BLOCK)
        asm volatile("atom.acq_rel.cta.global.cas.b64 %0, [%1], %2, %3;"
                     : "=l"(found)
                     : "l"(at), "l"(was), "l"(to)
                     : "memory");
    else
        asm volatile("atom.acq_rel.gpu.global.cas.b64 %0, [%1], %2, %3;"
                     : "=l"(found)
                     : "l"(at), "l"(was), "l"(to)
                     : "memory");
    return found == was;
}
template <int SCOPE> __device__ inline void order()
{
    if (SCOPE == TASK_BLOCK)
        asm volatile("fence.sc.cta;" ::: "memory");
    else
        asm volatile("fence.sc.gpu;" ::: "memory");
}

// The owner's next task, or TASK_NONE. Nobody else writes tail.
template <int SCOPE> __device__ inline unsigned pop_task(const tasks &t, unsigned queue)
{
    unsigned *tail = tail_of(t, queue), last = load_tail<SCOPE>(tail);
    if (!last)
        return TASK_NONE;
    store_tail<SCOPE>(tail, --last);
    order<SCOPE>();
    unsigned long long head = load_head<SCOPE>(head_of(t, queue));
    unsigned first = (unsigned)head;
    if (first < last)
        return t.entry[queue * t.most + last];
    bool won = first == last && advance_head<SCOPE>(head_of(t, queue), head);
    store_tail<SCOPE>(tail, last + 1); // head is there too: the queue is empty
    return won ? t.entry[queue * t.most + last] : TASK_NONE;
}

// A task of another block, or TASK_NONE: the queue is empty. Who comes second tries again.
__device__ inline unsigned steal_task(const tasks &t, unsigned queue)
{
    for (;;) {
        unsigned long long head = load_head<TASK_DEVICE>(head_of(t, queue));
        order<TASK_DEVICE>();
        if ((unsigned)head >= load_tail<TASK_DEVICE>(tail_of(t, queue)))
            return TASK_NONE;
        unsigned task = *(volatile unsigned *)&t.entry[queue * t.most + (unsigned)head];
        if (advance_head<TASK_DEVICE>(head_of(t, queue), head))
            return task;
    }
}

template <int SCOPE, bool STEAL> __device__ inline unsigned next_task(const tasks &t)
{
    unsigned task = pop_task<SCOPE>(t, blockIdx.x);
    for (unsigned i = 1; STEAL && task == TASK_NONE && i < t.queues; i++)
        task = steal_task(t, (blockIdx.x + i) % t.queues);
    return task;
}

// Does work(node) for all nodes of the block's tasks, and of those that it steals. For all threads of all blocks.
template <int SCOPE, bool STEAL, class WORK> __device__ inline void do_tasks(const tasks &t, WORK work)
{
    __shared__ unsigned taken[TASK_THREADS / TASK_NODES];
    unsigned part = threadIdx.x / TASK_NODES, place = threadIdx.x % TASK_NODES;
    for (bool more = true; more;) {
        if (threadIdx.x == 0) {
            unsigned task = 0;
            for (unsigned &place : taken)
                place = task = task == TASK_NONE ? TASK_NONE : next_task<SCOPE, STEAL>(t);
        }
        __syncthreads();
        unsigned task = taken[part], node = task * TASK_NODES + place;
        more = false;
        for (unsigned other : taken)
            more |= other != TASK_NONE;
        __syncthreads();
        if (task == TASK_NONE)
            continue;
        if (place == 0)
            atomicAdd(&t.done[task], 1u);
        if (node < t.nodes)
            work(node);
    }
}

// Fills the queues: task k goes to queue k / most.
__global__ void deal_tasks(tasks t)
{
    unsigned first = blockIdx.x * t.most, count = first < t.tasks ? t.tasks - first : 0;
    count = count < t.most ? count : t.most;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        t.entry[first + i] = first + i;
    if (threadIdx.x == 0) {
        *tail_of(t, blockIdx.x) = count;
        *head_of(t, blockIdx.x) = 0;
    }
}

// On the host

static inline tasks make_tasks(unsigned nodes, unsigned queues)
{
    tasks t = {nodes, (nodes + TASK_NODES - 1) / TASK_NODES, queues};
    t.most = (t.tasks + queues - 1) / queues;
    CHECK(cudaMalloc(&t.tail, queues * TASK_LINE));
    CHECK(cudaMalloc(&t.head, queues * TASK_LINE));
    CHECK(cudaMalloc(&t.entry, (size_t)queues * t.most * sizeof *t.entry));
    CHECK(cudaMalloc(&t.done, t.tasks * sizeof *t.done));
    CHECK(cudaMemset(t.done, 0, t.tasks * sizeof *t.done));
    return t;
}

// How many tasks were not taken exactly so often as tasks were dealt.
static inline uint64_t wrong_tasks(const tasks &t, unsigned rounds)
{
    uint64_t wrong = 0;
    for (unsigned taken : to_host(t.done, t.tasks))
        wrong += taken != rounds;
    return wrong;
}

static inline void free_tasks(const tasks &t)
{
    CHECK(cudaFree(t.tail));
    CHECK(cudaFree(t.head));
    CHECK(cudaFree(t.entry));
    CHECK(cudaFree(t.done));
}

// What a program on a graph begins with, by its options, and what it gives back at its end.
struct job {
    graph g;
    tasks t;
    bool steal, scope;
    uint64_t rounds;          // the program's own option, behind those that all have
    unsigned *first, *target; // the graph's edges, on the device
};

static inline job begin_job(option (&options)[GRAPH_OPTIONS + 1], int argc, char **argv)
{
    const char *file = graph_file(&argc, argv);
    option_read(options, argc, argv);
    if (options[GRAPH_STEAL].value && options[GRAPH_SCOPE].value)
        option_refuse(argv[0], options, GRAPH_OPTIONS + 1, "--scope 1 with stealing");
    job j = {graph_from_options(options, file)};
    j.t = make_tasks(j.g.nodes, (unsigned)options[GRAPH_QUEUES].value);
    j.steal = options[GRAPH_STEAL].value, j.scope = options[GRAPH_SCOPE].value;
    j.rounds = options[GRAPH_OPTIONS].value;
    j.first = to_device(j.g.first), j.target = to_device(j.g.target);
    return j;
}

static inline void end_job(const job &j)
{
    free_tasks(j.t);
    CHECK(cudaFree(j.first));
    CHECK(cudaFree(j.target));
}

// Launches a kernel template with the scope and the way to balance that the options say.
#define LAUNCH_TASKS(kernel, j, ...)                                                        \
    do {                                                                                    \
        deal_tasks<<<(j).t.queues, TASK_THREADS>>>((j).t);                                  \
        if ((j).steal)                                                                      \
            kernel<TASK_DEVICE, true><<<(j).t.queues, TASK_THREADS>>>((j).t, __VA_ARGS__);  \
        else if ((j).scope)                                                                 \
            kernel<TASK_BLOCK, false><<<(j).t.queues, TASK_THREADS>>>((j).t, __VA_ARGS__);  \
        else                                                                                \
            kernel<TASK_DEVICE, false><<<(j).t.queues, TASK_THREADS>>>((j).t, __VA_ARGS__); \
        CHECK(cudaGetLastError());                                                          \
    } while (0)

#endif

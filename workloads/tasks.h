// A runtime of tasks for kernels over the nodes of a graph. Each block has a queue of tasks, which are up to 64 nodes
// each, a thread for a node. It takes its own from the end, and when it has no more, it steals from the beginning of
// others', one after another, until it has found all of them, or so many as it may look at, empty. The queues are lock-free: Cederman and Tsigas, "On
// dynamic load balancing on graphics processors" (Graphics Hardware 2008), and the asymmetric work stealing of Orr et al.
// (ASPLOS 2015).
//
// The owner lowers `tail`, and thieves raise `head` by a compare-and-swap; who has the last task is decided by that too.
// Head has a version beside its index, so that a swap fails whoever came between.
//
// Owner and thief never both take task k. An owner that takes it without a swap has set tail to k and then read a head
// below k, so a thief reads a head of k later, and the tail, which it reads after that, is k or less: the queue is empty
// to it. An owner that has read a head of k swaps it like the thieves, and one of them succeeds.
//
// So the owner must write tail before it reads head, and the thief read head before tail. In a model that is sequentially
// consistent for programs without races, such as that of the studies of scopes, acquires and releases do. PTX asks for a
// fence.sc between the two (`fences`). Lockstep's machines need none: the owner writes tail by an exchange, and a
// warp's later accesses issue only when its atomic has been performed; the thief's read of head is an acquire from beyond
// its block, behind which they wait alike.
//
// OWN is the scope of a block's operations on its own queue, OTHERS that of those on others' queues. TASK_BLOCK reaches the
// block alone: it is right where nobody steals; where thieves come with TASK_REMOTE, which reaches what others do at
// their block's scope (remote-scope promotion: Orr et al., ASPLOS 2015); and with thieves at TASK_DEVICE where the
// coherence protocol says so. That of `gpu` does: the L2 serves all synchronization, of whatever scope.
#ifndef LOCKSTEP_TASKS_H
#define LOCKSTEP_TASKS_H

#include "graph.h"

constexpr unsigned TASK_NODES = 64, TASK_THREADS = 128, TASK_NONE = 0xffffffffu;
constexpr unsigned TASK_LINE = 128; // bytes between what different queues write
enum task_scope { TASK_DEVICE, TASK_BLOCK, TASK_REMOTE, TASK_NOBODY }; // TASK_NOBODY: nobody steals

struct tasks {
    unsigned nodes, tasks, queues;
    unsigned size;            // nodes of a task, TASK_NODES at most
    unsigned *tail;           // by queue, a line each: where the next task would be put
    unsigned long long *head; // likewise: version in the upper half, index of the first task in the lower
    unsigned *entry;          // tasks of queue q: entry[q * most] on
    unsigned most;            // entries of a queue
    unsigned *done;           // by task: how often it was taken
    unsigned fences;          // 1: with the fences that PTX asks for
    unsigned looks;           // others' queues that a block looks at before it ends, 0: all
    unsigned order;           // of its looks: enum task_order
    unsigned mark;            // 1: `done` is kept
    unsigned *third;          // a third line of each queue
    unsigned begins, extra;   // how often its owner loads it as it begins, and with each look at its queue
};
enum task_order { TASK_NEXT, TASK_RANDOM, TASK_LAST };

// Where a block looks for others' tasks.
struct task_looks {
    unsigned random, last; // last: the queue at which a steal succeeded last, or TASK_NONE
};

__device__ inline unsigned *tail_of(const tasks &t, unsigned queue)
{
    return t.tail + queue * (TASK_LINE / sizeof(unsigned));
}
__device__ inline unsigned long long *head_of(const tasks &t, unsigned queue)
{
    return t.head + queue * (TASK_LINE / sizeof(unsigned long long));
}

// An access at the scope SCOPE; what is behind its scope, and the operands, as in an asm statement.
#define TASK_ACCESS(access, rest, ...)                                                                                 \
    do {                                                                                                               \
        if (SCOPE == TASK_BLOCK)                                                                                       \
            asm volatile(access ".cta" rest : __VA_ARGS__);                                                            \
        else if (SCOPE == TASK_REMOTE)                                                                                 \
            asm volatile("lockstep." access ".remote" rest : __VA_ARGS__);                                             \
        else                                                                                                           \
            asm volatile(access ".gpu" rest : __VA_ARGS__);                                                            \
    } while (0)

template <int SCOPE> __device__ inline unsigned load_acquire(const unsigned *at)
{
    unsigned value;
    TASK_ACCESS("ld.acquire", ".global.u32 %0, [%1];", "=r"(value) : "l"(at) : "memory");
    return value;
}
template <int SCOPE> __device__ inline unsigned long long load_acquire(const unsigned long long *at)
{
    unsigned long long value;
    TASK_ACCESS("ld.acquire", ".global.u64 %0, [%1];", "=l"(value) : "l"(at) : "memory");
    return value;
}
template <int SCOPE> __device__ inline void store_release(unsigned *at, unsigned value)
{
    TASK_ACCESS("st.release", ".global.u32 [%0], %1;", : "l"(at), "r"(value) : "memory");
}
// Stores and waits until that has been performed.
template <int SCOPE> __device__ inline void exchange(unsigned *at, unsigned value)
{
    unsigned found;
    TASK_ACCESS("atom.acq_rel", ".global.exch.b32 %0, [%1], %2;", "=r"(found) : "l"(at), "r"(value) : "memory");
}
// Takes the first task away, if head is still what it was.
template <int SCOPE> __device__ inline bool advance_head(unsigned long long *at, unsigned long long was)
{
    unsigned long long to = ((was >> 32) + 1) << 32 | ((unsigned)was + 1), found;
    TASK_ACCESS("atom.acq_rel", ".global.cas.b64 %0, [%1], %2, %3;", "=l"(found)
                : "l"(at), "l"(was), "l"(to)
                : "memory");
    return found == was;
}
#undef TASK_ACCESS

template <int SCOPE> __device__ inline void fence()
{
    if (SCOPE == TASK_BLOCK)
        asm volatile("fence.sc.cta;" ::: "memory");
    else
        asm volatile("fence.sc.gpu;" ::: "memory");
}

template <int OWN> __device__ __forceinline__ void load_third(const tasks &t, unsigned queue, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        load_acquire<OWN>(t.third + queue * (TASK_LINE / sizeof(unsigned)));
}

// The owner's next task, or TASK_NONE. Nobody else writes tail.
template <int OWN, int OTHERS> __device__ __forceinline__ unsigned pop_task(const tasks &t, unsigned queue)
{
    unsigned *tail = tail_of(t, queue), last = load_acquire<OWN>(tail);
    load_third<OWN>(t, queue, t.extra);
    if (!last)
        return TASK_NONE;
    exchange<OWN>(tail, --last);
    if (t.fences)
        fence<OTHERS == TASK_NOBODY ? OWN : OTHERS>();
    unsigned long long head = load_acquire<OWN>(head_of(t, queue));
    unsigned first = (unsigned)head;
    if (first < last)
        return t.entry[queue * t.most + last];
    bool won = first == last && advance_head<OWN>(head_of(t, queue), head);
    store_release<OWN>(tail, last + 1); // head is there too: the queue is empty
    return won ? t.entry[queue * t.most + last] : TASK_NONE;
}

// A task of another block, or TASK_NONE: the queue is empty. Who comes second tries again. Entries are what deal_tasks,
// a kernel before, wrote.
template <int SCOPE> __device__ __forceinline__ unsigned steal_task(const tasks &t, unsigned queue)
{
    for (;;) {
        unsigned long long head = load_acquire<SCOPE>(head_of(t, queue));
        if (t.fences)
            fence<SCOPE>();
        if ((unsigned)head >= load_acquire<SCOPE>(tail_of(t, queue)))
            return TASK_NONE;
        unsigned task = t.entry[queue * t.most + (unsigned)head];
        if (advance_head<SCOPE>(head_of(t, queue), head))
            return task;
    }
}

// The queue at which a block looks as its i-th, counted from 1. At random it may look at one twice.
__device__ __forceinline__ unsigned victim_of(const tasks &t, task_looks &looks, unsigned i)
{
    if (t.order == TASK_LAST && i == 1 && looks.last != TASK_NONE)
        return looks.last;
    if (t.order != TASK_NEXT) {
        looks.random = looks.random * 1664525u + 1013904223u;
        i = 1 + (looks.random >> 8) % (t.queues - 1);
    }
    return (blockIdx.x + i) % t.queues;
}

template <int OWN, int OTHERS> __device__ __forceinline__ unsigned next_task(const tasks &t, task_looks &looks)
{
    unsigned task = pop_task<OWN, OTHERS>(t, blockIdx.x);
    unsigned most = t.looks && t.looks < t.queues ? t.looks : t.queues - 1;
    for (unsigned i = 1; OTHERS != TASK_NOBODY && task == TASK_NONE && i <= most; i++) {
        unsigned victim = victim_of(t, looks, i);
        task = steal_task<OTHERS>(t, victim);
        looks.last = task == TASK_NONE ? looks.last : victim;
    }
    return task;
}

// Does work(node) for all nodes of the block's tasks, and of those that it steals. For all threads of all blocks. A part
// of its kernel, with the queues by value: where clang makes it a call, every thread keeps them in local memory and reads
// them again after each ordered access, which takes longer than all else.
template <int OWN, int OTHERS, class WORK> __device__ __forceinline__ void do_tasks(tasks t, WORK work)
{
    __shared__ unsigned taken[TASK_THREADS / TASK_NODES];
    unsigned part = threadIdx.x / TASK_NODES, place = threadIdx.x % TASK_NODES;
    task_looks looks = {blockIdx.x * 2654435761u + 12345u, TASK_NONE};
    if (threadIdx.x == 0)
        load_third<OWN>(t, blockIdx.x, t.begins);
    for (bool more = true; more;) {
        if (threadIdx.x == 0) {
            unsigned task = 0;
            for (unsigned &place : taken)
                place = task = task == TASK_NONE ? TASK_NONE : next_task<OWN, OTHERS>(t, looks);
        }
        __syncthreads();
        unsigned task = taken[part], node = task * t.size + place;
        more = false;
        for (unsigned other : taken)
            more |= other != TASK_NONE;
        __syncthreads();
        if (task == TASK_NONE)
            continue;
        if (place == 0 && t.mark)
            atomicAdd(&t.done[task], 1u);
        if (place < t.size && node < t.nodes)
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

static inline tasks make_tasks(unsigned nodes, unsigned queues, unsigned size)
{
    tasks t = {nodes, (nodes + size - 1) / size, queues, size};
    t.most = (t.tasks + queues - 1) / queues;
    CHECK(cudaMalloc(&t.tail, queues * TASK_LINE));
    CHECK(cudaMalloc(&t.head, queues * TASK_LINE));
    CHECK(cudaMalloc(&t.third, queues * TASK_LINE));
    CHECK(cudaMemset(t.third, 0, queues * TASK_LINE));
    CHECK(cudaMalloc(&t.entry, (size_t)queues * t.most * sizeof *t.entry));
    CHECK(cudaMalloc(&t.done, t.tasks * sizeof *t.done));
    CHECK(cudaMemset(t.done, 0, t.tasks * sizeof *t.done));
    return t;
}

// How many tasks were not taken exactly so often as tasks were dealt; unknown, so none, where they are not marked.
static inline uint64_t wrong_tasks(const tasks &t, unsigned rounds)
{
    uint64_t wrong = 0;
    for (unsigned taken : to_host(t.done, t.tasks))
        wrong += t.mark && taken != rounds;
    return wrong;
}

static inline void free_tasks(const tasks &t)
{
    CHECK(cudaFree(t.tail));
    CHECK(cudaFree(t.head));
    CHECK(cudaFree(t.third));
    CHECK(cudaFree(t.entry));
    CHECK(cudaFree(t.done));
}

// The state with which a program on a graph begins, by its options, and which it gives back at its end.
struct job {
    graph g;
    tasks t;
    bool steal;
    uint64_t scope;           // --scope: 0 to 3
    uint64_t rounds;          // the first option behind those that all programs have
    unsigned *first, *target; // the graph's edges, on the device
};

template <size_t N> static inline job begin_job(option (&options)[N], int argc, char **argv)
{
    const char *file = graph_file(&argc, argv);
    option_read(options, argc, argv);
    if (options[GRAPH_STEAL].value && options[GRAPH_SCOPE].value == 1)
        option_refuse(argv[0], options, N, "--scope 1 with stealing");
    job j = {graph_from_options(options, file)};
    j.t = make_tasks(j.g.nodes, (unsigned)options[GRAPH_QUEUES].value, (unsigned)options[GRAPH_TASK].value);
    j.t.fences = (unsigned)options[GRAPH_FENCES].value;
    j.t.looks = (unsigned)options[GRAPH_LOOKS].value, j.t.order = (unsigned)options[GRAPH_ORDER].value;
    j.t.mark = (unsigned)options[GRAPH_MARK].value, j.t.begins = (unsigned)options[GRAPH_THIRD].value;
    j.t.extra = (unsigned)options[GRAPH_EXTRA].value;
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

// Launches a kernel template with the scopes that the options say.
#define LAUNCH_TASKS(kernel, j, ...)                                                                                   \
    do {                                                                                                               \
        deal_tasks<<<(j).t.queues, TASK_THREADS>>>((j).t);                                                             \
        if ((j).steal && (j).scope == 0)                                                                               \
            kernel<TASK_DEVICE, TASK_DEVICE><<<(j).t.queues, TASK_THREADS>>>((j).t, __VA_ARGS__);                      \
        else if ((j).steal && (j).scope == 2)                                                                          \
            kernel<TASK_BLOCK, TASK_REMOTE><<<(j).t.queues, TASK_THREADS>>>((j).t, __VA_ARGS__);                       \
        else if ((j).steal)                                                                                            \
            kernel<TASK_BLOCK, TASK_DEVICE><<<(j).t.queues, TASK_THREADS>>>((j).t, __VA_ARGS__);                       \
        else if ((j).scope)                                                                                            \
            kernel<TASK_BLOCK, TASK_NOBODY><<<(j).t.queues, TASK_THREADS>>>((j).t, __VA_ARGS__);                       \
        else                                                                                                           \
            kernel<TASK_DEVICE, TASK_NOBODY><<<(j).t.queues, TASK_THREADS>>>((j).t, __VA_ARGS__);                      \
        CHECK(cudaGetLastError());                                                                                     \
    } while (0)

#endif

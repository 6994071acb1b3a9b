// Blocks that wait for tasks: in each group of blocks one makes them, one after the other, and the others do them, each with all of
// its threads. A task is there when the one that makes it says so in global memory, which a thread of each idle block polls by loads,
// by atomics or with sleeps between; when a semaphore counts it, by instructions; when it stands in the shared memory of a cluster's
// first block, which the others poll; when it comes to an idle block's own shared memory and counts at an mbarrier there; or when a
// launch has ended that makes all of them.
#include "../waiting.h"

enum { LOAD, POLL, SLEEP, INSTRUCTION, REMOTE, MAIL, LAUNCH, GRAPH, EARLY };

constexpr unsigned MOST_TASKS = 1024, MOST_BLOCKS = 8, PLACES = 2; // of a group, and for tasks that came to a block

__host__ __device__ static constexpr bool in_clusters(unsigned how)
{
    return how == REMOTE || how == MAIL;
}

__host__ __device__ static constexpr bool by_launches(unsigned how)
{
    return how == LAUNCH || how == GRAPH || how == EARLY;
}

__host__ __device__ static unsigned mixed(unsigned x, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        x = (x ^ x >> 15) * 0x2c1b3c6du + i;
    return x;
}

// A task is a number, made of the one before it. Every eighth takes four times as long.
__host__ __device__ static unsigned next_task(unsigned task, unsigned make)
{
    return mixed(task + 0x9e3779b9u, make);
}

__host__ __device__ static unsigned part_of(unsigned task, unsigned length, unsigned thread)
{
    return mixed(task + thread, task % 8 ? length : 4 * length);
}

// A group's queue, in lines of their own: how many tasks are there, how many were taken, and the tasks.
struct queue {
    unsigned ready, unused[31], taken, unused_too[31], tasks[MOST_TASKS];
};

struct shape {
    unsigned group, tasks, make, length; // `tasks` of a group
};

// What a block does of a task: `out` gets the exclusive or of its threads' parts.
__device__ static void do_task(unsigned task, unsigned length, unsigned *out)
{
    unsigned part = part_of(task, length, threadIdx.x);
    for (unsigned distance = 16; distance > 0; distance /= 2)
        part ^= __shfl_xor_sync(0xffffffffu, part, distance);
    if (threadIdx.x % 32 == 0)
        atomicXor(out, part);
}

// ---- queues in global memory ----
template <unsigned HOW> __device__ static void make_tasks(const shape &s, queue *q)
{
    unsigned task = blockIdx.x / s.group;
    for (unsigned i = 0; i < s.tasks; i++) {
        task = next_task(task, s.make);
        q->tasks[i] = task;
#if HAS_INSTRUCTION
        if (HOW == INSTRUCTION)
            lockstep_sem_signal(&q->ready);
#endif
        if (HOW == LOAD || HOW == POLL || HOW == SLEEP) {
            __threadfence();
            *(volatile unsigned *)&q->ready = i + 1;
        }
    }
#if HAS_INSTRUCTION
    for (unsigned i = 1; HOW == INSTRUCTION && i < s.group; i++)
        lockstep_sem_signal(&q->ready); // by which a block learns that there are no more
#endif
}

template <unsigned HOW> __device__ static unsigned ready_tasks(queue *q)
{
    if (HOW == POLL)
        return atomicAdd(&q->ready, 0);
    if (HOW == SLEEP)
        __nanosleep(200);
    return *(volatile unsigned *)&q->ready;
}

// The number of the block's next task, which is there; s.tasks or more: there are no more.
template <unsigned HOW> __device__ static unsigned next_ready(const shape &s, queue *q)
{
#if HAS_INSTRUCTION
    if (HOW == INSTRUCTION)
        lockstep_sem_wait(&q->ready);
#endif
    unsigned number = atomicAdd(&q->taken, 1);
    if (HOW == INSTRUCTION || by_launches(HOW) || number >= s.tasks)
        return number;
    while (ready_tasks<HOW>(q) <= number)
        SPIN_LOOP();
    __threadfence();
    return number;
}

template <unsigned HOW> __device__ static void take_tasks(const shape &s, queue *q, unsigned *out)
{
    __shared__ unsigned number, task;
    for (;;) {
        __syncthreads(); // all have read the last one
        if (threadIdx.x == 0) {
            number = next_ready<HOW>(s, q);
            task = number < s.tasks ? *(volatile unsigned *)&q->tasks[number] : 0;
        }
        __syncthreads();
        if (number >= s.tasks)
            return;
        do_task(task, s.length, &out[number]);
    }
}

// ---- queues in the shared memory of a cluster's first block ----
__device__ static void make_shared_tasks(const shape &s, queue *here)
{
    unsigned task = blockIdx.x / s.group, ready = at_rank(&here->ready, 0);
    for (unsigned i = 0; i < s.tasks; i++) {
        task = next_task(task, s.make);
        here->tasks[i] = task;
        remote_release(ready, i + 1);
    }
}

__device__ static void take_shared_tasks(const shape &s, queue *here, unsigned *out)
{
    __shared__ unsigned number, task;
    unsigned ready = at_rank(&here->ready, 0), taken = at_rank(&here->taken, 0), tasks = at_rank(here->tasks, 0);
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            number = remote_draw(taken);
            while (number < s.tasks && remote_acquire(ready) <= number)
                SPIN_LOOP();
            task = number < s.tasks ? remote_load(tasks + 4 * number) : 0;
        }
        __syncthreads();
        if (number >= s.tasks)
            return;
        do_task(task, s.length, &out[number]);
    }
}

// ---- tasks sent to the blocks that do them, in turn ----
// A place for a task has two mbarriers. `full` ends a phase when a task has come to the block's place; `empty`, in the first block
// alone, when a block has read the task in its place.
struct mailbox {
    uint64_t full[PLACES], empty[MOST_BLOCKS][PLACES];
    unsigned task[PLACES];
};

__device__ static void send_tasks(const shape &s, mailbox *box)
{
    unsigned task = blockIdx.x / s.group;
    for (unsigned i = 0; i < s.tasks; i++) {
        unsigned others = s.group - 1, rank = 1 + i % others, turn = i / others, place = turn % PLACES;
        task = next_task(task, s.make);
        mbarrier_wait_cluster(&box->empty[rank][place], (turn / PLACES & 1) ^ 1);
        remote_send(at_rank(&box->task[place], rank), task, at_rank(&box->full[place], rank));
    }
}

__device__ static void receive_tasks(const shape &s, mailbox *box, unsigned *out)
{
    unsigned turn = 0, rank = cluster_rank();
    for (unsigned i = rank - 1; i < s.tasks; i += s.group - 1, turn++) {
        unsigned place = turn % PLACES;
        if (threadIdx.x == 0)
            mbarrier_expect(&box->full[place], sizeof box->task[place]);
        mbarrier_wait_cluster(&box->full[place], turn / PLACES & 1);
        unsigned task = *(volatile unsigned *)&box->task[place];
        __syncthreads();
        if (threadIdx.x == 0)
            remote_arrive_relaxed(at_rank(&box->empty[rank][place], 0)); // relaxed: the block has written nothing
        do_task(task, s.length, &out[i]);
    }
}

template <unsigned HOW> __device__ static void in_cluster(const shape &s, unsigned *out)
{
    __shared__ queue here;
    __shared__ mailbox box;
    if (HOW == MAIL && threadIdx.x < MOST_BLOCKS)
        for (unsigned place = 0; place < PLACES; place++) {
            mbarrier_init(&box.empty[threadIdx.x][place], 1);
            if (threadIdx.x == 0)
                mbarrier_init(&box.full[place], 1);
        }
    if (threadIdx.x == 0)
        here.ready = here.taken = 0;
    cluster_sync();
    if (cluster_rank() == 0) {
        if (threadIdx.x == 0 && HOW == MAIL)
            send_tasks(s, &box);
        else if (threadIdx.x == 0)
            make_shared_tasks(s, &here);
    } else if (HOW == MAIL) {
        receive_tasks(s, &box, out);
    } else {
        take_shared_tasks(s, &here, out);
    }
    __syncwarp();
    cluster_sync(); // the first block stays until the last has what it wants
}

// `out`: s.tasks words of each group.
template <unsigned HOW> __global__ void tasks(shape s, queue *queues, unsigned *out)
{
    unsigned group = blockIdx.x / s.group;
    out += group * s.tasks;
    if (in_clusters(HOW))
        in_cluster<HOW>(s, out);
    else if (blockIdx.x % s.group)
        take_tasks<HOW>(s, &queues[group], out);
    else if (threadIdx.x == 0)
        make_tasks<HOW>(s, &queues[group]);
}

// The two launches: a block for each group makes its tasks, and then as many as else take them.
__global__ void make_all(shape s, queue *queues)
{
    let_launches_behind_begin();
    s.group = 1;
    if (threadIdx.x == 0)
        make_tasks<LAUNCH>(s, &queues[blockIdx.x]);
}

__global__ void take_all(shape s, queue *queues, unsigned *out)
{
    unsigned group = blockIdx.x / (s.group - 1);
    wait_for_launches_before();
    take_tasks<LAUNCH>(s, &queues[group], out + group * s.tasks);
}

static void run(unsigned how, const shape &s, unsigned groups, unsigned block, queue *queues, unsigned *out)
{
    using kernel = void (*)(shape, queue *, unsigned *);
    static const kernel kernels[] = {tasks<LOAD>, tasks<POLL>, tasks<SLEEP>, tasks<INSTRUCTION>, tasks<REMOTE>, tasks<MAIL>};
    if (!by_launches(how)) {
        launch_in_clusters(in_clusters(how) ? s.group : 0, kernels[how], groups * s.group, block, s, queues, out);
        return;
    }
    launch_row row(how == GRAPH, how == EARLY);
    row.add(make_all, groups, 32, s, queues);
    row.add(take_all, groups * (s.group - 1), block, s, queues, out);
    row.run();
}

static uint64_t wrong_tasks(const std::vector<unsigned> &found, const shape &s, unsigned groups, unsigned block)
{
    uint64_t wrong = 0;
    for (unsigned group = 0; group < groups; group++) {
        unsigned task = group;
        for (unsigned i = 0; i < s.tasks; i++) {
            unsigned expected = 0;
            task = next_task(task, s.make);
            for (unsigned t = 0; t < block; t++)
                expected ^= part_of(task, s.length, t);
            wrong += found[group * s.tasks + i] != expected;
        }
    }
    return wrong;
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"load", "poll", "sleep", "instruction", "remote", "mail", "launch", "graph", "early", nullptr};
    option options[] = {
        {"blocks", "blocks, a multiple of those of a group; all must be resident", 16, 2, 65528, 8, 0},
        {"block", "threads of a block, a multiple of 32", 128, 32, 1024, 64, 0},
        {"group", "blocks of a group, of which one makes tasks: 2, 4 or 8", 8, 2, MOST_BLOCKS, 4, 0},
        {"tasks", "tasks of a group", 192, 1, MOST_TASKS, 40, 0},
        {"make", "rounds that make a task", 16, 1, 1u << 16, 8, 0},
        {"length", "rounds that do a task; four times as many of every eighth", 64, 1, 1u << 16, 16, 0},
        {"how", "load, poll, sleep, instruction, remote, mail, launch, graph or early", LOAD, LOAD, EARLY, LOAD, 0, ways},
    };
    option_read(options, argc, argv);
    unsigned blocks = (unsigned)options[0].value, block = (unsigned)options[1].value, how = (unsigned)options[6].value;
    shape s = {(unsigned)options[2].value, (unsigned)options[3].value, (unsigned)options[4].value, (unsigned)options[5].value};
    if (block % 32 || s.group & (s.group - 1) || blocks % s.group || resident_blocks(tasks<LOAD>, block, blocks) < blocks)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--block, --group and --blocks: see below");
    if (how == INSTRUCTION && !HAS_INSTRUCTION)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--how: instruction, without lockstep/lock.h");
    unsigned groups = blocks / s.group;
    queue *queues = to_device(std::vector<queue>(groups, queue{}));
    unsigned *out = to_device(std::vector<unsigned>((size_t)groups * s.tasks, 0));
    printf("taskqueue: %u groups of %u blocks do %u tasks each\n", groups, s.group, s.tasks);
    run(how, s, groups, block, queues, out);
    uint64_t wrong = wrong_tasks(to_host(out, (size_t)groups * s.tasks), s, groups, block);
    CHECK(cudaFree(queues));
    CHECK(cudaFree(out));
    return verdict("taskqueue", wrong);
}

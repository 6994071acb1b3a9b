// All threads of the grid wait for each other, step after step. At each step a thread writes a word made of one that a thread of
// another block wrote in the step before. Between two steps stands a barrier of the grid: a counter that each block adds to and then
// polls by loads, by atomics, or with sleeps between; a counter of clusters, with the cluster's own barrier or mbarriers of its
// blocks in front of and behind it; cooperative groups; the barrier that is an instruction; or a launch, given by the host or in a
// graph.
#include "../waiting.h"
#include <cooperative_groups.h>

enum { COUNTER, POLL, SLEEP, CLUSTER, LAUNCH, REMOTE, GRAPH, EARLY, GROUPS, INSTRUCTION, WAYS };

__host__ __device__ static constexpr bool in_clusters(unsigned how)
{
    return how == CLUSTER || how == REMOTE;
}

__host__ __device__ static constexpr bool by_launches(unsigned how)
{
    return how == LAUNCH || how == GRAPH || how == EARLY;
}

__host__ __device__ static unsigned next_word(unsigned word, unsigned step)
{
    return (word ^ step) * 1664525u + 1013904223u;
}

// The thread whose word thread i takes: of the block behind, or a little further.
__host__ __device__ static unsigned source_of(unsigned i, unsigned step, unsigned block, unsigned threads)
{
    return (i + block * (1 + step % 3) + step) % threads;
}

template <unsigned HOW> __device__ static unsigned looked_at(unsigned *counter)
{
    if (HOW == POLL)
        return atomicAdd(counter, 0);
    if (HOW == SLEEP)
        __nanosleep(200);
    return *(volatile unsigned *)counter;
}

// One thread arrives at the counter, and waits until as many have as make `whole`.
template <unsigned HOW> __device__ static void meet(unsigned *counter, unsigned whole)
{
    __threadfence();
    atomicAdd(counter, 1);
    while (looked_at<HOW>(counter) < whole)
        SPIN_LOOP();
    __threadfence();
}

template <unsigned HOW> __device__ static void meet_in_blocks(unsigned *counter, unsigned step)
{
    __syncthreads();
    if (threadIdx.x == 0)
        meet<HOW>(counter, (step + 1) * gridDim.x);
    __syncthreads();
}

__device__ static void meet_in_clusters(unsigned *counter, unsigned step, unsigned cluster)
{
    cluster_sync(); // which releases and acquires
    if (threadIdx.x == 0 && cluster_rank() == 0 && gridDim.x > cluster)
        meet<CLUSTER>(counter, (step + 1) * (gridDim.x / cluster));
    cluster_sync();
}

// mbarriers of a block. `come`, of a cluster's first block alone: its blocks arrive there. `go`: the first block tells the block to
// go on.
struct meeting {
    uint64_t come, go;
};

__device__ static void meet_by_mbarriers(meeting *m, unsigned *counter, unsigned step, unsigned cluster)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        remote_arrive_relaxed(at_rank(&m->come, 0));
        if (cluster_rank() == 0) {
            mbarrier_wait_cluster(&m->come, step & 1);
            if (gridDim.x > cluster)
                meet<REMOTE>(counter, (step + 1) * (gridDim.x / cluster));
            else
                __threadfence();
            for (unsigned rank = 0; rank < cluster; rank++)
                remote_arrive_relaxed(at_rank(&m->go, rank));
        }
    }
    mbarrier_wait_cluster(&m->go, step & 1);
}

__device__ static void meet_as_grid()
{
    cooperative_groups::this_grid().sync();
}

__device__ static void meet_by_instruction()
{
#if HAS_INSTRUCTION
    lockstep_barrier_grid();
#endif
}

// Steps from `first` to `last` - 1; step n reads words[n & 1].
template <unsigned HOW>
__global__ void take_steps(volatile unsigned *words, unsigned first, unsigned last, unsigned *counter, unsigned cluster)
{
    __shared__ meeting m;
    unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (HOW == REMOTE) {
        if (threadIdx.x == 0) {
            mbarrier_init(&m.come, cluster);
            mbarrier_init(&m.go, 1);
        }
        cluster_sync();
    }
    if (HOW == EARLY) {
        let_launches_behind_begin();
        wait_for_launches_before();
    }
    for (unsigned step = first; step < last; step++) {
        volatile unsigned *from = words + (step & 1) * threads, *to = words + (~step & 1) * threads;
        to[i] = next_word(from[source_of(i, step, blockDim.x, threads)], step);
        if (step + 1 == last)
            break;
        if (HOW == CLUSTER)
            meet_in_clusters(counter, step, cluster);
        else if (HOW == REMOTE)
            meet_by_mbarriers(&m, counter, step, cluster);
        else if (HOW == GROUPS)
            meet_as_grid();
        else if (HOW == INSTRUCTION)
            meet_by_instruction();
        else
            meet_in_blocks<HOW>(counter, step);
    }
    if (HOW == REMOTE)
        cluster_sync(); // no block ends while another may still arrive at its mbarriers
}

using step_kernel = void (*)(volatile unsigned *, unsigned, unsigned, unsigned *, unsigned);

// GRAPH has the kernel of LAUNCH: each launch of it takes one step, and meets nobody.
static step_kernel kernel_of(unsigned how)
{
    static const step_kernel kernels[WAYS] = {take_steps<COUNTER>, take_steps<POLL>,   take_steps<SLEEP>,  take_steps<CLUSTER>,
                                              take_steps<LAUNCH>,  take_steps<REMOTE>, take_steps<LAUNCH>, take_steps<EARLY>,
                                              take_steps<GROUPS>,  take_steps<INSTRUCTION>};
    return kernels[how];
}

struct shape {
    unsigned steps, blocks, block, cluster, how;
};

static void run(const shape &s, volatile unsigned *words, unsigned *counter)
{
    step_kernel kernel = kernel_of(s.how);
    if (by_launches(s.how)) {
        launch_row row(s.how == GRAPH, s.how == EARLY);
        for (unsigned step = 0; step < s.steps; step++)
            row.add(kernel, s.blocks, s.block, words, step, step + 1, counter, s.cluster);
        row.run();
    } else if (s.how == GROUPS) {
        unsigned first = 0, last = s.steps, cluster = s.cluster;
        void *arguments[] = {(void *)&words, &first, &last, &counter, &cluster};
        CHECK(cudaLaunchCooperativeKernel((const void *)kernel, dim3(s.blocks), dim3(s.block), arguments, 0, 0));
    } else {
        launch_in_clusters(in_clusters(s.how) ? s.cluster : 0, kernel, s.blocks, s.block, words, 0u, s.steps, counter, s.cluster);
    }
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"counter", "poll",  "sleep",  "cluster",     "launch", "remote",
                                       "graph",   "early", "groups", "instruction", nullptr};
    option options[] = {
        {"steps", "steps", 12, 1, 1u << 16, 6, 0},
        {"blocks", "blocks, all of which must be resident", 32, 1, 65528, 16, 0},
        {"block", "threads of a block", 128, 32, 1024, 64, 0},
        {"cluster", "blocks of a cluster", 8, 1, 8, 4, 0},
        {"how", "counter, poll, sleep, cluster, launch, remote, graph, early, groups or instruction", COUNTER, COUNTER,
         INSTRUCTION, COUNTER, 0, ways},
    };
    option_read(options, argc, argv);
    shape s = {(unsigned)options[0].value, (unsigned)options[1].value, (unsigned)options[2].value, (unsigned)options[3].value,
               (unsigned)options[4].value};
    unsigned threads = s.blocks * s.block;
    if (s.blocks % s.cluster || resident_blocks(kernel_of(s.how), s.block, s.blocks) < s.blocks)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--blocks: no clusters, or not resident");
    if (s.how == INSTRUCTION && !HAS_INSTRUCTION)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--how: instruction, without lockstep/lock.h");
    std::vector<unsigned> words(2 * threads), expected[2];
    for (unsigned i = 0; i < threads; i++)
        words[i] = i;
    unsigned *memory = to_device(words), *counter = to_device(std::vector<unsigned>(1, 0));
    printf("gridbarrier: %u steps of %u blocks of %u threads\n", s.steps, s.blocks, s.block);
    run(s, memory, counter);
    std::vector<unsigned> found = to_host(memory, 2 * threads);

    expected[0].assign(words.begin(), words.begin() + threads);
    expected[1].resize(threads);
    for (unsigned step = 0; step < s.steps; step++)
        for (unsigned i = 0; i < threads; i++)
            expected[~step & 1][i] = next_word(expected[step & 1][source_of(i, step, s.block, threads)], step);
    uint64_t wrong = 0;
    for (unsigned i = 0; i < threads; i++)
        wrong += found[(s.steps & 1) * threads + i] != expected[s.steps & 1][i];
    CHECK(cudaFree(memory));
    CHECK(cudaFree(counter));
    return verdict("gridbarrier", wrong);
}

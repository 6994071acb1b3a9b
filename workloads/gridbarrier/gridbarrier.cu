// All threads of the grid wait for each other, step after step. At each step a thread writes a word made of one that a thread of
// another block wrote in the step before. Between two steps stands a barrier of the grid: a counter that each block adds to and then polls by
// loads, by atomics, or with sleeps between; the same for clusters of blocks, whose own barrier stands in front of and behind it; or a launch.
#include "../waiting.h"

enum { COUNTER, POLL, SLEEP, CLUSTER, LAUNCH };

__host__ __device__ static unsigned next_word(unsigned word, unsigned step)
{
    return (word ^ step) * 1664525u + 1013904223u;
}

// The thread whose word thread i takes: of the block behind, or a little further.
__host__ __device__ static unsigned source_of(unsigned i, unsigned step, unsigned block, unsigned threads)
{
    return (i + block * (1 + step % 3) + step) % threads;
}

__device__ static unsigned looked_at(unsigned *counter, unsigned how)
{
    if (how == POLL)
        return atomicAdd(counter, 0);
    if (how == SLEEP)
        __nanosleep(200);
    return *(volatile unsigned *)counter;
}

// One thread arrives at the counter, and waits until as many have as make `whole`.
__device__ static void meet(unsigned *counter, unsigned whole, unsigned how)
{
    __threadfence();
    atomicAdd(counter, 1);
    while (looked_at(counter, how) < whole)
        SPIN_LOOP();
    __threadfence();
}

__device__ static void wait_for_grid(unsigned *counter, unsigned step, unsigned cluster, unsigned how)
{
    unsigned parties = how == CLUSTER ? gridDim.x / cluster : gridDim.x;
    bool comes = threadIdx.x == 0;
    if (how == CLUSTER) {
        __threadfence();
        cluster_sync();
        comes = comes && cluster_rank() == 0;
    } else {
        __syncthreads();
    }
    if (comes)
        meet(counter, (step + 1) * parties, how);
    if (how == CLUSTER)
        cluster_sync();
    else
        __syncthreads();
}

// Steps from `first` to `last` - 1; step n reads words[n & 1].
__global__ void take_steps(volatile unsigned *words, unsigned first, unsigned last, unsigned *counter, unsigned cluster, unsigned how)
{
    unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned step = first; step < last; step++) {
        volatile unsigned *from = words + (step & 1) * threads, *to = words + (~step & 1) * threads;
        to[i] = next_word(from[source_of(i, step, blockDim.x, threads)], step);
        if (step + 1 < last)
            wait_for_grid(counter, step, cluster, how);
    }
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"counter", "poll", "sleep", "cluster", "launch", nullptr};
    option options[] = {
        {"steps", "steps", 12, 1, 1u << 16, 6, 0},
        {"blocks", "blocks, all of which must be resident", 32, 1, 65528, 16, 0},
        {"block", "threads of a block", 128, 32, 1024, 64, 0},
        {"cluster", "blocks of a cluster", 8, 1, 8, 4, 0},
        {"how", "counter, poll, sleep, cluster or launch", COUNTER, COUNTER, LAUNCH, COUNTER, 0, ways},
    };
    option_read(options, argc, argv);
    unsigned steps = (unsigned)options[0].value, blocks = (unsigned)options[1].value, block = (unsigned)options[2].value,
             cluster = (unsigned)options[3].value, how = (unsigned)options[4].value, threads = blocks * block;
    if (blocks % cluster || resident_blocks(take_steps, block, blocks) < blocks)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--blocks: no clusters, or not resident");
    std::vector<unsigned> words(2 * threads), expected[2];
    for (unsigned i = 0; i < threads; i++)
        words[i] = i;
    unsigned *memory = to_device(words), *counter = to_device(std::vector<unsigned>(1, 0));
    printf("gridbarrier: %u steps of %u blocks of %u threads\n", steps, blocks, block);
    for (unsigned first = 0; first < steps; first += how == LAUNCH ? 1 : steps)
        launch_in_clusters(how == CLUSTER ? cluster : 0, take_steps, blocks, block, (volatile unsigned *)memory, first,
                           how == LAUNCH ? first + 1 : steps, counter, cluster, how);
    std::vector<unsigned> found = to_host(memory, 2 * threads);

    expected[0].assign(words.begin(), words.begin() + threads);
    expected[1].resize(threads);
    for (unsigned step = 0; step < steps; step++)
        for (unsigned i = 0; i < threads; i++)
            expected[~step & 1][i] = next_word(expected[step & 1][source_of(i, step, block, threads)], step);
    uint64_t wrong = 0;
    for (unsigned i = 0; i < threads; i++)
        wrong += found[(steps & 1) * threads + i] != expected[steps & 1][i];
    CHECK(cudaFree(memory));
    CHECK(cudaFree(counter));
    return verdict("gridbarrier", wrong);
}

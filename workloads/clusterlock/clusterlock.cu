// A lock for each cluster of blocks: one thread of every warp takes it again and again. The lock and what it guards lie in the
// shared memory of the cluster's first block, where all blocks reach it by remote atomics; or, for groups of blocks that are no clusters,
// in global memory: taken by compare and swap, at once again or after a sleep, or by tickets.
#include "../waiting.h"

enum { CLUSTER, CAS, SLEEP, TICKET };

// `word` is the lock, or a ticket's next number; `count`: how often it was taken. Locks lie in lines of their own.
struct guarded {
    unsigned word, called, count, unused[29];
};

__device__ static unsigned remote_cas(unsigned at, unsigned expected, unsigned value)
{
    unsigned old;
    asm volatile("atom.acquire.cluster.shared::cluster.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "r"(at), "r"(expected), "r"(value)
                 : "memory");
    return old;
}

__device__ static void remote_release(unsigned at, unsigned value)
{
    asm volatile("st.release.cluster.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
}

// Time passes in the section, between the load of what the lock guards and the store.
__device__ static void hold_for(unsigned operations)
{
    unsigned value = operations;
    for (unsigned i = 0; i < operations; i++)
        asm volatile("mad.lo.u32 %0, %0, 5, 1;" : "+r"(value));
}

// Threads that take locks, one a warp, are numbered over the grid; `seen`: the count that each section found.
struct taker {
    unsigned thread, rounds, hold, *seen;
};

__device__ static void take_remote(const taker &t, unsigned word, unsigned count)
{
    for (unsigned round = 0; round < t.rounds; round++) {
        while (remote_cas(word, 0, 1) != 0)
            SPIN_LOOP();
        unsigned found = remote_load(count);
        t.seen[t.thread * t.rounds + round] = found;
        hold_for(t.hold);
        remote_store(count, found + 1);
        remote_release(word, 0);
    }
}

__device__ static void section(const taker &t, guarded *lock, unsigned round)
{
    __threadfence();
    volatile unsigned *count = &lock->count;
    unsigned found = *count;
    t.seen[t.thread * t.rounds + round] = found;
    hold_for(t.hold);
    *count = found + 1;
    __threadfence();
}

__device__ static void take_global(const taker &t, guarded *lock, bool sleeps)
{
    for (unsigned round = 0; round < t.rounds; round++) {
        while (atomicCAS(&lock->word, 0, 1) != 0) {
            SPIN_LOOP();
            if (sleeps)
                __nanosleep(200);
        }
        section(t, lock, round);
        atomicExch(&lock->word, 0);
    }
}

__device__ static void take_tickets(const taker &t, guarded *lock)
{
    volatile unsigned *called = &lock->called;
    for (unsigned round = 0; round < t.rounds; round++) {
        unsigned number = atomicAdd(&lock->word, 1);
        while (*called != number)
            SPIN_LOOP();
        section(t, lock, round);
        *called = number + 1;
    }
}

// `group`: blocks that share a lock.
__global__ void take_turns(guarded *locks, unsigned group, unsigned rounds, unsigned hold, unsigned how, unsigned *seen)
{
    __shared__ guarded here;
    taker t = {(blockIdx.x * blockDim.x + threadIdx.x) / 32, rounds, hold, seen};
    guarded *lock = &locks[blockIdx.x / group];
    if (how == CLUSTER) {
        if (threadIdx.x == 0)
            here.word = here.count = 0;
        cluster_sync();
        if (threadIdx.x % 32 == 0)
            take_remote(t, at_rank(&here.word, 0), at_rank(&here.count, 0));
        __syncwarp();
        cluster_sync(); // the first block stays until the last has what it wants
        if (cluster_rank() == 0 && threadIdx.x == 0)
            lock->count = here.count;
    } else if (threadIdx.x % 32 == 0) {
        if (how == TICKET)
            take_tickets(t, lock);
        else
            take_global(t, lock, how == SLEEP);
    }
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"cluster", "cas", "sleep", "ticket", nullptr};
    option options[] = {
        {"blocks", "blocks, a multiple of those of a group", 32, 1, 65528, 8, 0},
        {"block", "threads of a block, a multiple of 32: one of 32 takes the lock", 128, 32, 1024, 64, 0},
        {"group", "blocks that share a lock: a cluster", 8, 1, 8, 4, 0},
        {"rounds", "times that each taker takes it", 8, 1, 1u << 16, 4, 0},
        {"hold", "operations in the section", 16, 0, 1u << 16, 4, 0},
        {"how", "cluster, cas, sleep or ticket", CLUSTER, CLUSTER, TICKET, CLUSTER, 0, ways},
    };
    option_read(options, argc, argv);
    unsigned blocks = (unsigned)options[0].value, block = (unsigned)options[1].value, group = (unsigned)options[2].value,
             rounds = (unsigned)options[3].value, hold = (unsigned)options[4].value, how = (unsigned)options[5].value;
    if (block % 32 || blocks % group)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--block, --group and --blocks: see below");
    unsigned takers = group * (block / 32) * rounds, groups = blocks / group;
    guarded *locks = to_device(std::vector<guarded>(groups, guarded{}));
    unsigned *seen = to_device(std::vector<unsigned>((size_t)takers * groups, UINT32_MAX));
    printf("clusterlock: %u locks, each taken %u times by %u blocks\n", groups, takers, group);
    launch_in_clusters(how == CLUSTER ? group : 0, take_turns, blocks, block, locks, group, rounds, hold, how, seen);

    std::vector<guarded> last = to_host(locks, groups);
    std::vector<unsigned> found = to_host(seen, (size_t)takers * groups);
    uint64_t wrong = 0;
    for (unsigned g = 0; g < groups; g++) {
        std::vector<unsigned> times(takers, 0);
        for (unsigned i = 0; i < takers; i++)
            if (found[g * takers + i] < takers)
                times[found[g * takers + i]]++;
        for (unsigned n : times)
            wrong += n != 1;
        wrong += last[g].count != takers;
    }
    CHECK(cudaFree(locks));
    CHECK(cudaFree(seen));
    return verdict("clusterlock", wrong);
}

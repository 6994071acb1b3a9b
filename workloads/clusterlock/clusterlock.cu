// A lock for each group of blocks: one thread of every warp takes it again and again. In a group that is a cluster, the lock and
// what it guards lie in the shared memory of its first block, where all blocks reach it by remote atomics; or each taker waits at an
// mbarrier of its own block, at which the taker before it arrives. In other groups the lock lies in global memory: taken by compare
// and swap, at once again, after a look or after a sleep, by tickets, or by the instruction that waits for it.
#include "../waiting.h"

enum { CLUSTER, CAS, SLEEP, TICKET, TEST, INSTRUCTION, QUEUE, WAYS };

__host__ __device__ static constexpr bool in_clusters(unsigned how)
{
    return how == CLUSTER || how == QUEUE;
}

// `word` is the lock, or a ticket's next number; `count`: how often it was taken. Locks lie in lines of their own.
struct guarded {
    unsigned word, called, count, unused[29];
};

// A taker of a queue: who comes after it, and where it is told that the lock is its own.
struct place {
    uint64_t turn;
    unsigned next, unused;
};
constexpr unsigned MOST_WARPS = 32, NOBODY = 0;

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

__device__ static void section_remote(const taker &t, unsigned count, unsigned round)
{
    unsigned found = remote_load(count);
    t.seen[t.thread * t.rounds + round] = found;
    hold_for(t.hold);
    remote_store(count, found + 1);
}

__device__ static void take_remote(const taker &t, unsigned word, unsigned count)
{
    for (unsigned round = 0; round < t.rounds; round++) {
        while (remote_cas(word, 0, 1) != 0)
            SPIN_LOOP();
        section_remote(t, count, round);
        remote_release(word, 0);
    }
}

// The queue of Mellor-Crummey and Scott. `tail` holds the number, from 1 on, of the taker that came last, and NOBODY while the lock
// is free. A taker that finds a number there writes its own to that one's `next`, and waits at its own mbarrier.
__device__ static void take_queued(const taker &t, place *places, unsigned tail, unsigned count)
{
    unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32, number = cluster_rank() * warps + warp + 1, waits = 0;
    unsigned own_next = at_rank(&places[warp].next, cluster_rank());
    for (unsigned round = 0; round < t.rounds; round++) {
        places[warp].next = NOBODY;
        unsigned before = remote_swap(tail, number);
        if (before != NOBODY) {
            remote_release(at_rank(&places[(before - 1) % warps].next, (before - 1) / warps), number);
            mbarrier_wait_cluster(&places[warp].turn, waits++ & 1);
        }
        section_remote(t, count, round);
        unsigned next = remote_acquire(own_next);
        if (next == NOBODY && remote_cas(tail, number, NOBODY) == number)
            continue;
        while (next == NOBODY) {
            SPIN_LOOP();
            next = remote_acquire(own_next);
        }
        remote_arrive(at_rank(&places[(next - 1) % warps].turn, (next - 1) / warps));
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

template <unsigned HOW> __device__ static void take_global(const taker &t, guarded *lock)
{
    volatile unsigned *word = &lock->word;
    for (unsigned round = 0; round < t.rounds; round++) {
        while ((HOW == TEST && *word != 0) || atomicCAS(&lock->word, 0, 1) != 0) {
            SPIN_LOOP();
            if (HOW == SLEEP)
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

// lockstep_lock acquires and lockstep_unlock releases, so the section needs no fences.
__device__ static void take_by_instruction(const taker &t, guarded *lock)
{
#if HAS_INSTRUCTION
    volatile unsigned *count = &lock->count;
    for (unsigned round = 0; round < t.rounds; round++) {
        lockstep_lock(&lock->word);
        unsigned found = *count;
        t.seen[t.thread * t.rounds + round] = found;
        hold_for(t.hold);
        *count = found + 1;
        lockstep_unlock(&lock->word);
    }
#else
    (void)t, (void)lock;
#endif
}

template <unsigned HOW> __device__ static void take_in_cluster(const taker &t, guarded *lock)
{
    __shared__ guarded here;
    __shared__ place places[MOST_WARPS];
    if (threadIdx.x == 0)
        here.word = here.count = 0;
    if (HOW == QUEUE && threadIdx.x % 32 == 0)
        mbarrier_init(&places[threadIdx.x / 32].turn, 1);
    cluster_sync();
    if (threadIdx.x % 32 == 0) {
        unsigned word = at_rank(&here.word, 0), count = at_rank(&here.count, 0);
        if (HOW == QUEUE)
            take_queued(t, places, word, count);
        else
            take_remote(t, word, count);
    }
    __syncwarp();
    cluster_sync(); // the first block stays until the last has what it wants
    if (cluster_rank() == 0 && threadIdx.x == 0)
        lock->count = here.count;
}

// `group`: blocks that share a lock.
template <unsigned HOW> __global__ void take_turns(guarded *locks, unsigned group, unsigned rounds, unsigned hold, unsigned *seen)
{
    taker t = {(blockIdx.x * blockDim.x + threadIdx.x) / 32, rounds, hold, seen};
    guarded *lock = &locks[blockIdx.x / group];
    if (in_clusters(HOW)) {
        take_in_cluster<HOW>(t, lock);
    } else if (threadIdx.x % 32 == 0) {
        if (HOW == TICKET)
            take_tickets(t, lock);
        else if (HOW == INSTRUCTION)
            take_by_instruction(t, lock);
        else
            take_global<HOW>(t, lock);
    }
}

using lock_kernel = void (*)(guarded *, unsigned, unsigned, unsigned, unsigned *);
static const lock_kernel kernels[WAYS] = {take_turns<CLUSTER>, take_turns<CAS>,         take_turns<SLEEP>, take_turns<TICKET>,
                                          take_turns<TEST>,    take_turns<INSTRUCTION>, take_turns<QUEUE>};

int main(int argc, char **argv)
{
    static const char *const ways[] = {"cluster", "cas", "sleep", "ticket", "test", "instruction", "queue", nullptr};
    option options[] = {
        {"blocks", "blocks, a multiple of those of a group", 32, 1, 65528, 8, 0},
        {"block", "threads of a block, a multiple of 32: one of 32 takes the lock", 128, 32, 1024, 64, 0},
        {"group", "blocks that share a lock: a cluster", 8, 1, 8, 4, 0},
        {"rounds", "times that each taker takes it", 8, 1, 1u << 16, 4, 0},
        {"hold", "operations in the section", 16, 0, 1u << 16, 4, 0},
        {"how", "cluster, cas, sleep, ticket, test, instruction or queue", CLUSTER, CLUSTER, QUEUE, CLUSTER, 0, ways},
    };
    option_read(options, argc, argv);
    unsigned blocks = (unsigned)options[0].value, block = (unsigned)options[1].value, group = (unsigned)options[2].value,
             rounds = (unsigned)options[3].value, hold = (unsigned)options[4].value, how = (unsigned)options[5].value;
    if (block % 32 || blocks % group)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--block, --group and --blocks: see below");
    if (how == INSTRUCTION && !HAS_INSTRUCTION)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--how: instruction, without lockstep/lock.h");
    unsigned takers = group * (block / 32) * rounds, groups = blocks / group;
    guarded free_lock = {};
    free_lock.word = how == INSTRUCTION ? UINT32_MAX : 0; // LOCKSTEP_LOCK_FREE
    guarded *locks = to_device(std::vector<guarded>(groups, free_lock));
    unsigned *seen = to_device(std::vector<unsigned>((size_t)takers * groups, UINT32_MAX));
    printf("clusterlock: %u locks, each taken %u times by %u blocks\n", groups, takers, group);
    launch_in_clusters(in_clusters(how) ? group : 0, kernels[how], blocks, block, locks, group, rounds, hold, seen);

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

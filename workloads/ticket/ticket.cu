// Ticket locks: who wants a lock draws a number and waits until it is called. The lock goes to its takers in the order
// in which they came, so that exactly one thread can use a release, and a delay of that thread delays all behind it.
//
// The wait is inside the thread's own loop, which also holds the critical section and the call of the next number, as
// in hashtable: lanes of one warp wait for the same lock.
#include "../workload.h"

struct ticket_lock {
    unsigned next, called;
};

// `called` and what the lock guards are volatile and stand between fences, for the reasons given in hashtable. `count`
// is how often a lock was taken, `seen` the count that a critical section found.
__global__ void take_turns(ticket_lock *locks, unsigned lock_count, unsigned rounds, volatile unsigned *counts,
                           unsigned *numbers, unsigned *seen)
{
    unsigned threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned own = thread % lock_count;
    volatile unsigned *called = &locks[own].called;
    for (unsigned round = 0; round < rounds; round++) {
        unsigned at = round * threads + thread, number = atomicAdd(&locks[own].next, 1);
        bool done = false;
        while (!done) {
            SPIN_LOOP();
            if (*called == number) {
                __threadfence();
                unsigned count = counts[own];
                counts[own] = count + 1;
                numbers[at] = number;
                seen[at] = count;
                __threadfence();
                *called = number + 1;
                done = true;
            }
        }
    }
}

static uint64_t wrong_if(bool bad, const char *what, uint64_t where)
{
    if (bad)
        fprintf(stderr, "ticket: %s %llu\n", what, (unsigned long long)where);
    return bad;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"rounds", "times that each thread takes its lock", 4, 1, 1u << 16, 2, 0},
        {"threads", "threads in all", 3840, 1, 1u << 20, 384, 0},
        {"block", "threads of a block", 128, 1, 1024, 64, 0},
        {"locks", "shared by the threads in turn", 64, 1, 1u << 20, 16, 0},
    };
    option_read(options, argc, argv);
    unsigned rounds = (unsigned)options[0].value, threads = (unsigned)options[1].value,
             block = (unsigned)options[2].value, lock_count = (unsigned)options[3].value;
    unsigned blocks = (threads + block - 1) / block;
    threads = blocks * block;

    ticket_lock *locks = to_device(std::vector<ticket_lock>(lock_count, ticket_lock{0, 0}));
    unsigned *counts = to_device(std::vector<unsigned>(lock_count, 0));
    std::vector<unsigned> none((size_t)rounds * threads, UINT32_MAX);
    unsigned *numbers = to_device(none), *seen = to_device(none);
    printf("ticket: %u blocks of %u threads take %u locks, each thread %u times\n", blocks, block, lock_count, rounds);
    take_turns<<<blocks, block>>>(locks, lock_count, rounds, counts, numbers, seen);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    std::vector<ticket_lock> last = to_host(locks, lock_count);
    std::vector<unsigned> count = to_host(counts, lock_count), drawn = to_host(numbers, none.size()),
                          found = to_host(seen, none.size()), takers(lock_count, 0);
    uint64_t wrong = 0;
    for (size_t i = 0; i < none.size() && wrong < 10; i++) {
        takers[i % threads % lock_count]++;
        wrong += wrong_if(drawn[i] != found[i], "not in the order of the numbers: turn", i);
    }
    for (unsigned k = 0; k < lock_count && wrong < 10; k++) {
        wrong += wrong_if(last[k].called != takers[k] || last[k].next != takers[k], "not all were called: lock", k);
        wrong += wrong_if(count[k] != takers[k], "not counted once a taker: lock", k);
    }
    CHECK(cudaFree(locks));
    CHECK(cudaFree(counts));
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(seen));
    return verdict("ticket", wrong);
}

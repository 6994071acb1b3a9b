// Insertion into a chained hash table whose buckets are guarded by spin locks: many threads, few buckets, short
// critical sections. Every thread inserts keys of the input at a stride; the bucket of a key is the key modulo the
// number of buckets.
//
// The lock is a try-lock inside the thread's own loop, with the release inside the same loop. A warp executes both
// sides of a branch one after the other, so a thread that has the lock must be able to reach its release while others
// of its warp keep failing; `while (atomicCAS(lock, 0, 1)) {}` before the critical section would never end on such a
// machine.
#include "../order.h"
#include "../workload.h"

constexpr unsigned END = 0xffffffffu; // ends a chain, and is the head of an empty bucket

struct node {
    unsigned key, value, next;
};

// Which loads may be stale? The atomicCAS alone orders nothing, and a cache of the SM may still hold a bucket's head
// from before another SM changed it. So a fence follows the lock (acquire) and another goes before the unlock
// (release), and every load of what the lock guards stands between the two. The head is volatile as well: on a machine
// whose fences leave the L1 cache alone (as Fermi's may), only a load that passes the L1 by is sure to see the last
// store. `keys` is constant during the launch and may be cached; a node is written by one thread and read by the host
// alone.
//
// The lock of bucket b is locks[b * spacing].
__global__ void insert(const unsigned *keys, unsigned insertions, node *nodes, volatile unsigned *heads, int *locks,
                       unsigned buckets, unsigned spacing)
{
    unsigned threads = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < insertions; i += threads) {
        unsigned key = keys[i], b = key % buckets;
        int *lock = &locks[b * spacing];
        nodes[i].key = key;
        nodes[i].value = ~key;
        bool done = false;
        while (!done) {
            SPIN_LOOP();
            if (atomicCAS(lock, 0, 1) == 0) {
                __threadfence();
                nodes[i].next = heads[b];
                heads[b] = i;
                __threadfence();
                done = true;
                atomicExch(lock, 0);
            }
        }
    }
}

// The same with a pause in software: a thread that did not get the lock lets `pause` cycles pass before its next try.
__global__ void insert_pausing(const unsigned *keys, unsigned insertions, node *nodes, volatile unsigned *heads,
                               int *locks, unsigned buckets, unsigned spacing, unsigned pause)
{
    unsigned threads = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < insertions; i += threads) {
        unsigned key = keys[i], b = key % buckets;
        int *lock = &locks[b * spacing];
        nodes[i].key = key;
        nodes[i].value = ~key;
        bool done = false;
        while (!done) {
            SPIN_LOOP();
            if (atomicCAS(lock, 0, 1) == 0) {
                __threadfence();
                nodes[i].next = heads[b];
                heads[b] = i;
                __threadfence();
                done = true;
                atomicExch(lock, 0);
            } else {
                for (long long start = clock64(); clock64() - start < pause;) {
                }
            }
        }
    }
}

// The same with locks that order by themselves: no fence, and nothing need pass the L1 by.
__global__ void insert_acquiring(const unsigned *keys, unsigned insertions, node *nodes, unsigned *heads, int *locks,
                                 unsigned buckets, unsigned spacing)
{
    unsigned threads = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < insertions; i += threads) {
        unsigned key = keys[i], b = key % buckets;
        int *lock = &locks[b * spacing];
        nodes[i].key = key;
        nodes[i].value = ~key;
        bool done = false;
        while (!done) {
            SPIN_LOOP();
            if (try_acquire(lock)) {
                nodes[i].next = heads[b];
                heads[b] = i;
                done = true;
                release(lock);
            }
        }
    }
}

#include "locked.h"

static uint64_t wrong_if(bool bad, const char *what, uint64_t where)
{
    if (bad)
        fprintf(stderr, "hashtable: %s %llu\n", what, (unsigned long long)where);
    return bad;
}

// Walks every chain. A node met twice ends the walk of its chain, so that a cycle cannot hold the check.
static uint64_t check(const std::vector<unsigned> &keys, const std::vector<node> &nodes,
                      const std::vector<unsigned> &heads, const std::vector<int> &locks, int unlocked, unsigned spacing,
                      unsigned *longest)
{
    uint64_t wrong = 0, linked = 0;
    std::vector<bool> seen(nodes.size());
    *longest = 0;
    for (size_t b = 0; b < heads.size(); b++) {
        wrong += wrong_if(locks[b * spacing] != unlocked, "still locked: bucket", b);
        unsigned length = 0;
        for (unsigned i = heads[b]; i != END; i = nodes[i].next, length++) {
            bool bad = i >= nodes.size() || seen[i];
            wrong += wrong_if(bad, "a chain runs out of the table or into itself: bucket", b);
            if (bad)
                break;
            seen[i] = true;
            wrong += wrong_if(nodes[i].key != keys[i] || nodes[i].value != ~keys[i], "key or value of node", i);
            wrong += wrong_if(nodes[i].key % heads.size() != b, "in the wrong chain: node", i);
        }
        linked += length;
        *longest = length > *longest ? length : *longest;
    }
    return wrong + wrong_if(linked != nodes.size(), "insertions not equal to the nodes linked:", linked);
}

int main(int argc, char **argv)
{
    option options[] = {
        {"insertions", "keys to insert", 40960, 1, 1u << 28, 1536, 3276800},
        {"threads", "threads in all", 10240, 1, 1u << 26, 512, 40960},
        {"block", "threads of a block", 256, 1, 1024, 128, 256},
        {"buckets", "buckets, one lock each", 1024, 1, 1u << 22, 64, 1024},
        {"spacing", "bytes from lock to lock, whole words", 4, 4, 1024, 4, 4},
        {"pause", "cycles that software waits after a failed try", 0, 0, 1u << 20, 0, 0},
        {"acquire", "1: locks order by acquire and release, not by fences", 0, 0, 1, 0, 0},
        {"seed", "of the keys", 2011, 0, UINT64_MAX, 2011, 2011},
        {"sync", "atomics, lock or trylock: how buckets are locked", SYNC_ATOMICS, SYNC_ATOMICS, SYNC_TRYLOCK,
         SYNC_ATOMICS, 0, sync_words},
    };
    option_read(options, argc, argv);
    unsigned insertions = (unsigned)options[0].value, threads = (unsigned)options[1].value,
             block = (unsigned)options[2].value;
    unsigned buckets = (unsigned)options[3].value, spacing = (unsigned)options[4].value / 4, longest;
    unsigned pause = (unsigned)options[5].value;
    bool acquire = options[6].value;
    generator random = {options[7].value};
    std::vector<unsigned> keys(insertions);
    for (unsigned &key : keys)
        key = (unsigned)random.next();
    unsigned blocks = (threads + block - 1) / block;
    uint64_t sync = options[8].value;
    int unlocked = sync == SYNC_ATOMICS ? 0 : (int)LOCKSTEP_LOCK_FREE;

    unsigned *dkeys = to_device(keys), *heads = to_device(std::vector<unsigned>(buckets, END));
    int *locks = to_device(std::vector<int>(buckets * spacing, unlocked));
    node *nodes = to_device(std::vector<node>(insertions, node{0, 0, END}));
    printf("hashtable: %u insertions by %u blocks of %u threads into %u buckets\n", insertions, blocks, block, buckets);
    if (acquire && pause)
        option_refuse(argv[0], options, sizeof options / sizeof *options, "--pause with --acquire");
    if (sync != SYNC_ATOMICS && (acquire || pause))
        option_refuse(argv[0], options, sizeof options / sizeof *options, "--acquire or --pause with --sync");
    if (sync != SYNC_ATOMICS)
        (sync == SYNC_LOCK ? insert_locked<SYNC_LOCK> : insert_locked<SYNC_TRYLOCK>)<<<blocks, block>>>(
            dkeys, insertions, nodes, heads, (unsigned *)locks, buckets, spacing);
    else if (acquire)
        insert_acquiring<<<blocks, block>>>(dkeys, insertions, nodes, heads, locks, buckets, spacing);
    else if (pause)
        insert_pausing<<<blocks, block>>>(dkeys, insertions, nodes, heads, locks, buckets, spacing, pause);
    else
        insert<<<blocks, block>>>(dkeys, insertions, nodes, heads, locks, buckets, spacing);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    uint64_t wrong = check(keys, to_host(nodes, insertions), to_host(heads, buckets), to_host(locks, buckets * spacing),
                           unlocked, spacing, &longest);
    printf("hashtable: longest chain %u\n", longest);
    CHECK(cudaFree(dkeys));
    CHECK(cudaFree(heads));
    CHECK(cudaFree(locks));
    CHECK(cudaFree(nodes));
    return verdict("hashtable", wrong);
}

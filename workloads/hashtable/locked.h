// The same insertion with lock instructions. They order by themselves, as the locks of insert_acquiring do. Included by
// hashtable.cu, whose nodes these kernels use.
#ifndef LOCKSTEP_HASHTABLE_LOCKED_H
#define LOCKSTEP_HASHTABLE_LOCKED_H

#include "../locks.h"

static __device__ __forceinline__ void put_first(node *nodes, unsigned i, unsigned *head)
{
    nodes[i].next = *head;
    *head = i;
}

// LOCK waits inside the instruction; TRYLOCK makes one attempt, and the thread's own loop makes the next.
template <int FORM>
__global__ void insert_locked(const unsigned *keys, unsigned insertions, node *nodes, unsigned *heads, unsigned *locks,
                              unsigned buckets, unsigned spacing)
{
    unsigned threads = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < insertions; i += threads) {
        unsigned key = keys[i], b = key % buckets;
        unsigned *lock = &locks[b * spacing];
        nodes[i].key = key;
        nodes[i].value = ~key;
        if (FORM == SYNC_LOCK) {
            lockstep_lock(lock);
            put_first(nodes, i, &heads[b]);
            lockstep_unlock(lock);
            continue;
        }
        bool done = false;
        while (!done) {
            SPIN_LOOP();
            if (lockstep_trylock(lock)) {
                put_first(nodes, i, &heads[b]);
                done = true;
                lockstep_unlock(lock);
            }
        }
    }
}

#endif

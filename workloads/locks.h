// Ways of taking a lock that several programs offer as --sync: atomics in the shape that a stack of lanes allows, or
// the lock instructions of lockstep/lock.h, which need no such shape. The words are the same: LOCKSTEP_LOCK_FREE, or
// held.
#ifndef LOCKSTEP_LOCKS_H
#define LOCKSTEP_LOCKS_H

#include "workload.h"
#include <lockstep/lock.h>

enum sync_form { SYNC_ATOMICS, SYNC_LOCK, SYNC_TRYLOCK };
static const char *const sync_words[] = {"atomics", "lock", "trylock"};

// Atomics that order as the lock instructions do: who takes a lock sees what was written under it, and no fence is
// needed.
__device__ inline bool try_word(unsigned *lock)
{
    unsigned found;
    asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], %2, 0;"
                 : "=r"(found)
                 : "l"(lock), "r"(LOCKSTEP_LOCK_FREE)
                 : "memory");
    return found == LOCKSTEP_LOCK_FREE;
}

__device__ inline void free_word(unsigned *lock)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(lock), "r"(LOCKSTEP_LOCK_FREE) : "memory");
}

// Does `work` under the lock. With atomics, the critical section and the release stand in the loop that tries, so that
// lanes which have the lock get through it while others of their warp fail.
template <int FORM, typename Work> __device__ inline void under_lock(unsigned *lock, Work work)
{
    if (FORM == SYNC_LOCK) {
        lockstep_lock(lock);
        work();
        lockstep_unlock(lock);
        return;
    }
    bool done = false;
    while (!done) {
        SPIN_LOOP();
        if (try_word(lock)) {
            work();
            done = true;
            free_word(lock);
        }
    }
}

static inline std::vector<unsigned> free_locks(size_t count)
{
    return std::vector<unsigned>(count, LOCKSTEP_LOCK_FREE);
}

#endif

// Locks that order by themselves, as the PTX memory model has it (compute capability 7.0 and later): who takes one sees what
// whoever gave it back had written, at the scope of the device, without a fence.
#ifndef LOCKSTEP_ORDER_H
#define LOCKSTEP_ORDER_H

__device__ inline bool try_acquire(int *lock)
{
    int found;
    asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(found) : "l"(lock) : "memory");
    return found == 0;
}

__device__ inline void release(int *lock)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(lock), "r"(0) : "memory");
}

#endif

/* Locks and semaphores that hardware knows: lanes of one warp may wait for each other, and a critical section is written
 * as for one thread (Ramamurthy, "Towards scalar synchronization in SIMT architectures", 2011). They are Lockstep's own
 * instructions, so no NVIDIA tool makes machine code of them: nvcc takes this header where it makes PTX alone
 * (-gencode arch=compute_75,code=compute_75). It needs nothing but the qualifiers of cuda_runtime.h.
 *
 * A lock is a word of 32 bits in global or shared memory: LOCKSTEP_LOCK_FREE, or the number of the thread in the grid
 * that holds it. Taking one acquires, giving it back releases, at the scope of the device. For int and unsigned:
 *   void lockstep_lock(T *lock);                       (a statement) comes back with the lock
 *   void lockstep_unlock(T *lock);                     (a statement) by the thread that has it
 *   bool lockstep_trylock(T *lock);                    one attempt; true: the thread has it now
 *   bool lockstep_lock_attempts(T *lock, unsigned n);  gives up when n attempts have failed
 *   bool lockstep_lock_cycles(T *lock, unsigned n);    gives up at the first attempt that fails n cycles or more after
 *                                                      the first one
 * A semaphore is a word that counts what is there:
 *   void lockstep_sem_wait(T *semaphore);              (a statement) waits until it is above 0, and takes 1 away
 *   void lockstep_sem_signal(T *semaphore);            (a statement) adds 1
 * And a barrier of all threads of the grid, whose blocks must all be resident, with fences on both sides:
 *   void lockstep_barrier_grid();                      (a statement) */
#ifndef LOCKSTEP_LOCK_H
#define LOCKSTEP_LOCK_H

#define LOCKSTEP_LOCK_FREE 0xffffffffu

/* An instruction that only has an address: in the program's own source line, so that reports name that. */
#define LOCKSTEP_LOCK_PLAIN(OP, WORD) asm volatile("lockstep." OP " [%0];" : : "l"(lockstep_word(WORD)) : "memory")
#define lockstep_lock(LOCK) LOCKSTEP_LOCK_PLAIN("lock.b32", LOCK)
#define lockstep_unlock(LOCK) LOCKSTEP_LOCK_PLAIN("unlock.b32", LOCK)
#define lockstep_barrier_grid()                                                                                        \
    asm volatile("fence.acq_rel.gpu;\n\tlockstep.barrier.grid;\n\tfence.acq_rel.gpu;" : : : "memory")
#define lockstep_sem_wait(SEMAPHORE) LOCKSTEP_LOCK_PLAIN("sem.wait.u32", SEMAPHORE)
#define lockstep_sem_signal(SEMAPHORE) LOCKSTEP_LOCK_PLAIN("sem.signal.u32", SEMAPHORE)
/* An attempt: the lanes that gave up come to the label, the others set the result before they do. */
#define LOCKSTEP_LOCK_TIMED(T, LIMIT)                                                                                  \
    static __device__ __forceinline__ bool lockstep_lock_##LIMIT(T *lock, unsigned limit)                              \
    {                                                                                                                  \
        unsigned got;                                                                                                  \
        asm volatile("{\n\t"                                                                                           \
                     "mov.u32 %0, 0;\n\t"                                                                              \
                     "lockstep.lock.timed." #LIMIT ".b32 [%1], %2, $over;\n\t"                                         \
                     "mov.u32 %0, 1;\n"                                                                                \
                     "$over:\n\t"                                                                                      \
                     "}"                                                                                               \
                     : "=&r"(got)                                                                                      \
                     : "l"(lock), "r"(limit)                                                                           \
                     : "memory");                                                                                      \
        return got;                                                                                                    \
    }
#define LOCKSTEP_LOCKS(T)                                                                                              \
    static __device__ __forceinline__ T *lockstep_word(T *word)                                                        \
    {                                                                                                                  \
        return word;                                                                                                   \
    }                                                                                                                  \
    LOCKSTEP_LOCK_TIMED(T, attempts)                                                                                   \
    LOCKSTEP_LOCK_TIMED(T, cycles)                                                                                     \
    static __device__ __forceinline__ bool lockstep_trylock(T *lock)                                                   \
    {                                                                                                                  \
        unsigned got;                                                                                                  \
        asm volatile("{\n\t"                                                                                           \
                     ".reg .pred %%got;\n\t"                                                                           \
                     "lockstep.trylock.b32 %%got, [%1];\n\t"                                                           \
                     "selp.u32 %0, 1, 0, %%got;\n\t"                                                                   \
                     "}"                                                                                               \
                     : "=r"(got)                                                                                       \
                     : "l"(lock)                                                                                       \
                     : "memory");                                                                                      \
        return got;                                                                                                    \
    }

LOCKSTEP_LOCKS(int)
LOCKSTEP_LOCKS(unsigned)
#undef LOCKSTEP_LOCKS
#undef LOCKSTEP_LOCK_TIMED

#endif

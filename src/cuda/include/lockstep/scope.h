/* Remote scope: ordered accesses to global memory that reach the accesses which other blocks make at the scope of their
 * own block (remote-scope promotion: Orr et al., "Synchronization using remote-scope promotion", ASPLOS 2015). They are
 * Lockstep's own instructions, so no NVIDIA tool makes machine code of them: nvcc takes this header where it makes PTX
 * alone (-gencode arch=compute_75,code=compute_75). It needs nothing but the qualifiers of cuda_runtime.h.
 *
 * For int, unsigned, long long and unsigned long long:
 *   T lockstep_load_acquire_remote(const T *p);
 *   void lockstep_store_release_remote(T *p, T value);
 * and, with acquire and release, returning what was there:
 *   T lockstep_atomic_cas_remote(T *p, T compare, T value);
 *   T lockstep_atomic_exch_remote(T *p, T value);
 *   T lockstep_atomic_add_remote(T *p, T value); */
#ifndef LOCKSTEP_SCOPE_H
#define LOCKSTEP_SCOPE_H

/* BITS: of the type T; IN: the letter of a register that holds it in an asm statement. */
#define LOCKSTEP_REMOTE(T, BITS, IN)                                                                                   \
    static __device__ __forceinline__ T lockstep_load_acquire_remote(const T *p)                                       \
    {                                                                                                                  \
        T found;                                                                                                       \
        asm volatile("lockstep.ld.acquire.remote.b" BITS " %0, [%1];" : "=" IN(found) : "l"(p) : "memory");            \
        return found;                                                                                                  \
    }                                                                                                                  \
    static __device__ __forceinline__ void lockstep_store_release_remote(T *p, T value)                                \
    {                                                                                                                  \
        asm volatile("lockstep.st.release.remote.b" BITS " [%0], %1;" : : "l"(p), IN(value) : "memory");               \
    }                                                                                                                  \
    static __device__ __forceinline__ T lockstep_atomic_cas_remote(T *p, T compare, T value)                           \
    {                                                                                                                  \
        T found;                                                                                                       \
        asm volatile("lockstep.atom.acq_rel.remote.cas.b" BITS " %0, [%1], %2, %3;"                                    \
                     : "=" IN(found)                                                                                   \
                     : "l"(p), IN(compare), IN(value)                                                                  \
                     : "memory");                                                                                      \
        return found;                                                                                                  \
    }                                                                                                                  \
    LOCKSTEP_REMOTE_ATOMIC(exch, "exch.b" BITS, T, IN)                                                                 \
    LOCKSTEP_REMOTE_ATOMIC(add, "add.u" BITS, T, IN)
#define LOCKSTEP_REMOTE_ATOMIC(NAME, OP, T, IN)                                                                        \
    static __device__ __forceinline__ T lockstep_atomic_##NAME##_remote(T *p, T value)                                 \
    {                                                                                                                  \
        T found;                                                                                                       \
        asm volatile("lockstep.atom.acq_rel.remote." OP " %0, [%1], %2;"                                               \
                     : "=" IN(found)                                                                                   \
                     : "l"(p), IN(value)                                                                               \
                     : "memory");                                                                                      \
        return found;                                                                                                  \
    }

LOCKSTEP_REMOTE(int, "32", "r")
LOCKSTEP_REMOTE(unsigned, "32", "r")
LOCKSTEP_REMOTE(long long, "64", "l")
LOCKSTEP_REMOTE(unsigned long long, "64", "l")
#undef LOCKSTEP_REMOTE
#undef LOCKSTEP_REMOTE_ATOMIC

#endif

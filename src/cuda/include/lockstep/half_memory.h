/* Loads and stores with cache operators, of a 16-bit type S and its pair S2: those of unsigned numbers as wide. */
#ifndef LOCKSTEP_HALF_MEMORY_H
#define LOCKSTEP_HALF_MEMORY_H

#define LOCKSTEP_HALF_LOAD(S, BITS, NAME)                                                                              \
    static __device__ inline S NAME(const S *p)                                                                        \
    {                                                                                                                  \
        return __builtin_bit_cast(S, NAME((const BITS *)p));                                                           \
    }
#define LOCKSTEP_HALF_STORE(S, BITS, NAME)                                                                             \
    static __device__ inline void NAME(S *p, S v)                                                                      \
    {                                                                                                                  \
        NAME((BITS *)p, __builtin_bit_cast(BITS, v));                                                                  \
    }
#define LOCKSTEP_HALF_CACHED(S, BITS)                                                                                  \
    LOCKSTEP_HALF_LOAD(S, BITS, __ldg)                                                                                 \
    LOCKSTEP_HALF_LOAD(S, BITS, __ldca)                                                                                \
    LOCKSTEP_HALF_LOAD(S, BITS, __ldcg)                                                                                \
    LOCKSTEP_HALF_LOAD(S, BITS, __ldcs)                                                                                \
    LOCKSTEP_HALF_LOAD(S, BITS, __ldlu)                                                                                \
    LOCKSTEP_HALF_LOAD(S, BITS, __ldcv)                                                                                \
    LOCKSTEP_HALF_STORE(S, BITS, __stwb)                                                                               \
    LOCKSTEP_HALF_STORE(S, BITS, __stcg)                                                                               \
    LOCKSTEP_HALF_STORE(S, BITS, __stcs)                                                                               \
    LOCKSTEP_HALF_STORE(S, BITS, __stwt)
#define LOCKSTEP_HALF_MEMORY(S, S2)                                                                                    \
    LOCKSTEP_HALF_CACHED(S, unsigned short)                                                                            \
    LOCKSTEP_HALF_CACHED(S2, unsigned)

#endif

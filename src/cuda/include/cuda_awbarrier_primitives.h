/* Barriers in shared memory for arrivals and waits apart: PTX's mbarriers, from sm_80 on. Before, they are made of ordinary
 * atomics: 64 bits that hold the phase, how many arrivals a phase takes, and how many are pending. */
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#include "cuda_runtime.h"

#if defined(__CUDA__)

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

LOCKSTEP_DEVICE unsigned lockstep_mbarrier_at(const __mbarrier_t *barrier)
{
    return (unsigned)__cvta_generic_to_shared(barrier);
}
LOCKSTEP_DEVICE unsigned __mbarrier_maximum_count()
{
    return (1u << 20) - 1;
}
LOCKSTEP_DEVICE void __mbarrier_init(__mbarrier_t *barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(lockstep_mbarrier_at(barrier)), "r"(count) : "memory");
}
LOCKSTEP_DEVICE void __mbarrier_inval(__mbarrier_t *barrier)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(lockstep_mbarrier_at(barrier)) : "memory");
}
LOCKSTEP_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier)
{
    __mbarrier_token_t token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(lockstep_mbarrier_at(barrier)) : "memory");
    return token;
}
LOCKSTEP_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier)
{
    __mbarrier_token_t token;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"(lockstep_mbarrier_at(barrier))
                 : "memory");
    return token;
}
LOCKSTEP_DEVICE unsigned __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    unsigned count;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
}
#define LOCKSTEP_MBARRIER_WAITS(kind, ended, barrier, limit, ...)                                                     \
    asm volatile("{\n.reg .pred p;\nmbarrier." kind " p, [%1], %2" limit ";\nselp.b32 %0, 1, 0, p;\n}"                 \
                 : "=r"(ended)                                                                                        \
                 : "r"(lockstep_mbarrier_at(barrier)), __VA_ARGS__                                                    \
                 : "memory")
/* True when the phase that the token is of has ended. */
LOCKSTEP_DEVICE bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token)
{
    unsigned ended;
    LOCKSTEP_MBARRIER_WAITS("test_wait.shared.b64", ended, barrier, "", "l"(token));
    return ended;
}
/* True when the phase with that parity has ended. */
LOCKSTEP_DEVICE bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity)
{
    unsigned ended;
    LOCKSTEP_MBARRIER_WAITS("test_wait.parity.shared.b64", ended, barrier, "", "r"((unsigned)parity));
    return ended;
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* Likewise, but waits for so many nanoseconds at most. */
LOCKSTEP_DEVICE bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token, unsigned nanoseconds)
{
    unsigned ended;
    LOCKSTEP_MBARRIER_WAITS("try_wait.shared.b64", ended, barrier, ", %3", "l"(token), "r"(nanoseconds));
    return ended;
}
LOCKSTEP_DEVICE bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool parity, unsigned nanoseconds)
{
    unsigned ended;
    LOCKSTEP_MBARRIER_WAITS("try_wait.parity.shared.b64", ended, barrier, ", %3", "r"((unsigned)parity), "r"(nanoseconds));
    return ended;
}
#endif
#undef LOCKSTEP_MBARRIER_WAITS

#else

/* Bits 0 to 19: pending; 20 to 39: what a phase takes; from 40 on: the phase. */
#define LOCKSTEP_MBARRIER_COUNT 0xfffffull

LOCKSTEP_DEVICE unsigned __mbarrier_maximum_count()
{
    return (unsigned)LOCKSTEP_MBARRIER_COUNT;
}
LOCKSTEP_DEVICE void __mbarrier_init(__mbarrier_t *barrier, unsigned count)
{
    *(volatile __mbarrier_t *)barrier = (unsigned long long)count << 20 | count;
}
LOCKSTEP_DEVICE void __mbarrier_inval(__mbarrier_t *)
{
}
/* Arrives once, where a phase takes `drop` less from then on. Returns what was there, which is the token. */
LOCKSTEP_DEVICE __mbarrier_token_t lockstep_mbarrier_arrive(__mbarrier_t *barrier, unsigned drop)
{
    __mbarrier_t old = *(volatile __mbarrier_t *)barrier, seen;
    __threadfence_block();
    do {
        seen = old;
        __mbarrier_t next = seen - ((unsigned long long)drop << 20) - 1;
        if ((next & LOCKSTEP_MBARRIER_COUNT) == 0)
            next += (1ull << 40) + (next >> 20 & LOCKSTEP_MBARRIER_COUNT);
        old = atomicCAS(barrier, seen, next);
    } while (old != seen);
    return seen;
}
LOCKSTEP_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier)
{
    return lockstep_mbarrier_arrive(barrier, 0);
}
LOCKSTEP_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier)
{
    return lockstep_mbarrier_arrive(barrier, 1);
}
LOCKSTEP_DEVICE unsigned __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    return (unsigned)(token & LOCKSTEP_MBARRIER_COUNT);
}
/* True when the phase that the token is of has ended. */
LOCKSTEP_DEVICE bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token)
{
    bool ended = *(volatile __mbarrier_t *)barrier >> 40 != token >> 40;
    __threadfence_block();
    return ended;
}
/* True when the phase with that parity has ended. */
LOCKSTEP_DEVICE bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity)
{
    bool ended = (*(volatile __mbarrier_t *)barrier >> 40 & 1) != parity;
    __threadfence_block();
    return ended;
}

#endif
#endif
#endif

/* Copies from global to shared memory behind the thread's back: PTX's cp.async, from sm_80 on. Before, they are done at once:
 * what waits for them finds them done. */
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_awbarrier_primitives.h"

#if defined(__CUDA__)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define LOCKSTEP_COPY(kind, size)                                                                                      \
    asm volatile("cp.async." kind ".shared.global [%0], [%1], " size ", %2;" ::"r"(                                    \
                     (unsigned)__cvta_generic_to_shared(to)),                                                          \
                 "l"(__cvta_generic_to_global(from)), "r"((unsigned)(bytes - zfill))                                   \
                 : "memory")
/* 4, 8 or 16 bytes, the last `zfill` of which become 0. */
LOCKSTEP_DEVICE void __pipeline_memcpy_async(void *__restrict__ to, const void *__restrict__ from, size_t bytes,
                                             size_t zfill = 0)
{
    if (bytes == 16)
        LOCKSTEP_COPY("cg", "16");
    else if (bytes == 8)
        LOCKSTEP_COPY("ca", "8");
    else
        LOCKSTEP_COPY("ca", "4");
}
#undef LOCKSTEP_COPY
LOCKSTEP_DEVICE void __pipeline_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
#define LOCKSTEP_WAIT(n)                                                                                               \
    case n:                                                                                                            \
        asm volatile("cp.async.wait_group " #n ";" ::: "memory");                                                      \
        return
/* All but the `prior` latest groups are done; more than seven may be left is taken for seven. */
LOCKSTEP_DEVICE void __pipeline_wait_prior(size_t prior)
{
    switch (prior) {
        LOCKSTEP_WAIT(0);
        LOCKSTEP_WAIT(1);
        LOCKSTEP_WAIT(2);
        LOCKSTEP_WAIT(3);
        LOCKSTEP_WAIT(4);
        LOCKSTEP_WAIT(5);
        LOCKSTEP_WAIT(6);
    default:
        asm volatile("cp.async.wait_group 7;" ::: "memory");
    }
}
#undef LOCKSTEP_WAIT
/* Adds an arrival to the phase that the barrier is in, and arrives when the thread's copies so far are done. */
LOCKSTEP_DEVICE void __pipeline_arrive_on(__mbarrier_t *barrier)
{
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(lockstep_mbarrier_at(barrier)) : "memory");
}
#else
/* 4, 8 or 16 bytes, the last `zfill` of which become 0. */
LOCKSTEP_DEVICE void __pipeline_memcpy_async(void *__restrict__ to, const void *__restrict__ from, size_t bytes,
                                             size_t zfill = 0)
{
    if (zfill) {
        for (size_t i = 0; i < bytes; i++)
            ((char *)to)[i] = i < bytes - zfill ? ((const char *)from)[i] : (char)0;
    } else if (bytes == 16) {
        *(uint4 *)to = *(const uint4 *)from;
    } else if (bytes == 8) {
        *(uint2 *)to = *(const uint2 *)from;
    } else {
        *(unsigned *)to = *(const unsigned *)from;
    }
}
LOCKSTEP_DEVICE void __pipeline_commit()
{
}
LOCKSTEP_DEVICE void __pipeline_wait_prior(size_t)
{
}
/* Adds an arrival to the phase that the barrier is in, and arrives: nothing remains. */
LOCKSTEP_DEVICE void __pipeline_arrive_on(__mbarrier_t *)
{
}

#endif

#endif
#endif

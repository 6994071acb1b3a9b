/* Copies from global to shared memory behind the thread's back (PTX's cp.async). They are done at once: what waits for
 * them finds them done. */
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_awbarrier_primitives.h"

#if defined(__CUDA__)

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

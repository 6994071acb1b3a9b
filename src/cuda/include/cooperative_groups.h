/* Cooperative groups: the thread block, tiles of it (of lanes of a warp, or of several warps), the threads that happen
 * to run together, their collectives (sync, shuffles, votes, matches, reduce, scans, copies), the grid with its barrier
 * in a cooperative launch, and clusters of one block. Left out: groups of several devices. */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#if defined(__CUDA__)

namespace cooperative_groups
{

#define LOCKSTEP_GROUP static __device__ __forceinline__ __attribute__((nodebug))
#define LOCKSTEP_MEMBER __device__ __forceinline__ __attribute__((nodebug))

namespace lockstep_detail
{

LOCKSTEP_GROUP unsigned lane()
{
    unsigned r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
LOCKSTEP_GROUP unsigned lanes_below()
{
    unsigned r;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
    return r;
}
LOCKSTEP_GROUP unsigned block_rank()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
LOCKSTEP_GROUP unsigned block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

/* Shuffles of any type that can be copied as bytes, word by word where CUDA's own take none such. */
#define LOCKSTEP_GROUP_SHUFFLE(NAME, LANE)                                                                             \
    template <class T>                                                                                                 \
    LOCKSTEP_GROUP auto NAME(unsigned mask, T v, LANE lane, int width, int)->decltype(__##NAME##_sync(mask, v, lane))  \
    {                                                                                                                  \
        return __##NAME##_sync(mask, v, lane, width);                                                                  \
    }                                                                                                                  \
    template <class T> LOCKSTEP_GROUP T NAME(unsigned mask, T v, LANE lane, int width, long)                           \
    {                                                                                                                  \
        unsigned words[(sizeof(T) + 3) / 4] = {0};                                                                     \
        __builtin_memcpy(words, &v, sizeof(T));                                                                        \
        for (unsigned &word : words)                                                                                   \
            word = __##NAME##_sync(mask, word, lane, width);                                                           \
        __builtin_memcpy(&v, words, sizeof(T));                                                                        \
        return v;                                                                                                      \
    }
LOCKSTEP_GROUP_SHUFFLE(shfl, int)
LOCKSTEP_GROUP_SHUFFLE(shfl_up, unsigned)
LOCKSTEP_GROUP_SHUFFLE(shfl_down, unsigned)
LOCKSTEP_GROUP_SHUFFLE(shfl_xor, int)
#undef LOCKSTEP_GROUP_SHUFFLE

} // namespace lockstep_detail

#include "lockstep/group_blocks.h"

#include "lockstep/group_lanes.h"

template <class T> struct plus {
    LOCKSTEP_MEMBER T operator()(T a, T b) const
    {
        return a + b;
    }
};
template <class T> struct less {
    LOCKSTEP_MEMBER T operator()(T a, T b) const
    {
        return b < a ? b : a;
    }
};
template <class T> struct greater {
    LOCKSTEP_MEMBER T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};
template <class T> struct bit_and {
    LOCKSTEP_MEMBER T operator()(T a, T b) const
    {
        return a & b;
    }
};
template <class T> struct bit_or {
    LOCKSTEP_MEMBER T operator()(T a, T b) const
    {
        return a | b;
    }
};
template <class T> struct bit_xor {
    LOCKSTEP_MEMBER T operator()(T a, T b) const
    {
        return a ^ b;
    }
};

#include "lockstep/wide_tile.h"

#include "lockstep/group_collectives.h"

#undef LOCKSTEP_GROUP
#undef LOCKSTEP_MEMBER

} // namespace cooperative_groups

#endif
#endif

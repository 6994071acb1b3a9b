// Rows that need others before them, each by one warp: a row waits for those it needs. Warps begin in the order of
// their rows, so that one which is waited for is always there.
#pragma once

#include "lines.cuh"

namespace lockstep_sparse
{

// Rows are told ready by all lanes of their warps.
__device__ inline void tell_ready(int *ready)
{
    __threadfence();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        *(volatile int *)ready = 1;
}
// Of all lanes, each with its own row or NULL. They stay together, under every model of divergence.
__device__ inline void wait_for(const int *ready)
{
    while (!__all_sync(~0u, !ready || *(const volatile int *)ready))
        ;
    __threadfence();
}

// A number that another warp has written: not one that a cache kept from before.
__device__ inline float fresh(const float *at)
{
    return *(const volatile float *)at;
}
__device__ inline double fresh(const double *at)
{
    return *(const volatile double *)at;
}
template <class C> __device__ inline C fresh(const C *at)
{
    return C{fresh(&at->x), fresh(&at->y)};
}

} // namespace lockstep_sparse

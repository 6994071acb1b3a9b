// Exclusive prefix sums on the GPU: pieces of a block's size are summed in shared memory, with two barriers a step, and
// the sums of whole pieces are summed the same way.
#ifndef LOCKSTEP_SCAN_H
#define LOCKSTEP_SCAN_H

#include "workload.h"

// Of the threads' own values, the sum over the threads before. `sums` then has the sums up to each thread's own; all
// threads of the block take part.
template <unsigned THREADS> __device__ static unsigned sum_before(unsigned *sums, unsigned own)
{
    unsigned t = threadIdx.x;
    sums[t] = own;
    __syncthreads();
    for (unsigned distance = 1; distance < THREADS; distance *= 2) {
        unsigned before = t >= distance ? sums[t - distance] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    return sums[t] - own;
}

// Sums each block's piece; its total goes to totals[block].
template <unsigned THREADS>
__global__ static void __launch_bounds__(THREADS, 1536 / THREADS)
    scan_piece(unsigned *values, unsigned *totals, unsigned count)
{
    __shared__ unsigned sums[THREADS];
    unsigned at = blockIdx.x * THREADS + threadIdx.x;
    unsigned before = sum_before<THREADS>(sums, at < count ? values[at] : 0);
    if (at < count)
        values[at] = before;
    if (threadIdx.x == THREADS - 1)
        totals[blockIdx.x] = sums[threadIdx.x];
}

template <unsigned THREADS>
__global__ static void __launch_bounds__(THREADS, 1536 / THREADS)
    scan_add(unsigned *values, const unsigned *totals, unsigned count)
{
    unsigned at = blockIdx.x * THREADS + threadIdx.x;
    if (at < count)
        values[at] += totals[blockIdx.x];
}

template <unsigned THREADS> static void scan(unsigned *values, unsigned count)
{
    unsigned blocks = (count + THREADS - 1) / THREADS, *totals;
    CHECK(cudaMalloc(&totals, blocks * sizeof *totals));
    scan_piece<THREADS><<<blocks, THREADS>>>(values, totals, count);
    if (blocks > 1) {
        scan<THREADS>(totals, blocks);
        scan_add<THREADS><<<blocks, THREADS>>>(values, totals, count);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaFree(totals));
}

#endif

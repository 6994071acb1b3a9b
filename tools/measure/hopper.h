/* What the programs about Hopper share: mbarriers, addresses in a cluster, launches of clusters. */
#ifndef MEASURE_HOPPER_H
#define MEASURE_HOPPER_H

#include "measure.h"

#ifdef MEASURE_CLUSTERS
static __device__ __forceinline__ u32 shared_address(const void *p)
{
    return (u32)__cvta_generic_to_shared(p);
}
static __device__ __forceinline__ void barrier_init(u32 bar, u32 count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
static __device__ __forceinline__ void barrier_init_seen()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
static __device__ __forceinline__ void barrier_arrive(u32 bar)
{
    asm volatile("{.reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0];}" ::"r"(bar) : "memory");
}
static __device__ __forceinline__ void barrier_expect(u32 bar, u32 bytes)
{
    asm volatile("{.reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], %1;}" ::"r"(bar), "r"(bytes) : "memory");
}
static __device__ __forceinline__ bool barrier_try(u32 bar, u32 parity)
{
    u32 ok;
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(ok)
                 : "r"(bar), "r"(parity)
                 : "memory");
    return ok;
}
static __device__ __forceinline__ bool barrier_try_for(u32 bar, u32 parity, u32 ns)
{
    u32 ok;
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p;}"
                 : "=r"(ok)
                 : "r"(bar), "r"(parity), "r"(ns)
                 : "memory");
    return ok;
}
static __device__ __forceinline__ bool barrier_test(u32 bar, u32 parity)
{
    u32 ok;
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(ok)
                 : "r"(bar), "r"(parity)
                 : "memory");
    return ok;
}
static __device__ __forceinline__ void barrier_wait(u32 bar, u32 parity)
{
    while (!barrier_try(bar, parity))
        ;
}
static __device__ __forceinline__ u32 remote(u32 address, u32 rank)
{
    u32 r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(address), "r"(rank));
    return r;
}
static __device__ __forceinline__ u32 cluster_rank()
{
    u32 r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
static __device__ __forceinline__ u32 cluster_size()
{
    u32 r;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
    return r;
}
static __device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}
/* A copy of `bytes` from global memory to the block's own shared memory, which counts at `bar`. */
static __device__ __forceinline__ void bulk_get(u32 to, const char *from, u32 bytes, u32 bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(bar)
                 : "memory");
}
template <class K, class... A> static void launch_cluster(K kernel, unsigned blocks, unsigned threads, unsigned size, size_t dynamic, A... a)
{
    cudaLaunchAttribute at;
    at.id = cudaLaunchAttributeClusterDimension;
    at.val.clusterDim.x = size;
    at.val.clusterDim.y = at.val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = blocks;
    c.blockDim = threads;
    c.dynamicSmemBytes = dynamic;
    c.attrs = &at;
    c.numAttrs = 1;
    if (size > 8)
        check(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cluster of 16");
    if (dynamic > 48 * 1024)
        check(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)dynamic), "shared memory");
    check(cudaLaunchKernelEx(&c, kernel, a...), "cluster");
}
#endif
#endif

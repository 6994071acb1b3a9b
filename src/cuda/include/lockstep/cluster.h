/* Clusters of blocks, for sm_90 and later: special registers, the cluster's barrier, and addresses in the shared memory of
 * its other blocks. For older targets a cluster is the block alone. */
#ifndef LOCKSTEP_CLUSTER_H
#define LOCKSTEP_CLUSTER_H

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define LOCKSTEP_CLUSTER_REGISTER(name, sreg, alone)                                                                   \
    LOCKSTEP_DEVICE unsigned name()                                                                                    \
    {                                                                                                                  \
        unsigned r;                                                                                                    \
        asm("mov.u32 %0, %%" sreg ";" : "=r"(r));                                                                      \
        return r;                                                                                                      \
    }
#define LOCKSTEP_CLUSTER_ASM(text) asm volatile(text ::: "memory")
#else
#define LOCKSTEP_CLUSTER_REGISTER(name, sreg, alone)                                                                   \
    LOCKSTEP_DEVICE unsigned name()                                                                                    \
    {                                                                                                                  \
        return alone;                                                                                                  \
    }
#define LOCKSTEP_CLUSTER_ASM(text) lockstep_bar_sync()
#endif
#define LOCKSTEP_CLUSTER_DIM3(name, part, sreg, x, y, z)                                                               \
    LOCKSTEP_CLUSTER_REGISTER(lockstep_##part##_x, sreg ".x", x)                                                       \
    LOCKSTEP_CLUSTER_REGISTER(lockstep_##part##_y, sreg ".y", y)                                                       \
    LOCKSTEP_CLUSTER_REGISTER(lockstep_##part##_z, sreg ".z", z)                                                       \
    LOCKSTEP_DEVICE dim3 name()                                                                                        \
    {                                                                                                                  \
        return dim3(lockstep_##part##_x(), lockstep_##part##_y(), lockstep_##part##_z());                              \
    }
LOCKSTEP_CLUSTER_DIM3(__clusterDim, cluster_nctaid, "cluster_nctaid", 1, 1, 1)
LOCKSTEP_CLUSTER_DIM3(__clusterRelativeBlockIdx, cluster_ctaid, "cluster_ctaid", 0, 0, 0)
LOCKSTEP_CLUSTER_DIM3(__clusterGridDimInClusters, nclusterid, "nclusterid", gridDim.x, gridDim.y, gridDim.z)
LOCKSTEP_CLUSTER_DIM3(__clusterIdx, clusterid, "clusterid", blockIdx.x, blockIdx.y, blockIdx.z)
LOCKSTEP_CLUSTER_REGISTER(__clusterRelativeBlockRank, "cluster_ctarank", 0)
LOCKSTEP_CLUSTER_REGISTER(__clusterSizeInBlocks, "cluster_nctarank", 1)

LOCKSTEP_DEVICE unsigned __clusterDimIsSpecified()
{
    unsigned r = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(r));
#endif
    return r;
}

LOCKSTEP_DEVICE void __cluster_barrier_arrive()
{
    LOCKSTEP_CLUSTER_ASM("barrier.cluster.arrive.aligned;");
}
LOCKSTEP_DEVICE void __cluster_barrier_arrive_relaxed()
{
    LOCKSTEP_CLUSTER_ASM("barrier.cluster.arrive.relaxed.aligned;");
}
LOCKSTEP_DEVICE void __cluster_barrier_wait()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    LOCKSTEP_CLUSTER_ASM("barrier.cluster.wait.aligned;");
#endif
}

/* The same place in the shared memory of the block of that rank; the rank of the block in whose an address lies. */
LOCKSTEP_DEVICE void *__cluster_map_shared_rank(const void *address, unsigned rank)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    void *r;
    asm("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(address), "r"(rank));
    return r;
#else
    (void)rank;
    return (void *)address;
#endif
}
LOCKSTEP_DEVICE unsigned __cluster_query_shared_rank(const void *address)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned r;
    asm("getctarank.u64 %0, %1;" : "=r"(r) : "l"(address));
    return r;
#else
    (void)address;
    return 0;
#endif
}
#undef LOCKSTEP_CLUSTER_REGISTER
#undef LOCKSTEP_CLUSTER_DIM3
#undef LOCKSTEP_CLUSTER_ASM

#endif

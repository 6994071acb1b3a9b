// Waiting as PTX has it since sm_80 and sm_90: mbarriers, copies beside the warp, registers that move, clusters of blocks. Programs of this folder
// write them as instructions, so that every compiler takes them for whatever architecture; Lockstep's machines execute all of them,
// but launch clusters on those alone that have GPCs. For a card: nvcc -arch=sm_90a.
#ifndef LOCKSTEP_WORKLOAD_WAITING_H
#define LOCKSTEP_WORKLOAD_WAITING_H

#include "workload.h"
// Lockstep's own lock, semaphore and barrier instructions, which no NVIDIA tool knows: see workloads/README.md.
#if __has_include(<lockstep/lock.h>)
#include <lockstep/lock.h>
#define HAS_INSTRUCTION 1
#else
#define HAS_INSTRUCTION 0
#endif

__device__ static inline unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

// ---- mbarriers of the own block ----
__device__ static inline void mbarrier_init(uint64_t *b, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count) : "memory");
}

__device__ static inline void mbarrier_arrive(uint64_t *b)
{
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared_address(b)) : "memory");
}

// Arrives, and says that the phase waits for so many bytes more.
__device__ static inline void mbarrier_expect(uint64_t *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes) : "memory");
}

// Waits for the end of the phase of that parity: the first one has 0.
__device__ static inline void mbarrier_wait(uint64_t *b, unsigned parity)
{
    asm volatile("{ .reg .pred over;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@!over bra again; }" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}

// Likewise, and acquires what other blocks of the cluster released when they arrived.
__device__ static inline void mbarrier_wait_cluster(uint64_t *b, unsigned parity)
{
    asm volatile("{ .reg .pred over;\n"
                 "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%0], %1;\n"
                 "@!over bra again; }" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}

// Arrives when all copies that the thread has given by cp.async are done; the arrival is one of those that the phase expects.
__device__ static inline void mbarrier_arrive_with_copies(uint64_t *b)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(b)) : "memory");
}

// ---- barriers of some of the block's threads ----
// `threads`, of whole warps: those that arrive and those that wait.
__device__ static inline void barrier_sync(unsigned name, unsigned threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

__device__ static inline void barrier_arrive(unsigned name, unsigned threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

// ---- copies from global to shared memory ----
// Addresses and bytes are multiples of 16; the bytes count at the mbarrier as they come.
__device__ static inline void copy_bulk(void *to, const void *from, unsigned bytes, uint64_t *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(b))
                 : "memory");
}

__device__ static inline void copy_16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

__device__ static inline void copies_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until no more than the latest `left` groups, 0 to 2, are on their way.
__device__ static inline void copies_wait(unsigned left)
{
    if (left == 0)
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    else if (left == 1)
        asm volatile("cp.async.wait_group 1;" ::: "memory");
    else
        asm volatile("cp.async.wait_group 2;" ::: "memory");
}

// ---- registers that warps of a block move among themselves ----
// A warpgroup (four warps side by side, all of them) keeps 24 registers a thread, and gives the others to its block.
__device__ static inline void registers_keep_24()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
}

// Likewise: it takes what it lacks to 240, and waits until others have given as many back.
__device__ static inline void registers_take_240()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
}

// ---- clusters ----
__device__ static inline unsigned cluster_rank()
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ static inline void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// The shared memory of another block of the cluster: where it has what this block has at p.
__device__ static inline unsigned at_rank(const void *p, unsigned rank)
{
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
    return there;
}

__device__ static inline void remote_store(unsigned at, unsigned value)
{
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
}

__device__ static inline unsigned remote_load(unsigned at)
{
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
    return value;
}

__device__ static inline void remote_add(unsigned at, unsigned value)
{
    asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
}

__device__ static inline unsigned remote_swap(unsigned at, unsigned value)
{
    unsigned old;
    asm volatile("atom.acq_rel.cluster.shared::cluster.exch.b32 %0, [%1], %2;" : "=r"(old) : "r"(at), "r"(value) : "memory");
    return old;
}

__device__ static inline unsigned remote_cas(unsigned at, unsigned expected, unsigned value)
{
    unsigned old;
    asm volatile("atom.acq_rel.cluster.shared::cluster.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "r"(at), "r"(expected), "r"(value)
                 : "memory");
    return old;
}

__device__ static inline unsigned remote_draw(unsigned at)
{
    unsigned old;
    asm volatile("atom.acq_rel.cluster.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(old) : "r"(at) : "memory");
    return old;
}

__device__ static inline unsigned remote_acquire(unsigned at)
{
    unsigned value;
    asm volatile("ld.acquire.cluster.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
    return value;
}

__device__ static inline void remote_release(unsigned at, unsigned value)
{
    asm volatile("st.release.cluster.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
}

// Arrives at an mbarrier of another block, whose address at_rank gives.
__device__ static inline void remote_arrive(unsigned b)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(b) : "memory");
}

// Arrives there without releasing anything: enough behind a fence, which then serves several arrivals.
__device__ static inline void remote_arrive_relaxed(unsigned b)
{
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(b) : "memory");
}

// Stores to another block, whose mbarrier counts the 4 bytes when they are there.
__device__ static inline void remote_send(unsigned at, unsigned value, unsigned b)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(at), "r"(value), "r"(b)
                 : "memory");
}

// ---- launches as a boundary ----
// Waits until the launch in front of this one has ended, where this one may have begun early.
__device__ static inline void wait_for_launches_before()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

__device__ static inline void let_launches_behind_begin()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// Launches the kernel with the attribute, if there is one.
template <typename... PARAMETERS, typename... ARGUMENTS>
static inline void launch_with(cudaLaunchAttribute *attribute, cudaStream_t stream, void (*kernel)(PARAMETERS...), unsigned blocks,
                               unsigned threads, ARGUMENTS... arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = attribute ? 1 : 0;
    CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

// Launches one behind the other: given by the host one by one; as nodes of a graph (`graph`), which the host gives as a whole; or as
// nodes of which each may begin before the one in front has ended (`early`: programmatic dependent launch).
struct launch_row {
    cudaStream_t stream;
    bool captured, early;

    launch_row(bool graph, bool early_) : captured(graph || early_), early(early_)
    {
        CHECK(cudaStreamCreate(&stream));
        if (captured)
            CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    }

    template <typename... PARAMETERS, typename... ARGUMENTS>
    void add(void (*kernel)(PARAMETERS...), unsigned blocks, unsigned threads, ARGUMENTS... arguments)
    {
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        launch_with(early ? &attribute : nullptr, stream, kernel, blocks, threads, arguments...);
    }

    // Returns when all have ended.
    void run()
    {
        if (captured) {
            cudaGraph_t graph;
            cudaGraphExec_t whole;
            CHECK(cudaStreamEndCapture(stream, &graph));
            CHECK(cudaGraphInstantiate(&whole, graph, 0));
            CHECK(cudaGraphLaunch(whole, stream));
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaGraphExecDestroy(whole));
            CHECK(cudaGraphDestroy(graph));
        }
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamDestroy(stream));
    }
};

// Launches the kernel in clusters of so many blocks; of 0, without.
template <typename... PARAMETERS, typename... ARGUMENTS>
static inline void launch_in_clusters(unsigned cluster, void (*kernel)(PARAMETERS...), unsigned blocks, unsigned threads,
                                      ARGUMENTS... arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    launch_with(cluster ? &attribute : nullptr, 0, kernel, blocks, threads, arguments...);
}

// Blocks of the kernel that can be resident at once, at most `wanted`.
template <typename KERNEL> static inline unsigned resident_blocks(KERNEL kernel, unsigned threads, unsigned wanted)
{
    int sms = 0, each = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)threads, 0));
    unsigned most = (unsigned)(sms * each);
    return wanted < most ? wanted : most;
}

#endif

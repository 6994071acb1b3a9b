// What blocks of a cluster send each other: a copy for all of them, st.async and red.async, copies from one shared memory to
// another, and arrivals at each other's mbarriers.
#include <cooperative_groups.h>
#include "asynchronous.cuh"
namespace cg = cooperative_groups;
__device__ inline uint32_t mapa(uint32_t a, unsigned rank) { uint32_t r; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(rank)); return r; }
__global__ void k(const int *in, int *out, long long *t) {
    __shared__ __align__(128) int buf[1024], sent[64], box[1024];
    __shared__ uint64_t full, told, copy, bytes;
    __shared__ unsigned sums[4];
    cg::cluster_group c = cg::this_cluster();
    unsigned rank = c.block_rank(), next = (rank + 1) % 4;
    if (threadIdx.x == 0) { barrier_init(&full, 1); barrier_init(&told, 3); barrier_init(&copy, 1); barrier_init(&bytes, 1); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
    if (threadIdx.x < 4) sums[threadIdx.x] = 0;
    c.sync();
    // multicast: rank 0 loads for all
    if (threadIdx.x == 0) {
        barrier_expect(&full, 4096);
        if (rank == 0)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" :: "r"(shared_address(buf)), "l"(__cvta_generic_to_global(in)), "r"(4096), "r"(shared_address(&full)), "h"((unsigned short)15) : "memory");
    }
    barrier_wait(&full, 0);
    // st.async and red.async to the next block
    if (threadIdx.x == 0) barrier_expect(&bytes, 32 * 8 + 32 * 4);
    c.sync();
    if (threadIdx.x < 32) {
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" :: "r"(mapa(shared_address(&sent[2 * threadIdx.x]), next)), "r"(buf[threadIdx.x] + rank), "r"(buf[32 + threadIdx.x] + rank), "r"(mapa(shared_address(&bytes), next)) : "memory");
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" :: "r"(mapa(shared_address(&sums[threadIdx.x & 3]), next)), "r"(threadIdx.x), "r"(mapa(shared_address(&bytes), next)) : "memory");
    }
    barrier_wait(&bytes, 0);
    __syncthreads();
    // a copy of the block's own memory to the next one
    if (threadIdx.x == 0) {
        barrier_expect(&copy, 4096);
    }
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) buf[i] += rank * 100000;
    __syncthreads();
    c.sync();
    asm volatile("fence.proxy.async;" ::: "memory");
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(mapa(shared_address(box), next)), "r"(shared_address(buf)), "r"(4096), "r"(mapa(shared_address(&copy), next)) : "memory");
    barrier_wait(&copy, 0);
    // everybody arrives at everybody else's barrier
    long long t0 = clock64();
    if (threadIdx.x < 4 && threadIdx.x != rank)
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(mapa(shared_address(&told), threadIdx.x)) : "memory");
    barrier_wait(&told, 0);
    if (threadIdx.x == 0) t[rank] = clock64() - t0;
    int *o = out + rank * 2048;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) o[i] = box[i];
    if (threadIdx.x < 64) o[1024 + threadIdx.x] = sent[threadIdx.x];
    if (threadIdx.x < 4) o[1100 + threadIdx.x] = sums[threadIdx.x];
    c.sync();
}
int main() {
    static int h[1024], o[8192]; int *in, *out; long long *t;
    for (int i = 0; i < 1024; i++) h[i] = i * 3;
    cudaMalloc(&in, sizeof h); cudaMalloc(&out, sizeof o); cudaMalloc(&t, 32);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaLaunchAttribute four = {};
    four.id = cudaLaunchAttributeClusterDimension;
    four.val.clusterDim.x = 4, four.val.clusterDim.y = four.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 4, config.blockDim = 64, config.attrs = &four, config.numAttrs = 1;
    cudaLaunchKernelEx(&config, k, (const int *)in, out, t);
    cudaMemcpy(o, out, sizeof o, cudaMemcpyDeviceToHost); 
    int bad = 0;
    for (int r = 0; r < 4; r++) {
        int p = (r + 3) % 4;
        for (int i = 0; i < 1024; i++) bad += o[r * 2048 + i] != h[i] + p * 100000;
        for (int i = 0; i < 32; i++) bad += o[r * 2048 + 1024 + 2 * i] != h[i] + p, bad += o[r * 2048 + 1025 + 2 * i] != h[32 + i] + p;
        for (int i = 0; i < 4; i++) bad += o[r * 2048 + 1100 + i] != 112 + 8 * i;
    }
    return verdict(bad);
}

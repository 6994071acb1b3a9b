// Clusters of blocks: launches with the attribute, cooperative groups, distributed shared memory, occupancy, errors.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define BINS 64

// A histogram whose bins are dealt to the blocks of a cluster.
__global__ void histogram(const unsigned *keys, unsigned count, unsigned *bins)
{
    __shared__ unsigned mine[BINS];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned blocks = cluster.num_blocks(), each = BINS / blocks, rank = cluster.block_rank();
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x)
        mine[i] = 0;
    cluster.sync();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(cluster.map_shared_rank(&mine[keys[i] % BINS % each], keys[i] % BINS / each), 1u);
    cluster.sync();
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x)
        atomicAdd(&bins[rank * each + i], mine[i]);
}

// A sum over a cluster of two dimensions: each block adds to the next, round by round.
__global__ void shape(unsigned *wrong, unsigned x, unsigned y)
{
    __shared__ unsigned value;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned n = cluster.num_blocks(), rank = cluster.block_rank(), bad = 0;
    dim3 at = cluster.block_index(), dim = cluster.dim_blocks();
    bad += n != x * y || dim.x != x || dim.y != y || dim.z != 1 || at.x != blockIdx.x % x || at.y != blockIdx.y % y;
    bad += rank != at.y * x + at.x || cluster.num_threads() != n * blockDim.x;
    bad += cluster.thread_rank() != rank * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        value = 0;
    cluster.sync();
    unsigned *there = cluster.map_shared_rank(&value, (rank + 1) % n);
    bad += cluster.query_shared_rank(there) != (rank + 1) % n || cluster.query_shared_rank(&value) != rank;
    for (unsigned round = 0; round < 4; round++) {
        atomicAdd(there, rank + 1);
        cluster.barrier_arrive();
        cluster.barrier_wait();
        bad += value != (round + 1) * blockDim.x * ((rank + n - 1) % n + 1);
        cluster.sync();
    }
    if (bad)
        atomicAdd(wrong, bad);
}

static cudaLaunchAttribute attribute;

static cudaLaunchConfig_t config(dim3 grid, dim3 block, dim3 cluster)
{
    cudaLaunchConfig_t c = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    c.gridDim = grid;
    c.blockDim = block;
    c.attrs = &attribute;
    c.numAttrs = 1;
    return c;
}

int main()
{
    constexpr unsigned count = 4096;
    static unsigned values[count], found[BINS];
    unsigned *keys, *bins, *wrong, expected[BINS] = {}, bad = 0, seen = 0;
    int clusters = 0, largest = 0, knows = 0;
    cudaDeviceGetAttribute(&knows, cudaDevAttrClusterLaunch, 0);
    cudaMalloc(&keys, count * sizeof *keys);
    cudaMalloc(&bins, BINS * sizeof *bins);
    cudaMalloc(&wrong, sizeof *wrong);
    for (unsigned i = 0; i < count; i++)
        expected[(values[i] = i * 2654435761u >> 7) % BINS]++;
    cudaMemcpy(keys, values, sizeof values, cudaMemcpyHostToDevice);
    for (unsigned blocks = 1; blocks <= 8; blocks *= 2) {
        cudaMemset(bins, 0, sizeof found);
        cudaLaunchConfig_t c = config(16, 128, blocks);
        cudaLaunchKernelEx(&c, histogram, (const unsigned *)keys, count, bins);
        cudaMemcpy(found, bins, sizeof found, cudaMemcpyDeviceToHost);
        for (unsigned i = 0; i < BINS; i++)
            bad += found[i] != expected[i];
    }
    cudaMemset(wrong, 0, sizeof *wrong);
    cudaLaunchConfig_t c = config(dim3(6, 4), 64, dim3(3, 2));
    cudaLaunchKernelEx(&c, shape, wrong, 3u, 2u);
    cudaMemcpy(&seen, wrong, sizeof seen, cudaMemcpyDeviceToHost);
    printf("%s: %u and %u wrong, clusters %d\n", cudaGetErrorString(cudaGetLastError()), bad, seen, knows);
    c = config(16, 128, 8);
    cudaOccupancyMaxActiveClusters(&clusters, histogram, &c);
    cudaOccupancyMaxPotentialClusterSize(&largest, histogram, &c);
    printf("%d clusters of 8, up to %d blocks\n", clusters, largest);
    c = config(16, 128, 16);
    printf("16 blocks: %s\n", cudaGetErrorName(cudaLaunchKernelEx(&c, shape, wrong, 16u, 1u)));
    cudaFuncSetAttribute(shape, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    printf("allowed: %s\n", cudaGetErrorName(cudaLaunchKernelEx(&c, shape, wrong, 16u, 1u)));
    c = config(18, 128, 4);
    printf("18 of 4: %s\n", cudaGetErrorName(cudaLaunchKernelEx(&c, shape, wrong, 4u, 1u)));
    cudaGetLastError();
    cudaMemcpy(&seen, wrong, sizeof seen, cudaMemcpyDeviceToHost);
    printf("%u wrong\n", seen);
    return 0;
}

// Kernels that are declared with the size of their clusters: a template's, a name in C, with launch bounds beside it and without.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int size_of_cluster()
{
    int n;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    return n;
}
__device__ int rank_in_cluster()
{
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

template <int X, int Y> __global__ void __cluster_dims__(X, Y, 1) __launch_bounds__(64) wide(int *out)
{
    out[blockIdx.y * gridDim.x + blockIdx.x] = 10 * size_of_cluster() + rank_in_cluster();
}
extern "C" __global__ __cluster_dims__(4) void line(int *out)
{
    out[blockIdx.x] = 10 * size_of_cluster() + rank_in_cluster();
}
__global__ void alone(int *out)
{
    out[blockIdx.x] = 10 * size_of_cluster() + rank_in_cluster();
}

// launch KERNEL GRID: the number of blocks that are not in a cluster of `size`, each rank of it as often as the others.
template <class K> static int wrong(K kernel, dim3 grid, int size)
{
    int *out, blocks = grid.x * grid.y, ranks[8] = {0}, bad = 0;
    cudaMallocManaged(&out, blocks * sizeof *out);
    kernel<<<grid, 32>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return blocks;
    for (int i = 0; i < blocks; i++) {
        bad += out[i] / 10 != size;
        ranks[out[i] % 10 % 8]++;
    }
    for (int i = 0; i < size; i++)
        bad += ranks[i] != blocks / size;
    cudaFree(out);
    return bad;
}

int main()
{
    int bad = wrong(wide<2, 2>, dim3(4, 2), 4) + wrong(wide<2, 1>, dim3(4, 2), 2) + wrong(line, 8, 4) + wrong(alone, 3, 1);
    printf("%s, %d wrong\n", cudaGetErrorString(cudaGetLastError()), bad);
    line<<<6, 32>>>(nullptr); // no multiple of four
    return cudaGetLastError() != cudaErrorInvalidClusterSize;
}

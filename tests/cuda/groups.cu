// Cooperative groups handed to functions that take any of them.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__device__ int sum(cg::thread_group group, int *room, int value)
{
    int rank = group.thread_rank();
    for (int half = group.size() / 2; half > 0; half /= 2) {
        room[rank] = value;
        group.sync();
        if (rank < half)
            value += room[rank + half];
        group.sync();
    }
    return rank == 0 ? value : -1;
}

__global__ void sums(int *out)
{
    __shared__ int room[64];
    cg::thread_block block = cg::this_thread_block();
    int rank = block.thread_rank(), got = sum(block, room, rank);
    if (rank == 0)
        out[0] = got;
    cg::thread_block_tile<16> sixteen = cg::tiled_partition<16>(block);
    got = sum(sixteen, room + rank / 16 * 16, rank);
    if (sixteen.thread_rank() == 0)
        out[1 + rank / 16] = got;
    cg::thread_group four = cg::tiled_partition(block, 4);
    got = sum(four, room + rank / 4 * 4, rank);
    if (four.thread_rank() == 0 && rank / 4 < 4)
        out[5 + rank / 4] = got;
    cg::thread_group two = cg::tiled_partition(four, 2);
    got = sum(two, room + rank / 2 * 2, rank);
    if (rank == 62)
        out[9] = got;
}

int main()
{
    int *out, got[10];
    cudaMalloc(&out, sizeof got);
    sums<<<1, 64>>>(out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 10; i++)
        printf("%d\n", got[i]);
    return 0;
}

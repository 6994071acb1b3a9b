// Cooperative groups handed to functions that take any of them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
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

// Values wider than a word, and narrower.
struct wide {
    double d;
    char c[11];
};
__global__ void shuffles(int *out)
{
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned rank = threadIdx.x;
    wide value = {rank * 0.5, {}};
    value.c[10] = (char)rank;
    uint4 four = make_uint4(rank, rank * 2, rank * 3, rank * 4);
    wide got = tile.shfl(value, 5);
    uint4 other = tile.shfl_xor(four, 1), up = tile.shfl_up(four, 1), down = tile.shfl_down(four, 1);
    char narrow = tile.shfl((char)(rank + 1), 2);
    cg::coalesced_group all = cg::coalesced_threads();
    uint2 pair = all.shfl(make_uint2(rank, rank + 100), 31);
    bool right = got.d == (rank / 8 * 8 + 5) * 0.5 && got.c[10] == (char)(rank / 8 * 8 + 5) && other.w == (rank ^ 1) * 4 &&
                 up.z == (rank % 8 ? rank - 1 : rank) * 3 && down.y == (rank % 8 < 7 ? rank + 1 : rank) * 2 &&
                 narrow == (char)(rank / 8 * 8 + 3) && pair.y == 131 + rank / 32 * 32;
    int count = __syncthreads_count(right);
    if (rank == 0)
        *out = count;
}

// Tiles of several warps, of two sizes at once: each its own number of rounds.
__global__ void tiles(int *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    auto wide = cg::tiled_partition<128>(block);
    auto small = cg::tiled_partition<64>(wide);
    int right = 0, rank = (int)block.thread_rank();
    for (unsigned round = 0; round <= wide.meta_group_rank(); round++) {
        int first = rank / 128 * 128;
        right += cg::reduce(wide, rank, cg::plus<int>()) == first * 128 + 128 * 127 / 2;
        right += cg::reduce(small, rank + 0.5, cg::greater<double>()) == rank / 64 * 64 + 63.5;
        right += wide.shfl(rank, 77) == first + 77;
        right += wide.any(rank == first + 100) && !wide.all(rank != first + 100) && small.size() == 64;
    }
    int expected = 4 * ((int)wide.meta_group_rank() + 1), count = __syncthreads_count(right == expected);
    if (rank == 0)
        *out = count;
}

int main()
{
    int *out, got[12];
    cudaMalloc(&out, sizeof got);
    sums<<<1, 64>>>(out);
    shuffles<<<1, 64>>>(out + 10);
    tiles<<<1, 256>>>(out + 11);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 12; i++)
        printf("%d\n", got[i]);
    return 0;
}

// Sorting by merging, with Batcher's bitonic network. A block of 256 threads sorts a tile of 512 keys in shared memory,
// a pair a thread, with a barrier after each step. The sorted runs are then merged pairwise, level by level: the steps
// of a merge that reach beyond a tile go over the whole array in global memory, one launch each, the others are done
// tile by tile in shared memory. The first step of a merge compares a run with the mirror image of the next one, so
// that every run is ascending. A comparison is a minimum and a maximum: no thread branches on a key.
#include "../workload.h"
#include <algorithm>

// RESIDENT blocks are to fit on an SM, as many as 1536 threads allow.
constexpr unsigned THREADS = 256, TILE = 2 * THREADS, RESIDENT = 6;

// The i-th pair of a step at `stride` (a power of two): the first of a merge of runs that long, or a later one.
struct pair {
    unsigned low, high;
    __device__ pair(unsigned i, unsigned stride, bool first)
    {
        low = 2 * i - (i & (stride - 1));
        high = first ? low ^ (2 * stride - 1) : low + stride;
    }
    __device__ void order(unsigned *keys) const
    {
        unsigned a = keys[low], b = keys[high];
        keys[low] = min(a, b);
        keys[high] = max(a, b);
    }
};

// All steps of a merge from `stride` down, within the tile.
__device__ static void merge_in_tile(unsigned *tile, unsigned stride, bool first)
{
    for (; stride > 0; stride /= 2) {
        __syncthreads();
        pair(threadIdx.x, stride, first).order(tile);
        first = false;
    }
}

__device__ static void copy_tile(unsigned *to, const unsigned *from)
{
    to[threadIdx.x] = from[threadIdx.x];
    to[threadIdx.x + THREADS] = from[threadIdx.x + THREADS];
}

__global__ void __launch_bounds__(THREADS, RESIDENT) sort_tiles(unsigned *keys)
{
    __shared__ unsigned tile[TILE];
    copy_tile(tile, keys + blockIdx.x * TILE);
    for (unsigned run = 1; run < TILE; run *= 2)
        merge_in_tile(tile, run, true);
    __syncthreads();
    copy_tile(keys + blockIdx.x * TILE, tile);
}

// One step of all merges, at a stride of a tile or more; a thread takes every (number of threads)-th pair.
__global__ void __launch_bounds__(THREADS, RESIDENT)
    merge_step(unsigned *keys, unsigned pairs, unsigned stride, bool first)
{
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < pairs; i += gridDim.x * THREADS)
        pair(i, stride, first).order(keys);
}

__global__ void __launch_bounds__(THREADS, RESIDENT) merge_tiles(unsigned *keys)
{
    __shared__ unsigned tile[TILE];
    copy_tile(tile, keys + blockIdx.x * TILE);
    merge_in_tile(tile, TILE / 2, false);
    __syncthreads();
    copy_tile(keys + blockIdx.x * TILE, tile);
}

static void device_sort(unsigned *keys, unsigned count, unsigned blocks)
{
    sort_tiles<<<count / TILE, THREADS>>>(keys);
    for (unsigned run = TILE; run < count; run *= 2) {
        for (unsigned stride = run; stride >= TILE; stride /= 2)
            merge_step<<<blocks, THREADS>>>(keys, count / 2, stride, stride == run);
        merge_tiles<<<count / TILE, THREADS>>>(keys);
    }
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    option options[] = {
        {"keys", "keys", 120000, 1, 1u << 28, 8000, 1u << 20},
        {"blocks", "blocks of a step in global memory", 22, 1, 65535, 1, 180},
        {"seed", "of the keys", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned count = (unsigned)options[0].value, padded = TILE;
    generator random = {options[2].value};
    std::vector<unsigned> keys(count);
    for (unsigned &k : keys)
        k = (unsigned)random.next();
    while (padded < count)
        padded *= 2;
    std::vector<unsigned> filled = keys;
    filled.resize(padded, UINT32_MAX);
    unsigned *device = to_device(filled);
    device_sort(device, padded, (unsigned)options[1].value);
    std::vector<unsigned> got = to_host(device, count);
    CHECK(cudaFree(device));
    std::sort(keys.begin(), keys.end());
    uint64_t wrong = 0;
    for (unsigned i = 0; i < count; i++)
        wrong += got[i] != keys[i];
    printf("mergesort: %u keys, from %u to %u\n", count, got.front(), got.back());
    return verdict("mergesort", wrong);
}

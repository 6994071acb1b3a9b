// Sorts keys with values by merging, keeping the order of equal keys. Where an element goes in a merge is its place in
// its own run plus its rank in the other, found by binary search. Blocks sort tiles that way in shared memory, from
// runs of one element up, with two barriers a level. For the longer runs a kernel finds, again by binary search, where
// each tile of the merged run begins in either run, and blocks merge the two parts of a tile in shared memory.
#include "../workload.h"
#include <algorithm>

// RESIDENT blocks are to fit on an SM, as many as 1536 threads allow.
constexpr unsigned THREADS = 256, TILE = 2 * THREADS, RESIDENT = 6;

struct element {
    unsigned key, value;
};

// How many of the `count` sorted elements come before one with that key: of equal ones those too, if `equal_before`.
__device__ static unsigned rank_in(const element *run, unsigned count, unsigned key, bool equal_before)
{
    unsigned low = 0;
    while (low < count) {
        unsigned middle = (low + count) / 2, other = run[middle].key;
        if (other < key || (equal_before && other == key))
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

// Merges the runs of that length in the tile, two and two. A thread has the elements t and t + THREADS, which stay in
// registers between the barriers.
__device__ static void merge_level(element *tile, unsigned run)
{
    element own[2];
    unsigned to[2];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 2; k++) {
        unsigned i = threadIdx.x + k * THREADS, first = i & ~(2 * run - 1), in_second = i & run;
        own[k] = tile[i];
        to[k] = first + (i & (run - 1)) + rank_in(tile + first + (in_second ? 0 : run), run, own[k].key, in_second);
    }
    __syncthreads();
    tile[to[0]] = own[0];
    tile[to[1]] = own[1];
}

__global__ void __launch_bounds__(THREADS, RESIDENT) sort_tiles(element *elements)
{
    __shared__ element tile[TILE];
    element *own = elements + blockIdx.x * TILE;
    for (unsigned i = threadIdx.x; i < TILE; i += THREADS)
        tile[i] = own[i];
    for (unsigned run = 1; run < TILE; run *= 2)
        merge_level(tile, run);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < TILE; i += THREADS)
        own[i] = tile[i];
}

// Of the first `before` elements of two merged runs, how many are of the first run.
__device__ static unsigned find_split(const element *one, const element *other, unsigned run, unsigned before)
{
    unsigned low = before > run ? before - run : 0, high = min(before, run);
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (one[middle].key <= other[before - 1 - middle].key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// A block for each tile of the merged elements: a thread of the first warp and one of the last find where the tile
// begins and ends in the two runs; the block loads these parts, one behind the other, and merges them.
__global__ void __launch_bounds__(THREADS, RESIDENT) merge_tiles(const element *from, element *to, unsigned run)
{
    __shared__ element parts[TILE];
    __shared__ unsigned split, next;
    unsigned t = threadIdx.x, start = blockIdx.x * TILE, first = start & ~(2 * run - 1), before = start - first;
    const element *one = from + first, *other = one + run;
    if (t == 0)
        split = find_split(one, other, run, before);
    if (t == THREADS - 1)
        next = find_split(one, other, run, before + TILE);
    __syncthreads();
    unsigned in_one = next - split;
    one += split;
    other += before - split;
    for (unsigned i = t; i < TILE; i += THREADS)
        parts[i] = i < in_one ? one[i] : other[i - in_one];
    __syncthreads();
    for (unsigned i = t; i < TILE; i += THREADS) {
        element own = parts[i];
        unsigned rank = i < in_one ? i + rank_in(parts + in_one, TILE - in_one, own.key, false)
                                   : i - in_one + rank_in(parts, in_one, own.key, true);
        to[start + rank] = own;
    }
}

// Sorts a number of elements that is a power of two and at least TILE; returns the array with the result.
static element *device_sort(element *elements, element *other, unsigned count)
{
    unsigned tiles = count / TILE;
    sort_tiles<<<tiles, THREADS>>>(elements);
    for (unsigned run = TILE; run < count; run *= 2) {
        merge_tiles<<<tiles, THREADS>>>(elements, other, run);
        std::swap(elements, other);
    }
    CHECK(cudaGetLastError());
    return elements;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"elements", "elements", 60000, 1, 1u << 27, 4000, 1u << 17},
        {"keys", "different keys", 50000, 1, UINT32_MAX, 1000, 1u << 16},
        {"seed", "of the keys", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned count = (unsigned)options[0].value, padded = TILE;
    generator random = {options[2].value};
    std::vector<element> elements(count);
    for (unsigned i = 0; i < count; i++)
        elements[i] = {random.below((unsigned)options[1].value), i};
    while (padded < count)
        padded *= 2;
    std::vector<element> filled = elements;
    filled.resize(padded, element{UINT32_MAX, 0});
    element *one = to_device(filled), *other = to_device(filled);
    std::vector<element> got = to_host(device_sort(one, other, padded), count);
    CHECK(cudaFree(one));
    CHECK(cudaFree(other));
    std::stable_sort(elements.begin(), elements.end(), [](element a, element b) { return a.key < b.key; });
    uint64_t wrong = 0;
    for (unsigned i = 0; i < count; i++)
        wrong += got[i].key != elements[i].key || got[i].value != elements[i].value;
    printf("rankmerge: %u elements, keys from %u to %u\n", count, got.front().key, got.back().key);
    return verdict("rankmerge", wrong);
}

// Map and reduce on the GPU, for the programs that have a job of this kind. A job maps records to pairs of a key and a
// value: as no thread can allocate, each record is mapped twice, first to count its pairs, and, when the prefix sums of
// the counts have said where they go, to store them. The pairs are sorted, and runs of equal keys are reduced to one
// pair each. Prefix sums and sorting work in shared memory with a barrier after each step.
//
// A job is copied to the device as an argument of the kernels; it has, all of them __device__ and const,
//   unsigned count(unsigned record)                    pairs of a record
//   void emit(unsigned record, kv *to)                 stores them
//   bool before(kv a, kv b)                            the order of pairs
//   bool same(kv a, kv b)                              they are reduced together (map_reduce only)
//   kv reduce(const kv *first, unsigned count)         a run of such pairs to one (map_reduce only)
#ifndef LOCKSTEP_MAPREDUCE_H
#define LOCKSTEP_MAPREDUCE_H

#include "scan.h"

// A key and a value. No job has the key KV_NONE: it pads what is sorted, and comes last.
struct kv {
    unsigned key, value;
};
constexpr unsigned KV_NONE = UINT32_MAX;

// MR_RESIDENT blocks are to fit on an SM, as many as 1536 threads allow.
constexpr unsigned MR_THREADS = 256, MR_RESIDENT = 6, MR_TILE = 2 * MR_THREADS;

static inline unsigned mr_blocks(unsigned threads)
{
    return (threads + MR_THREADS - 1) / MR_THREADS;
}

template <typename T> static inline T *mr_alloc(unsigned count)
{
    T *array;
    CHECK(cudaMalloc(&array, count * sizeof *array));
    return array;
}

// Prefix sums over one more value, a 0 at the end, which becomes the total.
static inline unsigned scan_total(unsigned *values, unsigned count)
{
    scan<MR_THREADS>(values, count + 1);
    return to_host(values + count, 1)[0];
}

// ---- map ----

template <typename JOB>
__global__ static void __launch_bounds__(MR_THREADS, MR_RESIDENT) map_count(JOB job, unsigned records, unsigned *counts)
{
    unsigned r = blockIdx.x * MR_THREADS + threadIdx.x;
    if (r <= records)
        counts[r] = r < records ? job.count(r) : 0;
}

template <typename JOB>
__global__ static void __launch_bounds__(MR_THREADS, MR_RESIDENT)
    map_emit(JOB job, unsigned records, const unsigned *places, kv *pairs)
{
    unsigned r = blockIdx.x * MR_THREADS + threadIdx.x;
    if (r < records && places[r] < places[r + 1])
        job.emit(r, pairs + places[r]);
}

// ---- sort: Batcher's bitonic network, whose first step of a merge compares a run with the next one's mirror image
// ----

template <typename JOB> __device__ static void order(const JOB &job, kv *pairs, unsigned i, unsigned stride, bool first)
{
    unsigned low = 2 * i - (i & (stride - 1)), high = first ? low ^ (2 * stride - 1) : low + stride;
    kv a = pairs[low], b = pairs[high];
    if (b.key == KV_NONE || (a.key != KV_NONE && !job.before(b, a)))
        return;
    pairs[low] = b;
    pairs[high] = a;
}

// All steps of the merge of runs of that length, or those that stay within a tile.
template <typename JOB> __device__ static void merge_in_tile(const JOB &job, kv *tile, unsigned stride, bool first)
{
    for (; stride > 0; stride /= 2) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < MR_TILE / 2; i += MR_THREADS)
            order(job, tile, i, stride, first);
        first = false;
    }
}

__device__ static void copy_tile(kv *to, const kv *from)
{
    for (unsigned i = threadIdx.x; i < MR_TILE; i += MR_THREADS)
        to[i] = from[i];
}

// From `run` 1 on: sorts tiles. From half a tile on: ends the merge of longer runs.
template <typename JOB>
__global__ static void __launch_bounds__(MR_THREADS, MR_RESIDENT) sort_tiles(JOB job, kv *pairs, unsigned run)
{
    __shared__ kv tile[MR_TILE];
    copy_tile(tile, pairs + blockIdx.x * MR_TILE);
    bool fresh = run == 1;
    for (; run < MR_TILE; run *= 2)
        merge_in_tile(job, tile, run, fresh);
    __syncthreads();
    copy_tile(pairs + blockIdx.x * MR_TILE, tile);
}

template <typename JOB>
__global__ static void __launch_bounds__(MR_THREADS, MR_RESIDENT)
    sort_step(JOB job, kv *pairs, unsigned stride, bool first)
{
    order(job, pairs, blockIdx.x * MR_THREADS + threadIdx.x, stride, first);
}

static inline unsigned mr_padded(unsigned count)
{
    unsigned padded = MR_TILE;
    while (padded < count)
        padded *= 2;
    return padded;
}

template <typename JOB> static void sort(JOB job, kv *pairs, unsigned padded)
{
    sort_tiles<<<padded / MR_TILE, MR_THREADS>>>(job, pairs, 1);
    for (unsigned run = MR_TILE; run < padded; run *= 2) {
        for (unsigned stride = run; stride >= MR_TILE; stride /= 2)
            sort_step<<<padded / 2 / MR_THREADS, MR_THREADS>>>(job, pairs, stride, stride == run);
        sort_tiles<<<padded / MR_TILE, MR_THREADS>>>(job, pairs, MR_TILE / 2);
    }
    CHECK(cudaGetLastError());
}

// Returns the sorted pairs of all records, on the device.
template <typename JOB> static kv *map_sort(JOB job, unsigned records, unsigned *count)
{
    unsigned *places = mr_alloc<unsigned>(records + 1);
    map_count<<<mr_blocks(records + 1), MR_THREADS>>>(job, records, places);
    *count = scan_total(places, records);
    unsigned padded = mr_padded(*count);
    kv *pairs = mr_alloc<kv>(padded);
    CHECK(cudaMemset(pairs, 0xff, padded * sizeof *pairs));
    map_emit<<<mr_blocks(records), MR_THREADS>>>(job, records, places, pairs);
    sort(job, pairs, padded);
    CHECK(cudaFree(places));
    return pairs;
}

// ---- reduce ----

template <typename JOB>
__global__ static void __launch_bounds__(MR_THREADS, MR_RESIDENT)
    mark_groups(JOB job, const kv *pairs, unsigned count, unsigned *marks)
{
    unsigned i = blockIdx.x * MR_THREADS + threadIdx.x;
    if (i <= count)
        marks[i] = i < count && (i == 0 || !job.same(pairs[i - 1], pairs[i]));
}

// `numbers` are the marks' prefix sums: they rise by one after each pair that begins a group.
__global__ static void __launch_bounds__(MR_THREADS, MR_RESIDENT)
    find_groups(const unsigned *numbers, unsigned count, unsigned *starts)
{
    unsigned i = blockIdx.x * MR_THREADS + threadIdx.x;
    if (i == count || (i < count && numbers[i] < numbers[i + 1]))
        starts[numbers[i]] = i;
}

template <typename JOB>
__global__ static void __launch_bounds__(MR_THREADS, MR_RESIDENT)
    reduce_groups(JOB job, const kv *pairs, const unsigned *starts, unsigned groups, kv *results)
{
    unsigned g = blockIdx.x * MR_THREADS + threadIdx.x;
    if (g < groups)
        results[g] = job.reduce(pairs + starts[g], starts[g + 1] - starts[g]);
}

// Returns one pair for each group, in the order of the keys.
template <typename JOB> static std::vector<kv> map_reduce(JOB job, unsigned records)
{
    unsigned count;
    kv *pairs = map_sort(job, records, &count);
    unsigned *numbers = mr_alloc<unsigned>(count + 1);
    mark_groups<<<mr_blocks(count + 1), MR_THREADS>>>(job, pairs, count, numbers);
    unsigned groups = scan_total(numbers, count), *starts = mr_alloc<unsigned>(groups + 1);
    kv *results = mr_alloc<kv>(groups + 1);
    find_groups<<<mr_blocks(count + 1), MR_THREADS>>>(numbers, count, starts);
    reduce_groups<<<mr_blocks(groups + 1), MR_THREADS>>>(job, pairs, starts, groups, results);
    CHECK(cudaGetLastError());
    std::vector<kv> reduced = to_host(results, groups);
    for (void *p : {(void *)pairs, (void *)numbers, (void *)starts, (void *)results})
        CHECK(cudaFree(p));
    return reduced;
}

#endif

// A sum or a histogram, folded over the blocks of a cluster in their shared memory before it goes to global memory; or without
// clusters: by atomics of every block, by a second launch, which the host or a graph gives, or by the block that comes last.
#include "../waiting.h"

constexpr unsigned BINS = 512, MOST = 8; // bins, and blocks of a cluster at most

enum { CLUSTER, ATOMICS, LAUNCH, LAST, SEND, GRAPH, EARLY, SPIN };

__host__ __device__ static constexpr bool in_clusters(unsigned how)
{
    return how == CLUSTER || how == SEND;
}

__host__ __device__ static constexpr bool by_launches(unsigned how)
{
    return how == LAUNCH || how == GRAPH || how == EARLY;
}

// The sum of the block's values, for its first thread. blockDim.x is a multiple of 32.
__device__ static unsigned sum_of_block(unsigned value)
{
    __shared__ unsigned of_warp[32];
    for (unsigned distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffffu, value, distance);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
    __syncthreads();
    if (threadIdx.x < 32)
        for (unsigned distance = 16; distance > 0; distance /= 2)
            value += __shfl_down_sync(0xffffffffu, value, distance);
    return value;
}

// Each block brings its sum to the first block of its cluster, which adds them up.
__device__ static void fold_cluster(unsigned sum, unsigned cluster, unsigned *total)
{
    __shared__ unsigned of_block[MOST];
    unsigned rank = cluster_rank();
    cluster_sync(); // no block writes to one that has not begun
    if (threadIdx.x == 0)
        remote_store(at_rank(&of_block[rank], 0), sum);
    cluster_sync();
    if (rank == 0 && threadIdx.x == 0) {
        unsigned all = 0;
        for (unsigned i = 0; i < cluster; i++)
            all += of_block[i];
        atomicAdd(total, all);
    }
}

// As fold_cluster, but instead of a barrier of the cluster the first block waits at its mbarrier `come` for what the blocks send.
__device__ static void fold_sent(unsigned sum, unsigned cluster, unsigned *total)
{
    __shared__ unsigned of_block[MOST];
    __shared__ uint64_t come;
    unsigned rank = cluster_rank();
    if (rank == 0 && threadIdx.x == 0) {
        mbarrier_init(&come, 1);
        mbarrier_expect(&come, cluster * sizeof sum);
    }
    cluster_sync(); // no block sends to one that has not begun
    if (threadIdx.x)
        return;
    remote_send(at_rank(&of_block[rank], 0), sum, at_rank(&come, 0));
    if (rank == 0) {
        mbarrier_wait_cluster(&come, 0);
        unsigned all = 0;
        for (unsigned i = 0; i < cluster; i++)
            all += of_block[i];
        atomicAdd(total, all);
    }
}

// The first block waits until all have counted themselves, and adds up what they left. All are resident.
__device__ static void fold_spinning(unsigned sum, volatile unsigned *sums, volatile unsigned *come, unsigned *total)
{
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        atomicAdd((unsigned *)come, 1);
        if (blockIdx.x == 0)
            while (*come < gridDim.x)
                SPIN_LOOP();
        __threadfence();
    }
    if (blockIdx.x)
        return;
    __syncthreads();
    unsigned value = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        value += sums[i];
    value = sum_of_block(value);
    if (threadIdx.x == 0)
        *total = value;
}

// The block that draws the last number finds the sums of all others.
__device__ static void fold_last(unsigned sum, volatile unsigned *sums, unsigned *drawn, unsigned *total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(drawn, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    unsigned value = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        value += sums[i];
    value = sum_of_block(value);
    if (threadIdx.x == 0)
        *total = value;
}

// `result`: the sum, and a count of the blocks that have come. `sums`: of each block.
template <unsigned HOW>
__global__ void sum(const unsigned *in, unsigned n, unsigned cluster, unsigned *sums, unsigned *result)
{
    if (HOW == EARLY) {
        let_launches_behind_begin();
        wait_for_launches_before();
    }
    unsigned value = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += in[i];
    value = sum_of_block(value);
    if (HOW == CLUSTER)
        fold_cluster(value, cluster, result);
    else if (HOW == SEND)
        fold_sent(value, cluster, result);
    else if (HOW == LAST)
        fold_last(value, sums, &result[1], result);
    else if (HOW == SPIN)
        fold_spinning(value, sums, &result[1], result);
    else if (threadIdx.x == 0 && HOW == ATOMICS)
        atomicAdd(result, value);
    else if (threadIdx.x == 0)
        sums[blockIdx.x] = value;
}

// The second launch of a sum, of one block. It may begin before the first has ended.
template <unsigned HOW> __global__ void sum_of_sums(const unsigned *sums, unsigned n, unsigned *result)
{
    if (HOW == EARLY)
        wait_for_launches_before();
    unsigned value = 0;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        value += sums[i];
    value = sum_of_block(value);
    if (threadIdx.x == 0)
        *result = value;
}

using sum_kernel = void (*)(const unsigned *, unsigned, unsigned, unsigned *, unsigned *);
static const sum_kernel sums_of[] = {sum<CLUSTER>, sum<ATOMICS>, sum<LAUNCH>, sum<LAST>,
                                     sum<SEND>,    sum<LAUNCH>,  sum<EARLY>,  sum<SPIN>};

// Bins are dealt to the blocks of a cluster: each counts in the shared memory of the block that has the bin.
__global__ void histogram_cluster(const unsigned *in, unsigned n, unsigned cluster, unsigned *bins)
{
    __shared__ unsigned own[BINS];
    unsigned each = BINS / cluster, rank = cluster_rank();
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x)
        own[i] = 0;
    cluster_sync();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned bin = in[i] % BINS;
        remote_add(at_rank(&own[bin % each], bin / each), 1);
    }
    cluster_sync();
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x)
        atomicAdd(&bins[rank * each + i], own[i]);
}

// Every block counts all bins, and adds them to those in global memory; where a second launch follows, it leaves them to that.
__global__ void histogram(const unsigned *in, unsigned n, unsigned how, unsigned *sums, unsigned *bins)
{
    __shared__ unsigned own[BINS];
    for (unsigned i = threadIdx.x; i < BINS; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i] % BINS], 1);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < BINS; i += blockDim.x)
        if (by_launches(how))
            sums[blockIdx.x * BINS + i] = own[i];
        else
            atomicAdd(&bins[i], own[i]);
}

// The second launch of a histogram: a thread for each bin.
__global__ void add_up(const unsigned *sums, unsigned blocks, unsigned *bins)
{
    wait_for_launches_before();
    unsigned bin = blockIdx.x * blockDim.x + threadIdx.x, all = 0;
    for (unsigned i = 0; bin < BINS && i < blocks; i++)
        all += sums[i * BINS + bin];
    if (bin < BINS)
        bins[bin] = all;
}

struct shape {
    unsigned n, blocks, block, cluster, how;
};

static uint64_t run_sum(const std::vector<unsigned> &in, const shape &s)
{
    unsigned *from = to_device(in), *sums = to_device(std::vector<unsigned>(s.blocks, 0)),
             *result = to_device(std::vector<unsigned>(2, 0)), expected = 0;
    for (unsigned value : in)
        expected += value;
    if (by_launches(s.how)) {
        launch_row row(s.how == GRAPH, s.how == EARLY);
        row.add(sums_of[s.how], s.blocks, s.block, (const unsigned *)from, s.n, s.cluster, sums, result);
        row.add(s.how == EARLY ? sum_of_sums<EARLY> : sum_of_sums<LAUNCH>, 1u, s.block, (const unsigned *)sums, s.blocks, result);
        row.run();
    } else {
        launch_in_clusters(in_clusters(s.how) ? s.cluster : 0, sums_of[s.how], s.blocks, s.block, (const unsigned *)from, s.n, s.cluster,
                           sums, result);
    }
    uint64_t wrong = to_host(result, 1)[0] != expected;
    CHECK(cudaFree(from));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(result));
    return wrong;
}

static uint64_t run_histogram(const std::vector<unsigned> &in, const shape &s)
{
    std::vector<unsigned> expected(BINS, 0);
    unsigned *from = to_device(in), *bins = to_device(expected),
             *sums = to_device(std::vector<unsigned>((size_t)s.blocks * BINS, 0));
    for (unsigned value : in)
        expected[value % BINS]++;
    if (in_clusters(s.how)) {
        launch_in_clusters(s.cluster, histogram_cluster, s.blocks, s.block, from, s.n, s.cluster, bins);
    } else {
        launch_row row(s.how == GRAPH, s.how == EARLY);
        row.add(histogram, s.blocks, s.block, (const unsigned *)from, s.n, s.how, sums, bins);
        if (by_launches(s.how))
            row.add(add_up, (BINS + 127) / 128, 128u, (const unsigned *)sums, s.blocks, bins);
        row.run();
    }
    std::vector<unsigned> found = to_host(bins, BINS);
    uint64_t wrong = 0;
    for (unsigned i = 0; i < BINS; i++)
        wrong += found[i] != expected[i];
    CHECK(cudaFree(from));
    CHECK(cudaFree(bins));
    CHECK(cudaFree(sums));
    return wrong;
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"cluster", "atomics", "launch", "last", "send", "graph", "early", "spin", nullptr};
    static const char *const tasks[] = {"both", "sum", "histogram", nullptr};
    option options[] = {
        {"n", "words", 1u << 18, 1, 1u << 28, 20000, 0},
        {"blocks", "blocks, a multiple of those of a cluster", 128, 1, 65528, 16, 0},
        {"block", "threads of a block, a multiple of 32", 256, 32, 1024, 128, 0},
        {"cluster", "blocks of a cluster: 1, 2, 4 or 8", 8, 1, MOST, 4, 0},
        {"how", "cluster, send (of histograms: as cluster), atomics, last, spin (both: as atomics), launch, graph or early", CLUSTER,
         CLUSTER, SPIN, CLUSTER, 0, ways},
        {"task", "both, sum or histogram", 0, 0, 2, 0, 0, tasks},
        {"seed", "of the input", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    shape s = {(unsigned)options[0].value, (unsigned)options[1].value, (unsigned)options[2].value,
               (unsigned)options[3].value, (unsigned)options[4].value};
    if (s.block % 32 || s.cluster & (s.cluster - 1) || s.blocks % s.cluster)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--block, --cluster and --blocks: see below");
    if (s.how == SPIN && resident_blocks(sums_of[SPIN], s.block, s.blocks) < s.blocks)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--blocks: not all can be resident");
    generator random = {options[6].value};
    std::vector<unsigned> in(s.n);
    for (unsigned &value : in)
        value = (unsigned)random.next();

    printf("clusters: %u words by %u blocks of %u threads\n", s.n, s.blocks, s.block);
    uint64_t wrong = 0;
    if (options[5].value != 2)
        wrong += run_sum(in, s);
    if (options[5].value != 1)
        wrong += run_histogram(in, s);
    return verdict("clusters", wrong);
}

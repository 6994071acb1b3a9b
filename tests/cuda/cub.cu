/* CUB: algorithms of the device, and collectives of blocks and warps, each against the host.
 * usage: cub ELEMENTS */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <cub/cub.cuh>

static int failures;

static void check(const char *name, bool right)
{
    printf("%s: %s\n", name, right ? "right" : "WRONG");
    failures += !right;
}

/* Calls an algorithm twice, as CUB wants it: for the size of its storage, and with that. */
template <class F> static void with_storage(F &&algorithm)
{
    size_t bytes = 0;
    void *storage = NULL;
    if (algorithm((void *)NULL, bytes) != cudaSuccess || cudaMalloc(&storage, bytes) != cudaSuccess ||
        algorithm(storage, bytes) != cudaSuccess)
        check("a call", false);
    cudaFree(storage);
}

template <class T> struct array {
    T *p;
    size_t n;
    explicit array(size_t count) : n(count)
    {
        cudaMalloc(&p, n * sizeof(T));
    }
    explicit array(const std::vector<T> &from) : array(from.size())
    {
        cudaMemcpy(p, from.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~array()
    {
        cudaFree(p);
    }
    std::vector<T> host(size_t count) const
    {
        std::vector<T> to(count);
        cudaMemcpy(to.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost);
        return to;
    }
};

static std::vector<int> numbers(int n, unsigned seed, int below)
{
    std::vector<int> v(n);
    for (int &x : v)
        x = (int)((seed = seed * 1664525u + 1013904223u) >> 8) % below;
    return v;
}

static void device_folds(const std::vector<int> &h)
{
    int n = (int)h.size();
    array<int> in(h), out(n);
    with_storage([&](void *s, size_t &b) { return cub::DeviceReduce::Sum(s, b, in.p, out.p, n); });
    check("DeviceReduce", out.host(1)[0] == std::accumulate(h.begin(), h.end(), 0));
    with_storage([&](void *s, size_t &b) { return cub::DeviceScan::ExclusiveSum(s, b, in.p, out.p, n); });
    std::vector<int> sums(n);
    for (int i = 1; i < n; i++)
        sums[i] = sums[i - 1] + h[i - 1];
    check("DeviceScan", out.host(n) == sums);
}

static void device_sort(std::vector<int> h)
{
    int n = (int)h.size();
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    array<int> keys(h), values(order), keys_out(n), values_out(n);
    with_storage([&](void *s, size_t &b) {
        return cub::DeviceRadixSort::SortPairs(s, b, keys.p, keys_out.p, values.p, values_out.p, n);
    });
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return h[a] < h[b]; });
    std::sort(h.begin(), h.end());
    check("DeviceRadixSort", keys_out.host(n) == h && values_out.host(n) == order);
}

struct is_small {
    __host__ __device__ bool operator()(int x) const
    {
        return x < 20;
    }
};

static void device_selections(std::vector<int> h)
{
    int n = (int)h.size();
    array<int> in(h), out(n), counts(n), number(1), bins(8);
    std::vector<int> small, histogram(8), heads, lengths;
    with_storage([&](void *s, size_t &b) { return cub::DeviceSelect::If(s, b, in.p, out.p, number.p, n, is_small()); });
    std::copy_if(h.begin(), h.end(), std::back_inserter(small), is_small());
    check("DeviceSelect", number.host(1)[0] == (int)small.size() && out.host(small.size()) == small);
    with_storage(
        [&](void *s, size_t &b) { return cub::DeviceHistogram::HistogramEven(s, b, in.p, bins.p, 9, 0, 48, n); });
    for (int x : h)
        if (x < 48)
            histogram[x / 6]++;
    check("DeviceHistogram", bins.host(8) == histogram);
    std::sort(h.begin(), h.end());
    array<int> sorted(h);
    with_storage([&](void *s, size_t &b) {
        return cub::DeviceRunLengthEncode::Encode(s, b, sorted.p, out.p, counts.p, number.p, n);
    });
    for (int i = 0; i < n; i++)
        if (i == 0 || h[i] != h[i - 1])
            heads.push_back(h[i]), lengths.push_back(1);
        else
            lengths.back()++;
    check("DeviceRunLengthEncode", number.host(1)[0] == (int)heads.size() && out.host(heads.size()) == heads &&
                                       counts.host(heads.size()) == lengths);
}

#define THREADS 128
#define ITEMS 4

__global__ void collectives(const int *in, int *sorted, int *scanned, int *sums)
{
    using Load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<int, THREADS, ITEMS>;
    using Scan = cub::BlockScan<int, THREADS>;
    using Reduce = cub::BlockReduce<int, THREADS>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Sort::TempStorage sort;
        typename Scan::TempStorage scan;
        typename Reduce::TempStorage reduce;
    } shared;
    int items[ITEMS], offset = blockIdx.x * THREADS * ITEMS;
    Load(shared.load).Load(in + offset, items);
    __syncthreads();
    Sort(shared.sort).Sort(items);
    __syncthreads();
    int kept[ITEMS]; /* a transposing store leaves its items in another order */
    for (int i = 0; i < ITEMS; i++)
        kept[i] = items[i];
    Store(shared.store).Store(sorted + offset, kept);
    __syncthreads();
    int sum = Reduce(shared.reduce).Sum(items);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
    __syncthreads();
    Scan(shared.scan).InclusiveSum(items, items);
    __syncthreads();
    Store(shared.store).Store(scanned + offset, items);
}

__global__ void warps(const int *in, int *scanned, int *sums)
{
    __shared__ typename cub::WarpScan<int>::TempStorage scan[THREADS / 32];
    __shared__ typename cub::WarpReduce<int>::TempStorage reduce[THREADS / 32];
    int i = blockIdx.x * THREADS + threadIdx.x, warp = threadIdx.x / 32, prefix;
    cub::WarpScan<int>(scan[warp]).ExclusiveSum(in[i], prefix);
    scanned[i] = prefix;
    int sum = cub::WarpReduce<int>(reduce[warp]).Sum(in[i]);
    if (threadIdx.x % 32 == 0)
        sums[i / 32] = sum;
}

static void blocks(const std::vector<int> &h)
{
    int n = THREADS * ITEMS * 2;
    std::vector<int> part(h.begin(), h.begin() + n), want = part, prefixes(n);
    array<int> in(part), sorted(n), scanned(n), sums(n);
    collectives<<<2, THREADS>>>(in.p, sorted.p, scanned.p, sums.p);
    std::vector<int> totals = sums.host(2);
    bool right = true;
    for (int b = 0; b < 2; b++) {
        auto begin = want.begin() + b * n / 2;
        std::sort(begin, begin + n / 2);
        std::partial_sum(begin, begin + n / 2, prefixes.begin() + b * n / 2);
        right = right && totals[b] == prefixes[(b + 1) * n / 2 - 1];
    }
    check("BlockLoad, BlockRadixSort and BlockStore", sorted.host(n) == want);
    check("BlockReduce", right);
    check("BlockScan", scanned.host(n) == prefixes);
    warps<<<n / THREADS, THREADS>>>(in.p, scanned.p, sums.p);
    std::vector<int> of_warps(n / 32);
    for (int i = 0; i < n; i++) {
        prefixes[i] = i % 32 ? prefixes[i - 1] + part[i - 1] : 0;
        of_warps[i / 32] += part[i];
    }
    check("WarpScan", scanned.host(n) == prefixes);
    check("WarpReduce", sums.host(n / 32) == of_warps);
}

int main(int, char **argv)
{
    int n = atoi(argv[1]);
    std::vector<int> h = numbers(n, 5, 50);
    device_folds(h);
    device_sort(numbers(n, 6, 1 << 30));
    device_selections(h);
    blocks(numbers(THREADS * ITEMS * 2, 7, 1000));
    return failures != 0 || cudaDeviceSynchronize() != cudaSuccess;
}

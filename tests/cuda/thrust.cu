/* thrust: containers, sorts, reductions, scans, selections and searches, each against the same on the host.
 * usage: thrust ELEMENTS */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

static int failures;

static void check(const char *name, bool right)
{
    printf("%s: %s\n", name, right ? "right" : "WRONG");
    failures += !right;
}

template <class T> static std::vector<T> to_host(const thrust::device_vector<T> &from, size_t count)
{
    std::vector<T> to(count);
    thrust::copy(from.begin(), from.begin() + count, to.begin());
    return to;
}

struct is_odd {
    __host__ __device__ bool operator()(int x) const
    {
        return x & 1;
    }
};

struct square {
    __host__ __device__ long long operator()(int x) const
    {
        return (long long)x * x;
    }
};

static std::vector<int> numbers(int n, unsigned seed, int below)
{
    std::vector<int> v(n);
    for (int &x : v)
        x = (int)((seed = seed * 1664525u + 1013904223u) >> 8) % below;
    return v;
}

static void sorts(int n)
{
    std::vector<int> h = numbers(n, 1, 1 << 20), order(n);
    thrust::device_vector<int> d = h, keys = h, values(n);
    thrust::copy(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n), values.begin());
    thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return h[a] < h[b]; });
    check("sort_by_key", to_host(values, n) == order);
    thrust::sort(d.begin(), d.end(), thrust::greater<int>());
    std::sort(h.begin(), h.end(), std::greater<int>());
    check("sort", to_host(d, n) == h);
}

static void folds(int n)
{
    std::vector<int> h = numbers(n, 2, 1000), sums(n);
    thrust::device_vector<int> d = h, scanned(n);
    long long squares = 0;
    for (int x : h)
        squares += (long long)x * x;
    check("reduce", thrust::reduce(d.begin(), d.end()) == std::accumulate(h.begin(), h.end(), 0));
    check("transform_reduce",
          thrust::transform_reduce(d.begin(), d.end(), square(), 0ll, thrust::plus<long long>()) == squares);
    thrust::inclusive_scan(d.begin(), d.end(), scanned.begin());
    std::partial_sum(h.begin(), h.end(), sums.begin());
    check("inclusive_scan", to_host(scanned, n) == sums);
    check("sum of a counting_iterator",
          thrust::reduce(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n)) == n * (n - 1) / 2);
}

static void selections(int n)
{
    std::vector<int> h = numbers(n, 3, 50), odd, first = h;
    thrust::device_vector<int> d = h, picked(n);
    auto end = thrust::copy_if(d.begin(), d.end(), picked.begin(), is_odd());
    std::copy_if(h.begin(), h.end(), std::back_inserter(odd), is_odd());
    check("copy_if", to_host(picked, end - picked.begin()) == odd);
    thrust::stable_partition(d.begin(), d.end(), is_odd());
    std::stable_partition(first.begin(), first.end(), is_odd());
    check("stable_partition", to_host(d, n) == first);
    std::sort(h.begin(), h.end());
    d = h;
    h.erase(std::unique(h.begin(), h.end()), h.end());
    end = thrust::unique(d.begin(), d.end());
    check("unique", to_host(d, end - d.begin()) == h);
    std::vector<int> wanted = numbers(n, 4, 60), places(n);
    thrust::device_vector<int> sought = wanted, found(n);
    thrust::lower_bound(d.begin(), end, sought.begin(), sought.end(), found.begin());
    for (int i = 0; i < n; i++)
        places[i] = (int)(std::lower_bound(h.begin(), h.end(), wanted[i]) - h.begin());
    check("lower_bound", to_host(found, n) == places);
}

int main(int, char **argv)
{
    int n = atoi(argv[1]);
    sorts(n);
    folds(n);
    selections(n);
    return failures != 0 || cudaDeviceSynchronize() != cudaSuccess;
}

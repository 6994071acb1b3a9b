// The k places nearest to a point. One launch computes all distances, a thread each. Then, k times, a tree with a
// barrier per step finds the least distance of every block, launches fold the blocks' results until one is left, and a
// launch of one thread notes it and takes it out of the running.
#include "../workload.h"
#include <algorithm>
#include <cmath>

constexpr unsigned BLOCK = 256;

struct place {
    float latitude, longitude;
};

struct candidate {
    float distance;
    unsigned index;
};

// Equal distances are told apart by the index, so that there is one answer.
__host__ __device__ static inline bool nearer(candidate a, candidate b)
{
    return a.distance < b.distance || (a.distance == b.distance && a.index < b.index);
}

// The fused product and sum is written out, so that no compiler may choose: host and device round alike.
__host__ __device__ static inline float distance_between(place a, place b)
{
    float north = a.latitude - b.latitude, east = a.longitude - b.longitude;
    return sqrtf(fmaf(north, north, east * east));
}

__global__ void measure(const place *places, unsigned n, place from, candidate *candidates)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        candidates[i] = candidate{distance_between(places[i], from), i};
}

// out[b] becomes the nearest of the BLOCK candidates of block b.
__global__ void nearest(const candidate *in, unsigned n, candidate *out)
{
    __shared__ candidate best[BLOCK];
    unsigned t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    best[t] = i < n ? in[i] : candidate{INFINITY, 0xffffffffu};
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half && nearer(best[t + half], best[t]))
            best[t] = best[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = best[0];
}

__global__ void take(candidate *candidates, const candidate *winner, candidate *taken)
{
    *taken = *winner;
    candidates[winner->index].distance = INFINITY;
}

// The k nearest, nearest first; `distances` becomes those of all places.
static std::vector<candidate> device_nearest(const std::vector<place> &places, place from, unsigned k,
                                             std::vector<candidate> *distances)
{
    unsigned n = (unsigned)places.size(), blocks = (n + BLOCK - 1) / BLOCK;
    place *device = to_device(places);
    candidate *candidates, *partial[2], *taken;
    CHECK(cudaMalloc(&candidates, n * sizeof *candidates));
    for (candidate *&p : partial)
        CHECK(cudaMalloc(&p, blocks * sizeof *p));
    CHECK(cudaMalloc(&taken, k * sizeof *taken));
    measure<<<blocks, BLOCK>>>(device, n, from, candidates);
    CHECK(cudaGetLastError());
    *distances = to_host(candidates, n);
    for (unsigned round = 0; round < k; round++) {
        unsigned count = blocks, now = 0;
        nearest<<<blocks, BLOCK>>>(candidates, n, partial[now]);
        for (; count > 1; count = (count + BLOCK - 1) / BLOCK, now ^= 1)
            nearest<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(partial[now], count, partial[now ^ 1]);
        take<<<1, 1>>>(candidates, partial[now], &taken[round]);
        CHECK(cudaGetLastError());
    }
    std::vector<candidate> result = to_host(taken, k);
    CHECK(cudaFree(device));
    for (candidate *p : {candidates, partial[0], partial[1], taken})
        CHECK(cudaFree(p));
    return result;
}

// The formula itself, in double precision: float may differ by a few units in the 24th bit.
static uint64_t count_far_off(const std::vector<candidate> &got, const std::vector<place> &places, place from)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < got.size(); i++) {
        double exact = hypot((double)places[i].latitude - from.latitude, (double)places[i].longitude - from.longitude);
        wrong += !(fabs(got[i].distance - exact) <= exact * 1e-6);
    }
    return wrong;
}

static uint64_t count_different(const std::vector<candidate> &got, const std::vector<candidate> &want)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < got.size(); i++)
        wrong += got[i].distance != want[i].distance || got[i].index != want[i].index;
    return wrong;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"places", "places to search", 42764, 1, 1u << 26, 1000, 42764},
        {"k", "how many are sought", 10, 1, 1000, 3, 10},
        {"seed", "of the places", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned n = (unsigned)options[0].value, k = (unsigned)options[1].value;
    if (k > n)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--k: more than there are places");
    generator random = {options[2].value};
    std::vector<place> places(n);
    for (place &p : places)
        p = {(float)random.below(700) / 10.0f, (float)random.below(3600) / 10.0f};
    place from = {30.0f, 90.0f};
    std::vector<candidate> want(n), distances;
    for (unsigned i = 0; i < n; i++)
        want[i] = {distance_between(places[i], from), i};
    std::vector<candidate> got = device_nearest(places, from, k, &distances);
    uint64_t wrong = count_different(distances, want) + count_far_off(distances, places, from);
    std::partial_sort(want.begin(), want.begin() + k, want.end(), nearer);
    wrong += count_different(got, want);
    printf("nn: %u nearest of %u places, the first at a distance of %.6f, the last at %.6f\n", k, n, got[0].distance,
           got[k - 1].distance);
    return verdict("nn", wrong);
}

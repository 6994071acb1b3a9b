// K-means clustering by Lloyd's iteration. The points come with their features side by side; one kernel turns that
// around, so that the threads of neighbouring points load neighbouring words, and one finds the nearest center of every
// point. The host moves the centers between the rounds. Every product that is added to something is written as fmaf:
// compilers then have no choice in rounding, and the host's distances have the same bits.
#include "../workload.h"
#include <cfloat>
#include <cmath>

struct sizes {
    unsigned points, features, clusters;
};

__global__ void transpose(const float *by_point, float *by_feature, unsigned points, unsigned features)
{
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= points)
        return;
    for (unsigned f = 0; f < features; f++)
        by_feature[f * points + p] = by_point[p * features + f];
}

__global__ void assign(const float *by_feature, const float *centers, unsigned *nearest, sizes s)
{
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= s.points)
        return;
    float least = FLT_MAX;
    unsigned best = 0;
    for (unsigned c = 0; c < s.clusters; c++) {
        float distance = 0;
        for (unsigned f = 0; f < s.features; f++) {
            float difference = by_feature[f * s.points + p] - centers[c * s.features + f];
            distance = fmaf(difference, difference, distance);
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    nearest[p] = best;
}

static void host_assign(const std::vector<float> &features, const std::vector<float> &centers,
                        std::vector<unsigned> &nearest, sizes s)
{
    for (unsigned p = 0; p < s.points; p++) {
        float least = FLT_MAX;
        for (unsigned c = 0; c < s.clusters; c++) {
            float distance = 0;
            for (unsigned f = 0; f < s.features; f++) {
                float difference = features[(size_t)p * s.features + f] - centers[c * s.features + f];
                distance = fmaf(difference, difference, distance);
            }
            if (distance < least) {
                least = distance;
                nearest[p] = c;
            }
        }
    }
}

// Points around random centers, wide enough for the clouds to overlap.
static std::vector<float> make_points(generator &random, sizes s)
{
    std::vector<float> features((size_t)s.points * s.features), cloud(s.clusters * s.features);
    for (float &v : cloud)
        v = (float)random.below(1u << 16) / 256;
    for (unsigned p = 0; p < s.points; p++) {
        unsigned c = random.below(s.clusters);
        for (unsigned f = 0; f < s.features; f++)
            features[(size_t)p * s.features + f] =
                cloud[c * s.features + f] + ((float)random.below(1u << 16) / 256 - 128);
    }
    return features;
}

// The mean of the points of each center, in the order of the points; a center that lost all its points stays.
static void move_centers(const std::vector<float> &features, const std::vector<unsigned> &nearest,
                         std::vector<float> &centers, sizes s)
{
    std::vector<double> sums(centers.size());
    std::vector<unsigned> members(s.clusters);
    for (unsigned p = 0; p < s.points; p++) {
        members[nearest[p]]++;
        for (unsigned f = 0; f < s.features; f++)
            sums[nearest[p] * s.features + f] += features[(size_t)p * s.features + f];
    }
    for (unsigned i = 0; i < centers.size(); i++)
        if (members[i / s.features])
            centers[i] = (float)(sums[i] / members[i / s.features]);
}

// Rounds of `assign_all(centers, nearest)` until no point changes its center; the first points are the first centers.
template <typename ASSIGN>
static std::vector<unsigned> cluster(const std::vector<float> &features, sizes s, unsigned *rounds, ASSIGN assign_all)
{
    std::vector<float> centers(features.begin(), features.begin() + s.clusters * s.features);
    std::vector<unsigned> nearest(s.points), before(s.points, s.clusters);
    unsigned most = *rounds;
    for (*rounds = 0; *rounds < most && nearest != before; ++*rounds) {
        before = nearest;
        assign_all(centers, nearest);
        move_centers(features, nearest, centers, s);
    }
    return nearest;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"points", "points", 8192, 1, 1u << 24, 500, 102400},
        {"features", "features of a point", 16, 1, 1024, 12, 34},
        {"clusters", "centers, at most as many as points", 5, 1, 1024, 4, 5},
        {"rounds", "rounds at most", 10, 1, 1000, 3, 20},
        {"block", "threads of a block", 256, 1, 1024, 64, 256},
        {"seed", "of the points", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    sizes s = {(unsigned)options[0].value, (unsigned)options[1].value, (unsigned)options[2].value};
    if (s.clusters > s.points)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--clusters: more than points");
    unsigned most = (unsigned)options[3].value, block = (unsigned)options[4].value;
    unsigned grid = (s.points + block - 1) / block;
    generator random = {options[5].value};
    std::vector<float> features = make_points(random, s);

    float *by_point = to_device(features), *by_feature, *centers;
    unsigned *nearest;
    CHECK(cudaMalloc(&by_feature, features.size() * sizeof(float)));
    CHECK(cudaMalloc(&centers, s.clusters * s.features * sizeof(float)));
    CHECK(cudaMalloc(&nearest, s.points * sizeof(unsigned)));
    transpose<<<grid, block>>>(by_point, by_feature, s.points, s.features);
    CHECK(cudaGetLastError());
    unsigned rounds = most, host_rounds = most;
    auto on_device = [&](const std::vector<float> &c, std::vector<unsigned> &n) {
        CHECK(cudaMemcpy(centers, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice));
        assign<<<grid, block>>>(by_feature, centers, nearest, s);
        CHECK(cudaGetLastError());
        n = to_host(nearest, s.points);
    };
    std::vector<unsigned> got = cluster(features, s, &rounds, on_device);
    std::vector<float> turned = to_host(by_feature, features.size());
    for (void *p : {(void *)by_point, (void *)by_feature, (void *)centers, (void *)nearest})
        CHECK(cudaFree(p));

    std::vector<unsigned> want =
        cluster(features, s, &host_rounds,
                [&](const std::vector<float> &c, std::vector<unsigned> &n) { host_assign(features, c, n, s); });
    uint64_t wrong = rounds != host_rounds;
    for (unsigned p = 0; p < s.points; p++) {
        wrong += got[p] != want[p];
        for (unsigned f = 0; f < s.features; f++)
            wrong += turned[(size_t)f * s.points + p] != features[(size_t)p * s.features + f];
    }
    printf("kmeans: %u points of %u features, %u clusters, %u rounds\n", s.points, s.features, s.clusters, rounds);
    return verdict("kmeans", wrong);
}

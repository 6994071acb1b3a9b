// Follows a bright disc through a noisy video with a particle filter. In each frame every particle moves at random, is
// weighed by how well the pixels round it look like the disc, and the weights are scanned and divided by their sum; the
// weighted mean of the particles is the estimate. Then as many particles are drawn again, in even steps along the
// running sums: each thread searches those from the start.
#include "../workload.h"
#include <algorithm>
#include <cmath>
#include <initializer_list>

constexpr unsigned BLOCK = 128;
constexpr int RADIUS = 4;                 // of the disc
constexpr int SQUARE = 2 * RADIUS + 1;    // side of the square round it
constexpr float DARK = 100, BRIGHT = 228; // mean brightness outside and inside
constexpr unsigned LCG_FACTOR = 1664525, LCG_ADDEND = 1013904223;

struct video {
    int width, height, frames, points; // points of the disc
    std::vector<unsigned char> pixels;
    std::vector<int> x, y; // where the disc really is
};

struct particle {
    float x, y;
    unsigned random;
};

// What both sides compute. Products that are added are fused by name and the exponential is written out here, so that
// no compiler and no library has a choice: host and device round alike.
__host__ __device__ static inline bool on_disc(int dx, int dy)
{
    return dx * dx + dy * dy <= RADIUS * RADIUS;
}

// e^x for x in [-80, 80], within some 2^-22 of it: x = k ln 2 + r, and a polynomial in r.
__host__ __device__ static inline float exponential(float x)
{
    float k = rintf(x * 1.44269504f), r = fmaf(k, -0.693359375f, x);
    r = fmaf(k, 2.12194440e-4f, r);
    float sum = 1.0f / 720;
    sum = fmaf(sum, r, 1.0f / 120);
    sum = fmaf(sum, r, 1.0f / 24);
    sum = fmaf(sum, r, 1.0f / 6);
    sum = fmaf(sum, r, 0.5f);
    sum = fmaf(sum, r, 1.0f);
    sum = fmaf(sum, r, 1.0f);
    unsigned bits = (unsigned)((int)k + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

// A step along one axis: the sum of four uniform numbers, of mean 0 and about 2.3 pixels wide.
__host__ __device__ static inline float random_step(unsigned *state)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        *state = *state * LCG_FACTOR + LCG_ADDEND;
        sum += (int)(*state >> 24);
    }
    return (float)(sum - 510) / 64.0f;
}

// The weight of a particle from the pixels that would be the disc's. With normal noise of deviation 5, the logarithm of
// the odds that a pixel is bright, not dark, is ((p - DARK)^2 - (p - BRIGHT)^2) / 50. Its mean over the disc, less what
// a perfect disc gives, is the logarithm of the weight; it is cut off so that the sum of weights cannot vanish.
__host__ __device__ static inline float weight_at(const unsigned char *frame, int width, int height, int points,
                                                  float x, float y)
{
    int column = (int)x, row = (int)y, sum = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            int px = column + dx, py = row + dy;
            if (on_disc(dx, dy) && px >= 0 && px < width && py >= 0 && py < height)
                sum += frame[py * width + px] - (int)(DARK + BRIGHT) / 2;
        }
    float mean = (float)sum / (float)points - (BRIGHT - DARK) / 2;
    return exponential(fmaxf(mean * (2 * (BRIGHT - DARK) / 50), -60.0f));
}

__global__ void move_and_weigh(particle *particles, float *weights, unsigned n, const unsigned char *frame, int width,
                               int height, int points)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    particle p = particles[i];
    p.x += random_step(&p.random);
    p.y += random_step(&p.random);
    particles[i] = p;
    weights[i] = weight_at(frame, width, height, points, p.x, p.y);
}

// Running sums of BLOCK values: sums[t] becomes the sum of values 0 to t. Each step adds what is twice as far away.
__device__ static float scan(float value, float (*sums)[BLOCK])
{
    unsigned t = threadIdx.x, now = 0;
    sums[0][t] = value;
    __syncthreads();
    for (unsigned distance = 1; distance < BLOCK; distance *= 2, now ^= 1) {
        sums[now ^ 1][t] = t >= distance ? sums[now][t] + sums[now][t - distance] : sums[now][t];
        __syncthreads();
    }
    return sums[now][t];
}

__global__ void scan_blocks(const float *in, unsigned n, float *sums, float *totals)
{
    __shared__ float shared[2][BLOCK];
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = scan(i < n ? in[i] : 0.0f, shared);
    if (i < n)
        sums[i] = sum;
    if (totals && threadIdx.x == BLOCK - 1)
        totals[blockIdx.x] = sum;
}

// Divides weights and running sums by the sum of all, and gives each block's part of the weighted mean.
__global__ void normalise(const particle *particles, float *weights, float *sums, unsigned n, const float *totals,
                          float2 *means)
{
    __shared__ float x[BLOCK], y[BLOCK];
    unsigned t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    float total = totals[gridDim.x - 1], before = blockIdx.x > 0 ? totals[blockIdx.x - 1] : 0.0f;
    x[t] = y[t] = 0.0f;
    if (i < n) {
        float weight = weights[i] / total;
        weights[i] = weight;
        sums[i] = (sums[i] + before) / total;
        x[t] = particles[i].x * weight;
        y[t] = particles[i].y * weight;
    }
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) {
            x[t] += x[t + half];
            y[t] += y[t + half];
        }
        __syncthreads();
    }
    if (t == 0)
        means[blockIdx.x] = make_float2(x[0], y[0]);
}

// Particle j of the next frame is the first whose running sum reaches (j + start) / n; it keeps its own random numbers.
__global__ void resample(const particle *from, particle *to, const float *sums, unsigned n, float start)
{
    unsigned j = blockIdx.x * BLOCK + threadIdx.x, i = 0;
    if (j >= n)
        return;
    float sought = ((float)j + start) / (float)n;
    while (i + 1 < n && sums[i] < sought)
        i++;
    to[j] = particle{from[i].x, from[i].y, from[j].random};
}

// One filter: what it is left with after the last frame, and its estimate in each.
struct track {
    std::vector<particle> particles;
    std::vector<float> weights, sums, x, y;
};

// The blocks' parts are few: the host adds them, first to last.
static void add_estimate(track &t, const std::vector<float2> &means)
{
    float x = 0, y = 0;
    for (float2 m : means) {
        x += m.x;
        y += m.y;
    }
    t.x.push_back(x);
    t.y.push_back(y);
}

static track device_filter(const video &v, const std::vector<particle> &first, const std::vector<float> &starts)
{
    track result;
    unsigned n = (unsigned)first.size(), blocks = (n + BLOCK - 1) / BLOCK;
    size_t frame = (size_t)v.width * (size_t)v.height;
    particle *particles[2] = {to_device(first), to_device(first)};
    unsigned char *pixels = to_device(v.pixels);
    std::vector<float> zeros(n);
    float *weights = to_device(zeros), *sums = to_device(zeros), *totals = to_device(zeros);
    float2 *means;
    CHECK(cudaMalloc(&means, blocks * sizeof *means));
    for (int f = 0; f < v.frames; f++) {
        particle *now = particles[f % 2], *next = particles[(f + 1) % 2];
        move_and_weigh<<<blocks, BLOCK>>>(now, weights, n, pixels + (size_t)f * frame, v.width, v.height, v.points);
        scan_blocks<<<blocks, BLOCK>>>(weights, n, sums, totals);
        scan_blocks<<<1, BLOCK>>>(totals, blocks, totals, nullptr);
        normalise<<<blocks, BLOCK>>>(now, weights, sums, n, totals, means);
        resample<<<blocks, BLOCK>>>(now, next, sums, n, starts[f]);
        CHECK(cudaGetLastError());
        add_estimate(result, to_host(means, blocks));
    }
    result.particles = to_host(particles[v.frames % 2], n);
    result.weights = to_host(weights, n);
    result.sums = to_host(sums, n);
    for (void *p : std::initializer_list<void *>{particles[0], particles[1], pixels, weights, sums, totals, means})
        CHECK(cudaFree(p));
    return result;
}

// Running sums of up to BLOCK values in scan()'s order of additions. Returns the sum of a whole block, which ends in
// zeros.
static float host_scan(float *values, size_t count)
{
    float sums[BLOCK] = {};
    std::copy_n(values, count, sums);
    for (size_t distance = 1; distance < BLOCK; distance *= 2)
        for (size_t t = BLOCK; t-- > distance;)
            sums[t] += sums[t - distance];
    std::copy_n(sums, count, values);
    return sums[BLOCK - 1];
}

static float2 host_mean(const std::vector<particle> &particles, const std::vector<float> &weights, size_t first)
{
    float x[BLOCK] = {}, y[BLOCK] = {};
    for (size_t t = 0; t < BLOCK && first + t < particles.size(); t++) {
        x[t] = particles[first + t].x * weights[first + t];
        y[t] = particles[first + t].y * weights[first + t];
    }
    for (size_t half = BLOCK / 2; half > 0; half /= 2)
        for (size_t t = 0; t < half; t++) {
            x[t] += x[t + half];
            y[t] += y[t + half];
        }
    return make_float2(x[0], y[0]);
}

static void host_frame(track &t, const video &v, const unsigned char *frame, float start)
{
    size_t n = t.particles.size(), blocks = (n + BLOCK - 1) / BLOCK;
    std::vector<float> totals(blocks);
    std::vector<float2> means(blocks);
    for (size_t i = 0; i < n; i++) {
        particle &p = t.particles[i];
        p.x += random_step(&p.random);
        p.y += random_step(&p.random);
        t.weights[i] = t.sums[i] = weight_at(frame, v.width, v.height, v.points, p.x, p.y);
    }
    for (size_t b = 0; b < blocks; b++)
        totals[b] = host_scan(&t.sums[b * BLOCK], std::min<size_t>(BLOCK, n - b * BLOCK));
    host_scan(totals.data(), blocks);
    for (size_t i = 0; i < n; i++) {
        t.weights[i] /= totals[blocks - 1];
        t.sums[i] = (t.sums[i] + (i >= BLOCK ? totals[i / BLOCK - 1] : 0.0f)) / totals[blocks - 1];
    }
    for (size_t b = 0; b < blocks; b++)
        means[b] = host_mean(t.particles, t.weights, b * BLOCK);
    add_estimate(t, means);
    std::vector<particle> drawn;
    for (size_t j = 0; j < n; j++) {
        float sought = ((float)j + start) / (float)n;
        size_t i = 0;
        while (i + 1 < n && t.sums[i] < sought)
            i++;
        drawn.push_back({t.particles[i].x, t.particles[i].y, t.particles[j].random});
    }
    t.particles = drawn;
}

static track host_filter(const video &v, const std::vector<particle> &first, const std::vector<float> &starts)
{
    track t = {first, std::vector<float>(first.size()), std::vector<float>(first.size()), {}, {}};
    for (int f = 0; f < v.frames; f++)
        host_frame(t, v, &v.pixels[(size_t)f * (size_t)v.width * (size_t)v.height], starts[f]);
    return t;
}

// The disc starts in the middle and goes up to two pixels a frame in either direction.
static video make_video(generator &random, int width, int height, int frames)
{
    video v = {width, height, frames, 0, {}, {}, {}};
    for (int i = 0; i < SQUARE * SQUARE; i++)
        v.points += on_disc(i % SQUARE - RADIUS, i / SQUARE - RADIUS);
    int x = width / 2, y = height / 2;
    for (int f = 0; f < frames; f++) {
        x = std::min(std::max(x + (int)random.below(5) - 2, RADIUS), width - 1 - RADIUS);
        y = std::min(std::max(y + (int)random.below(5) - 2, RADIUS), height - 1 - RADIUS);
        v.x.push_back(x);
        v.y.push_back(y);
        for (int i = 0; i < width * height; i++) {
            int noise = (int)(random.below(10) + random.below(10)) - 9;
            v.pixels.push_back((unsigned char)((int)(on_disc(i % width - x, i / width - y) ? BRIGHT : DARK) + noise));
        }
    }
    return v;
}

static uint64_t count_different(const track &a, const track &b)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < a.particles.size(); i++) {
        const particle &p = a.particles[i], &q = b.particles[i];
        wrong +=
            p.x != q.x || p.y != q.y || p.random != q.random || a.weights[i] != b.weights[i] || a.sums[i] != b.sums[i];
    }
    for (size_t f = 0; f < a.x.size(); f++)
        wrong += a.x[f] != b.x[f] || a.y[f] != b.y[f];
    return wrong;
}

// The exponential, which both sides share, against the library's.
static uint64_t count_bad_exponentials(void)
{
    uint64_t wrong = 0;
    for (float x = -60.0f; x < 20.0f; x += 0.01f)
        wrong += !(fabs(exponential(x) / exp((double)x) - 1) < 1e-6);
    return wrong;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"width", "of the video", 128, 16, 4096, 40, 128},
        {"height", "of the video", 128, 16, 4096, 32, 128},
        {"frames", "of the video", 5, 1, 1000, 2, 10},
        {"particles", "particles", 1000, 1, BLOCK * BLOCK, 200, 1000},
        {"seed", "of the video and the particles", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    generator random = {options[4].value};
    video v = make_video(random, (int)options[0].value, (int)options[1].value, (int)options[2].value);
    std::vector<particle> first;
    std::vector<float> starts;
    for (uint64_t i = 0; i < options[3].value; i++)
        first.push_back({(float)(v.width / 2), (float)(v.height / 2), (unsigned)random.next()});
    for (int f = 0; f < v.frames; f++)
        starts.push_back((float)random.below(1u << 24) / (float)(1u << 24));
    track got = device_filter(v, first, starts), want = host_filter(v, first, starts);
    printf("particlefilter: %d frames of %d x %d, %zu particles; the disc ends at (%d, %d), the estimate at (%.4f, "
           "%.4f)\n",
           v.frames, v.width, v.height, first.size(), v.x.back(), v.y.back(), got.x.back(), got.y.back());
    return verdict("particlefilter", count_different(got, want) + count_bad_exponentials());
}

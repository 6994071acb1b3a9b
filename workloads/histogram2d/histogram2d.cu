// A histogram of pairs of coordinates, whose counts stop at 255. A first kernel finds which rows of bins have any
// points at all. In the second, blocks count those of a stripe of rows in shared memory, where a bin that is full is
// left alone, and add their counts to the whole; a third cuts them to bytes. A block reads a point a thread, collects
// those of its stripe in a list, and counts when every thread has one: most points are of other stripes.
#include "../workload.h"
#include <algorithm>

// RESIDENT blocks are to fit on an SM, as many as 1536 threads and, with less than 16 KB each, 48 KB allow.
constexpr unsigned THREADS = 512, RESIDENT = 3, WIDTH = 256, STRIPE_ROWS = 11, STRIPE = STRIPE_ROWS * WIDTH;
constexpr unsigned FULL = 255;

// A point's bin is its row times WIDTH and its column.

// Halves the threads' values down to the least and the greatest. Ends with a barrier.
__device__ static void find_bounds(unsigned *lows, unsigned *highs)
{
    unsigned t = threadIdx.x;
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            lows[t] = min(lows[t], lows[t + half]);
            highs[t] = max(highs[t], highs[t + half]);
        }
    }
    __syncthreads();
}

// rows[0] becomes the first row that has a point, rows[1] the last.
__global__ void __launch_bounds__(THREADS, RESIDENT) prescan(const unsigned *points, unsigned count, unsigned *rows)
{
    __shared__ unsigned lows[THREADS], highs[THREADS];
    unsigned t = threadIdx.x, low = UINT32_MAX, high = 0;
    for (unsigned i = blockIdx.x * THREADS + t; i < count; i += gridDim.x * THREADS) {
        low = min(low, points[i] / WIDTH);
        high = max(high, points[i] / WIDTH);
    }
    lows[t] = low;
    highs[t] = high;
    find_bounds(lows, highs);
    if (t == 0) {
        atomicMin(&rows[0], lows[0]);
        atomicMax(&rows[1], highs[0]);
    }
}

struct stripe {
    unsigned counts[STRIPE];
    unsigned list[2 * THREADS], listed; // bins of points that are not counted yet
};

__device__ static void count(stripe *s, unsigned bin)
{
    if (s->counts[bin] < FULL)
        atomicAdd(&s->counts[bin], 1u);
}

// All threads count a point each, if the list has so many, and the rest of it moves to its front.
__device__ static void count_listed(stripe *s)
{
    unsigned t = threadIdx.x, listed = s->listed, rest = listed - THREADS, moved = 0;
    if (listed < THREADS)
        return;
    count(s, s->list[t]);
    if (t < rest)
        moved = s->list[THREADS + t];
    __syncthreads();
    if (t < rest)
        s->list[t] = moved;
    if (t == 0)
        s->listed = rest;
}

// blockIdx.y says which stripe, from the first row with points on; the blocks of a stripe share the points.
__global__ void __launch_bounds__(THREADS, RESIDENT)
    count_stripe(const unsigned *points, unsigned number, const unsigned *rows, unsigned bins, unsigned *counts)
{
    __shared__ stripe s;
    unsigned t = threadIdx.x, first = (rows[0] + blockIdx.y * STRIPE_ROWS) * WIDTH;
    for (unsigned b = t; b < STRIPE; b += THREADS)
        s.counts[b] = 0;
    if (t == 0)
        s.listed = 0;
    for (unsigned start = blockIdx.x * THREADS; start < number; start += gridDim.x * THREADS) {
        __syncthreads();
        unsigned bin =
            start + t < number ? points[start + t] - first : STRIPE; // of an earlier stripe, it is very great
        if (bin < STRIPE)
            s.list[atomicAdd(&s.listed, 1u)] = bin;
        __syncthreads();
        count_listed(&s);
    }
    __syncthreads();
    if (t < s.listed)
        count(&s, s.list[t]);
    __syncthreads();
    for (unsigned b = t; b < STRIPE; b += THREADS)
        if (s.counts[b] && first + b < bins)
            atomicAdd(&counts[first + b], s.counts[b]);
}

// Four bins a thread.
__global__ void __launch_bounds__(THREADS, RESIDENT) saturate(const uint4 *counts, uchar4 *result, unsigned fours)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i < fours) {
        uint4 c = counts[i];
        result[i] = {(unsigned char)min(c.x, FULL), (unsigned char)min(c.y, FULL), (unsigned char)min(c.z, FULL),
                     (unsigned char)min(c.w, FULL)};
    }
}

static std::vector<unsigned char> device_histogram(const std::vector<unsigned> &points, unsigned bins, unsigned blocks)
{
    unsigned count = (unsigned)points.size(), *from = to_device(points);
    unsigned *rows = to_device(std::vector<unsigned>{UINT32_MAX, 0}), *counts;
    unsigned char *result;
    CHECK(cudaMalloc(&counts, bins * sizeof *counts));
    CHECK(cudaMemset(counts, 0, bins * sizeof *counts));
    CHECK(cudaMalloc(&result, bins));
    prescan<<<blocks, THREADS>>>(from, count, rows);
    std::vector<unsigned> range = to_host(rows, 2);
    dim3 grid(blocks, (range[1] - range[0]) / STRIPE_ROWS + 1);
    count_stripe<<<grid, THREADS>>>(from, count, rows, bins, counts);
    saturate<<<(bins / 4 + THREADS - 1) / THREADS, THREADS>>>((const uint4 *)counts, (uchar4 *)result, bins / 4);
    CHECK(cudaGetLastError());
    std::vector<unsigned char> got = to_host(result, bins);
    for (void *p : {(void *)from, (void *)rows, (void *)counts, (void *)result})
        CHECK(cudaFree(p));
    return got;
}

// Around the middle, closer the likelier: the mean of four draws.
static unsigned near_middle(generator &random, unsigned size)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 4; i++)
        sum += random.below(size);
    return sum / 4;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"points", "points", 60000, 1, 1u << 26, 20000, 1u << 20},
        {"rows", "rows of bins; a row has 256", 128, 1, 4096, 48, 128},
        {"blocks", "blocks of a stripe of eleven rows", 10, 1, 4096, 3, 15},
        {"seed", "of the points", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned rows = (unsigned)options[1].value, bins = rows * WIDTH;
    generator random = {options[3].value};
    std::vector<unsigned> points((size_t)options[0].value), want(bins, 0);
    for (unsigned &point : points) {
        bool bright = random.below(4) == 0; // in a spot of eight columns, in the middle row
        unsigned row = bright ? rows / 2 : near_middle(random, rows);
        point = row * WIDTH + (bright ? random.below(8) : near_middle(random, WIDTH));
        want[point]++;
    }
    std::vector<unsigned char> got = device_histogram(points, bins, (unsigned)options[2].value);
    uint64_t wrong = 0;
    unsigned full = 0;
    for (unsigned b = 0; b < bins; b++) {
        wrong += got[b] != std::min(want[b], FULL);
        full += want[b] >= FULL;
    }
    printf("histogram2d: %zu points in %u x %u bins, %u of them full\n", points.size(), rows, WIDTH, full);
    return verdict("histogram2d", wrong);
}

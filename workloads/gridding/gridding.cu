// Spreads samples at arbitrary places onto the cells of a regular grid, as the reconstruction of magnetic resonance
// images does. Each sample adds to the cells within two cells of it, by a weight that falls with the distance. The
// samples are binned by squares of the grid and sorted by bin, a few bits at a time; then each block adds up, in shared
// memory, what the samples of its tile of cells and of the bins around give to it. All sums are of small integers, so
// that floats are exact in any order.
#include "../scan.h"
#include <algorithm>

// RESIDENT blocks are to fit on an SM, as many as 1536 threads allow.
constexpr unsigned THREADS = 512, RESIDENT = 3;
constexpr unsigned STEPS = 8, REACH = 2 * STEPS;              // places are in steps, STEPS a cell
constexpr unsigned BIN = 8, TILE_X = 32, TILE_Y = 16;         // cells
constexpr unsigned DIGIT_BITS = 4, DIGITS = 1u << DIGIT_BITS; // of a pass of sorting
constexpr int AROUND = 2;                                     // a sample reaches no cell further than that from its own
constexpr unsigned VALUES = 7;                                // values of samples are from 1 to VALUES
static_assert(TILE_X * TILE_Y == THREADS && TILE_X % BIN == 0 && TILE_Y % BIN == 0, "a thread for each cell of a tile");

struct sample {
    unsigned short x, y;
    float value;
};

struct entry {
    unsigned bin, number;
};

// The grid is a square of `cells` x `cells`, with `bins` x `bins` bins.
struct shape {
    unsigned cells, bins, samples;
};

// The weight of a sample in a cell, from 0 to REACH squared. A cell's centre lies in the middle of its steps.
__host__ __device__ static unsigned weight_along(unsigned place, unsigned cell)
{
    unsigned centre = cell * STEPS + STEPS / 2, distance = place > centre ? place - centre : centre - place;
    return distance < REACH ? REACH - distance : 0;
}

__global__ void __launch_bounds__(THREADS, RESIDENT) find_bins(const sample *samples, entry *entries, shape s)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i < s.samples)
        entries[i] = {samples[i].y / (STEPS * BIN) * s.bins + samples[i].x / (STEPS * BIN), i};
}

// Sorts a block's piece by a digit of the bin, a bit at a time, keeping the order of equal ones. What is beyond the
// last sample comes last. Then notes for each digit how many it has.
__global__ void __launch_bounds__(THREADS, RESIDENT)
    sort_piece(entry *entries, unsigned *counts, unsigned count, unsigned shift)
{
    __shared__ entry piece[THREADS];
    __shared__ unsigned sums[THREADS], digits[DIGITS];
    unsigned t = threadIdx.x, at = blockIdx.x * THREADS + t;
    entry own = at < count ? entries[at] : entry{UINT32_MAX, 0};
    if (t < DIGITS)
        digits[t] = 0;
    for (unsigned bit = shift; bit < shift + DIGIT_BITS; bit++) {
        unsigned one = own.bin >> bit & 1, ones_before = sum_before<THREADS>(sums, one);
        unsigned zeros = THREADS - sums[THREADS - 1];
        piece[one ? zeros + ones_before : t - ones_before] = own;
        __syncthreads();
        own = piece[t];
        __syncthreads();
    }
    if (at < count) {
        entries[at] = own;
        atomicAdd(&digits[own.bin >> shift & (DIGITS - 1)], 1u);
    }
    __syncthreads();
    if (t < DIGITS)
        counts[t * gridDim.x + blockIdx.x] = digits[t];
}

// The entries of a digit stand together in a piece: their places follow from the first one's, which `places` has.
__global__ void __launch_bounds__(THREADS, RESIDENT)
    spread_pieces(const entry *from, entry *to, const unsigned *places, unsigned count, unsigned shift)
{
    __shared__ unsigned firsts[DIGITS];
    __shared__ unsigned char digits[THREADS];
    unsigned t = threadIdx.x, at = blockIdx.x * THREADS + t;
    entry own = at < count ? from[at] : entry{0, 0};
    unsigned digit = own.bin >> shift & (DIGITS - 1);
    digits[t] = (unsigned char)digit;
    __syncthreads();
    if (at < count && (t == 0 || digits[t - 1] != digit))
        firsts[digit] = t;
    __syncthreads();
    if (at < count)
        to[places[digit * gridDim.x + blockIdx.x] + t - firsts[digit]] = own;
}

// Brings the samples into the order of the entries, and finds where each bin starts: starts[bins] is the end of all.
__global__ void __launch_bounds__(THREADS, RESIDENT)
    reorder(const sample *samples, const entry *entries, sample *sorted, unsigned *starts, shape s)
{
    unsigned i = blockIdx.x * THREADS + threadIdx.x, bins = s.bins * s.bins;
    if (i > s.samples)
        return;
    unsigned bin = i < s.samples ? entries[i].bin : bins, before = i > 0 ? entries[i - 1].bin + 1 : 0;
    for (unsigned b = before; b <= bin; b++)
        starts[b] = i;
    if (i < s.samples)
        sorted[i] = samples[entries[i].number];
}

// Adds the samples from `first` on to the tile whose upper left cell is (left, top), a sample a thread at a time.
__device__ static void add_samples(float (*tile)[TILE_X], const sample *sorted, unsigned first, unsigned last,
                                   unsigned left, unsigned top)
{
    for (unsigned i = first + threadIdx.x; i < last; i += THREADS) {
        sample own = sorted[i];
        // The first cell that may be in reach, counted from the tile's; it may lie before that.
        int column = (int)(own.x / STEPS - left) - AROUND, row = (int)(own.y / STEPS - top) - AROUND;
        for (int y = max(row, 0); y <= row + 2 * AROUND && y < (int)TILE_Y; y++) {
            float share = (float)weight_along(own.y, top + y) * own.value;
            for (int x = max(column, 0); x <= column + 2 * AROUND && x < (int)TILE_X; x++)
                atomicAdd(&tile[y][x], share * (float)weight_along(own.x, left + x));
        }
    }
}

// A block for each tile. The bins of a row of bins stand together: the tile's, and one more to each side. The barrier
// after a row keeps the warps at samples that lie close together.
__global__ void __launch_bounds__(THREADS, RESIDENT)
    gridding(const sample *sorted, const unsigned *starts, float *grid, shape s)
{
    __shared__ float tile[TILE_Y][TILE_X];
    unsigned x = threadIdx.x % TILE_X, y = threadIdx.x / TILE_X, left = blockIdx.x * TILE_X, top = blockIdx.y * TILE_Y;
    unsigned from = max(left / BIN, 1u) - 1, to = min((left + TILE_X) / BIN + 1, s.bins);
    unsigned bottom = min((top + TILE_Y) / BIN + 1, s.bins);
    tile[y][x] = 0;
    __syncthreads();
    for (unsigned row = max(top / BIN, 1u) - 1; row < bottom; row++) {
        add_samples(tile, sorted, starts[row * s.bins + from], starts[row * s.bins + to], left, top);
        __syncthreads();
    }
    grid[(top + y) * s.cells + left + x] = tile[y][x];
}

static unsigned blocks_for(unsigned threads)
{
    return (threads + THREADS - 1) / THREADS;
}

// Sorts the entries by bin; the result is in one of the two arrays.
static entry *sort_entries(entry *entries, entry *other, shape s)
{
    unsigned blocks = blocks_for(s.samples), *counts;
    CHECK(cudaMalloc(&counts, DIGITS * blocks * sizeof *counts));
    for (unsigned shift = 0; (s.bins * s.bins - 1) >> shift; shift += DIGIT_BITS) {
        sort_piece<<<blocks, THREADS>>>(entries, counts, s.samples, shift);
        scan<THREADS>(counts, DIGITS * blocks);
        spread_pieces<<<blocks, THREADS>>>(entries, other, counts, s.samples, shift);
        std::swap(entries, other);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaFree(counts));
    return entries;
}

struct outcome {
    std::vector<unsigned> starts;
    std::vector<float> grid;
};

static outcome device_grid(const std::vector<sample> &samples, shape s)
{
    sample *unsorted = to_device(samples), *sorted = to_device(samples);
    entry *entries, *other;
    std::vector<unsigned> no_starts(s.bins * s.bins + 1, UINT32_MAX);
    std::vector<float> no_grid((size_t)s.cells * s.cells, -1);
    unsigned *starts = to_device(no_starts);
    float *grid = to_device(no_grid);
    CHECK(cudaMalloc(&entries, samples.size() * sizeof *entries));
    CHECK(cudaMalloc(&other, samples.size() * sizeof *other));
    find_bins<<<blocks_for(s.samples), THREADS>>>(unsorted, entries, s);
    entry *by_bin = sort_entries(entries, other, s);
    reorder<<<blocks_for(s.samples + 1), THREADS>>>(unsorted, by_bin, sorted, starts, s);
    gridding<<<dim3(s.cells / TILE_X, s.cells / TILE_Y), THREADS>>>(sorted, starts, grid, s);
    CHECK(cudaGetLastError());
    outcome result = {to_host(starts, no_starts.size()), to_host(grid, no_grid.size())};
    for (void *p : {(void *)unsorted, (void *)sorted, (void *)entries, (void *)other, (void *)starts, (void *)grid})
        CHECK(cudaFree(p));
    return result;
}

static uint64_t wrong_starts(const std::vector<sample> &samples, const std::vector<unsigned> &got, shape s)
{
    std::vector<unsigned> want(s.bins * s.bins + 1, 0);
    for (const sample &p : samples)
        want[p.y / (STEPS * BIN) * s.bins + p.x / (STEPS * BIN) + 1]++;
    uint64_t wrong = got[0] != 0;
    for (size_t bin = 1; bin < want.size(); bin++) {
        want[bin] += want[bin - 1];
        wrong += got[bin] != want[bin];
    }
    return wrong;
}

static uint64_t wrong_cells(const std::vector<sample> &samples, const std::vector<float> &got, shape s)
{
    std::vector<uint64_t> want(got.size(), 0);
    for (const sample &p : samples) {
        unsigned column = p.x / STEPS, row = p.y / STEPS;
        for (unsigned y = std::max(row, 3u) - 3; y < std::min(row + 4, s.cells); y++)
            for (unsigned x = std::max(column, 3u) - 3; x < std::min(column + 4, s.cells); x++)
                want[y * s.cells + x] += (uint64_t)weight_along(p.x, x) * weight_along(p.y, y) * (unsigned)p.value;
    }
    uint64_t wrong = 0;
    for (size_t i = 0; i < want.size(); i++)
        wrong += got[i] != (float)want[i];
    return wrong;
}

// Denser towards the centre, as samples of frequencies are: each coordinate is the mean of two.
static std::vector<sample> make_samples(generator &random, shape s)
{
    std::vector<sample> samples(s.samples);
    for (sample &p : samples) {
        unsigned side = s.cells * STEPS;
        p.x = (unsigned short)((random.below(side) + random.below(side)) / 2);
        p.y = (unsigned short)((random.below(side) + random.below(side)) / 2);
        p.value = (float)(1 + random.below(VALUES));
    }
    return samples;
}

int main(int argc, char **argv)
{
    option options[] = {
        // A sample adds at most REACH * REACH * VALUES to a cell: sums of up to 9000 samples are exact.
        {"samples", "samples", 12000, 1, 1u << 20, 1500, 100000},
        {"tiles", "tiles of 32 cells along a side of the grid", 4, 2, 64, 2, 16},
        {"seed", "of the samples", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned cells = (unsigned)options[1].value * TILE_X;
    shape s = {cells, cells / BIN, (unsigned)options[0].value};
    generator random = {options[2].value};
    std::vector<sample> samples = make_samples(random, s);
    outcome got = device_grid(samples, s);
    printf("gridding: %u samples on %u x %u cells\n", s.samples, cells, cells);
    return verdict("gridding", wrong_starts(samples, got.starts, s) + wrong_cells(samples, got.grid, s));
}

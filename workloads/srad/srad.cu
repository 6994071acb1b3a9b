// Speckle reducing anisotropic diffusion of an image. In each round one kernel computes every pixel's differences to
// its four neighbours and its diffusion coefficient, one diffuses and adds up, in a tree for each block, the values and
// squares of a region of interest from which the host computes the next round's speckle scale. Both work on tiles of 16
// x 16 in shared memory. All sums of products are fmaf in a fixed order: the host's image has the same bits.
#include "../workload.h"
#include <cmath>

// RESIDENT blocks are to fit on an SM, as many as 1536 threads allow.
constexpr unsigned TILE = 16, THREADS = TILE * TILE, RESIDENT = 6;

struct shape {
    unsigned rows, columns, region; // the region of interest is the upper left square of that side
    float rate;
};

struct differences {
    float north, south, west, east;
};

// Of a pixel's value v: 1 where the image is as even as speckle alone leaves it, towards 0 at edges. `scale` is the
// variance over the squared mean of the region of interest.
__host__ __device__ static float coefficient(float v, differences d, float scale)
{
    float squares = fmaf(d.north, d.north, fmaf(d.south, d.south, fmaf(d.west, d.west, d.east * d.east))) / (v * v);
    float laplace = (d.north + d.south + (d.west + d.east)) / v;
    float above = fmaf(0.5f, squares, -(0.0625f * laplace * laplace)), below = fmaf(0.25f, laplace, 1.0f);
    float variation = above / (below * below);
    float c = 1 / (1 + (variation - scale) / (scale * (1 + scale)));
    return fminf(fmaxf(c, 0), 1);
}

__host__ __device__ static float diffused(float v, differences d, float own, float south, float east, float rate)
{
    float flow = fmaf(own, d.north, fmaf(south, d.south, fmaf(own, d.west, east * d.east)));
    return fmaf(0.25f * rate, flow, v);
}

// A tile with one more pixel at each side; beyond the edge of the image its last pixel is repeated. Ends with a
// barrier.
typedef float ringed_tile[TILE + 2][TILE + 2];

__device__ static void load(ringed_tile tile, const float *image, unsigned x, unsigned y, shape s)
{
    unsigned column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    unsigned inside_x = min(column, s.columns - 1), inside_y = min(row, s.rows - 1);
    const float *line = image + (size_t)inside_y * s.columns;
    tile[y + 1][x + 1] = line[inside_x];
    if (x == 0)
        tile[y + 1][0] = line[column > 0 ? column - 1 : 0];
    if (x == TILE - 1)
        tile[y + 1][TILE + 1] = line[min(column + 1, s.columns - 1)];
    if (y == 0)
        tile[0][x + 1] = image[(size_t)(row > 0 ? row - 1 : 0) * s.columns + inside_x];
    if (y == TILE - 1)
        tile[TILE + 1][x + 1] = image[(size_t)min(row + 1, s.rows - 1) * s.columns + inside_x];
    __syncthreads();
}

__global__ void __launch_bounds__(THREADS, RESIDENT)
    prepare(const float *image, float *coefficients, differences *gradient, float scale, shape s)
{
    __shared__ ringed_tile tile;
    unsigned x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    load(tile, image, x, y, s);
    float v = tile[y + 1][x + 1];
    differences d = {tile[y][x + 1] - v, tile[y + 2][x + 1] - v, tile[y + 1][x] - v, tile[y + 1][x + 2] - v};
    if (row >= s.rows || column >= s.columns)
        return;
    coefficients[(size_t)row * s.columns + column] = coefficient(v, d, scale);
    gradient[(size_t)row * s.columns + column] = d;
}

// Adds `value` of all threads of the block in a tree; thread 0 stores the sum.
__device__ static void add_up(float *values, unsigned t, float value, float *sum)
{
    values[t] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            values[t] += values[t + half];
        __syncthreads();
    }
    if (t == 0)
        *sum = values[0];
}

__global__ void __launch_bounds__(THREADS, RESIDENT)
    diffuse(float *image, const float *coefficients, const differences *gradient, float *sums, shape s)
{
    __shared__ ringed_tile tile;
    __shared__ float values[THREADS], squares[THREADS];
    unsigned x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
    load(tile, coefficients, x, y, s);
    float counted = 0;
    if (row < s.rows && column < s.columns) {
        size_t at = (size_t)row * s.columns + column;
        float v = diffused(image[at], gradient[at], tile[y + 1][x + 1], tile[y + 2][x + 1], tile[y + 1][x + 2], s.rate);
        image[at] = v;
        counted = row < s.region && column < s.region ? v : 0.0f;
    }
    add_up(values, y * TILE + x, counted, &sums[2 * block]);
    add_up(squares, y * TILE + x, __fmul_rn(counted, counted), &sums[2 * block + 1]);
}

static float tree_sum(float *values)
{
    for (unsigned half = THREADS / 2; half > 0; half /= 2)
        for (unsigned t = 0; t < half; t++)
            values[t] += values[t + half];
    return values[0];
}

// For each tile the sum of the values and of the squares inside the region of interest.
static std::vector<float> host_sums(const std::vector<float> &image, shape s)
{
    std::vector<float> sums;
    for (unsigned top = 0; top < s.rows; top += TILE)
        for (unsigned left = 0; left < s.columns; left += TILE) {
            float values[THREADS], squares[THREADS];
            for (unsigned t = 0; t < THREADS; t++) {
                unsigned row = top + t / TILE, column = left + t % TILE;
                bool counted = row < s.rows && column < s.columns && row < s.region && column < s.region;
                values[t] = counted ? image[(size_t)row * s.columns + column] : 0;
                squares[t] = values[t] * values[t];
            }
            sums.push_back(tree_sum(values));
            sums.push_back(tree_sum(squares));
        }
    return sums;
}

// The variance over the squared mean of the region of interest.
static float speckle(const std::vector<float> &sums, shape s)
{
    double sum = 0, squares = 0;
    double pixels = (double)(s.region < s.rows ? s.region : s.rows) * (s.region < s.columns ? s.region : s.columns);
    for (size_t i = 0; i < sums.size(); i += 2) {
        sum += sums[i];
        squares += sums[i + 1];
    }
    double mean = sum / pixels;
    return (float)((squares / pixels - mean * mean) / (mean * mean));
}

static std::vector<float> device_rounds(const std::vector<float> &first, shape s, unsigned rounds)
{
    float *image = to_device(first), *coefficients, *sums;
    differences *gradient;
    dim3 grid((s.columns + TILE - 1) / TILE, (s.rows + TILE - 1) / TILE), block(TILE, TILE);
    std::vector<float> parts = host_sums(first, s);
    CHECK(cudaMalloc(&coefficients, first.size() * sizeof *coefficients));
    CHECK(cudaMalloc(&gradient, first.size() * sizeof *gradient));
    CHECK(cudaMalloc(&sums, parts.size() * sizeof *sums));
    for (unsigned i = 0; i < rounds; i++) {
        prepare<<<grid, block>>>(image, coefficients, gradient, speckle(parts, s), s);
        diffuse<<<grid, block>>>(image, coefficients, gradient, sums, s);
        CHECK(cudaGetLastError());
        parts = to_host(sums, parts.size());
    }
    std::vector<float> result = to_host(image, first.size());
    for (void *p : {(void *)image, (void *)coefficients, (void *)gradient, (void *)sums})
        CHECK(cudaFree(p));
    return result;
}

static void host_round(std::vector<float> &image, shape s)
{
    float scale = speckle(host_sums(image, s), s);
    std::vector<float> coefficients(image.size());
    std::vector<differences> gradient(image.size());
    for (unsigned row = 0; row < s.rows; row++)
        for (unsigned column = 0; column < s.columns; column++) {
            size_t at = (size_t)row * s.columns + column;
            float v = image[at], north = row > 0 ? image[at - s.columns] : v, west = column > 0 ? image[at - 1] : v;
            float south = row + 1 < s.rows ? image[at + s.columns] : v;
            float east = column + 1 < s.columns ? image[at + 1] : v;
            gradient[at] = {north - v, south - v, west - v, east - v};
            coefficients[at] = coefficient(v, gradient[at], scale);
        }
    for (unsigned row = 0; row < s.rows; row++)
        for (unsigned column = 0; column < s.columns; column++) {
            size_t at = (size_t)row * s.columns + column;
            float south = coefficients[row + 1 < s.rows ? at + s.columns : at];
            float east = coefficients[column + 1 < s.columns ? at + 1 : at];
            image[at] = diffused(image[at], gradient[at], coefficients[at], south, east, s.rate);
        }
}

// A bright disc on a darker ground, both under multiplicative speckle.
static std::vector<float> make_image(generator &random, shape s)
{
    std::vector<float> image((size_t)s.rows * s.columns);
    for (unsigned row = 0; row < s.rows; row++)
        for (unsigned column = 0; column < s.columns; column++) {
            double y = (row + 0.5) / s.rows - 0.5, x = (column + 0.5) / s.columns - 0.5;
            float speckled = 1 + (float)random.below(1u << 16) / 65536;
            image[(size_t)row * s.columns + column] = (x * x + y * y < 0.1 ? 2.0f : 1.0f) * speckled;
        }
    return image;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"rows", "rows of the image", 128, 1, 8192, 40, 1024},
        {"columns", "columns of the image", 128, 1, 8192, 36, 1024},
        {"region", "side of the region of interest", 64, 2, 8192, 24, 128},
        {"rounds", "rounds", 4, 1, 1000, 2, 2},
        {"seed", "of the image", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    shape s = {(unsigned)options[0].value, (unsigned)options[1].value, (unsigned)options[2].value, 0.5f};
    unsigned rounds = (unsigned)options[3].value;
    generator random = {options[4].value};
    std::vector<float> image = make_image(random, s), got = device_rounds(image, s, rounds);
    for (unsigned i = 0; i < rounds; i++)
        host_round(image, s);
    uint64_t wrong = 0;
    for (size_t i = 0; i < image.size(); i++)
        wrong += got[i] != image[i];
    printf("srad: %u x %u pixels, %u rounds\n", s.rows, s.columns, rounds);
    return verdict("srad", wrong);
}

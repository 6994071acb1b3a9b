// Speckle reducing anisotropic diffusion, every kernel in stages with a barrier after each. A round has two kernels on
// tiles of 16 x 16 pixels: the first finds each pixel's differences to its four neighbours and its diffusion
// coefficient, the second lets the pixels flow. What lies beyond the tile's sides is loaded by the block's last warp
// alone, and the others wait for it. All sums of products are fmaf in a fixed order: the host's image has the same
// bits.
#include "../workload.h"
#include <algorithm>
#include <cmath>

// RESIDENT blocks are to fit on an SM, as many as 1536 threads allow.
constexpr unsigned TILE = 16, THREADS = TILE * TILE, RESIDENT = 6, WARP = 32, LAST_WARP = THREADS - WARP;

struct shape {
    unsigned rows, columns;
    // Of a pixel that may lie one row or column outside: the nearest one inside. Place -1 is the greatest unsigned.
    __host__ __device__ size_t nearest(unsigned row, unsigned column) const
    {
        row = row + 1 == 0 ? 0 : row < rows ? row : rows - 1;
        column = column + 1 == 0 ? 0 : column < columns ? column : columns - 1;
        return (size_t)row * columns + column;
    }
};

// To the four neighbours, or for flows from them.
struct sides {
    float north, south, west, east;
};

// 1 where the image is as uneven as speckle alone makes it, whose squared coefficient of variation is `speckle`;
// towards 0 at edges. `v` is the pixel's value and `d` its differences.
__host__ __device__ static float coefficient(float v, sides d, float speckle)
{
    float inverse = 1 / v, slope = ((d.north + d.south) + (d.west + d.east)) * inverse;
    float squares = fmaf(d.north, d.north, fmaf(d.south, d.south, fmaf(d.west, d.west, d.east * d.east)));
    float denominator = fmaf(0.25f, slope, 1.0f);
    float uneven = fmaf(0.5f * inverse, squares * inverse, slope * slope * -0.0625f) / (denominator * denominator);
    float excess = (uneven - speckle) / fmaf(speckle, speckle, speckle);
    return fminf(fmaxf(1 / (1 + excess), 0.0f), 1.0f);
}

// The divergence of coefficient times difference; the coefficients of north and west are the pixel's own.
__host__ __device__ static float flow(sides d, float own, float south, float east)
{
    return fmaf(own, d.north, fmaf(south, d.south, fmaf(own, d.west, east * d.east)));
}

// Where a thread's pixel lies: x and y in the tile, row and column in the image.
struct place {
    unsigned x, y, row, column;
    __device__ place() : x(threadIdx.x), y(threadIdx.y), row(blockIdx.y * TILE + y), column(blockIdx.x * TILE + x)
    {
    }
    // The lane of the last warp, or WARP and more.
    __device__ unsigned edge_lane() const
    {
        unsigned t = y * TILE + x;
        return t < LAST_WARP ? WARP : t - LAST_WARP;
    }
};

// A tile and the pixels next to its sides.
struct frame {
    float tile[TILE][TILE], north[TILE], south[TILE], west[TILE], east[TILE];

    __device__ void load_tile(const float *image, const place &p, shape s)
    {
        tile[p.y][p.x] = image[s.nearest(p.row, p.column)];
    }
    // South and east, which both kernels need: half of the last warp each.
    __device__ void load_south_east(const float *image, unsigned lane, shape s)
    {
        unsigned i = lane % TILE, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
        if (lane < TILE)
            south[i] = image[s.nearest(top + TILE, left + i)];
        else if (lane < WARP)
            east[i] = image[s.nearest(top + i, left + TILE)];
    }
    __device__ void load_north_west(const float *image, unsigned lane, shape s)
    {
        unsigned i = lane % TILE, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
        if (lane < TILE)
            north[i] = image[s.nearest(top - 1, left + i)];
        else if (lane < WARP)
            west[i] = image[s.nearest(top + i, left - 1)];
    }
    // At the image's last row and column, where the tile may go on, `nearest` has repeated the last pixel.
    __device__ float south_of(const place &p) const
    {
        return p.y + 1 < TILE ? tile[p.y + 1][p.x] : south[p.x];
    }
    __device__ float east_of(const place &p) const
    {
        return p.x + 1 < TILE ? tile[p.y][p.x + 1] : east[p.y];
    }
    __device__ float north_of(const place &p) const
    {
        return p.y > 0 ? tile[p.y - 1][p.x] : north[p.x];
    }
    __device__ float west_of(const place &p) const
    {
        return p.x > 0 ? tile[p.y][p.x - 1] : west[p.y];
    }
};

__global__ void __launch_bounds__(THREADS, RESIDENT)
    coefficients(const float *image, float *result, sides *differences, float speckle, shape s)
{
    __shared__ frame f;
    __shared__ float uneven[TILE][TILE];
    place p;
    f.load_tile(image, p, s);
    __syncthreads();
    f.load_south_east(image, p.edge_lane(), s);
    f.load_north_west(image, p.edge_lane(), s);
    __syncthreads();
    float v = f.tile[p.y][p.x];
    sides d = {f.north_of(p) - v, f.south_of(p) - v, f.west_of(p) - v, f.east_of(p) - v};
    uneven[p.y][p.x] = coefficient(v, d, speckle);
    __syncthreads();
    if (p.row < s.rows && p.column < s.columns) {
        result[s.nearest(p.row, p.column)] = uneven[p.y][p.x];
        differences[s.nearest(p.row, p.column)] = d;
    }
}

__global__ void __launch_bounds__(THREADS, RESIDENT)
    diffuse(float *image, const float *from, const sides *differences, float rate, shape s)
{
    __shared__ frame f;
    __shared__ float flows[TILE][TILE];
    place p;
    f.load_tile(from, p, s);
    __syncthreads();
    f.load_south_east(from, p.edge_lane(), s);
    __syncthreads();
    sides d = differences[s.nearest(p.row, p.column)];
    flows[p.y][p.x] = flow(d, f.tile[p.y][p.x], f.south_of(p), f.east_of(p));
    __syncthreads();
    float *pixel = &image[s.nearest(p.row, p.column)];
    if (p.row < s.rows && p.column < s.columns)
        *pixel = fmaf(rate, flows[p.y][p.x], *pixel);
}

// The variance over the squared mean of the upper left square of the image, as large as `region` or the image.
static float speckle_of(const std::vector<float> &image, unsigned region, shape s)
{
    unsigned rows = std::min(region, s.rows), columns = std::min(region, s.columns);
    double sum = 0, squares = 0, pixels = (double)rows * columns;
    for (unsigned row = 0; row < rows; row++)
        for (unsigned column = 0; column < columns; column++) {
            double v = image[s.nearest(row, column)];
            sum += v;
            squares += v * v;
        }
    double mean = sum / pixels;
    return (float)((squares / pixels - mean * mean) / (mean * mean));
}

constexpr float RATE = 0.125f;

static std::vector<float> device_rounds(std::vector<float> image, unsigned region, unsigned rounds, shape s)
{
    float *pixels = to_device(image), *middle;
    sides *differences;
    dim3 grid((s.columns + TILE - 1) / TILE, (s.rows + TILE - 1) / TILE), block(TILE, TILE);
    CHECK(cudaMalloc(&middle, image.size() * sizeof *middle));
    CHECK(cudaMalloc(&differences, image.size() * sizeof *differences));
    for (unsigned i = 0; i < rounds; i++) {
        coefficients<<<grid, block>>>(pixels, middle, differences, speckle_of(image, region, s), s);
        diffuse<<<grid, block>>>(pixels, middle, differences, RATE, s);
        CHECK(cudaGetLastError());
        image = to_host(pixels, image.size());
    }
    for (void *p : {(void *)pixels, (void *)middle, (void *)differences})
        CHECK(cudaFree(p));
    return image;
}

static void host_round(std::vector<float> &image, unsigned region, shape s)
{
    float speckle = speckle_of(image, region, s);
    std::vector<float> middle(image.size());
    std::vector<sides> differences(image.size());
    for (unsigned row = 0; row < s.rows; row++)
        for (unsigned column = 0; column < s.columns; column++) {
            size_t at = s.nearest(row, column);
            float v = image[at];
            differences[at] = {image[s.nearest(row - 1, column)] - v, image[s.nearest(row + 1, column)] - v,
                               image[s.nearest(row, column - 1)] - v, image[s.nearest(row, column + 1)] - v};
            middle[at] = coefficient(v, differences[at], speckle);
        }
    for (unsigned row = 0; row < s.rows; row++)
        for (unsigned column = 0; column < s.columns; column++) {
            size_t at = s.nearest(row, column);
            float south = middle[s.nearest(row + 1, column)], east = middle[s.nearest(row, column + 1)];
            image[at] = fmaf(RATE, flow(differences[at], middle[at], south, east), image[at]);
        }
}

// Stripes of two brightnesses under multiplicative speckle.
static std::vector<float> make_image(generator &random, shape s)
{
    std::vector<float> image((size_t)s.rows * s.columns);
    for (unsigned row = 0; row < s.rows; row++)
        for (unsigned column = 0; column < s.columns; column++) {
            float bright = (row + 2 * column) / 48 % 2 ? 3.0f : 1.0f;
            image[s.nearest(row, column)] = bright * (1 + (float)random.below(1u << 14) / 32768);
        }
    return image;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"rows", "rows of the image", 128, 1, 8192, 40, 512},
        {"columns", "columns of the image", 128, 1, 8192, 36, 512},
        {"region", "side of the square whose speckle is taken", 64, 2, 8192, 24, 128},
        {"rounds", "rounds", 4, 1, 1000, 2, 4},
        {"seed", "of the image", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    shape s = {(unsigned)options[0].value, (unsigned)options[1].value};
    unsigned region = (unsigned)options[2].value, rounds = (unsigned)options[3].value;
    generator random = {options[4].value};
    std::vector<float> image = make_image(random, s), got = device_rounds(image, region, rounds, s);
    for (unsigned i = 0; i < rounds; i++)
        host_round(image, region, s);
    uint64_t wrong = 0;
    for (size_t i = 0; i < image.size(); i++)
        wrong += got[i] != image[i];
    printf("srad2: %u x %u pixels, %u rounds\n", s.rows, s.columns, rounds);
    return verdict("srad2", wrong);
}

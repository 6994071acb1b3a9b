// The reversible 5/3 wavelet transform of a picture, as in lossless JPEG 2000, and its inverse. A block transforms a
// tile of 32 x 32 samples in shared memory, with as much of its surroundings as the filter reaches: down the columns,
// then along the rows, each in two lifting steps with barriers between. A level leaves a quarter of the samples, the
// means, to the next.
#include "../workload.h"
#include <algorithm>

constexpr int TILE = 32;       // samples across and down that a block finishes, and threads across
constexpr int DOWN = 8;        // threads down
constexpr int BEFORE = 2;      // samples before the tile that a block loads
constexpr int SIDE = TILE + 4; // samples across and down that the inverse loads; the forward transform loads one less

// Beyond its ends a signal goes on as its mirror image, the end itself once. That keeps even places even. Places that
// far outside that nobody needs them are brought inside.
__device__ static int mirrored(int i, int n)
{
    i = abs(i);
    if (i >= n)
        i = abs(2 * (n - 1) - i);
    return min(i, n - 1);
}

// Odd samples become differences from the mean of their neighbours, then even ones means; the inverse undoes both, last
// first. The shifts round down, of negative numbers too.
__host__ __device__ static inline int between(int a, int b)
{
    return (a + b) >> 1;
}

__host__ __device__ static inline int share(int a, int b)
{
    return (a + b + 2) >> 2;
}

// Where sample i of a signal of n stands after the transform: means first, then differences.
__host__ __device__ static inline int sorted_place(int i, int n)
{
    return i % 2 ? (n + 1) / 2 + i / 2 : i / 2;
}

// Red, green, blue in the bytes of a word to three planes: their weighted mean and two differences, from which the
// colours can be restored exactly.
__global__ void split_colours(const unsigned *pixels, int *samples, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n)
        return;
    int red = pixels[i] & 255, green = pixels[i] >> 8 & 255, blue = pixels[i] >> 16 & 255;
    samples[i] = (red + 2 * green + blue) >> 2;
    samples[n + i] = blue - green;
    samples[2 * n + i] = red - green;
}

__global__ void join_colours(const int *samples, unsigned *pixels, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n)
        return;
    int blue = samples[n + i], red = samples[2 * n + i], green = samples[i] - ((blue + red) >> 2);
    pixels[i] = (unsigned)(red + green) | (unsigned)green << 8 | (unsigned)(blue + green) << 16;
}

// Three planes of one size: the picture or its coefficients, `stride` samples a row, `plane` a plane.
struct raster {
    int *at;
    int stride, plane;
};

// One level of the transform of the upper left width x height samples. The quarter of means goes to `means`, the rest
// to `coefficients`, each quarter together: right of it differences along rows, below it those down columns, then both.
__global__ void forward(raster samples, raster means, raster coefficients, int width, int height)
{
    __shared__ int v[SIDE][SIDE];
    int t = (int)threadIdx.x, u = (int)threadIdx.y, z = (int)blockIdx.z, last = SIDE - 1;
    int left = (int)blockIdx.x * TILE - BEFORE, top = (int)blockIdx.y * TILE - BEFORE;
    for (int y = u; y < last; y += DOWN)
        for (int x = t; x < last; x += TILE)
            v[y][x] =
                samples.at[z * samples.plane + mirrored(top + y, height) * samples.stride + mirrored(left + x, width)];
    __syncthreads();
    for (int y = 2 * u + 1; y < last - 1; y += 2 * DOWN)
        for (int x = t; x < last; x += TILE)
            v[y][x] -= between(v[y - 1][x], v[y + 1][x]);
    __syncthreads();
    for (int y = 2 * u + 2; y < last - 1; y += 2 * DOWN)
        for (int x = t; x < last; x += TILE)
            v[y][x] += share(v[y - 1][x], v[y + 1][x]);
    __syncthreads();
    for (int y = u + BEFORE; y < BEFORE + TILE; y += DOWN)
        if (t <= TILE / 2)
            v[y][2 * t + 1] -= between(v[y][2 * t], v[y][2 * t + 2]);
    __syncthreads();
    for (int y = u + BEFORE; y < BEFORE + TILE; y += DOWN)
        if (t < TILE / 2)
            v[y][2 * t + 2] += share(v[y][2 * t + 1], v[y][2 * t + 3]);
    __syncthreads();
    int column = left + BEFORE + t;
    for (int y = u + BEFORE; y < BEFORE + TILE; y += DOWN) {
        if (column >= width || top + y >= height)
            continue;
        raster to = column % 2 || y % 2 ? coefficients : means;
        to.at[z * to.plane + sorted_place(top + y, height) * to.stride + sorted_place(column, width)] =
            v[y][BEFORE + t];
    }
}

// Undoes forward(): along the rows first.
__global__ void inverse(raster means, raster coefficients, raster samples, int width, int height)
{
    __shared__ int v[SIDE][SIDE];
    int t = (int)threadIdx.x, u = (int)threadIdx.y, z = (int)blockIdx.z;
    int left = (int)blockIdx.x * TILE - BEFORE, top = (int)blockIdx.y * TILE - BEFORE;
    for (int y = u; y < SIDE; y += DOWN)
        for (int x = t; x < SIDE; x += TILE) {
            raster from = x % 2 || y % 2 ? coefficients : means;
            int row = sorted_place(mirrored(top + y, height), height),
                column = sorted_place(mirrored(left + x, width), width);
            v[y][x] = from.at[z * from.plane + row * from.stride + column];
        }
    __syncthreads();
    for (int y = u; y < SIDE; y += DOWN)
        if (t <= TILE / 2)
            v[y][2 * t + 2] -= share(v[y][2 * t + 1], v[y][2 * t + 3]);
    __syncthreads();
    for (int y = u; y < SIDE; y += DOWN)
        if (t < TILE / 2)
            v[y][2 * t + 3] += between(v[y][2 * t + 2], v[y][2 * t + 4]);
    __syncthreads();
    for (int y = 2 * u + 2; y < SIDE - 1; y += 2 * DOWN)
        v[y][BEFORE + t] -= share(v[y - 1][BEFORE + t], v[y + 1][BEFORE + t]);
    __syncthreads();
    for (int y = 2 * u + 3; y < SIDE - 2; y += 2 * DOWN)
        v[y][BEFORE + t] += between(v[y - 1][BEFORE + t], v[y + 1][BEFORE + t]);
    __syncthreads();
    int column = left + BEFORE + t;
    for (int y = u + BEFORE; y < BEFORE + TILE; y += DOWN)
        if (column < width && top + y < height)
            samples.at[z * samples.plane + (top + y) * samples.stride + column] = v[y][BEFORE + t];
}

struct picture {
    int width, height, levels;
    std::vector<unsigned> pixels;
};

static dim3 tiles(int width, int height)
{
    return dim3((unsigned)((width + TILE - 1) / TILE), (unsigned)((height + TILE - 1) / TILE), 3);
}

// Transforms and restores. Every level leaves its means in an array of its own, the last with the coefficients.
static void device_transform(const picture &p, std::vector<int> *coefficients, std::vector<unsigned> *restored)
{
    int n = p.width * p.height;
    unsigned blocks = (unsigned)(n + 255) / 256, *pixels = to_device(p.pixels);
    std::vector<raster> step((size_t)p.levels + 1); // [0] is the picture, [i] the means after level i
    for (raster &s : step) {
        s = {nullptr, p.width, n};
        CHECK(cudaMalloc(&s.at, 3 * (size_t)n * sizeof(int)));
    }
    raster out = step[p.levels];
    split_colours<<<blocks, 256>>>(pixels, step[0].at, n);
    for (int i = 0, w = p.width, h = p.height; i < p.levels; i++, w = (w + 1) / 2, h = (h + 1) / 2)
        forward<<<tiles(w, h), dim3(TILE, DOWN)>>>(step[i], step[i + 1], out, w, h);
    CHECK(cudaGetLastError());
    *coefficients = to_host(out.at, 3 * (size_t)n);
    CHECK(cudaMemset(pixels, 0xff, (size_t)n * sizeof *pixels));
    for (int i = p.levels; i-- > 0;) {
        int w = (p.width + (1 << i) - 1) >> i, h = (p.height + (1 << i) - 1) >> i;
        CHECK(cudaMemset(step[i].at, 0xff, 3 * (size_t)n * sizeof(int)));
        inverse<<<tiles(w, h), dim3(TILE, DOWN)>>>(step[i + 1], out, step[i], w, h);
    }
    join_colours<<<blocks, 256>>>(step[0].at, pixels, n);
    CHECK(cudaGetLastError());
    *restored = to_host(pixels, (size_t)n);
    CHECK(cudaFree(pixels));
    for (raster &s : step)
        CHECK(cudaFree(s.at));
}

// One signal of n samples, `stride` apart.
static void transform_line(int *samples, int n, int stride)
{
    std::vector<int> v((size_t)n), sorted((size_t)n);
    for (int i = 0; i < n; i++)
        v[i] = samples[(ptrdiff_t)i * stride];
    for (int i = 1; i < n; i += 2)
        v[i] -= between(v[i - 1], v[i + 1 < n ? i + 1 : i - 1]);
    for (int i = 0; i < n; i += 2)
        v[i] += share(v[i > 0 ? i - 1 : 1], v[i + 1 < n ? i + 1 : i - 1]);
    for (int i = 0; i < n; i++)
        samples[(ptrdiff_t)sorted_place(i, n) * stride] = v[i];
}

static std::vector<int> host_coefficients(const picture &p)
{
    size_t n = p.pixels.size();
    std::vector<int> samples(3 * n);
    for (size_t i = 0; i < n; i++) {
        int red = p.pixels[i] & 255, green = p.pixels[i] >> 8 & 255, blue = p.pixels[i] >> 16 & 255;
        samples[i] = (red + 2 * green + blue) / 4;
        samples[n + i] = blue - green;
        samples[2 * n + i] = red - green;
    }
    for (size_t plane = 0; plane < 3; plane++)
        for (int i = 0, w = p.width, h = p.height; i < p.levels; i++, w = (w + 1) / 2, h = (h + 1) / 2) {
            for (int x = 0; x < w; x++)
                transform_line(&samples[plane * n + (size_t)x], h, p.width);
            for (int y = 0; y < h; y++)
                transform_line(&samples[plane * n + (size_t)y * (size_t)p.width], w, 1);
        }
    return samples;
}

// Discs of random colours on a slope, with noise in the lowest bits.
static picture make_picture(generator &random, int width, int height, int levels)
{
    picture p = {width, height, levels, std::vector<unsigned>((size_t)width * (size_t)height)};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            p.pixels[(size_t)(y * width + x)] = (unsigned)(x * 200 / width) << 8 | (unsigned)(y * 200 / height) << 16;
    for (int disc = 0; disc < 12; disc++) {
        int cx = (int)random.below((uint32_t)width), cy = (int)random.below((uint32_t)height);
        int radius = 2 + (int)random.below((uint32_t)(std::min(width, height) / 4));
        unsigned colour = random.below(1u << 24);
        for (int y = std::max(0, cy - radius); y < std::min(height, cy + radius); y++)
            for (int x = std::max(0, cx - radius); x < std::min(width, cx + radius); x++)
                if ((x - cx) * (x - cx) + (y - cy) * (y - cy) < radius * radius)
                    p.pixels[(size_t)(y * width + x)] = colour;
    }
    for (unsigned &pixel : p.pixels)
        pixel ^= (unsigned)random.next() & 0x070707u;
    return p;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"width", "of the picture", 192, 16, 8192, 45, 1024},
        {"height", "of the picture", 192, 16, 8192, 34, 1024},
        {"levels", "of the transform", 3, 1, 3, 3, 3},
        {"seed", "of the picture", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    generator random = {options[3].value};
    picture p = make_picture(random, (int)options[0].value, (int)options[1].value, (int)options[2].value);
    std::vector<int> got, want = host_coefficients(p);
    std::vector<unsigned> restored;
    device_transform(p, &got, &restored);
    uint64_t wrong = 0, zeros = 0;
    for (size_t i = 0; i < got.size(); i++) {
        wrong += got[i] != want[i];
        zeros += got[i] >= -4 && got[i] <= 4;
    }
    for (size_t i = 0; i < restored.size(); i++)
        wrong += restored[i] != p.pixels[i];
    printf("dwt2d: %d x %d pixels, %d levels, %llu of %zu coefficients within 4 of zero\n", p.width, p.height, p.levels,
           (unsigned long long)zeros, got.size());
    return verdict("dwt2d", wrong);
}

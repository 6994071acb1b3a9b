// Temperatures of a chip under given power, by explicit steps of a five-point stencil. A launch advances several steps:
// a block loads a tile of 16 x 16 cells, of which each step leaves one ring less that is right, and stores what is left
// in the middle; neighbouring tiles overlap by the rings that are lost (a pyramid, with a ghost zone around its top).
// All sums of products are fmaf in a fixed order, in one function for host and device: the host's cells have the same
// bits.
#include "../workload.h"
#include <cmath>

// RESIDENT blocks are to fit on an SM, as many as 1536 threads allow.
constexpr int TILE = 16, RESIDENT = 6;

struct chip {
    int rows, columns;
    float vertical, horizontal, sink; // conductances between cells along the axes, and to the heat sink, W/K
    float kelvin_per_watt;            // what a step adds to a cell's temperature for each watt that stays in it
    float ambient;                    // K
};

__host__ __device__ static float heated(const chip &c, float power, float t, float north, float south, float west,
                                        float east)
{
    float watts = fmaf(c.vertical, fmaf(-2.0f, t, north + south), power);
    watts = fmaf(c.horizontal, fmaf(-2.0f, t, west + east), watts);
    watts = fmaf(c.sink, c.ambient - t, watts);
    return fmaf(c.kelvin_per_watt, watts, t);
}

// The part of a tile's axis that lies on the chip, and of that what is still right after a number of steps: an end on
// the edge of the chip stays, any other end moves inwards by one a step.
struct span {
    int origin, first, last; // of the tile on the chip; inside the tile
    bool first_on_edge, last_on_edge;
    __device__ span(int block, int steps, int length)
    {
        origin = block * (TILE - 2 * steps) - steps;
        first_on_edge = origin <= 0;
        last_on_edge = origin + TILE >= length;
        first = first_on_edge ? -origin : 0;
        last = last_on_edge ? length - 1 - origin : TILE - 1;
    }
    __device__ bool right(int at, int steps) const
    {
        return at >= (first_on_edge ? first : steps) && at <= (last_on_edge ? last : TILE - 1 - steps);
    }
};

__global__ void __launch_bounds__(TILE *TILE, RESIDENT)
    heat(const float *power, const float *from, float *to, chip c, int steps)
{
    __shared__ float now[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    span across(blockIdx.x, steps, c.columns), down(blockIdx.y, steps, c.rows);
    int cell = (down.origin + y) * c.columns + across.origin + x;
    float watts = 0, next = 0;
    if (across.right(x, 0) && down.right(y, 0)) {
        watts = power[cell];
        now[y][x] = from[cell];
    }
    int west = max(x - 1, across.first), east = min(x + 1, across.last);
    int north = max(y - 1, down.first), south = min(y + 1, down.last);
    for (int step = 1; step <= steps; step++) {
        bool right = across.right(x, step) && down.right(y, step);
        __syncthreads();
        if (right)
            next = heated(c, watts, now[y][x], now[north][x], now[south][x], now[y][west], now[y][east]);
        __syncthreads();
        if (right)
            now[y][x] = next;
    }
    bool middle = x >= steps && x < TILE - steps && y >= steps && y < TILE - steps;
    if (middle && x <= across.last && y <= down.last)
        to[cell] = next;
}

// Silicon of 16 mm x 16 mm, half a millimetre thick, on a heat sink at 80 degrees Celsius. A step is a tenth of the
// longest with which the explicit method is stable.
static chip make_chip(unsigned rows, unsigned columns)
{
    const double side = 0.016, thickness = 0.0005, conductivity = 100 /* W/mK */, heat = 1.75e6 /* J/m3K */;
    double height = side / rows, width = side / columns;
    double vertical = conductivity * thickness * width / height, horizontal = conductivity * thickness * height / width;
    double sink = conductivity * width * height / thickness, capacity = heat * thickness * width * height;
    double longest = capacity / (2 * vertical + 2 * horizontal + sink);
    return {(int)rows, (int)columns, (float)vertical, (float)horizontal, (float)sink, (float)(longest / 10 / capacity),
            353.15f};
}

static std::vector<float> host_step(const chip &c, const std::vector<float> &power, const std::vector<float> &from)
{
    std::vector<float> to(from.size());
    for (int y = 0; y < c.rows; y++)
        for (int x = 0; x < c.columns; x++) {
            const float *row = &from[(size_t)y * c.columns], *above = y > 0 ? row - c.columns : row;
            const float *under = y + 1 < c.rows ? row + c.columns : row;
            float west = row[x > 0 ? x - 1 : x], east = row[x + 1 < c.columns ? x + 1 : x];
            to[(size_t)y * c.columns + x] =
                heated(c, power[(size_t)y * c.columns + x], row[x], above[x], under[x], west, east);
        }
    return to;
}

static std::vector<float> device_steps(const chip &c, const std::vector<float> &power, const std::vector<float> &cells,
                                       unsigned steps, unsigned height)
{
    float *watts = to_device(power), *from = to_device(cells), *to = to_device(cells);
    for (unsigned done = 0, now; done < steps; done += now) {
        now = steps - done < height ? steps - done : height;
        unsigned kept = TILE - 2 * now;
        dim3 grid((c.columns + kept - 1) / kept, (c.rows + kept - 1) / kept);
        heat<<<grid, dim3(TILE, TILE)>>>(watts, from, to, c, (int)now);
        CHECK(cudaGetLastError());
        float *swap = from;
        from = to;
        to = swap;
    }
    std::vector<float> result = to_host(from, cells.size());
    for (float *p : {watts, from, to})
        CHECK(cudaFree(p));
    return result;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"rows", "rows of cells", 128, 1, 8192, 40, 512},
        {"columns", "columns of cells", 128, 1, 8192, 36, 512},
        {"steps", "steps of time", 12, 1, 100000, 5, 12},
        {"height", "steps of a launch at most", 2, 1, 7, 2, 2},
        {"seed", "of the power map", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    chip c = make_chip((unsigned)options[0].value, (unsigned)options[1].value);
    unsigned steps = (unsigned)options[2].value;
    generator random = {options[4].value};
    std::vector<float> power((size_t)c.rows * c.columns), cells(power.size());
    for (size_t i = 0; i < power.size(); i++) {
        power[i] = (float)random.below(1u << 16) / 65536 * 100 / (float)power.size(); // 50 W for the whole chip
        cells[i] = 353.15f + (float)random.below(1u << 16) / 65536;
    }
    std::vector<float> got = device_steps(c, power, cells, steps, (unsigned)options[3].value);
    for (unsigned i = 0; i < steps; i++)
        cells = host_step(c, power, cells);
    uint64_t wrong = 0;
    for (size_t i = 0; i < cells.size(); i++)
        wrong += got[i] != cells[i];
    printf("hotspot: %d x %d cells, %u steps\n", c.rows, c.columns, steps);
    return verdict("hotspot", wrong);
}

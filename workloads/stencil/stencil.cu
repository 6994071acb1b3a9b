// A stencil of five points, step after step in one launch. The grid is cut into tiles; blocks take tiles in turn, load
// each with a ring of neighbours into shared memory, and store the next step's cells to a second grid. Between two
// steps all blocks wait for each other at a barrier made of an atomic counter: so all of them must be resident at once,
// and the program launches no more than the device says it can hold.
#include "../workload.h"
#include <algorithm>
#include <cmath>

// RESIDENT blocks are to fit on an SM: the tile with its ring takes more than a third of 48 KB and less than a half.
constexpr unsigned THREADS = 512, RESIDENT = 2, TILE = 64, RINGED = TILE + 2;

// Cells of the outermost rows and columns keep their values.
struct shape {
    unsigned rows, columns, steps;
    __host__ __device__ size_t at(unsigned row, unsigned column) const
    {
        return (size_t)row * columns + column;
    }
    __host__ __device__ bool inside(unsigned row, unsigned column) const
    {
        return row > 0 && row + 1 < rows && column > 0 && column + 1 < columns;
    }
};

// The order of the operations is fixed, so that the host's cells have the same bits.
__host__ __device__ static float next_cell(float own, float north, float south, float west, float east)
{
    return fmaf(0.2f, fmaf(-4.0f, own, (north + south) + (west + east)), own);
}

// Row 0 of the ringed tile is the row above the tile. What lies outside the grid is not used.
__device__ static void load(float (*tile)[RINGED], const float *grid, unsigned top, unsigned left, shape s)
{
    for (unsigned i = threadIdx.x; i < RINGED * RINGED; i += THREADS) {
        unsigned y = i / RINGED, x = i % RINGED, row = top + y - 1, column = left + x - 1;
        tile[y][x] = row < s.rows && column < s.columns ? grid[s.at(row, column)] : 0.0f;
    }
}

__device__ static void step_tile(float (*tile)[RINGED], const float *from, float *to, unsigned number, shape s)
{
    unsigned across = (s.columns + TILE - 1) / TILE, top = number / across * TILE, left = number % across * TILE;
    load(tile, from, top, left, s);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < TILE * TILE; i += THREADS) {
        unsigned y = i / TILE + 1, x = i % TILE + 1, row = top + y - 1, column = left + x - 1;
        if (s.inside(row, column))
            to[s.at(row, column)] =
                next_cell(tile[y][x], tile[y - 1][x], tile[y + 1][x], tile[y][x - 1], tile[y][x + 1]);
    }
    __syncthreads();
}

// Returns when `all` arrivals have been counted. Every thread's stores from before are then visible to every thread.
__device__ static void wait_for_blocks(unsigned *arrivals, unsigned all)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrivals, 1u);
        while (*(volatile unsigned *)arrivals < all)
            SPIN_LOOP();
        __threadfence();
    }
    __syncthreads();
}

__global__ void __launch_bounds__(THREADS, RESIDENT)
    stencil(float *from, float *to, unsigned *arrivals, unsigned tiles, shape s)
{
    __shared__ float tile[RINGED][RINGED];
    for (unsigned step = 0; step < s.steps; step++) {
        for (unsigned number = blockIdx.x; number < tiles; number += gridDim.x)
            step_tile(tile, from, to, number, s);
        wait_for_blocks(arrivals, (step + 1) * gridDim.x);
        float *swapped = from;
        from = to;
        to = swapped;
    }
}

// As many blocks as the device holds at once, and no more than there are tiles.
static unsigned resident_blocks(unsigned tiles)
{
    int device, processors, blocks;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stencil, THREADS, 0));
    if (blocks == 0 || processors == 0) {
        fprintf(stderr, "stencil: a block of %u threads does not fit on this device\n", THREADS);
        exit(2);
    }
    return std::min(tiles, (unsigned)blocks * (unsigned)processors);
}

static std::vector<float> device_steps(const std::vector<float> &first, shape s)
{
    float *from = to_device(first), *to = to_device(first);
    unsigned *arrivals = to_device(std::vector<unsigned>(1, 0));
    unsigned tiles = ((s.rows + TILE - 1) / TILE) * ((s.columns + TILE - 1) / TILE);
    stencil<<<resident_blocks(tiles), THREADS>>>(from, to, arrivals, tiles, s);
    CHECK(cudaGetLastError());
    std::vector<float> result = to_host(s.steps % 2 ? to : from, first.size());
    for (void *p : {(void *)from, (void *)to, (void *)arrivals})
        CHECK(cudaFree(p));
    return result;
}

static void host_step(std::vector<float> &grid, shape s)
{
    std::vector<float> old = grid;
    for (unsigned row = 1; row + 1 < s.rows; row++)
        for (unsigned column = 1; column + 1 < s.columns; column++) {
            size_t at = s.at(row, column);
            grid[at] = next_cell(old[at], old[at - s.columns], old[at + s.columns], old[at - 1], old[at + 1]);
        }
}

int main(int argc, char **argv)
{
    option options[] = {
        {"rows", "rows of the grid", 256, 3, 16384, 150, 512},
        {"columns", "columns of the grid", 256, 3, 16384, 140, 384},
        {"steps", "steps", 8, 1, 10000, 3, 30},
        {"seed", "of the cells", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    shape s = {(unsigned)options[0].value, (unsigned)options[1].value, (unsigned)options[2].value};
    generator random = {options[3].value};
    std::vector<float> grid((size_t)s.rows * s.columns);
    for (float &cell : grid)
        cell = (float)random.below(1u << 12);
    std::vector<float> got = device_steps(grid, s);
    for (unsigned step = 0; step < s.steps; step++)
        host_step(grid, s);
    uint64_t wrong = 0;
    for (size_t i = 0; i < grid.size(); i++)
        wrong += got[i] != grid[i];
    printf("stencil: %u x %u cells, %u steps\n", s.rows, s.columns, s.steps);
    return verdict("stencil", wrong);
}

// A product of matrices whose steps are dealt evenly to the blocks, however many tiles there are: stream-K (Osama and others, "Stream-K:
// work-centric parallel decomposition for dense matrix-matrix multiplication on the GPU", PPoPP 2023). A block's share can begin and end
// within a tile. Who has a tile's first step owns it, and adds up what the blocks of its later steps leave in memory, behind a flag for each:
// so all blocks must be resident. With --how tiles each tile is one block's.
#include "../waiting.h"
#include <algorithm>

constexpr unsigned SIDE = 32, STEP = 16, THREADS = 256, EACH = SIDE * SIDE / THREADS; // EACH: cells of a thread

enum { SHARES, TILES };

// In units of tiles and steps: the product has rows x columns tiles, each of `steps` steps.
struct shape {
    unsigned rows, columns, steps;
    __host__ __device__ unsigned inner() const { return steps * STEP; }
    __host__ __device__ unsigned width() const { return columns * SIDE; }
    __host__ __device__ unsigned all() const { return rows * columns * steps; }
};

struct product {
    const unsigned *a, *b;
    unsigned *c;
    volatile unsigned *parts; // what a block has of the tile that its share begins in: SIDE * SIDE words a block
    volatile unsigned *flags;
};

// Steps from `from` to `to` of a tile, added to the thread's cells: row y + 8 i, column x.
__device__ static void add_steps(const product &p, shape s, unsigned tile, unsigned from, unsigned to, unsigned *cells)
{
    __shared__ unsigned left[SIDE][STEP], right[STEP][SIDE];
    unsigned x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, top = tile / s.columns * SIDE, side = tile % s.columns * SIDE;
    for (unsigned step = from; step < to; step++) {
        for (unsigned i = threadIdx.x; i < SIDE * STEP; i += THREADS) {
            left[i / STEP][i % STEP] = p.a[(top + i / STEP) * s.inner() + step * STEP + i % STEP];
            right[i / SIDE][i % SIDE] = p.b[(step * STEP + i / SIDE) * s.width() + side + i % SIDE];
        }
        __syncthreads();
        for (unsigned k = 0; k < STEP; k++)
            for (unsigned i = 0; i < EACH; i++)
                cells[i] += left[y + i * (THREADS / SIDE)][k] * right[k][x];
        __syncthreads();
    }
}

__device__ static void leave_part(const product &p, const unsigned *cells)
{
    for (unsigned i = 0; i < EACH; i++)
        p.parts[blockIdx.x * SIDE * SIDE + i * THREADS + threadIdx.x] = cells[i];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        p.flags[blockIdx.x] = 1;
}

// The part that another block has of the tile.
__device__ static void add_part(const product &p, unsigned block, unsigned *cells)
{
    if (threadIdx.x == 0)
        while (!p.flags[block])
            SPIN_LOOP();
    __syncthreads();
    __threadfence();
    for (unsigned i = 0; i < EACH; i++)
        cells[i] += p.parts[block * SIDE * SIDE + i * THREADS + threadIdx.x];
}

__host__ __device__ static unsigned share_begins(unsigned block, unsigned blocks, unsigned all)
{
    return (unsigned)((uint64_t)block * all / blocks);
}

__device__ static void store_tile(const product &p, shape s, unsigned tile, const unsigned *cells)
{
    unsigned x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, top = tile / s.columns * SIDE, side = tile % s.columns * SIDE;
    for (unsigned i = 0; i < EACH; i++)
        p.c[(top + y + i * (THREADS / SIDE)) * s.width() + side + x] = cells[i];
}

__global__ void multiply(const unsigned *a, const unsigned *b, unsigned *c, unsigned *parts, unsigned *flags, unsigned rows,
                         unsigned columns, unsigned steps)
{
    product p = {a, b, c, parts, flags};
    shape s = {rows, columns, steps};
    unsigned at = share_begins(blockIdx.x, gridDim.x, s.all()), end = share_begins(blockIdx.x + 1, gridDim.x, s.all());
    while (at < end) {
        unsigned tile = at / s.steps, first = at % s.steps, last = min(s.steps, first + end - at);
        unsigned cells[EACH] = {};
        add_steps(p, s, tile, first, last, cells);
        at += last - first;
        if (first) {
            leave_part(p, cells);
            continue;
        }
        for (unsigned other = blockIdx.x + 1; last < s.steps; other++) {
            unsigned beyond = share_begins(other + 1, gridDim.x, s.all()) - tile * s.steps;
            add_part(p, other, cells);
            last = beyond;
        }
        store_tile(p, s, tile, cells);
    }
}

static uint64_t wrong_cells(const std::vector<unsigned> &a, const std::vector<unsigned> &b, const std::vector<unsigned> &c, shape s)
{
    uint64_t wrong = 0;
    std::vector<unsigned> row(s.width());
    for (unsigned y = 0; y < s.rows * SIDE; y++) {
        row.assign(s.width(), 0);
        for (unsigned k = 0; k < s.inner(); k++)
            for (unsigned x = 0; x < s.width(); x++)
                row[x] += a[y * s.inner() + k] * b[k * s.width() + x];
        for (unsigned x = 0; x < s.width(); x++)
            wrong += row[x] != c[y * s.width() + x];
    }
    return wrong;
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"shares", "tiles", nullptr};
    option options[] = {
        {"rows", "of tiles of 32 x 32", 7, 1, 64, 3, 0},
        {"columns", "of tiles", 5, 1, 64, 2, 0},
        {"steps", "of 16 columns and rows each, in a tile", 16, 1, 1024, 6, 0},
        {"blocks", "of shares, at most: no more than can be resident", 64, 1, 65535, 8, 0},
        {"how", "shares or tiles", SHARES, SHARES, TILES, SHARES, 0, ways},
        {"seed", "of the input", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    shape s = {(unsigned)options[0].value, (unsigned)options[1].value, (unsigned)options[2].value};
    unsigned blocks = s.rows * s.columns;
    if (options[4].value == SHARES)
        blocks = std::min(resident_blocks(multiply, THREADS, (unsigned)options[3].value), s.all());
    generator random = {options[5].value};
    std::vector<unsigned> a((size_t)s.rows * SIDE * s.inner()), b((size_t)s.inner() * s.width());
    for (unsigned &value : a)
        value = random.below(1000);
    for (unsigned &value : b)
        value = random.below(1000);

    std::vector<unsigned> c((size_t)s.rows * SIDE * s.width(), 0);
    unsigned *parts = to_device(std::vector<unsigned>((size_t)blocks * SIDE * SIDE, 0)),
             *flags = to_device(std::vector<unsigned>(blocks, 0)), *from_a = to_device(a), *from_b = to_device(b),
             *to = to_device(c);
    printf("streamk: %u x %u tiles of %u steps\n", s.rows, s.columns, s.steps);
    multiply<<<blocks, THREADS>>>(from_a, from_b, to, parts, flags, s.rows, s.columns, s.steps);
    CHECK(cudaGetLastError());
    c = to_host(to, c.size());
    for (unsigned *memory : {parts, flags, from_a, from_b, to})
        CHECK(cudaFree(memory));
    return verdict("streamk", wrong_cells(a, b, c, s));
}

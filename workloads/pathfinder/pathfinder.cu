// The cheapest way through a grid from its first row to its last, going straight or diagonally to the next row. Row by
// row, the cost of a cell is its own plus the least of its three neighbours before. A launch advances several rows:
// each block keeps a piece of the row in shared memory with ghost zones on either side, as wide as the rows it
// advances. The ghosts are computed by two blocks, so that none must hear of another; with each row one more cell at
// either end is out of date.
#include "../workload.h"
#include <algorithm>

constexpr unsigned BLOCK = 256;
constexpr unsigned FAR = 0xffffffffu; // the cost beyond the edges of the grid

// From the costs of the row before `grid` to those `rows` further on. Each block finishes BLOCK - 2 * rows columns.
__global__ void advance(const unsigned *grid, const unsigned *from, unsigned *to, unsigned columns, unsigned rows)
{
    __shared__ unsigned cost[2][BLOCK];
    unsigned t = threadIdx.x, now = 0;
    unsigned column = blockIdx.x * (BLOCK - 2 * rows) + t - rows; // left of the grid it wraps to a large number
    bool inside = column < columns;
    cost[0][t] = inside ? from[column] : FAR;
    cost[1][t] = FAR;
    __syncthreads();
    for (unsigned row = 0; row < rows; row++, now ^= 1) {
        if (inside && t > row && t + row + 1 < BLOCK) {
            unsigned least = min(cost[now][t], min(cost[now][t - 1], cost[now][t + 1]));
            cost[now ^ 1][t] = least + grid[(size_t)row * columns + column];
        }
        __syncthreads();
    }
    if (inside && t >= rows && t + rows < BLOCK)
        to[column] = cost[now][t];
}

static std::vector<unsigned> device_costs(const std::vector<unsigned> &grid, unsigned columns, unsigned rows,
                                          unsigned ghost)
{
    unsigned *cells = to_device(grid), *costs[2], now = 0;
    for (unsigned *&c : costs)
        CHECK(cudaMalloc(&c, columns * sizeof *c));
    CHECK(cudaMemcpy(costs[0], grid.data(), columns * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (unsigned row = 1; row < rows; now ^= 1) {
        unsigned count = std::min(ghost, rows - row), width = BLOCK - 2 * count;
        advance<<<(columns + width - 1) / width, BLOCK>>>(cells + (size_t)row * columns, costs[now], costs[now ^ 1],
                                                          columns, count);
        CHECK(cudaGetLastError());
        row += count;
    }
    std::vector<unsigned> result = to_host(costs[now], columns);
    for (unsigned *p : {cells, costs[0], costs[1]})
        CHECK(cudaFree(p));
    return result;
}

static std::vector<unsigned> host_costs(const std::vector<unsigned> &grid, unsigned columns, unsigned rows)
{
    std::vector<unsigned> before(grid.begin(), grid.begin() + columns), after(columns);
    for (unsigned row = 1; row < rows; row++) {
        for (unsigned c = 0; c < columns; c++) {
            unsigned first = c > 0 ? c - 1 : 0, last = std::min(c + 1, columns - 1);
            after[c] = *std::min_element(&before[first], &before[last] + 1) + grid[(size_t)row * columns + c];
        }
        before.swap(after);
    }
    return before;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"columns", "columns of the grid", 30000, 1, 1u << 24, 900, 100000},
        {"rows", "rows of the grid", 60, 1, 1u << 16, 14, 100},
        {"ghost", "rows advanced in a launch", 20, 1, BLOCK / 2 - 1, 5, 20},
        {"seed", "of the grid", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned columns = (unsigned)options[0].value, rows = (unsigned)options[1].value;
    generator random = {options[3].value};
    std::vector<unsigned> grid((size_t)columns * rows);
    for (unsigned &cell : grid)
        cell = random.below(10);
    std::vector<unsigned> got = device_costs(grid, columns, rows, (unsigned)options[2].value);
    std::vector<unsigned> want = host_costs(grid, columns, rows);
    uint64_t wrong = 0;
    for (unsigned c = 0; c < columns; c++)
        wrong += got[c] != want[c];
    printf("pathfinder: %u rows of %u columns, the cheapest way costs %u\n", rows, columns,
           *std::min_element(got.begin(), got.end()));
    return verdict("pathfinder", wrong);
}

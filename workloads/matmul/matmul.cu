// C = A * B in tiles of shared memory: each block computes one square tile of C, loading one tile of A and one of B at a time,
// with a barrier after the loads and one after their use. The edge tiles are padded with zeros.
#include "../workload.h"

// RESIDENT blocks are to fit on an SM, as many as 1536 threads allow.
constexpr unsigned TILE = 16, THREADS = TILE * TILE, RESIDENT = 6;

__global__ void __launch_bounds__(THREADS, RESIDENT)
    matmul(const float *a, const float *b, float *c, unsigned rows, unsigned inner, unsigned columns)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (unsigned k = 0; k < inner; k += TILE) {
        tile_a[y][x] = row < rows && k + x < inner ? a[row * inner + k + x] : 0.0f;
        tile_b[y][x] = k + y < inner && column < columns ? b[(k + y) * columns + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < TILE; i++)
            sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    if (row < rows && column < columns)
        c[row * columns + column] = sum;
}

// Integers below 32: every product and sum is exact in a float for inner dimensions up to 2^24 / 31^2.
static std::vector<float> random_matrix(generator &random, size_t size)
{
    std::vector<float> m(size);
    for (float &v : m)
        v = (float)random.below(32);
    return m;
}

static uint64_t count_wrong(const std::vector<float> &a, const std::vector<float> &b, const std::vector<float> &c,
                            unsigned rows, unsigned inner, unsigned columns)
{
    uint64_t wrong = 0;
    std::vector<uint32_t> sums(columns);
    for (unsigned r = 0; r < rows; r++) {
        sums.assign(columns, 0);
        for (unsigned k = 0; k < inner; k++)
            for (unsigned j = 0; j < columns; j++)
                sums[j] += (uint32_t)a[r * inner + k] * (uint32_t)b[k * columns + j];
        for (unsigned j = 0; j < columns; j++)
            wrong += c[r * columns + j] != (float)sums[j];
    }
    return wrong;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"rows", "rows of A and C", 128, 1, 8192, 40, 1024},
        {"inner", "columns of A, rows of B", 128, 1, 8192, 36, 1024},
        {"columns", "columns of B and C", 128, 1, 8192, 52, 1024},
        {"seed", "of the inputs", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned rows = (unsigned)options[0].value, inner = (unsigned)options[1].value, columns = (unsigned)options[2].value;
    generator random = {options[3].value};
    std::vector<float> a = random_matrix(random, (size_t)rows * inner), b = random_matrix(random, (size_t)inner * columns);
    float *da = to_device(a), *db = to_device(b), *dc;
    CHECK(cudaMalloc(&dc, (size_t)rows * columns * sizeof(float)));
    CHECK(cudaMemset(dc, 0xff, (size_t)rows * columns * sizeof(float)));
    dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    matmul<<<grid, dim3(TILE, TILE)>>>(da, db, dc, rows, inner, columns);
    CHECK(cudaGetLastError());
    uint64_t wrong = count_wrong(a, b, to_host(dc, (size_t)rows * columns), rows, inner, columns);
    printf("matmul: %u x %u times %u x %u\n", rows, inner, inner, columns);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    return verdict("matmul", wrong);
}

// LU decomposition in place, without pivoting, by tiles of 16 x 16 along the diagonal: one block factors the diagonal
// tile, one block for each further tile solves the tile to its right and the tile below it, and one block for each
// remaining tile subtracts a product. Every element thus receives its updates one by one in the order of the columns,
// as in the unblocked method, each as one fmaf: the host's unblocked result has the same bits.
#include "../workload.h"
#include <cmath>

constexpr unsigned TILE = 16;

// Loops whose trips the compiler knows are kept as loops where their copies would be too much for an instruction cache.
// The rows have a word more than they need, so that a column's elements lie in different banks.
typedef float shared_tile[TILE][TILE + 1];

__global__ void diagonal(float *matrix, unsigned n, unsigned first)
{
    __shared__ shared_tile tile;
    unsigned t = threadIdx.x;
    float *corner = matrix + (size_t)first * n + first;
    for (unsigned row = 0; row < TILE; row++)
        tile[row][t] = corner[row * n + t];
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 0; k + 1 < TILE; k++) {
        if (t > k) {
            float factor = tile[t][k] / tile[k][k];
            tile[t][k] = factor;
            for (unsigned j = k + 1; j < TILE; j++)
                tile[t][j] = fmaf(-factor, tile[k][j], tile[t][j]);
        }
        __syncthreads();
    }
    for (unsigned row = 0; row < TILE; row++)
        corner[row * n + t] = tile[row][t];
}

// Half a warp solves a column of the right tile by each of its threads, the other half a row of the tile below.
__global__ void perimeter(float *matrix, unsigned n, unsigned first)
{
    __shared__ shared_tile corner, right, below;
    unsigned t = threadIdx.x % TILE, half = threadIdx.x / TILE, start = first + (blockIdx.x + 1) * TILE;
    float *right_of = matrix + (size_t)first * n + start, *below_it = matrix + (size_t)start * n + first;
    for (unsigned row = half; row < TILE; row += 2) {
        corner[row][t] = matrix[(size_t)(first + row) * n + first + t];
        right[row][t] = right_of[row * n + t];
        below[row][t] = below_it[row * n + t];
    }
    __syncthreads();
    if (half == 0) {
#pragma unroll 1
        for (unsigned i = 1; i < TILE; i++) {
            float value = right[i][t];
            for (unsigned k = 0; k < i; k++)
                value = fmaf(-corner[i][k], right[k][t], value);
            right[i][t] = value;
        }
    } else {
#pragma unroll 1
        for (unsigned j = 0; j < TILE; j++) {
            float value = below[t][j];
            for (unsigned k = 0; k < j; k++)
                value = fmaf(-below[t][k], corner[k][j], value);
            below[t][j] = value / corner[j][j];
        }
    }
    __syncthreads();
    for (unsigned row = half; row < TILE; row += 2) {
        right_of[row * n + t] = right[row][t];
        below_it[row * n + t] = below[row][t];
    }
}

__global__ void __launch_bounds__(TILE *TILE, 6) internal(float *matrix, unsigned n, unsigned first)
{
    __shared__ shared_tile left, above;
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = first + (blockIdx.y + 1) * TILE + y, column = first + (blockIdx.x + 1) * TILE + x;
    left[y][x] = matrix[(size_t)row * n + first + x];
    above[y][x] = matrix[(size_t)(first + y) * n + column];
    __syncthreads();
    float value = matrix[(size_t)row * n + column];
#pragma unroll
    for (unsigned k = 0; k < TILE; k++)
        value = fmaf(-left[y][k], above[k][x], value);
    matrix[(size_t)row * n + column] = value;
}

// Below 1 off the diagonal and above n on it: such a matrix needs no pivoting.
static std::vector<float> make_matrix(generator &random, unsigned n)
{
    std::vector<float> m((size_t)n * n);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++)
            m[(size_t)i * n + j] = (float)random.below(1u << 16) / 65536 + (i == j ? (float)n : 0);
    return m;
}

static void host_decompose(std::vector<float> &m, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        for (unsigned i = k + 1; i < n; i++) {
            float factor = m[(size_t)i * n + k] /= m[(size_t)k * n + k];
            for (unsigned j = k + 1; j < n; j++)
                m[(size_t)i * n + j] = fmaf(-factor, m[(size_t)k * n + j], m[(size_t)i * n + j]);
        }
}

int main(int argc, char **argv)
{
    option options[] = {
        {"n", "rows and columns, a multiple of 16", 192, TILE, 8192, 48, 256},
        {"seed", "of the matrix", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned n = (unsigned)options[0].value;
    if (n % TILE)
        option_refuse(argv[0], options, sizeof options / sizeof options[0], "--n: not a multiple of 16");
    generator random = {options[1].value};
    std::vector<float> m = make_matrix(random, n);
    float *matrix = to_device(m);
    for (unsigned first = 0; first < n; first += TILE) {
        unsigned others = (n - first) / TILE - 1;
        diagonal<<<1, TILE>>>(matrix, n, first);
        if (others > 0) {
            perimeter<<<others, 2 * TILE>>>(matrix, n, first);
            internal<<<dim3(others, others), dim3(TILE, TILE)>>>(matrix, n, first);
        }
        CHECK(cudaGetLastError());
    }
    std::vector<float> got = to_host(matrix, m.size());
    CHECK(cudaFree(matrix));
    host_decompose(m, n);
    uint64_t wrong = 0;
    for (size_t i = 0; i < m.size(); i++)
        wrong += got[i] != m[i];
    printf("lud: %u x %u\n", n, n);
    return verdict("lud", wrong);
}

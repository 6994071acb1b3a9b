// Solves a system of linear equations by Gaussian elimination without pivoting. Two launches for each column: one
// divides the column below the diagonal by the pivot, the other subtracts multiples of the pivot's row from the rows
// below. The substitution backwards, which has little to do in parallel, is the host's.
#include "../workload.h"
#include <cmath>

// A matrix by rows, the right side as its last column: n rows of n + 1.
struct system_of_equations {
    unsigned n;
    std::vector<float> rows;
};

// factors[r] becomes the multiple of the pivot's row that clears column `pivot` of row r.
__global__ void find_factors(const float *rows, unsigned n, unsigned pivot, float *factors)
{
    unsigned r = pivot + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n)
        factors[r] = rows[(size_t)r * (n + 1) + pivot] / rows[(size_t)pivot * (n + 1) + pivot];
}

// The fused product and sum is written out, so that no compiler may choose: host and device round alike.
__host__ __device__ static inline float reduced(float value, float factor, float above)
{
    return fmaf(-factor, above, value);
}

__global__ void eliminate(float *rows, unsigned n, unsigned pivot, const float *factors)
{
    unsigned c = pivot + blockIdx.x * blockDim.x + threadIdx.x;
    unsigned r = pivot + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (r < n && c <= n) {
        float *cell = &rows[(size_t)r * (n + 1) + c];
        *cell = reduced(*cell, factors[r], rows[(size_t)pivot * (n + 1) + c]);
    }
}

static std::vector<float> device_elimination(const system_of_equations &s, unsigned block, unsigned tile)
{
    float *rows = to_device(s.rows), *factors;
    CHECK(cudaMalloc(&factors, s.n * sizeof *factors));
    for (unsigned pivot = 0; pivot + 1 < s.n; pivot++) {
        unsigned below = s.n - 1 - pivot, right = below + 2; // columns from the pivot's to the right side's
        find_factors<<<(below + block - 1) / block, block>>>(rows, s.n, pivot, factors);
        eliminate<<<dim3((right + tile - 1) / tile, (below + tile - 1) / tile), dim3(tile, tile)>>>(rows, s.n, pivot,
                                                                                                    factors);
        CHECK(cudaGetLastError());
    }
    std::vector<float> result = to_host(rows, s.rows.size());
    CHECK(cudaFree(rows));
    CHECK(cudaFree(factors));
    return result;
}

// The same operations in the same order.
static std::vector<float> host_elimination(const system_of_equations &s)
{
    std::vector<float> rows = s.rows;
    size_t width = s.n + 1;
    for (size_t pivot = 0; pivot + 1 < s.n; pivot++) {
        for (size_t r = pivot + 1; r < s.n; r++) {
            float factor = rows[r * width + pivot] / rows[pivot * width + pivot];
            for (size_t c = pivot; c <= s.n; c++)
                rows[r * width + c] = reduced(rows[r * width + c], factor, rows[pivot * width + c]);
        }
    }
    return rows;
}

static std::vector<double> substitute_back(const std::vector<float> &rows, unsigned n)
{
    std::vector<double> x(n);
    for (unsigned r = n; r-- > 0;) {
        const float *row = &rows[(size_t)r * (n + 1)];
        double rest = row[n];
        for (unsigned c = r + 1; c < n; c++)
            rest -= row[c] * x[c];
        x[r] = rest / row[r];
    }
    return x;
}

// Off the diagonal numbers in [-1, 1], on it n, which makes pivoting needless. The right side is that of the solution
// 1, 2, ... 8, 1, 2 ...; for n up to 2048 it is exact.
static system_of_equations make_system(generator &random, unsigned n)
{
    system_of_equations s = {n, {}};
    for (unsigned r = 0; r < n; r++) {
        double sum = 0;
        for (unsigned c = 0; c < n; c++) {
            float value = r == c ? (float)n : ((float)random.below(129) - 64.0f) / 64.0f;
            s.rows.push_back(value);
            sum += (double)value * (1 + c % 8);
        }
        s.rows.push_back((float)sum);
    }
    return s;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"n", "equations", 96, 1, 8192, 20, 208},
        {"block", "threads of a block that finds factors", 512, 1, 1024, 512, 0},
        {"tile", "threads across and down in a block that eliminates", 4, 1, 32, 4, 0},
        {"seed", "of the equations", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    generator random = {options[3].value};
    system_of_equations s = make_system(random, (unsigned)options[0].value);
    std::vector<float> got = device_elimination(s, (unsigned)options[1].value, (unsigned)options[2].value);
    std::vector<float> want = host_elimination(s);
    uint64_t wrong = 0;
    for (size_t i = 0; i < got.size(); i++)
        wrong += got[i] != want[i];
    // Rounding moves the solution by about n * 2^-24 of a number up to 8; a mistake in the method moves it by more than
    // 1 / 100.
    std::vector<double> x = substitute_back(got, s.n);
    for (unsigned i = 0; i < s.n; i++)
        wrong += !(fabs(x[i] - (1 + i % 8)) < 0.01);
    printf("gaussian: %u equations, x[0] = %.3f, x[%u] = %.3f\n", s.n, x[0], s.n - 1, x[s.n - 1]);
    return verdict("gaussian", wrong);
}

// The scalar products of many pairs of vectors. A block takes a pair after the other: its threads multiply and add at a
// stride into more partial sums than there are threads, all in shared memory, and the partial sums are then added in a
// tree with a barrier after each step.
#include "../workload.h"

// RESIDENT blocks are to fit on an SM, as many as 1536 threads allow.
constexpr unsigned THREADS = 512, PARTS = 2 * THREADS, RESIDENT = 3;
constexpr unsigned VALUES = 16; // elements are integers below it

// Each partial sum takes every PARTS-th element.
__device__ static void add_parts(float *parts, const float *a, const float *b, unsigned length)
{
    for (unsigned p = threadIdx.x; p < PARTS; p += THREADS) {
        float sum = 0;
        for (unsigned i = p; i < length; i += PARTS)
            sum += a[i] * b[i];
        parts[p] = sum;
    }
}

// Begins with a barrier and ends with one.
__device__ static void add_up(float *parts)
{
    for (unsigned half = PARTS / 2; half > 0; half /= 2) {
        __syncthreads();
        for (unsigned p = threadIdx.x; p < half; p += THREADS)
            parts[p] += parts[p + half];
    }
    __syncthreads();
}

__global__ void __launch_bounds__(THREADS, RESIDENT)
    scalarprod(const float *a, const float *b, float *products, unsigned pairs, unsigned length)
{
    __shared__ float parts[PARTS];
    for (unsigned pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
        size_t first = (size_t)pair * length;
        add_parts(parts, a + first, b + first, length);
        add_up(parts);
        if (threadIdx.x == 0)
            products[pair] = parts[0];
        __syncthreads();
    }
}

static std::vector<float> random_vectors(generator &random, size_t size)
{
    std::vector<float> vectors(size);
    for (float &v : vectors)
        v = (float)random.below(VALUES);
    return vectors;
}

static uint64_t count_wrong(const std::vector<float> &a, const std::vector<float> &b, const std::vector<float> &got)
{
    uint64_t wrong = 0;
    size_t length = a.size() / got.size();
    for (size_t pair = 0; pair < got.size(); pair++) {
        uint64_t product = 0;
        for (size_t i = pair * length; i < (pair + 1) * length; i++)
            product += (uint64_t)a[i] * (uint64_t)b[i];
        wrong += got[pair] != (float)product;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    option options[] = {
        {"pairs", "pairs of vectors", 256, 1, 65536, 20, 2048},
        // (VALUES - 1)^2 times the largest length is below 2^24: every sum is exact.
        {"length", "elements of a vector", 4096, 1, 65536, 1500, 4096},
        {"blocks", "blocks", 90, 1, 65535, 9, 180},
        {"seed", "of the vectors", 1, 0, UINT64_MAX, 1, 0},
    };
    option_read(options, argc, argv);
    unsigned pairs = (unsigned)options[0].value, length = (unsigned)options[1].value;
    generator random = {options[3].value};
    std::vector<float> a = random_vectors(random, (size_t)pairs * length);
    std::vector<float> b = random_vectors(random, (size_t)pairs * length);
    float *da = to_device(a), *db = to_device(b), *products;
    CHECK(cudaMalloc(&products, pairs * sizeof *products));
    CHECK(cudaMemset(products, 0xff, pairs * sizeof *products));
    scalarprod<<<(unsigned)options[2].value, THREADS>>>(da, db, products, pairs, length);
    CHECK(cudaGetLastError());
    uint64_t wrong = count_wrong(a, b, to_host(products, pairs));
    printf("scalarprod: %u products of %u elements\n", pairs, length);
    for (float *p : {da, db, products})
        CHECK(cudaFree(p));
    return verdict("scalarprod", wrong);
}

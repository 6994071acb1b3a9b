// Random numbers by the host's interface: what generators give, on the device and on the host, is what their sequences
// give in the documented order; errors; normal and Poisson numbers by their moments.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>
#include <vector>

static int wrong;
static void say(const char *name, bool right)
{
    printf("%s: %s\n", name, right ? "right" : "wrong");
    wrong += !right;
}
#define COUNT 200000

template <class T> static T *device(size_t n)
{
    T *p;
    cudaMalloc(&p, n * sizeof(T));
    return p;
}
template <class T> static std::vector<T> fetch(const T *from, size_t n)
{
    std::vector<T> v(n);
    cudaMemcpy(v.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
}

// The i-th number of XORWOW, MRG32k3a and Philox: sequence i % width, `each` numbers at a time.
template <class State> __global__ void expect(unsigned *bad, const unsigned *got, unsigned width, unsigned each, unsigned long long offset)
{
    unsigned long long i = (blockIdx.x * blockDim.x + threadIdx.x) * 997ull;
    if (i >= COUNT)
        return;
    State state;
    unsigned long long at = i + offset, group = at / each;
    curand_init(1234ull, group % width, group / width * each + at % each, &state);
    atomicAdd(bad, curand(&state) != got[i]);
}
template <class State> static bool in_order(curandRngType_t type, unsigned width, unsigned each, unsigned long long offset)
{
    curandGenerator_t generator, host;
    unsigned *out = device<unsigned>(COUNT), *bad = device<unsigned>(1);
    bool right = curandCreateGenerator(&generator, type) == 0 && curandCreateGeneratorHost(&host, type) == 0;
    cudaMemset(bad, 0, sizeof *bad);
    for (curandGenerator_t g : {generator, host})
        right &= curandSetPseudoRandomGeneratorSeed(g, 1234) == 0 && curandSetGeneratorOffset(g, offset) == 0;
    right &= curandGenerate(generator, out, 1001) == 0 && curandGenerate(generator, out + 1001, COUNT - 1001) == 0;
    expect<State><<<2, 128>>>(bad, out, width, each, offset);
    right &= fetch(bad, 1)[0] == 0;
    std::vector<unsigned> same(COUNT);
    right &= curandGenerate(host, same.data(), COUNT) == 0 && same == fetch(out, COUNT);
    return right && curandDestroyGenerator(generator) == 0 && curandDestroyGenerator(host) == 0;
}

// Two dimensions, one behind the other; the mean of x * y over the first 4096 points of a good sequence is near 1/4.
static bool quasi()
{
    curandGenerator_t g;
    const int n = 4096;
    float *out = device<float>(2 * n);
    bool right = curandCreateGenerator(&g, CURAND_RNG_QUASI_DEFAULT) == 0 && curandSetQuasiRandomGeneratorDimensions(g, 2) == 0 &&
                 curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT) == 0 && curandGenerateUniform(g, out, 2 * n) == 0;
    std::vector<float> v = fetch(out, 2 * n);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)v[i] * v[n + i];
    unsigned code = 100 ^ 100 >> 1, reversed = 0;
    for (int bit = 0; bit < 32; bit++)
        reversed |= (code >> bit & 1) << (31 - bit);
    right &= fabs(sum / n - 0.25) < 1e-3 && fabs(v[100] - reversed * 0x1p-32) < 1e-7;
    right &= curandGenerateUniform(g, out, 3) == CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    curandDirectionVectors32_t *vectors;
    right &= curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6) == 0;
    // Direction numbers that Joe and Kuo publish for dimensions 2, 3 and 21.
    const unsigned numbers[3][7] = {{1, 3, 5, 15, 17, 51, 85}, {1, 3, 3, 9, 29, 23, 71}, {1, 3, 7, 13, 13, 15, 69}};
    const int dimensions[3] = {1, 2, 20};
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < 7; i++)
            right &= vectors[dimensions[d]][i] == numbers[d][i] << (31 - i);
    // Each dimension's first 2^k points fall into 2^k equal parts: its vectors are a triangle.
    for (int d = 0; d < 20000; d++)
        for (int i = 0; i < 32; i++)
            right &= (vectors[d][i] << i) == 1u << 31;
    return right && curandDestroyGenerator(g) == 0;
}

static bool moments()
{
    bool right = true;
    for (curandRngType_t type : {CURAND_RNG_PSEUDO_DEFAULT, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
        curandGenerator_t g;
        const int n = 1 << 15;
        double *normal = device<double>(n);
        float *logarithmic = device<float>(n);
        unsigned *poisson = device<unsigned>(n);
        right &= curandCreateGenerator(&g, type) == 0 && curandGenerateNormalDouble(g, normal, n, 3.0, 2.0) == 0 &&
                 curandGenerateLogNormal(g, logarithmic, n, 1.0f, 0.5f) == 0 && curandGeneratePoisson(g, poisson, n, 150.0) == 0;
        std::vector<double> a = fetch(normal, n);
        std::vector<float> b = fetch(logarithmic, n);
        std::vector<unsigned> c = fetch(poisson, n);
        double sum[3] = {}, square[3] = {};
        for (int i = 0; i < n; i++) {
            double x[3] = {(a[i] - 3.0) / 2.0, (log((double)b[i]) - 1.0) / 0.5, (c[i] - 150.0) / sqrt(150.0)};
            for (int k = 0; k < 3; k++) {
                sum[k] += x[k];
                square[k] += x[k] * x[k];
            }
        }
        for (int k = 0; k < 3; k++)
            right &= fabs(sum[k] / n) < 5 / sqrt(n) && fabs(square[k] / n - 1) < 5 * sqrt(2.5 / n);
        right &= curandGenerateNormalDouble(g, normal, 3, 0.0, 1.0) ==
                 (type == CURAND_RNG_PSEUDO_PHILOX4_32_10 ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LENGTH_NOT_MULTIPLE);
        right &= curandDestroyGenerator(g) == 0;
        cudaFree(normal);
        cudaFree(logarithmic);
        cudaFree(poisson);
    }
    return right;
}

static bool errors()
{
    curandGenerator_t g = NULL;
    float f[2];
    unsigned u[2];
    bool right = curandGenerateUniform(g, f, 2) == CURAND_STATUS_NOT_INITIALIZED && curandDestroyGenerator(g) == CURAND_STATUS_NOT_INITIALIZED &&
                 curandCreateGenerator(&g, (curandRngType_t)7) == CURAND_STATUS_TYPE_ERROR;
    right &= curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SOBOL64) == 0 && curandGenerate(g, u, 2) == CURAND_STATUS_TYPE_ERROR &&
             curandSetPseudoRandomGeneratorSeed(g, 1) == CURAND_STATUS_TYPE_ERROR &&
             curandSetQuasiRandomGeneratorDimensions(g, 20001) == CURAND_STATUS_OUT_OF_RANGE;
    return right && curandDestroyGenerator(g) == 0;
}

int main()
{
    say("order of XORWOW", in_order<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_DEFAULT, 4096, 1, 0));
    say("order of XORWOW behind an offset", in_order<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_XORWOW, 4096, 1, 12345));
    say("order of MRG32k3a", in_order<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A, 81920, 1, 7));
    say("order of Philox", in_order<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10, 65536, 4, 70003));
    say("quasi-random numbers", quasi());
    say("moments", moments());
    say("errors", errors());
    return wrong != 0;
}

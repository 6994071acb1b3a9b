// Random numbers in kernels, against what is published of the generators and against themselves: known answers of
// Philox (those of Random123), skips against steps and against skips half as long, the jump of MRG32k3a's subsequences
// against arithmetic on 128 bits, bits that cuRAND gives for a seed, and moments of the distributions.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <curand_kernel.h>

#define FULL 0xffffffffffffffffull

static int wrong;
static void say(const char *name, bool right)
{
    printf("%s: %s\n", name, right ? "right" : "wrong");
    wrong += !right;
}

template <class State> __device__ bool same(State a, State b)
{
    for (int i = 0; i < 5; i++)
        if (curand(&a) != curand(&b))
            return false;
    return true;
}

__global__ void known_answers(int *bad)
{
    struct {
        unsigned long long seed, sequence, number;
        unsigned out[4];
    } answers[] = {
        {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {FULL, FULL, FULL, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (auto &answer : answers) {
        curandStatePhilox4_32_10_t state;
        curand_init(answer.seed, answer.sequence, 0ull, &state);
        for (int i = 0; i < 4; i++)
            skipahead(answer.number, &state);
        curandStatePhilox4_32_10_t other = state;
        uint4 four = curand4(&other);
        unsigned got[4] = {four.x, four.y, four.z, four.w};
        for (int i = 0; i < 4; i++)
            *bad += curand(&state) != answer.out[i] || got[i] != answer.out[i];
    }
}

// Skips of 2^k twice are one of 2^(k + 1), from single steps on, in each of the ways to skip.
template <class State> __device__ int skips(int from, int to)
{
    int bad = 0;
    State start, a, b;
    curand_init(77ull, 0ull, 0ull, &start);
    for (int k = from; k < to; k++) {
        a = b = start;
        skipahead(1ull << k, &a);
        skipahead(1ull << k, &a);
        skipahead(2ull << k, &b);
        bad += !same(a, b);
        a = b = start;
        skipahead_sequence(1ull << k, &a);
        skipahead_sequence(1ull << k, &a);
        skipahead_sequence(2ull << k, &b);
        bad += !same(a, b);
    }
    for (unsigned n = from; n < 100; n += 31) {
        a = b = start;
        skipahead((unsigned long long)n, &a);
        for (unsigned i = 0; i < n; i++)
            curand(&b);
        bad += !same(a, b);
        curand_init(77ull, 3ull, (unsigned long long)n, &a);
        curand_init(77ull, 3ull, 0ull, &b);
        for (unsigned i = 0; i < n; i++)
            curand(&b);
        bad += !same(a, b);
    }
    return bad;
}
__global__ void skip_xorwow(int *bad)
{
    int n = skips<curandStateXORWOW_t>(2 * threadIdx.x, 2 * threadIdx.x + 2 - (threadIdx.x == 31));
    curandState a, b;
    curand_init(5ull, 1ull, 0ull, &a);
    curand_init(5ull, 0ull, 0ull, &b);
    if (threadIdx.x == 0) { // a sequence is 2^67 numbers
        for (int i = 0; i < 16; i++)
            skipahead(1ull << 63, &b);
        n += !same(a, b);
    }
    atomicAdd(bad, n);
}
__global__ void skip_philox(int *bad)
{
    atomicAdd(bad, skips<curandStatePhilox4_32_10_t>(2 * threadIdx.x, 2 * threadIdx.x + 2 - (threadIdx.x == 31)));
}
__global__ void skip_mrg(int *bad)
{
    atomicAdd(bad, skips<curandStateMRG32k3a_t>(8 * threadIdx.x, 8 * threadIdx.x + 1));
    curandStateMRG32k3a_t a, b;
    curand_init(5ull, 0ull, 0ull, &a);
    b = a;
    skipahead_subsequence(1ull << 50, &a); // a sequence is 2^51 subsequences
    skipahead_subsequence(1ull << 50, &a);
    skipahead_sequence(1ull, &b);
    atomicAdd(bad, !same(a, b));
}

// MRG32k3a by its definition: the numbers 2^76 behind a state.
typedef unsigned __int128 u128;
struct matrix {
    unsigned long long m[3][3];
};
static matrix times(const matrix &a, const matrix &b, unsigned long long modulus)
{
    matrix r = {};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                r.m[i][j] = (unsigned long long)((r.m[i][j] + (u128)a.m[i][k] * b.m[k][j]) % modulus);
    return r;
}
static void oracle_mrg(unsigned long long seed, unsigned *out)
{
    const unsigned long long m1 = 4294967087ull, m2 = 4294944443ull, low = (seed & 0xffffffffu) ^ 0x55555555u,
                             high = (seed >> 32) ^ 0xAAAAAAAAu;
    matrix a = {{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}}, b = {{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}};
    matrix s = {{{12345 * low % m1}, {12345 * high % m1}, {12345 * low % m1}}};
    matrix t = {{{12345 * high % m2}, {12345 * low % m2}, {12345 * high % m2}}}, jump_a = a, jump_b = b;
    for (int i = 0; i < 76; i++) {
        jump_a = times(jump_a, jump_a, m1);
        jump_b = times(jump_b, jump_b, m2);
    }
    s = times(jump_a, s, m1);
    t = times(jump_b, t, m2);
    for (int i = 0; i < 5; i++) {
        s = times(a, s, m1);
        t = times(b, t, m2);
        unsigned long long x = s.m[2][0], y = t.m[2][0], z = x > y ? x - y : x + m1 - y;
        out[i] = (unsigned)((double)z * 1.000000048662);
    }
}
template <class State> __global__ void draw(unsigned *out, unsigned long long seed, unsigned long long sequence, unsigned long long offset)
{
    State state;
    curand_init(seed, sequence, offset, &state);
    for (int i = 0; i < 5; i++)
        out[i] = curand(&state);
}

// In the order of Gray codes the first dimension is the reversed code; others are what their vectors say.
__global__ void sobol(int *bad)
{
    curandDirectionVectors32_t first, second;
    curandDirectionVectors64_t wide;
    for (unsigned i = 0, m = 1; i < 32; i++, m ^= m << 1) {
        first[i] = 1u << (31 - i);
        second[i] = m << (31 - i);
    }
    for (int i = 0; i < 64; i++)
        wide[i] = 1ull << (63 - i);
    curandStateSobol32_t a, b;
    curandStateScrambledSobol32_t c;
    curandStateSobol64_t d;
    curand_init(first, 10u, &a);
    curand_init(second, 0u, &b);
    curand_init(second, 0xdeadbeefu, 0u, &c);
    curand_init(wide, 10ull, &d);
    for (unsigned i = 10; i < 100; i++) {
        unsigned code = __brev(i ^ i >> 1);
        *bad += curand(&a) != code || curand(&d) != (unsigned long long)code << 32;
    }
    for (unsigned i = 0; i < 100; i++) {
        unsigned x = 0;
        for (int bit = 0; bit < 32; bit++)
            x ^= (i ^ i >> 1) >> bit & 1 ? second[bit] : 0;
        *bad += curand(&b) != x || curand(&c) != (x ^ 0xdeadbeefu);
    }
    skipahead(1000u, &a);
    *bad += curand(&a) != __brev(1100 ^ 1100 >> 1);
}

// Sums of numbers and of squares of each distribution, and how often a uniform number falls into each of 16 bins.
#define KINDS 12
template <class State> __global__ void moments(double *sums, unsigned *bins, int rounds)
{
    State state;
    curand_init(2024ull, (unsigned long long)(blockIdx.x * blockDim.x + threadIdx.x), 0ull, &state);
    double sum[KINDS] = {}, square[KINDS] = {};
    for (int i = 0; i < rounds; i++) {
        float u = curand_uniform(&state);
        double x[KINDS] = {u,
                           curand_uniform_double(&state),
                           curand_normal(&state),
                           curand_normal_double(&state),
                           log((double)curand_log_normal(&state, 0.5f, 0.25f)),
                           log(curand_log_normal_double(&state, 0.5, 0.25)),
                           (double)curand_poisson(&state, 0.5),
                           (double)curand_poisson(&state, 20.0),
                           (double)curand_poisson(&state, 100.0),
                           (double)curand_poisson(&state, 3000.0),
                           (double)curand_poisson(&state, 10000.0),
                           curand_normal2(&state).y};
        atomicAdd(&bins[min(15, (int)(u * 16))], 1u);
        for (int k = 0; k < KINDS; k++) {
            sum[k] += x[k];
            square[k] += x[k] * x[k];
        }
    }
    for (int k = 0; k < KINDS; k++) {
        atomicAdd(&sums[k], sum[k]);
        atomicAdd(&sums[KINDS + k], square[k]);
    }
}
template <class State> static bool moments_fit()
{
    const double mean[KINDS] = {0.5, 0.5, 0, 0, 0.5, 0.5, 0.5, 20, 100, 3000, 10000, 0};
    const double variance[KINDS] = {1 / 12., 1 / 12., 1, 1, 0.0625, 0.0625, 0.5, 20, 100, 3000, 10000, 1};
    const int n = 256 * 16;
    double *sums;
    unsigned *bins;
    cudaMallocManaged(&sums, 2 * KINDS * sizeof *sums);
    cudaMallocManaged(&bins, 16 * sizeof *bins);
    cudaMemset(sums, 0, 2 * KINDS * sizeof *sums);
    cudaMemset(bins, 0, 16 * sizeof *bins);
    moments<State><<<4, 64>>>(sums, bins, 16);
    bool fit = cudaDeviceSynchronize() == cudaSuccess;
    for (int k = 0; k < KINDS; k++) {
        double m = sums[k] / n, v = sums[KINDS + k] / n - m * m;
        bool near = fabs(m - mean[k]) < 5 * sqrt(variance[k] / n) && fabs(v / variance[k] - 1) < 5 * sqrt(3.0 / n);
        if (!near)
            printf("distribution %d: mean %g, variance %g\n", k, m, v);
        fit &= near;
    }
    double chi = 0;
    for (int i = 0; i < 16; i++)
        chi += (bins[i] - n / 16.0) * (bins[i] - n / 16.0) / (n / 16.0);
    cudaFree(sums);
    cudaFree(bins);
    return fit && chi < 45; // 15 degrees of freedom: once in ten thousand
}

// A kept normal number serves numbers of its own kind alone; four at once are four by themselves.
__global__ void kept(int *bad)
{
    curandState a, b;
    curand_init(9ull, 0ull, 0ull, &a);
    b = a;
    float first = curand_normal(&a), logarithm = curand_log_normal(&a, 0.0f, 1.0f);
    float2 pair = curand_normal2(&b), next = curand_normal2(&b);
    *bad += first != pair.x || fabsf(logarithm - expf(next.x)) > 1e-5f * logarithm;
    curandStatePhilox4_32_10_t p, q;
    curand_init(9ull, 1ull, 2ull, &p);
    q = p;
    float4 four = curand_uniform4(&p);
    *bad += four.x != curand_uniform(&q) || four.y != curand_uniform(&q) || four.z != curand_uniform(&q) ||
            four.w != curand_uniform(&q);
}

int main()
{
    int *bad;
    unsigned *out, want[5];
    cudaMallocManaged(&bad, sizeof *bad);
    cudaMallocManaged(&out, 5 * sizeof *out);
    auto check = [&](const char *name, void (*kernel)(int *), int threads) {
        *bad = 0;
        kernel<<<1, threads>>>(bad);
        bool ran = cudaDeviceSynchronize() == cudaSuccess;
        say(name, ran && *bad == 0);
    };
    auto bits = [&](const char *name, void (*kernel)(unsigned *, unsigned long long, unsigned long long, unsigned long long),
                    unsigned long long seed, unsigned long long sequence, unsigned long long offset, const unsigned *expected) {
        kernel<<<1, 1>>>(out, seed, sequence, offset);
        bool right = cudaDeviceSynchronize() == cudaSuccess;
        for (int i = 0; i < 5; i++)
            right &= out[i] == expected[i] || (i == 4 && expected[i] == 0);
        say(name, right);
    };
    check("known answers of Philox", known_answers, 1);
    check("skips of XORWOW", skip_xorwow, 32);
    check("skips of Philox", skip_philox, 32);
    check("skips of MRG32k3a", skip_mrg, 8);
    oracle_mrg(0x123456789abcdefull, want);
    bits("a subsequence of MRG32k3a", draw<curandStateMRG32k3a_t>, 0x123456789abcdefull, 1, 0, want);
    const unsigned zero[5] = {0xbd7f03b6, 0x703e556d, 0x845af0c5, 0x283067fd, 0};
    const unsigned far[5] = {0x6319cb76, 0xf09c5193, 0xf755eb9b, 0x623c18e0, 0};
    const unsigned philox[5] = {0x2090b348, 0xda7cf0ab, 0x4401906f, 0xcbca470e, 0x9eeede35};
    const unsigned mrg[5] = {0x2083cd07, 0x518b05c4, 0x4f26d091, 0xd36ab334, 0};
    bits("bits of XORWOW for seed 0", draw<curandState>, 0, 0, 0, zero);
    bits("bits of XORWOW far away", draw<curandState>, 0x123456789abcdefull, 0x100000005ull, 12345678901ull, far);
    bits("bits of Philox", draw<curandStatePhilox4_32_10_t>, 1234, 0, 0, philox);
    bits("bits of MRG32k3a for seed 0", draw<curandStateMRG32k3a_t>, 0, 0, 0, mrg);
    check("Sobol's sequences", sobol, 1);
    check("numbers in pairs and fours", kept, 1);
    say("distributions of XORWOW", moments_fit<curandState_t>());
    say("distributions of Philox", moments_fit<curandStatePhilox4_32_10_t>());
    say("distributions of MRG32k3a", moments_fit<curandStateMRG32k3a_t>());
    return wrong != 0;
}

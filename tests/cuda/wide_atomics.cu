// Atomics of several words: exchange and compare-and-swap of 128 bits, which are whole or not at all, and sums, minima and
// maxima of vectors, whose elements are each by themselves. In global memory, in that of the block, and of another block
// of its cluster; loads and stores of 128 bits go between them.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
namespace cg = cooperative_groups;

struct alignas(16) Pair {
    uint64_t low, high;
};
#define SWAPS(NAME, SPACE, C, T)                                                                                       \
    __device__ Pair cas_##NAME(T at, Pair compare, Pair value)                                                         \
    {                                                                                                                  \
        Pair r;                                                                                                        \
        asm volatile("{ .reg .b128 d, c, v; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6};"                               \
                     " atom" SPACE ".cas.b128 d, [%2], c, v; mov.b128 {%0, %1}, d; }"                                  \
                     : "=l"(r.low), "=l"(r.high)                                                                       \
                     : C(at), "l"(compare.low), "l"(compare.high), "l"(value.low), "l"(value.high)                     \
                     : "memory");                                                                                      \
        return r;                                                                                                      \
    }                                                                                                                  \
    __device__ Pair exchange_##NAME(T at, Pair value)                                                                  \
    {                                                                                                                  \
        Pair r;                                                                                                        \
        asm volatile("{ .reg .b128 d, v<2>; mov.b128 v0, {%3, %4}; mov.b128 v1, v0;"                                   \
                     " atom" SPACE ".exch.b128 d, [%2], v1; mov.b128 {%0, %1}, d; }"                                   \
                     : "=l"(r.low), "=l"(r.high)                                                                       \
                     : C(at), "l"(value.low), "l"(value.high)                                                          \
                     : "memory");                                                                                      \
        return r;                                                                                                      \
    }                                                                                                                  \
    __device__ Pair load_##NAME(T at)                                                                                  \
    {                                                                                                                  \
        Pair r;                                                                                                        \
        asm volatile("{ .reg .b128 d; ld" SPACE ".b128 d, [%2]; mov.b128 {%0, %1}, d; }"                               \
                     : "=l"(r.low), "=l"(r.high)                                                                       \
                     : C(at)                                                                                           \
                     : "memory");                                                                                      \
        return r;                                                                                                      \
    }                                                                                                                  \
    __device__ void store_##NAME(T at, Pair value)                                                                     \
    {                                                                                                                  \
        asm volatile("{ .reg .b128 d; mov.b128 d, {%1, %2}; st" SPACE ".b128 [%0], d; }" ::C(at), "l"(value.low),      \
                     "l"(value.high)                                                                                   \
                     : "memory");                                                                                      \
    }
SWAPS(generic, , "l", Pair *)
SWAPS(global, ".global", "l", Pair *)
SWAPS(shared, ".shared", "r", uint32_t)
#ifdef CLUSTERS
SWAPS(cluster, ".shared::cluster", "r", uint32_t)
#endif

// Every thread counts once in `low`, and adds its number to `high`: a half of another thread's would be seen in the sum.
#define COUNT(NAME, PLACE)                                                                                             \
    for (Pair seen = {0, 0}, now;; seen = now) {                                                                       \
        now = cas_##NAME(PLACE, seen, Pair{seen.low + 1, seen.high + 3 * thread + 1});                                 \
        if (now.low == seen.low && now.high == seen.high)                                                              \
            break;                                                                                                     \
    }
// What comes out of a place is what one thread has put in: each of them once. The rest is in the place.
#define PASS(NAME, PLACE, SUM)                                                                                         \
    for (unsigned i = 0; i < 4; i++) {                                                                                 \
        Pair was = exchange_##NAME(PLACE, Pair{4 * thread + i + 1, ~(4ull * thread + i + 1)});                         \
        if (was.low != ~was.high)                                                                                      \
            atomicAdd(wrong, 1);                                                                                       \
        atomicAdd(SUM, was.low);                                                                                       \
    }

// A half that is equal is not enough.
#define HALVES(NAME, PLACE)                                                                                            \
    {                                                                                                                  \
        store_##NAME(PLACE, Pair{5, 6});                                                                               \
        Pair one = cas_##NAME(PLACE, Pair{5, 7}, Pair{1, 2}), two = cas_##NAME(PLACE, Pair{4, 6}, Pair{3, 4});         \
        Pair both = cas_##NAME(PLACE, Pair{5, 6}, Pair{8, 9}), left = load_##NAME(PLACE);                              \
        atomicAdd(wrong, one.low != 5 || one.high != 6 || two.low != 5 || two.high != 6 || both.low != 5 ||            \
                             both.high != 6 || left.low != 8 || left.high != 9);                                       \
    }

__global__ void swaps(Pair *place, unsigned long long *sums, unsigned *wrong)
{
    __shared__ Pair own[3];
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t at = (uint32_t)__cvta_generic_to_shared(own);
    if (threadIdx.x < 3)
        store_shared(at + 16 * threadIdx.x, threadIdx.x == 1 ? Pair{0, ~0ull} : Pair{0, 0});
#ifdef CLUSTERS
    cg::this_cluster().sync();
    uint32_t far;
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(far) : "r"(at));
#else
    __syncthreads();
    uint32_t far = at;
#define cas_cluster cas_shared
#define load_cluster load_shared
#endif
    COUNT(global, place)
    COUNT(generic, own)
    COUNT(cluster, far + 32)
    PASS(global, place + 1, sums)
    PASS(shared, at + 16, sums + 1)
#ifdef CLUSTERS
    cg::this_cluster().sync();
#else
    __syncthreads();
#endif
    if (threadIdx.x == 0) {
        store_global(place + 2 + blockIdx.x, load_shared(at));
        store_generic(place + 10 + blockIdx.x, load_cluster(far + 32));
        atomicAdd(sums + 1, load_generic(own + 1).low);
        HALVES(global, place + 14 + blockIdx.x)
        HALVES(shared, at)
        HALVES(generic, own + 1)
    }
#ifdef CLUSTERS
    cg::this_cluster().sync();
#endif
}

// Halves are made of and read as bits, so that the host needs none of its own: 1.5 is 0x3e00.
__global__ void vectors(float *f, uint16_t *h, unsigned *olds)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float a, b, c, d;
    asm volatile("atom.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %5, %6};" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(f), "f"(1.0f), "f"((float)thread) : "memory");
    // elements are alike two by two, and each thread finds another one in the first
    if (a == c)
        atomicAdd(olds, (unsigned)a);
    asm volatile("atom.global.v2.f32.add _, [%0], {%1, %1};" ::"l"(f + 4), "f"(0.5f) : "memory");
    asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(f + 6), "f"(2.0f), "f"(-1.0f) : "memory");
    uint16_t one = 0x3c00, two = 0x4000, half = 0x3800, low = (uint16_t)(0x3c00 + thread), high = (uint16_t)(0x4c00 - thread);
    asm volatile("red.global.add.noftz.v8.f16 [%0], {%1, %2, %3, %1, %2, %3, %1, %2};" ::"l"(h), "h"(one), "h"(two), "h"(half) : "memory");
    asm volatile("red.global.min.noftz.v2.f16 [%0], {%1, %2};" ::"l"(h + 8), "h"(low), "h"(high) : "memory");
    asm volatile("{ .reg .b16 a, b; atom.global.max.noftz.v2.bf16 {a, b}, [%0], {%1, %2}; }" ::"l"(h + 10), "h"(low), "h"(high) : "memory");
    asm volatile("red.global.v4.f16x2.add.noftz [%0], {%1, %1, %1, %1};" ::"l"(h + 16), "r"(0x3c004000) : "memory");
}

template <class... T> static void launch(unsigned blocks, unsigned threads, void (*kernel)(T...), T... arguments)
{
#ifdef CLUSTERS
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, arguments...);
#else
    kernel<<<blocks, threads>>>(arguments...);
#endif
}

enum { BLOCKS = 4, THREADS = 70, ALL = BLOCKS * THREADS };
int main()
{
    Pair place[18] = {{0, 0}, {0, ~0ull}}, *d_place;
    unsigned long long sums[2] = {}, *d_sums;
    unsigned wrong[2] = {}, *d_wrong;
    float f[8] = {}, *d_f;
    uint16_t h[24] = {0, 0, 0, 0, 0, 0, 0, 0, 0x7c00, 0x7c00, 0xff80, 0x3f80}, *d_h;
    cudaMalloc(&d_place, sizeof place);
    cudaMalloc(&d_sums, sizeof sums);
    cudaMalloc(&d_wrong, sizeof wrong);
    cudaMalloc(&d_f, sizeof f);
    cudaMalloc(&d_h, sizeof h);
    cudaMemcpy(d_place, place, sizeof place, cudaMemcpyHostToDevice);
    cudaMemcpy(d_h, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(d_sums, 0, sizeof sums);
    cudaMemset(d_wrong, 0, sizeof wrong);
    cudaMemset(d_f, 0, sizeof f);
    launch(BLOCKS, THREADS, swaps, d_place, d_sums, d_wrong);
    launch(BLOCKS, THREADS, vectors, d_f, d_h, d_wrong + 1);
    cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(place, d_place, sizeof place, cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);
    cudaMemcpy(wrong, d_wrong, sizeof wrong, cudaMemcpyDeviceToHost);
    cudaMemcpy(f, d_f, sizeof f, cudaMemcpyDeviceToHost);
    cudaMemcpy(h, d_h, sizeof h, cudaMemcpyDeviceToHost);
    unsigned bad = wrong[0];
    auto is = [&](unsigned long long have, unsigned long long want, const char *what) {
        if (have != want)
            printf("%s: %llx, not %llx\n", what, have, want), bad++;
    };
    auto sum = [](unsigned first, unsigned count) { // of 3 * thread + 1
        return count + 3ull * (first * count + (unsigned long long)count * (count - 1) / 2);
    };
    is(place[0].low, ALL, "counted");
    is(place[0].high, sum(0, ALL), "summed");
    unsigned long long passed = 4ull * ALL * (4 * ALL + 1) / 2;
    is(sums[0] + place[1].low, passed, "passed on in global memory");
    is(place[1].low, ~place[1].high, "what is left");
    is(sums[1], passed, "passed on in shared memory");
    for (unsigned b = 0; b < BLOCKS; b++) {
#ifdef CLUSTERS
        unsigned first = b / 2 * 2 * THREADS, count = 2 * THREADS;
#else
        unsigned first = b * THREADS, count = THREADS;
#endif
        is(place[2 + b].low, THREADS, "counted by a block");
        is(place[2 + b].high, sum(b * THREADS, THREADS), "summed by a block");
        is(place[10 + b].low, count, "counted by a cluster");
        is(place[10 + b].high, sum(first, count), "summed by a cluster");
    }
    const float want[8] = {ALL, ALL * (ALL - 1) / 2, ALL, ALL * (ALL - 1) / 2, ALL * 0.5f, ALL * 0.5f, ALL * 2.0f, -1.0f * ALL};
    for (unsigned i = 0; i < 8; i++)
        is(memcmp(&f[i], &want[i], 4) != 0, 0, "sum of floats");
    is(wrong[1], ALL * (ALL - 1) / 2, "what elements had been");
    const uint16_t sums_of[3] = {0x5c60, 0x6060, 0x5860}; // 280, 560 and 140
    const uint16_t half[24] = {sums_of[0], sums_of[1], sums_of[2], sums_of[0], sums_of[1], sums_of[2], sums_of[0], sums_of[1],
                               0x3c00, 0x4c00 - ALL + 1, 0x3c00 + ALL - 1, 0x4c00, 0, 0, 0, 0,
                               sums_of[1], sums_of[0], sums_of[1], sums_of[0], sums_of[1], sums_of[0], sums_of[1], sums_of[0]};
    for (unsigned i = 0; i < 24; i++)
        is(h[i], half[i], "halves");
    printf("%s, %u wrong\n", cudaGetErrorString(error), bad);
    return bad || error;
}

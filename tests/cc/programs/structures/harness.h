// What the programs of make.c are written in: filling and summing of members, and the comparison of the device's
// results with the host's.
#pragma once
#include <cstdio>
#include <cuda_runtime.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
#define BOTH static inline __host__ __device__
#define FUNCTION static __host__ __device__ __noinline__

template <typename T> BOTH void fill(T &member, u64 &seed)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    member = (T)(seed >> 45);
}
BOTH void fill(u64 &member, u64 &seed)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    member = seed ^ seed >> 29;
}
BOTH void fill(uchar4 &m, u64 &seed)
{
    fill(m.x, seed), fill(m.y, seed), fill(m.z, seed), fill(m.w, seed);
}
BOTH void fill(uint2 &m, u64 &seed)
{
    fill(m.x, seed), fill(m.y, seed);
}
BOTH void fill(float4 &m, u64 &seed)
{
    fill(m.x, seed), fill(m.y, seed), fill(m.z, seed), fill(m.w, seed);
}

template <typename T> BOTH u64 sum(const T &member)
{
    return (u64)(long long)member;
}
BOTH u64 sum(const uchar4 &m)
{
    return m.x + 3 * m.y + 5 * m.z + 7 * m.w;
}
BOTH u64 sum(const uint2 &m)
{
    return m.x + 3ull * m.y;
}
BOTH u64 sum(const float4 &m)
{
    return sum(m.x) + 3 * sum(m.y) + 5 * sum(m.z) + 7 * sum(m.w);
}
#define ADD(member) (result = result * 1000003 + sum(member))

constexpr int threads = 64;
static u64 *results;
static int failures;

static void prepare()
{
    cudaMallocManaged(&results, threads * sizeof *results);
    cudaDeviceSetLimit(cudaLimitStackSize, 16384);
}

static void compare(int number, u64 (*host)(u32), void (*launch)())
{
    launch();
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("f%d: %s\n", number, cudaGetErrorString(cudaGetLastError()));
        failures++;
        return;
    }
    for (u32 i = 0; i < threads; i++)
        if (results[i] != host(i)) {
            printf("f%d(%u): device %#llx, host %#llx\n", number, i, results[i], host(i));
            failures++;
            return;
        }
}

static int report()
{
    printf("%d functions differ\n", failures);
    return failures != 0;
}

#define KERNEL(NUMBER)                                                                                                 \
    __global__ void k##NUMBER(u64 *out, S##NUMBER given)                                                               \
    {                                                                                                                  \
        out[threadIdx.x] = f##NUMBER(threadIdx.x) * 31 + elements##NUMBER(given, threadIdx.x);                         \
    }                                                                                                                  \
    static S##NUMBER given##NUMBER()                                                                                   \
    {                                                                                                                  \
        u64 seed = NUMBER;                                                                                             \
        S##NUMBER x;                                                                                                   \
        fill(x, seed);                                                                                                 \
        return x;                                                                                                      \
    }                                                                                                                  \
    static void launch##NUMBER() { k##NUMBER<<<1, threads>>>(results, given##NUMBER()); }                              \
    static u64 host##NUMBER(u32 i) { return f##NUMBER(i) * 31 + elements##NUMBER(given##NUMBER(), i); }
#define COMPARE(NUMBER) compare(NUMBER, host##NUMBER, launch##NUMBER)

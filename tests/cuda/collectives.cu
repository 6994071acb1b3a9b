// Random exchanges between lanes, against the host. Each step is one kind of exchange; the lanes of a warp are in
// groups by their number, with one mask a group, come to it at one of several places and after loops of different
// lengths; some have ended. Arguments: seed, steps, places; or loop, for a
// kernel by itself. Prints how many values are wrong.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

#define THREADS 224
#define KINDS 13

__host__ __device__ inline unsigned mix(unsigned a, unsigned b)
{
    unsigned h = a * 0x9E3779B9u ^ (b + 0x7F4A7C15u) * 0x85EBCA6Bu;
    h ^= h >> 15;
    h *= 0xC2B2AE35u;
    return h ^ h >> 13;
}
// The lanes of a warp that are in a lane's group: all, or those with one bit of the number like its own.
__host__ __device__ inline unsigned group_of(unsigned seed, unsigned step, unsigned lane)
{
    unsigned bit = mix(seed, step * 7 + 1) % 8, with_bit = 0;
    if (bit >= 5)
        return ~0u;
    for (unsigned i = 0; i < 32; i++)
        with_bit |= (i >> bit & 1) << i;
    return lane >> bit & 1 ? with_bit : ~with_bit;
}
__host__ __device__ inline unsigned place_of(unsigned seed, unsigned step, unsigned thread, unsigned places)
{
    return mix(seed ^ step * 31, thread) % places;
}
__host__ __device__ inline bool ended(unsigned seed, unsigned step, unsigned thread)
{
    unsigned h = mix(seed + 99, thread);
    return h % 8 == 0 && h / 8 % 16 <= step;
}
__host__ __device__ inline unsigned members_of(unsigned seed, unsigned step, unsigned thread)
{
    unsigned members = group_of(seed, step, thread % 32);
    for (unsigned i = 0; i < 32; i++)
        if (ended(seed, step, thread / 32 * 32 + i))
            members &= ~(1u << i);
    return members;
}
// A member for a lane to read.
__host__ __device__ inline unsigned source_of(unsigned members, unsigned choice)
{
    unsigned source = choice % 32;
    while (!(members >> source & 1))
        source = (source + 1) % 32;
    return source;
}

__device__ __forceinline__ unsigned exchange(unsigned kind, unsigned m, unsigned members, unsigned v, unsigned lane)
{
    int all;
    unsigned equal;
    switch (kind) {
    case 0:
        return __ballot_sync(m, v & 1);
    case 1:
        return (unsigned)__any_sync(m, v % 16 == 3);
    case 2:
        return (unsigned)__all_sync(m, v % 16 != 3);
    case 3:
        return __match_any_sync(m, v % 3);
    case 4:
        equal = __match_all_sync(m, (unsigned long long)(v % 8 != 0) << 33, &all);
        return equal + (unsigned)(all != 0);
    case 5:
        return __shfl_sync(m, v, (int)source_of(members, lane));
    case 6:
        return __reduce_add_sync(m, v);
    case 7:
        return (unsigned)__reduce_max_sync(m, (int)v);
    case 8:
        return __reduce_xor_sync(m, v);
    case 9:
        return members == ~0u ? __shfl_xor_sync(m, v, 5, 16) : 9;
    case 10:
        return members == ~0u ? __shfl_up_sync(m, v, 3, 8) : 10;
    case 11:
        return members == ~0u ? __shfl_down_sync(m, v, 7) : 11;
    default:
        __syncwarp(m);
        return 12;
    }
}

static unsigned expected(unsigned kind, unsigned members, const unsigned *v, unsigned lane)
{
    unsigned r = 0, i;
    switch (kind) {
    case 0:
    case 1:
    case 2:
        for (i = 0; i < 32; i++)
            if (members >> i & 1 && (kind ? v[i] % 16 == 3 : v[i] & 1))
                r |= 1u << i;
        return kind == 0 ? r : kind == 1 ? r != 0 : r == 0;
    case 3:
    case 4:
        for (i = 0; i < 32; i++)
            if (members >> i & 1 && (kind == 3 ? v[i] % 3 == v[lane] % 3 : (v[i] % 8 != 0) == (v[lane] % 8 != 0)))
                r |= 1u << i;
        return kind == 3 ? r : r == members ? r + 1 : 0;
    case 5:
        return v[source_of(members, lane)];
    case 7:
        r = 0x80000000u;
        [[fallthrough]];
    case 6:
    case 8:
        for (i = 0; i < 32; i++)
            if (members >> i & 1)
                r = kind == 6 ? r + v[i] : kind == 8 ? r ^ v[i] : (int)v[i] > (int)r ? v[i] : r;
        return r;
    case 9:
        return members == ~0u ? v[(lane ^ 5) / 16 <= lane / 16 ? lane ^ 5 : lane] : 9;
    case 10:
        return members == ~0u ? v[lane % 8 < 3 ? lane : lane - 3] : 10;
    case 11:
        return members == ~0u ? v[lane > 24 ? lane : lane + 7] : 11;
    default:
        return 12;
    }
}

__global__ void exchanges(unsigned *out, unsigned seed, unsigned steps, unsigned places)
{
    unsigned t = threadIdx.x, lane = t % warpSize, v = mix(seed, t);
    for (unsigned step = 0; step < steps; step++) {
        if (ended(seed, step, t))
            return;
        unsigned kind = mix(seed, step) % KINDS, m = group_of(seed, step, lane), members = members_of(seed, step, t);
        unsigned place = place_of(seed, step, t, places);
        for (unsigned i = mix(seed + step, t) % 4; i; i--)
            v = v * 5 + 1;
        if (place == 0)
            v ^= exchange(kind, m, members, v, lane);
        else if (place == 1)
            v ^= exchange(kind, m, members, v, lane) * 3;
        else
            v = exchange(kind, m, members, v, lane) - v;
        out[step * THREADS + t] = v;
    }
}

static unsigned wrong_exchanges(const unsigned *got, unsigned seed, unsigned steps, unsigned places)
{
    unsigned wrong = 0, v[THREADS];
    for (unsigned t = 0; t < THREADS; t++)
        v[t] = mix(seed, t);
    for (unsigned step = 0; step < steps; step++) {
        unsigned next[THREADS] = {}, kind = mix(seed, step) % KINDS;
        for (unsigned t = 0; t < THREADS; t++)
            for (unsigned i = mix(seed + step, t) % 4; i; i--)
                v[t] = v[t] * 5 + 1;
        for (unsigned t = 0; t < THREADS; t++) {
            if (ended(seed, step, t))
                continue;
            unsigned r = expected(kind, members_of(seed, step, t), v + t / 32 * 32, t % 32);
            unsigned place = place_of(seed, step, t, places);
            next[t] = place == 0 ? v[t] ^ r : place == 1 ? v[t] ^ r * 3 : r - v[t];
            if (next[t] != got[step * THREADS + t] && !wrong++)
                printf("seed %u step %u kind %u thread %u: %x, not %x\n", seed, step, kind, t, got[step * THREADS + t],
                       next[t]);
        }
        for (unsigned t = 0; t < THREADS; t++)
            v[t] = next[t];
    }
    return wrong;
}

// Groups of lanes, and what a thread sees of its warp, without masks of its own.
__global__ void groups(unsigned *out)
{
    unsigned t = threadIdx.x, *mine = out + t * 8;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> eight = cg::tiled_partition<8>(block);
    mine[0] = warp.thread_rank() + 100 * warp.meta_group_rank();
    mine[1] = warp.ballot(t % 5 == 0);
    mine[2] = cg::reduce(eight, t, cg::plus<unsigned>());
    mine[3] = eight.shfl_xor(t, 3) + warp.shfl(t, 31);
    mine[4] = mine[5] = mine[6] = 0;
    if (t % 3 == 0) {
        cg::coalesced_group here = cg::coalesced_threads();
        mine[4] = here.thread_rank() + 100 * here.size();
        mine[5] = here.shfl(t, 1);
        mine[6] = cg::reduce(here, t, cg::plus<unsigned>());
        here.sync();
    }
    mine[7] = (unsigned)__syncthreads_count(t % 7 == 0);
}

static unsigned wrong_groups(const unsigned *got)
{
    unsigned wrong = 0;
    for (unsigned t = 0; t < THREADS; t++) {
        unsigned warp = t / 32 * 32, e[8] = {t % 32 + 100 * (t / 32), 0, 0, (t ^ 3) + warp + 31, 0, 0, 0, 0}, rank = 0;
        for (unsigned i = warp; i < warp + 32; i++) {
            e[1] |= (unsigned)(i % 5 == 0) << i % 32;
            e[2] += i / 8 == t / 8 ? i : 0;
            if (t % 3 || i % 3)
                continue;
            e[4] += 100 + (i < t);
            e[5] = rank++ == 1 ? i : e[5];
            e[6] += i;
        }
        for (unsigned i = 0; i < THREADS; i++)
            e[7] += i % 7 == 0;
        for (unsigned i = 0; i < 8; i++)
            if (got[t * 8 + i] != e[i] && !wrong++)
                printf("word %u of thread %u: %x, not %x\n", i, t, got[t * 8 + i], e[i]);
    }
    return wrong;
}

// Lanes leave a loop one after the other, and the ballot at its head names those that are left. Around it goes another loop.
__global__ void around(unsigned *out, unsigned rounds)
{
    unsigned sum = 0, turns = (threadIdx.x << (threadIdx.x & 31)) & 3; // lane 1: 2, the others: 0
    for (unsigned r = 0; r < rounds; r++) {
        unsigned left = 0xffffffffu;
        for (unsigned i = 0;; i++) {
            unsigned now = __ballot_sync(left, i < turns);
            sum = sum * 31 + now;
            if (i >= turns)
                break;
            left = now;
            atomicAdd(&out[32], 1u);
        }
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}

static int around_loop()
{
    unsigned *d, h[33] = {0}, wrong = 0;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    around<<<1, 32>>>(d, 3);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int l = 0; l < 32; l++) {
        unsigned sum = 0;
        for (int r = 0; r < 3; r++) {
            sum = sum * 31 + 2;
            if (l == 1)
                sum = (sum * 31 + 2) * 31;
        }
        wrong += h[l] != sum;
    }
    printf("%s, %u wrong, %u (6)\n", cudaGetErrorName(e), wrong, h[32]);
    return e || wrong;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "loop") == 0)
        return around_loop();
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1, steps = argc > 2 ? (unsigned)atoi(argv[2]) : 20;
    unsigned places = argc > 3 ? (unsigned)atoi(argv[3]) : 3, *out;
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    cudaMallocManaged(&out, (steps + 8) * THREADS * sizeof *out);
    exchanges<<<1, THREADS>>>(out, seed, steps, places);
    cudaError_t error = cudaDeviceSynchronize();
    unsigned wrong = error ? 0 : wrong_exchanges(out, seed, steps, places);
    if (!error) {
        groups<<<1, THREADS>>>(out);
        error = cudaDeviceSynchronize();
        wrong += error ? 0 : wrong_groups(out);
    }
    printf("%s, warps of %d: %u wrong\n", cudaGetErrorString(error), prop.warpSize, wrong);
    return error || wrong;
}

/* The device side of litmus tests as CUDA: for each test to_cuda writes a structure whose body() is what its threads do.
 *
 * A launch has BLOCKS blocks of 8 warps and makes several rounds. In a round blocks and warps are put together, at random,
 * to sets that each do all threads of the test, a warp a thread and once in every lane: 32 instances a set. The places of
 * an instance lie side by side, in rows or in lines of their own. The warps of a set meet, and some wait a little. */
#ifndef MEASURE_LITMUS_DEVICE_H
#define MEASURE_LITMUS_DEVICE_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#ifndef BLOCKS
#define BLOCKS 256 /* a power of two; all have to be resident */
#endif
enum { WARPS = 8, LANES = 32, MOST_THREADS = 8, MOST_TERMS = 8, MOST_PLACES = 3, SETS = BLOCKS * WARPS };
typedef unsigned int u32;
typedef unsigned long long u64;

/* A test's threads, by block (cta), and by their number among those of their block. */
struct threads {
    int count, blocks, most_in_block;
    int block[MOST_THREADS], number[MOST_THREADS], in_block[MOST_THREADS];
};
struct launch {
    struct threads threads;
    int places, terms, rounds, seed;
    u32 instances; /* of a round */
    u64 stride;    /* words of 8 bytes between the places of two rounds */
    u64 *memory, *results;
    u32 *meetings;
};

static __host__ __device__ int rounded(int n) /* to a power of two, of at most 4 */
{
    return n > 2 ? 4 : n;
}
static __device__ u32 hashed(u32 x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 13) * 0x9e3779b1u;
    return x ^ x >> 15;
}
/* The word in which a place of an instance lies. */
static __host__ __device__ u64 word_of(const launch &l, int round, u32 instance, int place)
{
    u64 base = (u64)round * l.stride, row = (u64)place * l.instances + instance;
    switch ((round + l.seed) % 3) {
    case 0: return base + (u64)instance * l.places + place;
    case 1: return base + row;
    default: return base + row * 16;
    }
}
/* Lane 0 waits until all warps of its set have come; this orders nothing else. */
static __device__ void meet(u32 *counter, u32 count)
{
    u32 came;
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
    do
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(came) : "l"(counter) : "memory");
    while (came < count);
}

template <class TEST> __global__ void __launch_bounds__(WARPS *LANES, 2) run(launch l)
{
    const threads &t = l.threads;
    int lane = threadIdx.x % LANES, blocks = rounded(t.blocks), warps = rounded(t.most_in_block), sets = WARPS / warps;
    for (int round = 0; round < l.rounds; round++) {
        u32 random = hashed((u32)(round + l.seed * 977));
        int block = (int)((blockIdx.x * (random | 1) + (random >> 9)) & (BLOCKS - 1));
        /* Where there are barriers, a set is always of the same warps: it has a barrier of its own. */
        int warp = (int)((threadIdx.x / LANES + (TEST::barriers ? 0 : random >> 20)) & (WARPS - 1));
        int set = warp / warps, number = warp % warps, cta = block % blocks, thread = 0;
        if (cta >= t.blocks || number >= t.in_block[cta])
            continue;
        while (t.block[thread] != cta || t.number[thread] != number)
            thread++;
        u32 place_of_set = (u32)(block / blocks * sets + set), instance = place_of_set * LANES + (u32)lane;
        u64 address[MOST_PLACES] = {0, 0, 0}, out[MOST_TERMS] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (int p = 0; p < l.places; p++)
            address[p] = (u64)(l.memory + word_of(l, round, instance, p));
        u32 mine = hashed(blockIdx.x * 31 + (u32)warp * 7 + (u32)(round + l.seed)), x;
        if (mine & 1) /* the SM's L1 may have the lines */
            for (int p = 0; p < l.places; p++)
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(address[p]));
        if (lane == 0)
            meet(l.meetings + ((u32)round * SETS + place_of_set), (u32)t.count);
        __syncwarp();
        long long begin = clock64(), wait = mine & 2 ? mine >> 4 & mine >> 12 & 255 : 0;
        while (clock64() - begin < wait)
            ;
        TEST::body(thread, address, (u32)(1 + set), (u32)(LANES * t.in_block[cta]), out);
        for (int i = 0; i < l.terms; i++)
            if (out[i])
                l.results[((u64)round * l.instances + instance) * MOST_TERMS + i] = out[i];
        __syncwarp();
    }
}

/* What an outcome consists of: a register of a thread (place -1), or a place of so many bits. */
struct term {
    int place, bits;
};
struct test {
    const char *name, *terms;
    void (*kernel)(launch);
    struct threads threads;
    int places, count;
    struct term term[MOST_TERMS];
};

#endif

/* The language of generated programs (generate.c). Every device function of such a program is compiled twice from one
 * source: for the device, where what stands here is CUDA's own, and for the host, where model.h runs the threads of
 * the grid as fibres and gives the memory that is expected. Without __CUDACC__ (any C++ compiler) there is the host
 * alone.
 *
 * What a program leaves in memory must not depend on the order in which threads run. So a word is either a thread's own
 * between two barriers, or changed by operations that commute, or behind a lock whose sections commute. */
#ifndef GENERATOR_PROGRAM_H
#define GENERATOR_PROGRAM_H

#pragma GCC diagnostic ignored "-Wtautological-compare"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __CUDACC__
#ifdef USES_GROUPS
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#endif
#include <lockstep/lock.h>
#pragma clang fp contract(off)
#ifndef __CUDA_ARCH__ /* the model is right without, and sooner compiled */
#pragma clang optimize off
#endif
#define HD static __host__ __device__
#else
#define HD static
#endif
#define NOINLINE __attribute__((noinline, unused))
#define INLINE inline __attribute__((unused))

typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned u32;
typedef long long s64;
typedef unsigned long long u64;
typedef u32 __attribute__((may_alias)) any_word; /* of whatever lies there */

#define MOST_THREADS 128
#define MOST_BLOCKS 2
#define INPUTS 256
#define LOCK_FREE 0xffffffffu

/* A lock and what it guards. Sections may add to `sum`, `wide` and `real`, xor into `parity`, and add to `chain` a
 * function of `count`, which they count: all of that commutes. `other` is added to `sum` when the kernel has ended, for
 * threads that gave up the lock. */
struct guarded {
    u32 word;    /* the lock, a ticket lock's next number, or a semaphore */
    u32 serving; /* a ticket lock's number whose turn it is */
    u32 sum, parity, count, chain, other;
    float real;
    u64 wide;
};
/* The locks of a memory. Those of class 1 may be taken inside those of class 0. */
struct locks {
    struct guarded spin[2][4], lock[2][4], ticket[2], semaphore[2], ladder[4];
};
/* Memory of every type, which a thread has for itself. */
struct cell {
    s8 a;
    u8 b;
    s16 c;
    u16 d;
    s32 e;
    u32 f;
    s64 g;
    u64 h;
    float x;
    double y;
};
/* Each is changed by one kind of atomic. */
struct counters {
    u32 add, sub, min, max, all, any, parity, up, down, swapped, swapped_sum, ticket, ticket_sum, product;
    s32 least, most, added;
    u64 wide, wide_max, wide_parity, wide_ticket, wide_sum, wide_product;
    s64 wide_least;
    float real;
    double real_wide;
};
/* A structure that is passed by value. */
struct rec {
    u8 a;
    u32 b;
    double c;
    s16 d;
    u64 e;
};
struct block_memory {
    u32 box[MOST_THREADS];
    u64 wide_box[MOST_THREADS];
    u8 bytes[MOST_THREADS];
    struct counters counters;
    struct locks locks;
    alignas(16) u32 room[MOST_THREADS]; /* that copies bring and take away */
    u64 mbarrier;                       /* 0 while nobody uses it */
    alignas(16) u32 ring[4][MOST_THREADS]; /* stages of pipelines of copies */
    u64 ring_full[4], ring_empty[4];       /* as mbarrier */
};
struct arena {
    u32 in[INPUTS];
    u64 out[MOST_BLOCKS * MOST_THREADS];
    struct cell own[MOST_BLOCKS * MOST_THREADS];
    alignas(16) u32 box[MOST_BLOCKS * MOST_THREADS];
    double real_box[MOST_BLOCKS * MOST_THREADS];
    struct counters counters;
    struct locks locks;
    u32 arrived;                             /* at the barrier of the grid that is a counter in memory */
    struct block_memory blocks[MOST_BLOCKS]; /* of global memory, but used by one block each */
    struct block_memory shared[MOST_BLOCKS]; /* what shared memory held at the end */
};

/* A kernel, its function for the host, and its shape. */
struct program {
    unsigned number, blocks, threads;
    bool cluster; /* the blocks are one */
    bool early;   /* it may begin before what fills its memory has ended */
    void (*host)(struct arena *g, struct block_memory *s, u32 n);
    const void *kernel;
};

#ifdef __CUDA_ARCH__
#define BOTH(DEVICE, HOST) DEVICE
#else
#define BOTH(DEVICE, HOST) HOST
#include "model.h"
#endif
#define BUILTIN HD INLINE

/* ---- who is asked ---- */
BUILTIN u32 tid()
{
    return BOTH(threadIdx.x, model_self()->thread);
}
BUILTIN u32 bid()
{
    return BOTH(blockIdx.x, model_self()->block);
}
BUILTIN u32 threads()
{
    return BOTH(blockDim.x, model_threads());
}
BUILTIN u32 gid()
{
    return bid() * MOST_THREADS + tid();
}
BUILTIN u32 lane()
{
#ifdef __CUDA_ARCH__
    u32 id;
    asm("mov.u32 %0, %%laneid;" : "=r"(id));
    return id;
#else
    return tid() & 31;
#endif
}
/* The lanes of the warp that there are. */
BUILTIN u32 warp_mask()
{
    u32 rest = threads() - (tid() & ~31u);
    return rest >= 32 ? 0xffffffffu : (1u << rest) - 1;
}

/* ---- arithmetic without undefined behaviour, and with the same bits everywhere ---- */
BUILTIN u32 hash(u32 x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 13;
}
BUILTIN u64 mix(u64 x, u64 y)
{
    return (x ^ y) * 0x9e3779b97f4a7c15ull + (x >> 29);
}
BUILTIN u32 popcount(u32 x)
{
    return (u32)BOTH(__popc((int)x), __builtin_popcount(x));
}
BUILTIN u32 popcount64(u64 x)
{
    return (u32)BOTH(__popcll((s64)x), __builtin_popcountll(x));
}
BUILTIN u32 zeros(u32 x)
{
    return (u32)BOTH(__clz((int)x), (x ? __builtin_clz(x) : 32));
}
BUILTIN u32 zeros64(u64 x)
{
    return (u32)BOTH(__clzll((s64)x), (x ? __builtin_clzll(x) : 64));
}
BUILTIN u32 first_set(u32 x)
{
    return (u32)BOTH(__ffs((int)x), __builtin_ffs((int)x));
}
BUILTIN u32 high(u32 x, u32 y)
{
    return BOTH(__umulhi(x, y), (u32)((u64)x * y >> 32));
}
BUILTIN u32 reversed(u32 x)
{
#ifdef __CUDA_ARCH__
    return __brev(x);
#else
    u32 r = 0;
    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1u) << (31 - i);
    return r;
#endif
}
/* A NaN has other bits elsewhere. */
BUILTIN float number(float x)
{
    return x == x ? x : 0.0f;
}
BUILTIN double number(double x)
{
    return x == x ? x : 0.0;
}
BUILTIN struct rec rec_of(u32 x)
{
    struct rec r = {(u8)x, x * 3, (double)(x & 0xfff) / 4, (s16)(x & 0x7fff), (u64)x << 20 ^ x};
    return r;
}
BUILTIN u32 bits(float x)
{
    return x != x ? 0x7fc00000u : BOTH(__float_as_uint(x), model_bits(x));
}
BUILTIN u64 bits64(double x)
{
    return x != x ? 0x7ff8000000000000ull : BOTH((u64)__double_as_longlong(x), model_bits(x));
}
BUILTIN s32 whole(float x)
{
    return x > -1e9f && x < 1e9f ? (s32)x : 77;
}
BUILTIN s64 whole64(double x)
{
    return x > -1e18 && x < 1e18 ? (s64)x : 77;
}
/* The lane of the k-th member of a mask. */
BUILTIN u32 member(u32 mask, u32 k)
{
    for (k %= popcount(mask); k; k--)
        mask &= mask - 1;
    return first_set(mask) - 1;
}

/* ---- memory ---- */
BUILTIN void fence()
{
    BOTH(__threadfence(), (void)0);
}
BUILTIN void fence_block()
{
    BOTH(__threadfence_block(), (void)0);
}

#define ATOMIC(NAME, T, DEVICE, HOST)                                                                                  \
    BUILTIN T NAME(T *p, T v)                                                                                          \
    {                                                                                                                  \
        return BOTH(DEVICE(p, v), model_update(p, [=](T old) -> T { return HOST; }));                                  \
    }
#define ATOMICS(SUFFIX)                                                                                                \
    ATOMIC(add##SUFFIX, u32, atomicAdd##SUFFIX, old + v)                                                               \
    ATOMIC(add##SUFFIX, s32, atomicAdd##SUFFIX, (s32)((u32)old + (u32)v))                                              \
    ATOMIC(add##SUFFIX, u64, atomicAdd##SUFFIX, old + v)                                                               \
    ATOMIC(add##SUFFIX, float, atomicAdd##SUFFIX, old + v)                                                             \
    ATOMIC(add##SUFFIX, double, atomicAdd##SUFFIX, old + v)                                                            \
    ATOMIC(sub##SUFFIX, u32, atomicSub##SUFFIX, old - v)                                                               \
    ATOMIC(min##SUFFIX, u32, atomicMin##SUFFIX, old < v ? old : v)                                                     \
    ATOMIC(min##SUFFIX, s32, atomicMin##SUFFIX, old < v ? old : v)                                                     \
    ATOMIC(min##SUFFIX, s64, atomicMin##SUFFIX, old < v ? old : v)                                                     \
    ATOMIC(max##SUFFIX, u32, atomicMax##SUFFIX, old > v ? old : v)                                                     \
    ATOMIC(max##SUFFIX, s32, atomicMax##SUFFIX, old > v ? old : v)                                                     \
    ATOMIC(max##SUFFIX, u64, atomicMax##SUFFIX, old > v ? old : v)                                                     \
    ATOMIC(and##SUFFIX, u32, atomicAnd##SUFFIX, old &v)                                                                \
    ATOMIC(or ##SUFFIX, u32, atomicOr##SUFFIX, old | v)                                                                \
    ATOMIC(xor##SUFFIX, u32, atomicXor##SUFFIX, old ^ v)                                                               \
    ATOMIC(xor##SUFFIX, u64, atomicXor##SUFFIX, old ^ v)                                                               \
    ATOMIC(exch##SUFFIX, u32, atomicExch##SUFFIX, v)                                                                   \
    ATOMIC(inc##SUFFIX, u32, atomicInc##SUFFIX, old >= v ? 0 : old + 1)                                                \
    ATOMIC(dec##SUFFIX, u32, atomicDec##SUFFIX, old == 0 || old > v ? v : old - 1)                                     \
    BUILTIN u32 cas##SUFFIX(u32 *p, u32 from, u32 to)                                                                  \
    {                                                                                                                  \
        return BOTH(atomicCAS##SUFFIX(p, from, to), model_update(p, [=](u32 old) { return old == from ? to : old; })); \
    }                                                                                                                  \
    BUILTIN u64 cas##SUFFIX(u64 *p, u64 from, u64 to)                                                                  \
    {                                                                                                                  \
        return BOTH(atomicCAS##SUFFIX(p, from, to), model_update(p, [=](u64 old) { return old == from ? to : old; })); \
    }
#define atomicAdd_ atomicAdd
#define atomicSub_ atomicSub
#define atomicMin_ atomicMin
#define atomicMax_ atomicMax
#define atomicAnd_ atomicAnd
#define atomicOr_ atomicOr
#define atomicXor_ atomicXor
#define atomicExch_ atomicExch
#define atomicInc_ atomicInc
#define atomicDec_ atomicDec
#define atomicCAS_ atomicCAS
ATOMICS(_)
ATOMICS(_block)

/* A word that another thread changes. */
template <class T> BUILTIN T read(T *p)
{
    return BOTH(*(volatile T *)p, *p);
}
BUILTIN void store(u32 *p, u32 v)
{
    BOTH(*(volatile u32 *)p = v, model_store(p, v));
}
/* Is it `want`? */
BUILTIN bool is(u32 *p, u32 want)
{
    return BOTH(*(volatile u32 *)p == want, model_is(p, want));
}

/* Is it `want` or more? */
BUILTIN bool reached(u32 *p, u32 want)
{
    return BOTH(*(volatile u32 *)p >= want, model_reached(p, want));
}

/* ---- locks ---- */
BUILTIN bool take(u32 *p)
{
    return BOTH(atomicCAS(p, 0u, 1u) == 0u, model_take(p, 0, 1));
}
BUILTIN bool take_by_exchange(u32 *p)
{
    return BOTH(!atomicExch(p, 1u), model_take(p, 0, 1));
}
BUILTIN void give(u32 *p)
{
    BOTH((void)atomicExch(p, 0u), model_store(p, 0));
}
BUILTIN void lock(u32 *p)
{
    BOTH(lockstep_lock(p), model_lock(p));
}
BUILTIN void unlock(u32 *p)
{
    BOTH(lockstep_unlock(p), model_unlock(p));
}
BUILTIN bool trylock(u32 *p)
{
    return BOTH(lockstep_trylock(p), model_take(p, LOCK_FREE, model_name()));
}
BUILTIN bool lock_attempts(u32 *p, u32 n)
{
    return BOTH(lockstep_lock_attempts(p, n), ((void)n, model_take(p, LOCK_FREE, model_name())));
}
BUILTIN bool lock_cycles(u32 *p, u32 n)
{
    return BOTH(lockstep_lock_cycles(p, n), ((void)n, model_take(p, LOCK_FREE, model_name())));
}
BUILTIN void sem_wait(u32 *p)
{
    BOTH(lockstep_sem_wait(p), model_sem_wait(p));
}
BUILTIN void sem_signal(u32 *p)
{
    BOTH(lockstep_sem_signal(p), model_sem_signal(p));
}

/* ---- barriers ---- */
BUILTIN void sync()
{
    BOTH(__syncthreads(), (void)model_barrier(0, model_threads(), 0, true));
}
/* Behind it, what the launch before did is there. */
BUILTIN void wait_for_launch()
{
    BOTH(cudaGridDependencySynchronize(), (void)0);
}
BUILTIN void let_launches_begin()
{
    BOTH(cudaTriggerProgrammaticLaunchCompletion(), (void)0);
}
/* Of those of the block, a thread has had 63 at least (the kernel's launch bounds). */
BUILTIN void registers_few()
{
    BOTH(asm volatile("setmaxnreg.dec.sync.aligned.u32 24;"), (void)0);
}
BUILTIN void registers_some()
{
    BOTH(asm volatile("setmaxnreg.inc.sync.aligned.u32 32;"), (void)0);
}
BUILTIN void registers_more()
{
    BOTH(asm volatile("setmaxnreg.inc.sync.aligned.u32 56;"), (void)0);
}
BUILTIN u32 sync_count(bool p)
{
    return BOTH((u32)__syncthreads_count(p), model_barrier(0, model_threads(), p, true));
}
BUILTIN bool sync_and(bool p)
{
    return BOTH(__syncthreads_and(p) != 0, model_barrier(0, model_threads(), p, true) == model_threads());
}
BUILTIN bool sync_or(bool p)
{
    return BOTH(__syncthreads_or(p) != 0, model_barrier(0, model_threads(), p, true) != 0);
}
BUILTIN void sync_named(u32 id, u32 count)
{
#ifdef __CUDA_ARCH__
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
#else
    model_barrier(id, count, 0, true);
#endif
}
BUILTIN void arrive_named(u32 id, u32 count)
{
#ifdef __CUDA_ARCH__
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
#else
    model_barrier(id, count, 0, false);
#endif
}
BUILTIN void sync_grid()
{
    BOTH(lockstep_barrier_grid(), model_barrier_grid());
}
/* A barrier of the grid that one thread of each block waits at in memory. */
BUILTIN void sync_blocks(u32 *arrived, u32 target)
{
    fence();
    sync();
    if (tid() == 0) {
        add_(arrived, 1u);
        while (!reached(arrived, target))
            ;
        fence();
    }
    sync();
    fence();
}

/* ---- mbarriers, and copies beside the warp: by all threads of the block ---- */
#ifdef __CUDA_ARCH__
#define IN_SHARED(p) ((u32)__cvta_generic_to_shared(p))
#define IN_GLOBAL(p) ((u64)__cvta_generic_to_global(p))
static __device__ INLINE void mbarrier_begin(u64 *b, u32 count)
{
    if (tid() == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(IN_SHARED(b)), "r"(count) : "memory");
    sync();
}
static __device__ INLINE void mbarrier_wait(u64 *b)
{
    asm volatile("{ .reg .pred over;\nagain: mbarrier.try_wait.parity.shared.b64 over, [%0], 0;\n@!over bra again; }" ::"r"(IN_SHARED(b))
                 : "memory");
}
static __device__ INLINE void mbarrier_end(u64 *b)
{
    sync();
    if (tid() == 0) {
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(IN_SHARED(b)) : "memory");
        *b = 0;
    }
    sync();
}
static __device__ INLINE void fence_proxies()
{
    __threadfence();
    asm volatile("fence.proxy.async;" ::: "memory");
}
#endif
/* A barrier of the block, of which a part goes by a named barrier between its arrival and its wait: warps of whole 32 lanes. */
BUILTIN void meet_named(struct block_memory *s)
{
#ifdef __CUDA_ARCH__
    mbarrier_begin(&s->mbarrier, threads());
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(IN_SHARED(&s->mbarrier)) : "memory");
    sync_named(10 + (tid() / 32 & 1), (threads() / 32 + 1 - (tid() / 32 & 1)) / 2 * 32);
    mbarrier_wait(&s->mbarrier);
    mbarrier_end(&s->mbarrier);
#else
    (void)s;
    sync();
#endif
}
/* A barrier of the block. */
BUILTIN void meet(struct block_memory *s)
{
#ifdef __CUDA_ARCH__
    mbarrier_begin(&s->mbarrier, threads());
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(IN_SHARED(&s->mbarrier)) : "memory");
    mbarrier_wait(&s->mbarrier);
    mbarrier_end(&s->mbarrier);
#else
    (void)s;
    sync();
#endif
}
/* Each thread brings a word to its place in the room, behind which all have theirs: by groups, or by an mbarrier. */
BUILTIN void bring_word(struct block_memory *s, const u32 *from, bool counts)
{
#ifdef __CUDA_ARCH__
    if (counts)
        mbarrier_begin(&s->mbarrier, threads());
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(IN_SHARED(&s->room[tid()])), "l"(IN_GLOBAL(from)) : "memory");
    if (counts) {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(IN_SHARED(&s->mbarrier)) : "memory");
        mbarrier_wait(&s->mbarrier);
        mbarrier_end(&s->mbarrier);
        return;
    }
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
#else
    (void)counts;
    s->room[tid()] = *from;
#endif
    sync();
}
/* One copy brings all words to the room. */
BUILTIN void bring_row(struct block_memory *s, const u32 *row)
{
#ifdef __CUDA_ARCH__
    fence_proxies();
    mbarrier_begin(&s->mbarrier, 1);
    if (tid() == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(IN_SHARED(&s->mbarrier)), "r"((u32)sizeof s->room) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(IN_SHARED(s->room)),
                     "l"(IN_GLOBAL(row)), "r"((u32)sizeof s->room), "r"(IN_SHARED(&s->mbarrier))
                     : "memory");
    }
    mbarrier_wait(&s->mbarrier);
    mbarrier_end(&s->mbarrier);
#else
    sync();
    if (tid() == 0)
        memcpy(s->room, row, sizeof s->room);
    sync();
#endif
}
/* One copy, or (adds) a reduction, takes all words of the room away. */
BUILTIN void take_row(u32 *row, struct block_memory *s, bool adds)
{
#ifdef __CUDA_ARCH__
    fence_proxies();
    sync();
    if (tid() == 0) {
        if (adds)
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(IN_GLOBAL(row)),
                         "r"(IN_SHARED(s->room)), "r"((u32)sizeof s->room)
                         : "memory");
        else
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(IN_GLOBAL(row)),
                         "r"(IN_SHARED(s->room)), "r"((u32)sizeof s->room)
                         : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
        fence_proxies();
    }
#else
    sync();
    if (tid() == 0)
        for (u32 i = 0; i < MOST_THREADS; i++)
            row[i] = (adds ? row[i] : 0) + s->room[i];
#endif
    sync();
    fence();
}

/* ---- pipelines of S stages: what comes `turns` times, each S - 1 ahead ---- */
BUILTIN void stage_word(u32 *to, const u32 *from)
{
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(IN_SHARED(to)), "l"(IN_GLOBAL(from)) : "memory");
#else
    *to = *from;
#endif
}
template <u32 LEFT> BUILTIN void stage_ends()
{
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.commit_group;\ncp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}
/* Each thread brings a word of the row a turn, and reads that of another one; by groups of copies. */
template <u32 S> BUILTIN u32 ring_groups(struct block_memory *s, const u32 *row, u32 turns, u32 step, u32 shift)
{
    u32 sum = 0, n = threads();
    for (u32 t = 0; t + 1 < S; t++) {
        if (t < turns)
            stage_word(&s->ring[t % S][tid()], &row[(tid() + t * step) % n]);
#ifdef __CUDA_ARCH__
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    }
    for (u32 t = 0; t < turns; t++) {
        u32 next = t + S - 1;
        if (next < turns)
            stage_word(&s->ring[next % S][tid()], &row[(tid() + next * step) % n]);
        stage_ends<S - 1>();
        sync();
        sum = sum * 31 + s->ring[t % S][(tid() + shift) % n];
        sync();
    }
    stage_ends<0>();
    return sum;
}
#define RING_WORDS 64u
BUILTIN u32 ring_place(u32 turn, u32 step)
{
    return turn * step % 17 * 4;
}
#ifdef __CUDA_ARCH__
static __device__ INLINE void mbarrier_pass(u64 *b, u32 parity)
{
    asm volatile("{ .reg .pred over;\nagain: mbarrier.try_wait.parity.shared.b64 over, [%0], %1;\n@!over bra again; }" ::"r"(IN_SHARED(b)),
                 "r"(parity)
                 : "memory");
}
static __device__ INLINE void ring_bring(struct block_memory *s, const u32 *row, u32 stage, u32 place)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(IN_SHARED(&s->ring_full[stage])), "r"(4 * RING_WORDS) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(IN_SHARED(s->ring[stage])),
                 "l"(IN_GLOBAL(row + place)), "r"(4 * RING_WORDS), "r"(IN_SHARED(&s->ring_full[stage]))
                 : "memory");
}
#endif
/* Thread 0 brings 64 words of the row a turn, by copies in bulk; two mbarriers a stage say that it is full, and empty again. */
template <u32 S> BUILTIN u32 ring_bulk(struct block_memory *s, const u32 *row, u32 turns, u32 step, u32 shift)
{
    u32 sum = 0;
#ifdef __CUDA_ARCH__
    fence_proxies();
    if (tid() == 0)
        for (u32 i = 0; i < S; i++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(IN_SHARED(&s->ring_full[i])) : "memory");
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(IN_SHARED(&s->ring_empty[i])), "r"(threads()) : "memory");
        }
    sync();
    if (tid() == 0)
        for (u32 t = 0; t < S && t < turns; t++)
            ring_bring(s, row, t, ring_place(t, step));
    for (u32 t = 0; t < turns; t++) {
        u32 stage = t % S, parity = t / S & 1;
        mbarrier_pass(&s->ring_full[stage], parity);
        sum = sum * 31 + s->ring[stage][(tid() + shift) % RING_WORDS];
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(IN_SHARED(&s->ring_empty[stage])) : "memory");
        if (tid() == 0 && t + S < turns) {
            mbarrier_pass(&s->ring_empty[stage], parity);
            ring_bring(s, row, stage, ring_place(t + S, step));
        }
    }
    sync();
    if (tid() == 0)
        for (u32 i = 0; i < S; i++) {
            asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(IN_SHARED(&s->ring_full[i])) : "memory");
            asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(IN_SHARED(&s->ring_empty[i])) : "memory");
            s->ring_full[i] = s->ring_empty[i] = 0;
        }
#else
    sync();
    for (u32 t = 0; t < turns; t++) {
        sum = sum * 31 + row[ring_place(t, step) + (tid() + shift) % RING_WORDS];
        if (tid() == 0)
            memcpy(s->ring[t % S], row + ring_place(t, step), 4 * RING_WORDS);
    }
#endif
    sync();
    return sum;
}

#include "clusters.h"

/* ---- what the lanes of a mask do together ---- */
BUILTIN void sync_warp(u32 m)
{
    BOTH(__syncwarp(m), (void)model_meet(m, 1, 0));
}
BUILTIN u32 ballot(u32 m, bool p)
{
    return BOTH(__ballot_sync(m, p), model_ballot(m, p));
}
BUILTIN bool any_of(u32 m, bool p)
{
    return BOTH(__any_sync(m, p) != 0, model_ballot(m, p) != 0);
}
BUILTIN bool all_of(u32 m, bool p)
{
    return BOTH(__all_sync(m, p) != 0, model_ballot(m, p) == m);
}
#define SHUFFLES(T)                                                                                                    \
    BUILTIN T shuffle(u32 m, T v, u32 from, u32 width)                                                                 \
    {                                                                                                                  \
        return BOTH(__shfl_sync(m, v, (int)from, (int)width),                                                          \
                    model_shuffle(m, v, model_segment(width) + from % width));                                         \
    }                                                                                                                  \
    BUILTIN T shuffle_up(u32 m, T v, u32 d, u32 width)                                                                 \
    {                                                                                                                  \
        return BOTH(__shfl_up_sync(m, v, d, (int)width),                                                               \
                    model_shuffle(m, v, lane() % width >= d ? lane() - d : lane()));                                   \
    }                                                                                                                  \
    BUILTIN T shuffle_down(u32 m, T v, u32 d, u32 width)                                                               \
    {                                                                                                                  \
        return BOTH(__shfl_down_sync(m, v, d, (int)width),                                                             \
                    model_shuffle(m, v, lane() % width + d < width ? lane() + d : lane()));                            \
    }                                                                                                                  \
    BUILTIN T shuffle_xor(u32 m, T v, u32 d, u32 width)                                                                \
    {                                                                                                                  \
        return BOTH(__shfl_xor_sync(m, v, (int)d, (int)width), model_shuffle(m, v, lane() ^ d));                       \
    }                                                                                                                  \
    BUILTIN u32 matching(u32 m, T v)                                                                                   \
    {                                                                                                                  \
        return BOTH(__match_any_sync(m, v), model_match(m, v));                                                        \
    }                                                                                                                  \
    BUILTIN u32 matching_all(u32 m, T v, int *all)                                                                     \
    {                                                                                                                  \
        return BOTH(__match_all_sync(m, v, all), model_match_all(m, v, all));                                          \
    }
SHUFFLES(u32)
SHUFFLES(s32)
SHUFFLES(u64)
SHUFFLES(s64)
SHUFFLES(float)
SHUFFLES(double)
#define REDUCTION(NAME, T, DEVICE, HOST)                                                                               \
    BUILTIN T NAME(u32 m, T v)                                                                                         \
    {                                                                                                                  \
        return BOTH(DEVICE(m, v), model_reduce(m, v, [](T a, T b) -> T { return HOST; }));                             \
    }
REDUCTION(reduce_add, u32, __reduce_add_sync, a + b)
REDUCTION(reduce_add, s32, __reduce_add_sync, (s32)((u32)a + (u32)b))
REDUCTION(reduce_min, u32, __reduce_min_sync, a < b ? a : b)
REDUCTION(reduce_min, s32, __reduce_min_sync, a < b ? a : b)
REDUCTION(reduce_max, u32, __reduce_max_sync, a > b ? a : b)
REDUCTION(reduce_max, s32, __reduce_max_sync, a > b ? a : b)
REDUCTION(reduce_and, u32, __reduce_and_sync, a &b)
REDUCTION(reduce_or, u32, __reduce_or_sync, a | b)
REDUCTION(reduce_xor, u32, __reduce_xor_sync, a ^ b)

#ifdef USES_GROUPS
/* Tiles of cooperative groups. */
#define TILE cooperative_groups::tiled_partition<SIZE>(cooperative_groups::this_thread_block())
BUILTIN u32 tile_mask(u32 size)
{
    return (u32)(((u64)1 << size) - 1) << (tid() & 31 & ~(size - 1));
}
template <u32 SIZE, class T> BUILTIN T tile_shuffle(T v, u32 k)
{
    return BOTH(TILE.shfl(v, (int)(k % SIZE)),
                model_shuffle(tile_mask(SIZE), v, (tid() & 31 & ~(SIZE - 1)) + k % SIZE));
}
template <u32 SIZE> BUILTIN u32 tile_ballot(bool p)
{
    return BOTH(TILE.ballot(p), model_ballot(tile_mask(SIZE), p) >> (tid() & 31 & ~(SIZE - 1)));
}
template <u32 SIZE> BUILTIN u32 tile_sum(u32 v)
{
    return BOTH(cooperative_groups::reduce(TILE, v, cooperative_groups::plus<u32>()),
                model_reduce(tile_mask(SIZE), v, [](u32 a, u32 b) { return a + b; }));
}
template <u32 SIZE> BUILTIN u32 tile_rank()
{
    return BOTH(TILE.thread_rank(), tid() % SIZE);
}
template <u32 SIZE> BUILTIN void tile_sync()
{
    BOTH(TILE.sync(), (void)model_meet(tile_mask(SIZE), 1, 0));
}
#endif

/* ---- the beginning and the end of a kernel ---- */
HD INLINE void begin_locks(struct locks *l)
{
    for (int i = 0; i < 4; i++)
        l->lock[0][i].word = l->lock[1][i].word = l->ladder[i].word = LOCK_FREE;
    for (u32 i = 0; i < 2; i++)
        l->semaphore[i].word = i + 1;
}
HD INLINE void begin_counters(struct counters *c)
{
    c->min = 0xfffffff0u;
    c->all = 0xffffffffu;
    c->down = 5;
    c->least = 0x7ffffff0;
    c->most = -0x7ffffff0;
    c->wide_least = 0x7ffffffffffffff0ll;
    c->product = 1;
    c->wide_product = 1;
}
BUILTIN void begin_shared(struct block_memory *s)
{
    for (u32 i = tid(); i < sizeof *s / 4; i += threads())
        ((any_word *)s)[i] = 0;
    sync();
    if (tid() == 0) {
        begin_locks(&s->locks);
        begin_counters(&s->counters);
    }
    sync();
}
BUILTIN void end_shared(struct arena *g, const struct block_memory *s)
{
    sync();
    for (u32 i = tid(); i < sizeof *s / 4; i += threads())
        ((any_word *)&g->shared[bid()])[i] = ((const any_word *)s)[i];
}

/* The programs of a file end with this. */
#ifdef __CUDACC__
#define PROGRAM(NUMBER, BLOCKS, THREADS, CLUSTER, EARLY)                                                               \
    {                                                                                                                  \
        NUMBER, BLOCKS, THREADS, CLUSTER, EARLY, program_##NUMBER::body, (const void *)program_##NUMBER::kernel               \
    }
#else
#define PROGRAM(NUMBER, BLOCKS, THREADS, CLUSTER, EARLY)                                                               \
    {                                                                                                                  \
        NUMBER, BLOCKS, THREADS, CLUSTER, EARLY, program_##NUMBER::body, nullptr                                              \
    }
#endif

#endif

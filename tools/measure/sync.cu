/* What it costs to synchronize within an SM, and to order memory: barriers by number of warps, fences by scope and by
 * what is outstanding, acquire and release, nanosleep. */
#include "measure.h"

#define LOOP(TIMES, ...)                                                                                                \
    u64 begin = clock64();                                                                                              \
    _Pragma("unroll 1") for (int i = 0; i < TIMES; i++)                                                                 \
    {                                                                                                                   \
        __VA_ARGS__                                                                                                     \
    }                                                                                                                   \
    u64 end = clock64();                                                                                                \
    note(m, begin, end);

/* A piece of PTX, 16 times in a row; 64 times in all. */
#define TIMED(name, INS)                                                                                                \
    __global__ void name(mark *m)                                                                                       \
    {                                                                                                                   \
        LOOP(4, R16(asm volatile(INS ::: "memory");))                                                                   \
    }
TIMED(bar_sync, "bar.sync 0;")
TIMED(bar_red, "{.reg .u32 t; .reg .pred p; setp.eq.u32 p, 0, 0; bar.red.popc.u32 t, 0, p;}")
TIMED(syncwarp, "bar.warp.sync -1;")
TIMED(membar_cta, "membar.cta;")
TIMED(membar_gl, "membar.gl;")
TIMED(membar_sys, "membar.sys;")
TIMED(fence_acq_rel_cta, "fence.acq_rel.cta;")
TIMED(fence_acq_rel_gpu, "fence.acq_rel.gpu;")
TIMED(fence_acq_rel_sys, "fence.acq_rel.sys;")
TIMED(fence_sc_cta, "fence.sc.cta;")
TIMED(fence_sc_gpu, "fence.sc.gpu;")
TIMED(fence_sc_sys, "fence.sc.sys;")
#define READ(name, T, C, INS)                                                                                           \
    __global__ void name(mark *m)                                                                                       \
    {                                                                                                                   \
        T x;                                                                                                            \
        u64 sum = 0;                                                                                                    \
        LOOP(4, R16(asm volatile(INS : "=" C(x)::"memory"); sum += x;))                                                 \
        if (sum == 1)                                                                                                   \
            m[1].end = sum;                                                                                             \
    }
READ(read_clock, u32, "r", "mov.u32 %0, %%clock;")
READ(read_clock64, u64, "l", "mov.u64 %0, %%clock64;")
READ(read_timer, u64, "l", "mov.u64 %0, %%globaltimer;")
#ifdef MEASURE_CLUSTERS
TIMED(fence_acq_rel_cluster, "fence.acq_rel.cluster;")
TIMED(fence_sc_cluster, "fence.sc.cluster;")
#endif

/* Pairs of warps at barriers of their own, as many as there are barriers. */
__global__ void bar_pairs(mark *m)
{
    u32 id = threadIdx.x / 64 % 15 + 1;
    LOOP(4, R16(asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory");))
}
/* Warp 0 waits for the others, who arrive and go on; then they wait for it. */
__global__ void bar_arrive(mark *m)
{
    u32 all = blockDim.x;
    if (threadIdx.x < 32) {
        LOOP(64, asm volatile("bar.sync 1, %0;\n\tbar.arrive 2, %0;" ::"r"(all) : "memory");)
    } else {
        for (int i = 0; i < 64; i++)
            asm volatile("bar.arrive 1, %0;\n\tbar.sync 2, %0;" ::"r"(all) : "memory");
    }
}
/* `stores` stores to lines of their own, then a fence, then `work` dependent or independent multiply-adds. */
enum { NO_FENCE, MEMBAR_CTA, MEMBAR_GL, MEMBAR_SYS, FENCE_SC, FENCE_KINDS };
static const char *const fence_names[] = {"none", "membar.cta", "membar.gl", "membar.sys", "fence.sc.gpu"};
template <int KIND, int STORES, bool WORK> __global__ void fenced(mark *m, u32 *p, float *out, float v, u32 turns)
{
    float a = v, b = v, c = v, d = v;
    u32 *mine = p + blockIdx.x * 65536 + threadIdx.x;
    u64 sum = 0;
    for (u32 i = 0; i <= turns; i++) {
        __syncwarp();
        u64 begin = clock64();
#pragma unroll
        for (int k = 0; k < STORES; k++)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(mine + k * 1024), "r"(i) : "memory");
        if (KIND == MEMBAR_CTA)
            asm volatile("membar.cta;" ::: "memory");
        if (KIND == MEMBAR_GL)
            asm volatile("membar.gl;" ::: "memory");
        if (KIND == MEMBAR_SYS)
            asm volatile("membar.sys;" ::: "memory");
        if (KIND == FENCE_SC)
            asm volatile("fence.sc.gpu;" ::: "memory");
        if (WORK) {
            R16(asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a)); asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(b));
                asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(c)); asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(d));)
        }
        u64 end = clock64();
        if (i)
            sum += end - begin;
        for (u64 t = clock64(); clock64() - t < 3000;)
            ;
    }
    out[threadIdx.x] = a + b + c + d;
    note(m, 0, sum);
}
/* Loads and stores by order, each of a word of its own in the L2; loads in a chain. */
#define LOADS(name, INS)                                                                                                \
    __global__ void name(mark *m, u64 *p)                                                                               \
    {                                                                                                                   \
        u64 a = (u64)p;                                                                                                 \
        LOOP(4, R16(asm volatile(INS " %0, [%0];" : "+l"(a)::"memory");))                                               \
        if (a == 1)                                                                                                     \
            *p = a;                                                                                                     \
    }
LOADS(ld_weak, "ld.global.u64")
LOADS(ld_volatile, "ld.volatile.global.u64")
LOADS(ld_relaxed_cta, "ld.relaxed.cta.global.u64")
LOADS(ld_relaxed_gpu, "ld.relaxed.gpu.global.u64")
LOADS(ld_relaxed_sys, "ld.relaxed.sys.global.u64")
LOADS(ld_acquire_cta, "ld.acquire.cta.global.u64")
LOADS(ld_acquire_gpu, "ld.acquire.gpu.global.u64")
LOADS(ld_acquire_sys, "ld.acquire.sys.global.u64")
#define STORES(name, INS)                                                                                               \
    __global__ void name(mark *m, u64 *p)                                                                               \
    {                                                                                                                   \
        LOOP(4, R16(asm volatile(INS ::"l"(p + 64), "l"((u64)i) : "memory");))                                          \
    }
STORES(st_weak, "st.global.u64 [%0], %1;")
STORES(st_volatile, "st.volatile.global.u64 [%0], %1;")
STORES(st_relaxed_gpu, "st.relaxed.gpu.global.u64 [%0], %1;")
STORES(st_release_cta, "st.release.cta.global.u64 [%0], %1;")
STORES(st_release_gpu, "st.release.gpu.global.u64 [%0], %1;")
STORES(st_release_sys, "st.release.sys.global.u64 [%0], %1;")
/* Atomics in a chain: each adds the result of the one before it, which is 0. */
#define ATOMS(name, INS)                                                                                                \
    __global__ void name(mark *m, u64 *p)                                                                               \
    {                                                                                                                   \
        u64 x = 0;                                                                                                      \
        LOOP(4, R16(asm volatile(INS " %0, [%1], %0;" : "+l"(x) : "l"(p + 64) : "memory");))                            \
        p[1] = x;                                                                                                       \
    }
ATOMS(atom_relaxed, "atom.relaxed.gpu.global.or.b64")
ATOMS(atom_acquire, "atom.acquire.gpu.global.or.b64")
ATOMS(atom_release, "atom.release.gpu.global.or.b64")
ATOMS(atom_acq_rel, "atom.acq_rel.gpu.global.or.b64")
ATOMS(atom_acq_rel_cta, "atom.acq_rel.cta.global.or.b64")
STORES(red_release, "red.release.gpu.global.add.u64 [%0], %1;")

__global__ void sleeps(mark *m, u32 ns)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    LOOP(16, __nanosleep(ns);)
#endif
}

static void barriers(mark *m)
{
    for (unsigned warps : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 20u, 24u, 28u, 32u}) {
        row("__syncthreads; warps", "bar.sync", warps, cycles_of(m, 64, "bar", [&] { bar_sync<<<1, 32 * warps>>>(m); }), "cycles");
        row("__syncthreads_count; warps", "bar.red", warps, cycles_of(m, 64, "bar", [&] { bar_red<<<1, 32 * warps>>>(m); }), "cycles");
        if (warps > 1 && warps <= 30 && warps % 2 == 0)
            row("named barriers of two warps each; warps", "bar.sync a b", warps, cycles_of(m, 64, "bar", [&] { bar_pairs<<<1, 32 * warps>>>(m); }), "cycles");
        if (warps > 1) {
            row("arrive and sync to and fro; warps", "bar.arrive", warps, cycles_of(m, 64, "bar", [&] { bar_arrive<<<1, 32 * warps>>>(m); }), "cycles");
        }
    }
    for (unsigned blocks : {1u, 2u}) /* two blocks of 32 warps on each SM */
        row("__syncthreads of 32 warps; blocks an SM", "bar.sync", blocks, cycles_of(m, 64, "bar", [&] { bar_sync<<<blocks * (unsigned)measure.sms, 1024>>>(m); }), "cycles");
}
#define ONE(name) row(#name, "one warp", 1, cycles_of(m, 64, #name, [&] { name<<<1, 32>>>(m); }), "cycles");
static void alone(mark *m)
{
    ONE(syncwarp)
    ONE(read_clock)
    ONE(read_clock64)
    ONE(read_timer)
    ONE(membar_cta)
    ONE(membar_gl)
    ONE(membar_sys)
    ONE(fence_acq_rel_cta)
    ONE(fence_acq_rel_gpu)
    ONE(fence_acq_rel_sys)
    ONE(fence_sc_cta)
    ONE(fence_sc_gpu)
    ONE(fence_sc_sys)
#ifdef MEASURE_CLUSTERS
    ONE(fence_acq_rel_cluster)
    ONE(fence_sc_cluster)
#endif
}
template <int KIND, int STORES> static void fence(mark *m, u32 *p)
{
    const char *type = fence_names[KIND];
    u32 turns = measure.few ? 4 : 16;
    unsigned sms = (unsigned)measure.sms;
    float *out = (float *)p;
    row("stores then fence; stores", type, (long)STORES, cycles_of(m, turns, "fence", [&] { fenced<KIND, STORES, false><<<1, 32>>>(m, p, out, 1.0f, turns); }), "cycles");
    row("stores then fence then 64 fma; stores", type, (long)STORES, cycles_of(m, turns, "fence", [&] { fenced<KIND, STORES, true><<<1, 32>>>(m, p, out, 1.0f, turns); }), "cycles");
    if (!measure.few || STORES == 16)
        row("stores then fence on all SMs; stores", type, (long)STORES, cycles_of(m, turns, "fence", [&] { fenced<KIND, STORES, false><<<sms, 32>>>(m, p, out, 1.0f, turns); }), "cycles");
}
template <int KIND> static void fences(mark *m, u32 *p)
{
    fence<KIND, 0>(m, p);
    fence<KIND, 1>(m, p);
    fence<KIND, 4>(m, p);
    fence<KIND, 16>(m, p);
    fence<KIND, 32>(m, p);
}
#define ORDERED(name)                                                                                                   \
    {                                                                                                                   \
        u64 self = (u64)p;                                                                                              \
        check(cudaMemcpy(p, &self, 8, cudaMemcpyHostToDevice), "ordered");                                              \
        row("ordered access", #name, 1, cycles_of(m, 64, #name, [&] { name<<<1, 1>>>(m, p); }), "cycles");              \
    }
static void ordered(mark *m, u64 *p)
{
    ORDERED(ld_weak)
    ORDERED(ld_volatile)
    ORDERED(ld_relaxed_cta)
    ORDERED(ld_relaxed_gpu)
    ORDERED(ld_relaxed_sys)
    ORDERED(ld_acquire_cta)
    ORDERED(ld_acquire_gpu)
    ORDERED(ld_acquire_sys)
    ORDERED(st_weak)
    ORDERED(st_volatile)
    ORDERED(st_relaxed_gpu)
    ORDERED(st_release_cta)
    ORDERED(st_release_gpu)
    ORDERED(st_release_sys)
    ORDERED(atom_relaxed)
    ORDERED(atom_acquire)
    ORDERED(atom_release)
    ORDERED(atom_acq_rel)
    ORDERED(atom_acq_rel_cta)
    ORDERED(red_release)
}

int main(int argc, char **argv)
{
    begin_program(argc, argv);
    mark *m = device_array<mark>(8192);
    u64 *p = device_array<u64>(16 << 20);
    if (wanted("barriers"))
        barriers(m);
    if (wanted("alone"))
        alone(m);
    if (wanted("fences")) {
        fences<NO_FENCE>(m, (u32 *)p);
        fences<MEMBAR_CTA>(m, (u32 *)p);
        fences<MEMBAR_GL>(m, (u32 *)p);
        fences<MEMBAR_SYS>(m, (u32 *)p);
        fences<FENCE_SC>(m, (u32 *)p);
    }
    if (wanted("ordered"))
        ordered(m, p);
    if (wanted("sleep"))
        for (u32 ns : {0u, 1u, 10u, 20u, 32u, 50u, 64u, 100u, 128u, 200u, 256u, 400u, 512u, 1000u, 1024u, 2048u, 5000u, 10000u, 100000u, 1000000u})
            row("nanosleep; ns", "one warp", ns, cycles_of(m, 16, "sleep", [&] { sleeps<<<1, 32>>>(m, ns); }), "cycles");
    return 0;
}

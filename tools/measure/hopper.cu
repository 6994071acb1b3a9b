/* What Hopper has to wait with: mbarriers, asynchronous copies, clusters and their shared memory; and matrix
 * instructions, as far as pipelines of copies need their times. Needs compute capability 9.0. */
#include "hopper.h"

#ifdef MEASURE_CLUSTERS
/* ---- mbarrier, one thread ---- */
enum { ARRIVE, ARRIVE_STATE, TRY_COMPLETE, TEST_COMPLETE, TEST_INCOMPLETE, EXPECT_TRY, INIT, TRY_INCOMPLETE, MBARRIERS };
static const char *const mbarrier_names[] = {"arrive without result", "arrive chain by its state", "try_wait complete", "test_wait complete", "test_wait incomplete",
                                             "arrive.expect_tx 0 then try_wait", "init and inval", "try_wait incomplete without limit"};
__global__ void mbarriers(mark *m, int kind)
{
    __shared__ __align__(8) u64 word;
    u32 bar = shared_address(&word), sum = 0;
    if (kind != INIT)
        barrier_init(bar, kind <= ARRIVE_STATE ? 1000000 : 1);
    if (kind == TRY_COMPLETE || kind == TEST_COMPLETE)
        barrier_arrive(bar);
    u64 begin = clock64(), end;
    switch (kind) {
    case ARRIVE:
        R16(asm volatile("{.reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0];}" ::"r"(bar) : "memory");)
        break;
    case ARRIVE_STATE: {
        u32 b = bar;
        R16({
            u64 t;
            asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(t) : "r"(b) : "memory");
            b += (u32)(t >> 63) & (u32)(t >> 62 & 1) & (u32)(t == 12345); /* 0, but the compiler does not know */
        })
        sum += b;
        break;
    }
    case TRY_COMPLETE:
        R16(sum += barrier_try(bar, 0);)
        break;
    case TEST_COMPLETE:
        R16(sum += barrier_test(bar, 0);)
        break;
    case TEST_INCOMPLETE:
        R16(sum += barrier_test(bar, 0);)
        break;
    case EXPECT_TRY:
        for (u32 i = 0; i < 16; i++) {
            barrier_expect(bar, 0);
            barrier_wait(bar, i & 1);
        }
        break;
    case INIT:
        R16(barrier_init(bar, 1); asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");)
        break;
    default:
#pragma unroll 1
        for (int i = 0; i < 16; i++)
            if (barrier_try(bar, 0)) /* never: one wait after the other */
                break;
    }
    end = clock64();
    m[1].end = sum; /* so that the results of the waits are needed */
    note(m, begin, end);
}
__global__ void try_with_hint(mark *m, u32 ns)
{
    __shared__ __align__(8) u64 word;
    u32 bar = shared_address(&word), sum = 0;
    barrier_init(bar, 1);
    u64 begin = clock64();
#pragma unroll 1
    for (int i = 0; i < 4; i++)
        if (barrier_try_for(bar, 0, ns))
            break;
    u64 end = clock64();
    m[1].end = sum; /* so that the results of the waits are needed */
    note(m, begin, end);
}
/* The same with a limit that the compiler knows. */
template <u32 NS> __global__ void try_with_constant(mark *m)
{
    __shared__ __align__(8) u64 word;
    u32 bar = shared_address(&word), sum = 0, ok;
    barrier_init(bar, 1);
    u64 begin = clock64();
#pragma unroll 1
    for (int i = 0; i < 4; i++) {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p;}"
                     : "=r"(ok)
                     : "r"(bar), "r"(0), "n"(NS)
                     : "memory");
        if (ok)
            break;
    }
    u64 end = clock64();
    m[1].end = sum; /* so that the results of the waits are needed */
    note(m, begin, end);
}
/* A block's barrier made of an mbarrier: each thread arrives, or one of each warp does; all wait. */
__global__ void mbarrier_block(mark *m, int by_warp)
{
    __shared__ __align__(8) u64 word;
    u32 bar = shared_address(&word);
    if (threadIdx.x == 0)
        barrier_init(bar, by_warp ? blockDim.x / 32 : blockDim.x);
    __syncthreads();
    u64 begin = clock64();
    for (u32 i = 0; i < 64; i++) {
        if (by_warp)
            __syncwarp();
        if (!by_warp || threadIdx.x % 32 == 0)
            barrier_arrive(bar);
        barrier_wait(bar, i & 1);
    }
    u64 end = clock64();
    note(m, begin, end);
}
/* From an arrival in one warp until the waiter in another goes on: to and fro between two warps. */
__global__ void mbarrier_ping(mark *m, int how)
{
    __shared__ __align__(8) u64 words[2];
    u32 me = threadIdx.x / 32, mine = shared_address(&words[me]), other = shared_address(&words[1 - me]);
    if (threadIdx.x % 32 == 0)
        barrier_init(mine, 1);
    __syncthreads();
    u64 begin = clock64();
    if (threadIdx.x % 32 == 0)
        for (u32 i = 0; i < 64; i++) {
            if (me == 0)
                barrier_arrive(other);
            if (how == 0)
                barrier_wait(mine, i & 1);
            else
                while (!barrier_test(mine, i & 1))
                    ;
            if (me == 1)
                barrier_arrive(other);
        }
    u64 end = clock64();
    note(m, begin, end);
}
static void mbarrier_rows(mark *m)
{
    for (int kind = 0; kind < MBARRIERS; kind++)
        row("mbarrier", mbarrier_names[kind], 1, cycles_of(m, 16, mbarrier_names[kind], [&] { mbarriers<<<1, 1>>>(m, kind); }), "cycles");
    for (u32 ns : {0u, 1u, 100u, 500u, 1000u, 2000u, 4000u, 8000u, 20000u, 100000u, 1000000u, 20000000u})
        row("mbarrier try_wait incomplete; limit ns", "limit", ns, cycles_of(m, 4, "limit", [&] { try_with_hint<<<1, 1>>>(m, ns); }), "cycles");
    row("mbarrier try_wait incomplete; limit ns", "constant", 1000, cycles_of(m, 4, "limit", [&] { try_with_constant<1000><<<1, 1>>>(m); }), "cycles");
    row("mbarrier try_wait incomplete; limit ns", "constant", 1000000, cycles_of(m, 4, "limit", [&] { try_with_constant<1000000><<<1, 1>>>(m); }), "cycles");
    for (int by_warp = 0; by_warp < 2; by_warp++)
        for (unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u})
            row("mbarrier as a block's barrier; warps", by_warp ? "one arrival a warp" : "each thread arrives", warps,
                cycles_of(m, 64, "block", [&] { mbarrier_block<<<1, 32 * warps>>>(m, by_warp); }), "cycles");
    for (int how = 0; how < 2; how++)
        row("mbarrier hand-over between two warps", how ? "test_wait loop" : "try_wait loop", 1, cycles_of(m, 128, "ping", [&] { mbarrier_ping<<<1, 64>>>(m, how); }), "cycles");
}

/* ---- asynchronous copies ---- */
template <int BYTES> static __device__ __forceinline__ void copy_lanes(u32 to, const char *from)
{
    if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES) : "memory");
}
template <int BYTES> __global__ void cp_async(mark *m, const char *from, int count, int cold)
{
    __shared__ __align__(16) char to[32 * 16 * 32];
    u64 sum = 0, issue = 0;
    for (int r = 0; r < 9; r++) {
        const char *p = from + (cold ? (u64)r * (1 << 20) : 0) + threadIdx.x * 16;
        const u32 at = shared_address(to + threadIdx.x * 16);
        u64 begin = clock64();
        int i = 0;
        for (; i + 4 <= count; i += 4) /* as nvcc unrolls it */
            for (int k = 0; k < 4; k++)
                copy_lanes<BYTES>(at + (u32)(i + k) * 512, p + (i + k) * 512);
#pragma unroll 1
        for (; i < count; i++)
            copy_lanes<BYTES>(at + (u32)i * 512, p + i * 512);
        asm volatile("cp.async.commit_group;" ::: "memory");
        u64 issued = clock64();
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        u64 end = clock64();
        if (r || cold)
            sum += end - begin, issue += issued - begin;
    }
    if (threadIdx.x == 0) {
        m[0].begin = m[1].begin = 0;
        m[0].end = sum;
        m[1].end = issue;
    }
}
/* One bulk copy, or `pieces` of them on one barrier. to: 0 global to shared, 1 shared to global until read, 2 until
 * written. */
extern __shared__ __align__(128) char dynamic[];
__global__ void bulk(mark *m, char *from, u32 bytes, int pieces, int way, int cold)
{
    __shared__ __align__(8) u64 word;
    u32 bar = shared_address(&word), to = shared_address(dynamic);
    u64 sum = 0, issue = 0;
    if (threadIdx.x)
        return;
    barrier_init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    for (u32 r = 0; r < 9; r++) {
        char *p = from + (cold ? (u64)r * (1 << 20) : 0);
        u64 begin = clock64();
        if (way == 0) {
            barrier_expect(bar, bytes * (u32)pieces);
            for (int i = 0; i < pieces; i++)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to + i * bytes),
                             "l"(p + i * bytes), "r"(bytes), "r"(bar)
                             : "memory");
        } else {
            for (int i = 0; i < pieces; i++)
                asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(p + i * bytes), "r"(to + i * bytes), "r"(bytes) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
        u64 issued = clock64();
        if (way == 0)
            barrier_wait(bar, r & 1);
        else if (way == 1)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        else
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        u64 end = clock64();
        if (way == 1)
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        if (r || cold)
            sum += end - begin, issue += issued - begin;
    }
    m[0].begin = m[1].begin = 0;
    m[0].end = sum;
    m[1].end = issue;
}
/* Rate: every SM streams a working set through a ring of stages. */
__global__ void bulk_rate(mark *m, const char *from, u32 bytes, int stages, int turns, u64 size)
{
    __shared__ __align__(8) u64 words[16];
    u32 to = shared_address(dynamic);
    if (threadIdx.x)
        return;
    for (int s = 0; s < stages; s++)
        barrier_init(shared_address(&words[s]), 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    u64 begin = clock64();
    for (int i = 0; i < turns + stages; i++) {
        int s = i % stages;
        if (i >= stages)
            barrier_wait(shared_address(&words[s]), (u32)(i / stages - 1) & 1);
        if (i < turns) {
            barrier_expect(shared_address(&words[s]), bytes);
            u64 at = ((u64)i * gridDim.x + blockIdx.x) * bytes % size;
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to + s * bytes), "l"(from + at),
                         "r"(bytes), "r"(shared_address(&words[s]))
                         : "memory");
        }
    }
    u64 end = clock64();
    note(m, begin, end);
}
/* Where copies from memory begin, each time lines that none has touched: simulators may keep in the L2 what a GPU's cudaMemset throws out. */
static char *untouched(char *buffer, size_t bytes)
{
    static size_t at;
    char *p = buffer + at;
    at += std::max<size_t>(bytes, 4096);
    return p;
}
static void copy_rows(mark *m, char *buffer)
{
    for (int cold = 0; cold < 2; cold++)
        for (int count : {1, 2, 4, 8, 16}) {
            /* `cold` copies come from lines that nothing has touched since the cache was filled with others */
            for (int bytes : {4, 8, 16}) {
                std::vector<double> v, issue;
                const char *from = cold ? untouched(buffer, 8192) : buffer;
                for (int k = 0; k < measure.repetitions; k++) {
                    if (cold && !measure.few)
                        check(cudaMemset(buffer + (64 << 20), k, 128 << 20), "flush");
                    if (bytes == 4)
                        cp_async<4><<<1, 32>>>(m, from, count, cold);
                    else if (bytes == 8)
                        cp_async<8><<<1, 32>>>(m, from, count, cold);
                    else
                        cp_async<16><<<1, 32>>>(m, from, count, cold);
                    finish("cp.async");
                    std::vector<mark> h = from_device(m, 2);
                    v.push_back((double)h[0].end / (cold ? 9 : 8));
                    issue.push_back((double)h[1].end / (cold ? 9 : 8));
                }
                char type[64];
                snprintf(type, sizeof type, "%d bytes a lane%s", bytes, cold ? " from memory" : " from L2");
                row("cp.async until wait_group 0; instructions", type, count, v, "cycles");
                row("cp.async issue and commit; instructions", type, count, issue, "cycles");
            }
        }
    static const char *const ways[] = {"global to shared", "shared to global until read", "shared to global until written"};
    for (int way = 0; way < 3; way++)
        for (int cold = 0; cold < 2; cold++)
            for (u32 bytes : {16u, 64u, 128u, 256u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u, 32768u, 65536u}) {
                std::vector<double> v, issue;
                char *from = cold ? untouched(buffer, bytes) : buffer;
                for (int k = 0; k < measure.repetitions; k++) {
                    if (cold && !measure.few)
                        check(cudaMemset(buffer + (64 << 20), k, 128 << 20), "flush");
                    check(cudaFuncSetAttribute((const void *)bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536 + 1024), "shared");
                    bulk<<<1, 32, 65536>>>(m, from, bytes, 1, way, cold);
                    finish("bulk");
                    std::vector<mark> h = from_device(m, 2);
                    v.push_back((double)h[0].end / (cold ? 9 : 8));
                    issue.push_back((double)h[1].end / (cold ? 9 : 8));
                }
                char type[64];
                snprintf(type, sizeof type, "%s%s", ways[way], cold ? " from memory" : " in L2");
                row("bulk copy; bytes", type, bytes, v, "cycles");
                row("bulk copy issue; bytes", type, bytes, issue, "cycles");
            }
    for (int pieces : {1, 2, 4, 8, 16, 32, 64}) {
        std::vector<double> v;
        for (int k = 0; k < measure.repetitions; k++) {
            bulk<<<1, 32, 65536>>>(m, buffer, 128, pieces, 0, 0);
            finish("pieces");
            v.push_back((double)from_device(m, 1)[0].end / 8);
        }
        row("bulk copies of 128 bytes on one mbarrier; copies", "global to shared in L2", pieces, v, "cycles");
    }
}
static void stream_rows(mark *m, char *buffer)
{
    for (u32 bytes : {128u, 512u, 2048u, 8192u, 32768u})
        for (u64 size : {(u64)16 << 20, (u64)192 << 20}) {
            int stages = bytes > 16384 ? 6 : 8, turns = (int)std::max<u64>(64, (u64)(2 << 20) / bytes);
            if (measure.few && (bytes == 128 || bytes == 2048))
                continue;
            if (measure.few)
                turns = std::max(24, turns / 32);
            check(cudaFuncSetAttribute((const void *)bulk_rate, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024), "shared");
            std::vector<double> v;
            for (int k = measure.few && size > (32 << 20) ? 0 : -1; k < (measure.few ? 1 : 3); k++) {
                bulk_rate<<<(unsigned)measure.sms, 32, bytes * (u32)stages>>>(m, buffer, bytes, stages, turns, size);
                finish("bulk rate");
                if (k >= 0)
                    v.push_back((double)bytes * turns / (longest(m, (unsigned)measure.sms)));
            }
            char type[64];
            snprintf(type, sizeof type, "%llu MB; %d stages", size >> 20, stages);
            row("bulk copy stream of all SMs; bytes a copy", type, bytes, v, "bytes/cycle/SM", true);
        }
}

/* ---- clusters ---- */
__global__ void cluster_barriers(mark *m, int how)
{
    cluster_sync();
    u64 begin = clock64();
    for (int i = 0; i < 16; i++) {
        if (how == 0) {
            R4(cluster_sync();)
        } else if (how == 1) {
            R4(asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");)
        } else {
            R4(asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");)
        }
    }
    u64 end = clock64();
    note(m, begin, end);
}
/* A chain of loads of the shared memory of block `rank` + `apart`. */
__global__ void far_chain(mark *m, u32 reader, u32 owner, u32 *out)
{
    __shared__ u32 words[64];
    u32 me = cluster_rank();
    for (u32 i = threadIdx.x; i < 64; i += blockDim.x)
        words[i] = remote(shared_address(&words[(i + 1) % 64]), me);
    cluster_sync();
    if (me == reader && threadIdx.x == 0) {
        u32 p = remote(shared_address(words), owner);
        R16(asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(p)::"memory");)
        u64 begin = clock64();
        for (int i = 0; i < 4; i++) {
            R16(asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(p)::"memory");)
        }
        u64 end = clock64();
        *out = p;
        m[0].begin = begin;
        m[0].end = end;
    }
    cluster_sync();
}
/* Each block reads (0), writes (1) the memory of its right neighbour, or adds to it (2), by 16 or 4 bytes a lane. */
__global__ void far_rate(mark *m, int how, int turns, u32 *out, int only_first)
{
    u32 me = cluster_rank(), size = cluster_size(), sum = 0, to = remote(shared_address(dynamic), (me + 1) % size);
    cluster_sync();
    u64 begin = clock64();
    if (!only_first || me == 0)
        for (int i = 0; i < turns; i++) {
            u32 at = to + ((threadIdx.x * 16 + (u32)i * 16384) & 32767), x, y, z, w;
            if (how == 0) {
                asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at));
                sum += x ^ y ^ z ^ w;
            } else if (how == 1)
                asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(sum) : "memory");
            else
                asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(at), "r"(1) : "memory");
        }
    u64 mid = clock64();
    cluster_sync();
    u64 end = clock64();
    if (sum == 77)
        *out = sum;
    if (threadIdx.x == 0)
        m[blockIdx.x].unused = (u32)(mid - begin);
    note(m, begin, end);
}
/* To and fro between the first two blocks of a cluster: how 0 arrives at the other's mbarrier, 1 st.async to it, 2 a
 * plain remote store that is polled, 3 a bulk copy of 16 bytes to the other's memory. */
__global__ void cluster_ping(mark *m, int how, u32 other_rank)
{
    __shared__ __align__(16) u64 data[2];
    __shared__ __align__(8) u64 word;
    __shared__ volatile u32 flag;
    u32 me = cluster_rank(), bar = shared_address(&word);
    if (threadIdx.x == 0) {
        barrier_init(bar, 1);
        flag = 0;
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_sync();
    if ((me == 0 || me == other_rank) && threadIdx.x == 0) {
        u32 there = me ? 0 : other_rank, far_bar = remote(bar, there), far_data = remote(shared_address(data), there),
            far_flag = remote(shared_address((const void *)&flag), there);
        u64 begin = clock64();
        for (u32 i = 0; i < 64; i++)
            for (u32 turn = 0; turn < 2; turn++) {
                bool sends = (turn == 0) == (me == 0);
                if (sends && how == 0)
                    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(far_bar) : "memory");
                else if (sends && how == 1)
                    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(far_data), "l"((u64)i), "r"(far_bar) : "memory");
                else if (sends && how == 2)
                    asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], %1;" ::"r"(far_flag), "r"(i + 1) : "memory");
                else if (sends)
                    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(far_data),
                                 "r"(shared_address(data)), "r"(far_bar)
                                 : "memory");
                else if (how == 2)
                    while (flag != i + 1)
                        ;
                else {
                    if (how == 1)
                        barrier_expect(bar, 8);
                    else if (how == 3)
                        barrier_expect(bar, 16);
                    barrier_wait(bar, i & 1);
                }
            }
        u64 end = clock64();
        m[me != 0].begin = begin;
        m[me != 0].end = end;
    }
    cluster_sync();
}
/* A bulk copy to all blocks of a cluster at once, or by each block for itself. */
__global__ void multicast(mark *m, const char *from, u32 bytes, int all)
{
    __shared__ __align__(8) u64 word;
    u32 bar = shared_address(&word), to = shared_address(dynamic), me = cluster_rank();
    u64 sum = 0;
    if (threadIdx.x == 0) {
        barrier_init(bar, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_sync();
    for (u32 r = 0; r < 9; r++) {
        u64 begin = clock64();
        if (threadIdx.x == 0)
            barrier_expect(bar, bytes);
        cluster_sync();
        u64 sent = clock64();
        if (threadIdx.x == 0 && all && me == 0)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(to), "l"(from),
                         "r"(bytes), "r"(bar), "h"((unsigned short)((1u << cluster_size()) - 1))
                         : "memory");
        else if (threadIdx.x == 0 && !all)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
        barrier_wait(bar, r & 1);
        u64 end = clock64();
        if (r)
            sum += end - sent;
        (void)begin;
    }
    cluster_sync();
    note(m, 0, sum);
}
static void cluster_rows(mark *m, char *buffer)
{
    u32 *out = (u32 *)buffer;
    for (unsigned size : {1u, 2u, 4u, 8u, 16u})
        for (unsigned threads : {32u, 128u, 1024u})
            for (int how = 0; how < 3; how++) {
                static const char *const names[] = {"aligned", "aligned relaxed arrive", "not aligned"};
                char type[48];
                snprintf(type, sizeof type, "%s; %u threads", names[how], threads);
                row("barrier.cluster arrive and wait; blocks", type, size,
                    cycles_of(m, 64, "cluster barrier", [&] { launch_cluster(cluster_barriers, size, threads, size, 0, m, how); }), "cycles");
            }
    for (unsigned size : {2u, 4u, 8u, 16u}) {
        std::vector<double> pairs;
        for (unsigned reader = 0; reader < size; reader++)
            for (unsigned owner = 0; owner < size; owner++)
                if (reader == 0 || owner == reader || (size == 16 && reader % 5 == 0)) {
                    double c = median(cycles_of(m, 64, "far chain", [&] { launch_cluster(far_chain, size, 32u, size, 0, m, reader, owner, out); }));
                    if (owner == reader) {
                        if (reader == 0)
                            row("shared::cluster load of the own block; blocks", "chain", size, {c}, "cycles");
                    } else
                        pairs.push_back(c);
                }
        row("shared::cluster load of another block over pairs; blocks", "chain", size, pairs, "cycles");
    }
    static const char *const hows[] = {"ld.v4", "st.v4", "red.add.u32"};
    for (int how = 0; how < 3; how++)
        for (unsigned size : {2u, 4u, 8u, 16u})
            for (int first = 0; first < 2; first++) {
                std::vector<double> v;
                double bytes = 1024.0 * 64 * (how == 2 ? 4 : 16);
                for (int k = -1; k < measure.repetitions; k++) {
                    launch_cluster(far_rate, size, 1024u, size, 32768, m, how, 64, out, first);
                    finish("far rate");
                    if (k >= 0)
                        v.push_back(bytes / longest(m, 1));
                }
                char type[48];
                snprintf(type, sizeof type, "%s; %s", hows[how], first ? "one block alone" : "ring");
                row("shared::cluster to the next block; blocks", type, size, v, "bytes/cycle/SM", true);
            }
    static const char *const pings[] = {"mbarrier.arrive remote", "st.async", "st.relaxed.cluster polled", "bulk copy of 16 bytes"};
    for (int how = 0; how < 4; how++)
        for (unsigned other : {1u, 2u, 7u})
            row("to and fro in a cluster of 8 one way; rank of the other", pings[how], other,
                cycles_of(m, 128, pings[how], [&] { launch_cluster(cluster_ping, 8u, 32u, 8u, 0, m, how, other); }), "cycles");
    for (unsigned size : {2u, 4u, 8u, 16u})
        for (int all = 0; all < 2; all++)
            for (u32 bytes : {128u, 1024u, 8192u, 32768u}) {
                std::vector<double> v;
                for (int k = -1; k < measure.repetitions; k++) {
                    launch_cluster(multicast, size, 32u, size, 32768, m, (const char *)buffer, bytes, all);
                    finish("multicast");
                    if (k >= 0)
                        v.push_back(longest(m, size) / 8);
                }
                char type[48];
                snprintf(type, sizeof type, "%s; %u bytes", all ? "multicast" : "each for itself", bytes);
                row("bulk copy to all blocks of a cluster; blocks", type, size, v, "cycles");
            }
}

/* ---- one warp: small instructions, matrices ---- */
#define CHAIN(name, TIMES, ...)                                                                                         \
    __global__ void name(mark *m, u32 *out)                                                                             \
    {                                                                                                                   \
        __shared__ __align__(128) u32 tile[1024];                                                                       \
        float d0 = 0, d1 = 0, d2 = 0, d3 = 0;                                                                           \
        u32 a = threadIdx.x, b = 0x3c003c00, t = shared_address(tile) + threadIdx.x * 16;                               \
        u64 begin = clock64();                                                                                          \
        for (int i = 0; i < 4; i++) {                                                                                   \
            R16(__VA_ARGS__)                                                                                            \
        }                                                                                                               \
        u64 end = clock64();                                                                                            \
        out[threadIdx.x] = (u32)(d0 + d1 + d2 + d3) + a + b + t;                                                        \
        note(m, begin, end);                                                                                            \
    }
CHAIN(elect, 64, asm volatile("{.reg .pred p; .reg .b32 r; elect.sync r|p, -1; @p add.u32 %0, %0, r;}" : "+r"(a)::"memory");)
CHAIN(fence_proxy, 64, asm volatile("fence.proxy.async;" ::: "memory");)
CHAIN(fence_proxy_shared, 64, asm volatile("fence.proxy.async.shared::cta;" ::: "memory");)
CHAIN(fence_init, 64, asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");)
CHAIN(mma_f16, 64,
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                   : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                   : "r"(b));)
CHAIN(mma_tf32, 64,
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                   : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                   : "r"(b));)
CHAIN(ldmatrix_x4, 64, {
    u32 x, y, z;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(x), "=r"(y), "=r"(z) : "r"(t) : "memory");
    t += a & 0x80000000u;
})
/* 16 products in a chain by each warp. */
__global__ void mma_rate(mark *m, u32 *out)
{
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    u32 b = 0x3c003c00;
    __syncthreads();
    u64 begin = clock64();
    R16(asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                     : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                     : "r"(b));)
    __syncthreads();
    u64 end = clock64();
    out[blockIdx.x * blockDim.x + threadIdx.x] = (u32)(d0 + d1 + d2 + d3);
    note(m, begin, end);
}
#define ONE(name) row(#name, "one warp", 1, cycles_of(m, 64, #name, [&] { name<<<1, 32>>>(m, out); }), "cycles");
static void small_rows(mark *m, char *buffer)
{
    u32 *out = (u32 *)buffer;
    ONE(elect)
    ONE(fence_proxy)
    ONE(fence_proxy_shared)
    ONE(fence_init)
    ONE(mma_f16)
    ONE(mma_tf32)
    ONE(ldmatrix_x4)
    std::vector<double> v;
    for (int k = -1; k < measure.repetitions; k++) {
        mma_rate<<<(unsigned)measure.sms, 512>>>(m, out);
        finish("mma rate");
        if (k >= 0)
            v.push_back(rate_of_sm(m, (unsigned)measure.sms, 16.0 * 16 * 2048));
    }
    row("mma.m16n8k16.f16 multiply-adds; 16 in a chain", "16 warps", 16, v, "operations/cycle/SM", true);
}

int main(int argc, char **argv)
{
    begin_program(argc, argv);
    if (measure.major < 9) {
        printf("# compute capability 9.0 is needed\n");
        return 0;
    }
    mark *m = device_array<mark>(8192);
    char *buffer = device_array<char>((size_t)256 << 20);
    if (wanted("mbarrier"))
        mbarrier_rows(m);
    if (wanted("small"))
        small_rows(m, buffer);
    if (wanted("clusters"))
        cluster_rows(m, buffer);
    if (wanted("copies"))
        copy_rows(m, buffer);
    if (wanted("streams"))
        stream_rows(m, buffer);
    return 0;
}
#else
int main(int argc, char **argv)
{
    begin_program(argc, argv);
    printf("# this compiler knows nothing of Hopper\n");
    return 0;
}
#endif

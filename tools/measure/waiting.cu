/* More of what Hopper has to wait with, beside `hopper`: single operations between two readings of the clock, named
 * barriers, many waiters on one mbarrier, tensor maps, reductions in bulk, sends and copies from SM to SM. Needs compute
 * capability 9.0. */
#include "hopper.h"

#ifdef MEASURE_CLUSTERS
#include <cuda.h>

extern __shared__ __align__(1024) char dynamic[];

/* ---- one operation between two readings of the clock, by one thread ---- */
enum {
    NOTHING, ARRIVE, ARRIVE_STATE, TRY, TEST, TEST_INCOMPLETE, EXPECT_TRY, COMMIT_WAIT, BULK_ISSUE, BULK_COMMIT_WAIT, FENCE_CLUSTER, FENCE_SC_CLUSTER, FENCE_PROXY,
    DEPENDENTS_WAIT, DEPENDENTS_LAUNCH, SINGLES
};
static const char *const single_names[] = {"nothing", "mbarrier.arrive", "mbarrier.arrive and its state", "mbarrier.try_wait complete", "mbarrier.test_wait complete",
                                           "mbarrier.test_wait incomplete", "mbarrier.arrive.expect_tx 0 and try_wait", "cp.async commit and wait of nothing",
                                           "cp.async.bulk issue", "cp.async.bulk commit and wait of nothing", "fence.acq_rel.cluster", "fence.sc.cluster",
                                           "fence.proxy.async", "griddepcontrol.wait", "griddepcontrol.launch_dependents"};
template <int kind> __global__ void singles(mark *m, const char *from)
{
    __shared__ __align__(8) u64 words[2];
    __shared__ __align__(16) char to[16];
    u32 bar = shared_address(&words[0]), copied = shared_address(&words[1]), sum = 0, sent = 0;
    u64 least = ~0ull;
    for (int r = 0; r < 9; r++) {
        barrier_init(bar, kind == ARRIVE || kind == ARRIVE_STATE ? 64 : 1);
        barrier_init(copied, 1);
        barrier_init_seen();
        if (kind == TRY || kind == TEST)
            barrier_arrive(bar);
        if (kind == BULK_ISSUE)
            barrier_expect(copied, 16), sent = 1;
        for (u64 since = clock64(); clock64() - since < 1000;) /* so that a phase that has ended did so long ago */
            ;
        u64 begin = clock64();
        switch (kind) {
        case ARRIVE:
            barrier_arrive(bar);
            break;
        case ARRIVE_STATE: {
            u64 t;
            asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(t) : "r"(bar) : "memory");
            sum += t == 12345;
            if (sum == 77)
                m[2].end = 1;
            break;
        }
        case TRY:
            if (!barrier_try(bar, 0))
                m[2].end = 1;
            break;
        case TEST:
        case TEST_INCOMPLETE:
            if (barrier_test(bar, 0) == (kind == TEST_INCOMPLETE))
                m[2].end = 1;
            break;
        case EXPECT_TRY:
            barrier_expect(bar, 0);
            barrier_wait(bar, 0);
            break;
        case COMMIT_WAIT:
            asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
            break;
        case BULK_ISSUE:
            bulk_get(shared_address(to), from, 16, copied);
            break;
        case BULK_COMMIT_WAIT:
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
            break;
        case FENCE_CLUSTER:
            asm volatile("fence.acq_rel.cluster;" ::: "memory");
            break;
        case FENCE_SC_CLUSTER:
            asm volatile("fence.sc.cluster;" ::: "memory");
            break;
        case FENCE_PROXY:
            asm volatile("fence.proxy.async;" ::: "memory");
            break;
        case DEPENDENTS_WAIT:
            asm volatile("griddepcontrol.wait;" ::: "memory");
            break;
        case DEPENDENTS_LAUNCH:
            asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
            break;
        default:;
        }
        u64 end = clock64();
        if (sent)
            barrier_wait(copied, 0);
        if (r && end - begin < least)
            least = end - begin;
    }
    note(m, 0, least);
}
/* Copies of 16 bytes from lane FIRST on: addresses that differ by a number that the compiler knows. */
template <int FIRST, int COUNT> static __device__ __forceinline__ void copy_sixteens(u32 to, const char *from)
{
    if constexpr (FIRST < COUNT) {
        asm volatile("cp.async.cg.shared.global [%0+%2], [%1+%2], 16;" ::"r"(to), "l"(from), "n"(FIRST * 16) : "memory");
        copy_sixteens<FIRST + 1, COUNT>(to, from);
    }
}
template <int FIRST, int COUNT> static __device__ __forceinline__ void bulk_sixteens(u32 to, const char *from, u32 bar)
{
    if constexpr (FIRST < COUNT) {
        asm volatile("{.reg .pred p; elect.sync _|p, -1; @p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0+%3], [%1+%3], 16, [%2];}" ::"r"(to), "l"(from), "r"(bar),
                     "n"(FIRST * 16)
                     : "memory");
        bulk_sixteens<FIRST + 1, COUNT>(to, from, bar);
    }
}
/* COUNT issues in a row by one lane: cp.async of 16 bytes, or bulk copies of 16 bytes that a lane which elect chooses asks for. */
template <int BULK, int COUNT> __global__ void issues(mark *m, const char *from)
{
    __shared__ __align__(8) u64 word;
    __shared__ __align__(16) char to[64 * 16];
    u32 bar = shared_address(&word), at = shared_address(to);
    u64 least = ~0ull;
    if (threadIdx.x == 0)
        barrier_init(bar, 1);
    barrier_init_seen();
    __syncwarp();
    for (u32 r = 0; r < 9; r++) {
        u64 begin = 0, end = 0;
        if (threadIdx.x == 0)
            barrier_expect(bar, BULK ? 16 * COUNT : 0);
        __syncwarp();
        if (BULK) {
            begin = clock64();
            bulk_sixteens<0, COUNT>(at, from, bar);
            end = clock64();
        } else if (threadIdx.x == 0) {
            begin = clock64();
            copy_sixteens<0, COUNT>(at, from);
            end = clock64();
        }
        asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
        barrier_wait(bar, r & 1);
        __syncwarp();
        if (r && end - begin < least)
            least = end - begin;
    }
    note(m, 0, least);
}
template <int BULK, int COUNT> static void issue_rows(mark *m, char *buffer)
{
    row("issues by one lane; count", BULK ? "elect and cp.async.bulk of 16 bytes" : "cp.async of 16 bytes", COUNT,
        cycles_of(m, 1, "issues", [&] { issues<BULK, COUNT><<<1, 32>>>(m, buffer); }), "cycles");
    if constexpr (COUNT < 32)
        issue_rows<BULK, COUNT * 2>(m, buffer);
}
template <int kind> static void single_row(mark *m, char *buffer)
{
    row("one operation between two readings of the clock", single_names[kind], 1, cycles_of(m, 1, single_names[kind], [&] { singles<kind><<<1, 1>>>(m, buffer); }), "cycles");
    if constexpr (kind + 1 < SINGLES)
        single_row<kind + 1>(m, buffer);
}
static void single_rows(mark *m, char *buffer)
{
    single_row<0>(m, buffer);
    issue_rows<0, 1>(m, buffer);
    issue_rows<1, 1>(m, buffer);
}

/* ---- barriers of a block ---- */
/* All warps meet at barrier 1 (how 0), at the barrier of their pair (1), or two halves by turns (2): one arrives, the other waits. */
__global__ void named(mark *m, int how)
{
    u32 warp = threadIdx.x / 32, half = warp < blockDim.x / 64, threads = blockDim.x;
    __syncthreads();
    u64 begin = clock64();
#pragma unroll 1
    for (int i = 0; i < 64; i++)
        if (how == 0)
            asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
        else if (how == 1)
            asm volatile("bar.sync %0, 64;" ::"r"(warp / 2 + 1) : "memory");
        else if (half) {
            asm volatile("bar.arrive 1, %0;" ::"r"(threads) : "memory");
            asm volatile("bar.sync 2, %0;" ::"r"(threads) : "memory");
        } else {
            asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
            asm volatile("bar.arrive 2, %0;" ::"r"(threads) : "memory");
        }
    u64 end = clock64();
    note(m, begin, end);
}
/* Warp 0 fills, all others wait for it at one mbarrier and release it by another: cycles a round. all_lanes: each lane waits, else one a
 * warp. */
__global__ void waiters(mark *m, int all_lanes)
{
    __shared__ __align__(8) u64 words[2];
    u32 full = shared_address(&words[0]), empty = shared_address(&words[1]), warp = threadIdx.x / 32, one = threadIdx.x % 32 == 0;
    if (threadIdx.x == 0) {
        barrier_init(full, 1);
        barrier_init(empty, blockDim.x / 32 - 1);
    }
    __syncthreads();
    u64 begin = clock64();
#pragma unroll 1
    for (u32 i = 0; i < 64; i++) {
        if (warp == 0) {
            if (one)
                barrier_arrive(full);
            if (one || all_lanes)
                barrier_wait(empty, i & 1);
        } else {
            if (one || all_lanes)
                barrier_wait(full, i & 1);
            __syncwarp();
            if (one)
                barrier_arrive(empty);
        }
        __syncwarp();
    }
    u64 end = clock64();
    note(m, begin, end);
}
/* A fence by every warp of a block: cycles a fence of each. */
__global__ void fences(mark *m, int how)
{
    __shared__ u32 words[1024];
    __syncthreads();
    u64 begin = clock64();
#pragma unroll 1
    for (u32 i = 0; i < 16; i++)
        if (how == 0)
            asm volatile("fence.proxy.async;" ::: "memory");
        else if (how == 1)
            asm volatile("fence.acq_rel.cluster;" ::: "memory");
        else if (how == 2)
            asm volatile("st.shared.u32 [%0], %1; fence.proxy.async.shared::cta;" ::"r"(shared_address(&words[threadIdx.x])), "r"(i) : "memory");
        else
            asm volatile("fence.sc.cluster;" ::: "memory");
    __syncthreads();
    u64 end = clock64();
    note(m, begin, end);
}
static void block_rows(mark *m)
{
    static const char *const hows[] = {"bar.sync of all", "bar.sync in pairs", "bar.arrive and bar.sync by turns"};
    for (int how = 0; how < 3; how++)
        for (unsigned warps : {2u, 4u, 8u, 16u, 30u, 32u})
            if (how != 1 || warps <= 30)
                row("named barrier; warps", hows[how], warps, cycles_of(m, 64, hows[how], [&] { named<<<1, 32 * warps>>>(m, how); }), "cycles");
    for (int all = 0; all < 2; all++)
        for (unsigned warps : {2u, 3u, 5u, 9u, 17u, 32u})
            row("mbarriers of a producer and its consumers; warps", all ? "all lanes wait" : "a lane a warp waits", warps,
                cycles_of(m, 64, "waiters", [&] { waiters<<<1, 32 * warps>>>(m, all); }), "cycles");
    static const char *const fence_names[] = {"fence.proxy.async", "fence.acq_rel.cluster", "st.shared and fence.proxy.async.shared::cta", "fence.sc.cluster"};
    for (int how = 0; how < 4; how++)
        for (unsigned warps : {1u, 4u, 16u, 32u})
            row("fence by all warps; warps", fence_names[how], warps, cycles_of(m, 16, fence_names[how], [&] { fences<<<1, 32 * warps>>>(m, how); }), "cycles");
}
/* ---- barriers of a cluster ---- */
__global__ void cluster_barriers(mark *m, int how)
{
    cluster_sync();
    u64 begin = clock64();
#pragma unroll 1
    for (int i = 0; i < 64; i++)
        if (how == 0)
            cluster_sync();
        else
            asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    u64 end = clock64();
    note(m, begin, end);
}
static void meeting_rows(mark *m)
{
    for (unsigned size : {1u, 2u, 3u, 6u, 8u, 12u, 16u})
        for (unsigned threads : {32u, 64u, 256u, 512u, 1024u})
            for (int how = 0; how < 2; how++) {
                char type[48];
                snprintf(type, sizeof type, "%s; %u threads", how ? "relaxed arrive" : "arrive", threads);
                row("barrier.cluster; blocks", type, size, cycles_of(m, 64, "cluster barrier", [&] { launch_cluster(cluster_barriers, size, threads, size, 0, m, how); }), "cycles");
            }
}

/* ---- copies ---- */
/* Reductions of shared memory into global memory: a copy of `bytes`, until read (0) or written (1). type: 0 u32, 1 f16, 2 f32, 3 plain. */
template <int TYPE> static __device__ __forceinline__ void reduce_out(char *to, u32 from, u32 bytes)
{
    if (TYPE == 0)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
    else if (TYPE == 1)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
    else if (TYPE == 2)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
    else
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
}
template <int TYPE> __global__ void reduces(mark *m, char *to, u32 bytes, int written, int apart)
{
    u32 from = shared_address(dynamic);
    u64 sum = 0;
    for (u32 i = threadIdx.x * 4; i < bytes; i += blockDim.x * 4)
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(from + i), "r"(0) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x)
        return;
    to += (u64)blockIdx.x * apart;
    for (int r = 0; r < 9; r++) {
        u64 begin = clock64();
        reduce_out<TYPE>(to, from, bytes);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        if (written)
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        else
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        u64 end = clock64();
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        if (r)
            sum += end - begin;
    }
    note(m, 0, sum);
}
template <int TYPE> static void reduce_rows(mark *m, char *buffer)
{
    static const char *const types[] = {"add.u32", "add.noftz.f16", "add.f32", "plain"};
    char type[64];
    check(cudaFuncSetAttribute((const void *)reduces<TYPE>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536), "shared memory");
    for (int written = 0; written < 2; written++)
        for (u32 bytes : {16u, 128u, 1024u, 4096u, 16384u, 65536u}) {
            snprintf(type, sizeof type, "%s until %s", types[TYPE], written ? "written" : "read");
            row("bulk copy out of one SM; bytes", type, bytes, cycles_of(m, 8, "reduces", [&] { reduces<TYPE><<<1, 32, 65536>>>(m, buffer, bytes, written, 0); }), "cycles");
        }
    for (int apart : {0, 65536})
        for (u32 bytes : {128u, 4096u, 32768u}) {
            std::vector<double> v;
            for (int k = -1; k < measure.repetitions; k++) {
                reduces<TYPE><<<(unsigned)measure.sms, 32, 65536>>>(m, buffer, bytes, 1, apart);
                finish("reduces");
                if (k >= 0)
                    v.push_back(longest(m, (unsigned)measure.sms) / 8);
            }
            snprintf(type, sizeof type, "%s until written; %s", types[TYPE], apart ? "each to its own" : "all to the same");
            row("bulk copy out of all SMs; bytes", type, bytes, v, "cycles");
        }
}
/* Boxes of a tensor: `from` of DIMENSIONS, in L2. out: writes it. Each of nine maps is used `turns` times; cold: only its first time
 * counts, each time with another map and other data. */
struct maps {
    CUtensorMap map[10];
};
template <int DIMENSIONS> static __device__ __forceinline__ void box(const CUtensorMap *map, u32 at, u32 bar, bool out)
{
    if (DIMENSIONS == 1 && !out)
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(at), "l"(map), "r"(0), "r"(bar) : "memory");
    else if (DIMENSIONS == 2 && !out)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(at), "l"(map), "r"(0), "r"(bar) : "memory");
    else if (!out)
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, %2}], [%3];" ::"r"(at), "l"(map), "r"(0), "r"(bar) : "memory");
    else if (DIMENSIONS == 1)
        asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%1, {%2}], [%0];" ::"r"(at), "l"(map), "r"(0) : "memory");
    else if (DIMENSIONS == 2)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%1, {%2, %2}], [%0];" ::"r"(at), "l"(map), "r"(0) : "memory");
    else
        asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%1, {%2, %2, %2}], [%0];" ::"r"(at), "l"(map), "r"(0) : "memory");
}
template <int DIMENSIONS> __global__ void boxes(mark *m, const __grid_constant__ maps all, u32 bytes, int cold, int out)
{
    __shared__ __align__(8) u64 word;
    u32 bar = shared_address(&word), to = (shared_address(dynamic) + 1023) & ~1023u;
    u64 sum = 0;
    if (threadIdx.x)
        return;
    barrier_init(bar, 1);
    barrier_init_seen();
    asm volatile("fence.proxy.async;" ::: "memory");
    for (u32 r = 0; r < 9; r++) {
        const CUtensorMap *map = &all.map[cold ? r : 0];
        u64 begin = clock64();
        if (!out)
            barrier_expect(bar, bytes);
        box<DIMENSIONS>(map, to, bar, out);
        if (out)
            asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
        else
            barrier_wait(bar, r & 1);
        u64 end = clock64();
        if (r)
            sum += end - begin;
    }
    note(m, 0, sum);
}
/* Maps of tensors of f16 that have one box, `columns` x `rows` x `planes`, each 1 MB behind the one before. */
static bool make_maps(maps *all, char *buffer, int dimensions, u32 columns, u32 rows, u32 planes, CUtensorMapSwizzle swizzle)
{
    void *f = nullptr;
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found) != cudaSuccess || !f)
        return false;
    decltype(&cuTensorMapEncodeTiled) encode = (decltype(&cuTensorMapEncodeTiled))f;
    cuuint64_t sizes[3] = {columns, rows, planes}, strides[2] = {columns * 2, (cuuint64_t)columns * rows * 2};
    cuuint32_t box_sizes[3] = {columns, rows, planes}, ones[3] = {1, 1, 1};
    for (int i = 0; i < 10; i++)
        if (encode(&all->map[i], CU_TENSOR_MAP_DATA_TYPE_FLOAT16, (cuuint32_t)dimensions, buffer + (size_t)i * (1 << 20), sizes, strides, box_sizes, ones,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
            return false;
    return true;
}
template <int DIMENSIONS> static void box_rows(mark *m, char *buffer, u32 columns, u32 rows, u32 planes, CUtensorMapSwizzle swizzle, const char *layout)
{
    maps all;
    u32 bytes = columns * rows * planes * 2;
    char type[96];
    if (!make_maps(&all, buffer, DIMENSIONS, columns, rows, planes, swizzle)) {
        printf("# no tensor maps\n");
        return;
    }
    check(cudaFuncSetAttribute((const void *)boxes<DIMENSIONS>, cudaFuncAttributeMaxDynamicSharedMemorySize, 66560), "shared memory");
    static const char *const ways[] = {"in L2", "each with a new map and from memory", "out"};
    for (int way = 0; way < 3; way++) {
        std::vector<double> v;
        for (int k = -1; k < measure.repetitions; k++) {
            if (way == 1)
                check(cudaMemset(buffer + (64 << 20), k, 128 << 20), "flush");
            boxes<DIMENSIONS><<<1, 32, 66560>>>(m, all, bytes, way == 1, way == 2);
            finish("boxes");
            if (k >= 0 || measure.small)
                v.push_back((double)from_device(m, 1)[0].end / 8);
        }
        snprintf(type, sizeof type, "%ux%ux%u f16%s; %s", columns, rows, planes, layout, ways[way]);
        row("tensor copy; bytes", type, bytes, v, "cycles");
    }
}
/* Bulk copies of 1 KB to 32 KB by all SMs, each from a set of its own in L2 or memory, as a ring of `stages`: bytes a cycle an SM. */
__global__ void stream(mark *m, const char *from, u32 bytes, u32 stages, u32 turns, u32 mask)
{
    __shared__ __align__(8) u64 words[16];
    u32 to = shared_address(dynamic), first = shared_address(words), at = blockIdx.x * bytes, step = gridDim.x * bytes, s = 0, parity = 0;
    if (threadIdx.x)
        return;
    for (u32 i = 0; i < stages; i++)
        barrier_init(first + 8 * i, 1);
    barrier_init_seen();
    u64 begin = clock64();
#pragma unroll 1
    for (u32 i = 0; i < turns + stages; i++) {
        u32 bar = first + 8 * s;
        if (i >= stages)
            barrier_wait(bar, parity ^ 1);
        if (i < turns) {
            barrier_expect(bar, bytes);
            bulk_get(to + s * bytes, from + at, bytes, bar);
            at = (at + step) & mask;
        }
        if (++s == stages)
            s = 0, parity ^= 1;
    }
    u64 end = clock64();
    note(m, begin, end);
}
static void copy_rows(mark *m, char *buffer)
{
    reduce_rows<0>(m, buffer);
    reduce_rows<1>(m, buffer);
    reduce_rows<2>(m, buffer);
    reduce_rows<3>(m, buffer);
    check(cudaFuncSetAttribute((const void *)stream, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024), "shared memory");
    for (u32 bytes : {128u, 256u, 1024u, 4096u, 16384u, 32768u})
        for (u32 size : {16u << 20, 256u << 20})
            for (int all = 0; all < 2; all++) {
                std::vector<double> v;
                u32 blocks = all ? (u32)measure.sms : 1, stages = bytes > 16384 ? 6 : 8, turns = std::max(64u, (1u << 20) / bytes / (bytes < 1024 ? 4 : 1));
                for (int k = -1; k < 3; k++) {
                    stream<<<blocks, 32, bytes * stages>>>(m, buffer, bytes, stages, turns, size - 1);
                    finish("stream");
                    if (k >= 0)
                        v.push_back((double)bytes * turns / longest(m, blocks));
                }
                char type[64];
                snprintf(type, sizeof type, "%u MB; %s", size >> 20, all ? "all SMs" : "one SM");
                row("stream of bulk copies; bytes a copy", type, bytes, v, "bytes/cycle/SM", true);
            }
}
static void tensor_rows(mark *m, char *buffer)
{
    box_rows<1>(m, buffer, 64, 1, 1, CU_TENSOR_MAP_SWIZZLE_NONE, "");
    box_rows<1>(m, buffer, 256, 1, 1, CU_TENSOR_MAP_SWIZZLE_NONE, "");
    for (u32 rows : {2u, 8u, 32u, 64u, 128u, 256u})
        box_rows<2>(m, buffer, 64, rows, 1, CU_TENSOR_MAP_SWIZZLE_NONE, "");
    for (u32 rows : {8u, 64u, 256u})
        box_rows<2>(m, buffer, 64, rows, 1, CU_TENSOR_MAP_SWIZZLE_128B, " swizzled by 128");
    for (u32 rows : {8u, 64u, 256u})
        box_rows<2>(m, buffer, 16, rows, 1, CU_TENSOR_MAP_SWIZZLE_NONE, "");
    for (u32 rows : {16u, 64u})
        box_rows<2>(m, buffer, 256, rows, 1, CU_TENSOR_MAP_SWIZZLE_NONE, "");
    for (u32 planes : {2u, 8u, 32u})
        box_rows<3>(m, buffer, 64, 8, planes, CU_TENSOR_MAP_SWIZZLE_NONE, "");
}

/* ---- from SM to SM ---- */
enum { LOAD, STORE, PUT, PUT_ADD, SEND, SEND_ADD, WAYS };
static const char *const way_names[] = {"ld.v4", "st.v4", "bulk copy of 4 KB", "bulk add.u32 of 4 KB", "st.async.v4", "red.async.add.u32"};
/* Blocks move `bytes` to their right neighbour, or from it: all of them, or the even ones. */
template <int WAY> __global__ void far(mark *m, u32 bytes, int all, u32 *out)
{
    __shared__ __align__(8) u64 word;
    u32 me = cluster_rank(), size = cluster_size(), there = (me + 1) % size, own = shared_address(dynamic), bar = shared_address(&word), sum = 0;
    u32 to = remote(own, there), to_bar = remote(bar, there);
    bool receives = all || (me & 1), sends = all || !(me & 1);
    if (threadIdx.x == 0) {
        barrier_init(bar, 1);
        barrier_init_seen();
    }
    __syncthreads();
    if (threadIdx.x == 0 && WAY >= PUT)
        barrier_expect(bar, receives ? bytes : 0);
    for (u32 r = 0; r < 2; r++) {
        cluster_sync();
        u64 begin = clock64();
        if (sends && (WAY == LOAD || WAY == STORE || WAY >= SEND)) {
            u32 each = WAY == SEND_ADD ? 4 : 16;
#pragma unroll 4
            for (u32 i = threadIdx.x * each; i < bytes; i += blockDim.x * each) {
                u32 at = to + (i & 32767), x, y, z, w;
                if (WAY == LOAD) {
                    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at));
                    sum += x ^ y ^ z ^ w;
                } else if (WAY == STORE)
                    asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(i) : "memory");
                else if (WAY == SEND)
                    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %1, %1}, [%2];" ::"r"(at), "r"(i), "r"(to_bar) : "memory");
                else
                    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(at), "r"(1), "r"(to_bar) : "memory");
            }
        }
        if (sends && (WAY == PUT || WAY == PUT_ADD) && threadIdx.x == 0)
            for (u32 i = 0; i < bytes; i += 4096) {
                if (WAY == PUT)
                    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(to + (i & 32767)), "r"(own + (i & 32767)), "r"(to_bar)
                                 : "memory");
                else
                    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], 4096, [%2];" ::"r"(to + (i & 32767)),
                                 "r"(own + (i & 32767)), "r"(to_bar)
                                 : "memory");
            }
        if (sum == 77)
            *out = sum;
        if (WAY >= PUT && threadIdx.x == 0)
            barrier_wait(bar, r);
        if (WAY == LOAD)
            __syncthreads();
        else if (WAY == STORE)
            cluster_sync();
        u64 end = clock64();
        if (WAY >= PUT && threadIdx.x == 0 && r == 0)
            barrier_expect(bar, receives ? bytes : 0);
        if (WAY >= PUT ? !receives : !sends)
            begin = end;
        note(m, begin, end);
    }
    cluster_sync();
}
template <int WAY> static void far_rows(mark *m, u32 *out)
{
    char type[80];
    check(cudaFuncSetAttribute((const void *)far<WAY>, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072), "shared memory");
    for (int everywhere = 0; everywhere < (measure.few ? 1 : 2); everywhere++)
        for (int all = 0; all < 2; all++)
            for (unsigned size : {2u, 4u, 8u, 16u}) {
                if (!all && size != 2)
                    continue;
                std::vector<double> v;
                unsigned blocks = everywhere ? (unsigned)measure.sms / size * size : size;
                if (everywhere && size > 4)
                    blocks = (unsigned)measure.sms * 3 / 4 / size * size; /* a GPC need not have room for all */
                /* all of an SM, so that each block has one to itself */
                for (int k = measure.few ? 0 : -1; k < measure.repetitions; k++) {
                    double cycles[2];
                    for (int far_off = 0; far_off < 2; far_off++) {
                        launch_cluster(far<WAY>, blocks, 1024u, size, 131072, m, far_off ? 98304u : 16384u, all, out);
                        finish("far");
                        cycles[far_off] = longest(m, blocks);
                    }
                    if (k >= 0 || measure.small)
                        v.push_back(81920 / (cycles[1] - cycles[0]));
                }
                snprintf(type, sizeof type, "%s; %s; %s", way_names[WAY], all ? "ring" : "one way", everywhere ? "all SMs" : "one cluster");
                row("SM to SM; slope of 16 to 96 KB; blocks a cluster", type, size, v, "bytes/cycle/SM", true);
            }
}
/* One operation on the memory of the neighbour between two readings of the clock, by one thread of the first block. */
enum { FAR_LOAD, FAR_STORE, FAR_STORE_FENCE, FAR_STORE_FENCE_SC, FAR_ARRIVE, FAR_ARRIVE_RELAXED, FAR_ATOMIC, FAR_RED, FAR_SEND, FAR_PUT, FAR_SINGLES };
static const char *const far_names[] = {"ld", "st", "st and fence.acq_rel.cluster", "st and fence.sc.cluster", "mbarrier.arrive.release", "mbarrier.arrive.relaxed",
                                        "atom.add.u32", "red.add.u32", "st.async", "cp.async.bulk of 16 bytes"};
template <int kind> __global__ void far_singles(mark *m, int busy, u32 *out)
{
    __shared__ __align__(16) u32 words[64];
    __shared__ __align__(8) u64 bars[2];
    __shared__ volatile u32 stop;
    u32 me = cluster_rank(), own = shared_address(words), at = remote(own, 1), bar = remote(shared_address(&bars[0]), 1), x = 0;
    u64 least = ~0ull;
    if (threadIdx.x < 64)
        words[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        barrier_init(shared_address(&bars[0]), 1000);
        barrier_init_seen();
        stop = 0;
    }
    cluster_sync();
    if (me == 0 && threadIdx.x == 0) {
        for (int r = 0; r < 9; r++) {
            for (u64 since = clock64(); clock64() - since < 2000;)
                ;
            u64 begin = clock64();
            switch (kind) {
            case FAR_LOAD:
                asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(at + x) : "memory");
                break;
            case FAR_STORE:
            case FAR_STORE_FENCE:
            case FAR_STORE_FENCE_SC:
                asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(x) : "memory");
                if (kind == FAR_STORE_FENCE)
                    asm volatile("fence.acq_rel.cluster;" ::: "memory");
                else if (kind == FAR_STORE_FENCE_SC)
                    asm volatile("fence.sc.cluster;" ::: "memory");
                break;
            case FAR_ARRIVE:
                asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar) : "memory");
                break;
            case FAR_ARRIVE_RELAXED:
                asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar) : "memory");
                break;
            case FAR_ATOMIC:
                asm volatile("atom.shared::cluster.add.u32 %0, [%1], 0;" : "=r"(x) : "r"(at + x) : "memory");
                break;
            case FAR_RED:
                asm volatile("red.shared::cluster.add.u32 [%0], 0;" ::"r"(at) : "memory");
                break;
            case FAR_SEND:
                asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(at), "r"(x), "r"(bar) : "memory");
                break;
            default:
                asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(at), "r"(own), "r"(bar) : "memory");
            }
            if (x == 77)
                *out = x;
            u64 end = clock64();
            if (r && end - begin < least)
                least = end - begin;
        }
        m[0].begin = 0;
        m[0].end = least;
        stop = 1;
    } else if (me == 0 && busy && threadIdx.x >= 32) { /* the other warps keep the way busy */
        while (!stop) {
            u32 y;
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(y) : "r"(at + threadIdx.x % 32 * 4) : "memory");
            if (y == 77)
                *out = y;
        }
    }
    cluster_sync();
}
/* To and fro between two blocks of a cluster of 2, one way: how 0 mbarrier.arrive.relaxed, 1 st.async, 2 red.async, 3 st and arrive.release, 4 multicast to
 * both, 5 atomics that are polled by the far side. */
__global__ void far_ping(mark *m, int how)
{
    __shared__ __align__(16) u32 data[4];
    __shared__ __align__(8) u64 word;
    __shared__ volatile u32 flag;
    u32 me = cluster_rank(), there = me ^ 1, bar = shared_address(&word), far_bar = remote(bar, there), far_data = remote(shared_address(data), there),
        far_flag = remote(shared_address((const void *)&flag), there);
    if (threadIdx.x == 0) {
        barrier_init(bar, 1);
        flag = 0;
        barrier_init_seen();
    }
    cluster_sync();
    if (threadIdx.x == 0) {
        u64 begin = clock64();
        for (u32 i = 0; i < 64; i++)
            for (u32 turn = 0; turn < 2; turn++)
                if (turn == me) {
                    if (how == 0)
                        asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(far_bar) : "memory");
                    else if (how == 1)
                        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(far_data), "r"(i), "r"(far_bar) : "memory");
                    else if (how == 2)
                        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(far_data), "r"(i), "r"(far_bar) : "memory");
                    else if (how == 3)
                        asm volatile("st.shared::cluster.u32 [%0], %1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%2];" ::"r"(far_data), "r"(i), "r"(far_bar) : "memory");
                    else
                        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(far_flag) : "memory");
                } else if (how == 4)
                    while (flag != i + 1)
                        ;
                else {
                    if (how == 1 || how == 2)
                        barrier_expect(bar, 4);
                    barrier_wait(bar, i & 1);
                }
        u64 end = clock64();
        m[me].begin = begin;
        m[me].end = end;
    }
    cluster_sync();
}
template <int kind> static void far_single_row(mark *m, u32 *out)
{
    row("one operation on another block's memory between two readings of the clock", far_names[kind], 2,
        cycles_of(m, 1, far_names[kind], [&] { launch_cluster(far_singles<kind>, 2u, 32u, 2u, 0, m, 0, out); }), "cycles");
    if constexpr (kind + 1 < FAR_SINGLES)
        far_single_row<kind + 1>(m, out);
}
static void cluster_rows(mark *m, char *buffer)
{
    u32 *out = (u32 *)buffer;
    far_single_row<0>(m, out);
    for (unsigned warps : {1u, 4u, 16u, 31u})
        row("ld of another block's memory while warps of its own load there too; warps", "ld", warps,
            cycles_of(m, 1, "busy", [&] { launch_cluster(far_singles<FAR_LOAD>, 2u, 32 * (1 + warps), 2u, 0, m, 1, out); }), "cycles");
    static const char *const pings[] = {"mbarrier.arrive.relaxed", "st.async.b32", "red.async", "st then mbarrier.arrive.release", "red polled"};
    for (int how = 0; how < 5; how++)
        row("to and fro in a cluster of 2 one way", pings[how], 2, cycles_of(m, 128, pings[how], [&] { launch_cluster(far_ping, 2u, 32u, 2u, 0, m, how); }), "cycles");
}
static void all_far_rows(mark *m, char *buffer)
{
    u32 *out = (u32 *)buffer;
    far_rows<LOAD>(m, out);
    far_rows<STORE>(m, out);
    far_rows<PUT>(m, out);
    far_rows<PUT_ADD>(m, out);
    far_rows<SEND>(m, out);
    far_rows<SEND_ADD>(m, out);
}

int main(int argc, char **argv)
{
    begin_program(argc, argv);
    if (measure.major < 9) {
        printf("# compute capability 9.0 is needed\n");
        return 0;
    }
    mark *m = device_array<mark>(8192);
    char *buffer = device_array<char>((size_t)260 << 20);
    if (wanted("singles"))
        single_rows(m, buffer);
    if (wanted("block"))
        block_rows(m);
    if (wanted("meeting"))
        meeting_rows(m);
    if (wanted("tensors"))
        tensor_rows(m, buffer);
    if (wanted("clusters"))
        cluster_rows(m, buffer);
    if (wanted("far"))
        all_far_rows(m, buffer);
    if (wanted("copies"))
        copy_rows(m, buffer);
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

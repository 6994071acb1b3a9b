/* Latencies and bandwidths of the memory system, by working set.
 *
 * A chain of dependent loads goes through the lines of a working set in an order that no prefetcher knows; one thread
 * walks it. `near` keeps it inside 2 MB at a time, so that it says little of the TLBs; `far` jumps anywhere. */
#include "measure.h"

enum { LINE = 128, PAGE_LINES = (2 << 20) / LINE };

/* A permutation of the numbers below `count`, a power of two. */
static __device__ u32 scattered(u32 k, u32 count)
{
    u32 mask = count - 1, bits = 32 - __clz(mask), half = bits / 2 + 1;
    if (count < 4)
        return k;
    k = (k * 0x9e3779b1u) & mask;
    k ^= k >> half;
    k = (k * 0x85ebca6bu) & mask;
    k ^= k >> half;
    return (k * 0xc2b2ae35u) & mask;
}
static __device__ u64 place(u64 k, u32 group)
{
    return k / group * group + scattered((u32)(k % group), group);
}
/* Each line's first word is the address of the next one. Lines are permuted within groups. */
__global__ void link_lines(char *base, u64 lines, u32 group)
{
    for (u64 k = blockIdx.x * (u64)blockDim.x + threadIdx.x; k < lines; k += (u64)gridDim.x * blockDim.x)
        *(u64 *)(base + place(k, group) * LINE) = (u64)(base + place(k + 1 == lines ? 0 : k + 1, group) * LINE);
}
__global__ void touch_all(const char *base, u64 lines, u64 *out)
{
    u64 x = 0;
    for (u64 k = blockIdx.x * (u64)blockDim.x + threadIdx.x; k < lines; k += (u64)gridDim.x * blockDim.x) {
        u64 y;
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(y) : "l"(base + k * LINE));
        x += y;
    }
    if (x == 1)
        *out = x;
}
template <bool L1> static __device__ __forceinline__ u64 follow(u64 p)
{
    if (L1)
        asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
    else
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
    return p;
}
template <bool L1> __global__ void chase(mark *m, u64 *last, u64 start, int warm, int steps)
{
    u64 p = start;
    for (int i = 0; i < warm; i++)
        p = follow<L1>(p);
    if (warm)
        p = start;
    u64 begin = clock64();
#pragma unroll 1
    for (int i = 0; i < steps; i += 16) {
        R16(p = follow<L1>(p);)
    }
    u64 end = clock64();
    *last = p;
    note(m, begin, end);
}

/* The ways to walk: by ld.ca or ld.cg; for the first time after all SMs have read the set, or again; near or far. */
static const struct {
    const char *name;
    bool l1, again, far;
} walks[] = {{"ca", true, true, false},
             {"cg first near", false, false, false},
             {"cg again near", false, true, false},
             {"cg first far", false, false, true},
             {"cg again far", false, true, true}};
/* Sizes of working sets, each the next power of two or three times one; with --few only where something changes on
 * cards, and no further than twice what caches hold. */
static std::vector<size_t> sizes(size_t first, size_t most)
{
    std::vector<size_t> v;
    if (measure.few)
        v = {4, 16, 64, 96, 128, 192, 256, 384, 1024, 4096, 8192, 16384, 24576, 32768, 65536, 98304};
    else
        for (size_t kb = first; kb * 1024 <= most; kb = kb & (kb - 1) ? kb / 3 * 4 : kb * 3 / 2)
            v.push_back(kb);
    return v;
}
static void latency_ladder(mark *m, u64 *out, char *buffer, size_t most)
{
    for (size_t kb : sizes(4, most)) {
        bool linked = false;
        u32 linked_group = 0;
        for (const auto &walk : walks) {
            u64 lines = kb * 1024 / LINE;
            u32 own = (u32)(lines & (0 - lines)), group = !walk.far && own > PAGE_LINES ? (u32)PAGE_LINES : own;
            if ((walk.l1 && kb > 1024) || (walk.far && kb <= 2048) || (walk.again && lines > 65536))
                continue;
            u64 most_steps = measure.small ? 256 : measure.few ? (walk.l1 ? 8192 : 2048) : walk.again ? 65536 : 16384;
            int steps = (int)std::min<u64>((lines + 15) / 16 * 16, most_steps);
            int warm = walk.again ? measure.few ? steps : (int)std::min<u64>(lines, 65536) : 0;
            if (!linked || group != linked_group)
                link_lines<<<256, 256>>>(buffer, lines, group);
            finish("link");
            linked = true;
            linked_group = group;
            std::vector<double> v;
            for (int k = 0; k < (measure.small || measure.few ? 1 : 3); k++) {
                touch_all<<<256, 256>>>(buffer, lines, out);
                if (walk.l1)
                    chase<true><<<1, 1>>>(m, out, (u64)buffer, warm, steps);
                else
                    chase<false><<<1, 1>>>(m, out, (u64)buffer, warm, steps);
                finish("chase");
                mark h = from_device(m, 1)[0];
                v.push_back((double)(h.end - h.begin) / steps);
            }
            row("chase KB", walk.name, (long)kb, v, "cycles");
        }
    }
}

/* Latencies of single loads from the L2 by one SM alone, of lines that lie anywhere in a set that all SMs have read: the
 * first load of a line, and the second one. */
__global__ void hits(const char *base, u64 lines, int count, u32 sm, unsigned short *to)
{
    if (threadIdx.x || my_sm() != sm)
        return;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) {
            u64 a = (u64)base + (u64)scattered((u32)i * 37u + 5, (u32)lines) * LINE, x, begin = clock64();
            asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(x) : "l"(a) : "memory");
            if (x == 1) /* no line's word is 1: the second clock waits for the load */
                to[0] = 1;
            u64 end = clock64();
            to[2 * i + k] = (unsigned short)(end - begin);
        }
}
static void hit_map(u64 *out, char *buffer)
{
    int count = measure.small ? 8 : 512, step = measure.small ? 8 : 6;
    u64 lines = (u64)(measure.small ? 1 << 16 : 8 << 20) / LINE;
    unsigned short *to = device_array<unsigned short>((size_t)2 * count);
    std::vector<unsigned> buckets[2] = {std::vector<unsigned>(256), std::vector<unsigned>(256)};
    FILE *f = getenv("MEASURE_MAP") ? fopen(getenv("MEASURE_MAP"), "w") : nullptr;
    for (int sm = 0; sm < measure.sms; sm += step) {
        touch_all<<<256, 256>>>(buffer, lines, out);
        hits<<<(unsigned)measure.sms, 32>>>(buffer, lines, count, (u32)sm, to);
        finish("hits");
        std::vector<unsigned short> h = from_device(to, (size_t)2 * count);
        for (int k = 0; k < 2; k++) {
            std::vector<double> v;
            for (int i = 0; i < count; i++) {
                v.push_back(h[(size_t)(2 * i + k)]);
                buckets[k][std::min(h[(size_t)(2 * i + k)] / 10, 255)]++;
                if (f)
                    fprintf(f, "%u%c", h[(size_t)(2 * i + k)], i + 1 < count ? ',' : '\n');
            }
            row("L2 hit by SM", k ? "again" : "first", sm, v, "cycles");
        }
    }
    for (int k = 0; k < 2; k++)
        for (unsigned b = 0; b < 256; b++)
            if (buckets[k][b])
                row("L2 hit histogram from cycles", k ? "again" : "first", (long)b * 10, {(double)buckets[k][b]}, "loads");
    if (f)
        fclose(f);
}

/* Bandwidth: all blocks go through the working set again and again, each at another place. */
enum way { READ, WRITE, COPY };
__global__ void stream(mark *m, uint4 *a, u64 words, int rounds, int way, u64 *out)
{
    u64 threads = (u64)gridDim.x * blockDim.x, me = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    uint4 x = make_uint4(1, 2, 3, 4);
    u32 sum = 0;
    __syncthreads();
    u64 begin = clock64();
    for (int r = 0; r < rounds; r++)
        for (u64 i = me; i < words; i += 4 * threads)
#pragma unroll
            for (int k = 0; k < 4; k++) {
                u64 j = i + k * threads;
                if (j >= words)
                    continue;
                if (way != WRITE)
                    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                                 : "l"(a + j));
                if (way != READ)
                    asm volatile("st.global.cg.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(a + j + (way == COPY ? words : 0)),
                                 "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
                                 : "memory");
                else
                    sum += x.x ^ x.y ^ x.z ^ x.w;
            }
    __syncthreads();
    u64 end = clock64();
    if (sum == 77)
        *out = sum;
    note(m, begin, end);
}
static void bandwidth_ladder(mark *m, u64 *out, char *buffer, size_t most)
{
    static const char *const names[] = {"read", "write", "copy"};
    cudaEvent_t e0, e1;
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    unsigned blocks = (unsigned)measure.sms * 2, threads = measure.small ? 128 : 1024;
    for (size_t kb : sizes(measure.small ? 64 : 1024, most))
        for (int way = READ; way <= COPY; way++) {
            u64 words = kb * 1024 / 16 / (way == COPY ? 2 : 1);
            int all_rounds = measure.small ? 1 : (int)std::max<u64>(1, (measure.few ? (u64)24 << 10 : (u64)2 << 20) / kb);
            std::vector<double> gbs, per_cycle;
            if (measure.few && kb != 4096 && ((kb != 24576 && kb != 65536) || way != READ))
                continue;
            /* What no cache holds is not to be read twice for nothing, and what was read before is in a cache. */
            char *from = buffer + (measure.few && kb > 32768 ? most / 2 : 0);
            for (int k = measure.few && kb > 32768 ? 0 : -1; k < (measure.small ? 0 : measure.few ? 1 : 3); k++) {
                int rounds = k < 0 && measure.few ? 1 : all_rounds; /* the first launch fills caches */
                cudaEventRecord(e0);
                stream<<<blocks, threads>>>(m, (uint4 *)from, words, rounds, way, out);
                cudaEventRecord(e1);
                finish("stream");
                float ms = 0;
                cudaEventElapsedTime(&ms, e0, e1);
                double bytes = (double)words * 16 * rounds * (way == COPY ? 2 : 1);
                if (k < 0 && !measure.small)
                    continue;
                gbs.push_back(bytes / ms / 1e6);
                per_cycle.push_back(bytes / longest(m, blocks));
            }
            row("bandwidth KB", names[way], (long)kb, gbs, "GB/s", true);
            row("bandwidth KB", names[way], (long)kb, per_cycle, "bytes/cycle", true);
        }
}

/* The L1: each SM reads a working set of its own, again and again, by loads of 4, 8 or 16 bytes, four at a time. */
template <int BYTES> static __device__ __forceinline__ u32 near_read(const char *p)
{
    u32 x = 0, y = 0, z = 0, w = 0;
    if (BYTES == 4)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(p));
    else if (BYTES == 8)
        asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p));
    else
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p));
    return x ^ y ^ z ^ w;
}
template <int BYTES> __global__ void __launch_bounds__(1024) near_reads(mark *m, const char *a, u32 size, int rounds, u64 *out)
{
    u32 sum = 0, step = blockDim.x * BYTES;
    const char *base = a + (u64)my_sm() * size + threadIdx.x * BYTES, *end_of = a + (u64)my_sm() * size + size;
    u64 begin = 0;
    for (int r = -1; r < rounds; r++) {
        if (r == 0) {
            __syncthreads();
            begin = clock64();
        }
        const char *p = base;
        for (; p + 3 * step < end_of; p += 4 * step)
            sum ^= near_read<BYTES>(p) ^ near_read<BYTES>(p + step) ^ near_read<BYTES>(p + 2 * step) ^ near_read<BYTES>(p + 3 * step);
        for (; p < end_of; p += step)
            sum ^= near_read<BYTES>(p);
    }
    __syncthreads();
    u64 end = clock64();
    if (sum == 77)
        *out = sum;
    note(m, begin, end);
}
static void near_ladder(mark *m, u64 *out, char *buffer)
{
    for (u32 kb : {8u, 16u, 32u, 64u, 96u, 128u, 160u, 192u, 224u, 256u, 320u, 384u, 512u})
        for (int bytes : {4, 8, 16}) {
            if ((measure.small && kb > 16) || (measure.few && kb != 32 && (kb % 64 || kb == 64 || kb == 320 || kb == 512)))
                continue;
            std::vector<double> v;
            /* Warps whose lines stay in the L1 get ahead of others, round by round, so that a set it cannot hold takes all of them. */
            int rounds = measure.small ? 1 : measure.few && kb < 256 ? (int)std::max(1u, 256 / kb) : (int)(8192 / kb);
            unsigned blocks = (unsigned)measure.sms, threads = measure.small ? 256 : 1024;
            for (int k = 0; k < (measure.small || measure.few ? 1 : 3); k++) {
                if (bytes == 4)
                    near_reads<4><<<blocks, threads>>>(m, buffer, kb * 1024, rounds, out);
                else if (bytes == 8)
                    near_reads<8><<<blocks, threads>>>(m, buffer, kb * 1024, rounds, out);
                else
                    near_reads<16><<<blocks, threads>>>(m, buffer, kb * 1024, rounds, out);
                finish("near");
                v.push_back(rate_of_sm(m, blocks, (double)kb * 1024 * rounds));
            }
            char type[32];
            snprintf(type, sizeof type, "ca %d bytes a lane", bytes);
            row("L1 bandwidth KB", type, kb, v, "bytes/cycle/SM", true);
        }
}

/* Shared and constant memory. In `bank_reads` lanes lie `stride` words apart: a conflict of that degree, for powers of
 * two. */
__global__ void shared_chain(mark *m, u32 *out, u32 stride)
{
    __shared__ u32 words[1024];
    for (u32 i = threadIdx.x; i < 1024; i += 32)
        words[i] = (u32)__cvta_generic_to_shared(&words[(i + 32) & 1023]);
    __syncthreads();
    u32 p = (u32)__cvta_generic_to_shared(&words[threadIdx.x * stride % 1024]);
    u64 begin = clock64();
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        R16(asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");)
    }
    u64 end = clock64();
    out[threadIdx.x] = p;
    note(m, begin, end);
}
template <int WORDS, bool STORES> __global__ void __launch_bounds__(1024) bank_reads(mark *m, u32 *out, u32 stride)
{
    __shared__ __align__(16) u32 words[4096];
    for (u32 i = threadIdx.x; i < 4096; i += blockDim.x)
        words[i] = i;
    u32 p = (u32)__cvta_generic_to_shared(&words[threadIdx.x % 32 * stride * WORDS % 4096]), x = 0, y = 0, z = 0, w = 0;
    __syncthreads();
    u64 begin = clock64();
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        if (STORES) {
            R16(asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(p), "r"(i) : "memory");)
        } else if (WORDS == 1) {
            R16(asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(p) : "memory");)
        } else if (WORDS == 2) {
            R16(asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(p) : "memory");)
        } else {
            R16(asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(p) : "memory");)
        }
    }
    __syncthreads();
    u64 end = clock64();
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z + w;
    note(m, begin, end);
}
__constant__ u32 table[2048];
__global__ void constant_chain(mark *m, u32 *out, u32 spread)
{
    u32 p = threadIdx.x * spread * 4;
    u64 begin = clock64();
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        R16(p = table[p / 4 & 2047];)
    }
    u64 end = clock64();
    out[threadIdx.x] = p;
    note(m, begin, end);
}
template <int WORDS, bool STORES> static void banks(mark *m, u32 *out, const char *type, u32 stride)
{
    unsigned blocks = 2 * (unsigned)(measure.small ? 1 : measure.sms), threads = measure.small ? 128 : 1024;
    std::vector<double> v;
    for (int k = 0; k < measure.repetitions; k++) {
        bank_reads<WORDS, STORES><<<blocks, threads>>>(m, out, stride);
        finish("banks");
        v.push_back(1 / rate_of_sm(m, blocks, threads / 32 * 128.0));
    }
    row("shared: cycles an access of a warp; stride", type, stride, v, "cycles");
}
static void near_memories(mark *m, u32 *out)
{
    for (u32 stride : {1u, 2u, 4u, 8u, 16u, 32u})
        row("shared chain; stride", "ld.shared.u32", stride, cycles_of(m, 128, "shared", [&] { shared_chain<<<1, 32>>>(m, out, stride); }), "cycles");
    for (u32 stride : {0u, 1u, 2u, 3u, 4u, 8u, 16u, 32u, 33u}) {
        banks<1, false>(m, out, "ld.u32", stride);
        banks<1, true>(m, out, "st.u32", stride);
    }
    for (u32 stride : {0u, 1u, 2u, 4u, 8u}) {
        banks<2, false>(m, out, "ld.v2.u32", stride);
        banks<4, false>(m, out, "ld.v4.u32", stride);
    }
    std::vector<u32> t(2048);
    for (u32 size : {64u, 512u, 2048u}) { /* words that the chain goes through */
        for (u32 i = 0; i < 2048; i++)
            t[i] = (i + 16) % size * 4;
        cudaMemcpyToSymbol(table, t.data(), sizeof table);
        row("constant chain; words", "ld.const.u32", size, cycles_of(m, 128, "constant", [&] { constant_chain<<<1, 32>>>(m, out, 0); }), "cycles");
    }
    for (u32 lanes_apart : {0u, 1u}) {
        for (u32 i = 0; i < 2048; i++)
            t[i] = i * 4;
        cudaMemcpyToSymbol(table, t.data(), sizeof table);
        row("constant chain; words between lanes", "ld.const.u32", lanes_apart,
            cycles_of(m, 128, "constant", [&] { constant_chain<<<1, 32>>>(m, out, lanes_apart); }), "cycles");
    }
}

int main(int argc, char **argv)
{
    begin_program(argc, argv);
    size_t most = (size_t)(measure.small ? 256 << 10 : 512 << 20);
    mark *m = device_array<mark>(8192);
    u64 *out = device_array<u64>(1 << 20);
    char *buffer;
    check(cudaMalloc(&buffer, 2 * most), "memory");
    if (wanted("near"))
        near_memories(m, (u32 *)out);
    if (wanted("ladder"))
        latency_ladder(m, out, buffer, most);
    if (wanted("map"))
        hit_map(out, buffer);
    if (wanted("L1"))
        near_ladder(m, out, buffer);
    if (wanted("bandwidth"))
        bandwidth_ladder(m, out, buffer, 2 * most);
    return 0;
}

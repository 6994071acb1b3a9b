// Members of cooperative groups under divergence, against the host: kernels note for each thread the first member of its
// group, its rank, the group's size and what the collectives gave; the host puts the groups together from the notes and
// computes the same. Arguments: seed.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <map>
#include <vector>
namespace cg = cooperative_groups;

#define THREADS 192
#define KINDS 8

// Maps x -> a * x + b, whose composition is associative, but no order may be changed: later members come first.
struct affine {
    unsigned a, b;
};
struct compose {
    __host__ __device__ affine operator()(affine f, affine g) const
    {
        return {g.a * f.a, g.a * f.b + g.b};
    }
};
__host__ __device__ inline unsigned mix(unsigned a, unsigned b)
{
    unsigned h = a * 0x9E3779B9u ^ (b + 0x7F4A7C15u) * 0x85EBCA6Bu;
    h ^= h >> 15;
    h *= 0xC2B2AE35u;
    return h ^ h >> 13;
}

struct note {
    unsigned leader, rank, size, meta_rank, meta_size;
    unsigned sum, most, either, bits, equal, up, down, got, call;
    int any, all, all_equal;
    affine upto, before;
};

// What every group has.
template <class Group> __device__ note take(const Group &g, unsigned value)
{
    note n = {};
    n.leader = g.shfl(threadIdx.x, 0);
    n.rank = g.thread_rank();
    n.size = g.size();
    n.meta_rank = g.meta_group_rank();
    n.meta_size = g.meta_group_size();
    n.sum = cg::reduce(g, value, cg::plus<unsigned>());
    n.most = cg::reduce(g, value, cg::greater<unsigned>());
    n.either = cg::reduce(g, value, [](unsigned a, unsigned b) { return a ^ b; });
    n.bits = g.ballot(value & 1);
    n.equal = g.match_any(value % 3);
    n.any = g.any(value % 16 == 3);
    n.all = g.all(value % 16 != 3);
    unsigned same = g.match_all(value % 4 < 3, n.all_equal);
    n.all_equal = n.all_equal ? (int)same : 0;
    n.up = g.shfl_up(value, 1);
    n.down = g.shfl_down(value, 2);
    n.got = g.shfl(value, n.size - 1);
    n.call = cg::invoke_one_broadcast(g, [&](unsigned extra) { return value + extra; }, 5u);
    affine f = {value | 1, value};
    n.upto = cg::inclusive_scan(g, f, compose());
    n.before = cg::exclusive_scan(g, f, compose());
    cg::sync(g);
    return n;
}

__global__ void notes(note *out, unsigned seed)
{
    unsigned t = threadIdx.x, value = mix(seed, t), path = mix(seed + 1, t) % 3;
    auto block = cg::this_thread_block();
    note *to = out + t;
    auto put = [&](unsigned kind, note n) { to[kind * THREADS] = n; };
    if (path) { // of the warp's threads some come here, by two ways, some with more to do
        for (unsigned i = 0; i < path; i++)
            value += i;
        auto together = cg::coalesced_threads();
        put(0, take(together, value));
        put(1, take(cg::labeled_partition(together, value % 5), value));
        put(2, take(cg::binary_partition(together, value % 7 < 3), value));
        put(3, take(cg::tiled_partition(together, 4), value));
    }
    block.sync();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    put(4, take(eight, value));
    cg::thread_block_tile<4> plain = cg::tiled_partition<4>(block);
    put(5, take(plain, value));
    if (mix(seed + 2, t / 8) % 2) { // whole tiles of eight
        const bool even = value % 2 == 0;
        put(6, take(seed % 2 ? cg::labeled_partition<8>(eight, even) : cg::binary_partition<8>(eight, even), value));
        put(7, take(cg::tiled_partition<2>(eight), value));
    }
}

static unsigned value_of(unsigned seed, unsigned kind, unsigned thread)
{
    unsigned path = mix(seed + 1, thread) % 3;
    return mix(seed, thread) + (path == 2);
}
static bool fits(const note *notes, const std::vector<unsigned> &threads, unsigned seed, unsigned kind)
{
    unsigned n = threads.size(), sum = 0, most = 0, either = 0, bits = 0, any = 0, all = 1, same = 1, bad = 0;
    std::vector<unsigned> v;
    for (unsigned i = 0; i < n; i++) {
        v.push_back(value_of(seed, kind, threads[i]));
        sum += v[i];
        most = v[i] > most ? v[i] : most;
        either ^= v[i];
        bits |= (v[i] & 1) << i;
        any |= v[i] % 16 == 3;
        all &= v[i] % 16 != 3;
        same &= (v[i] % 4 < 3) == (v[0] % 4 < 3);
    }
    affine f = {}, before = {};
    unsigned everybody = n == 32 ? ~0u : (1u << n) - 1;
    for (unsigned i = 0; i < n; i++) {
        const note &a = notes[kind * THREADS + threads[i]];
        affine own = {v[i] | 1, v[i]};
        before = f;
        f = i ? compose()(own, f) : own;
        unsigned equal = 0;
        for (unsigned k = 0; k < n; k++)
            equal |= (unsigned)(v[k] % 3 == v[i] % 3) << k;
        bad += a.rank != i || a.size != n || a.sum != sum || a.most != most || a.either != either;
        bad += a.bits != bits || (a.any != 0) != (any != 0) || (a.all != 0) != (all != 0) || a.equal != equal;
        bad += (unsigned)a.all_equal != (same ? everybody : 0) || a.got != v[n - 1] || a.call != v[0] + 5;
        bad += a.up != v[i ? i - 1 : 0] || a.down != v[i + 2 < n ? i + 2 : i];
        bad += a.upto.a != f.a || a.upto.b != f.b || a.before.a != before.a || a.before.b != before.b;
        bad += a.meta_rank >= a.meta_size;
    }
    return bad == 0;
}

// Which threads a kind of group joins, as far as that follows from the threads: -1 where they are not there.
static int label_of(unsigned seed, unsigned kind, unsigned t)
{
    unsigned v = value_of(seed, kind, t);
    if (kind < 4 && mix(seed + 1, t) % 3 == 0)
        return -1;
    if (kind >= 6 && mix(seed + 2, t / 8) % 2 == 0)
        return -1;
    int labels[KINDS] = {0, (int)(v % 5), v % 7 < 3, 0, 0, 0, v % 2 == 0, 0}, width[KINDS] = {32, 32, 32, 32, 8, 4, 8, 2};
    return (int)(t / width[kind]) * 8 + labels[kind];
}
static unsigned check(const note *notes, unsigned seed)
{
    unsigned wrong = 0;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        std::map<unsigned, std::vector<unsigned>> groups;
        for (unsigned t = 0; t < THREADS; t++)
            if (label_of(seed, kind, t) >= 0)
                groups[notes[kind * THREADS + t].leader].push_back(t);
        for (auto &group : groups) {
            bool right = fits(notes, group.second, seed, kind) && (kind != 3 || group.second.size() <= 4);
            for (unsigned t : group.second)
                right &= label_of(seed, kind, t) == label_of(seed, kind, group.second[0]);
            if (!right)
                printf("kind %u: group of thread %u is wrong\n", kind, group.first);
            wrong += !right;
        }
    }
    const note *n = notes;
    for (unsigned t = 0; t < THREADS; t++) {
        const note &eight = n[4 * THREADS + t], &four = n[5 * THREADS + t];
        wrong += eight.meta_rank != t % 32 / 8 || eight.meta_size != 4;
        wrong += four.meta_rank != t / 4 || four.meta_size != THREADS / 4;
        wrong += label_of(seed, 2, t) >= 0 && n[2 * THREADS + t].meta_rank != (value_of(seed, 2, t) % 7 < 3);
    }
    return wrong;
}

// Copies, calls by one member, barriers in two parts, and what blocks know of themselves.
__global__ void whole(unsigned *bad, const unsigned char *from)
{
    __shared__ alignas(16) unsigned char to[256];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    unsigned t = block.thread_rank(), wrong = 0;
    for (unsigned bytes : {256u, 100u, 77u}) {
        to[t % 256] = 0;
        block.sync();
        cg::memcpy_async(block, to, from, bytes);
        cg::wait(block);
        for (unsigned i = 0; i < 256 && t < 2; i++)
            wrong += to[i] != (i < bytes ? from[i] : 0);
        block.sync();
    }
    unsigned *words = (unsigned *)to;
    cg::memcpy_async(tile, words + tile.meta_group_rank() % 4 * 16, (size_t)20, (const unsigned *)from, (size_t)3);
    cg::wait_prior<0>(tile);
    for (unsigned i = 0; i < 3; i++)
        wrong += words[tile.meta_group_rank() % 4 * 16 + i] != ((const unsigned *)from)[i];
    block.sync();
    words[t / 16] = 0;
    block.sync();
    cg::invoke_one(tile, [&] { atomicAdd(&words[t / 16], 1u); });
    auto token = block.barrier_arrive();
    block.barrier_wait(static_cast<decltype(token) &&>(token));
    wrong += words[t / 16] != 1;
    wrong += block.dim_threads().x != 16 || block.thread_index().y != t / 16 || block.group_index().x != blockIdx.x;
    auto grid = cg::this_grid();
    wrong += grid.thread_rank() != blockIdx.x * blockDim.x * blockDim.y + t || grid.num_blocks() != gridDim.x;
#if defined(__clang__)
    auto cluster = cg::this_cluster();
    wrong += cluster.num_blocks() != 1 || cluster.block_rank() != 0 || cluster.thread_rank() != t;
    wrong += *cluster.map_shared_rank(&words[t / 16], 0) != 1 || cg::this_thread().size() != 1;
    cluster.sync();
#endif
    atomicAdd(bad, wrong);
}

// Scans of tiles of several warps.
__global__ void wide(unsigned *bad)
{
#if defined(__clang__)
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    cg::thread_block_tile<64> tile = cg::tiled_partition<64>(block);
    unsigned t = block.thread_rank(), first = t / 64 * 64;
    affine own = {2 * t + 1, t}, want = {2 * first + 1, first}, before = {0, 0};
    for (unsigned i = first + 1; i <= t; i++) {
        before = want;
        want = compose()(affine{2 * i + 1, i}, want);
    }
    affine got = cg::inclusive_scan(tile, own, compose()), less = cg::exclusive_scan(tile, own, compose());
    atomicAdd(bad, got.a != want.a || got.b != want.b || less.a != before.a || less.b != before.b);
    atomicAdd(bad, cg::exclusive_scan(tile, 1u) != t - first || tile.meta_group_rank() != t / 64);
#endif
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1, *bad, wrong;
    note *out;
    unsigned char *from;
    cudaMallocManaged(&out, KINDS * THREADS * sizeof *out);
    cudaMallocManaged(&bad, sizeof *bad);
    cudaMallocManaged(&from, 256);
    for (int i = 0; i < 256; i++)
        from[i] = (unsigned char)mix(seed, i);
    *bad = 0;
    notes<<<1, THREADS>>>(out, seed);
    whole<<<2, dim3(16, 16)>>>(bad, from);
    wide<<<1, 256>>>(bad);
    const char *error = cudaGetErrorString(cudaDeviceSynchronize());
    wrong = check(out, seed) + *bad;
    printf("%s, %u wrong\n", error, wrong);
    return wrong != 0;
}

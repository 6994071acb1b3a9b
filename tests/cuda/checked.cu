// Waiting and copies by libcu++ and cooperative groups, for --check: right programs, which nothing is to be found in. WRONG: one wait or
// fence is left out, by its number.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/ptx>
#include <cstdio>
#ifndef WRONG
#define WRONG 0
#endif
namespace cg = cooperative_groups;
constexpr int N = 256, ST = 3; // words of a tile, places for tiles

__global__ void bar(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    __shared__ alignas(16) int s[N];
    auto g = cg::this_thread_block();
    if (threadIdx.x == 0) init(&b, blockDim.x);
    g.sync();
    for (int i = 0; i < 4; i++) {
        cuda::memcpy_async(g, s, in + i * N, cuda::aligned_size_t<16>(sizeof s), b);
        if (WRONG == 1)
            __syncthreads();
        else
            b.arrive_and_wait();
        out[i * N + threadIdx.x] = s[N - 1 - threadIdx.x];
        b.arrive_and_wait();
    }
}
__global__ void token(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> ready, filled;
    __shared__ alignas(16) int s[N];
    if (threadIdx.x == 0) { init(&ready, blockDim.x); init(&filled, blockDim.x); }
    __syncthreads();
    if (threadIdx.x < 128) {
        for (int i = 0; i < 4; i++) {
            ready.arrive_and_wait();
            s[threadIdx.x] = in[i * N + threadIdx.x]; s[threadIdx.x + 128] = in[i * N + threadIdx.x + 128];
            auto t = filled.arrive(); (void)t;
        }
    } else {
        auto t = ready.arrive(); (void)t;
        for (int i = 0; i < 4; i++) {
            filled.arrive_and_wait();
            int x = threadIdx.x - 128;
            out[i * N + x] = s[N - 1 - x]; out[i * N + x + 128] = s[N - 1 - x - 128];
            if (i < 3) { auto u = ready.arrive(); (void)u; }
        }
    }
}
__global__ void pipe(const int *in, int *out)
{
    __shared__ alignas(16) int s[ST][N];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, ST> st;
    auto g = cg::this_thread_block();
    auto p = cuda::make_pipeline(g, &st);
    int next = 0;
    for (int i = 0; i < 6; i++) {
        for (; next < 6 && next < i + ST; next++) {
            p.producer_acquire();
            cuda::memcpy_async(g, s[next % ST], in + next * N, cuda::aligned_size_t<16>(sizeof s[0]), p);
            p.producer_commit();
        }
        p.consumer_wait();
        out[i * N + threadIdx.x] = s[i % ST][N - 1 - threadIdx.x];
        p.consumer_release();
    }
}
__global__ void roles(const int *in, int *out)
{
    __shared__ alignas(16) int s[ST][N];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, ST> st;
    auto g = cg::this_thread_block();
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto p = cuda::make_pipeline(g, &st, role);
    auto sub = cg::tiled_partition<32>(g);
    if (threadIdx.x < 32)
        for (int i = 0; i < 6; i++) {
            p.producer_acquire();
            cuda::memcpy_async(sub, s[i % ST], in + i * N, cuda::aligned_size_t<16>(sizeof s[0]), p);
            p.producer_commit();
        }
    else
        for (int i = 0; i < 6; i++) {
            if (WRONG != 2)
                p.consumer_wait();
            for (int x = threadIdx.x - 32; x < N; x += blockDim.x - 32) out[i * N + x] = s[i % ST][N - 1 - x];
            p.consumer_release();
        }
}
__global__ void priv(const int *in, int *out)
{
    __shared__ alignas(16) int s[2][N];
    auto p = cuda::make_pipeline();
    for (int i = 0; i < 2; i++) {
        p.producer_acquire();
        cuda::memcpy_async(&s[i][threadIdx.x], &in[i * N + threadIdx.x], sizeof(int), p);
        p.producer_commit();
    }
    for (int i = 0; i < 4; i++) {
        if (WRONG != 3)
            cuda::pipeline_consumer_wait_prior<1>(p);
        __syncthreads();
        out[i * N + threadIdx.x] = s[i % 2][N - 1 - threadIdx.x];
        __syncthreads();
        p.consumer_release();
        p.producer_acquire();
        if (i + 2 < 4) cuda::memcpy_async(&s[i % 2][threadIdx.x], &in[(i + 2) * N + threadIdx.x], sizeof(int), p);
        p.producer_commit();
    }
}
__global__ void cgm(const int *in, int *out)
{
    __shared__ alignas(16) int s[2][N];
    auto g = cg::this_thread_block();
    cg::memcpy_async(g, s[0], in, sizeof s[0]);
    for (int i = 0; i < 4; i++) {
        if (i < 3) { cg::memcpy_async(g, s[(i + 1) % 2], in + (i + 1) * N, sizeof s[0]); cg::wait_prior<1>(g); }
        else cg::wait(g);
        out[i * N + threadIdx.x] = s[i % 2][N - 1 - threadIdx.x];
        if (WRONG != 4)
            g.sync();
    }
}
#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
__global__ void __cluster_dims__(2) dsm(const int *in, int *out)
{
    __shared__ alignas(16) int s[N];
    auto c = cg::this_cluster();
    s[threadIdx.x] = in[threadIdx.x] + c.block_rank();
    if (WRONG != 5)
        c.sync();
    int *o = c.map_shared_rank(s, c.block_rank() ^ 1);
    out[blockIdx.x * N + threadIdx.x] = o[N - 1 - threadIdx.x];
    c.sync();
    atomicAdd(&o[threadIdx.x], 5);
    auto t = c.barrier_arrive();
    c.barrier_wait(std::move(t));
    out[blockIdx.x * N + threadIdx.x] += s[threadIdx.x];
}
__global__ void tma(const int *in, int *out)
{
    __shared__ alignas(128) int s[N];
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    if (threadIdx.x == 0) { init(&b, blockDim.x); cuda::device::experimental::fence_proxy_async_shared_cta(); }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token t;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(s, in, cuda::aligned_size_t<16>(sizeof s), b);
        t = cuda::device::barrier_arrive_tx(b, 1, 0);
    } else t = b.arrive();
    b.wait(std::move(t));
    s[threadIdx.x] += 3;
    if (WRONG != 6)
        cuda::device::experimental::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_shared_to_global(out, s, sizeof s);
        cuda::device::experimental::cp_async_bulk_commit_group();
        cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
    }
}
#endif
int main()
{
    int *in, *out; static int h[8 * N];
    for (int i = 0; i < 8 * N; i++) h[i] = i;
    cudaMalloc(&in, sizeof h); cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(out, 0, sizeof h);
    bar<<<1, N>>>(in, out);
    token<<<1, N>>>(in, out);
    pipe<<<1, N>>>(in, out);
    roles<<<1, N>>>(in, out);
    priv<<<1, N>>>(in, out);
    cgm<<<1, N>>>(in, out);
#ifdef CLUSTERS
    dsm<<<4, N>>>(in, out);
    tma<<<1, N>>>(in, out);
#endif
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

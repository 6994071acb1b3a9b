/* libcu++: atomics, waits, barriers, semaphores, latches, pipelines, and the vocabulary of its std, against the host.
 */
#include <cstdio>
#include <new>

#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/tuple>

#define THREADS 64
#define BLOCKS 3
#define STAGES 4

namespace cg = cooperative_groups;
using counter = cuda::atomic<int, cuda::thread_scope_device>;
using cuda::std::complex;

struct shared_state {
    counter added{0}, flag{0};
    cuda::binary_semaphore<cuda::thread_scope_device> one{1};
    cuda::counting_semaphore<cuda::thread_scope_device, 2> two{2};
    cuda::latch<cuda::thread_scope_device> all{BLOCKS};
    int plain = 0, guarded = 0, inside = 0, most = 0, seen = 0;
};

__global__ void counts(shared_state *s)
{
    s->added.fetch_add(threadIdx.x, cuda::std::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device>(s->plain).fetch_add(1);
}

/* Block 0 tells the others by a flag, on which they wait; then each block goes through both semaphores. */
__global__ void waits(shared_state *s)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        s->seen = 7;
        s->flag.store(1, cuda::std::memory_order_release);
        s->flag.notify_all();
    }
    s->flag.wait(0, cuda::std::memory_order_acquire);
    bool right = s->seen == 7;
    s->one.acquire();
    s->guarded += right;
    s->one.release();
    s->two.acquire();
    atomicMax(&s->most, atomicAdd(&s->inside, 1) + 1);
    atomicSub(&s->inside, 1);
    s->two.release();
    s->all.arrive_and_wait();
}

__global__ void barriers(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ int tile[THREADS];
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&ready, THREADS);
    block.sync();
    cuda::memcpy_async(block, tile, in, sizeof tile, ready);
    ready.arrive_and_wait();
    int other = tile[THREADS - 1 - threadIdx.x];
    auto token = ready.arrive();
    ready.wait(cuda::std::move(token));
    tile[threadIdx.x] = 0;
    out[threadIdx.x] = other;
}

__global__ void pipelines(const int *in, int *out)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int tiles[2][THREADS];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int next = 0, i = 0; i < STAGES; i++) {
        for (; next < STAGES && next < i + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tiles[next % 2], in + next * THREADS, sizeof tiles[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += tiles[i % 2][THREADS - 1 - threadIdx.x];
        pipe.consumer_release();
        block.sync(); /* a pipeline of all threads does not wait for what others still read */
    }
    out[threadIdx.x] = sum;
}

__host__ __device__ inline cuda::std::tuple<int, float> vocabulary(int i)
{
    cuda::std::array<int, 4> a{i, 2 * i, 3 * i, 4 * i};
    complex<float> z = complex<float>(1, i) * complex<float>(a[1], 2) / complex<float>(0, 1);
    cuda::std::chrono::milliseconds ms = cuda::std::chrono::seconds(i);
    return cuda::std::make_tuple(a[3] + (int)ms.count(), z.real() + 2 * z.imag());
}

__global__ void vocabularies(int *out, int *ticks)
{
    auto begin = cuda::std::chrono::high_resolution_clock::now();
    auto t = vocabulary(threadIdx.x);
    out[2 * threadIdx.x] = cuda::std::get<0>(t);
    out[2 * threadIdx.x + 1] = (int)cuda::std::get<1>(t);
    *ticks = cuda::std::chrono::high_resolution_clock::now() >= begin;
}

static int failures;

static void check(const char *name, bool right)
{
    printf("%s: %s\n", name, right ? "right" : "WRONG");
    failures += !right;
}

static void copies(int *in, int *out)
{
    bool right = true;
    for (int i = 0; i < STAGES * THREADS; i++)
        in[i] = i * i;
    barriers<<<1, THREADS>>>(in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < THREADS; i++)
        right = right && out[i] == in[THREADS - 1 - i];
    check("barrier and memcpy_async", right);
    pipelines<<<1, THREADS>>>(in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < THREADS; i++) {
        int sum = 0;
        for (int k = 0; k < STAGES; k++)
            sum += in[k * THREADS + THREADS - 1 - i];
        right = right && out[i] == sum;
    }
    check("pipeline", right);
}

int main()
{
    shared_state *s;
    int *in, *out;
    cudaMallocManaged(&s, sizeof *s);
    cudaMallocManaged(&in, STAGES * THREADS * sizeof *in);
    cudaMallocManaged(&out, (2 * THREADS + 1) * sizeof *out);
    new (s) shared_state;
    counts<<<BLOCKS, THREADS>>>(s);
    cudaDeviceSynchronize();
    check("atomic", s->added.load() == BLOCKS * THREADS * (THREADS - 1) / 2);
    check("atomic_ref", s->plain == BLOCKS * THREADS);
    waits<<<BLOCKS, THREADS>>>(s);
    cudaDeviceSynchronize();
    check("wait, notify, semaphores and latch", s->guarded == BLOCKS && s->most <= 2 && s->inside == 0);
    copies(in, out);
    vocabularies<<<1, THREADS>>>(out, out + 2 * THREADS);
    cudaDeviceSynchronize();
    bool right = out[2 * THREADS] == 1;
    for (int i = 0; i < THREADS; i++) {
        auto t = vocabulary(i);
        right = right && out[2 * i] == cuda::std::get<0>(t) && out[2 * i + 1] == (int)cuda::std::get<1>(t);
    }
    check("array, tuple, complex and chrono", right);
    return failures != 0 || cudaDeviceSynchronize() != cudaSuccess;
}

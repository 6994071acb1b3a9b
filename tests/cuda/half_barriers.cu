// Barriers of a block that warps of 32 threads come to by themselves, in ways that CUDA allows: on a machine with warps
// of 64 lanes two of them share one. Prints how many values are wrong. With PIECES defined the lanes of a warp come to every barrier at
// one of two instructions, a part after the other.
#include <cstdio>
#include <cuda_runtime.h>
#define WARPS 8
#define ROUNDS 5

#ifdef PIECES
#define COME(...)               \
    if (threadIdx.x % 3 == 0) { \
        __VA_ARGS__;            \
    } else {                    \
        __VA_ARGS__;            \
    }
#else
#define COME(...) __VA_ARGS__
#endif

__device__ __forceinline__ void bar_sync(unsigned number, unsigned threads)
{
    COME(asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory"));
}
__device__ __forceinline__ void bar_arrive(unsigned number, unsigned threads)
{
    COME(asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory"));
}
__device__ __forceinline__ void sync_all()
{
    COME(asm volatile("bar.sync 0;" ::: "memory"));
}

// Each warp has a barrier of its own, at one instruction.
__global__ void alone(unsigned *out)
{
    __shared__ unsigned s[WARPS * 32];
    unsigned t = threadIdx.x;
    for (unsigned i = 0; i < ROUNDS; i++) {
        s[t] = t + i;
        bar_sync(t / 32 + 1, 32);
        out[t] += s[t ^ 31];
        bar_sync(t / 32 + 1, 32);
    }
}

// Of some warps alone, in a branch.
__global__ void some(unsigned *out)
{
    __shared__ unsigned s[WARPS * 32];
    unsigned t = threadIdx.x, warp = t / 32;
    s[t] = 0;
    sync_all();
    for (unsigned i = 0; i < ROUNDS; i++)
        if (warp == 1 || warp == 2 || warp == 5) {
            s[t] = t + i;
            bar_sync(1, 96);
            out[t] += s[(warp == 1 ? 2 : warp == 2 ? 5 : 1) * 32 + t % 32];
            bar_sync(1, 96);
        } else if (warp == 0) {
            bar_sync(3, 32);
            out[t] += i;
        }
}

// All of a block, at different instructions.
__global__ void places(unsigned *out)
{
    __shared__ unsigned s[WARPS * 32];
    unsigned t = threadIdx.x;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (t / 32 % 2) {
            s[t] = t + i;
            sync_all();
            out[t] += s[t ^ 32] + 1000;
        } else {
            s[t] = 2 * t + i;
            sync_all();
            out[t] += s[t ^ 32];
        }
        sync_all();
    }
}

// Even warps make, odd ones take: each pair has a barrier for "full" and one for "empty".
__global__ void pairs(unsigned *out)
{
    __shared__ unsigned s[WARPS * 32];
    unsigned t = threadIdx.x, pair = t / 64, full = 1 + 2 * pair, empty = 2 + 2 * pair, at = pair * 32 + t % 32;
    if (t / 32 % 2 == 0) {
        for (unsigned i = 0; i < ROUNDS; i++) {
            bar_sync(empty, 64);
            s[at] = t * 3 + i;
            bar_arrive(full, 64);
        }
        out[t] = ROUNDS;
    } else {
        for (unsigned i = 0; i < ROUNDS; i++) {
            bar_arrive(empty, 64);
            bar_sync(full, 64);
            out[t] += s[at];
        }
    }
}

// Warps 0 and 3, 1 and 2, 4 and 7, 5 and 6 have a barrier each: those that share a warp of 64 are at different ones.
__global__ void crosswise(unsigned *out)
{
    __shared__ unsigned s[WARPS * 32];
    unsigned t = threadIdx.x, warp = t / 32, other = warp ^ 3, number = 1 + (warp & 4) + ((warp ^ warp >> 1) & 1) * 2;
    for (unsigned i = 0; i < ROUNDS; i++)
        if (warp % 2) {
            s[t] = t + i;
            bar_sync(number, 64);
            out[t] += s[other * 32 + t % 32];
            bar_sync(number, 64);
        } else {
            s[t] = t + i;
            bar_sync(number, 64);
            out[t] += s[other * 32 + t % 32] + 7;
            bar_sync(number, 64);
        }
}

// A count over two warps, one of which has ended lanes; the others count by themselves.
__global__ void counts(unsigned *out)
{
    unsigned t = threadIdx.x, n, pair = t / 64;
    if (t % 64 == 40)
        return;
    COME(asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; barrier.red.popc.u32 %0, %2, 64, p; }"
                      : "=r"(n)
                      : "r"(t % 3), "r"(pair + 1)
                      : "memory"));
    out[t] = n;
}

// Barriers of one warp, of two, and of the block, one after the other: while a half waits at one, the other half stands
// at another.
__global__ void mixed(unsigned *out)
{
    __shared__ unsigned s[WARPS * 32];
    unsigned t = threadIdx.x, warp = t / 32;
    for (unsigned i = 0; i < ROUNDS; i++) {
        s[t] = t + i;
        bar_sync(1 + warp, 32);
        out[t] += s[t ^ 31];
        sync_all();
        out[t] += s[t ^ 32];
        if (warp % 2) {
            bar_sync(9 + warp / 4, 64);
            out[t] += s[t ^ 64];
            sync_all();
        } else {
            sync_all();
            bar_sync(11 + warp / 4, 64);
        }
        s[t] = 0;
        sync_all();
    }
}

static unsigned expected(int kernel, unsigned t)
{
    unsigned warp = t / 32, sum = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        if (kernel == 0)
            sum += (t ^ 31) + i;
        else if (kernel == 1)
            sum += warp == 1   ? 64 + t % 32 + i
                   : warp == 2 ? 160 + t % 32 + i
                   : warp == 5 ? 32 + t % 32 + i
                   : warp == 0 ? i
                               : 0;
        else if (kernel == 2)
            sum += warp % 2 ? 2 * (t ^ 32) + i + 1000 : (t ^ 32) + i;
        else if (kernel == 3)
            sum += warp % 2 ? (t - 32) * 3 + i : 1;
        else if (kernel == 5)
            sum += (warp ^ 3) * 32 + t % 32 + i + (warp % 2 ? 0 : 7);
        else if (kernel == 6)
            sum += (t ^ 31) + i + (t ^ 32) + i + (warp % 2 ? (t ^ 64) + i : 0);
    for (unsigned k = t / 64 * 64; kernel == 4 && k < t / 64 * 64 + 64; k++)
        sum += k % 64 != 40 && k % 3 != 0;
    return kernel == 4 && t % 64 == 40 ? 0 : sum;
}

int main()
{
    void (*const kernels[])(unsigned *) = {alone, some, places, pairs, counts, crosswise, mixed};
    unsigned *out, wrong = 0;
    cudaMallocManaged(&out, WARPS * 32 * sizeof *out);
    for (int k = 0; k < 7; k++) {
        for (unsigned t = 0; t < WARPS * 32; t++)
            out[t] = 0;
        kernels[k]<<<1, WARPS * 32>>>(out);
        cudaError_t error = cudaDeviceSynchronize();
        unsigned before = wrong;
        for (unsigned t = 0; t < WARPS * 32 && !error; t++)
            if (out[t] != expected(k, t) && wrong++ == before)
                printf("kernel %d thread %u: %u, not %u\n", k, t, out[t], expected(k, t));
        if (error)
            printf("kernel %d: %s\n", k, cudaGetErrorString(error));
        wrong += error != cudaSuccess;
    }
    printf("%u wrong\n", wrong);
    return wrong != 0;
}

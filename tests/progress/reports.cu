// Kernels whose reports must name what is waited for, and by whom; and what lies near an address at which nothing does: ./reports NAME.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

#include <lockstep/lock.h>

namespace stock {
__device__ int lockA, lockB;
__device__ unsigned lockC = ~0u;
}
static __device__ volatile int flags[4];

static __device__ void acquire(int *l)
{
    while (atomicCAS(l, 0, 1) != 0) {
    }
}

__global__ void circle(int *)
{
    if (threadIdx.x != 0)
        return;
    acquire(blockIdx.x ? &stock::lockB : &stock::lockA);
    __nanosleep(1000);
    acquire(blockIdx.x ? &stock::lockA : &stock::lockB);
}

static __device__ void take(int *l)
{
    while (atomicCAS(l, 0, 1) != 0) {
    }
}

static __device__ void take_both(int *a, int *b)
{
    take(a);
    __nanosleep(1000);
    take(b);
}

__global__ void inlined(int *)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x)
        take_both(&stock::lockA, &stock::lockB);
    else
        take_both(&stock::lockB, &stock::lockA);
}

// The warps that would set the flag wait at a barrier that the others never reach.
__global__ void barrier(int *)
{
    if (threadIdx.x < 32)
        while (flags[2] == 0) {
        }
    __syncthreads();
    if (threadIdx.x == 32)
        flags[2] = 1;
}

__global__ void grid(int *)
{
    if (blockIdx.x == 1)
        while (flags[1] == 0) {
        }
    cooperative_groups::this_grid().sync();
    flags[1] = 1;
}

__global__ void last(int *)
{
    if (blockIdx.x + 1 < gridDim.x)
        while (flags[3] == 0) {
        }
    flags[3] = 1;
}

__global__ void kept(int *) { acquire(&stock::lockA); }

__global__ void rewritten(int *)
{
    while (threadIdx.x < 32)
        flags[0] = 1;
    while (flags[0] != 2) {
    }
}

__global__ void named(int *)
{
    if (threadIdx.x < 16) {
        while (flags[1] == 0) {
        }
        __syncwarp();
    } else {
        __syncwarp();
        flags[1] = 1;
    }
}

__global__ void in_shared(int *p)
{
    __shared__ int before, turn[2];
    before = turn[0] = turn[1] = *p;
    __syncthreads();
    while (*(volatile int *)&turn[1] == 0) {
    }
    *p = before;
}

static __device__ __noinline__ int look(volatile int *p)
{
    while (p[5] == 0) {
    }
    return p[6];
}

static __device__ __noinline__ int look_twice(volatile int *p) { return look(p) + look(p + 1); }

__global__ void called(int *p) { *p = look_twice(p); }

__global__ void in_memory(volatile int *p)
{
    while (p[5] == 0) {
    }
}

__global__ void at(int *p, long offset) { *(int *)((char *)p + offset) = 1; }

static __device__ __noinline__ void store_in_call(int *p, long offset) { *(int *)((char *)p + offset) = 1; }

__global__ void in_call(int *p, long offset)
{
    if (p)
        store_in_call(p, offset);
}

__global__ void unlocked(int *, long) { lockstep_unlock(&stock::lockC); }

__global__ void shared_at(int *p, long offset)
{
    __shared__ int table[8];
    table[threadIdx.x] = 1;
    *(volatile int *)((char *)table + offset) = 1;
    *p = table[3];
}

int main(int, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(int *);
        int blocks, threads, shared;
    } hangs[] = {{"circle", circle, 2, 32},
                 {"inlined", inlined, 2, 32},
                 {"barrier", barrier, 1, 128},
                 {"last", last, 20, 32, 48 << 10},
                 {"kept", kept, 2, 1},
                 {"rewritten", rewritten, 1, 64},
                 {"named", named, 1, 32},
                 {"called", called, 1, 32},
                 {"shared", in_shared, 3, 64},
                 {"memory", (void (*)(int *))in_memory, 4, 64}};
    static const struct {
        const char *name;
        void (*kernel)(int *, long);
        long offset;
    } faults[] = {{"behind", at, 400},      {"before", at, -8},     {"within", at, 6},        {"null", NULL, 12},
                  {"freed", at, 1024 + 20}, {"symbol", at, 0},      {"shared_at", shared_at, 44},
                  {"in_call", in_call, 408},  {"unlocked", unlocked, 0}};
    int *p, *freed, *kept, *symbol;
    cudaGetSymbolAddress((void **)&symbol, stock::lockB);
    cudaMalloc(&p, 400);
    cudaMalloc(&freed, 600);
    cudaMalloc(&kept, 4);
    cudaMemset(p, 0, 400);
    cudaFree(freed);
    for (auto &h : hangs)
        if (!strcmp(argv[1], h.name))
            h.kernel<<<h.blocks, h.threads, h.shared>>>(p);
    void *arguments[] = {&p};
    if (!strcmp(argv[1], "grid"))
        cudaLaunchCooperativeKernel((void *)grid, dim3(3), dim3(64), arguments, 0, 0);
    for (auto &f : faults)
        if (!strcmp(argv[1], f.name))
            (f.kernel ? f.kernel : at)<<<1, 1>>>(!strcmp(f.name, "freed")    ? freed
                                                 : !strcmp(f.name, "symbol") ? symbol + 1
                                                 : f.kernel                  ? p
                                                                             : NULL,
                                                 !strcmp(f.name, "freed") ? 20 : f.offset);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

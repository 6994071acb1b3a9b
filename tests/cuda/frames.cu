// What a thread keeps over a call, in registers of every width and in local memory, is its own, although other threads
// of its warp are in other functions, at other depths. `frames wait`: they wait for each other there, which takes a way
// to diverge that lets each of them go on. Every thread computes the same on the host.
#include <cstdio>
#include <cstring>

struct Turn {
    volatile unsigned *came; // of each thread, how often it came to a wait
    unsigned thread;         // 32: nobody waits
};

#define BOTH __host__ __device__
typedef unsigned long long u64;

// All threads of the warp come here, by the same number of calls.
BOTH static inline void wait(const Turn &turn)
{
#ifdef __CUDA_ARCH__
    if (turn.thread == 32)
        return;
    unsigned mine = ++turn.came[turn.thread];
    while (turn.came[(turn.thread + 7) % 32] < mine) {}
#endif
}

BOTH __attribute__((noinline)) u64 wide(Turn turn, u64 a, int depth);
BOTH __attribute__((noinline)) u64 mixed(Turn turn, u64 a, int depth);

BOTH __attribute__((noinline)) u64 narrow(Turn turn, u64 a, int depth)
{
    unsigned x = (unsigned)a, b = x * 11, c = x * 13, d = x * 17, e = x * 19;
    unsigned short h = (unsigned short)(x * 23);
    float f = (float)(x & 1023) * 0.5f;
    wait(turn);
    u64 rest = depth ? (a & 4 ? wide : mixed)(turn, a * 3 + 1, depth - 1) : a;
    wait(turn);
    return rest ^ b ^ c ^ ((u64)d << 20) ^ e ^ h ^ (u64)f;
}

BOTH __attribute__((noinline)) u64 wide(Turn turn, u64 a, int depth)
{
    u64 b = a * 0x300000007, c = a * 0x500000003, d = a * 0x700000001;
    double f = (double)(a & 4095) * 0.25;
    bool p = a & 8, q = a & 16;
    wait(turn);
    u64 rest = depth ? (a & 2 ? narrow : wide)(turn, a * 5 + 3, depth - 1) : a;
    wait(turn);
    return (p ? rest : rest * 7) ^ b ^ (q ? c : d) ^ (u64)f;
}

BOTH __attribute__((noinline)) u64 mixed(Turn turn, u64 a, int depth)
{
    unsigned x = (unsigned)(a >> 7), list[6];
    u64 b = a * 0x900000001, c = a + 5;
    for (unsigned i = 0; i < 6; i++)
        list[(i + x) % 6] = x * (i + 3);
    wait(turn);
    u64 rest = depth ? (a & 1 ? mixed : narrow)(turn, a * 9 + 7, depth - 1) : a;
    wait(turn);
    return rest * 3 ^ b ^ list[(unsigned)c % 6] ^ c * list[x % 6];
}

typedef u64 (*Function)(Turn, u64, int);

BOTH u64 of_thread(volatile unsigned *came, bool waits, unsigned block, unsigned thread)
{
    Function functions[3] = {narrow, wide, mixed};
    u64 a = (block * 64 + thread + 1) * 0x9E3779B97F4A7C15;
    return functions[(a >> 40) % 3](Turn{came, waits ? thread % 32 : 32}, a, 4);
}

__global__ void k(unsigned *came, bool waits, u64 *results)
{
    unsigned warp = blockIdx.x * 2 + threadIdx.x / 32;
    results[blockIdx.x * 64 + threadIdx.x] = of_thread(came + 32 * warp, waits, blockIdx.x, threadIdx.x);
}

int main(int argc, char **argv)
{
    static u64 got[256];
    bool waits = argc > 1 && !strcmp(argv[1], "wait");
    unsigned *came, wrong = 0;
    u64 *results;
    cudaMalloc((void **)&came, 1024);
    cudaMemset(came, 0, 1024);
    cudaMalloc((void **)&results, sizeof got);
    k<<<4, 64>>>(came, waits, results);
    cudaError_t error = cudaMemcpy(got, results, sizeof got, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 256; i++)
        wrong += got[i] != of_thread(nullptr, false, i / 64, i % 64);
    printf("%s, %u wrong\n", cudaGetErrorName(error), wrong);
    return wrong != 0;
}

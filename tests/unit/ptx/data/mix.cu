// Source of mix_*.ptx: one of nearly everything that compilers turn into distinct PTX. Never run; parsed by the tests.
// nvcc: nvcc -arch=compute_75 -O3 -lineinfo -ptx; clang: -x cuda --cuda-device-only -S, with the declarations below.
#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define NOINLINE __attribute__((noinline))
#define TID __nvvm_read_ptx_sreg_tid_x()
#define NTID __nvvm_read_ptx_sreg_ntid_x()
#define CTAID __nvvm_read_ptx_sreg_ctaid_x()
#define SYNC() asm volatile("bar.sync 0;" ::: "memory")
#define CAS(p, a, b) __nvvm_atom_cas_gen_i(p, a, b)
#define ADD(p, v) __nvvm_atom_add_gen_i(p, v)
#define ADDF(p, v) __nvvm_atom_add_gen_f(p, v)
#define SHFL(v, d) __nvvm_shfl_sync_down_i32(-1, v, d, 31)
#define BALLOT(p) __nvvm_vote_ballot_sync(-1, p)
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *malloc(unsigned long);
extern "C" __device__ void free(void *);
struct float4_ { float x, y, z, w; } __attribute__((aligned(16)));
typedef float4_ vec4;
#else
#include <cstdio>
#include <cassert>
#define NOINLINE __noinline__
#define TID threadIdx.x
#define NTID blockDim.x
#define CTAID blockIdx.x
#define SYNC() __syncthreads()
#define CAS(p, a, b) atomicCAS(p, a, b)
#define ADD(p, v) atomicAdd(p, v)
#define ADDF(p, v) atomicAdd(p, v)
#define SHFL(v, d) __shfl_down_sync(0xffffffffu, v, d)
#define BALLOT(p) __ballot_sync(0xffffffffu, p)
typedef float4 vec4;
#endif

struct config {
    double scale;
    int lookup[5];
    char mode;
};

__constant__ float coefficients[4] = {1.5f, -2.0f, 0.25f, 3e-5f};
__device__ int table[6] = {1, -2, 3};
#if defined __clang__ && __clang_major__ < 15
__device__ int *table_middle = table; // clang 14 cannot express an offset here
#else
__device__ int *table_middle = &table[2];
#endif
__device__ unsigned char bytes[5] = {1, 2, 255};
__device__ double pi = 3.14159265358979;

typedef int (*operation)(int, int);
NOINLINE __device__ int sum_of(int a, int b) { return a * 3 + b; }
NOINLINE __device__ int difference_of(int a, int b) { return (a << 2) - b; }
__device__ operation operations[2] = {sum_of, difference_of};

NOINLINE __device__ long long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
NOINLINE __device__ config change(config c, int by)
{
    c.scale *= by;
    c.lookup[by & 3] += c.mode;
    return c;
}

extern "C" __global__ void arithmetic(int *out, const float *__restrict__ in, double *d, unsigned n, short s, unsigned char c)
{
    unsigned i = CTAID * NTID + TID;
    if (i >= n)
        return;
    float f = in[i];
    int k = (int)f / (int)(n + 1) + (int)i % 7;
    unsigned long long w = ((unsigned long long)i * n) >> 3;
    float g = f * coefficients[i & 3] + (float)c - (f > 0.5f ? 1.0f / f : f);
    double e = d[i] / pi + (double)g * 0.1;
    d[i] = e > 1e300 ? -e : e;
    out[i] = k ^ (int)g ^ (s << 3) ^ (int)(w >> 32) ^ (int)(signed char)c ^ (k < 0 ? -k : k) ^ bytes[i % 5];
    out[i] += __builtin_popcount(k) + (int)__builtin_sqrtf(g < 0 ? -g : g);
    switch (i & 7) {
    case 0: out[i] += 5; break;
    case 1: out[i] *= 5; break;
    case 2: out[i] /= 5; break;
    case 5: out[i] |= 77; break;
    case 6: out[i] &= ~77; break;
    default: out[i] ^= 1;
    }
}

extern "C" __global__ void __launch_bounds__(256, 2) blocks(vec4 *v, int *counter, volatile int *flag, float *total)
{
    extern __shared__ int dynamic[];
    __shared__ float tile[16][17];
    unsigned t = TID;
    tile[t & 15][t >> 4 & 15] = v[t].x + v[t].w;
    dynamic[t] = SHFL((int)t, 3);
    SYNC();
    vec4 r = v[t ^ 1];
    r.y = tile[t >> 4 & 15][t & 15];
    v[t] = r;
    if (BALLOT(r.x > 0) == 7u)
        ADDF(total, r.z);
    while (CAS(counter, 0, 1) != 0)
        ;
    *flag = *flag + dynamic[t ^ 5];
    ADD(counter, -1);
}

extern "C" __global__ void calls(int *out, config c, int which, long long *far)
{
    int local[12];
    for (int i = 0; i < 12; i++)
        local[i] = out[i] * which;
    out[0] = operations[which & 1](local[which % 12], 3);
    far[0] = fibonacci(which);
    config changed = change(c, which);
    out[1] = (int)changed.scale + changed.lookup[which % 5] + *table_middle;
    if (which == 42)
        printf("which %d of %f %s\n", which, changed.scale, "things");
    int *memory = (int *)malloc(64);
    memory[which & 15] = which;
    out[2] = memory[3];
    free(memory);
}

extern "C" __global__ void assembly(unsigned *out, unsigned *in)
{
    unsigned a = in[TID], b;
    asm volatile("{ .reg .pred %%q; .reg .u32 %%t<3>; setp.ne.u32 %%q, %1, 0; @%%q mov.u32 %%t1, 7;\n\t@!%%q mov.u32 %%t1, %1; mov.u32 %0, %%t1; }"
                 : "=r"(b) : "r"(a));
    asm volatile("{.reg .u64 p; cvta.to.global.u64 p, %0; red.release.gpu.global.add.u32 [p], %1; fence.acq_rel.gpu;}" ::"l"(out), "r"(b)
                 : "memory");
    asm volatile("prmt.b32 %0, %1, %2, 0x3210; bfe.u32 %0, %0, 4, 8;" : "=r"(b) : "r"(a), "r"(b));
    asm volatile("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(b) : "r"(a), "r"(b), "r"(a + b));
    asm volatile("activemask.b32 %0;" : "=r"(a));
    out[TID] = a + b;
}

/* Rates and latencies of instructions by (operation, type).
 *
 * latency: one warp, each operation takes the result of the one before it. rate: every SM is full of warps, each with
 * four independent chains; operations of threads a cycle of an SM. Where two instructions stand in a row of the table
 * the figure is that of both together. */
#include "measure.h"

/* `INS` reads and writes %0; %1 and %2 are constants that the compiler does not know, and neither does it know that the
 * lanes' values are equal. A latency is the slope between 4 and 12 turns of a loop. HEAVY operations become many machine
 * instructions, and are repeated less often, to stay in the instruction cache. */
#define KERNELS(name, T, C, INS, REPEAT, COUNT)                                                                         \
    __global__ void latency_##name(mark *m, const T *in, T *o, int turns)                                               \
    {                                                                                                                   \
        T x = in[threadIdx.x], w = in[2048 + threadIdx.x], z = in[4096 + threadIdx.x];                                  \
        __syncthreads();                                                                                                \
        u64 begin = clock64();                                                                                          \
        _Pragma("unroll 1") for (int i = 0; i < turns; i++)                                                             \
        {                                                                                                               \
            REPEAT(asm volatile(INS : "+" C(x) : C(w), C(z));)                                                          \
        }                                                                                                               \
        u64 end = clock64();                                                                                            \
        o[threadIdx.x] = x;                                                                                             \
        note(m, begin, end);                                                                                            \
    }                                                                                                                   \
    __global__ void rate_##name(mark *m, const T *in, T *o, int turns)                                                  \
    {                                                                                                                   \
        T a = in[threadIdx.x], b = in[threadIdx.x + 32], c = in[threadIdx.x + 64], d = in[threadIdx.x + 96],            \
          w = in[2048 + threadIdx.x], z = in[4096 + threadIdx.x];                                                       \
        __syncthreads();                                                                                                \
        u64 begin = clock64();                                                                                          \
        _Pragma("unroll 1") for (int i = 0; i < turns; i++)                                                             \
        {                                                                                                               \
            REPEAT(asm volatile(INS : "+" C(a) : C(w), C(z)); asm volatile(INS : "+" C(b) : C(w), C(z));                \
                   asm volatile(INS : "+" C(c) : C(w), C(z)); asm volatile(INS : "+" C(d) : C(w), C(z));)               \
        }                                                                                                               \
        __syncthreads();                                                                                                \
        u64 end = clock64();                                                                                            \
        T *to = o + (blockIdx.x * blockDim.x + threadIdx.x);                                                            \
        to[0] = a;                                                                                                      \
        to[1 << 20] = b;                                                                                                \
        to[2 << 20] = c;                                                                                                \
        to[3 << 20] = d;                                                                                                \
        note(m, begin, end);                                                                                            \
    }                                                                                                                   \
    enum { count_##name = COUNT };
#define LIGHT(name, type, T, C, INS, v, w, z) KERNELS(name, T, C, INS, R32, 32)
#define HEAVY(name, type, T, C, INS, v, w, z) KERNELS(name, T, C, INS, R4, 4)
#include "rates.def"
#undef LIGHT
#undef HEAVY

/* Two kinds of instruction at a time, as many of each: together they show what shares a unit. */
#define MIX(name, T, CT, ONE, U, CU, TWO)                                                                               \
    __global__ void mix_##name(mark *m, u64 *o, const T *v, const U *s, int turns)                                                     \
    {                                                                                                                   \
        T a = v[threadIdx.x], b = v[threadIdx.x + 32], w = v[2048 + threadIdx.x];                                       \
        U c = s[threadIdx.x], d = s[threadIdx.x + 32], t = s[2048 + threadIdx.x];                                       \
        __syncthreads();                                                                                                \
        u64 begin = clock64();                                                                                          \
        _Pragma("unroll 1") for (int i = 0; i < turns; i++)                                                                 \
        {                                                                                                               \
            R32(asm volatile(ONE : "+" CT(a) : CT(w)); asm volatile(TWO : "+" CU(c) : CU(t));                           \
                asm volatile(ONE : "+" CT(b) : CT(w)); asm volatile(TWO : "+" CU(d) : CU(t));)                          \
        }                                                                                                               \
        __syncthreads();                                                                                                \
        u64 end = clock64();                                                                                            \
        o[blockIdx.x * blockDim.x + threadIdx.x] = (u64)(a + b) + (u64)(c + d);                                         \
        note(m, begin, end);                                                                                            \
    }
#define MIXES                                                                                                           \
    MIX(fma_f32_shf, float, "f", "fma.rn.f32 %0, %0, %1, %1;", u32, "r", "shf.l.wrap.b32 %0, %0, %1, 7;")                    \
    MIX(fma_f32_lop3, float, "f", "fma.rn.f32 %0, %0, %1, %1;", u32, "r", "lop3.b32 %0, %0, %1, %0, 0x6d;")             \
    MIX(fma_f32_mad_u32, float, "f", "fma.rn.f32 %0, %0, %1, %1;", u32, "r", "mad.lo.u32 %0, %0, %1, %1;")              \
    MIX(fma_f32_fma_f64, float, "f", "fma.rn.f32 %0, %0, %1, %1;", double, "d", "fma.rn.f64 %0, %0, %1, %1;")           \
    MIX(fma_f32_ex2, float, "f", "fma.rn.f32 %0, %0, %1, %1;", float, "f", "ex2.approx.ftz.f32 %0, %0;")                \
    MIX(lop3_popc, u32, "r", "lop3.b32 %0, %0, %1, %0, 0x6d;", u32, "r", "popc.b32 %0, %0;")                                \
    MIX(lop3_shfl, u32, "r", "lop3.b32 %0, %0, %1, %0, 0x6d;", u32, "r", "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")               \
    MIX(popc_ex2, u32, "r", "popc.b32 %0, %0;", float, "f", "ex2.approx.ftz.f32 %0, %0;")
MIXES
#undef MIX

enum { MOST_BLOCKS = 512, VALUES = 8192 };
/* The values of each thread: its own, and the two constants. */
template <class T> static T *inputs(T v, T w, T z)
{
    static T *in = device_array<T>(VALUES);
    std::vector<T> h(VALUES, v);
    std::fill(h.begin() + 2048, h.begin() + 4096, w);
    std::fill(h.begin() + 4096, h.end(), z);
    check(cudaMemcpy(in, h.data(), VALUES * sizeof(T), cudaMemcpyHostToDevice), "inputs");
    return in;
}
static mark *marks;
static u64 *out;

template <class T, class K> static void measured(const char *name, const char *type, K latency, K rate, int count, T v, T w, T z)
{
    const T *in = inputs(v, w, z);
    std::vector<double> rates, few = cycles_of(marks, 1, name, [&] { latency<<<1, 32>>>(marks, in, (T *)out, 4); }),
                               cycles = cycles_of(marks, 1, name, [&] { latency<<<1, 32>>>(marks, in, (T *)out, 12); });
    for (size_t i = 0; i < cycles.size(); i++)
        cycles[i] = (cycles[i] - median(few)) / (8.0 * count);
    row(name, type, "latency", cycles, "cycles");
    unsigned blocks = 2 * (unsigned)(measure.small ? 1 : measure.sms), threads = measure.small ? 256 : 1024;
    int turns = measure.small ? 1 : 16;
    for (int k = 0; k < measure.repetitions; k++) {
        rate<<<blocks, threads>>>(marks, in, (T *)out, turns);
        finish(name);
        rates.push_back(rate_of_sm(marks, blocks, 4.0 * count * turns * threads));
    }
    row(name, type, "rate", rates, "operations/cycle/SM", true);
}
template <class T, class U, class K> static void mixed(const char *name, K kernel, T v, U s)
{
    const T *one = inputs(v, v, v);
    const U *two = inputs(s, s, s);
    unsigned blocks = 2 * (unsigned)(measure.small ? 1 : measure.sms), threads = measure.small ? 256 : 1024;
    int turns = measure.small ? 1 : 16;
    std::vector<double> rates;
    for (int k = 0; k < measure.repetitions; k++) {
        kernel<<<blocks, threads>>>(marks, out, one, two, turns);
        finish(name);
        rates.push_back(rate_of_sm(marks, blocks, 4.0 * 32 * turns * threads));
    }
    row(name, "mix", "rate", rates, "operations/cycle/SM", true);
}

int main(int argc, char **argv)
{
    begin_program(argc, argv);
    marks = device_array<mark>(MOST_BLOCKS);
    out = device_array<u64>(4 << 20);
#define LIGHT(name, type, T, C, INS, v, w, z)                                                                           \
    if (wanted(#name))                                                                                                  \
        measured<T>(#name, type, latency_##name, rate_##name, count_##name, (T)(v), (T)(w), (T)(z));
#define HEAVY LIGHT
#include "rates.def"
#define MIX(name, T, CT, ONE, U, CU, TWO)                                                                               \
    if (wanted(#name))                                                                                                  \
        mixed(#name, mix_##name, (T)1, (U)1);
    MIXES
    return 0;
}

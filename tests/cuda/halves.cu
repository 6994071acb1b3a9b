// Halves and bf16 numbers: each function over all 65536 numbers (with others that a hash picks) comes to one number,
// which nvcc's headers come to as well. NaN counts as one.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ unsigned mix(unsigned a, unsigned b)
{
    unsigned h = a * 0x9E3779B9u ^ (b + 0x7F4A7C15u) * 0x85EBCA6Bu;
    h ^= h >> 15;
    h *= 0xC2B2AE35u;
    return h ^ h >> 13;
}
__device__ unsigned bits(__half h)
{
    return __hisnan(h) ? 0x7fff : __half_as_ushort(h);
}
__device__ unsigned bits(__half2 h)
{
    return bits(__low2half(h)) | bits(__high2half(h)) << 16;
}
__device__ unsigned bits(__nv_bfloat16 h)
{
    return __hisnan(h) ? 0x7fff : __bfloat16_as_ushort(h);
}
__device__ unsigned bits(__nv_bfloat162 h)
{
    return bits(__low2bfloat16(h)) | bits(__high2bfloat16(h)) << 16;
}
__device__ unsigned bits(unsigned long long v)
{
    return mix((unsigned)v, (unsigned)(v >> 32));
}
__device__ unsigned bits(long long v)
{
    return bits((unsigned long long)v);
}
__device__ unsigned bits(int v)
{
    return (unsigned)v;
}
__device__ unsigned bits(unsigned v)
{
    return v;
}
__device__ unsigned bits(bool v)
{
    return v;
}

template <class S> __device__ S make(unsigned b);
template <> __device__ __half make<__half>(unsigned b)
{
    return __ushort_as_half((unsigned short)b);
}
template <> __device__ __nv_bfloat16 make<__nv_bfloat16>(unsigned b)
{
    return __ushort_as_bfloat16((unsigned short)b);
}

#define ROWS(ROW)                                                                                                      \
    ROW(add_sat, __hadd_sat(a, b)) ROW(sub_sat, __hsub_sat(a, b)) ROW(mul_sat, __hmul_sat(a, b))                       \
    ROW(fma_sat, __hfma_sat(a, b, c)) ROW(fma_relu, __hfma_relu(a, b, c)) ROW(max_nan, __hmax_nan(a, b))               \
    ROW(min_nan, __hmin_nan(a, b)) ROW(max, __hmax(a, b)) ROW(add2_sat, __hadd2_sat(p, q))                             \
    ROW(fma2_relu, __hfma2_relu(p, q, r)) ROW(cmadd, __hcmadd(p, q, r)) ROW(max2_nan, __hmax2_nan(p, q))               \
    ROW(isnan2, __hisnan2(p)) ROW(equ2, __hequ2(p, q)) ROW(neu2, __hneu2(p, q)) ROW(ltu2, __hltu2(p, q))               \
    ROW(bgeu2, __hbgeu2(p, q)) ROW(bltu2, __hbltu2(p, q)) ROW(gt2_mask, __hgt2_mask(p, q))                             \
    ROW(leu2_mask, __hleu2_mask(p, q)) ROW(ne2, __hne2(p, q)) ROW(bne2, __hbne2(p, q)) ROW(ne, __hne(a, b))
#define CONVERSIONS(ROW, S, SHORT, PREFIX)                                                                             \
    ROW(PREFIX##2int, __##SHORT##2int_rn(a) ^ __##SHORT##2int_rz(a) * 3 ^ __##SHORT##2int_ru(a) * 5 ^ __##SHORT##2int_rd(a) * 7) \
    ROW(PREFIX##2uint, __##SHORT##2uint_rn(a) ^ __##SHORT##2uint_rz(a) * 3 ^ __##SHORT##2uint_ru(a) * 5 ^ __##SHORT##2uint_rd(a) * 7) \
    ROW(PREFIX##2short, __##SHORT##2short_rn(a) ^ __##SHORT##2short_rz(a) * 3 ^ __##SHORT##2short_ru(a) * 5 ^ __##SHORT##2short_rd(a) * 7) \
    ROW(PREFIX##2ushort, __##SHORT##2ushort_rn(a) ^ __##SHORT##2ushort_rz(a) * 3 ^ __##SHORT##2ushort_ru(a) * 5) \
    ROW(PREFIX##2ll, __##SHORT##2ll_rn(a) ^ __##SHORT##2ll_rz(a) * 3 ^ __##SHORT##2ll_ru(a) * 5 ^ __##SHORT##2ll_rd(a) * 7) \
    ROW(PREFIX##2ull, __##SHORT##2ull_rn(a) ^ __##SHORT##2ull_rz(a) * 3 ^ __##SHORT##2ull_rd(a) * 5) \
    ROW(PREFIX##2char, (int)__##SHORT##2char_rz(a)) ROW(PREFIX##2uchar, (int)__##SHORT##2uchar_rz(a)) \
    ROW(PREFIX##ofint, bits(__int2##PREFIX##_rn(i)) ^ bits(__int2##PREFIX##_rz(i)) * 3 ^ bits(__int2##PREFIX##_ru(i)) * 5 ^ bits(__int2##PREFIX##_rd(i)) * 7) \
    ROW(PREFIX##ofuint, bits(__uint2##PREFIX##_rn(i)) ^ bits(__uint2##PREFIX##_rz(i)) * 3 ^ bits(__uint2##PREFIX##_ru(i)) * 5 ^ bits(__uint2##PREFIX##_rd(i)) * 7) \
    ROW(PREFIX##ofshort, bits(__short2##PREFIX##_rn((short)i)) ^ bits(__short2##PREFIX##_rz((short)i)) * 3 ^ bits(__ushort2##PREFIX##_ru((unsigned short)i)) * 5) \
    ROW(PREFIX##ofll, bits(__ll2##PREFIX##_rn(l)) ^ bits(__ll2##PREFIX##_rz(l)) * 3 ^ bits(__ll2##PREFIX##_ru(l)) * 5 ^ bits(__ll2##PREFIX##_rd(l)) * 7) \
    ROW(PREFIX##ofull, bits(__ull2##PREFIX##_rn(l)) ^ bits(__ull2##PREFIX##_rz(l)) * 3 ^ bits(__ull2##PREFIX##_ru(l)) * 5 ^ bits(__ull2##PREFIX##_rd(l)) * 7) \
    ROW(PREFIX##float_ru, bits(__float2##PREFIX##_ru(f)) ^ bits(__float2##PREFIX##_rd(f)) * 3 ^ bits(__float2##PREFIX##_rz(f)) * 5)
#define NAME(name, value) #name,
static const char *const half_names[] = {ROWS(NAME) CONVERSIONS(NAME, __half, half, half)};
static const char *const bf16_names[] = {ROWS(NAME) CONVERSIONS(NAME, __nv_bfloat16, bfloat16, bfloat16)};

#define VALUES(S, PAIR)                                                                                                \
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, h = mix(t, 1), n = 0;                                          \
    S a = make<S>(t), b = make<S>(h & 7 ? h >> 3 : t), c = make<S>(h >> 16), d = make<S>(mix(t, 2));                   \
    auto p = PAIR(a, d), q = PAIR(b, c), r = PAIR(d, a);                                                               \
    int i = (int)(mix(t, 3) >> mix(t, 4) % 32);                                                                        \
    long long l = (long long)(((unsigned long long)mix(t, 5) << 32 | mix(t, 6)) >> mix(t, 7) % 64);                    \
    float f = __uint_as_float(mix(t, 8) % 16 ? mix(t, 9) & 0x8fffffffu | 0x30000000u : mix(t, 9));                     \
    if (t % 3 == 0)                                                                                                    \
        i = -i, l = -l;
#define SUM(name, value) atomicAdd(&out[n++], mix(bits(value), t));
__global__ void halves(unsigned *out)
{
    VALUES(__half, __halves2half2)
    ROWS(SUM) CONVERSIONS(SUM, __half, half, half)
}
__global__ void bf16s(unsigned *out)
{
    VALUES(__nv_bfloat16, __halves2bfloat162)
    ROWS(SUM) CONVERSIONS(SUM, __nv_bfloat16, bfloat16, bfloat16)
}

// Each thread's number goes through every load and store with a cache operator.
template <class S> __device__ S through(S *at, S v)
{
    __stwb(at, v);
    v = __ldca(at);
    __stcg(at, v);
    v = __ldcg(at);
    __stcs(at, v);
    v = __ldcs(at);
    __stwt(at, v);
    v = __ldlu(at);
    at[65536] = v;
    return __ldcv(at + 65536);
}
template <class S, class S2> __global__ void cached(S *at, S2 *pairs, unsigned *out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    const S v = through(at + t, make<S>(t));
    S2 pair;
    pair.x = v, pair.y = make<S>(mix(t, 1));
    pair = through(pairs + t, pair);
    atomicAdd(out, mix(bits(pair), t) ^ bits(v));
}
template <class S> __global__ void read_only(const S *__restrict__ at, unsigned *out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(out, mix(bits(__ldg(at + t)), t));
}
template <class S, class S2> static void memory(const char *name, unsigned *out)
{
    S *at;
    S2 *pairs;
    cudaMalloc(&at, 2 * 65536 * sizeof(S));
    cudaMalloc(&pairs, 2 * 65536 * sizeof(S2));
    cudaMemset(out, 0, 12);
    cached<<<256, 256>>>(at, pairs, out);
    read_only<<<256, 256>>>(at, out + 1);
    read_only<<<256, 256>>>(pairs, out + 2);
    cudaDeviceSynchronize();
    printf("%s memory %08x %08x %08x\n", name, out[0], out[1], out[2]);
}

int main()
{
    unsigned *out;
    cudaMallocManaged(&out, 4096);
    for (int kind = 0; kind < 2; kind++) {
        const int count = sizeof half_names / sizeof *half_names;
        cudaMemset(out, 0, 4096);
        if (kind == 0)
            halves<<<256, 256>>>(out);
        else
            bf16s<<<256, 256>>>(out);
        const char *error = cudaGetErrorString(cudaDeviceSynchronize());
        for (int k = 0; k < count; k++)
            printf("%s %s %08x\n", kind ? "bf16" : "half", kind ? bf16_names[k] : half_names[k], out[k]);
        printf("%s\n", error);
    }
    memory<__half, __half2>("half", out);
    memory<__nv_bfloat16, __nv_bfloat162>("bf16", out);
    return 0;
}

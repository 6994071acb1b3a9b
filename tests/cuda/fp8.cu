// Numbers of 8 bits: every one of them as other types, and numbers of all kinds as these, as sums over their bits that NVIDIA's header gives
// alike on the host. Compiled for a device, kernels must give the same sums.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdio>
#include <cstring>

#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif

typedef unsigned long long sum_t;

template <class T> BOTH static void add(sum_t *sum, T v)
{
    sum_t bits = 0;
    memcpy(&bits, &v, sizeof v);
    *sum = (*sum ^ bits) * 0x100000001b3ull + (*sum >> 29);
}
BOTH static float number(unsigned bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

// Not the sign of NaN, and no NaN as an integer: there NVIDIA's host and device differ.
template <class E, class P> BOTH static void decode(unsigned code, sum_t *sum)
{
    E e;
    P p;
    e.__x = (unsigned char)code;
    p.__x = (unsigned short)(code << 8 | (code ^ 1));
    const float f = static_cast<float>(e);
    add(sum, static_cast<__half>(e));
    add(sum, static_cast<bool>(e));
    add(sum, static_cast<__half2>(p));
    if (f == f) {
        add(sum, f);
        add(sum, static_cast<double>(e));
        add(sum, static_cast<__nv_bfloat16>(e));
        add(sum, static_cast<unsigned char>(e));
        add(sum, static_cast<signed char>(e));
        add(sum, static_cast<char>(e));
        add(sum, static_cast<short>(e));
        add(sum, static_cast<unsigned short>(e));
        add(sum, static_cast<int>(e));
        add(sum, static_cast<long long>(e));
        if (f - f == 0) {
            add(sum, static_cast<unsigned>(e));
            add(sum, static_cast<unsigned long long>(e));
        }
    }
}

// A float, its upper half as a half and as a bf16 number, and doubles around it, in both ways of saturation.
template <class E, class P, class Q> BOTH static void encode(unsigned bits, __nv_fp8_interpretation_t kind, sum_t *sum)
{
    const float f = number(bits);
    __half_raw h;
    __nv_bfloat16_raw b;
    h.x = b.x = (unsigned short)(bits >> 16);
    for (int way = 0; way < 2; way++) {
        const __nv_saturation_t saturate = way ? __NV_SATFINITE : __NV_NOSAT;
        add(sum, __nv_cvt_float_to_fp8(f, saturate, kind));
        add(sum, __nv_cvt_halfraw_to_fp8(h, saturate, kind));
        add(sum, __nv_cvt_bfloat16raw_to_fp8(b, saturate, kind));
        add(sum, __nv_cvt_double_to_fp8(f, saturate, kind));
        add(sum, __nv_cvt_double_to_fp8(f * (1 + 1e-12), saturate, kind));
        add(sum, __nv_cvt_double_to_fp8(f * (1 - 1e-12), saturate, kind));
    }
    add(sum, E(f).__x);
    add(sum, E(__half(h)).__x);
    add(sum, E(__nv_bfloat16(b)).__x);
    add(sum, E((int)(bits >> 12)).__x);
    add(sum, E((short)(bits >> 20)).__x);
    add(sum, E((unsigned long long)bits << 9).__x);
    add(sum, P(make_float2(f, -f)).__x);
    add(sum, P(make_double2(f, 3.0)).__x);
    const float4 four = static_cast<float4>(Q(make_float4(1.0f, f, -2.0f, -f)));
    add(sum, four.x + four.z);
    if (four.y == four.y) {
        add(sum, four.y);
        add(sum, four.w);
    }
}

// 65536 upper halves, each with a lower one at and around the middle between two numbers.
static const unsigned parts = 256;
BOTH static sum_t part(unsigned n)
{
    const unsigned lows[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
    sum_t sum = 0;
    decode<__nv_fp8_e4m3, __nv_fp8x2_e4m3>(n, &sum);
    decode<__nv_fp8_e5m2, __nv_fp8x2_e5m2>(n, &sum);
    for (unsigned i = n; i < 65536; i += parts) {
        const unsigned bits = i << 16 | lows[i % 6];
        encode<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(bits, __NV_E4M3, &sum);
        encode<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(bits, __NV_E5M2, &sum);
    }
    return sum;
}

#ifdef __CUDACC__
__global__ void all_parts(sum_t *sums)
{
    sums[blockIdx.x * blockDim.x + threadIdx.x] = part(blockIdx.x * blockDim.x + threadIdx.x);
}
static int on_device(const sum_t *want)
{
    sum_t *sums, got[parts];
    cudaMalloc(&sums, sizeof got);
    all_parts<<<parts / 64, 64>>>(sums);
    cudaError_t error = cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost);
    for (unsigned n = 0; n < parts; n++)
        if (error || got[n] != want[n]) {
            std::printf("device: error %d, part %u: %016llx, not %016llx\n", error, n, got[n], want[n]);
            return 1;
        }
    return 0;
}
#else
static int on_device(const sum_t *)
{
    return 0;
}
#endif

int main()
{
    sum_t sums[parts], all = 0;
    static_assert(sizeof(__nv_fp8_e4m3) == 1 && sizeof(__nv_fp8x2_e5m2) == 2 && sizeof(__nv_fp8x4_e4m3) == 4, "sizes");
    for (unsigned n = 0; n < parts; n++) {
        sums[n] = part(n);
        add(&all, sums[n]);
        if (n % 64 == 63)
            std::printf("to %3u: %016llx\n", n, all);
    }
    return on_device(sums);
}

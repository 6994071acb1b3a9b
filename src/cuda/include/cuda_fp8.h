/* Floating point of 8 bits: e4m3 (no infinity, up to 448) and e5m2 (up to 57344), one, two and four to a word, with
 * conversions. Rounding is to nearest even, on host and device alike. Left out: e8m0, which scales blocks of the
 * others. */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__cplusplus)

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* ---- bits ---- */
LOCKSTEP_HALF int lockstep_exponent(float a)
{
    return (int)(__builtin_bit_cast(unsigned, a) >> 23 & 255) - 127;
}
LOCKSTEP_HALF int lockstep_exponent(double a)
{
    return (int)(__builtin_bit_cast(unsigned long long, a) >> 52 & 2047) - 1023;
}
LOCKSTEP_HALF bool lockstep_is_negative(float a)
{
    return __builtin_bit_cast(unsigned, a) >> 31;
}
LOCKSTEP_HALF bool lockstep_is_negative(double a)
{
    return __builtin_bit_cast(unsigned long long, a) >> 63;
}
LOCKSTEP_HALF float lockstep_power_of_two(int e, float)
{
    return __builtin_bit_cast(float, (unsigned)(e + 127) << 23);
}
LOCKSTEP_HALF double lockstep_power_of_two(int e, double)
{
    return __builtin_bit_cast(double, (unsigned long long)(e + 1023) << 52);
}
template <class R>
LOCKSTEP_HALF __nv_fp8_storage_t lockstep_to_fp8(R x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    const int fraction = kind == __NV_E4M3 ? 3 : 2, least = kind == __NV_E4M3 ? -6 : -14;
    const unsigned most = kind == __NV_E4M3 ? 0x7e : 0x7b, sign = lockstep_is_negative(x) ? 0x80 : 0;
    if (x != x)
        return 0x7f;
    const R a = sign ? -x : x;
    unsigned code = most + 1;
    if (a < (R)131072) {
        int e = lockstep_exponent(a);
        e = e < least ? least : e;
        /* units of the last place of a number with this exponent; where they carry, so does the encoding */
        const R units = a * lockstep_power_of_two(fraction - e, R());
        unsigned n = (unsigned)units;
        const R rest = units - (R)n;
        n += rest > (R)0.5 || (rest == (R)0.5 && (n & 1));
        code = n >= 1u << fraction ? ((unsigned)(e - least) << fraction) + n : n;
    }
    if (code > most)
        code = saturate == __NV_SATFINITE ? most : most + 1;
    return (__nv_fp8_storage_t)(sign | code);
}
LOCKSTEP_HALF unsigned short lockstep_fp8_to_half_bits(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    const unsigned sign = (x & 0x80u) << 8;
    if (kind == __NV_E5M2)
        return (unsigned short)((x & 0x7f) > 0x7c ? 0x7fff : (unsigned)x << 8);
    unsigned e = x >> 3 & 15, m = x & 7;
    if (e == 15 && m == 7)
        return 0x7fff;
    if (e == 0) {
        if (m == 0)
            return (unsigned short)sign;
        for (e = 1; !(m & 8); e--)
            m <<= 1;
        m &= 7;
    }
    return (unsigned short)(sign | (e + 8) << 10 | m << 7);
}

/* ---- conversions ---- */
LOCKSTEP_HALF __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate,
                                                        const __nv_fp8_interpretation_t fp8_interpretation)
{
    if (x != x) { /* keeps its sign and its leading bits, other than those of all other types */
        const unsigned lead = 0x7e | (unsigned)(__builtin_bit_cast(unsigned long long, x) >> 50 & 1);
        return (__nv_fp8_storage_t)((lockstep_is_negative(x) ? 0x80 : 0) |
                                    (fp8_interpretation == __NV_E4M3 ? 0x7f : lead));
    }
    return lockstep_to_fp8(x, saturate, fp8_interpretation);
}
LOCKSTEP_HALF __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
                                                       const __nv_fp8_interpretation_t fp8_interpretation)
{
    return lockstep_to_fp8(x, saturate, fp8_interpretation);
}
LOCKSTEP_HALF __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate,
                                                         const __nv_fp8_interpretation_t fp8_interpretation)
{
    return lockstep_to_fp8((float)__half(x), saturate, fp8_interpretation);
}
LOCKSTEP_HALF __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x,
                                                             const __nv_saturation_t saturate,
                                                             const __nv_fp8_interpretation_t fp8_interpretation)
{
    return lockstep_to_fp8((float)__nv_bfloat16(x), saturate, fp8_interpretation);
}
LOCKSTEP_HALF __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x,
                                                 const __nv_fp8_interpretation_t fp8_interpretation)
{
    return __half_raw{lockstep_fp8_to_half_bits(x, fp8_interpretation)};
}

/* Pairs: the first number is in the lower half. */
#define LOCKSTEP_FP8_PAIR(name, from, one, T)                                                                          \
    LOCKSTEP_HALF __nv_fp8x2_storage_t name(const from x, const __nv_saturation_t saturate,                            \
                                            const __nv_fp8_interpretation_t fp8_interpretation)                        \
    {                                                                                                                  \
        const T low = {x.x}, high = {x.y};                                                                             \
        return (__nv_fp8x2_storage_t)(one(low, saturate, fp8_interpretation) | one(high, saturate, fp8_interpretation) \
                                                                                   << 8);                              \
    }
LOCKSTEP_FP8_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, double)
LOCKSTEP_FP8_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, float)
LOCKSTEP_FP8_PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw)
LOCKSTEP_FP8_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw)
#undef LOCKSTEP_FP8_PAIR
LOCKSTEP_HALF __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x,
                                                     const __nv_fp8_interpretation_t fp8_interpretation)
{
    return __half2_raw{lockstep_fp8_to_half_bits((__nv_fp8_storage_t)x, fp8_interpretation),
                       lockstep_fp8_to_half_bits((__nv_fp8_storage_t)(x >> 8), fp8_interpretation)};
}
LOCKSTEP_HALF float lockstep_fp8_to_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    return (float)__half(__nv_cvt_fp8_to_halfraw(x, kind));
}
/* An integer of a range that the number may leave: it is cut off, and stays at the end of the range. NaN is 0. */
template <class I> LOCKSTEP_HALF I lockstep_fp8_to_integer(float f, I least, I most)
{
    return f != f ? (I)0 : f <= (float)least ? least : f >= (float)most ? most : (I)f;
}

#define LOCKSTEP_FP8_FROM(name, KIND, T)                                                                               \
    explicit __host__ __device__ name(const T f) : __x(lockstep_to_fp8((float)f, __NV_SATFINITE, KIND))                \
    {                                                                                                                  \
    }
#define LOCKSTEP_FP8_TO(KIND, T, least, most)                                                                          \
    explicit __host__ __device__ operator T() const                                                                    \
    {                                                                                                                  \
        return lockstep_fp8_to_integer<T>(lockstep_fp8_to_float(__x, KIND), least, most);                              \
    }
#define LOCKSTEP_FP8_ONE(name, KIND)                                                                                   \
    struct name {                                                                                                      \
        __nv_fp8_storage_t __x;                                                                                        \
        name() = default;                                                                                              \
        LOCKSTEP_FP8_FROM(name, KIND, __half)                                                                          \
        LOCKSTEP_FP8_FROM(name, KIND, __nv_bfloat16)                                                                   \
        LOCKSTEP_FP8_FROM(name, KIND, float)                                                                           \
        explicit __host__ __device__ name(const double f) : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, KIND))       \
        {                                                                                                              \
        }                                                                                                              \
        LOCKSTEP_FP8_FROM(name, KIND, short)                                                                           \
        LOCKSTEP_FP8_FROM(name, KIND, unsigned short)                                                                  \
        LOCKSTEP_FP8_FROM(name, KIND, int)                                                                             \
        LOCKSTEP_FP8_FROM(name, KIND, unsigned)                                                                        \
        LOCKSTEP_FP8_FROM(name, KIND, long)                                                                            \
        LOCKSTEP_FP8_FROM(name, KIND, unsigned long)                                                                   \
        LOCKSTEP_FP8_FROM(name, KIND, long long)                                                                       \
        LOCKSTEP_FP8_FROM(name, KIND, unsigned long long)                                                              \
        explicit __host__ __device__ operator __half() const                                                           \
        {                                                                                                              \
            return __half(__nv_cvt_fp8_to_halfraw(__x, KIND));                                                         \
        }                                                                                                              \
        explicit __host__ __device__ operator float() const                                                            \
        {                                                                                                              \
            return lockstep_fp8_to_float(__x, KIND);                                                                   \
        }                                                                                                              \
        explicit __host__ __device__ operator __nv_bfloat16() const                                                    \
        {                                                                                                              \
            return __float2bfloat16_rz(lockstep_fp8_to_float(__x, KIND));                                              \
        }                                                                                                              \
        explicit __host__ __device__ operator double() const                                                           \
        {                                                                                                              \
            return lockstep_fp8_to_float(__x, KIND);                                                                   \
        }                                                                                                              \
        LOCKSTEP_FP8_TO(KIND, unsigned char, 0, 255)                                                                   \
        LOCKSTEP_FP8_TO(KIND, signed char, -128, 127)                                                                  \
        LOCKSTEP_FP8_TO(KIND, char, (char)((char)-1 < 0 ? -128 : 0), (char)((char)-1 < 0 ? 127 : 255))                 \
        LOCKSTEP_FP8_TO(KIND, unsigned short, 0, 65535)                                                                \
        LOCKSTEP_FP8_TO(KIND, short, -32768, 32767)                                                                    \
        LOCKSTEP_FP8_TO(KIND, unsigned, 0, ~0u)                                                                        \
        LOCKSTEP_FP8_TO(KIND, int, -2147483647 - 1, 2147483647)                                                        \
        LOCKSTEP_FP8_TO(KIND, unsigned long, 0, ~0ul)                                                                  \
        LOCKSTEP_FP8_TO(KIND, long, -9223372036854775807l - 1, 9223372036854775807l)                                   \
        LOCKSTEP_FP8_TO(KIND, unsigned long long, 0, ~0ull)                                                            \
        LOCKSTEP_FP8_TO(KIND, long long, -9223372036854775807ll - 1, 9223372036854775807ll)                            \
        explicit __host__ __device__ operator bool() const                                                             \
        {                                                                                                              \
            return (__x & 0x7f) != 0;                                                                                  \
        }                                                                                                              \
    };
#define LOCKSTEP_FP8_TWO(name, KIND)                                                                                   \
    struct __align__(2) name                                                                                           \
    {                                                                                                                  \
        __nv_fp8x2_storage_t __x;                                                                                      \
        name() = default;                                                                                              \
        explicit __host__ __device__ name(const __half2 f)                                                             \
            : __x(__nv_cvt_halfraw2_to_fp8x2(__half2_raw{f.x.__x, f.y.__x}, __NV_SATFINITE, KIND))                     \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ name(const __nv_bfloat162 f)                                                      \
            : __x(__nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw{f.x.__x, f.y.__x}, __NV_SATFINITE, KIND))          \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ name(const float2 f) : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, KIND))     \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ name(const double2 f) : __x(__nv_cvt_double2_to_fp8x2(f, __NV_SATFINITE, KIND))   \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ operator __half2() const                                                          \
        {                                                                                                              \
            const __half2_raw pair = __nv_cvt_fp8x2_to_halfraw2(__x, KIND);                                            \
            return __half2(__half(__half_raw{pair.x}), __half(__half_raw{pair.y}));                                    \
        }                                                                                                              \
        explicit __host__ __device__ operator float2() const                                                           \
        {                                                                                                              \
            return make_float2(lockstep_fp8_to_float((__nv_fp8_storage_t)__x, KIND),                                   \
                               lockstep_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), KIND));                           \
        }                                                                                                              \
    };
#define LOCKSTEP_FP8_FOUR(name, two, KIND)                                                                             \
    struct __align__(4) name                                                                                           \
    {                                                                                                                  \
        __nv_fp8x4_storage_t __x;                                                                                      \
        name() = default;                                                                                              \
        explicit __host__ __device__ name(const __half2 flo, const __half2 fhi)                                        \
            : __x(two(flo).__x | (unsigned)two(fhi).__x << 16)                                                         \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ name(const __nv_bfloat162 flo, const __nv_bfloat162 fhi)                          \
            : __x(two(flo).__x | (unsigned)two(fhi).__x << 16)                                                         \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ name(const float4 f)                                                              \
            : __x(two(make_float2(f.x, f.y)).__x | (unsigned)two(make_float2(f.z, f.w)).__x << 16)                     \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ name(const double4 f)                                                             \
            : __x(two(make_double2(f.x, f.y)).__x | (unsigned)two(make_double2(f.z, f.w)).__x << 16)                   \
        {                                                                                                              \
        }                                                                                                              \
        explicit __host__ __device__ operator float4() const                                                           \
        {                                                                                                              \
            return make_float4(lockstep_fp8_to_float((__nv_fp8_storage_t)__x, KIND),                                   \
                               lockstep_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), KIND),                            \
                               lockstep_fp8_to_float((__nv_fp8_storage_t)(__x >> 16), KIND),                           \
                               lockstep_fp8_to_float((__nv_fp8_storage_t)(__x >> 24), KIND));                          \
        }                                                                                                              \
    };
LOCKSTEP_FP8_ONE(__nv_fp8_e4m3, __NV_E4M3)
LOCKSTEP_FP8_TWO(__nv_fp8x2_e4m3, __NV_E4M3)
LOCKSTEP_FP8_FOUR(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3, __NV_E4M3)
LOCKSTEP_FP8_ONE(__nv_fp8_e5m2, __NV_E5M2)
LOCKSTEP_FP8_TWO(__nv_fp8x2_e5m2, __NV_E5M2)
LOCKSTEP_FP8_FOUR(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2, __NV_E5M2)
#undef LOCKSTEP_FP8_ONE
#undef LOCKSTEP_FP8_TWO
#undef LOCKSTEP_FP8_FOUR
#undef LOCKSTEP_FP8_FROM
#undef LOCKSTEP_FP8_TO

#endif

#endif

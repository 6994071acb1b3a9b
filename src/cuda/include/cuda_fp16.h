/* __half and __half2: IEEE binary16, one and two to a register. In device code arithmetic is the PTX f16 and f16x2
 * instructions, by inline assembly; on the host the same results come from float (a sum, product or fused multiply-add
 * of halves, rounded to float or double and then to half, is the correctly rounded half). */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "cuda_runtime.h"

#if defined(__cplusplus)

#include "lockstep/half_memory.h"
#include "lockstep/half_ops.h"

struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};

/* binary16 bits to float and back, for the host. Rounding is to nearest even unless stated. */
LOCKSTEP_HALF float lockstep_half_bits_to_float(unsigned short h)
{
    unsigned sign = (unsigned)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 31)
        return __builtin_bit_cast(float, sign | 0x7f800000u | m << 13);
    if (e)
        return __builtin_bit_cast(float, sign | (e + 112) << 23 | m << 13);
    float magnitude = (float)m * (1.0f / 16777216);
    return sign ? -magnitude : magnitude;
}
/* direction: 0 nearest even, 1 towards zero, 2 up, 3 down */
LOCKSTEP_HALF unsigned short lockstep_double_to_half_bits(double x, int direction)
{
    unsigned long long b = __builtin_bit_cast(unsigned long long, x);
    unsigned short sign = (unsigned short)(b >> 48 & 0x8000);
    if (x != x)
        return 0x7fff;
    double a = sign ? -x : x;
    bool away = direction == 2 ? !sign : direction == 3 ? sign != 0 : false;
    if (a >= 65536.0)
        return sign | (a == __builtin_inf() || direction == 0 || away ? 0x7c00 : 0x7bff);
    if (a == 0.0)
        return sign;
    int e = (int)(__builtin_bit_cast(unsigned long long, a) >> 52) - 1023;
    e = e < -14 ? -14 : e;
    /* units of the last place of a half with this exponent: up to 2047 and a fraction */
    double units = a * __builtin_bit_cast(double, (unsigned long long)(10 - e + 1023) << 52);
    unsigned n = (unsigned)units;
    double rest = units - n;
    if (direction == 0 ? rest > 0.5 || (rest == 0.5 && n & 1) : rest > 0.0 && away)
        n++;
    /* n may reach 2048, the next exponent, and 65536 becomes infinity: the encoding carries over by itself. */
    return (unsigned short)(sign | (n >= 1024 ? (unsigned)((e + 14) << 10) + n : n));
}

struct __half {
    unsigned short __x;
    __half() = default;
    __host__ __device__ __half(__half_raw r) : __x(r.x)
    {
    }
    __host__ __device__ operator __half_raw() const
    {
        return __half_raw{__x};
    }
    __host__ __device__ operator __half_raw() const volatile
    {
        return __half_raw{__x};
    }
    __host__ __device__ volatile __half &operator=(__half_raw r) volatile
    {
        __x = r.x;
        return *this;
    }
    __host__ __device__ __half(float f);
    __host__ __device__ __half(double d);
    __host__ __device__ __half(int i);
    __host__ __device__ __half(unsigned i);
    __host__ __device__ __half(long long i);
    __host__ __device__ __half(unsigned long long i);
    __host__ __device__ __half(long i);
    __host__ __device__ __half(unsigned long i);
    __host__ __device__ operator float() const;
    __host__ __device__ explicit operator int() const;
    __host__ __device__ explicit operator unsigned() const;
    __host__ __device__ explicit operator bool() const
    {
        return (__x & 0x7fff) != 0;
    }
};
struct __align__(4) __half2
{
    __half x, y;
    __half2() = default;
    __host__ __device__ __half2(__half a, __half b) : x(a), y(b)
    {
    }
};
typedef __half __nv_half;
typedef __half2 __nv_half2;
#if !defined(CUDA_NO_HALF)
typedef __half half;
typedef __half2 half2;
#endif

LOCKSTEP_HALF __half lockstep_half(unsigned short b)
{
    return __half(__half_raw{b});
}
LOCKSTEP_HALF __half2 lockstep_pair(__half a, __half b)
{
    return __half2(a, b);
}
LOCKSTEP_HALF __half lockstep_one(__half)
{
    return lockstep_half(0x3c00);
}
LOCKSTEP_HALF __half lockstep_zero(__half)
{
    return lockstep_half(0);
}
LOCKSTEP_HALF __half lockstep_neg(__half a)
{
    return lockstep_half(a.__x ^ 0x8000);
}
LOCKSTEP_HALF __half lockstep_abs(__half a)
{
    return lockstep_half(a.__x & 0x7fff);
}

/* ---- conversions ---- */
#if defined(__CUDA_ARCH__)
LOCKSTEP_HALF float __half2float(__half a)
{
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a.__x));
    return r;
}
#define LOCKSTEP_TO_HALF(SUFFIX, MODE, DIRECTION)                                                                      \
    LOCKSTEP_HALF __half __float2half##SUFFIX(float f)                                                                 \
    {                                                                                                                  \
        unsigned short r;                                                                                              \
        asm("cvt." MODE ".f16.f32 %0, %1;" : "=h"(r) : "f"(f));                                                        \
        return lockstep_half(r);                                                                                       \
    }
LOCKSTEP_HALF __half __double2half(double d)
{
    unsigned short r;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r) : "d"(d));
    return lockstep_half(r);
}
#else
LOCKSTEP_HALF float __half2float(__half a)
{
    return lockstep_half_bits_to_float(a.__x);
}
#define LOCKSTEP_TO_HALF(SUFFIX, MODE, DIRECTION)                                                                      \
    LOCKSTEP_HALF __half __float2half##SUFFIX(float f)                                                                 \
    {                                                                                                                  \
        return lockstep_half(lockstep_double_to_half_bits(f, DIRECTION));                                              \
    }
LOCKSTEP_HALF __half __double2half(double d)
{
    return lockstep_half(lockstep_double_to_half_bits(d, 0));
}
#endif
LOCKSTEP_TO_HALF(, "rn", 0)
LOCKSTEP_TO_HALF(_rn, "rn", 0)
LOCKSTEP_TO_HALF(_rz, "rz", 1)
#undef LOCKSTEP_TO_HALF
/* PTX converts float to half to nearest or towards zero; up and down step from there. */
LOCKSTEP_HALF __half __float2half_ru(float f)
{
    return lockstep_half(lockstep_double_to_half_bits(f, 2));
}
LOCKSTEP_HALF __half __float2half_rd(float f)
{
    return lockstep_half(lockstep_double_to_half_bits(f, 3));
}

__host__ __device__ inline __half::__half(float f)
{
    *this = __float2half(f);
}
__host__ __device__ inline __half::__half(double d)
{
    *this = __double2half(d);
}
__host__ __device__ inline __half::__half(int i)
{
    *this = __double2half(i);
}
__host__ __device__ inline __half::__half(unsigned i)
{
    *this = __double2half(i);
}
__host__ __device__ inline __half::__half(long long i)
{
    *this = __double2half((double)i);
}
__host__ __device__ inline __half::__half(unsigned long long i)
{
    *this = __double2half((double)i);
}
__host__ __device__ inline __half::__half(long i)
{
    *this = __double2half((double)i);
}
__host__ __device__ inline __half::__half(unsigned long i)
{
    *this = __double2half((double)i);
}
__host__ __device__ inline __half::operator float() const
{
    return __half2float(*this);
}
__host__ __device__ inline __half::operator int() const
{
    return (int)__half2float(*this);
}
__host__ __device__ inline __half::operator unsigned() const
{
    return (unsigned)__half2float(*this);
}

LOCKSTEP_HALF __half2 __halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
LOCKSTEP_HALF __half2 make_half2(__half a, __half b)
{
    return __half2(a, b);
}
LOCKSTEP_HALF __half2 __half2half2(__half a)
{
    return __half2(a, a);
}
LOCKSTEP_HALF __half2 __float2half2_rn(float f)
{
    return __half2half2(__float2half(f));
}
LOCKSTEP_HALF __half2 __floats2half2_rn(float a, float b)
{
    return __half2(__float2half(a), __float2half(b));
}
LOCKSTEP_HALF __half2 __float22half2_rn(float2 v)
{
    return __floats2half2_rn(v.x, v.y);
}
LOCKSTEP_HALF float2 __half22float2(__half2 v)
{
    return make_float2(__half2float(v.x), __half2float(v.y));
}
LOCKSTEP_HALF float __low2float(__half2 v)
{
    return __half2float(v.x);
}
LOCKSTEP_HALF float __high2float(__half2 v)
{
    return __half2float(v.y);
}
LOCKSTEP_HALF __half __low2half(__half2 v)
{
    return v.x;
}
LOCKSTEP_HALF __half __high2half(__half2 v)
{
    return v.y;
}
LOCKSTEP_HALF __half2 __low2half2(__half2 v)
{
    return __half2(v.x, v.x);
}
LOCKSTEP_HALF __half2 __high2half2(__half2 v)
{
    return __half2(v.y, v.y);
}
LOCKSTEP_HALF __half2 __lowhigh2highlow(__half2 v)
{
    return __half2(v.y, v.x);
}
LOCKSTEP_HALF __half2 __lows2half2(__half2 a, __half2 b)
{
    return __half2(a.x, b.x);
}
LOCKSTEP_HALF __half2 __highs2half2(__half2 a, __half2 b)
{
    return __half2(a.y, b.y);
}
LOCKSTEP_HALF unsigned short __half_as_ushort(__half a)
{
    return a.__x;
}
LOCKSTEP_HALF short __half_as_short(__half a)
{
    return (short)a.__x;
}
LOCKSTEP_HALF __half __ushort_as_half(unsigned short b)
{
    return lockstep_half(b);
}
LOCKSTEP_HALF __half __short_as_half(short b)
{
    return lockstep_half((unsigned short)b);
}
LOCKSTEP_HALF __half lockstep_half_of(double d, int direction)
{
    return lockstep_half(lockstep_double_to_half_bits(d, direction));
}
LOCKSTEP_HALF_FROM_INTEGER(__half, int2half, int, long long, lockstep_half_of)
LOCKSTEP_HALF_FROM_INTEGER(__half, uint2half, unsigned, long long, lockstep_half_of)
LOCKSTEP_HALF_FROM_INTEGER(__half, short2half, short, long long, lockstep_half_of)
LOCKSTEP_HALF_FROM_INTEGER(__half, ushort2half, unsigned short, long long, lockstep_half_of)
LOCKSTEP_HALF_FROM_INTEGER(__half, ll2half, long long, long long, lockstep_half_of)
LOCKSTEP_HALF_FROM_INTEGER(__half, ull2half, unsigned long long, unsigned long long, lockstep_half_of)
LOCKSTEP_HALF_TO_INTEGER(__half, half2int, int, ll)
LOCKSTEP_HALF_TO_INTEGER(__half, half2uint, unsigned, ll)
LOCKSTEP_HALF_TO_INTEGER(__half, half2short, short, ll)
LOCKSTEP_HALF_TO_INTEGER(__half, half2ushort, unsigned short, ll)
LOCKSTEP_HALF_TO_BYTE(__half, half2char, signed char)
LOCKSTEP_HALF_TO_BYTE(__half, half2uchar, unsigned char)
LOCKSTEP_HALF_TO_INTEGER(__half, half2ll, long long, ll)
LOCKSTEP_HALF_TO_INTEGER(__half, half2ull, unsigned long long, ull)

/* ---- arithmetic ---- */
#if defined(__CUDA_ARCH__)
#define LOCKSTEP_HALF_ASM(NAME, TEXT)                                                                                  \
    LOCKSTEP_HALF __half lockstep_##NAME(__half a, __half b)                                                           \
    {                                                                                                                  \
        unsigned short r;                                                                                              \
        asm(TEXT ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));                           \
        return lockstep_half(r);                                                                                       \
    }                                                                                                                  \
    LOCKSTEP_HALF __half2 lockstep_##NAME(__half2 a, __half2 b)                                                        \
    {                                                                                                                  \
        unsigned r;                                                                                                    \
        asm(TEXT ".f16x2 %0, %1, %2;"                                                                                  \
            : "=r"(r)                                                                                                  \
            : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)));                             \
        return __builtin_bit_cast(__half2, r);                                                                         \
    }
LOCKSTEP_HALF_ASM(add, "add")
LOCKSTEP_HALF_ASM(sub, "sub")
LOCKSTEP_HALF_ASM(mul, "mul")
#undef LOCKSTEP_HALF_ASM
LOCKSTEP_HALF __half lockstep_fma(__half a, __half b, __half c)
{
    unsigned short r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return lockstep_half(r);
}
LOCKSTEP_HALF __half2 lockstep_fma(__half2 a, __half2 b, __half2 c)
{
    unsigned r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(r)
        : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)),
          "r"(__builtin_bit_cast(unsigned, c)));
    return __builtin_bit_cast(__half2, r);
}
#else
#define LOCKSTEP_HALF_HOST(NAME, OP)                                                                                   \
    LOCKSTEP_HALF __half lockstep_##NAME(__half a, __half b)                                                           \
    {                                                                                                                  \
        return __float2half(__half2float(a) OP __half2float(b));                                                       \
    }                                                                                                                  \
    LOCKSTEP_HALF __half2 lockstep_##NAME(__half2 a, __half2 b)                                                        \
    {                                                                                                                  \
        return __half2(lockstep_##NAME(a.x, b.x), lockstep_##NAME(a.y, b.y));                                          \
    }
LOCKSTEP_HALF_HOST(add, +)
LOCKSTEP_HALF_HOST(sub, -)
LOCKSTEP_HALF_HOST(mul, *)
#undef LOCKSTEP_HALF_HOST
/* The product has 22 bits and is exact in double; the sum may be rounded there, to 53 bits. */
LOCKSTEP_HALF __half lockstep_fma(__half a, __half b, __half c)
{
    return __double2half((double)__half2float(a) * __half2float(b) + __half2float(c));
}
LOCKSTEP_HALF __half2 lockstep_fma(__half2 a, __half2 b, __half2 c)
{
    return __half2(lockstep_fma(a.x, b.x, c.x), lockstep_fma(a.y, b.y, c.y));
}
#endif

LOCKSTEP_HALF_FUNCTIONS(__half, __half2, __half2float, __float2half)

#if defined(__CUDA__)
/* ---- memory ---- */
LOCKSTEP_HALF_MEMORY(__half, __half2)
static __device__ inline __half atomicAdd(__half *p, __half v)
{
    unsigned short r;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v.__x) : "memory");
    return lockstep_half(r);
}
static __device__ inline __half2 atomicAdd(__half2 *p, __half2 v)
{
    unsigned r;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                 : "=r"(r)
                 : "l"(p), "r"(__builtin_bit_cast(unsigned, v))
                 : "memory");
    return __builtin_bit_cast(__half2, r);
}
#endif

#endif
#endif

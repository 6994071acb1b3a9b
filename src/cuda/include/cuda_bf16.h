/* __nv_bfloat16 and __nv_bfloat162: the upper half of a float. Below sm_90 PTX has no bf16 addition, so arithmetic is
 * that of float with one rounding to nearest even at the end, on host and device alike; fma rounds twice (through
 * float) on the host and below sm_80. */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "cuda_runtime.h"

#if defined(__cplusplus)

#include "lockstep/half_memory.h"
#include "lockstep/half_ops.h"

struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __nv_bfloat162_raw {
    unsigned short x, y;
};

struct __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __host__ __device__ __nv_bfloat16(__nv_bfloat16_raw r) : __x(r.x)
    {
    }
    __host__ __device__ operator __nv_bfloat16_raw() const
    {
        return __nv_bfloat16_raw{__x};
    }
    __host__ __device__ operator __nv_bfloat16_raw() const volatile
    {
        return __nv_bfloat16_raw{__x};
    }
    __host__ __device__ volatile __nv_bfloat16 &operator=(__nv_bfloat16_raw r) volatile
    {
        __x = r.x;
        return *this;
    }
    __host__ __device__ __nv_bfloat16(float f);
    __host__ __device__ __nv_bfloat16(double d);
    __host__ __device__ __nv_bfloat16(int i);
    __host__ __device__ __nv_bfloat16(unsigned i);
    __host__ __device__ __nv_bfloat16(long i);
    __host__ __device__ __nv_bfloat16(unsigned long i);
    __host__ __device__ __nv_bfloat16(long long i);
    __host__ __device__ __nv_bfloat16(unsigned long long i);
    __host__ __device__ operator float() const
    {
        return __builtin_bit_cast(float, (unsigned)__x << 16);
    }
    __host__ __device__ explicit operator bool() const
    {
        return (__x & 0x7fff) != 0;
    }
};
struct __align__(4) __nv_bfloat162
{
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b)
    {
    }
};
#if !defined(CUDA_NO_BFLOAT16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif

LOCKSTEP_HALF __nv_bfloat16 lockstep_bfloat16(unsigned short b)
{
    return __nv_bfloat16(__nv_bfloat16_raw{b});
}
LOCKSTEP_HALF __nv_bfloat162 lockstep_pair(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
LOCKSTEP_HALF __nv_bfloat16 lockstep_one(__nv_bfloat16)
{
    return lockstep_bfloat16(0x3f80);
}
LOCKSTEP_HALF __nv_bfloat16 lockstep_zero(__nv_bfloat16)
{
    return lockstep_bfloat16(0);
}
LOCKSTEP_HALF __nv_bfloat16 lockstep_neg(__nv_bfloat16 a)
{
    return lockstep_bfloat16(a.__x ^ 0x8000);
}
LOCKSTEP_HALF __nv_bfloat16 lockstep_abs(__nv_bfloat16 a)
{
    return lockstep_bfloat16(a.__x & 0x7fff);
}

/* ---- conversions ---- */
LOCKSTEP_HALF float __bfloat162float(__nv_bfloat16 a)
{
    return (float)a;
}
LOCKSTEP_HALF __nv_bfloat16 __float2bfloat16_rn(float f)
{
    unsigned b = __builtin_bit_cast(unsigned, f);
    if (f != f)
        return lockstep_bfloat16(0x7fff);
    return lockstep_bfloat16((unsigned short)((b + 0x7fff + (b >> 16 & 1)) >> 16));
}
LOCKSTEP_HALF __nv_bfloat16 __float2bfloat16(float f)
{
    return __float2bfloat16_rn(f);
}
LOCKSTEP_HALF __nv_bfloat16 __float2bfloat16_rz(float f)
{
    return f != f ? lockstep_bfloat16(0x7fff)
                  : lockstep_bfloat16((unsigned short)(__builtin_bit_cast(unsigned, f) >> 16));
}
/* Rounds a double to float to odd first, so that the second rounding sees whether anything was cut off. */
LOCKSTEP_HALF __nv_bfloat16 __double2bfloat16(double d)
{
    float f = (float)d;
    unsigned b = __builtin_bit_cast(unsigned, f);
    if ((double)f != d && d == d && f - f == 0.0f) {
        if ((f < 0.0f ? -(double)f : (double)f) > (d < 0.0 ? -d : d))
            b--;
        b |= 1;
    }
    return __float2bfloat16_rn(__builtin_bit_cast(float, b));
}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(float f)
{
    *this = __float2bfloat16_rn(f);
}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(double d)
{
    *this = __double2bfloat16(d);
}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(int i)
{
    *this = __double2bfloat16(i);
}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(unsigned i)
{
    *this = __double2bfloat16(i);
}

LOCKSTEP_HALF __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
LOCKSTEP_HALF __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
LOCKSTEP_HALF __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a)
{
    return __nv_bfloat162(a, a);
}
LOCKSTEP_HALF __nv_bfloat162 __float2bfloat162_rn(float f)
{
    return __bfloat162bfloat162(__float2bfloat16(f));
}
LOCKSTEP_HALF __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return __nv_bfloat162(__float2bfloat16(a), __float2bfloat16(b));
}
LOCKSTEP_HALF __nv_bfloat162 __float22bfloat162_rn(float2 v)
{
    return __floats2bfloat162_rn(v.x, v.y);
}
LOCKSTEP_HALF float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return make_float2((float)v.x, (float)v.y);
}
LOCKSTEP_HALF float __low2float(__nv_bfloat162 v)
{
    return (float)v.x;
}
LOCKSTEP_HALF float __high2float(__nv_bfloat162 v)
{
    return (float)v.y;
}
LOCKSTEP_HALF __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v)
{
    return v.x;
}
LOCKSTEP_HALF __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v)
{
    return v.y;
}
LOCKSTEP_HALF unsigned short __bfloat16_as_ushort(__nv_bfloat16 a)
{
    return a.__x;
}
LOCKSTEP_HALF __nv_bfloat16 __ushort_as_bfloat16(unsigned short b)
{
    return lockstep_bfloat16(b);
}
/* direction: 0 nearest even, 1 towards zero, 2 up, 3 down */
LOCKSTEP_HALF __nv_bfloat16 lockstep_bfloat16_of(double d, int direction)
{
    __nv_bfloat16 nearest = __double2bfloat16(d);
    double got = (double)(float)nearest;
    if (direction == 0 || got == d || d != d)
        return nearest;
    /* One number on, away from zero or towards it: the encoding of magnitudes is in order. */
    bool up = direction == 2 || (direction == 1 && d < 0.0), negative = nearest.__x >> 15;
    if (up ? got < d : got > d)
        return lockstep_bfloat16((unsigned short)(nearest.__x + (up != negative ? 1 : -1)));
    return nearest;
}
LOCKSTEP_HALF __nv_bfloat16 __float2bfloat16_ru(float f)
{
    return lockstep_bfloat16_of(f, 2);
}
LOCKSTEP_HALF __nv_bfloat16 __float2bfloat16_rd(float f)
{
    return lockstep_bfloat16_of(f, 3);
}
LOCKSTEP_HALF_FROM_INTEGER(__nv_bfloat16, int2bfloat16, int, long long, lockstep_bfloat16_of)
LOCKSTEP_HALF_FROM_INTEGER(__nv_bfloat16, uint2bfloat16, unsigned, long long, lockstep_bfloat16_of)
LOCKSTEP_HALF_FROM_INTEGER(__nv_bfloat16, short2bfloat16, short, long long, lockstep_bfloat16_of)
LOCKSTEP_HALF_FROM_INTEGER(__nv_bfloat16, ushort2bfloat16, unsigned short, long long, lockstep_bfloat16_of)
LOCKSTEP_HALF_FROM_INTEGER(__nv_bfloat16, ll2bfloat16, long long, long long, lockstep_bfloat16_of)
LOCKSTEP_HALF_FROM_INTEGER(__nv_bfloat16, ull2bfloat16, unsigned long long, unsigned long long, lockstep_bfloat16_of)
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(long i)
{
    *this = lockstep_bfloat16_of(lockstep_double_of((long long)i), 0);
}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(unsigned long i)
{
    *this = lockstep_bfloat16_of(lockstep_double_of((unsigned long long)i), 0);
}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(long long i)
{
    *this = lockstep_bfloat16_of(lockstep_double_of((long long)i), 0);
}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(unsigned long long i)
{
    *this = lockstep_bfloat16_of(lockstep_double_of((unsigned long long)i), 0);
}
LOCKSTEP_HALF_TO_INTEGER(__nv_bfloat16, bfloat162int, int, ll)
LOCKSTEP_HALF_TO_INTEGER(__nv_bfloat16, bfloat162uint, unsigned, ll)
LOCKSTEP_HALF_TO_INTEGER(__nv_bfloat16, bfloat162short, short, ll)
LOCKSTEP_HALF_TO_INTEGER(__nv_bfloat16, bfloat162ushort, unsigned short, ll)
LOCKSTEP_HALF_TO_BYTE(__nv_bfloat16, bfloat162char, signed char)
LOCKSTEP_HALF_TO_BYTE(__nv_bfloat16, bfloat162uchar, unsigned char)
LOCKSTEP_HALF_TO_INTEGER(__nv_bfloat16, bfloat162ll, long long, ll)
LOCKSTEP_HALF_TO_INTEGER(__nv_bfloat16, bfloat162ull, unsigned long long, ull)

/* ---- parts of pairs ---- */
LOCKSTEP_HALF short __bfloat16_as_short(__nv_bfloat16 a)
{
    return (short)a.__x;
}
LOCKSTEP_HALF __nv_bfloat16 __short_as_bfloat16(short b)
{
    return lockstep_bfloat16((unsigned short)b);
}
LOCKSTEP_HALF __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v)
{
    return __nv_bfloat162(v.x, v.x);
}
LOCKSTEP_HALF __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v)
{
    return __nv_bfloat162(v.y, v.y);
}
LOCKSTEP_HALF __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v)
{
    return __nv_bfloat162(v.y, v.x);
}
LOCKSTEP_HALF __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.x, b.x);
}
LOCKSTEP_HALF __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.y, b.y);
}

/* ---- arithmetic ---- */
#define LOCKSTEP_BFLOAT(NAME, OP)                                                                                      \
    LOCKSTEP_HALF __nv_bfloat16 lockstep_##NAME(__nv_bfloat16 a, __nv_bfloat16 b)                                      \
    {                                                                                                                  \
        return __float2bfloat16((float)a OP(float) b);                                                                 \
    }                                                                                                                  \
    LOCKSTEP_HALF __nv_bfloat162 lockstep_##NAME(__nv_bfloat162 a, __nv_bfloat162 b)                                   \
    {                                                                                                                  \
        return __nv_bfloat162(lockstep_##NAME(a.x, b.x), lockstep_##NAME(a.y, b.y));                                   \
    }
LOCKSTEP_BFLOAT(add, +)
LOCKSTEP_BFLOAT(sub, -)
LOCKSTEP_BFLOAT(mul, *)
#undef LOCKSTEP_BFLOAT
LOCKSTEP_HALF __nv_bfloat16 lockstep_fma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned short r;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return lockstep_bfloat16(r);
#endif
    return __float2bfloat16(__builtin_fmaf((float)a, (float)b, (float)c));
}
LOCKSTEP_HALF __nv_bfloat162 lockstep_fma(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(lockstep_fma(a.x, b.x, c.x), lockstep_fma(a.y, b.y, c.y));
}

LOCKSTEP_HALF_FUNCTIONS(__nv_bfloat16, __nv_bfloat162, __bfloat162float, __float2bfloat16)

#if defined(__CUDA__)
/* ---- memory ---- */
LOCKSTEP_HALF_MEMORY(__nv_bfloat16, __nv_bfloat162)

/* ---- atomic sums: below sm_90 there is no instruction, so they are made of compare-and-swap. Returns what was there.
 * ---- */
static __device__ inline __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v)
{
    unsigned short *bits = (unsigned short *)p, old = *(volatile unsigned short *)bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __bfloat16_as_ushort(lockstep_add(lockstep_bfloat16(seen), v)));
    } while (old != seen);
    return lockstep_bfloat16(old);
}
static __device__ inline __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v)
{
    unsigned *bits = (unsigned *)p, old = *(volatile unsigned *)bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen,
                        __builtin_bit_cast(unsigned, lockstep_add(__builtin_bit_cast(__nv_bfloat162, seen), v)));
    } while (old != seen);
    return __builtin_bit_cast(__nv_bfloat162, old);
}
#endif

#endif
#endif

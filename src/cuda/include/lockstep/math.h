/* The mathematical functions of CUDA, under their C and C++ names, for device code. Each NAME(double), NAMEf(float),
 * overload NAME(float) and std::NAME leads to lockstep_math; what PTX has as an instruction (square root, rounding to
 * integer, minimum and so on) is a builtin. Bounds: docs/cuda.md. */
#ifndef LOCKSTEP_MATH_H
#define LOCKSTEP_MATH_H

#include <type_traits>

#include "math_core.h"

/* A whole number as argument counts as double, as in C++11. */
#define LOCKSTEP_INTEGRAL(T, R) typename std::enable_if<std::is_integral<T>::value, R>::type

#define LOCKSTEP_MATH1_AS(NAME, D, F)                                                                                  \
    LOCKSTEP_DEVICE double NAME(double x)                                                                              \
    {                                                                                                                  \
        return D;                                                                                                      \
    }                                                                                                                  \
    LOCKSTEP_DEVICE float NAME##f(float x)                                                                             \
    {                                                                                                                  \
        return F;                                                                                                      \
    }                                                                                                                  \
    LOCKSTEP_DEVICE float NAME(float x)                                                                                \
    {                                                                                                                  \
        return NAME##f(x);                                                                                             \
    }                                                                                                                  \
    template <class T> LOCKSTEP_DEVICE LOCKSTEP_INTEGRAL(T, double) NAME(T x)                                          \
    {                                                                                                                  \
        return NAME((double)x);                                                                                        \
    }
#define LOCKSTEP_MATH1(NAME) LOCKSTEP_MATH1_AS(NAME, lockstep_math::NAME(x), lockstep_math::NAME##f(x))

#define LOCKSTEP_MATH2_AS(NAME, D, F)                                                                                  \
    LOCKSTEP_DEVICE double NAME(double x, double y)                                                                    \
    {                                                                                                                  \
        return D;                                                                                                      \
    }                                                                                                                  \
    LOCKSTEP_DEVICE float NAME##f(float x, float y)                                                                    \
    {                                                                                                                  \
        return F;                                                                                                      \
    }                                                                                                                  \
    LOCKSTEP_DEVICE float NAME(float x, float y)                                                                       \
    {                                                                                                                  \
        return NAME##f(x, y);                                                                                          \
    }                                                                                                                  \
    template <class T, class U>                                                                                        \
    LOCKSTEP_DEVICE typename std::enable_if<std::is_arithmetic<T>::value && std::is_arithmetic<U>::value &&            \
                                                !(std::is_same<T, float>::value && std::is_same<U, float>::value),     \
                                            double>::type                                                              \
    NAME(T x, U y)                                                                                                     \
    {                                                                                                                  \
        return NAME((double)x, (double)y);                                                                             \
    }
#define LOCKSTEP_MATH2(NAME) LOCKSTEP_MATH2_AS(NAME, lockstep_math::NAME(x, y), lockstep_math::NAME##f(x, y))

/* Those of which --use_fast_math takes the fast form in single precision: the list is CUDA's. */
#ifdef LOCKSTEP_FAST_MATH
#define LOCKSTEP_FAST1(NAME) LOCKSTEP_MATH1_AS(NAME, lockstep_math::NAME(x), __##NAME##f(x))
#define LOCKSTEP_FAST2(NAME) LOCKSTEP_MATH2_AS(NAME, lockstep_math::NAME(x, y), __##NAME##f(x, y))
#else
#define LOCKSTEP_FAST1(NAME) LOCKSTEP_MATH1(NAME)
#define LOCKSTEP_FAST2(NAME) LOCKSTEP_MATH2(NAME)
#endif

/* ---- exponentials, logarithms, powers ---- */
LOCKSTEP_FAST1(exp)
LOCKSTEP_MATH1(exp2)
LOCKSTEP_FAST1(exp10)
LOCKSTEP_MATH1(expm1)
LOCKSTEP_FAST1(log)
LOCKSTEP_FAST1(log2)
LOCKSTEP_FAST1(log10)
LOCKSTEP_MATH1(log1p)
LOCKSTEP_MATH1(logb)
LOCKSTEP_FAST2(pow)
LOCKSTEP_DEVICE double powi(double x, int n)
{
    return lockstep_math::powi(x, n);
}
LOCKSTEP_DEVICE float powif(float x, int n)
{
    return lockstep_math::powf(x, (float)n);
}
LOCKSTEP_MATH1(cbrt)
LOCKSTEP_MATH1(rcbrt)
#if defined(LOCKSTEP_ROUGH_ROOT) && defined(LOCKSTEP_FLUSH)
LOCKSTEP_MATH1_AS(sqrt, __nvvm_sqrt_rn_d(x), __nvvm_sqrt_approx_ftz_f(x))
#elif defined(LOCKSTEP_ROUGH_ROOT)
LOCKSTEP_MATH1_AS(sqrt, __nvvm_sqrt_rn_d(x), __nvvm_sqrt_approx_f(x))
#else
LOCKSTEP_MATH1_AS(sqrt, __nvvm_sqrt_rn_d(x), __nvvm_sqrt_rn_f(x))
#endif
LOCKSTEP_DEVICE double rsqrt(double x)
{
    return lockstep_math::rsqrt(x);
}
LOCKSTEP_DEVICE float rsqrtf(float x)
{
    return lockstep_rsqrt_approx(x);
}
LOCKSTEP_DEVICE float rsqrt(float x)
{
    return rsqrtf(x);
}
LOCKSTEP_MATH2(hypot)
LOCKSTEP_DEVICE double rhypot(double x, double y)
{
    return lockstep_math::norm4(x, y, 0.0, 0.0, true);
}
LOCKSTEP_DEVICE float rhypotf(float x, float y)
{
    return (float)rhypot((double)x, (double)y);
}
LOCKSTEP_DEVICE double norm3d(double a, double b, double c)
{
    return lockstep_math::norm4(a, b, c, 0.0, false);
}
LOCKSTEP_DEVICE double norm4d(double a, double b, double c, double d)
{
    return lockstep_math::norm4(a, b, c, d, false);
}
LOCKSTEP_DEVICE double rnorm3d(double a, double b, double c)
{
    return lockstep_math::norm4(a, b, c, 0.0, true);
}
LOCKSTEP_DEVICE double rnorm4d(double a, double b, double c, double d)
{
    return lockstep_math::norm4(a, b, c, d, true);
}
LOCKSTEP_DEVICE float norm3df(float a, float b, float c)
{
    return (float)norm3d(a, b, c);
}
LOCKSTEP_DEVICE float norm4df(float a, float b, float c, float d)
{
    return (float)norm4d(a, b, c, d);
}
LOCKSTEP_DEVICE float rnorm3df(float a, float b, float c)
{
    return (float)rnorm3d(a, b, c);
}
LOCKSTEP_DEVICE float rnorm4df(float a, float b, float c, float d)
{
    return (float)rnorm4d(a, b, c, d);
}

/* ---- trigonometry ---- */
LOCKSTEP_FAST1(sin)
LOCKSTEP_FAST1(cos)
LOCKSTEP_FAST1(tan)
LOCKSTEP_MATH1(sinpi)
LOCKSTEP_MATH1(cospi)
LOCKSTEP_MATH1(asin)
LOCKSTEP_MATH1(acos)
LOCKSTEP_MATH1(atan)
LOCKSTEP_MATH2(atan2)
LOCKSTEP_MATH1(sinh)
LOCKSTEP_MATH1(cosh)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
LOCKSTEP_FAST1(tanh)
#else
LOCKSTEP_MATH1(tanh)
#endif
LOCKSTEP_MATH1(asinh)
LOCKSTEP_MATH1(acosh)
LOCKSTEP_MATH1(atanh)
LOCKSTEP_DEVICE void sincos(double x, double *s, double *c)
{
    lockstep_math::sincos(x, s, c);
}
LOCKSTEP_DEVICE void sincosf(float x, float *s, float *c)
{
    *s = sinf(x);
    *c = cosf(x);
}
LOCKSTEP_DEVICE void sincos(float x, float *s, float *c)
{
    sincosf(x, s, c);
}
LOCKSTEP_DEVICE void sincospi(double x, double *s, double *c)
{
    *s = sinpi(x);
    *c = cospi(x);
}
LOCKSTEP_DEVICE void sincospif(float x, float *s, float *c)
{
    *s = sinpif(x);
    *c = cospif(x);
}

/* ---- special functions ---- */
LOCKSTEP_MATH1(erf)
LOCKSTEP_MATH1(erfc)
LOCKSTEP_MATH1(erfinv)
LOCKSTEP_MATH1(erfcinv)
LOCKSTEP_MATH1(normcdf)
LOCKSTEP_MATH1(normcdfinv)
LOCKSTEP_MATH1(tgamma)
LOCKSTEP_MATH1(lgamma)
LOCKSTEP_MATH1(erfcx)
LOCKSTEP_MATH1(j0)
LOCKSTEP_MATH1(j1)
LOCKSTEP_MATH1(y0)
LOCKSTEP_MATH1(y1)
LOCKSTEP_MATH1(cyl_bessel_i0)
LOCKSTEP_MATH1(cyl_bessel_i1)
LOCKSTEP_DEVICE double jn(int n, double x)
{
    return lockstep_math::jn(n, x);
}
LOCKSTEP_DEVICE float jnf(int n, float x)
{
    return (float)lockstep_math::jn(n, x);
}
LOCKSTEP_DEVICE double yn(int n, double x)
{
    return lockstep_math::yn(n, x);
}
LOCKSTEP_DEVICE float ynf(int n, float x)
{
    return (float)lockstep_math::yn(n, x);
}
LOCKSTEP_DEVICE double norm(int n, const double *v)
{
    return lockstep_math::norm(n, v);
}
LOCKSTEP_DEVICE float normf(int n, const float *v)
{
    return (float)lockstep_math::norm(n, v);
}
LOCKSTEP_DEVICE double rnorm(int n, const double *v)
{
    return 1.0 / lockstep_math::norm(n, v);
}
LOCKSTEP_DEVICE float rnormf(int n, const float *v)
{
    return (float)(1.0 / lockstep_math::norm(n, v));
}

/* ---- rounding to integers ---- */
LOCKSTEP_MATH1_AS(floor, __builtin_floor(x), __builtin_floorf(x))
LOCKSTEP_MATH1_AS(ceil, __builtin_ceil(x), __builtin_ceilf(x))
LOCKSTEP_MATH1_AS(trunc, __builtin_trunc(x), __builtin_truncf(x))
LOCKSTEP_MATH1_AS(rint, __builtin_rint(x), __builtin_rintf(x))
LOCKSTEP_MATH1_AS(nearbyint, __builtin_rint(x), __builtin_rintf(x))
LOCKSTEP_MATH1(round)
#define LOCKSTEP_TO_LONG(NAME, T, ROUND, D, F)                                                                         \
    LOCKSTEP_DEVICE T NAME(double x)                                                                                   \
    {                                                                                                                  \
        return (T)D(ROUND(x));                                                                                         \
    }                                                                                                                  \
    LOCKSTEP_DEVICE T NAME##f(float x)                                                                                 \
    {                                                                                                                  \
        return (T)F(ROUND##f(x));                                                                                      \
    }                                                                                                                  \
    LOCKSTEP_DEVICE T NAME(float x)                                                                                    \
    {                                                                                                                  \
        return NAME##f(x);                                                                                             \
    }
LOCKSTEP_TO_LONG(lround, long, round, __double2ll_rz, __float2ll_rz)
LOCKSTEP_TO_LONG(llround, long long, round, __double2ll_rz, __float2ll_rz)
LOCKSTEP_TO_LONG(lrint, long, rint, __double2ll_rz, __float2ll_rz)
LOCKSTEP_TO_LONG(llrint, long long, rint, __double2ll_rz, __float2ll_rz)
#undef LOCKSTEP_TO_LONG

/* ---- remainders, parts ---- */
LOCKSTEP_MATH2(fmod)
LOCKSTEP_DEVICE double remquo(double x, double y, int *q)
{
    return lockstep_math::remquo(x, y, q);
}
LOCKSTEP_DEVICE float remquof(float x, float y, int *q)
{
    return lockstep_math::remquof(x, y, q);
}
LOCKSTEP_DEVICE float remquo(float x, float y, int *q)
{
    return remquof(x, y, q);
}
LOCKSTEP_DEVICE double lockstep_remainder(double x, double y)
{
    int q;
    return lockstep_math::remquo(x, y, &q);
}
LOCKSTEP_MATH2_AS(remainder, lockstep_remainder(x, y), (float)lockstep_remainder((double)x, (double)y))
LOCKSTEP_DEVICE double ldexp(double x, int n)
{
    return lockstep_math::ldexp(x, n);
}
LOCKSTEP_DEVICE float ldexpf(float x, int n)
{
    return lockstep_math::ldexpf(x, n);
}
LOCKSTEP_DEVICE float ldexp(float x, int n)
{
    return ldexpf(x, n);
}
LOCKSTEP_DEVICE double scalbn(double x, int n)
{
    return ldexp(x, n);
}
LOCKSTEP_DEVICE float scalbnf(float x, int n)
{
    return ldexpf(x, n);
}
LOCKSTEP_DEVICE float scalbn(float x, int n)
{
    return ldexpf(x, n);
}
LOCKSTEP_DEVICE int lockstep_clamp_exponent(long n)
{
    return (int)(n > 5000 ? 5000 : n < -5000 ? -5000 : n);
}
LOCKSTEP_DEVICE double scalbln(double x, long n)
{
    return ldexp(x, lockstep_clamp_exponent(n));
}
LOCKSTEP_DEVICE float scalblnf(float x, long n)
{
    return ldexpf(x, lockstep_clamp_exponent(n));
}
LOCKSTEP_DEVICE float scalbln(float x, long n)
{
    return scalblnf(x, n);
}
LOCKSTEP_DEVICE double frexp(double x, int *e)
{
    return lockstep_math::frexp(x, e);
}
LOCKSTEP_DEVICE float frexpf(float x, int *e)
{
    return lockstep_math::frexpf(x, e);
}
LOCKSTEP_DEVICE float frexp(float x, int *e)
{
    return frexpf(x, e);
}
/* 0 and NaN give INT_MIN, infinity INT_MAX. */
LOCKSTEP_DEVICE int ilogb(double x)
{
    return x == 0.0 || x != x ? INT_MIN : lockstep_math::is_finite(x) ? (int)lockstep_math::logb(x) : INT_MAX;
}
LOCKSTEP_DEVICE int ilogbf(float x)
{
    return ilogb((double)x);
}
LOCKSTEP_DEVICE int ilogb(float x)
{
    return ilogb((double)x);
}
LOCKSTEP_DEVICE double modf(double x, double *whole)
{
    double t = __builtin_trunc(x);
    *whole = t;
    return lockstep_math::copysign(lockstep_math::abs(x) == lockstep_math::inf() ? 0.0 : x - t, x);
}
LOCKSTEP_DEVICE float modff(float x, float *whole)
{
    double w, f = modf((double)x, &w);
    *whole = (float)w;
    return (float)f;
}
LOCKSTEP_DEVICE float modf(float x, float *whole)
{
    return modff(x, whole);
}
LOCKSTEP_MATH2(nextafter)

/* ---- one instruction each ---- */
LOCKSTEP_MATH1_AS(fabs, __builtin_fabs(x), __builtin_fabsf(x))
LOCKSTEP_MATH2_AS(fmin, __builtin_fmin(x, y), __builtin_fminf(x, y))
LOCKSTEP_MATH2_AS(fmax, __builtin_fmax(x, y), __builtin_fmaxf(x, y))
LOCKSTEP_MATH2_AS(copysign, lockstep_math::copysign(x, y),
                  __uint_as_float((__float_as_uint(x) & 0x7fffffffu) | (__float_as_uint(y) & 0x80000000u)))
LOCKSTEP_MATH2_AS(fdim, x != x || y != y ? x + y : x > y ? x - y : 0.0, x != x || y != y ? x + y : x > y ? x - y : 0.0f)
LOCKSTEP_DEVICE double fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
LOCKSTEP_DEVICE float fmaf(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
LOCKSTEP_DEVICE float fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
LOCKSTEP_DEVICE float fdividef(float a, float b)
{
    return a / b;
}
LOCKSTEP_DEVICE double fdivide(double a, double b)
{
    return a / b;
}
LOCKSTEP_DEVICE float fdivide(float a, float b)
{
    return a / b;
}
LOCKSTEP_DEVICE double nan(const char *)
{
    return lockstep_math::nan();
}
LOCKSTEP_DEVICE float nanf(const char *)
{
    return (float)lockstep_math::nan();
}

/* ---- classification: bool as in C++, which the C macros of the same names are turned into by <cmath> ---- */
#undef isnan
#undef isinf
#undef isfinite
#undef isnormal
#undef signbit
#define LOCKSTEP_CLASSIFY(T)                                                                                           \
    LOCKSTEP_DEVICE bool isnan(T x)                                                                                    \
    {                                                                                                                  \
        return x != x;                                                                                                 \
    }                                                                                                                  \
    LOCKSTEP_DEVICE bool isinf(T x)                                                                                    \
    {                                                                                                                  \
        return lockstep_math::abs(x) == (T)lockstep_math::inf();                                                       \
    }                                                                                                                  \
    LOCKSTEP_DEVICE bool isfinite(T x)                                                                                 \
    {                                                                                                                  \
        return lockstep_math::abs(x) < (T)lockstep_math::inf();                                                        \
    }                                                                                                                  \
    LOCKSTEP_DEVICE bool isnormal(T x)                                                                                 \
    {                                                                                                                  \
        return isfinite(x) &&                                                                                          \
               lockstep_math::abs(x) >= (sizeof(T) == 4 ? (T)1.1754943508222875e-38f : (T)2.2250738585072014e-308);    \
    }                                                                                                                  \
    LOCKSTEP_DEVICE bool signbit(T x)                                                                                  \
    {                                                                                                                  \
        return lockstep_math::bits(x) >> (8 * sizeof(T) - 1);                                                          \
    }
LOCKSTEP_CLASSIFY(float)
LOCKSTEP_CLASSIFY(double)
#undef LOCKSTEP_CLASSIFY
/* The names under which nvcc's device code has them, which libraries call. */
#define LOCKSTEP_CLASSIFY_INNER(T)                                                                                     \
    LOCKSTEP_DEVICE int __isnan(T x)                                                                                   \
    {                                                                                                                  \
        return isnan(x);                                                                                               \
    }                                                                                                                  \
    LOCKSTEP_DEVICE int __isinf(T x)                                                                                   \
    {                                                                                                                  \
        return isinf(x);                                                                                               \
    }                                                                                                                  \
    LOCKSTEP_DEVICE int __finite(T x)                                                                                  \
    {                                                                                                                  \
        return isfinite(x);                                                                                            \
    }                                                                                                                  \
    LOCKSTEP_DEVICE int __signbit(T x)                                                                                 \
    {                                                                                                                  \
        return signbit(x);                                                                                             \
    }
LOCKSTEP_CLASSIFY_INNER(float)
LOCKSTEP_CLASSIFY_INNER(double)
#undef LOCKSTEP_CLASSIFY_INNER

/* ---- integers ---- */
LOCKSTEP_DEVICE int abs(int x)
{
    return x < 0 ? (int)(0u - (unsigned)x) : x;
}
LOCKSTEP_DEVICE long abs(long x)
{
    return x < 0 ? (long)(0ul - (unsigned long)x) : x;
}
LOCKSTEP_DEVICE long long abs(long long x)
{
    return x < 0 ? (long long)(0ull - (unsigned long long)x) : x;
}
LOCKSTEP_DEVICE float abs(float x)
{
    return __builtin_fabsf(x);
}
LOCKSTEP_DEVICE double abs(double x)
{
    return __builtin_fabs(x);
}
LOCKSTEP_DEVICE long labs(long x)
{
    return abs(x);
}
LOCKSTEP_DEVICE long long llabs(long long x)
{
    return abs(x);
}

namespace std
{
using ::abs;
using ::acos;
using ::acosf;
using ::acosh;
using ::acoshf;
using ::asin;
using ::asinf;
using ::asinh;
using ::asinhf;
using ::atan;
using ::atan2;
using ::atan2f;
using ::atanf;
using ::atanh;
using ::atanhf;
using ::cbrt;
using ::cbrtf;
using ::ceil;
using ::ceilf;
using ::copysign;
using ::copysignf;
using ::cos;
using ::cosf;
using ::cosh;
using ::coshf;
using ::erf;
using ::erfc;
using ::erfcf;
using ::erff;
using ::exp;
using ::exp2;
using ::exp2f;
using ::expf;
using ::expm1;
using ::expm1f;
using ::fabs;
using ::fabsf;
using ::fdim;
using ::fdimf;
using ::floor;
using ::floorf;
using ::fma;
using ::fmaf;
using ::fmax;
using ::fmaxf;
using ::fmin;
using ::fminf;
using ::fmod;
using ::fmodf;
using ::frexp;
using ::frexpf;
using ::hypot;
using ::hypotf;
using ::ilogb;
using ::ilogbf;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::isnormal;
using ::ldexp;
using ::ldexpf;
using ::lgamma;
using ::lgammaf;
using ::llrint;
using ::llrintf;
using ::llround;
using ::llroundf;
using ::log;
using ::log10;
using ::log10f;
using ::log1p;
using ::log1pf;
using ::log2;
using ::log2f;
using ::logb;
using ::logbf;
using ::logf;
using ::lrint;
using ::lrintf;
using ::lround;
using ::lroundf;
using ::modf;
using ::modff;
using ::nearbyint;
using ::nearbyintf;
using ::nextafter;
using ::nextafterf;
using ::pow;
using ::powf;
using ::remainder;
using ::remainderf;
using ::remquo;
using ::remquof;
using ::rint;
using ::rintf;
using ::round;
using ::roundf;
using ::scalbln;
using ::scalblnf;
using ::scalbn;
using ::scalbnf;
using ::signbit;
using ::sin;
using ::sinf;
using ::sinh;
using ::sinhf;
using ::sqrt;
using ::sqrtf;
using ::tan;
using ::tanf;
using ::tanh;
using ::tanhf;
using ::tgamma;
using ::tgammaf;
using ::trunc;
using ::truncf;
} // namespace std

#undef LOCKSTEP_MATH1
#undef LOCKSTEP_MATH1_AS
#undef LOCKSTEP_MATH2
#undef LOCKSTEP_MATH2_AS
#undef LOCKSTEP_INTEGRAL

/* ---- minimum and maximum, for host and device as nvcc has them: one instruction, where ?: would become a branch ----
 */
#define LOCKSTEP_MINMAX(R, A, B)                                                                                       \
    static __inline__ __host__ __device__ R min(A a, B b)                                                              \
    {                                                                                                                  \
        return __builtin_elementwise_min((R)a, (R)b);                                                                  \
    }                                                                                                                  \
    static __inline__ __host__ __device__ R max(A a, B b)                                                              \
    {                                                                                                                  \
        return __builtin_elementwise_max((R)a, (R)b);                                                                  \
    }
LOCKSTEP_MINMAX(int, int, int)
LOCKSTEP_MINMAX(unsigned, unsigned, unsigned)
LOCKSTEP_MINMAX(unsigned, int, unsigned)
LOCKSTEP_MINMAX(unsigned, unsigned, int)
LOCKSTEP_MINMAX(long, long, long)
LOCKSTEP_MINMAX(unsigned long, unsigned long, unsigned long)
LOCKSTEP_MINMAX(unsigned long, long, unsigned long)
LOCKSTEP_MINMAX(unsigned long, unsigned long, long)
LOCKSTEP_MINMAX(long long, long long, long long)
LOCKSTEP_MINMAX(unsigned long long, unsigned long long, unsigned long long)
LOCKSTEP_MINMAX(unsigned long long, long long, unsigned long long)
LOCKSTEP_MINMAX(unsigned long long, unsigned long long, long long)
#undef LOCKSTEP_MINMAX
#define LOCKSTEP_MINMAX(R, A, B)                                                                                       \
    static __inline__ __host__ __device__ R min(A a, B b)                                                              \
    {                                                                                                                  \
        return sizeof(R) == 4 ? (R)__builtin_fminf((float)a, (float)b) : (R)__builtin_fmin((double)a, (double)b);      \
    }                                                                                                                  \
    static __inline__ __host__ __device__ R max(A a, B b)                                                              \
    {                                                                                                                  \
        return sizeof(R) == 4 ? (R)__builtin_fmaxf((float)a, (float)b) : (R)__builtin_fmax((double)a, (double)b);      \
    }
LOCKSTEP_MINMAX(float, float, float)
LOCKSTEP_MINMAX(double, double, double)
LOCKSTEP_MINMAX(double, float, double)
LOCKSTEP_MINMAX(double, double, float)
#undef LOCKSTEP_MINMAX
LOCKSTEP_DEVICE unsigned umin(unsigned a, unsigned b)
{
    return __builtin_elementwise_min(a, b);
}
LOCKSTEP_DEVICE unsigned umax(unsigned a, unsigned b)
{
    return __builtin_elementwise_max(a, b);
}
LOCKSTEP_DEVICE long long llmin(long long a, long long b)
{
    return __builtin_elementwise_min(a, b);
}
LOCKSTEP_DEVICE long long llmax(long long a, long long b)
{
    return __builtin_elementwise_max(a, b);
}
LOCKSTEP_DEVICE unsigned long long ullmin(unsigned long long a, unsigned long long b)
{
    return __builtin_elementwise_min(a, b);
}
LOCKSTEP_DEVICE unsigned long long ullmax(unsigned long long a, unsigned long long b)
{
    return __builtin_elementwise_max(a, b);
}

/* Host forms of functions that the C library lacks. */
static __inline__ __host__ double rsqrt(double x)
{
    return 1.0 / std::sqrt(x);
}
static __inline__ __host__ float rsqrtf(float x)
{
    return 1.0f / std::sqrt(x);
}
static __inline__ __host__ float rsqrt(float x)
{
    return 1.0f / std::sqrt(x);
}
static __inline__ __host__ double rcbrt(double x)
{
    return 1.0 / cbrt(x);
}
static __inline__ __host__ float rcbrtf(float x)
{
    return 1.0f / cbrtf(x);
}
static __inline__ __host__ double normcdf(double x)
{
    return 0.5 * erfc(x * -0.70710678118654752);
}
static __inline__ __host__ float normcdff(float x)
{
    return (float)normcdf((double)x);
}

#endif

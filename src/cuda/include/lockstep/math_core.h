/* Elementary functions in double precision, our own, the same code for device and host: tests/cc/math_accuracy measures
 * them on the host against MPFR, and every operation used (add, multiply, fma, divide, square root, conversion) is
 * correctly rounded on both sides, so the device gives the same bits. docs/cuda.md states the measured bounds. Method:
 * argument reduction in double-double arithmetic where it matters, then polynomials. The coefficients are minimax fits
 * computed for this file with the Remez-like fpminimax algorithm (Brisebarre and Chevillard 2007) to about 2^-60,
 * constants are correctly rounded. Contraction is off in this file: a product and a sum are fused only where fma is
 * written. Left out: directed rounding, floating-point exceptions and errno. */
#ifndef LOCKSTEP_MATH_CORE_H
#define LOCKSTEP_MATH_CORE_H

#if defined(__CUDA__)
#define LOCKSTEP_MATH static __device__ inline
#define LOCKSTEP_MATH_INLINE static __device__ __forceinline__
#define LOCKSTEP_MATH_TABLE static __device__ const
#else
#define LOCKSTEP_MATH static inline
#define LOCKSTEP_MATH_INLINE static inline
#define LOCKSTEP_MATH_TABLE static const
#endif

#if defined(__clang__)
#pragma clang fp contract(off)
#endif

namespace lockstep_math
{

typedef unsigned long long u64;
typedef unsigned __int128 u128;

/* ---- building blocks ---- */

/* An unevaluated sum h + l, |l| at most half an ulp of h. */
struct dd {
    double h, l;
};

LOCKSTEP_MATH_INLINE u64 bits(double x)
{
    return __builtin_bit_cast(u64, x);
}
LOCKSTEP_MATH_INLINE double from_bits(u64 b)
{
    return __builtin_bit_cast(double, b);
}
LOCKSTEP_MATH_INLINE double fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
LOCKSTEP_MATH_INLINE float fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
LOCKSTEP_MATH_INLINE double abs(double x)
{
    return from_bits(bits(x) & ~(1ull << 63));
}
LOCKSTEP_MATH_INLINE double copysign(double x, double s)
{
    return from_bits((bits(x) & ~(1ull << 63)) | (bits(s) & 1ull << 63));
}
LOCKSTEP_MATH_INLINE double inf()
{
    return from_bits(0x7ffull << 52);
}
LOCKSTEP_MATH_INLINE double nan()
{
    return from_bits(0x7ff8ull << 48);
}
LOCKSTEP_MATH_INLINE bool is_nan(double x)
{
    return x != x;
}
LOCKSTEP_MATH_INLINE bool is_finite(double x)
{
    return abs(x) < inf();
}
LOCKSTEP_MATH_INLINE bool is_integer(double x)
{
    return __builtin_trunc(x) == x;
}
/* 2^k for -1022 <= k <= 1023 */
LOCKSTEP_MATH_INLINE double pow2(int k)
{
    return from_bits((u64)(k + 1023) << 52);
}
#if defined(__CUDA__)
LOCKSTEP_MATH_INLINE double root(double x)
{
    return __nvvm_sqrt_rn_d(x);
}
LOCKSTEP_MATH_INLINE float root(float x)
{
    return __nvvm_sqrt_rn_f(x);
}
#else
LOCKSTEP_MATH_INLINE double root(double x)
{
    return __builtin_sqrt(x);
}
LOCKSTEP_MATH_INLINE float root(float x)
{
    return __builtin_sqrtf(x);
}
#endif

/* c0 + c1 x + c2 x^2 + ... by Horner's rule */
template <class T> LOCKSTEP_MATH_INLINE T poly(T, T c0)
{
    return c0;
}
template <class T, class... C> LOCKSTEP_MATH_INLINE T poly(T x, T c0, C... c)
{
    return fma(x, poly(x, c...), c0);
}

/* a + b for |a| >= |b| or a == 0; for any a and b; a * b. Exact. */
LOCKSTEP_MATH_INLINE dd quick_sum(double a, double b)
{
    double h = a + b;
    return {h, (a - h) + b};
}
LOCKSTEP_MATH_INLINE dd sum(double a, double b)
{
    double h = a + b, t = h - a;
    return {h, (a - (h - t)) + (b - t)};
}
LOCKSTEP_MATH_INLINE dd product(double a, double b)
{
    double h = a * b;
    return {h, fma(a, b, -h)};
}
LOCKSTEP_MATH_INLINE dd times(dd a, double b)
{
    dd p = product(a.h, b);
    return quick_sum(p.h, fma(a.l, b, p.l));
}
LOCKSTEP_MATH_INLINE dd times(dd a, dd b)
{
    dd p = product(a.h, b.h);
    return quick_sum(p.h, p.l + fma(a.h, b.l, a.l * b.h));
}
LOCKSTEP_MATH_INLINE dd plus(dd a, dd b)
{
    dd s = sum(a.h, b.h);
    return quick_sum(s.h, s.l + (a.l + b.l));
}

/* y 2^k, rounded once; |k| at most 2000 and y near 1. */
LOCKSTEP_MATH_INLINE double scale(double y, int k)
{
    if (k > 1023)
        return k > 1100 ? y * inf() : y * pow2(1023) * pow2(k - 1023);
    if (k >= -1022)
        return y * pow2(k);
    return k < -1150 ? y * 0.0 : y * pow2(k + 200) * pow2(-200);
}

/* x = m 2^k with m in [sqrt(1/2), sqrt(2)), for positive finite x. */
LOCKSTEP_MATH double split(double x, int *k)
{
    int e = 0;
    if (x < pow2(-1022)) {
        x *= pow2(54);
        e = -54;
    }
    u64 b = bits(x);
    e += (int)(b >> 52) - 1023;
    double m = from_bits((b & ((1ull << 52) - 1)) | 1023ull << 52);
    if (m >= 0x1.6a09e667f3bcdp+0) {
        m *= 0.5;
        e++;
    }
    *k = e;
    return m;
}

/* ---- exponentials ---- */

/* e^r - 1 - r over r^2, |r| <= 0.3475 */
LOCKSTEP_MATH_INLINE double exp_tail(double r)
{
    return poly(r, 0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555557p-5, 0x1.111111111002fp-7, 0x1.6c16c16c1568ep-10,
                0x1.a01a01ac3868fp-13, 0x1.a01a01aba7114p-16, 0x1.71de014b13815p-19, 0x1.27e4cf8130412p-22,
                0x1.af4fa8861bd03p-26, 0x1.1f874c416f53cp-29);
}

/* 2^k e^(h + l), |h| <= 0.3475, l tiny */
LOCKSTEP_MATH_INLINE double exp_reduced(double h, double l, int k)
{
    return scale(1.0 + (h + fma(h * h, exp_tail(h), l)), k);
}

/* ln 2 with 42 bits, so that its product with k is exact, and the rest. */
#define LOCKSTEP_LN2_SHORT 0x1.62e42fefa38p-1
#define LOCKSTEP_LN2_REST 0x1.ef35793c76730p-45
#define LOCKSTEP_LOG2E 0x1.71547652b82fep+0

/* h + l -> remainder in [-ln2/2, ln2/2] and the multiple of ln 2; |h| < 2000 */
LOCKSTEP_MATH_INLINE dd exp_reduce(double h, double l, int *k)
{
    double n = __builtin_rint(h * LOCKSTEP_LOG2E);
    *k = (int)n;
    return quick_sum(fma(-n, LOCKSTEP_LN2_SHORT, h), fma(-n, LOCKSTEP_LN2_REST, l));
}

/* e^(h + l) 2^extra for any h */
LOCKSTEP_MATH double exp_dd(double h, double l, int extra)
{
    if (!(abs(h) < 1000.0))
        return is_nan(h) ? h : h > 0 ? inf() : 0.0;
    int k;
    dd r = exp_reduce(h, l, &k);
    return exp_reduced(r.h, r.l, k + extra);
}

LOCKSTEP_MATH double exp(double x)
{
    return exp_dd(x, 0.0, 0);
}

LOCKSTEP_MATH double exp2(double x)
{
    if (!(abs(x) < 1100.0))
        return is_nan(x) ? x : x > 0 ? inf() : 0.0;
    double n = __builtin_rint(x);
    dd r = times(dd{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, x - n);
    return exp_reduced(r.h, r.l, (int)n);
}

LOCKSTEP_MATH double exp10(double x)
{
    if (!(abs(x) < 400.0))
        return is_nan(x) ? x : x > 0 ? inf() : 0.0;
    dd r = times(dd{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53}, x);
    return exp_dd(r.h, r.l, 0);
}

LOCKSTEP_MATH double expm1(double x)
{
    if (abs(x) < pow2(-54))
        return x;
    if (!(abs(x) < 1000.0))
        return is_nan(x) ? x : x > 0 ? inf() : -1.0;
    int k;
    dd r = exp_reduce(x, 0.0, &k);
    dd p = quick_sum(r.h, fma(r.h * r.h, exp_tail(r.h), r.l)); /* e^r - 1 */
    if (k > 60)
        return scale(1.0 + p.h, k);
    if (k < -60)
        return -1.0;
    double t = pow2(k);
    dd s = sum(t - 1.0, t * p.h);
    return s.h + (s.l + t * p.l);
}

/* ---- logarithms ---- */

/* log m for m in [sqrt(1/2), sqrt(2)), to about 2^-66: with s = (m-1)/(m+1), log m = 2s + s^3 (2/3 + ...). */
LOCKSTEP_MATH dd log_mantissa(double m)
{
    double f = m - 1.0;
    dd t = quick_sum(2.0, f);
    double s = f / t.h, sl = (fma(-s, t.h, f) - s * t.l) / t.h;
    dd z = product(s, s);
    z.l = fma(2.0 * s, sl, z.l);
    dd c = quick_sum(0x1.5555555555555p-1,
                     z.h * poly(z.h, 0x1.999999999999ap-2, 0x1.2492492492206p-2, 0x1.c71c71c7b40d5p-3,
                                0x1.745d16c7293aap-3, 0x1.3b13e965c894bp-3, 0x1.1102ea42e7f3dp-3, 0x1.e5f4c01e143b8p-4,
                                0x1.5eedc410fe758p-4, 0x1.08b87cf084087p-2));
    c.l += 0x1.5555555555555p-55;
    dd w = times(z, c), u = times(w, s);
    dd r = quick_sum(2.0 * s, u.h);
    return quick_sum(r.h, r.l + (2.0 * sl + fma(w.h, sl, u.l)));
}

/* log x for positive finite x */
LOCKSTEP_MATH dd log_dd(double x)
{
    int k;
    dd r = log_mantissa(split(x, &k));
    dd s = quick_sum(k * LOCKSTEP_LN2_SHORT, r.h);
    return quick_sum(s.h, s.l + fma((double)k, LOCKSTEP_LN2_REST, r.l));
}

/* Results of log outside (0, infinity). */
LOCKSTEP_MATH_INLINE bool log_special(double x, double *y)
{
    if (x > 0.0 && x < inf())
        return false;
    *y = x == 0.0 ? -inf() : x > 0.0 ? x : nan();
    return true;
}

LOCKSTEP_MATH double log(double x)
{
    double special;
    if (log_special(x, &special))
        return special;
    int k;
    double f = split(x, &k) - 1.0, s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    double r = z * poly(z, 0x1.5555555555555p-1, 0x1.9999999999d58p-2, 0x1.249249242f0a3p-2, 0x1.c71c725c1a07p-3,
                        0x1.745cdb9028218p-3, 0x1.3b2153d48defap-3, 0x1.0f4a9be5a1bebp-3, 0x1.101e903bdfd93p-3);
    double low = fma((double)k, LOCKSTEP_LN2_REST, s * (half + r));
    return k * LOCKSTEP_LN2_SHORT - ((half - low) - f);
}

LOCKSTEP_MATH double log2(double x)
{
    double special;
    if (log_special(x, &special))
        return special;
    int k;
    dd r = times(log_mantissa(split(x, &k)), dd{LOCKSTEP_LOG2E, 0x1.777d0ffda0d24p-56});
    dd s = quick_sum((double)k, r.h);
    return s.h + (s.l + r.l);
}

LOCKSTEP_MATH double log10(double x)
{
    double special;
    if (log_special(x, &special))
        return special;
    dd r = times(log_dd(x), dd{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
    return r.h + r.l;
}

/* log(1 + h + l) for 1 + h + l positive and finite */
LOCKSTEP_MATH double log1p_dd(double h, double l)
{
    dd u = sum(1.0, h);
    dd r = log_dd(u.h);
    return r.h + (r.l + (u.l + l) / u.h);
}

LOCKSTEP_MATH double log1p(double x)
{
    double special;
    if (abs(x) < pow2(-54))
        return x;
    if (log_special(1.0 + x, &special))
        return special;
    return log1p_dd(x, 0.0);
}

LOCKSTEP_MATH double logb(double x)
{
    if (!(abs(x) < inf()))
        return x * x;
    if (x == 0.0)
        return -inf();
    u64 b = bits(x) & ~(1ull << 63);
    return b >> 52 ? (double)((int)(b >> 52) - 1023) : (double)(63 - __builtin_clzll(b) - 1074);
}

/* ---- powers ---- */

/* The cases of pow that are not x^y for finite x > 0 and finite y; *sign becomes -1 for negative x and odd y. */
LOCKSTEP_MATH bool pow_special(double x, double y, double *sign, double *result)
{
    *sign = 1.0;
    if (y == 0.0 || x == 1.0) {
        *result = 1.0;
        return true;
    }
    if (is_nan(x) || is_nan(y)) {
        *result = x + y;
        return true;
    }
    double ax = abs(x);
    if (!is_finite(y)) {
        *result = ax == 1.0 ? 1.0 : (ax > 1.0) == (y > 0.0) ? inf() : 0.0;
        return true;
    }
    bool odd = is_integer(y) && abs(y) < pow2(53) && !is_integer(0.5 * y);
    if (bits(x) >> 63 && odd)
        *sign = -1.0;
    if (ax == 0.0 || ax == inf()) {
        *result = *sign * ((ax == 0.0) == (y > 0.0) ? 0.0 : inf());
        return true;
    }
    if (x < 0.0 && !is_integer(y)) {
        *result = nan();
        return true;
    }
    return false;
}

LOCKSTEP_MATH double pow(double x, double y)
{
    double sign, special;
    if (pow_special(x, y, &sign, &special))
        return special;
    dd l = log_dd(abs(x));
    double h = y * l.h;
    if (!(abs(h) < 1000.0))
        return sign * (h > 0.0 ? inf() : 0.0);
    return sign * exp_dd(h, fma(y, l.h, -h) + y * l.l, 0);
}

/* x^n by squaring, n any int */
LOCKSTEP_MATH double powi(double x, int n)
{
    return pow(x, (double)n);
}

LOCKSTEP_MATH double cbrt(double x)
{
    double a = abs(x);
    if (!(a > 0.0 && a < inf()))
        return x;
    double unscale = 1.0;
    if (a < pow2(-500)) { /* nor its rounding error vanish */
        a *= pow2(300);
        unscale = pow2(-100);
    } else if (a > pow2(500)) { /* the cube below must not overflow */
        a *= pow2(-300);
        unscale = pow2(100);
    }
    /* A third of the bits is a guess good to 6%; each Halley step triples the number of right bits. */
    double y = from_bits(bits(a) / 3 + 0x2a9f7893782da1ceull);
    for (int i = 0; i < 3; i++) {
        double y3 = y * y * y;
        y = y - y * (y3 - a) / fma(2.0, y3, a);
    }
    dd y2 = product(y, y), y3 = times(y2, y);
    y = y - ((y3.h - a) + y3.l) / (3.0 * y2.h);
    return copysign(y * unscale, x);
}

LOCKSTEP_MATH double rcbrt(double x)
{
    double y = cbrt(x);
    return 1.0 / y;
}

/* sqrt(s.h + s.l) */
LOCKSTEP_MATH_INLINE dd root_dd(dd s)
{
    double r = root(s.h);
    if (r == 0.0)
        return {0.0, 0.0};
    return {r, (fma(-r, r, s.h) + s.l) / (2.0 * r)};
}

/* The square root of a sum of squares: the largest magnitude is scaled to [1, 2) so that nothing overflows or vanishes.
 */
LOCKSTEP_MATH double norm4(double a, double b, double c, double d, bool reciprocal)
{
    a = abs(a), b = abs(b), c = abs(c), d = abs(d);
    if (a == inf() || b == inf() || c == inf() || d == inf())
        return reciprocal ? 0.0 : inf();
    double top = a > b ? a : b;
    top = top > c ? top : c;
    top = top > d ? top : d;
    if (is_nan(a) || is_nan(b) || is_nan(c) || is_nan(d))
        return nan();
    if (top == 0.0)
        return reciprocal ? inf() : 0.0;
    int k = (int)logb(top), k1 = k / 2;
    double s1 = pow2(-k1), s2 = pow2(-(k - k1));
    a = a * s1 * s2, b = b * s1 * s2, c = c * s1 * s2, d = d * s1 * s2;
    dd s = plus(plus(product(a, a), product(b, b)), plus(product(c, c), product(d, d)));
    dd r = root_dd(s);
    double h = r.h + r.l;
    if (!reciprocal)
        return h * pow2(k1) * pow2(k - k1);
    double q = 1.0 / r.h;
    q = q + q * fma(-r.h, q, 1.0) - q * q * r.l;
    return q * pow2(-k1) * pow2(-(k - k1));
}

LOCKSTEP_MATH double hypot(double x, double y)
{
    return norm4(x, y, 0.0, 0.0, false);
}

LOCKSTEP_MATH double rsqrt(double x)
{
    if (!(x > 0.0 && x < inf()))
        return x == 0.0 ? copysign(inf(), x) : x == inf() ? 0.0 : nan();
    double up = x < pow2(-900) ? pow2(100) : 1.0;
    x = x * up * up;
    double y = 1.0 / root(x);
    dd t = product(x, y);
    double e = fma(-t.h, y, 1.0) - t.l * y;
    return fma(0.5 * y, e, y) * up;
}

#include "math_parts.h"

#include "math_trig.h"

#include "math_hyperbolic.h"

#include "math_special.h"

#include "math_bessel.h"

#include "math_float.h"

} // namespace lockstep_math

/* Back to what `lockstep cc` asks for: fusion of products and sums, unless the user turned it off. */
#if defined(__clang__) && defined(__CUDA__) && !defined(LOCKSTEP_NO_CONTRACTION)
#pragma clang fp contract(fast)
#endif

#endif

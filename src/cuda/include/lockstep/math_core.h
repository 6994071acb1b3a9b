/* Elementary functions in double precision, our own, the same code for device and host: tests/cc/math_accuracy measures them on the host
 * against MPFR, and every operation used (add, multiply, fma, divide, square root, conversion) is correctly rounded on both sides, so the device
 * gives the same bits. docs/cuda.md states the measured bounds.
 * Method: argument reduction in double-double arithmetic where it matters, then polynomials. The coefficients are minimax fits computed for this
 * file with the Remez-like fpminimax algorithm (Brisebarre and Chevillard 2007) to about 2^-60, constants are correctly rounded.
 * Contraction is off in this file: a product and a sum are fused only where fma is written.
 * Left out: directed rounding, floating-point exceptions and errno. */
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

namespace lockstep_math {

typedef unsigned long long u64;
typedef unsigned __int128 u128;

/* ---- building blocks ---- */

/* An unevaluated sum h + l, |l| at most half an ulp of h. */
struct dd {
    double h, l;
};

LOCKSTEP_MATH_INLINE u64 bits(double x) { return __builtin_bit_cast(u64, x); }
LOCKSTEP_MATH_INLINE double from_bits(u64 b) { return __builtin_bit_cast(double, b); }
LOCKSTEP_MATH_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
LOCKSTEP_MATH_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LOCKSTEP_MATH_INLINE double abs(double x) { return from_bits(bits(x) & ~(1ull << 63)); }
LOCKSTEP_MATH_INLINE double copysign(double x, double s) {
    return from_bits((bits(x) & ~(1ull << 63)) | (bits(s) & 1ull << 63));
}
LOCKSTEP_MATH_INLINE double inf() { return from_bits(0x7ffull << 52); }
LOCKSTEP_MATH_INLINE double nan() { return from_bits(0x7ff8ull << 48); }
LOCKSTEP_MATH_INLINE bool is_nan(double x) { return x != x; }
LOCKSTEP_MATH_INLINE bool is_finite(double x) { return abs(x) < inf(); }
LOCKSTEP_MATH_INLINE bool is_integer(double x) { return __builtin_trunc(x) == x; }
/* 2^k for -1022 <= k <= 1023 */
LOCKSTEP_MATH_INLINE double pow2(int k) { return from_bits((u64)(k + 1023) << 52); }
#if defined(__CUDA__)
LOCKSTEP_MATH_INLINE double root(double x) { return __nvvm_sqrt_rn_d(x); }
LOCKSTEP_MATH_INLINE float root(float x) { return __nvvm_sqrt_rn_f(x); }
#else
LOCKSTEP_MATH_INLINE double root(double x) { return __builtin_sqrt(x); }
LOCKSTEP_MATH_INLINE float root(float x) { return __builtin_sqrtf(x); }
#endif

/* c0 + c1 x + c2 x^2 + ... by Horner's rule */
template <class T> LOCKSTEP_MATH_INLINE T poly(T, T c0) { return c0; }
template <class T, class... C> LOCKSTEP_MATH_INLINE T poly(T x, T c0, C... c) { return fma(x, poly(x, c...), c0); }

/* a + b for |a| >= |b| or a == 0; for any a and b; a * b. Exact. */
LOCKSTEP_MATH_INLINE dd quick_sum(double a, double b) {
    double h = a + b;
    return {h, (a - h) + b};
}
LOCKSTEP_MATH_INLINE dd sum(double a, double b) {
    double h = a + b, t = h - a;
    return {h, (a - (h - t)) + (b - t)};
}
LOCKSTEP_MATH_INLINE dd product(double a, double b) {
    double h = a * b;
    return {h, fma(a, b, -h)};
}
LOCKSTEP_MATH_INLINE dd times(dd a, double b) {
    dd p = product(a.h, b);
    return quick_sum(p.h, fma(a.l, b, p.l));
}
LOCKSTEP_MATH_INLINE dd times(dd a, dd b) {
    dd p = product(a.h, b.h);
    return quick_sum(p.h, p.l + fma(a.h, b.l, a.l * b.h));
}
LOCKSTEP_MATH_INLINE dd plus(dd a, dd b) {
    dd s = sum(a.h, b.h);
    return quick_sum(s.h, s.l + (a.l + b.l));
}

/* y 2^k, rounded once; |k| at most 2000 and y near 1. */
LOCKSTEP_MATH_INLINE double scale(double y, int k) {
    if (k > 1023)
        return k > 1100 ? y * inf() : y * pow2(1023) * pow2(k - 1023);
    if (k >= -1022)
        return y * pow2(k);
    return k < -1150 ? y * 0.0 : y * pow2(k + 200) * pow2(-200);
}

/* x = m 2^k with m in [sqrt(1/2), sqrt(2)), for positive finite x. */
LOCKSTEP_MATH double split(double x, int *k) {
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
LOCKSTEP_MATH_INLINE double exp_tail(double r) {
    return poly(r,
        0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555557p-5, 0x1.111111111002fp-7, 0x1.6c16c16c1568ep-10,
        0x1.a01a01ac3868fp-13, 0x1.a01a01aba7114p-16, 0x1.71de014b13815p-19, 0x1.27e4cf8130412p-22,
        0x1.af4fa8861bd03p-26, 0x1.1f874c416f53cp-29);
}

/* 2^k e^(h + l), |h| <= 0.3475, l tiny */
LOCKSTEP_MATH_INLINE double exp_reduced(double h, double l, int k) { return scale(1.0 + (h + fma(h * h, exp_tail(h), l)), k); }

/* ln 2 with 42 bits, so that its product with k is exact, and the rest. */
#define LOCKSTEP_LN2_SHORT 0x1.62e42fefa38p-1
#define LOCKSTEP_LN2_REST 0x1.ef35793c76730p-45
#define LOCKSTEP_LOG2E 0x1.71547652b82fep+0

/* h + l -> remainder in [-ln2/2, ln2/2] and the multiple of ln 2; |h| < 2000 */
LOCKSTEP_MATH_INLINE dd exp_reduce(double h, double l, int *k) {
    double n = __builtin_rint(h * LOCKSTEP_LOG2E);
    *k = (int)n;
    return quick_sum(fma(-n, LOCKSTEP_LN2_SHORT, h), fma(-n, LOCKSTEP_LN2_REST, l));
}

/* e^(h + l) 2^extra for any h */
LOCKSTEP_MATH double exp_dd(double h, double l, int extra) {
    if (!(abs(h) < 1000.0))
        return is_nan(h) ? h : h > 0 ? inf() : 0.0;
    int k;
    dd r = exp_reduce(h, l, &k);
    return exp_reduced(r.h, r.l, k + extra);
}

LOCKSTEP_MATH double exp(double x) { return exp_dd(x, 0.0, 0); }

LOCKSTEP_MATH double exp2(double x) {
    if (!(abs(x) < 1100.0))
        return is_nan(x) ? x : x > 0 ? inf() : 0.0;
    double n = __builtin_rint(x);
    dd r = times(dd{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, x - n);
    return exp_reduced(r.h, r.l, (int)n);
}

LOCKSTEP_MATH double exp10(double x) {
    if (!(abs(x) < 400.0))
        return is_nan(x) ? x : x > 0 ? inf() : 0.0;
    dd r = times(dd{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53}, x);
    return exp_dd(r.h, r.l, 0);
}

LOCKSTEP_MATH double expm1(double x) {
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
LOCKSTEP_MATH dd log_mantissa(double m) {
    double f = m - 1.0;
    dd t = quick_sum(2.0, f);
    double s = f / t.h, sl = (fma(-s, t.h, f) - s * t.l) / t.h;
    dd z = product(s, s);
    z.l = fma(2.0 * s, sl, z.l);
    dd c = quick_sum(0x1.5555555555555p-1, z.h * poly(z.h,
        0x1.999999999999ap-2, 0x1.2492492492206p-2, 0x1.c71c71c7b40d5p-3, 0x1.745d16c7293aap-3,
        0x1.3b13e965c894bp-3, 0x1.1102ea42e7f3dp-3, 0x1.e5f4c01e143b8p-4, 0x1.5eedc410fe758p-4,
        0x1.08b87cf084087p-2));
    c.l += 0x1.5555555555555p-55;
    dd w = times(z, c), u = times(w, s);
    dd r = quick_sum(2.0 * s, u.h);
    return quick_sum(r.h, r.l + (2.0 * sl + fma(w.h, sl, u.l)));
}

/* log x for positive finite x */
LOCKSTEP_MATH dd log_dd(double x) {
    int k;
    dd r = log_mantissa(split(x, &k));
    dd s = quick_sum(k * LOCKSTEP_LN2_SHORT, r.h);
    return quick_sum(s.h, s.l + fma((double)k, LOCKSTEP_LN2_REST, r.l));
}

/* What log answers outside (0, infinity). */
LOCKSTEP_MATH_INLINE bool log_special(double x, double *y) {
    if (x > 0.0 && x < inf())
        return false;
    *y = x == 0.0 ? -inf() : x > 0.0 ? x : nan();
    return true;
}

LOCKSTEP_MATH double log(double x) {
    double special;
    if (log_special(x, &special))
        return special;
    int k;
    double f = split(x, &k) - 1.0, s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    double r = z * poly(z,
        0x1.5555555555555p-1, 0x1.9999999999d58p-2, 0x1.249249242f0a3p-2, 0x1.c71c725c1a07p-3,
        0x1.745cdb9028218p-3, 0x1.3b2153d48defap-3, 0x1.0f4a9be5a1bebp-3, 0x1.101e903bdfd93p-3);
    double low = fma((double)k, LOCKSTEP_LN2_REST, s * (half + r));
    return k * LOCKSTEP_LN2_SHORT - ((half - low) - f);
}

LOCKSTEP_MATH double log2(double x) {
    double special;
    if (log_special(x, &special))
        return special;
    int k;
    dd r = times(log_mantissa(split(x, &k)), dd{LOCKSTEP_LOG2E, 0x1.777d0ffda0d24p-56});
    dd s = quick_sum((double)k, r.h);
    return s.h + (s.l + r.l);
}

LOCKSTEP_MATH double log10(double x) {
    double special;
    if (log_special(x, &special))
        return special;
    dd r = times(log_dd(x), dd{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
    return r.h + r.l;
}

/* log(1 + h + l) for 1 + h + l positive and finite */
LOCKSTEP_MATH double log1p_dd(double h, double l) {
    dd u = sum(1.0, h);
    dd r = log_dd(u.h);
    return r.h + (r.l + (u.l + l) / u.h);
}

LOCKSTEP_MATH double log1p(double x) {
    double special;
    if (abs(x) < pow2(-54))
        return x;
    if (log_special(1.0 + x, &special))
        return special;
    return log1p_dd(x, 0.0);
}

LOCKSTEP_MATH double logb(double x) {
    if (!(abs(x) < inf()))
        return x * x;
    if (x == 0.0)
        return -inf();
    u64 b = bits(x) & ~(1ull << 63);
    return b >> 52 ? (double)((int)(b >> 52) - 1023) : (double)(63 - __builtin_clzll(b) - 1074);
}

/* ---- powers ---- */

/* The cases of pow that are not x^y for finite x > 0 and finite y; *sign becomes -1 for negative x and odd y. */
LOCKSTEP_MATH bool pow_special(double x, double y, double *sign, double *result) {
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

LOCKSTEP_MATH double pow(double x, double y) {
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
LOCKSTEP_MATH double powi(double x, int n) { return pow(x, (double)n); }

LOCKSTEP_MATH double cbrt(double x) {
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

LOCKSTEP_MATH double rcbrt(double x) {
    double y = cbrt(x);
    return 1.0 / y;
}

/* sqrt(s.h + s.l) */
LOCKSTEP_MATH_INLINE dd root_dd(dd s) {
    double r = root(s.h);
    if (r == 0.0)
        return {0.0, 0.0};
    return {r, (fma(-r, r, s.h) + s.l) / (2.0 * r)};
}

/* The square root of a sum of squares: the largest magnitude is scaled to [1, 2) so that nothing overflows or vanishes. */
LOCKSTEP_MATH double norm4(double a, double b, double c, double d, bool reciprocal) {
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

LOCKSTEP_MATH double hypot(double x, double y) { return norm4(x, y, 0.0, 0.0, false); }

LOCKSTEP_MATH double rsqrt(double x) {
    if (!(x > 0.0 && x < inf()))
        return x == 0.0 ? copysign(inf(), x) : x == inf() ? 0.0 : nan();
    double up = x < pow2(-900) ? pow2(100) : 1.0;
    x = x * up * up;
    double y = 1.0 / root(x);
    dd t = product(x, y);
    double e = fma(-t.h, y, 1.0) - t.l * y;
    return fma(0.5 * y, e, y) * up;
}

/* ---- trigonometry ---- */

/* The first 1280 bits of 2/pi. */
LOCKSTEP_MATH_TABLE u64 two_over_pi[20] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
    0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull,
    0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};

/* 64 bits of 2/pi from bit `position` on, counted from 1 behind the point; zeros before it. */
LOCKSTEP_MATH_INLINE u64 two_over_pi_bits(int position) {
    if (position <= -64)
        return 0;
    if (position < 0)
        return two_over_pi[0] >> -position;
    int word = position / 64, bit = position % 64;
    u64 high = two_over_pi[word] << bit;
    return bit && word + 1 < 20 ? high | two_over_pi[word + 1] >> (64 - bit) : high;
}

/* Payne and Hanek: of x 2/pi only the bits around the point are computed: two before it (the quadrant) and about 126 behind. */
LOCKSTEP_MATH dd reduce_large(double x, int *quadrant) {
    u64 b = bits(x) & ~(1ull << 63);
    u64 m = (b & ((1ull << 52) - 1)) | 1ull << 52;
    int e = (int)(b >> 52) - 1075; /* x = m 2^e */
    /* Earlier bits of 2/pi contribute multiples of four quadrants, later ones less than 2^-137. */
    int start = e - 2;
    u64 w0 = two_over_pi_bits(start), w1 = two_over_pi_bits(start + 64), w2 = two_over_pi_bits(start + 128);
    u128 low = (u128)m * w2, middle = (u128)m * w1;
    u64 p1 = (u64)middle + (u64)(low >> 64);
    u64 carry = p1 < (u64)middle;
    u64 p0 = m * w0 + (u64)(middle >> 64) + carry; /* modulo 4 quadrants */
    u64 p2 = (u64)low;
    /* p0 has two bits before the point. */
    int q = (int)(p0 >> 62);
    p0 = p0 << 2 | p1 >> 62;
    p1 = p1 << 2 | p2 >> 62;
    bool negative = p0 >> 63;
    if (negative) {
        q++;
        p1 = 0 - p1;
        p0 = ~p0 + (p1 == 0);
    }
    int zeros = p0 ? __builtin_clzll(p0) : 63;
    if (zeros) {
        p0 = p0 << zeros | p1 >> (64 - zeros);
        p1 <<= zeros;
    }
    /* Exact head of 53 bits, and the bits behind it. */
    double h = (double)(p0 >> 11) * pow2(-53 - zeros), l = (double)((p0 & 2047) << 53 | p1 >> 11) * pow2(-117 - zeros);
    dd r = times(quick_sum(h, l), dd{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
    if (negative)
        r = {-r.h, -r.l};
    if (bits(x) >> 63) {
        r = {-r.h, -r.l};
        q = -q;
    }
    *quadrant = q & 3;
    return r;
}

/* x = r + quadrant pi/2, |r| <= pi/4. Below 2^26 the first step is exact, for the multiple and pi/2 share their unit; then the rest of
 * pi/2 is taken off in double-double. */
LOCKSTEP_MATH dd reduce(double x, int *quadrant) {
    if (abs(x) <= 0x1.921fb54442d18p-1) {
        *quadrant = 0;
        return {x, 0.0};
    }
    if (!(abs(x) < 0x1p26))
        return reduce_large(x, quadrant);
    double n = __builtin_rint(x * 0x1.45f306dc9c883p-1);
    *quadrant = (int)n & 3;
    double r = fma(-n, 0x1.921fb54442d18p+0, x);
    dd t = product(n, 0x1.1a62633145c07p-54);
    dd s = sum(r, -t.h);
    return quick_sum(s.h, s.l - t.l - n * -0x1.f1976b7ed8fbcp-110);
}

LOCKSTEP_MATH_INLINE double sin_reduced(dd r) {
    double z = r.h * r.h;
    double p = poly(z,
        -0x1.5555555555555p-3, 0x1.111111111101ep-7, -0x1.a01a019fe885fp-13, 0x1.71de3a1036a14p-19,
        -0x1.ae63f7fe3e11fp-26, 0x1.60e5cb144f38dp-33, -0x1.8d5121e46429ap-41);
    return r.h + fma(r.h * z, p, r.l * fma(-0.5, z, 1.0));
}

LOCKSTEP_MATH_INLINE double cos_reduced(dd r) {
    double z = r.h * r.h, half = 0.5 * z, w = 1.0 - half;
    double p = poly(z,
        0x1.5555555555555p-5, -0x1.6c16c16c16a32p-10, 0x1.a01a019fb7abdp-16, -0x1.27e4faeeb4df7p-22,
        0x1.1eecd5b7f9ea5p-29, -0x1.92a5df4410b43p-37, 0x1.345929e9d5f15p-45);
    return w + (((1.0 - w) - half) + fma(z * z, p, -r.h * r.l));
}

LOCKSTEP_MATH_INLINE double sin_quadrant(dd r, int q) {
    double y = q & 1 ? cos_reduced(r) : sin_reduced(r);
    return q & 2 ? -y : y;
}

LOCKSTEP_MATH double sin(double x) {
    if (!is_finite(x))
        return nan();
    int q;
    dd r = reduce(x, &q);
    return sin_quadrant(r, q);
}

LOCKSTEP_MATH double cos(double x) {
    if (!is_finite(x))
        return nan();
    int q;
    dd r = reduce(x, &q);
    return sin_quadrant(r, q + 1);
}

LOCKSTEP_MATH void sincos(double x, double *s, double *c) {
    if (!is_finite(x)) {
        *s = *c = nan();
        return;
    }
    int q;
    dd r = reduce(x, &q);
    *s = sin_quadrant(r, q);
    *c = sin_quadrant(r, q + 1);
}

LOCKSTEP_MATH double tan(double x) {
    if (!is_finite(x))
        return nan();
    int q;
    dd r = reduce(x, &q);
    double s = sin_reduced(r), c = cos_reduced(r);
    return q & 1 ? -c / s : s / c;
}

/* x = r + quadrant / 2 exactly; the result is r pi. */
LOCKSTEP_MATH dd reduce_pi(double x, int *quadrant) {
    double whole = x - 2.0 * __builtin_trunc(0.5 * x), n = __builtin_rint(2.0 * whole);
    *quadrant = (int)n & 3;
    return times(dd{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}, whole - 0.5 * n);
}

LOCKSTEP_MATH double sinpi(double x) {
    if (!is_finite(x))
        return nan();
    if (is_integer(x))
        return copysign(0.0, x);
    int q;
    dd r = reduce_pi(x, &q);
    return sin_quadrant(r, q);
}

LOCKSTEP_MATH double cospi(double x) {
    if (!is_finite(x))
        return nan();
    int q;
    dd r = reduce_pi(abs(x), &q);
    return r.h == 0.0 && q & 1 ? 0.0 : sin_quadrant(r, q + 1);
}

/* (atan t - t) / t for |t| <= 0.4143 */
LOCKSTEP_MATH_INLINE double atan_tail(double t) {
    double z = t * t;
    return z * poly(z,
        -0x1.5555555555555p-2, 0x1.9999999999803p-3, -0x1.249249248058bp-3, 0x1.c71c71bb59d99p-4,
        -0x1.745d151c52cdfp-4, 0x1.3b13722decb1p-4, -0x1.110c5bc53117bp-4, 0x1.e16843c05690fp-5,
        -0x1.aaf779140590cp-5, 0x1.6d02d6eb59c25p-5, -0x1.0116b95e55113p-5, 0x1.4cd6b27155486p-7,
        0x1.537937e2813f1p-8);
}

/* atan(y / x) for y, x >= 0, not both 0 nor both infinite: turned by pi/4 or pi/2 when the quotient exceeds tan(pi/8), cot(pi/8). */
LOCKSTEP_MATH double atan_quotient(double y, double x) {
    dd base = {0.0, 0.0};
    double n = y, d = x;
    if (y > 2.414213562373095 * x) {
        base = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
        n = -x;
        d = y;
    } else if (y > 0.4142135623730951 * x) {
        base = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
        n = y - x;
        d = y + x;
    }
    double t = n / d;
    if (base.h == 0.0)
        return fma(t, atan_tail(t), t);
    dd s = quick_sum(base.h, t);
    return s.h + (s.l + fma(t, atan_tail(t), base.l));
}

LOCKSTEP_MATH double atan(double x) {
    if (is_nan(x))
        return x;
    double a = abs(x);
    return copysign(a < pow2(-30) ? a : a == inf() ? 0x1.921fb54442d18p+0 : atan_quotient(a, 1.0), x);
}

LOCKSTEP_MATH double atan2(double y, double x) {
    if (is_nan(x) || is_nan(y))
        return x + y;
    double ay = abs(y), ax = abs(x), r;
    if (ax == inf() && ay == inf())
        ax = ay = 1.0;
    if (ay == 0.0 || ax == inf()) {
        r = 0.0;
    } else if (ax == 0.0 || ay == inf()) {
        r = 0x1.921fb54442d18p+0;
    } else {
        if (ax > pow2(1020) || ay > pow2(1020))
            ax *= pow2(-4), ay *= pow2(-4);
        else if (ax < pow2(-900) && ay < pow2(-900))
            ax *= pow2(120), ay *= pow2(120);
        r = atan_quotient(ay, ax);
    }
    if (bits(x) >> 63)
        r = 0x1.921fb54442d18p+1 - (r - 0x1.1a62633145c07p-53);
    return copysign(r, y);
}

/* (asin x - x) / x for z = x^2 <= 1/4 */
LOCKSTEP_MATH_INLINE double asin_tail(double z) {
    return z * poly(z,
        0x1.5555555555555p-3, 0x1.33333333334a3p-4, 0x1.6db6db6d9973p-5, 0x1.f1c71c834ff2p-6,
        0x1.6e8b9ff52d9dbp-6, 0x1.1c4f14804a93ap-6, 0x1.c98e755140e9cp-7, 0x1.7b1102a4cd031p-7,
        0x1.3b39a4d40d1cdp-7, 0x1.2f1e4f7dae16ap-7, 0x1.e5a705fcc211p-9, 0x1.0da66eccdee6p-6,
        -0x1.63a698eb549cap-7, 0x1.1773011faf579p-6, 0x1.08a999ad4da37p-7);
}

/* asin of sqrt((1 - a) / 2), half the arc from a to 1, for 1/2 < a <= 1 */
LOCKSTEP_MATH_INLINE dd half_arc(double a) {
    double z = 0.5 * (1.0 - a);
    dd s = root_dd({z, 0.0});
    return quick_sum(s.h, fma(s.h, asin_tail(z), s.l));
}

LOCKSTEP_MATH double asin(double x) {
    double a = abs(x);
    if (!(a <= 1.0))
        return nan();
    if (a <= 0.5)
        return fma(x, asin_tail(x * x), x);
    dd s = half_arc(a), r = sum(0x1.921fb54442d18p+0, -2.0 * s.h);
    return copysign(r.h + (r.l + (0x1.1a62633145c07p-54 - 2.0 * s.l)), x);
}

LOCKSTEP_MATH double acos(double x) {
    double a = abs(x);
    if (!(a <= 1.0))
        return nan();
    if (a <= 0.5) {
        dd r = sum(0x1.921fb54442d18p+0, -x);
        return r.h + (r.l + fma(-x, asin_tail(x * x), 0x1.1a62633145c07p-54));
    }
    dd s = half_arc(a);
    if (x > 0.0)
        return 2.0 * (s.h + s.l);
    dd r = sum(0x1.921fb54442d18p+1, -2.0 * s.h);
    return r.h + (r.l + (0x1.1a62633145c07p-53 - 2.0 * s.l));
}

/* ---- hyperbolic functions ---- */

LOCKSTEP_MATH double sinh(double x) {
    double a = abs(x);
    if (a > 22.0)
        return copysign(exp_dd(a, 0.0, -1), x);
    double t = expm1(a);
    return copysign(0.5 * (t + t / (t + 1.0)), x);
}

LOCKSTEP_MATH double cosh(double x) {
    double a = abs(x);
    if (a > 22.0)
        return exp_dd(a, 0.0, -1);
    double t = exp(a);
    return 0.5 * t + 0.5 / t;
}

LOCKSTEP_MATH double tanh(double x) {
    double a = abs(x);
    if (is_nan(x))
        return x;
    if (a > 22.0)
        return copysign(1.0, x);
    double t = expm1(2.0 * a);
    return copysign(t / (t + 2.0), x);
}

LOCKSTEP_MATH double asinh(double x) {
    double a = abs(x);
    if (!(a > pow2(-28)) || a == inf())
        return x;
    if (a > pow2(28)) {
        dd r = log_dd(a);
        return copysign(r.h + (r.l + 0x1.62e42fefa39efp-1), x);
    }
    dd z = product(a, a), s = sum(1.0, z.h), r = root_dd({s.h, s.l + z.l});
    /* x + (sqrt(1 + x^2) - 1), the latter as x^2 / (1 + sqrt(1 + x^2)) */
    dd d = quick_sum(r.h, 1.0);
    double q = z.h / d.h, ql = (fma(-q, d.h, z.h) + z.l - q * (d.l + r.l)) / d.h;
    dd t = sum(a, q);
    return copysign(log1p_dd(t.h, t.l + ql), x);
}

LOCKSTEP_MATH double acosh(double x) {
    if (!(x >= 1.0))
        return nan();
    if (x == inf())
        return x;
    if (x > pow2(28)) {
        dd r = log_dd(x);
        return r.h + (r.l + 0x1.62e42fefa39efp-1);
    }
    /* log1p(t + sqrt(t (t + 2))), t = x - 1 */
    double t = x - 1.0;
    dd u = sum(t, 2.0), z = times(u, t), r = root_dd(z);
    dd s = sum(t, r.h);
    return log1p_dd(s.h, s.l + r.l);
}

LOCKSTEP_MATH double atanh(double x) {
    double a = abs(x);
    if (!(a < 1.0))
        return a == 1.0 ? copysign(inf(), x) : nan();
    if (a < pow2(-28))
        return x;
    /* log1p(2a / (1 - a)) / 2 */
    dd d = quick_sum(1.0, -a);
    double q = 2.0 * a / d.h, ql = (fma(-q, d.h, 2.0 * a) - q * d.l) / d.h;
    return copysign(0.5 * log1p_dd(q, ql), x);
}

/* ---- error functions ---- */

/* erf x over x, |x| <= 1 */
LOCKSTEP_MATH_INLINE double erf_small(double z) {
    return poly(z,
        0x1.20dd750429b6dp0, -0x1.812746b0379c1p-2, 0x1.ce2f21a0413cdp-4, -0x1.b82ce312159cap-6,
        0x1.565bccfae88b9p-8, -0x1.c02dafd748dcbp-11, 0x1.f9a28f0e2eb21p-14, -0x1.f4c3515549895p-17,
        0x1.b8d8acbec6cc7p-20, -0x1.51f093e00f15dp-23, 0x1.077a743e10a5dp-27, 0x1.2cbd57aafc9edp-28,
        -0x1.812ffde00c233p-29, 0x1.e398bd1c56919p-31, -0x1.0aa0208cfdb82p-33);
}

/* erfc(h + l) for 0.47 <= h <= 28: with t = (h-4)/(h+4), (1 + 2h) e^(h^2) erfc(h) is nearly a polynomial (Shepherd and Laframboise 1981). */
LOCKSTEP_MATH double erfc_large(double h, double l) {
    double t = (h - 4.0) / (h + 4.0);
    double g = poly(t,
        0x1.3ba5916e9fd7fp0, -0x1.1df1ad154a28fp-3, 0x1.f7f5df66fc81fp-7, 0x1.16ecefcfa541ep-4,
        -0x1.9ddb23c3e3a64p-4, 0x1.7fee004e11703p-4, -0x1.0fb06dfeb7ce2p-4, 0x1.3079edf692ed3p-5,
        -0x1.096238716f13dp-6, 0x1.49c67286e281ap-8, -0x1.8d4aaaf60fcbbp-11, -0x1.a1df2b4a54eccp-13,
        0x1.3be16da0321c9p-13, -0x1.9957c319d2a8ap-16, -0x1.78bc400aea0fap-17, 0x1.7f0f82a665fffp-18,
        0x1.46c836f229fbdp-22, -0x1.b924a41818aaap-21, 0x1.0a89449b0b623p-24, 0x1.c2dd519242549p-24,
        -0x1.409a80edaa047p-27, -0x1.5f888fa43234cp-27, -0x1.89d2d4f97eea7p-31);
    dd square = product(h, h);
    double e = exp_dd(-square.h, -(square.l + 2.0 * h * l), 64);
    /* The factor 2^64 keeps e normal while g is applied. */
    return g * e / fma(2.0, h, 1.0) * pow2(-64);
}

LOCKSTEP_MATH double erf(double x) {
    double a = abs(x);
    if (is_nan(x))
        return x;
    if (a <= 1.0)
        return x * erf_small(x * x);
    return copysign(a > 6.0 ? 1.0 : 1.0 - erfc_large(a, 0.0), x);
}

LOCKSTEP_MATH double erfc_dd(double h, double l) {
    if (is_nan(h))
        return h;
    if (abs(h) < 0.47)
        return 1.0 - (h + l) * erf_small(h * h);
    if (h > 28.0)
        return 0.0;
    if (h > 0.0)
        return erfc_large(h, l);
    return h < -6.0 ? 2.0 : 2.0 - erfc_large(-h, -l);
}

LOCKSTEP_MATH double erfc(double x) { return erfc_dd(x, 0.0); }

LOCKSTEP_MATH double normcdf(double x) {
    if (!(abs(x) < 40.0))
        return is_nan(x) ? x : x > 0.0 ? 1.0 : 0.0;
    dd t = times(dd{-0x1.6a09e667f3bcdp-1, -(-0x1.bdd3413b26456p-55)}, x);
    return 0.5 * erfc_dd(t.h, t.l);
}

LOCKSTEP_MATH double erfinv(double x);

/* y with erfc(y) = p for 0 < p < 2. In the tail by Newton steps on log erfc, which is nearly a parabola. */
LOCKSTEP_MATH double erfcinv(double p) {
    if (!(p > 0.0 && p < 2.0))
        return p == 0.0 ? inf() : p == 2.0 ? -inf() : nan();
    if (p >= 0.5)
        return p > 1.5 ? -erfcinv(2.0 - p) : erfinv(1.0 - p);
    double y = root(-log(p)) - 0.3;
    for (int i = 0; i < 6; i++) {
        double c = erfc(y);
        y = y + log(c / p) * c * exp(y * y) * 0x1.c5bf891b4ef6bp-1;
    }
    return y;
}

LOCKSTEP_MATH double erfinv(double x) {
    double a = abs(x);
    if (!(a < 1.0))
        return a == 1.0 ? copysign(inf(), x) : nan();
    if (a > 0.5)
        return copysign(erfcinv(1.0 - a), x);
    double y = x * 0x1.c5bf891b4ef6bp-1;
    for (int i = 0; i < 5; i++)
        y = y - (erf(y) - x) * exp(y * y) * 0x1.c5bf891b4ef6bp-1;
    return y;
}

LOCKSTEP_MATH double normcdfinv(double p) { return -0x1.6a09e667f3bcdp+0 * erfcinv(2.0 * p); }

/* ---- gamma functions ---- */

/* log gamma(2 + e) over e, |e| <= 1/2 */
LOCKSTEP_MATH_INLINE double lgamma_core(double e) {
    return poly(e,
        0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a557606p-4, 0x1.51322ac7d8483p-6,
        -0x1.e404fc218f68ep-8, 0x1.7add6eadb6cc6p-9, -0x1.38ac5c2bef708p-10, 0x1.0b36af863060dp-11,
        -0x1.d3fd4c8027509p-13, 0x1.a127b0fa70977p-14, -0x1.78de59284a82cp-15, 0x1.580dcc52e9bb7p-16,
        -0x1.3cbd11515bfcdp-17, 0x1.259819b100541p-18, -0x1.11a4d1e3d7d42p-19, 0x1.00574768fddb7p-20,
        -0x1.e47012dc1139dp-22, 0x1.c9663619a68c0p-23, -0x1.97a8e0fc9d2ecp-24, 0x1.82ffacf5b2a31p-25,
        -0x1.0db2a7b3b7770p-25, 0x1.01c0f0475367bp-26);
}

/* log gamma(x) for x >= 13, by Stirling's series */
LOCKSTEP_MATH dd lgamma_stirling(double x) {
    double r = 1.0 / x, z = r * r;
    double series = r * poly(z, 0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11,
                             0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8);
    dd l = log_dd(x), t = times(l, x - 0.5);
    t = plus(t, dd{-x, 0.0});
    t = plus(t, dd{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55});
    return plus(t, dd{series, 0.0});
}

/* x (x+1) ... up to [1.5, 2.5], as p; returns the argument reached; x <= 2.5 */
LOCKSTEP_MATH double rise(double x, dd *p) {
    *p = {1.0, 0.0};
    for (; x < 1.5; x += 1.0)
        *p = times(*p, x);
    return x;
}

/* (x-1) (x-2) ... down to [1.5, 2.5], as p; x <= 13 */
LOCKSTEP_MATH double fall(double x, dd *p) {
    *p = {1.0, 0.0};
    while (x > 2.5) {
        x -= 1.0;
        *p = times(*p, x);
    }
    return x;
}

LOCKSTEP_MATH double lgamma_positive(double x) {
    if (x >= 1e300)
        return x * (log(x) - 1.0);
    if (x >= 13.0) {
        dd r = lgamma_stirling(x);
        return r.h + r.l;
    }
    if (x < 0.5) {
        dd l = log_dd(x);
        /* gamma(x) = gamma(2 + x) / (x (1 + x)) */
        return (x * lgamma_core(x) - log1p(x)) - l.h - l.l;
    }
    if (x < 1.5) {
        /* log gamma(1 + e) = log gamma(2 + e) - log(1 + e), which cancel in part */
        double e = x - 1.0;
        dd l = log_dd(x), g = product(e, lgamma_core(e));
        return (g.h - l.h) + (g.l - l.l);
    }
    dd p;
    double e = fall(x, &p) - 2.0;
    if (p.h == 1.0)
        return e * lgamma_core(e);
    dd l = log_dd(p.h);
    return l.h + (e * lgamma_core(e) + (l.l + p.l / p.h));
}

LOCKSTEP_MATH double lgamma(double x) {
    if (!is_finite(x))
        return x * x;
    if (x > 0.0)
        return lgamma_positive(x);
    if (is_integer(x))
        return inf();
    /* reflection: gamma(x) gamma(-x) = -pi / (x sin(pi x)) */
    double s = abs(sinpi(x));
    if (-x < pow2(-60))
        return -log(-x);
    return log(0x1.921fb54442d18p+1 / (-x * s)) - lgamma_positive(-x);
}

/* gamma(x) 2^extra for 0 < x < 180 */
LOCKSTEP_MATH double tgamma_positive(double x, int extra) {
    if (x >= 13.0) {
        dd l = lgamma_stirling(x);
        return exp_dd(l.h, l.l, extra);
    }
    dd p;
    bool up = x < 1.5;
    double y = up ? rise(x, &p) : fall(x, &p);
    double e = y - 2.0, g = exp_dd(e * lgamma_core(e), 0.0, 0);
    return scale(1.0, extra) * (up ? g / p.h : g * p.h);
}

LOCKSTEP_MATH double tgamma(double x) {
    if (!is_finite(x))
        return x < 0.0 ? nan() : x;
    if (x == 0.0)
        return copysign(inf(), x);
    if (x > 0.0)
        return x > 171.7 ? inf() : x < pow2(-60) ? 1.0 / x : tgamma_positive(x, 0);
    if (is_integer(x))
        return nan();
    if (x > -pow2(-60))
        return 1.0 / x;
    if (x < -190.0)
        return copysign(0.0, sinpi(x));
    /* The factor keeps a large gamma(-x) in range. */
    return -0x1.921fb54442d18p+1 / (tgamma_positive(-x, -300) * (x * sinpi(x))) * pow2(-300);
}

/* ---- remainders, exact ---- */

/* |x| mod |y| for finite x and y != 0: one bit of the quotient at a time; *odd is its lowest bits. */
LOCKSTEP_MATH double remainder_magnitude(double x, double y, unsigned *quotient) {
    u64 a = bits(x) & ~(1ull << 63), b = bits(y) & ~(1ull << 63);
    *quotient = 0;
    if (a < b)
        return from_bits(a);
    int ea = (int)(a >> 52), eb = (int)(b >> 52);
    u64 ma = ea ? (a & ((1ull << 52) - 1)) | 1ull << 52 : a, mb = eb ? (b & ((1ull << 52) - 1)) | 1ull << 52 : b;
    ea += !ea;
    eb += !eb;
    unsigned q = 0;
    for (int k = ea - eb; k >= 0; k--) {
        bool fits = ma >= mb;
        q = q << 1 | fits;
        ma = fits ? ma - mb : ma;
        if (k)
            ma <<= 1;
    }
    *quotient = q;
    if (ma == 0)
        return 0.0;
    /* ma 2^(eb - 1075), which may be subnormal */
    int shift = __builtin_clzll(ma) - 11;
    if (shift < eb)
        return from_bits(((ma << shift) & ((1ull << 52) - 1)) | (u64)(eb - shift) << 52);
    return from_bits(ma << (eb - 1));
}

LOCKSTEP_MATH double fmod(double x, double y) {
    if (!is_finite(x) || is_nan(y) || y == 0.0)
        return nan();
    unsigned q;
    return y * y == inf() && abs(y) == inf() ? x : copysign(remainder_magnitude(x, y, &q), x);
}

LOCKSTEP_MATH double remquo(double x, double y, int *quotient) {
    *quotient = 0;
    if (!is_finite(x) || is_nan(y) || y == 0.0)
        return nan();
    if (abs(y) == inf())
        return x;
    unsigned q;
    double ay = abs(y), r = remainder_magnitude(x, y, &q);
    /* compare r with y/2 without rounding: r > y - r */
    double rest = ay - r;
    if (r > rest || (r == rest && q & 1)) {
        r = -rest;
        q++;
    }
    int low = (int)(q & 0x7fffffff);
    *quotient = (bits(x) ^ bits(y)) >> 63 ? -low : low;
    return bits(x) >> 63 ? -r : r;
}

/* ---- taking apart and putting together ---- */

LOCKSTEP_MATH double frexp(double x, int *exponent) {
    *exponent = 0;
    if (x == 0.0 || !is_finite(x))
        return x;
    int e = 0;
    if (abs(x) < pow2(-1022)) {
        x *= pow2(54);
        e = -54;
    }
    u64 b = bits(x);
    *exponent = e + (int)(b >> 52 & 2047) - 1022;
    return from_bits((b & ~(2047ull << 52)) | 1022ull << 52);
}

LOCKSTEP_MATH double ldexp(double x, int n) {
    int e;
    double m = frexp(x, &e);
    if (m == 0.0 || !is_finite(m))
        return x;
    n = n > 4000 ? 4000 : n < -4000 ? -4000 : n;
    return scale(m, n + e);
}

LOCKSTEP_MATH double nextafter(double x, double y) {
    if (is_nan(x) || is_nan(y))
        return x + y;
    if (x == y)
        return y;
    if (x == 0.0)
        return copysign(from_bits(1), y);
    return from_bits((x < y) == (x > 0.0) ? bits(x) + 1 : bits(x) - 1);
}

LOCKSTEP_MATH_INLINE double round(double x) {
    double t = __builtin_trunc(x);
    return abs(x - t) >= 0.5 ? t + copysign(1.0, x) : copysign(t, x);
}

#include "math_float.h"

} // namespace lockstep_math

/* Back to what `lockstep cc` asks for: fusion of products and sums, unless the user turned it off. */
#if defined(__clang__) && defined(__CUDA__) && !defined(LOCKSTEP_NO_CONTRACTION)
#pragma clang fp contract(fast)
#endif

#endif

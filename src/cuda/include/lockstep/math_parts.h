/* Remainders, and taking numbers apart and putting them together, in double precision; all exact but for the underflow
 * of ldexp; part of math_core.h, inside its namespace. */
#ifndef LOCKSTEP_MATH_PARTS_H
#define LOCKSTEP_MATH_PARTS_H

/* ---- remainders, exact ---- */

/* |x| mod |y| for finite x and y != 0: one bit of the quotient at a time; *odd is its lowest bits. */
LOCKSTEP_MATH double remainder_magnitude(double x, double y, unsigned *quotient)
{
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

LOCKSTEP_MATH double fmod(double x, double y)
{
    if (!is_finite(x) || is_nan(y) || y == 0.0)
        return nan();
    unsigned q;
    return y * y == inf() && abs(y) == inf() ? x : copysign(remainder_magnitude(x, y, &q), x);
}

LOCKSTEP_MATH double remquo(double x, double y, int *quotient)
{
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

LOCKSTEP_MATH double frexp(double x, int *exponent)
{
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

LOCKSTEP_MATH double ldexp(double x, int n)
{
    int e;
    double m = frexp(x, &e);
    if (m == 0.0 || !is_finite(m))
        return x;
    n = n > 4000 ? 4000 : n < -4000 ? -4000 : n;
    return scale(m, n + e);
}

LOCKSTEP_MATH double nextafter(double x, double y)
{
    if (is_nan(x) || is_nan(y))
        return x + y;
    if (x == y)
        return y;
    if (x == 0.0)
        return copysign(from_bits(1), y);
    return from_bits((x < y) == (x > 0.0) ? bits(x) + 1 : bits(x) - 1);
}

LOCKSTEP_MATH_INLINE double round(double x)
{
    double t = __builtin_trunc(x);
    return abs(x - t) >= 0.5 ? t + copysign(1.0, x) : copysign(t, x);
}

#endif

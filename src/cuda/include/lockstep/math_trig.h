/* Trigonometric functions and their inverses in double precision; part of math_core.h, inside its namespace. */
#ifndef LOCKSTEP_MATH_TRIG_H
#define LOCKSTEP_MATH_TRIG_H

/* The first 1280 bits of 2/pi. */
LOCKSTEP_MATH_TABLE u64 two_over_pi[20] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
    0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull,
    0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};

/* 64 bits of 2/pi from bit `position` on, counted from 1 behind the point; zeros before it. */
LOCKSTEP_MATH_INLINE u64 two_over_pi_bits(int position)
{
    if (position <= -64)
        return 0;
    if (position < 0)
        return two_over_pi[0] >> -position;
    int word = position / 64, bit = position % 64;
    u64 high = two_over_pi[word] << bit;
    return bit && word + 1 < 20 ? high | two_over_pi[word + 1] >> (64 - bit) : high;
}

/* Payne and Hanek: of x 2/pi only the bits around the point are computed: two before it (the quadrant) and about 126
 * behind. */
LOCKSTEP_MATH dd reduce_large(double x, int *quadrant)
{
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

/* x = r + quadrant pi/2, |r| <= pi/4. Below 2^26 the first step is exact, for the multiple and pi/2 share their unit;
 * then the rest of pi/2 is taken off in double-double. */
LOCKSTEP_MATH dd reduce(double x, int *quadrant)
{
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

LOCKSTEP_MATH_INLINE double sin_reduced(dd r)
{
    double z = r.h * r.h;
    double p = poly(z, -0x1.5555555555555p-3, 0x1.111111111101ep-7, -0x1.a01a019fe885fp-13, 0x1.71de3a1036a14p-19,
                    -0x1.ae63f7fe3e11fp-26, 0x1.60e5cb144f38dp-33, -0x1.8d5121e46429ap-41);
    return r.h + fma(r.h * z, p, r.l * fma(-0.5, z, 1.0));
}

LOCKSTEP_MATH_INLINE double cos_reduced(dd r)
{
    double z = r.h * r.h, half = 0.5 * z, w = 1.0 - half;
    double p = poly(z, 0x1.5555555555555p-5, -0x1.6c16c16c16a32p-10, 0x1.a01a019fb7abdp-16, -0x1.27e4faeeb4df7p-22,
                    0x1.1eecd5b7f9ea5p-29, -0x1.92a5df4410b43p-37, 0x1.345929e9d5f15p-45);
    return w + (((1.0 - w) - half) + fma(z * z, p, -r.h * r.l));
}

LOCKSTEP_MATH_INLINE double sin_quadrant(dd r, int q)
{
    double y = q & 1 ? cos_reduced(r) : sin_reduced(r);
    return q & 2 ? -y : y;
}

LOCKSTEP_MATH double sin(double x)
{
    if (!is_finite(x))
        return nan();
    int q;
    dd r = reduce(x, &q);
    return sin_quadrant(r, q);
}

LOCKSTEP_MATH double cos(double x)
{
    if (!is_finite(x))
        return nan();
    int q;
    dd r = reduce(x, &q);
    return sin_quadrant(r, q + 1);
}

LOCKSTEP_MATH void sincos(double x, double *s, double *c)
{
    if (!is_finite(x)) {
        *s = *c = nan();
        return;
    }
    int q;
    dd r = reduce(x, &q);
    *s = sin_quadrant(r, q);
    *c = sin_quadrant(r, q + 1);
}

LOCKSTEP_MATH double tan(double x)
{
    if (!is_finite(x))
        return nan();
    int q;
    dd r = reduce(x, &q);
    double s = sin_reduced(r), c = cos_reduced(r);
    return q & 1 ? -c / s : s / c;
}

/* x = r + quadrant / 2 exactly; the result is r pi. */
LOCKSTEP_MATH dd reduce_pi(double x, int *quadrant)
{
    double whole = x - 2.0 * __builtin_trunc(0.5 * x), n = __builtin_rint(2.0 * whole);
    *quadrant = (int)n & 3;
    return times(dd{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}, whole - 0.5 * n);
}

LOCKSTEP_MATH double sinpi(double x)
{
    if (!is_finite(x))
        return nan();
    if (is_integer(x))
        return copysign(0.0, x);
    int q;
    dd r = reduce_pi(x, &q);
    return sin_quadrant(r, q);
}

LOCKSTEP_MATH double cospi(double x)
{
    if (!is_finite(x))
        return nan();
    int q;
    dd r = reduce_pi(abs(x), &q);
    return r.h == 0.0 && q & 1 ? 0.0 : sin_quadrant(r, q + 1);
}

/* (atan t - t) / t for |t| <= 0.4143 */
LOCKSTEP_MATH_INLINE double atan_tail(double t)
{
    double z = t * t;
    return z * poly(z, -0x1.5555555555555p-2, 0x1.9999999999803p-3, -0x1.249249248058bp-3, 0x1.c71c71bb59d99p-4,
                    -0x1.745d151c52cdfp-4, 0x1.3b13722decb1p-4, -0x1.110c5bc53117bp-4, 0x1.e16843c05690fp-5,
                    -0x1.aaf779140590cp-5, 0x1.6d02d6eb59c25p-5, -0x1.0116b95e55113p-5, 0x1.4cd6b27155486p-7,
                    0x1.537937e2813f1p-8);
}

/* atan(y / x) for y, x >= 0, not both 0 nor both infinite: turned by pi/4 or pi/2 when the quotient exceeds tan(pi/8),
 * cot(pi/8). */
LOCKSTEP_MATH double atan_quotient(double y, double x)
{
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

LOCKSTEP_MATH double atan(double x)
{
    if (is_nan(x))
        return x;
    double a = abs(x);
    return copysign(a < pow2(-30) ? a : a == inf() ? 0x1.921fb54442d18p+0 : atan_quotient(a, 1.0), x);
}

LOCKSTEP_MATH double atan2(double y, double x)
{
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
LOCKSTEP_MATH_INLINE double asin_tail(double z)
{
    return z * poly(z, 0x1.5555555555555p-3, 0x1.33333333334a3p-4, 0x1.6db6db6d9973p-5, 0x1.f1c71c834ff2p-6,
                    0x1.6e8b9ff52d9dbp-6, 0x1.1c4f14804a93ap-6, 0x1.c98e755140e9cp-7, 0x1.7b1102a4cd031p-7,
                    0x1.3b39a4d40d1cdp-7, 0x1.2f1e4f7dae16ap-7, 0x1.e5a705fcc211p-9, 0x1.0da66eccdee6p-6,
                    -0x1.63a698eb549cap-7, 0x1.1773011faf579p-6, 0x1.08a999ad4da37p-7);
}

/* asin of sqrt((1 - a) / 2), half the arc from a to 1, for 1/2 < a <= 1 */
LOCKSTEP_MATH_INLINE dd half_arc(double a)
{
    double z = 0.5 * (1.0 - a);
    dd s = root_dd({z, 0.0});
    return quick_sum(s.h, fma(s.h, asin_tail(z), s.l));
}

LOCKSTEP_MATH double asin(double x)
{
    double a = abs(x);
    if (!(a <= 1.0))
        return nan();
    if (a <= 0.5)
        return fma(x, asin_tail(x * x), x);
    dd s = half_arc(a), r = sum(0x1.921fb54442d18p+0, -2.0 * s.h);
    return copysign(r.h + (r.l + (0x1.1a62633145c07p-54 - 2.0 * s.l)), x);
}

LOCKSTEP_MATH double acos(double x)
{
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

#endif

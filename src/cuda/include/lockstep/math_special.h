/* Error functions, the normal distribution and gamma functions in double precision; part of math_core.h, inside its
 * namespace. */
#ifndef LOCKSTEP_MATH_SPECIAL_H
#define LOCKSTEP_MATH_SPECIAL_H

/* ---- error functions ---- */

/* erf x over x, |x| <= 1 */
LOCKSTEP_MATH_INLINE double erf_small(double z)
{
    return poly(z, 0x1.20dd750429b6dp0, -0x1.812746b0379c1p-2, 0x1.ce2f21a0413cdp-4, -0x1.b82ce312159cap-6,
                0x1.565bccfae88b9p-8, -0x1.c02dafd748dcbp-11, 0x1.f9a28f0e2eb21p-14, -0x1.f4c3515549895p-17,
                0x1.b8d8acbec6cc7p-20, -0x1.51f093e00f15dp-23, 0x1.077a743e10a5dp-27, 0x1.2cbd57aafc9edp-28,
                -0x1.812ffde00c233p-29, 0x1.e398bd1c56919p-31, -0x1.0aa0208cfdb82p-33);
}

/* erfc(h + l) for 0.47 <= h <= 28: with t = (h-4)/(h+4), (1 + 2h) e^(h^2) erfc(h) is nearly a polynomial (Shepherd and
 * Laframboise 1981): this one. */
LOCKSTEP_MATH_INLINE double erfc_core(double h)
{
    double t = (h - 4.0) / (h + 4.0);
    return poly(t, 0x1.3ba5916e9fd7fp0, -0x1.1df1ad154a28fp-3, 0x1.f7f5df66fc81fp-7, 0x1.16ecefcfa541ep-4,
                -0x1.9ddb23c3e3a64p-4, 0x1.7fee004e11703p-4, -0x1.0fb06dfeb7ce2p-4, 0x1.3079edf692ed3p-5,
                -0x1.096238716f13dp-6, 0x1.49c67286e281ap-8, -0x1.8d4aaaf60fcbbp-11, -0x1.a1df2b4a54eccp-13,
                0x1.3be16da0321c9p-13, -0x1.9957c319d2a8ap-16, -0x1.78bc400aea0fap-17, 0x1.7f0f82a665fffp-18,
                0x1.46c836f229fbdp-22, -0x1.b924a41818aaap-21, 0x1.0a89449b0b623p-24, 0x1.c2dd519242549p-24,
                -0x1.409a80edaa047p-27, -0x1.5f888fa43234cp-27, -0x1.89d2d4f97eea7p-31);
}
LOCKSTEP_MATH double erfc_large(double h, double l)
{
    double g = erfc_core(h);
    dd square = product(h, h);
    double e = exp_dd(-square.h, -(square.l + 2.0 * h * l), 64);
    /* The factor 2^64 keeps e normal while g is applied. */
    return g * e / fma(2.0, h, 1.0) * pow2(-64);
}

LOCKSTEP_MATH double erf(double x)
{
    double a = abs(x);
    if (is_nan(x))
        return x;
    if (a <= 1.0)
        return x * erf_small(x * x);
    return copysign(a > 6.0 ? 1.0 : 1.0 - erfc_large(a, 0.0), x);
}

LOCKSTEP_MATH double erfc_dd(double h, double l)
{
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

LOCKSTEP_MATH double erfc(double x)
{
    return erfc_dd(x, 0.0);
}

/* e^(x^2) erfc x */
LOCKSTEP_MATH double erfcx(double x)
{
    if (x >= 28.0) {
        double z = 1.0 / (x * x);
        return 0x1.20dd750429b6dp-1 / x * poly(z, 1.0, -0.5, 0.75, -1.875, 6.5625, -29.53125, 162.421875,
                                              -1055.7421875);
    }
    if (x >= 0.47)
        return erfc_core(x) / fma(2.0, x, 1.0);
    if (!(x > -27.0))
        return is_nan(x) ? x : inf();
    dd square = product(x, x);
    return exp_dd(square.h, square.l, 0) * erfc(x);
}

LOCKSTEP_MATH double normcdf(double x)
{
    if (!(abs(x) < 40.0))
        return is_nan(x) ? x : x > 0.0 ? 1.0 : 0.0;
    dd t = times(dd{-0x1.6a09e667f3bcdp-1, -(-0x1.bdd3413b26456p-55)}, x);
    return 0.5 * erfc_dd(t.h, t.l);
}

LOCKSTEP_MATH double erfinv(double x);

/* y with erfc(y) = p for 0 < p < 2. In the tail by Newton steps on log erfc, which is nearly a parabola. */
LOCKSTEP_MATH double erfcinv(double p)
{
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

LOCKSTEP_MATH double erfinv(double x)
{
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

LOCKSTEP_MATH double normcdfinv(double p)
{
    return -0x1.6a09e667f3bcdp+0 * erfcinv(2.0 * p);
}

/* ---- gamma functions ---- */

/* log gamma(2 + e) over e, |e| <= 1/2 */
LOCKSTEP_MATH_INLINE double lgamma_core(double e)
{
    return poly(e, 0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a557606p-4, 0x1.51322ac7d8483p-6,
                -0x1.e404fc218f68ep-8, 0x1.7add6eadb6cc6p-9, -0x1.38ac5c2bef708p-10, 0x1.0b36af863060dp-11,
                -0x1.d3fd4c8027509p-13, 0x1.a127b0fa70977p-14, -0x1.78de59284a82cp-15, 0x1.580dcc52e9bb7p-16,
                -0x1.3cbd11515bfcdp-17, 0x1.259819b100541p-18, -0x1.11a4d1e3d7d42p-19, 0x1.00574768fddb7p-20,
                -0x1.e47012dc1139dp-22, 0x1.c9663619a68c0p-23, -0x1.97a8e0fc9d2ecp-24, 0x1.82ffacf5b2a31p-25,
                -0x1.0db2a7b3b7770p-25, 0x1.01c0f0475367bp-26);
}

/* log gamma(x) for x >= 13, by Stirling's series */
LOCKSTEP_MATH dd lgamma_stirling(double x)
{
    double r = 1.0 / x, z = r * r;
    double series =
        r * poly(z, 0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11,
                 0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8);
    dd l = log_dd(x), t = times(l, x - 0.5);
    t = plus(t, dd{-x, 0.0});
    t = plus(t, dd{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55});
    return plus(t, dd{series, 0.0});
}

/* x (x+1) ... up to [1.5, 2.5], as p; returns the argument reached; x <= 2.5 */
LOCKSTEP_MATH double rise(double x, dd *p)
{
    *p = {1.0, 0.0};
    for (; x < 1.5; x += 1.0)
        *p = times(*p, x);
    return x;
}

/* (x-1) (x-2) ... down to [1.5, 2.5], as p; x <= 13 */
LOCKSTEP_MATH double fall(double x, dd *p)
{
    *p = {1.0, 0.0};
    while (x > 2.5) {
        x -= 1.0;
        *p = times(*p, x);
    }
    return x;
}

LOCKSTEP_MATH double lgamma_positive(double x)
{
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

LOCKSTEP_MATH double lgamma(double x)
{
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
LOCKSTEP_MATH double tgamma_positive(double x, int extra)
{
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

LOCKSTEP_MATH double tgamma(double x)
{
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

#endif

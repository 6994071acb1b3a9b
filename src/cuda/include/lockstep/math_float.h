/* Elementary functions in single precision; part of math_core.h, inside its namespace. exp, exp2, log, sin and cos are
 * native; the others evaluate the double function and round, which leaves just over half an ulp. */
#ifndef LOCKSTEP_MATH_FLOAT_H
#define LOCKSTEP_MATH_FLOAT_H

LOCKSTEP_MATH_INLINE unsigned bits(float x)
{
    return __builtin_bit_cast(unsigned, x);
}
LOCKSTEP_MATH_INLINE float float_bits(unsigned b)
{
    return __builtin_bit_cast(float, b);
}
LOCKSTEP_MATH_INLINE float abs(float x)
{
    return float_bits(bits(x) & 0x7fffffffu);
}
LOCKSTEP_MATH_INLINE float pow2f(int k)
{
    return float_bits((unsigned)(k + 127) << 23);
}

/* y 2^k rounded once, y near 1 */
LOCKSTEP_MATH_INLINE float scalef(float y, int k)
{
    if (k > 127)
        return k > 200 ? y * float_bits(0x7f800000u) : y * pow2f(127) * pow2f(k - 127);
    if (k >= -126)
        return y * pow2f(k);
    return k < -200 ? y * 0.0f : y * pow2f(k + 90) * pow2f(-90);
}

/* 2^k e^(h + l), |h| <= 0.3475 */
LOCKSTEP_MATH_INLINE float exp_reducedf(float h, float l, int k)
{
    float q = poly(h, 0x1p-1f, 0x1.5554dcp-3f, 0x1.5554e8p-5f, 0x1.120c8ep-7f, 0x1.6d4ea6p-10f);
    return scalef(1.0f + (h + fma(h * h, q, l)), k);
}

LOCKSTEP_MATH float expf(float x)
{
    if (!(abs(x) < 120.0f))
        return x != x ? x : x > 0.0f ? (float)inf() : 0.0f;
    float n = __builtin_rintf(x * 0x1.715476p0f);
    float h = fma(-n, 0x1.62e4p-1f, x), l = -n * 0x1.7f7d1cp-20f, r = h + l;
    return exp_reducedf(r, (h - r) + l, (int)n);
}

LOCKSTEP_MATH float exp2f(float x)
{
    if (!(abs(x) < 160.0f))
        return x != x ? x : x > 0.0f ? (float)inf() : 0.0f;
    float n = __builtin_rintf(x), f = x - n, h = f * 0x1.62e43p-1f;
    return exp_reducedf(h, fma(f, 0x1.62e43p-1f, -h) + f * -0x1.05c61p-29f, (int)n);
}

LOCKSTEP_MATH float logf(float x)
{
    if (!(x > 0.0f && x < (float)inf()))
        return x == 0.0f ? -(float)inf() : x > 0.0f ? x : (float)nan();
    int k = 0;
    if (x < 0x1p-126f) {
        x *= 0x1p24f;
        k = -24;
    }
    k += (int)(bits(x) >> 23) - 127;
    float m = float_bits((bits(x) & 0x7fffffu) | 127u << 23);
    if (m >= 1.41421356f) {
        m *= 0.5f;
        k++;
    }
    float f = m - 1.0f, s = f / (2.0f + f), z = s * s, half = 0.5f * f * f;
    float r = z * poly(z, 0x1.555556p-1f, 0x1.99986ep-2f, 0x1.24c14p-2f, 0x1.ce848ep-3f);
    float low = fma((float)k, 0x1.7f7d1cp-20f, s * (half + r));
    return (float)k * 0x1.62e4p-1f - ((half - low) - f);
}

LOCKSTEP_MATH_INLINE float sin_reducedf(float r)
{
    float z = r * r;
    float p = poly(z, -0x1.555556p-3f, 0x1.11119ap-7f, -0x1.a0858p-13f, 0x1.88252ap-19f);
    return fma(r * z, p, r);
}

LOCKSTEP_MATH_INLINE float cos_reducedf(float r)
{
    float z = r * r, half = 0.5f * z, w = 1.0f - half;
    float p = poly(z, 0x1.555554p-5f, -0x1.6c129ep-10f, 0x1.9bc76cp-16f);
    return w + (((1.0f - w) - half) + z * z * p);
}

/* sin of x + shift pi/2. Three steps of pi/2 take off up to 32768 quadrants exactly enough; larger arguments go through
 * double. */
LOCKSTEP_MATH float sin_shiftedf(float x, int shift)
{
    float n = __builtin_rintf(x * 0x1.45f306p-1f), r = x;
    int q = shift;
    if (!(abs(x) < 48000.0f)) {
        if (!(abs(x) < (float)inf()))
            return (float)nan();
        int quadrant;
        dd wide = reduce((double)x, &quadrant);
        r = (float)wide.h;
        q += quadrant;
    } else {
        r = fma(-n, 0x1.921fb6p0f, r);
        r = fma(-n, -0x1.777a5cp-25f, r);
        r = fma(-n, -0x1.ee59dap-50f, r);
        q += (int)n;
    }
    float y = q & 1 ? cos_reducedf(r) : sin_reducedf(r);
    return q & 2 ? -y : y;
}

LOCKSTEP_MATH float sinf(float x)
{
    return x == 0.0f ? x : sin_shiftedf(x, 0);
}
LOCKSTEP_MATH float cosf(float x)
{
    return sin_shiftedf(x, 1);
}

LOCKSTEP_MATH float powf(float x, float y)
{
    double sign, special;
    if (pow_special((double)x, (double)y, &sign, &special))
        return (float)special;
    return (float)(sign * exp_dd((double)y * log(abs((double)x)), 0.0, 0));
}

LOCKSTEP_MATH float nextafterf(float x, float y)
{
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0.0f)
        return float_bits(1u | (bits(y) & 0x80000000u));
    return float_bits((x < y) == (x > 0.0f) ? bits(x) + 1 : bits(x) - 1);
}

LOCKSTEP_MATH_INLINE float roundf(float x)
{
    float t = __builtin_truncf(x), s = float_bits(0x3f800000u | (bits(x) & 0x80000000u));
    return abs(x - t) >= 0.5f ? t + s : float_bits(bits(t) | (bits(x) & 0x80000000u));
}

/* NAMEf(x) by way of the double function. */
#define LOCKSTEP_FLOAT1(NAME)                                                                                          \
    LOCKSTEP_MATH float NAME##f(float x)                                                                               \
    {                                                                                                                  \
        return (float)NAME((double)x);                                                                                 \
    }
#define LOCKSTEP_FLOAT2(NAME)                                                                                          \
    LOCKSTEP_MATH float NAME##f(float x, float y)                                                                      \
    {                                                                                                                  \
        return (float)NAME((double)x, (double)y);                                                                      \
    }
LOCKSTEP_FLOAT1(exp10)
LOCKSTEP_FLOAT1(expm1)
LOCKSTEP_FLOAT1(log2)
LOCKSTEP_FLOAT1(log10)
LOCKSTEP_FLOAT1(log1p)
LOCKSTEP_FLOAT1(logb)
LOCKSTEP_FLOAT1(cbrt)
LOCKSTEP_FLOAT1(rcbrt)
LOCKSTEP_FLOAT1(tan)
LOCKSTEP_FLOAT1(sinpi)
LOCKSTEP_FLOAT1(cospi)
LOCKSTEP_FLOAT1(asin)
LOCKSTEP_FLOAT1(acos)
LOCKSTEP_FLOAT1(atan)
LOCKSTEP_FLOAT1(sinh)
LOCKSTEP_FLOAT1(cosh)
LOCKSTEP_FLOAT1(tanh)
LOCKSTEP_FLOAT1(asinh)
LOCKSTEP_FLOAT1(acosh)
LOCKSTEP_FLOAT1(atanh)
LOCKSTEP_FLOAT1(erf)
LOCKSTEP_FLOAT1(erfc)
LOCKSTEP_FLOAT1(erfcx)
LOCKSTEP_FLOAT1(erfinv)
LOCKSTEP_FLOAT1(erfcinv)
LOCKSTEP_FLOAT1(normcdf)
LOCKSTEP_FLOAT1(normcdfinv)
LOCKSTEP_FLOAT1(tgamma)
LOCKSTEP_FLOAT1(lgamma)
LOCKSTEP_FLOAT1(j0)
LOCKSTEP_FLOAT1(j1)
LOCKSTEP_FLOAT1(y0)
LOCKSTEP_FLOAT1(y1)
LOCKSTEP_FLOAT1(cyl_bessel_i0)
LOCKSTEP_FLOAT1(cyl_bessel_i1)
LOCKSTEP_FLOAT2(atan2)
LOCKSTEP_FLOAT2(hypot)
LOCKSTEP_FLOAT2(fmod)
#undef LOCKSTEP_FLOAT1
#undef LOCKSTEP_FLOAT2

LOCKSTEP_MATH float remquof(float x, float y, int *quotient)
{
    return (float)remquo((double)x, (double)y, quotient);
}
LOCKSTEP_MATH float ldexpf(float x, int n)
{
    return (float)ldexp((double)x, n);
}
LOCKSTEP_MATH float frexpf(float x, int *exponent)
{
    return (float)frexp((double)x, exponent);
}

#endif

/* Hyperbolic functions and their inverses in double precision; part of math_core.h, inside its namespace. */
#ifndef LOCKSTEP_MATH_HYPERBOLIC_H
#define LOCKSTEP_MATH_HYPERBOLIC_H

LOCKSTEP_MATH double sinh(double x)
{
    double a = abs(x);
    if (a > 22.0)
        return copysign(exp_dd(a, 0.0, -1), x);
    double t = expm1(a);
    return copysign(0.5 * (t + t / (t + 1.0)), x);
}

LOCKSTEP_MATH double cosh(double x)
{
    double a = abs(x);
    if (a > 22.0)
        return exp_dd(a, 0.0, -1);
    double t = exp(a);
    return 0.5 * t + 0.5 / t;
}

LOCKSTEP_MATH double tanh(double x)
{
    double a = abs(x);
    if (is_nan(x))
        return x;
    if (a > 22.0)
        return copysign(1.0, x);
    double t = expm1(2.0 * a);
    return copysign(t / (t + 2.0), x);
}

LOCKSTEP_MATH double asinh(double x)
{
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

LOCKSTEP_MATH double acosh(double x)
{
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

LOCKSTEP_MATH double atanh(double x)
{
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

#endif

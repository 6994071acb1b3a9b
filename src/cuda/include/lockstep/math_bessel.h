/* Bessel functions in double precision; part of math_core.h, inside its namespace. Below 25 by the recurrence between
 * orders, which is stable downwards for J (Miller's algorithm): it begins at an order whose value cannot matter, with a
 * number of any size, and J0 + 2 J2 + 2 J4 + ... = 1 gives the scale; Y0 and Y1 are sums of the same J (Abramowitz and
 * Stegun 9.1.88). From 25 on by Hankel's asymptotic series (9.2.5). Errors are absolute: zeros are not resolved. */
#ifndef LOCKSTEP_MATH_BESSEL_H
#define LOCKSTEP_MATH_BESSEL_H

/* Values of orders 0 and 1, and of one order more that was asked for. */
struct bessel {
    double j0, j1, y0, y1, jn;
};

LOCKSTEP_MATH double bessel_log(double x) /* log(x / 2) + Euler's constant */
{
    return log(x) - 0x1.dadb014541eb2p-4;
}

/* 0 < x < 25 and n < 2^20. */
LOCKSTEP_MATH bessel bessel_near(double x, int n)
{
    int top = (int)(0.8 * x) + 12;
    top = 2 * (n / 2 + 12 > top ? n / 2 + 12 : top);
    double above = 0.0, here = 0x1p-300, scale = 0.0, even = 0.0, odd = 0.0, wanted = 0.0;
    for (int k = top; k > 0; k--) {
        double below = 2.0 * k / x * here - above;
        above = here;
        here = below;
        double order = k - 1, sign = (k - 1) / 2 % 2 ? -1.0 : 1.0;
        if (k - 1 == n)
            wanted = here;
        if ((k - 1) % 2 == 0) {
            scale += k == 1 ? here : 2.0 * here;
            even += k == 1 ? 0.0 : sign * 2.0 * here / order;
        } else {
            odd += k == 2 ? 0.0 : sign * order * 4.0 * here / (order * order - 1.0);
        }
        if (abs(here) > 0x1p+500) {
            here = here * 0x1p-800;
            above = above * 0x1p-800;
            scale = scale * 0x1p-800;
            even = even * 0x1p-800;
            odd = odd * 0x1p-800;
            wanted = wanted * 0x1p-800;
        }
    }
    const double two_over_pi = 0x1.45f306dc9c883p-1;
    bessel r;
    r.j0 = here / scale;
    r.j1 = above / scale;
    r.jn = wanted / scale;
    r.y0 = two_over_pi * (bessel_log(x) * r.j0 - 2.0 * even / scale);
    r.y1 = two_over_pi * ((bessel_log(x) - 1.0) * r.j1 - r.j0 / x - odd / scale);
    return r;
}

/* x so small that its square does not matter beside 1, or its fourth power beside it. */
LOCKSTEP_MATH bessel bessel_tiny(double x)
{
    const double two_over_pi = 0x1.45f306dc9c883p-1;
    double z = 0.25 * x * x;
    bessel r;
    r.j0 = 1.0 - z;
    r.j1 = 0.5 * x * (1.0 - 0.5 * z);
    r.y0 = two_over_pi * (bessel_log(x) * r.j0 + z);
    r.y1 = two_over_pi * ((bessel_log(x) - 1.0) * r.j1 - r.j0 / x);
    r.jn = 0.0;
    return r;
}

/* P and Q of order 0 or 1: sums of a(k) / x^k with alternating signs, over even and odd k. */
LOCKSTEP_MATH void bessel_hankel(double x, double order, double *p, double *q)
{
    double term = 1.0, sum[2] = {1.0, 0.0};
    for (int k = 1; k < 60 && abs(term) > 0x1p-60; k++) {
        double odd = 2.0 * k - 1.0;
        term = term * (4.0 * order * order - odd * odd) / (8.0 * k * x);
        sum[k & 1] += k & 2 ? -term : term;
    }
    *p = sum[0];
    *q = sum[1];
}
LOCKSTEP_MATH bessel bessel_far(double x)
{
    double p0, q0, p1, q1, s = sin(x), c = cos(x);
    double size = root(1.0 / x) * 0x1.20dd750429b6dp-1; /* root(2 / (pi x)) / root(2) */
    bessel_hankel(x, 0.0, &p0, &q0);
    bessel_hankel(x, 1.0, &p1, &q1);
    bessel r;
    r.j0 = size * (p0 * (s + c) - q0 * (s - c));
    r.y0 = size * (p0 * (s - c) + q0 * (s + c));
    r.j1 = size * (p1 * (s - c) + q1 * (s + c));
    r.y1 = size * (q1 * (s - c) - p1 * (s + c));
    r.jn = 0.0;
    return r;
}
LOCKSTEP_MATH bessel bessel_of(double x)
{
    if (x < 0x1p-12)
        return bessel_tiny(x);
    return x < 25.0 ? bessel_near(x, 0) : bessel_far(x);
}

LOCKSTEP_MATH double j0(double x)
{
    double a = abs(x);
    return is_nan(x) ? x : a == inf() ? 0.0 : bessel_of(a).j0;
}
LOCKSTEP_MATH double j1(double x)
{
    double a = abs(x);
    if (is_nan(x) || x == 0.0)
        return x;
    return copysign(1.0, x) * (a == inf() ? 0.0 : bessel_of(a).j1);
}
LOCKSTEP_MATH double y0(double x)
{
    if (!(x > 0.0 && x < inf()))
        return x == 0.0 ? -inf() : x == inf() ? 0.0 : nan();
    return bessel_of(x).y0;
}
LOCKSTEP_MATH double y1(double x)
{
    if (!(x > 0.0 && x < inf()))
        return x == 0.0 ? -inf() : x == inf() ? 0.0 : nan();
    return bessel_of(x).y1;
}

/* Upwards from orders 0 and 1. */
LOCKSTEP_MATH double bessel_rise(int n, double x, double low, double high)
{
    for (int k = 1; k < n && high > -inf(); k++) {
        double next = 2.0 * k / x * high - low;
        low = high;
        high = next;
    }
    return high;
}
/* Negative orders give NaN, as with CUDA. */
LOCKSTEP_MATH double jn(int n, double x)
{
    double a = abs(x), sign = x < 0.0 && n % 2 ? -1.0 : 1.0;
    if (n < 0 || is_nan(x))
        return nan();
    if (n < 2 || a == inf())
        return a == inf() ? 0.0 : n == 0 ? j0(x) : j1(x);
    if (a < 0x1p-12) { /* (x / 2)^n / n!, as far as it is not 0 */
        double r = 1.0;
        for (int k = 1; k <= n && r != 0.0; k++)
            r = r * (0.5 * a / k);
        return sign * r;
    }
    if (a >= 25.0 && a >= n) {
        bessel b = bessel_far(a);
        return sign * bessel_rise(n, a, b.j0, b.j1);
    }
    if (a < 25.0)
        return n < (1 << 20) ? sign * bessel_near(a, n).jn : 0.0;
    /* n > x >= 25: Miller's ratio to J1 and J0, which are never both small. */
    double above = 0.0, here = 0x1p-300, wanted = 0.0;
    for (int k = 2 * ((n + (int)root(60.0 * n)) / 2) + 20; k > 0; k--) {
        double below = 2.0 * k / a * here - above;
        above = here;
        here = below;
        wanted = k - 1 == n ? here : wanted;
        if (abs(here) > 0x1p+500) {
            here = here * 0x1p-800;
            above = above * 0x1p-800;
            wanted = wanted * 0x1p-800;
        }
    }
    bessel b = bessel_far(a);
    return sign * wanted * (abs(b.j0) > abs(b.j1) ? b.j0 / here : b.j1 / above);
}
LOCKSTEP_MATH double yn(int n, double x)
{
    if (n < 0 || is_nan(x))
        return nan();
    if (n < 2 || !(x > 0.0 && x < inf()))
        return n == 1 ? y1(x) : y0(x);
    bessel b = bessel_of(x);
    return bessel_rise(n, x, b.y0, b.y1);
}

/* I0 and I1: their power series has no signs, but many terms of a size, so it is summed in double-double arithmetic; from
 * 20 on e^x / root(2 pi x) times the asymptotic one (9.7.1). */
LOCKSTEP_MATH double bessel_series(double a, double order)
{
    dd z = product(0.5 * a, 0.5 * a), term = {1.0, 0.0}, sum = term;
    for (int k = 1; k < 100 && term.h > 0x1p-60 * sum.h; k++) {
        double divisor = k * (k + order);
        term = times(term, z);
        double quotient = term.h / divisor;
        term = dd{quotient, (fma(-quotient, divisor, term.h) + term.l) / divisor};
        sum = plus(sum, term);
    }
    return order == 0.0 ? sum.h + sum.l : 0.5 * a * (sum.h + sum.l);
}
LOCKSTEP_MATH double bessel_modified(double a, double order)
{
    double term = 1.0, sum = 0.0;
    if (a < 20.0)
        return bessel_series(a, order);
    for (int k = 1; k < 60 && abs(term) > 0x1p-58; k++) {
        double odd = 2.0 * k - 1.0;
        term = term * (odd * odd - 4.0 * order * order) / (8.0 * k * a);
        sum += term;
    }
    /* The factor 2^-8 keeps the power finite. */
    return exp_dd(a, 0.0, -8) * (pow2(8) * 0x1.9884533d43651p-2 / root(a) * (1.0 + sum));
}
LOCKSTEP_MATH double cyl_bessel_i0(double x)
{
    return is_nan(x) ? x : abs(x) > 714.0 ? inf() : bessel_modified(abs(x), 0.0);
}
LOCKSTEP_MATH double cyl_bessel_i1(double x)
{
    return is_nan(x) ? x : copysign(abs(x) > 714.0 ? inf() : bessel_modified(abs(x), 1.0), x);
}

/* Lengths of vectors, without overflow on the way; an infinite element makes them infinite. */
template <class T> LOCKSTEP_MATH double norm(int n, const T *v)
{
    double most = 0.0, sum = 0.0;
    bool undefined = false;
    for (int i = 0; i < n; i++) {
        double a = abs((double)v[i]);
        undefined = undefined || is_nan(a);
        most = a > most ? a : most;
    }
    if (most == inf() || undefined || most == 0.0)
        return most == inf() ? most : undefined ? nan() : 0.0;
    double scale = most > 0x1p+500 ? 0x1p-600 : most < 0x1p-500 ? 0x1p+600 : 1.0;
    for (int i = 0; i < n; i++)
        sum = fma(v[i] * scale, v[i] * scale, sum);
    return root(sum) / scale;
}

#endif

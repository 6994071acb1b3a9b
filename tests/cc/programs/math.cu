// Mathematical functions under their C and C++ names, in float and double.
#include <cmath>
#include <cstdio>
#include <math.h>

template <class T> __device__ T everything(T x, T y)
{
    int e;
    T w, s, c;
    sincos(x, &s, &c);
    s += sin(x) + cos(x) + tan(x) + asin(x) + acos(x) + atan(x) + atan2(x, y) + sinh(x) + cosh(x) + tanh(x) + asinh(x);
    s += acosh(x) + atanh(x) + exp(x) + exp2(x) + expm1(x) + log(x) + log2(x) + log10(x) + log1p(x) + pow(x, y) +
         sqrt(x);
    s += cbrt(x) + hypot(x, y) + erf(x) + erfc(x) + tgamma(x) + lgamma(x) + fmod(x, y) + remainder(x, y) + floor(x) +
         ceil(x);
    s += trunc(x) + rint(x) + round(x) + fabs(x) + fmin(x, y) + fmax(x, y) + fma(x, y, c) + copysign(x, y) + fdim(x, y);
    s += ldexp(x, 3) + frexp(x, &e) + modf(x, &w) + nextafter(x, y) + rsqrt(x) + (T)lround(x) + (T)llrint(x) +
         (T)ilogb(x);
    s += std::sin(x) + std::exp(x) + std::abs(x) + std::pow(x, (T)2) + std::sqrt(x) + std::floor(x) + scalbn(x, 2);
    if (isnan(s) || isinf(x) || !isfinite(y) || signbit(x))
        s += w;
    return s + min(x, y) + max(x, y);
}

__global__ void math(float *f, double *d)
{
    f[0] = everything(f[0], f[1]) + sinf(f[2]) + powf(f[3], f[4]) + normcdff(f[5]) + erfinvf(f[6]) + sinpif(f[7]) +
           rcbrtf(f[8]);
    d[0] = everything(d[0], d[1]) + normcdf(d[2]) + norm3d(d[0], d[1], d[2]) + exp10(d[3]) + cospi(d[4]);
}

int main()
{
    printf("%f %f\n", std::sin(1.0), rsqrtf(4.0f) + min(2.0f, 3.0f));
    math<<<1, 1>>>(nullptr, nullptr);
    return 0;
}

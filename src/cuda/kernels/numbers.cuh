// Arithmetic that kernels for all types of elements share. Complex numbers are CUDA's pairs, with operators of their
// own here; halves and bf16 numbers are computed with as float.
#pragma once

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace lockstep_kernels
{

// real: the type of a number's parts. sum: the type in which sums of such numbers are kept.
template <class T> struct number {
    typedef T real, sum;
    static const bool is_complex = false;
};
template <> struct number<float2> {
    typedef float real;
    typedef float2 sum;
    static const bool is_complex = true;
};
template <> struct number<double2> {
    typedef double real;
    typedef double2 sum;
    static const bool is_complex = true;
};
template <> struct number<__half> {
    typedef float real, sum;
    static const bool is_complex = false;
};
template <> struct number<__nv_bfloat16> {
    typedef float real, sum;
    static const bool is_complex = false;
};
template <> struct number<signed char> {
    typedef int real, sum;
    static const bool is_complex = false;
};

// ---- operators of pairs
#define LOCKSTEP_PAIR(C, R)                                                                                            \
    __host__ __device__ inline C operator+(C a, C b)                                                                   \
    {                                                                                                                  \
        return C{a.x + b.x, a.y + b.y};                                                                                \
    }                                                                                                                  \
    __host__ __device__ inline C operator-(C a, C b)                                                                   \
    {                                                                                                                  \
        return C{a.x - b.x, a.y - b.y};                                                                                \
    }                                                                                                                  \
    __host__ __device__ inline C operator*(C a, C b)                                                                   \
    {                                                                                                                  \
        return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                                        \
    }                                                                                                                  \
    __host__ __device__ inline C operator*(R a, C b)                                                                   \
    {                                                                                                                  \
        return C{a * b.x, a * b.y};                                                                                    \
    }                                                                                                                  \
    /* By the larger part of the divisor first, so that nothing overflows on the way. */                               \
    __host__ __device__ inline C operator/(C a, C b)                                                                   \
    {                                                                                                                  \
        if (fabs(b.x) >= fabs(b.y)) {                                                                                  \
            R ratio = b.y / b.x, whole = b.x + b.y * ratio;                                                            \
            return C{(a.x + a.y * ratio) / whole, (a.y - a.x * ratio) / whole};                                        \
        }                                                                                                              \
        R ratio = b.x / b.y, whole = b.x * ratio + b.y;                                                                \
        return C{(a.x * ratio + a.y) / whole, (a.y * ratio - a.x) / whole};                                            \
    }                                                                                                                  \
    __host__ __device__ inline C multiply_add(C a, C b, C sum)                                                         \
    {                                                                                                                  \
        return C{sum.x + a.x * b.x - a.y * b.y, sum.y + a.x * b.y + a.y * b.x};                                        \
    }                                                                                                                  \
    __host__ __device__ inline C conjugate(C a)                                                                        \
    {                                                                                                                  \
        return C{a.x, -a.y};                                                                                           \
    }                                                                                                                  \
    __host__ __device__ inline bool is_zero(C a)                                                                       \
    {                                                                                                                  \
        return a.x == 0 && a.y == 0;                                                                                   \
    }                                                                                                                  \
    __host__ __device__ inline R magnitude(C a)                                                                        \
    {                                                                                                                  \
        return fabs(a.x) + fabs(a.y);                                                                                  \
    }                                                                                                                  \
    __host__ __device__ inline C real_part(C a)                                                                        \
    {                                                                                                                  \
        return C{a.x, 0};                                                                                              \
    }
LOCKSTEP_PAIR(float2, float)
LOCKSTEP_PAIR(double2, double)
#undef LOCKSTEP_PAIR

// ---- and of numbers of one part. magnitude() is what asum sums and amax compares.
template <class T> __host__ __device__ inline T multiply_add(T a, T b, T sum)
{
    return sum + a * b;
}
template <class T> __host__ __device__ inline T conjugate(T a)
{
    return a;
}
template <class T> __host__ __device__ inline bool is_zero(T a)
{
    return a == T(0);
}
template <class T> __host__ __device__ inline T magnitude(T a)
{
    return a < T(0) ? -a : a;
}
template <class T> __host__ __device__ inline T real_part(T a)
{
    return a;
}
template <class T> __host__ __device__ inline T conjugate_if(T a, bool really)
{
    return number<T>::is_complex && really ? conjugate(a) : a;
}

// make<T>(a): the real number as a T.
template <class T> struct maker {
    template <class R> __host__ __device__ static T make(R a)
    {
        return T(a);
    }
};
template <> struct maker<float2> {
    __host__ __device__ static float2 make(float a)
    {
        return float2{a, 0.0f};
    }
};
template <> struct maker<double2> {
    __host__ __device__ static double2 make(double a)
    {
        return double2{a, 0.0};
    }
};
template <class T, class R> __host__ __device__ inline T make(R a)
{
    return maker<T>::make(a);
}

// convert<T>(a): a number of either kind as a T of the same kind, rounded to nearest.
template <class T, class From> __host__ __device__ inline T convert(From a)
{
    return T(a);
}
template <> __host__ __device__ inline float convert<float, __half>(__half a)
{
    return __half2float(a);
}
template <> __host__ __device__ inline __half convert<__half, float>(float a)
{
    return __float2half_rn(a);
}
template <> __host__ __device__ inline __nv_bfloat16 convert<__nv_bfloat16, float>(float a)
{
    return __float2bfloat16_rn(a);
}

} // namespace lockstep_kernels

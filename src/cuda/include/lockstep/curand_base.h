/* Shared by the generators of random numbers: how their functions are declared, and numbers from random bits. They run
 * in kernels and, for the host's interface (curand.h), in programs that no CUDA compiler reads. */
#ifndef LOCKSTEP_CURAND_BASE_H
#define LOCKSTEP_CURAND_BASE_H

#include "cuda_runtime.h"

#if defined(__CUDA__)
#define LOCKSTEP_RANDOM static __host__ __device__ __forceinline__ __attribute__((nodebug))
#define LOCKSTEP_RANDOM_LONG static __host__ __device__ inline
#else
#define LOCKSTEP_RANDOM static inline
#define LOCKSTEP_RANDOM_LONG static inline
#endif

/* 32 random bits to (0, 1]. */
LOCKSTEP_RANDOM float lockstep_random_float(unsigned x)
{
    return (float)x * 0x1p-32f + 0x1p-33f;
}
/* The upper 53 of 64 random bits to (0, 1]; two words give the 53 bits x ^ y * 2^21. */
LOCKSTEP_RANDOM double lockstep_random_double(unsigned long long bits53)
{
    return (double)bits53 * 0x1p-53 + 0x1p-54;
}
LOCKSTEP_RANDOM unsigned long long lockstep_random_53(unsigned x, unsigned y)
{
    return x ^ (unsigned long long)y << 21;
}

/* Two normal numbers from two uniform ones (Box and Muller 1958): u in (0, 1], an angle in turns of 2 pi. */
LOCKSTEP_RANDOM float2 lockstep_random_normal(float u, float angle)
{
    float2 r;
    float size = sqrtf(-2.0f * logf(u));
#if defined(__CUDA_ARCH__)
    __sincosf(angle, &r.x, &r.y);
#else
    r.x = sinf(angle);
    r.y = cosf(angle);
#endif
    r.x *= size;
    r.y *= size;
    return r;
}
/* The angle is in units of pi. */
LOCKSTEP_RANDOM double2 lockstep_random_normal(double u, double angle)
{
    double2 r;
    double size = sqrt(-2.0 * log(u));
#if defined(__CUDA_ARCH__)
    sincospi(angle, &r.x, &r.y);
#else
    r.x = sin(angle * 3.14159265358979323846);
    r.y = cos(angle * 3.14159265358979323846);
#endif
    r.x *= size;
    r.y *= size;
    return r;
}
LOCKSTEP_RANDOM float2 lockstep_random_normal(unsigned x, unsigned y)
{
    const float turn = 6.28318531f;
    return lockstep_random_normal(lockstep_random_float(x), (float)y * (0x1p-32f * turn) + 0x1p-33f * turn);
}
LOCKSTEP_RANDOM double2 lockstep_random_normal(unsigned x0, unsigned x1, unsigned y0, unsigned y1)
{
    return lockstep_random_normal(lockstep_random_double(lockstep_random_53(x0, x1)),
                                  2.0 * lockstep_random_double(lockstep_random_53(y0, y1)));
}

/* The number below which a normal one lies with probability p, 0 < p < 1. */
LOCKSTEP_RANDOM_LONG double lockstep_random_quantile(double p)
{
#if defined(__CUDA_ARCH__)
    return normcdfinv(p);
#else
    double low = -40.0, high = 40.0;
    for (int i = 0; i < 80; i++) {
        double middle = 0.5 * (low + high);
        if (0.5 * erfc(-middle * 0.70710678118654752440) < p)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
#endif
}

#endif

/* Complex numbers as pairs: cuFloatComplex is float2, cuDoubleComplex is double2. */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_functions.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define LOCKSTEP_COMPLEX static __inline__ __host__ __device__

/* One set of functions: C is the complex type, T its component, F the letter behind the names (f or nothing). */
#define LOCKSTEP_COMPLEX_SET(C, T, F, MAKE, ABS)                                                                       \
    LOCKSTEP_COMPLEX C MAKE(T re, T im)                                                                                \
    {                                                                                                                  \
        C z;                                                                                                           \
        z.x = re;                                                                                                      \
        z.y = im;                                                                                                      \
        return z;                                                                                                      \
    }                                                                                                                  \
    LOCKSTEP_COMPLEX T cuCreal##F(C z)                                                                                 \
    {                                                                                                                  \
        return z.x;                                                                                                    \
    }                                                                                                                  \
    LOCKSTEP_COMPLEX T cuCimag##F(C z)                                                                                 \
    {                                                                                                                  \
        return z.y;                                                                                                    \
    }                                                                                                                  \
    LOCKSTEP_COMPLEX C cuConj##F(C z)                                                                                  \
    {                                                                                                                  \
        return MAKE(z.x, -z.y);                                                                                        \
    }                                                                                                                  \
    LOCKSTEP_COMPLEX C cuCadd##F(C a, C b)                                                                             \
    {                                                                                                                  \
        return MAKE(a.x + b.x, a.y + b.y);                                                                             \
    }                                                                                                                  \
    LOCKSTEP_COMPLEX C cuCsub##F(C a, C b)                                                                             \
    {                                                                                                                  \
        return MAKE(a.x - b.x, a.y - b.y);                                                                             \
    }                                                                                                                  \
    LOCKSTEP_COMPLEX C cuCmul##F(C a, C b)                                                                             \
    {                                                                                                                  \
        return MAKE(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                                     \
    }                                                                                                                  \
    LOCKSTEP_COMPLEX T cuCabs##F(C z)                                                                                  \
    {                                                                                                                  \
        return ABS(z.x, z.y);                                                                                          \
    }                                                                                                                  \
    /* Smith's division: the larger component of the divisor scales both. */                                           \
    LOCKSTEP_COMPLEX C cuCdiv##F(C a, C b)                                                                             \
    {                                                                                                                  \
        T bx = b.x < 0 ? -b.x : b.x, by = b.y < 0 ? -b.y : b.y;                                                        \
        if (bx >= by) {                                                                                                \
            T r = b.y / b.x, d = b.x + b.y * r;                                                                        \
            return MAKE((a.x + a.y * r) / d, (a.y - a.x * r) / d);                                                     \
        }                                                                                                              \
        T r = b.x / b.y, d = b.x * r + b.y;                                                                            \
        return MAKE((a.x * r + a.y) / d, (a.y * r - a.x) / d);                                                         \
    }                                                                                                                  \
    LOCKSTEP_COMPLEX C cuCfma##F(C a, C b, C c)                                                                        \
    {                                                                                                                  \
        return cuCadd##F(cuCmul##F(a, b), c);                                                                          \
    }

LOCKSTEP_COMPLEX_SET(cuFloatComplex, float, f, make_cuFloatComplex, hypotf)
LOCKSTEP_COMPLEX_SET(cuDoubleComplex, double, , make_cuDoubleComplex, hypot)
LOCKSTEP_COMPLEX cuComplex make_cuComplex(float re, float im)
{
    return make_cuFloatComplex(re, im);
}
LOCKSTEP_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z)
{
    return make_cuDoubleComplex(z.x, z.y);
}
LOCKSTEP_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return make_cuFloatComplex((float)z.x, (float)z.y);
}

#undef LOCKSTEP_COMPLEX_SET
#undef LOCKSTEP_COMPLEX

#endif

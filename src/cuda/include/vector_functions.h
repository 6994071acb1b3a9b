/* make_int2(x, y) and its kin, for host and device. */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define LOCKSTEP_MAKE static __inline__ __host__ __device__

/* clang-format off */
#define LOCKSTEP_MAKE4(NAME, E) \
    LOCKSTEP_MAKE NAME make_##NAME(E x, E y, E z, E w) { NAME v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
#define LOCKSTEP_MAKE_VECTORS(NAME, E) \
    LOCKSTEP_MAKE NAME##1 make_##NAME##1(E x) { NAME##1 v; v.x = x; return v; } \
    LOCKSTEP_MAKE NAME##2 make_##NAME##2(E x, E y) { NAME##2 v; v.x = x; v.y = y; return v; } \
    LOCKSTEP_MAKE NAME##3 make_##NAME##3(E x, E y, E z) { NAME##3 v; v.x = x; v.y = y; v.z = z; return v; } \
    LOCKSTEP_MAKE4(NAME##4, E)

LOCKSTEP_MAKE_VECTORS(char, signed char)
LOCKSTEP_MAKE_VECTORS(uchar, unsigned char)
LOCKSTEP_MAKE_VECTORS(short, short)
LOCKSTEP_MAKE_VECTORS(ushort, unsigned short)
LOCKSTEP_MAKE_VECTORS(int, int)
LOCKSTEP_MAKE_VECTORS(uint, unsigned int)
LOCKSTEP_MAKE_VECTORS(long, long)
LOCKSTEP_MAKE_VECTORS(ulong, unsigned long)
LOCKSTEP_MAKE_VECTORS(longlong, long long)
LOCKSTEP_MAKE_VECTORS(ulonglong, unsigned long long)
LOCKSTEP_MAKE_VECTORS(float, float)
LOCKSTEP_MAKE_VECTORS(double, double)
LOCKSTEP_MAKE4(long4_16a, long)
LOCKSTEP_MAKE4(long4_32a, long)
LOCKSTEP_MAKE4(ulong4_16a, unsigned long)
LOCKSTEP_MAKE4(ulong4_32a, unsigned long)
LOCKSTEP_MAKE4(longlong4_16a, long long)
LOCKSTEP_MAKE4(longlong4_32a, long long)
LOCKSTEP_MAKE4(ulonglong4_16a, unsigned long long)
LOCKSTEP_MAKE4(ulonglong4_32a, unsigned long long)
LOCKSTEP_MAKE4(double4_16a, double)
LOCKSTEP_MAKE4(double4_32a, double)
/* clang-format on */
#undef LOCKSTEP_MAKE_VECTORS
#undef LOCKSTEP_MAKE4
#undef LOCKSTEP_MAKE

#endif

/* The short vector types and dim3. Alignment follows the CUDA ABI: a type of two or four elements is aligned to its
 * whole size, up to 16 bytes; one- and three-element types have the alignment of their element. double4 and the 64-bit
 * four-element types come, as in CUDA 13, also as NAME_16a (the plain one) and NAME_32a. Usable from C and C++. */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#define LOCKSTEP_VECTOR_TYPE(NAME, ELEMENT, ALIGN2, ALIGN4)                                                            \
    struct NAME##1                                                                                                     \
    {                                                                                                                  \
        ELEMENT x;                                                                                                     \
    };                                                                                                                 \
    struct __align__(ALIGN2) NAME##2                                                                                   \
    {                                                                                                                  \
        ELEMENT x, y;                                                                                                  \
    };                                                                                                                 \
    struct NAME##3                                                                                                     \
    {                                                                                                                  \
        ELEMENT x, y, z;                                                                                               \
    };                                                                                                                 \
    struct __align__(ALIGN4) NAME##4                                                                                   \
    {                                                                                                                  \
        ELEMENT x, y, z, w;                                                                                            \
    };                                                                                                                 \
    typedef struct NAME##1 NAME##1;                                                                                    \
    typedef struct NAME##2 NAME##2;                                                                                    \
    typedef struct NAME##3 NAME##3;                                                                                    \
    typedef struct NAME##4 NAME##4;

LOCKSTEP_VECTOR_TYPE(char, signed char, 2, 4)
LOCKSTEP_VECTOR_TYPE(uchar, unsigned char, 2, 4)
LOCKSTEP_VECTOR_TYPE(short, short, 4, 8)
LOCKSTEP_VECTOR_TYPE(ushort, unsigned short, 4, 8)
LOCKSTEP_VECTOR_TYPE(int, int, 8, 16)
LOCKSTEP_VECTOR_TYPE(uint, unsigned int, 8, 16)
LOCKSTEP_VECTOR_TYPE(long, long, 16, 16)
LOCKSTEP_VECTOR_TYPE(ulong, unsigned long, 16, 16)
LOCKSTEP_VECTOR_TYPE(longlong, long long, 16, 16)
LOCKSTEP_VECTOR_TYPE(ulonglong, unsigned long long, 16, 16)
LOCKSTEP_VECTOR_TYPE(float, float, 8, 16)
LOCKSTEP_VECTOR_TYPE(double, double, 16, 16)
#undef LOCKSTEP_VECTOR_TYPE

#define LOCKSTEP_WIDE_VECTOR_TYPE(NAME, ELEMENT)                                                                       \
    struct __align__(16) NAME##_16a                                                                                    \
    {                                                                                                                  \
        ELEMENT x, y, z, w;                                                                                            \
    };                                                                                                                 \
    struct __align__(32) NAME##_32a                                                                                    \
    {                                                                                                                  \
        ELEMENT x, y, z, w;                                                                                            \
    };                                                                                                                 \
    typedef struct NAME##_16a NAME##_16a;                                                                              \
    typedef struct NAME##_32a NAME##_32a;

LOCKSTEP_WIDE_VECTOR_TYPE(long4, long)
LOCKSTEP_WIDE_VECTOR_TYPE(ulong4, unsigned long)
LOCKSTEP_WIDE_VECTOR_TYPE(longlong4, long long)
LOCKSTEP_WIDE_VECTOR_TYPE(ulonglong4, unsigned long long)
LOCKSTEP_WIDE_VECTOR_TYPE(double4, double)
#undef LOCKSTEP_WIDE_VECTOR_TYPE

/* The extent of a grid or block; a missing extent is 1. */
struct dim3 {
    unsigned int x, y, z;
#if defined(__cplusplus)
    constexpr __host__ __device__ dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    constexpr __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr __host__ __device__ operator uint3() const
    {
        return uint3{x, y, z};
    }
#endif
};
typedef struct dim3 dim3;

#endif

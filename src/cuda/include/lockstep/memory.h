/* Loads and stores with a cache operator, the read-only load __ldg, address-space queries, and the memory functions of
 * <string.h> for device code. All of the cache-operator forms address global memory. */
#ifndef LOCKSTEP_MEMORY_H
#define LOCKSTEP_MEMORY_H

/* The global address behind a generic pointer. */
LOCKSTEP_DEVICE size_t lockstep_global(const void *p)
{
    return (size_t)(const __attribute__((address_space(1))) void *)p;
}

#define LOCKSTEP_LOAD1(NAME, VOLATILE, OP, T, REGISTER, C, TYPE, CLOBBER)                                              \
    LOCKSTEP_DEVICE T NAME(const T *p)                                                                                 \
    {                                                                                                                  \
        REGISTER r;                                                                                                    \
        asm VOLATILE("ld.global." OP "." TYPE " %0, [%1];" : "=" C(r) : "l"(lockstep_global(p))CLOBBER);               \
        return (T)r;                                                                                                   \
    }
#define LOCKSTEP_LOAD2(NAME, VOLATILE, OP, T, REGISTER, C, TYPE, CLOBBER)                                              \
    LOCKSTEP_DEVICE T NAME(const T *p)                                                                                 \
    {                                                                                                                  \
        REGISTER x, y;                                                                                                 \
        asm VOLATILE("ld.global." OP ".v2." TYPE " {%0, %1}, [%2];"                                                    \
                     : "=" C(x), "=" C(y)                                                                              \
                     : "l"(lockstep_global(p))CLOBBER);                                                                \
        T r;                                                                                                           \
        r.x = (decltype(r.x))x;                                                                                        \
        r.y = (decltype(r.y))y;                                                                                        \
        return r;                                                                                                      \
    }
#define LOCKSTEP_LOAD4(NAME, VOLATILE, OP, T, REGISTER, C, TYPE, CLOBBER)                                              \
    LOCKSTEP_DEVICE T NAME(const T *p)                                                                                 \
    {                                                                                                                  \
        REGISTER x, y, z, w;                                                                                           \
        asm VOLATILE("ld.global." OP ".v4." TYPE " {%0, %1, %2, %3}, [%4];"                                            \
                     : "=" C(x), "=" C(y), "=" C(z), "=" C(w)                                                          \
                     : "l"(lockstep_global(p))CLOBBER);                                                                \
        T r;                                                                                                           \
        r.x = (decltype(r.x))x;                                                                                        \
        r.y = (decltype(r.y))y;                                                                                        \
        r.z = (decltype(r.z))z;                                                                                        \
        r.w = (decltype(r.w))w;                                                                                        \
        return r;                                                                                                      \
    }
#define LOCKSTEP_STORE1(NAME, OP, T, REGISTER, C, TYPE)                                                                \
    LOCKSTEP_DEVICE void NAME(T *p, T v)                                                                               \
    {                                                                                                                  \
        asm volatile("st.global." OP "." TYPE " [%0], %1;" ::"l"(lockstep_global(p)), C((REGISTER)v) : "memory");      \
    }
#define LOCKSTEP_STORE2(NAME, OP, T, REGISTER, C, TYPE)                                                                \
    LOCKSTEP_DEVICE void NAME(T *p, T v)                                                                               \
    {                                                                                                                  \
        asm volatile("st.global." OP ".v2." TYPE " [%0], {%1, %2};" ::"l"(lockstep_global(p)), C((REGISTER)v.x),       \
                     C((REGISTER)v.y)                                                                                  \
                     : "memory");                                                                                      \
    }
#define LOCKSTEP_STORE4(NAME, OP, T, REGISTER, C, TYPE)                                                                \
    LOCKSTEP_DEVICE void NAME(T *p, T v)                                                                               \
    {                                                                                                                  \
        asm volatile("st.global." OP ".v4." TYPE " [%0], {%1, %2, %3, %4};" ::"l"(lockstep_global(p)),                 \
                     C((REGISTER)v.x), C((REGISTER)v.y), C((REGISTER)v.z), C((REGISTER)v.w)                            \
                     : "memory");                                                                                      \
    }

/* Calls MACRO1, MACRO2 or MACRO4 for every type CUDA has; bytes travel in 16-bit registers. */
#define LOCKSTEP_EVERY_TYPE(KIND, ...)                                                                                 \
    KIND(1, __VA_ARGS__, char, short, "h", "s8")                                                                       \
    KIND(1, __VA_ARGS__, signed char, short, "h", "s8")                                                                \
    KIND(1, __VA_ARGS__, unsigned char, unsigned short, "h", "u8")                                                     \
    KIND(1, __VA_ARGS__, short, short, "h", "s16")                                                                     \
    KIND(1, __VA_ARGS__, unsigned short, unsigned short, "h", "u16")                                                   \
    KIND(1, __VA_ARGS__, int, int, "r", "s32")                                                                         \
    KIND(1, __VA_ARGS__, unsigned, unsigned, "r", "u32")                                                               \
    KIND(1, __VA_ARGS__, long, long, "l", "s64")                                                                       \
    KIND(1, __VA_ARGS__, unsigned long, unsigned long, "l", "u64")                                                     \
    KIND(1, __VA_ARGS__, long long, long long, "l", "s64")                                                             \
    KIND(1, __VA_ARGS__, unsigned long long, unsigned long long, "l", "u64")                                           \
    KIND(1, __VA_ARGS__, float, float, "f", "f32")                                                                     \
    KIND(1, __VA_ARGS__, double, double, "d", "f64")                                                                   \
    KIND(2, __VA_ARGS__, char2, short, "h", "s8")                                                                      \
    KIND(2, __VA_ARGS__, uchar2, unsigned short, "h", "u8")                                                            \
    KIND(2, __VA_ARGS__, short2, short, "h", "s16")                                                                    \
    KIND(2, __VA_ARGS__, ushort2, unsigned short, "h", "u16")                                                          \
    KIND(2, __VA_ARGS__, int2, int, "r", "s32")                                                                        \
    KIND(2, __VA_ARGS__, uint2, unsigned, "r", "u32")                                                                  \
    KIND(2, __VA_ARGS__, longlong2, long long, "l", "s64")                                                             \
    KIND(2, __VA_ARGS__, ulonglong2, unsigned long long, "l", "u64")                                                   \
    KIND(2, __VA_ARGS__, float2, float, "f", "f32")                                                                    \
    KIND(2, __VA_ARGS__, double2, double, "d", "f64")                                                                  \
    KIND(4, __VA_ARGS__, char4, short, "h", "s8")                                                                      \
    KIND(4, __VA_ARGS__, uchar4, unsigned short, "h", "u8")                                                            \
    KIND(4, __VA_ARGS__, short4, short, "h", "s16")                                                                    \
    KIND(4, __VA_ARGS__, ushort4, unsigned short, "h", "u16")                                                          \
    KIND(4, __VA_ARGS__, int4, int, "r", "s32")                                                                        \
    KIND(4, __VA_ARGS__, uint4, unsigned, "r", "u32")                                                                  \
    KIND(4, __VA_ARGS__, float4, float, "f", "f32")

#define LOCKSTEP_NOTHING
#define LOCKSTEP_CLOBBER_MEMORY : "memory"
#define LOCKSTEP_LOAD_PURE(N, NAME, OP, T, REGISTER, C, TYPE)                                                          \
    LOCKSTEP_LOAD##N(NAME, LOCKSTEP_NOTHING, OP, T, REGISTER, C, TYPE, LOCKSTEP_NOTHING)
#define LOCKSTEP_LOAD_ORDERED(N, NAME, OP, T, REGISTER, C, TYPE)                                                       \
    LOCKSTEP_LOAD##N(NAME, volatile, OP, T, REGISTER, C, TYPE, LOCKSTEP_CLOBBER_MEMORY)
#define LOCKSTEP_STORE(N, NAME, OP, T, REGISTER, C, TYPE) LOCKSTEP_STORE##N(NAME, OP, T, REGISTER, C, TYPE)

/* __ldg reads what no thread writes during the kernel, so the compiler may move and merge it. */
LOCKSTEP_EVERY_TYPE(LOCKSTEP_LOAD_PURE, __ldg, "nc")
LOCKSTEP_EVERY_TYPE(LOCKSTEP_LOAD_ORDERED, __ldca, "ca")
LOCKSTEP_EVERY_TYPE(LOCKSTEP_LOAD_ORDERED, __ldcg, "cg")
LOCKSTEP_EVERY_TYPE(LOCKSTEP_LOAD_ORDERED, __ldcs, "cs")
LOCKSTEP_EVERY_TYPE(LOCKSTEP_LOAD_ORDERED, __ldlu, "lu")
LOCKSTEP_EVERY_TYPE(LOCKSTEP_LOAD_ORDERED, __ldcv, "cv")
LOCKSTEP_EVERY_TYPE(LOCKSTEP_STORE, __stwb, "wb")
LOCKSTEP_EVERY_TYPE(LOCKSTEP_STORE, __stcg, "cg")
LOCKSTEP_EVERY_TYPE(LOCKSTEP_STORE, __stcs, "cs")
LOCKSTEP_EVERY_TYPE(LOCKSTEP_STORE, __stwt, "wt")

#undef LOCKSTEP_EVERY_TYPE
#undef LOCKSTEP_LOAD_PURE
#undef LOCKSTEP_LOAD_ORDERED
#undef LOCKSTEP_STORE
#undef LOCKSTEP_LOAD1
#undef LOCKSTEP_LOAD2
#undef LOCKSTEP_LOAD4
#undef LOCKSTEP_STORE1
#undef LOCKSTEP_STORE2
#undef LOCKSTEP_STORE4
#undef LOCKSTEP_NOTHING
#undef LOCKSTEP_CLOBBER_MEMORY

/* ---- address spaces ---- */
#define LOCKSTEP_IS_SPACE(NAME, SPACE)                                                                                 \
    LOCKSTEP_DEVICE unsigned NAME(const void *p)                                                                       \
    {                                                                                                                  \
        unsigned r;                                                                                                    \
        asm("{ .reg .pred p; isspacep." SPACE " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(p));                   \
        return r;                                                                                                      \
    }
LOCKSTEP_IS_SPACE(__isGlobal, "global")
LOCKSTEP_IS_SPACE(__isShared, "shared")
LOCKSTEP_IS_SPACE(__isLocal, "local")
LOCKSTEP_IS_SPACE(__isConstant, "const")
#undef LOCKSTEP_IS_SPACE
LOCKSTEP_DEVICE size_t __cvta_generic_to_global(const void *p)
{
    return lockstep_global(p);
}
LOCKSTEP_DEVICE size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)(const __attribute__((address_space(3))) void *)p;
}
LOCKSTEP_DEVICE size_t __cvta_generic_to_local(const void *p)
{
    return (size_t)(const __attribute__((address_space(5))) void *)p;
}
#define LOCKSTEP_TO_GENERIC(NAME, NUMBER)                                                                              \
    LOCKSTEP_DEVICE void *NAME(size_t p)                                                                               \
    {                                                                                                                  \
        return (void *)(__attribute__((address_space(NUMBER))) void *)p;                                               \
    }
LOCKSTEP_TO_GENERIC(__cvta_global_to_generic, 1)
LOCKSTEP_TO_GENERIC(__cvta_shared_to_generic, 3)
LOCKSTEP_TO_GENERIC(__cvta_constant_to_generic, 4)
LOCKSTEP_TO_GENERIC(__cvta_local_to_generic, 5)
#undef LOCKSTEP_TO_GENERIC

/* ---- <string.h> ---- */
LOCKSTEP_DEVICE void *memcpy(void *to, const void *from, size_t n)
{
    return __builtin_memcpy(to, from, n);
}
LOCKSTEP_DEVICE void *memset(void *to, int value, size_t n)
{
    return __builtin_memset(to, value, n);
}
LOCKSTEP_DEVICE void *memmove(void *to, const void *from, size_t n)
{
    return __builtin_memmove(to, from, n);
}
static __device__ inline int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}
static __device__ inline size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}
static __device__ inline int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

#endif

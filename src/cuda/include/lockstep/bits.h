/* Integer intrinsics: counting and reversing bits, bytes, shifts over two words, high products, averages, sums of
 * absolute differences, dot products of packed bytes and halves. */
#ifndef LOCKSTEP_BITS_H
#define LOCKSTEP_BITS_H

LOCKSTEP_DEVICE int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
LOCKSTEP_DEVICE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
/* PTX clz of 0 is the width, so the test folds away. */
LOCKSTEP_DEVICE int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
LOCKSTEP_DEVICE int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
LOCKSTEP_DEVICE unsigned __brev(unsigned x)
{
    return __builtin_bitreverse32(x);
}
LOCKSTEP_DEVICE unsigned long long __brevll(unsigned long long x)
{
    return __builtin_bitreverse64(x);
}
/* Position of the lowest set bit counted from 1, 0 when there is none. */
LOCKSTEP_DEVICE int __ffs(int x)
{
    return x ? __builtin_ctz((unsigned)x) + 1 : 0;
}
LOCKSTEP_DEVICE int __ffsll(long long x)
{
    return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0;
}
/* Position of the n-th set bit of mask (n counts from 1 at base going up, negative going down), 0xffffffff when there
 * is none. */
LOCKSTEP_DEVICE unsigned __fns(unsigned mask, unsigned base, int n)
{
    int step = n < 0 ? -1 : 1, left = n < 0 ? -n : n;
    if (left == 0)
        return mask >> base & 1 ? base : 0xffffffffu;
    for (int i = (int)base; i >= 0 && i < 32; i += step)
        if ((mask >> i & 1) && --left == 0)
            return (unsigned)i;
    return 0xffffffffu;
}

/* Each nibble of the selector (its low three bits) picks a byte of {y, x}. */
LOCKSTEP_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    unsigned r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(selector & 0x7777u));
    return r;
}
#define LOCKSTEP_FUNNEL(NAME, TEXT)                                                                                    \
    LOCKSTEP_DEVICE unsigned NAME(unsigned low, unsigned high, unsigned shift)                                         \
    {                                                                                                                  \
        unsigned r;                                                                                                    \
        asm(TEXT " %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(shift));                                      \
        return r;                                                                                                      \
    }
LOCKSTEP_FUNNEL(__funnelshift_l, "shf.l.wrap.b32")
LOCKSTEP_FUNNEL(__funnelshift_lc, "shf.l.clamp.b32")
LOCKSTEP_FUNNEL(__funnelshift_r, "shf.r.wrap.b32")
LOCKSTEP_FUNNEL(__funnelshift_rc, "shf.r.clamp.b32")
#undef LOCKSTEP_FUNNEL

LOCKSTEP_DEVICE int __mulhi(int a, int b)
{
    return (int)((long long)a * b >> 32);
}
LOCKSTEP_DEVICE unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
LOCKSTEP_DEVICE long long __mul64hi(long long a, long long b)
{
    long long r;
    asm("mul.hi.s64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
    return r;
}
LOCKSTEP_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    unsigned long long r;
    asm("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
    return r;
}
LOCKSTEP_DEVICE int __mul24(int a, int b)
{
    int r;
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
LOCKSTEP_DEVICE unsigned __umul24(unsigned a, unsigned b)
{
    unsigned r;
    asm("mul24.lo.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
/* |a - b| + c */
LOCKSTEP_DEVICE unsigned __sad(int a, int b, unsigned c)
{
    unsigned r;
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
LOCKSTEP_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c)
{
    unsigned r;
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
/* Averages without overflow: rounded down, and rounded up (the r forms). */
LOCKSTEP_DEVICE int __hadd(int a, int b)
{
    return (a & b) + ((a ^ b) >> 1);
}
LOCKSTEP_DEVICE int __rhadd(int a, int b)
{
    return (a | b) - ((a ^ b) >> 1);
}
LOCKSTEP_DEVICE unsigned __uhadd(unsigned a, unsigned b)
{
    return (a & b) + ((a ^ b) >> 1);
}
LOCKSTEP_DEVICE unsigned __urhadd(unsigned a, unsigned b)
{
    return (a | b) - ((a ^ b) >> 1);
}

/* ---- dot products: of four bytes; of two halves and the low or high two bytes ---- */
#define LOCKSTEP_DOT(T, V4, V2, TEXT4, TEXT_LO, TEXT_HI)                                                               \
    LOCKSTEP_DEVICE T __dp4a(T a, T b, T c)                                                                            \
    {                                                                                                                  \
        T r;                                                                                                           \
        asm(TEXT4 " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                                              \
        return r;                                                                                                      \
    }                                                                                                                  \
    LOCKSTEP_DEVICE T __dp2a_lo(T a, T b, T c)                                                                         \
    {                                                                                                                  \
        T r;                                                                                                           \
        asm(TEXT_LO " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                                            \
        return r;                                                                                                      \
    }                                                                                                                  \
    LOCKSTEP_DEVICE T __dp2a_hi(T a, T b, T c)                                                                         \
    {                                                                                                                  \
        T r;                                                                                                           \
        asm(TEXT_HI " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                                            \
        return r;                                                                                                      \
    }                                                                                                                  \
    LOCKSTEP_DEVICE T __dp4a(V4 a, V4 b, T c)                                                                          \
    {                                                                                                                  \
        return __dp4a(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), c);                                          \
    }                                                                                                                  \
    LOCKSTEP_DEVICE T __dp2a_lo(V2 a, V4 b, T c)                                                                       \
    {                                                                                                                  \
        return __dp2a_lo(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), c);                                       \
    }                                                                                                                  \
    LOCKSTEP_DEVICE T __dp2a_hi(V2 a, V4 b, T c)                                                                       \
    {                                                                                                                  \
        return __dp2a_hi(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), c);                                       \
    }
LOCKSTEP_DOT(int, char4, short2, "dp4a.s32.s32", "dp2a.lo.s32.s32", "dp2a.hi.s32.s32")
LOCKSTEP_DOT(unsigned, uchar4, ushort2, "dp4a.u32.u32", "dp2a.lo.u32.u32", "dp2a.hi.u32.u32")
#undef LOCKSTEP_DOT

#endif

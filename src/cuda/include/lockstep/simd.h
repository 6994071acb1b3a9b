/* Arithmetic on the two halves or the four bytes of a word: __vadd2, __vabsdiffs4 and so on, with s for signed and u for
 * unsigned elements, ss and us for results that saturate. What carries no information from one element into the next
 * works on whole words; the rest takes the elements one by one. Comparisons give all ones or 0 (__vcmp) and 1 or 0
 * (__vset) in each element. */
#ifndef LOCKSTEP_SIMD_H
#define LOCKSTEP_SIMD_H

/* An element of so many bits, and one put in its place. */
template <int BITS> LOCKSTEP_DEVICE int lockstep_signed_part(unsigned x, int i)
{
    return (int)(x << (32 - BITS * (i + 1))) >> (32 - BITS);
}
template <int BITS> LOCKSTEP_DEVICE int lockstep_unsigned_part(unsigned x, int i)
{
    return (int)(x >> (BITS * i) & ((1u << BITS) - 1));
}
template <int BITS> LOCKSTEP_DEVICE unsigned lockstep_part(int v, int i)
{
    return ((unsigned)v & ((1u << BITS) - 1)) << (BITS * i);
}
LOCKSTEP_DEVICE int lockstep_clamp(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

/* An operation on elements: x and y are a's and b's, SMALL and LARGE the least and the greatest signed element, TOP the
 * greatest unsigned one. */
#define LOCKSTEP_SIMD_2(NAME, BITS, PART, ...)                                                                         \
    LOCKSTEP_DEVICE unsigned NAME(unsigned a, unsigned b)                                                              \
    {                                                                                                                  \
        const int SMALL = -(1 << (BITS - 1)), LARGE = (1 << (BITS - 1)) - 1, TOP = (1 << BITS) - 1;                    \
        unsigned r = 0;                                                                                                \
        (void)SMALL, (void)LARGE, (void)TOP;                                                                           \
        for (int i = 0; i < 32 / BITS; i++) {                                                                          \
            const int x = PART<BITS>(a, i), y = PART<BITS>(b, i);                                                      \
            r |= lockstep_part<BITS>(__VA_ARGS__, i);                                                                  \
        }                                                                                                              \
        return r;                                                                                                      \
    }
#define LOCKSTEP_SIMD_1(NAME, BITS, PART, ...)                                                                         \
    LOCKSTEP_DEVICE unsigned NAME(unsigned a)                                                                          \
    {                                                                                                                  \
        const int LARGE = (1 << (BITS - 1)) - 1;                                                                       \
        unsigned r = 0;                                                                                                \
        (void)LARGE;                                                                                                   \
        for (int i = 0; i < 32 / BITS; i++) {                                                                          \
            const int x = PART<BITS>(a, i);                                                                            \
            r |= lockstep_part<BITS>(__VA_ARGS__, i);                                                                  \
        }                                                                                                              \
        return r;                                                                                                      \
    }
#define LOCKSTEP_SIMD_SUM(NAME, BITS, PART)                                                                            \
    LOCKSTEP_DEVICE unsigned NAME(unsigned a, unsigned b)                                                              \
    {                                                                                                                  \
        int r = 0;                                                                                                     \
        for (int i = 0; i < 32 / BITS; i++) {                                                                          \
            const int d = PART<BITS>(a, i) - PART<BITS>(b, i);                                                         \
            r += d < 0 ? -d : d;                                                                                       \
        }                                                                                                              \
        return (unsigned)r;                                                                                            \
    }
#define LOCKSTEP_SIMD_COMPARE(NAME, N, BITS, PART, OP)                                                                 \
    LOCKSTEP_SIMD_2(__vcmp##NAME##N, BITS, PART, x OP y ? -1 : 0)                                                      \
    LOCKSTEP_SIMD_2(__vset##NAME##N, BITS, PART, x OP y ? 1 : 0)

#define LOCKSTEP_SIMD(N, BITS, HIGH)                                                                                   \
    /* Sums and differences without the highest bits, which are put in without their carries. */                       \
    LOCKSTEP_DEVICE unsigned __vadd##N(unsigned a, unsigned b)                                                         \
    {                                                                                                                  \
        return ((a & ~HIGH) + (b & ~HIGH)) ^ ((a ^ b) & HIGH);                                                         \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned __vsub##N(unsigned a, unsigned b)                                                         \
    {                                                                                                                  \
        return ((a | HIGH) - (b & ~HIGH)) ^ ((a ^ ~b) & HIGH);                                                         \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned __vneg##N(unsigned a)                                                                     \
    {                                                                                                                  \
        return __vsub##N(0, a);                                                                                        \
    }                                                                                                                  \
    /* Averages: of unsigned elements rounded down, of both kinds rounded up. */                                       \
    LOCKSTEP_DEVICE unsigned __vhaddu##N(unsigned a, unsigned b)                                                       \
    {                                                                                                                  \
        return (a & b) + (((a ^ b) >> 1) & ~HIGH);                                                                     \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned __vavgu##N(unsigned a, unsigned b)                                                        \
    {                                                                                                                  \
        return (a | b) - (((a ^ b) >> 1) & ~HIGH);                                                                     \
    }                                                                                                                  \
    LOCKSTEP_SIMD_2(__vavgs##N, BITS, lockstep_signed_part, (x + y + (x + y >= 0)) >> 1)                               \
    LOCKSTEP_SIMD_2(__vaddss##N, BITS, lockstep_signed_part, lockstep_clamp(x + y, SMALL, LARGE))                      \
    LOCKSTEP_SIMD_2(__vaddus##N, BITS, lockstep_unsigned_part, lockstep_clamp(x + y, 0, TOP))                          \
    LOCKSTEP_SIMD_2(__vsubss##N, BITS, lockstep_signed_part, lockstep_clamp(x - y, SMALL, LARGE))                      \
    LOCKSTEP_SIMD_2(__vsubus##N, BITS, lockstep_unsigned_part, lockstep_clamp(x - y, 0, TOP))                          \
    LOCKSTEP_SIMD_2(__vabsdiffs##N, BITS, lockstep_signed_part, x < y ? y - x : x - y)                                 \
    LOCKSTEP_SIMD_2(__vabsdiffu##N, BITS, lockstep_unsigned_part, x < y ? y - x : x - y)                               \
    LOCKSTEP_SIMD_2(__vmaxs##N, BITS, lockstep_signed_part, x > y ? x : y)                                             \
    LOCKSTEP_SIMD_2(__vmaxu##N, BITS, lockstep_unsigned_part, x > y ? x : y)                                           \
    LOCKSTEP_SIMD_2(__vmins##N, BITS, lockstep_signed_part, x < y ? x : y)                                             \
    LOCKSTEP_SIMD_2(__vminu##N, BITS, lockstep_unsigned_part, x < y ? x : y)                                           \
    LOCKSTEP_SIMD_1(__vabs##N, BITS, lockstep_signed_part, x < 0 ? -x : x)                                             \
    LOCKSTEP_SIMD_1(__vabsss##N, BITS, lockstep_signed_part, x < -LARGE ? LARGE : x < 0 ? -x : x)                      \
    LOCKSTEP_SIMD_1(__vnegss##N, BITS, lockstep_signed_part, x < -LARGE ? LARGE : -x)                                  \
    LOCKSTEP_SIMD_SUM(__vsads##N, BITS, lockstep_signed_part)                                                          \
    LOCKSTEP_SIMD_SUM(__vsadu##N, BITS, lockstep_unsigned_part)                                                        \
    LOCKSTEP_SIMD_COMPARE(eq, N, BITS, lockstep_unsigned_part, ==)                                                     \
    LOCKSTEP_SIMD_COMPARE(ne, N, BITS, lockstep_unsigned_part, !=)                                                     \
    LOCKSTEP_SIMD_COMPARE(ges, N, BITS, lockstep_signed_part, >=)                                                      \
    LOCKSTEP_SIMD_COMPARE(geu, N, BITS, lockstep_unsigned_part, >=)                                                    \
    LOCKSTEP_SIMD_COMPARE(gts, N, BITS, lockstep_signed_part, >)                                                       \
    LOCKSTEP_SIMD_COMPARE(gtu, N, BITS, lockstep_unsigned_part, >)                                                     \
    LOCKSTEP_SIMD_COMPARE(les, N, BITS, lockstep_signed_part, <=)                                                      \
    LOCKSTEP_SIMD_COMPARE(leu, N, BITS, lockstep_unsigned_part, <=)                                                    \
    LOCKSTEP_SIMD_COMPARE(lts, N, BITS, lockstep_signed_part, <)                                                       \
    LOCKSTEP_SIMD_COMPARE(ltu, N, BITS, lockstep_unsigned_part, <)

LOCKSTEP_SIMD(2, 16, 0x80008000u)
LOCKSTEP_SIMD(4, 8, 0x80808080u)
#undef LOCKSTEP_SIMD
#undef LOCKSTEP_SIMD_1
#undef LOCKSTEP_SIMD_2
#undef LOCKSTEP_SIMD_SUM
#undef LOCKSTEP_SIMD_COMPARE

#endif

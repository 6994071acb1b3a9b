/* Steps of dynamic programming (DPX), for the host as well: greatest and least of two or three, sums before that, and
 * with relu no less than 0; on words, signed and unsigned, and on their two halves. __vib also tells whether the first
 * one was chosen. */
#ifndef LOCKSTEP_DPX_H
#define LOCKSTEP_DPX_H

#define LOCKSTEP_DPX static __inline__ __host__ __device__ __attribute__((nodebug))

/* P: the type of parameters and results. */
#define LOCKSTEP_DPX_TWO(NAME, TYPE, P)                                                                                \
    LOCKSTEP_DPX P __vi##NAME##3_##TYPE(P a, P b, P c)                                                                 \
    {                                                                                                                  \
        return lockstep_##NAME##_##TYPE(lockstep_##NAME##_##TYPE(a, b), c);                                            \
    }                                                                                                                  \
    LOCKSTEP_DPX P __viadd##NAME##_##TYPE(P a, P b, P c)                                                               \
    {                                                                                                                  \
        return lockstep_##NAME##_##TYPE(lockstep_sum_##TYPE(a, b), c);                                                 \
    }
#define LOCKSTEP_DPX_RELU(NAME, TYPE, P)                                                                               \
    LOCKSTEP_DPX P __vi##NAME##_##TYPE##_relu(P a, P b)                                                                \
    {                                                                                                                  \
        return lockstep_max_##TYPE(lockstep_##NAME##_##TYPE(a, b), 0);                                                 \
    }                                                                                                                  \
    LOCKSTEP_DPX P __vi##NAME##3_##TYPE##_relu(P a, P b, P c)                                                          \
    {                                                                                                                  \
        return lockstep_max_##TYPE(__vi##NAME##3_##TYPE(a, b, c), 0);                                                  \
    }                                                                                                                  \
    LOCKSTEP_DPX P __viadd##NAME##_##TYPE##_relu(P a, P b, P c)                                                        \
    {                                                                                                                  \
        return lockstep_max_##TYPE(__viadd##NAME##_##TYPE(a, b, c), 0);                                                \
    }
#define LOCKSTEP_DPX_WORD(TYPE, P)                                                                                     \
    LOCKSTEP_DPX P lockstep_max_##TYPE(P a, P b)                                                                       \
    {                                                                                                                  \
        return a > b ? a : b;                                                                                          \
    }                                                                                                                  \
    LOCKSTEP_DPX P lockstep_min_##TYPE(P a, P b)                                                                       \
    {                                                                                                                  \
        return a < b ? a : b;                                                                                          \
    }                                                                                                                  \
    LOCKSTEP_DPX P lockstep_sum_##TYPE(P a, P b)                                                                       \
    {                                                                                                                  \
        return (P)((unsigned)a + (unsigned)b);                                                                         \
    }                                                                                                                  \
    LOCKSTEP_DPX P __vibmax_##TYPE(P a, P b, bool *first)                                                              \
    {                                                                                                                  \
        *first = a >= b;                                                                                               \
        return lockstep_max_##TYPE(a, b);                                                                              \
    }                                                                                                                  \
    LOCKSTEP_DPX P __vibmin_##TYPE(P a, P b, bool *first)                                                              \
    {                                                                                                                  \
        *first = a <= b;                                                                                               \
        return lockstep_min_##TYPE(a, b);                                                                              \
    }
/* H: the type of a half. */
#define LOCKSTEP_DPX_HALVES(TYPE, H)                                                                                   \
    LOCKSTEP_DPX unsigned lockstep_halves_##TYPE(int low, int high)                                                    \
    {                                                                                                                  \
        return ((unsigned)low & 0xffff) | (unsigned)high << 16;                                                        \
    }                                                                                                                  \
    LOCKSTEP_DPX unsigned __vibmax_##TYPE(unsigned a, unsigned b, bool *high, bool *low)                               \
    {                                                                                                                  \
        *high = (H)(a >> 16) >= (H)(b >> 16);                                                                          \
        *low = (H)a >= (H)b;                                                                                           \
        return lockstep_halves_##TYPE((int)(*low ? a : b), (int)((*high ? a : b) >> 16));                              \
    }                                                                                                                  \
    LOCKSTEP_DPX unsigned __vibmin_##TYPE(unsigned a, unsigned b, bool *high, bool *low)                               \
    {                                                                                                                  \
        *high = (H)(a >> 16) <= (H)(b >> 16);                                                                          \
        *low = (H)a <= (H)b;                                                                                           \
        return lockstep_halves_##TYPE((int)(*low ? a : b), (int)((*high ? a : b) >> 16));                              \
    }                                                                                                                  \
    LOCKSTEP_DPX unsigned lockstep_max_##TYPE(unsigned a, unsigned b)                                                  \
    {                                                                                                                  \
        bool high, low;                                                                                                \
        return __vibmax_##TYPE(a, b, &high, &low);                                                                     \
    }                                                                                                                  \
    LOCKSTEP_DPX unsigned lockstep_min_##TYPE(unsigned a, unsigned b)                                                  \
    {                                                                                                                  \
        bool high, low;                                                                                                \
        return __vibmin_##TYPE(a, b, &high, &low);                                                                     \
    }                                                                                                                  \
    LOCKSTEP_DPX unsigned lockstep_sum_##TYPE(unsigned a, unsigned b)                                                  \
    {                                                                                                                  \
        return lockstep_halves_##TYPE((int)(a + b), (int)((a >> 16) + (b >> 16)));                                     \
    }
LOCKSTEP_DPX_WORD(s32, int)
LOCKSTEP_DPX_WORD(u32, unsigned)
LOCKSTEP_DPX_HALVES(s16x2, short)
LOCKSTEP_DPX_HALVES(u16x2, unsigned short)
#define LOCKSTEP_DPX_ALL(NAME)                                                                                         \
    LOCKSTEP_DPX_TWO(NAME, s32, int)                                                                                   \
    LOCKSTEP_DPX_TWO(NAME, u32, unsigned)                                                                              \
    LOCKSTEP_DPX_TWO(NAME, s16x2, unsigned)                                                                            \
    LOCKSTEP_DPX_TWO(NAME, u16x2, unsigned)                                                                            \
    LOCKSTEP_DPX_RELU(NAME, s32, int)                                                                                  \
    LOCKSTEP_DPX_RELU(NAME, s16x2, unsigned)
LOCKSTEP_DPX_ALL(max)
LOCKSTEP_DPX_ALL(min)
#undef LOCKSTEP_DPX_ALL
#undef LOCKSTEP_DPX_TWO
#undef LOCKSTEP_DPX_RELU
#undef LOCKSTEP_DPX_WORD
#undef LOCKSTEP_DPX_HALVES

#endif

/* Votes, shuffles, matches and reductions within a warp (PTX ISA: vote.sync, shfl.sync, match.sync, redux.sync).
 * The forms without _sync, which CUDA dropped with sm_70, act on the active lanes. */
#ifndef LOCKSTEP_WARP_H
#define LOCKSTEP_WARP_H

LOCKSTEP_DEVICE unsigned __activemask()
{
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
LOCKSTEP_DEVICE unsigned __ballot_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
LOCKSTEP_DEVICE int __any_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_any_sync(mask, predicate != 0);
}
LOCKSTEP_DEVICE int __all_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_all_sync(mask, predicate != 0);
}
LOCKSTEP_DEVICE int __uni_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_uni_sync(mask, predicate != 0);
}
LOCKSTEP_DEVICE unsigned __ballot(int predicate)
{
    return __ballot_sync(__activemask(), predicate);
}
LOCKSTEP_DEVICE int __any(int predicate)
{
    return __any_sync(__activemask(), predicate);
}
LOCKSTEP_DEVICE int __all(int predicate)
{
    return __all_sync(__activemask(), predicate);
}

/* ---- shuffles ----
 * The third operand of shfl packs the segment mask of width w, (32 - w) << 8, with the lane bound: 0 for up, 31 for the
 * others. 64-bit values travel as two halves. A negative or out-of-range source lane returns the caller's own value
 * (up, down, xor). */
#define LOCKSTEP_SHUFFLE(NAME, MODE, BOUND, LANE)                                                                      \
    LOCKSTEP_DEVICE int NAME##_sync(unsigned mask, int v, LANE lane, int width = 32)                                   \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##MODE##_i32(mask, v, (int)lane, ((32 - width) << 8) | BOUND);                         \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned NAME##_sync(unsigned mask, unsigned v, LANE lane, int width = 32)                         \
    {                                                                                                                  \
        return (unsigned)NAME##_sync(mask, (int)v, lane, width);                                                       \
    }                                                                                                                  \
    LOCKSTEP_DEVICE float NAME##_sync(unsigned mask, float v, LANE lane, int width = 32)                               \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##MODE##_f32(mask, v, (int)lane, ((32 - width) << 8) | BOUND);                         \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned long long NAME##_sync(unsigned mask, unsigned long long v, LANE lane, int width = 32)     \
    {                                                                                                                  \
        unsigned low = NAME##_sync(mask, (unsigned)v, lane, width);                                                    \
        unsigned high = NAME##_sync(mask, (unsigned)(v >> 32), lane, width);                                           \
        return (unsigned long long)high << 32 | low;                                                                   \
    }                                                                                                                  \
    LOCKSTEP_DEVICE long long NAME##_sync(unsigned mask, long long v, LANE lane, int width = 32)                       \
    {                                                                                                                  \
        return (long long)NAME##_sync(mask, (unsigned long long)v, lane, width);                                       \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned long NAME##_sync(unsigned mask, unsigned long v, LANE lane, int width = 32)               \
    {                                                                                                                  \
        return (unsigned long)NAME##_sync(mask, (unsigned long long)v, lane, width);                                   \
    }                                                                                                                  \
    LOCKSTEP_DEVICE long NAME##_sync(unsigned mask, long v, LANE lane, int width = 32)                                 \
    {                                                                                                                  \
        return (long)NAME##_sync(mask, (unsigned long long)v, lane, width);                                            \
    }                                                                                                                  \
    LOCKSTEP_DEVICE double NAME##_sync(unsigned mask, double v, LANE lane, int width = 32)                             \
    {                                                                                                                  \
        unsigned long long bits = NAME##_sync(mask, __builtin_bit_cast(unsigned long long, v), lane, width);           \
        return __builtin_bit_cast(double, bits);                                                                       \
    }                                                                                                                  \
    template <class T> LOCKSTEP_DEVICE T NAME(T v, LANE lane, int width = 32)                                          \
    {                                                                                                                  \
        return NAME##_sync(__activemask(), v, lane, width);                                                            \
    }

LOCKSTEP_SHUFFLE(__shfl, idx, 0x1f, int)
LOCKSTEP_SHUFFLE(__shfl_up, up, 0, unsigned)
LOCKSTEP_SHUFFLE(__shfl_down, down, 0x1f, unsigned)
LOCKSTEP_SHUFFLE(__shfl_xor, bfly, 0x1f, int)
#undef LOCKSTEP_SHUFFLE

/* ---- matches ---- */
LOCKSTEP_DEVICE unsigned lockstep_match_any(unsigned mask, unsigned v)
{
    unsigned equal;
    asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(equal) : "r"(v), "r"(mask));
    return equal;
}
LOCKSTEP_DEVICE unsigned lockstep_match_any(unsigned mask, unsigned long long v)
{
    unsigned equal;
    asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(equal) : "l"(v), "r"(mask));
    return equal;
}
LOCKSTEP_DEVICE unsigned lockstep_match_all(unsigned mask, unsigned v, int *all)
{
    unsigned equal;
    asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                 : "=r"(equal), "=r"(*all)
                 : "r"(v), "r"(mask));
    return equal;
}
LOCKSTEP_DEVICE unsigned lockstep_match_all(unsigned mask, unsigned long long v, int *all)
{
    unsigned equal;
    asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                 : "=r"(equal), "=r"(*all)
                 : "l"(v), "r"(mask));
    return equal;
}
#define LOCKSTEP_MATCH(TYPE, BITS)                                                                                     \
    LOCKSTEP_DEVICE unsigned __match_any_sync(unsigned mask, TYPE v)                                                   \
    {                                                                                                                  \
        return lockstep_match_any(mask, __builtin_bit_cast(BITS, v));                                                  \
    }                                                                                                                  \
    LOCKSTEP_DEVICE unsigned __match_all_sync(unsigned mask, TYPE v, int *all)                                         \
    {                                                                                                                  \
        return lockstep_match_all(mask, __builtin_bit_cast(BITS, v), all);                                             \
    }
LOCKSTEP_MATCH(int, unsigned)
LOCKSTEP_MATCH(unsigned, unsigned)
LOCKSTEP_MATCH(float, unsigned)
LOCKSTEP_MATCH(long, unsigned long long)
LOCKSTEP_MATCH(unsigned long, unsigned long long)
LOCKSTEP_MATCH(long long, unsigned long long)
LOCKSTEP_MATCH(unsigned long long, unsigned long long)
LOCKSTEP_MATCH(double, unsigned long long)
#undef LOCKSTEP_MATCH

/* ---- reductions: one instruction from sm_80 on, shuffles over the members below ---- */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define LOCKSTEP_REDUCE(NAME, OP, TYPE, SUFFIX, COMBINE)                                                               \
    LOCKSTEP_DEVICE TYPE NAME(unsigned mask, TYPE v)                                                                   \
    {                                                                                                                  \
        TYPE r;                                                                                                        \
        asm volatile("redux.sync." OP "." SUFFIX " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask));                        \
        return r;                                                                                                      \
    }
#else
#define LOCKSTEP_REDUCE(NAME, OP, TYPE, SUFFIX, COMBINE)                                                               \
    LOCKSTEP_DEVICE TYPE NAME(unsigned mask, TYPE v)                                                                   \
    {                                                                                                                  \
        TYPE a = __shfl_sync(mask, v, __builtin_ctz(mask));                                                            \
        for (unsigned rest = mask & (mask - 1); rest; rest &= rest - 1) {                                              \
            TYPE b = __shfl_sync(mask, v, __builtin_ctz(rest));                                                        \
            a = COMBINE;                                                                                               \
        }                                                                                                              \
        return a;                                                                                                      \
    }
#endif
LOCKSTEP_REDUCE(__reduce_add_sync, "add", int, "s32", (int)((unsigned)a + (unsigned)b))
LOCKSTEP_REDUCE(__reduce_add_sync, "add", unsigned, "u32", a + b)
LOCKSTEP_REDUCE(__reduce_min_sync, "min", int, "s32", a < b ? a : b)
LOCKSTEP_REDUCE(__reduce_min_sync, "min", unsigned, "u32", a < b ? a : b)
LOCKSTEP_REDUCE(__reduce_max_sync, "max", int, "s32", a > b ? a : b)
LOCKSTEP_REDUCE(__reduce_max_sync, "max", unsigned, "u32", a > b ? a : b)
LOCKSTEP_REDUCE(__reduce_and_sync, "and", unsigned, "b32", a &b)
LOCKSTEP_REDUCE(__reduce_or_sync, "or", unsigned, "b32", a | b)
LOCKSTEP_REDUCE(__reduce_xor_sync, "xor", unsigned, "b32", a ^ b)
#undef LOCKSTEP_REDUCE

#endif

/* Bit-mask helpers. Warps and lanes are sets of at most 64 members everywhere in Lockstep, so a set is one word; they
 * are walked with `for (uint64_t rest = set; rest; rest &= rest - 1) { unsigned member = mask_first(rest); ... }`. */
#ifndef LOCKSTEP_BASE_BITS_H
#define LOCKSTEP_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define BIT64(n) (UINT64_C(1) << (n))

/* The mask of the lowest n members, n in 0..64. */
static inline uint64_t mask_low(unsigned n)
{
    return n >= 64 ? ~UINT64_C(0) : BIT64(n) - 1;
}

/* Number of the lowest member; the set must not be empty. */
static inline unsigned mask_first(uint64_t m)
{
    return (unsigned)__builtin_ctzll(m);
}

static inline unsigned mask_count(uint64_t m)
{
    return (unsigned)__builtin_popcountll(m);
}

static inline bool mask_has(uint64_t m, unsigned i)
{
    return (m >> i) & 1;
}

/* Makes bit i what `on` says. */
static inline void mask_put(uint64_t *set, unsigned i, bool on)
{
    *set = (*set & ~BIT64(i)) | (uint64_t)on << i;
}

/* Bits that hold numbers up to `most`: 0 for 0. */
static inline unsigned bits_for(uint64_t most)
{
    return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

static inline bool is_power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

/* The least power of two that is n or more, for n up to 2^31; 1 for 0. */
static inline uint32_t power_from(uint32_t n)
{
    return n ? UINT32_C(1) << bits_for(n - 1) : 1;
}

static inline uint64_t round_up_u64(uint64_t value, uint64_t step)
{
    return step ? (value + step - 1) / step * step : value;
}

#endif

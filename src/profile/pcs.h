/* Shared by the tables of words: places by address, and the instructions that a word remembers. Those are the first
 * ones of their kind: pc + 1 each, up to a number of them, and 0 ends. */
#ifndef LOCKSTEP_PROFILE_PCS_H
#define LOCKSTEP_PROFILE_PCS_H

#include "base/hash.h"

/* For tables that hold words by address and space: the place is this modulo their size. */
static inline uint32_t profile_place(uint64_t address, uint32_t space)
{
    return hash_place(address / 4 ^ (uint64_t)space << 60);
}

/* Adds an instruction, given as pc + 1, unless it is there, or there are `most`. */
static inline void profile_pcs_note(uint32_t *pcs, unsigned most, uint32_t pc)
{
    unsigned i = 0;
    while (i < most && pcs[i] && pcs[i] != pc)
        i++;
    if (i < most)
        pcs[i] = pc;
}

/* Adds those of another word, which are up to `count`. */
static inline void profile_pcs_add(uint32_t *pcs, unsigned most, const uint32_t *from, unsigned count)
{
    for (unsigned i = 0; i < count && from[i]; i++)
        profile_pcs_note(pcs, most, from[i]);
}

/* A key for order_sort: by a number below 2^20, as a word or a lane has, and by cycles among equal ones. Cycles from
 * 2^44 on are left to comparisons. */
static inline uint64_t profile_time_key(uint32_t number, uint64_t cycle)
{
    uint64_t most = (UINT64_C(1) << 44) - 1;
    return (uint64_t)number << 44 | (cycle < most ? cycle : most);
}

/* As qsort's functions compare: below 0, 0, above 0. */
static inline int profile_order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

#endif

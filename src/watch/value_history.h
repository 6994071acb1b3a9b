/* The pairs of an address and a value that were met before: a set of bits, by hash. The progress watch asks it whether
 * a compare-and-swap or an exchange got somewhere: a lock goes back and forth between a few values for ever, a counter
 * or a sum takes new ones. When half of the bits are set it begins anew. */
#ifndef LOCKSTEP_WATCH_VALUE_HISTORY_H
#define LOCKSTEP_WATCH_VALUE_HISTORY_H

#include "base/bits.h"
#include "base/hash.h"

#define WATCH_VALUE_HISTORY_WORDS 1024u /* 2^16 bits */

struct watch_value_history {
    uint64_t bits[WATCH_VALUE_HISTORY_WORDS];
    uint32_t count;
};

/* Adds the pair. Returns true if it is new. */
static inline bool watch_value_history_add(struct watch_value_history *n, uint64_t address, uint64_t value)
{
    uint64_t hash = (hash_spread(address) ^ value) * UINT64_C(0xD6E8FEB86659FD93);
    hash >>= 48; /* the bits that depend on all others */
    uint64_t *word = &n->bits[hash / 64];
    if (mask_has(*word, hash % 64))
        return false;
    if (n->count++ == WATCH_VALUE_HISTORY_WORDS * 32)
        *n = (struct watch_value_history){.count = 1};
    *word |= BIT64(hash % 64);
    return true;
}

#endif

/* Hashes and reproducible random streams. */
#ifndef LOCKSTEP_BASE_HASH_H
#define LOCKSTEP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* 64-bit FNV-1a. */
uint64_t hash_bytes(const void *data, size_t n);

/* A counter-based random stream (splitmix64): the i-th value depends on seed and i alone. */
uint64_t random_at(uint64_t seed, uint64_t index);

/* 2^64 divided by the golden ratio. */
#define HASH_GOLDEN UINT64_C(0x9E3779B97F4A7C15)

/* Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4): keys that differ little differ in the upper bits,
 * which are those to take. */
static inline uint64_t hash_spread(uint64_t key)
{
    return key * HASH_GOLDEN;
}
/* Those upper bits, for tables of up to 2^24 places: a place is this modulo their number. */
static inline uint32_t hash_place(uint64_t key)
{
    return (uint32_t)(hash_spread(key) >> 40);
}
/* As hash_place, but runs of `near` keys, a power of two of up to 2^8, have places beside each other, in turn: tables
 * whose keys come in runs lie in fewer pages of the host's memory, and keys at a distance spread as well as others. */
static inline uint32_t hash_place_near(uint64_t key, uint32_t near)
{
    uint32_t place = hash_place(key / near);
    return place * near + (uint32_t)(key + (place >> 12)) % near;
}
/* Up to 16 bytes as one word, which differs where they do, but for chance. */
static inline uint64_t hash_short(const void *data, size_t n)
{
    uint64_t words[2] = {0};
    memcpy(words, data, n < sizeof words ? n : sizeof words);
    return words[0] ^ hash_spread(words[1]);
}
/* A running hash with one word more. */
static inline uint64_t hash_add(uint64_t hash, uint64_t word)
{
    return hash_spread(hash ^ word);
}

#endif

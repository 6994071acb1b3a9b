/* Hashes of bytes (FNV-1a), and the n-th number of a reproducible stream (hash.h). */
#include "base/hash.h"

uint64_t hash_bytes(const void *data, size_t n)
{
    const uint8_t *bytes = data;
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < n; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001B3);
    return h;
}

uint64_t random_at(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + hash_spread(index + 1);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

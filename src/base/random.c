/* A stream's n-th number is a hash of its key and n: nothing is carried from one to the next (random.h). */
#include "base/random.h"

#include <string.h>

#include "base/hash.h"

/* Seed, name and number each pass through the mixer by themselves: streams of neighbouring seeds or units would
 * otherwise be one sequence begun at different places. */
struct random_stream random_stream_of(uint64_t seed, const char *unit, uint64_t number)
{
    uint64_t key = random_at(seed, 0) ^ hash_bytes(unit, strlen(unit));
    return (struct random_stream){.key = random_at(random_at(key, 0), number)};
}

uint32_t random_below(struct random_stream *stream, uint32_t below)
{
    uint64_t high = random_at(stream->key, stream->drawn++) >> 32;
    return (uint32_t)(high * below >> 32);
}

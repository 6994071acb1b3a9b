#include "check/seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define FIRST_STATES 4096u

void seen_init(struct seen *s)
{
    *s = (struct seen){.capacity = FIRST_STATES, .mask = 2 * FIRST_STATES - 1};
    s->states = base_malloc(sizeof *s->states * s->capacity);
    s->places = base_malloc(sizeof *s->places * (s->mask + 1));
    memset(s->places, 0xff, sizeof *s->places * (s->mask + 1));
}

void seen_free(struct seen *s)
{
    free(s->states);
    free(s->places);
}

uint64_t seen_bytes(const struct seen *s)
{
    return (uint64_t)s->capacity * sizeof *s->states + ((uint64_t)s->mask + 1) * sizeof *s->places;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    x ^= x >> 29;
    return x;
}

/* Eight bytes at a time, in two lanes. */
static uint64_t fingerprint(const uint8_t *bytes, uint32_t size)
{
    uint64_t a = size * UINT64_C(0x9E3779B97F4A7C15), b = UINT64_C(0xC2B2AE3D27D4EB4F), word[2];
    for (; size >= 16; bytes += 16, size -= 16) {
        memcpy(word, bytes, 16);
        a = mix(a ^ word[0]) * UINT64_C(0x9FB21C651E98DF25);
        b = mix(b + word[1]) * UINT64_C(0xA0761D6478BD642F);
    }
    word[0] = word[1] = 0;
    memcpy(word, bytes, size);
    return mix(mix(a ^ word[0]) * UINT64_C(0x9FB21C651E98DF25) + mix(b + word[1]));
}

static void place(struct seen *s, uint32_t number)
{
    uint32_t at = (uint32_t)s->states[number].print & s->mask;
    while (s->places[at] != SEEN_NONE)
        at = (at + 1) & s->mask;
    s->places[at] = number;
}

static void grow(struct seen *s)
{
    s->capacity *= 2;
    s->mask = 2 * s->capacity - 1;
    s->states = base_realloc(s->states, sizeof *s->states * s->capacity);
    s->places = base_realloc(s->places, sizeof *s->places * ((size_t)s->mask + 1));
    memset(s->places, 0xff, sizeof *s->places * ((size_t)s->mask + 1));
    for (uint32_t i = 0; i < s->count; i++)
        place(s, i);
}

uint32_t seen_add(struct seen *s, const uint8_t *bytes, uint32_t size, bool *is_new)
{
    uint64_t print = fingerprint(bytes, size);
    uint32_t at = (uint32_t)print & s->mask;
    for (; s->places[at] != SEEN_NONE; at = (at + 1) & s->mask)
        if (s->states[s->places[at]].print == print) {
            *is_new = false;
            return s->places[at];
        }
    *is_new = true;
    if (s->count == s->capacity)
        grow(s);
    s->states[s->count] = (struct seen_state){.print = print, .parent = SEEN_NONE, .onwards = SEEN_NONE};
    place(s, s->count);
    return s->count++;
}

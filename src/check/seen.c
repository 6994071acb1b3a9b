/* A hash table of fingerprints, whose entries also say how each state was come to (seen.h). */
#include "check/seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

#define FIRST_STATES 4096u

#define STATE_BYTES (sizeof(uint64_t) + 2 * sizeof(uint32_t) + sizeof(uint16_t))

static void make_room(struct seen *s, uint32_t capacity)
{
    s->capacity = capacity;
    s->print = base_realloc(s->print, sizeof *s->print * capacity);
    s->parent = base_realloc(s->parent, sizeof *s->parent * capacity);
    s->onwards = base_realloc(s->onwards, sizeof *s->onwards * capacity);
    s->event = base_realloc(s->event, sizeof *s->event * capacity);
}

static void make_places(struct seen *s, uint32_t count)
{
    s->mask = count - 1;
    s->places = base_realloc(s->places, sizeof *s->places * count);
    memset(s->places, 0xff, sizeof *s->places * count);
}

void seen_init(struct seen *s)
{
    *s = (struct seen){0};
    make_room(s, FIRST_STATES);
    make_places(s, 2 * FIRST_STATES);
}

void seen_free(struct seen *s)
{
    free(s->print);
    free(s->parent);
    free(s->onwards);
    free(s->event);
    free(s->places);
}

uint64_t seen_bytes(const struct seen *s)
{
    return (uint64_t)s->capacity * STATE_BYTES + ((uint64_t)s->mask + 1) * sizeof *s->places;
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
    uint64_t a = hash_spread(size), b = UINT64_C(0xC2B2AE3D27D4EB4F), word[2];
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
    uint32_t at = (uint32_t)s->print[number] & s->mask;
    while (s->places[at] != SEEN_NONE)
        at = (at + 1) & s->mask;
    s->places[at] = number;
}

/* A fifth at least of the places is free, and there is room for a quarter more states at most. */
static void grow(struct seen *s)
{
    if (s->count == s->capacity)
        make_room(s, s->capacity + s->capacity / 4);
    if (s->count < (uint64_t)(s->mask + UINT64_C(1)) * 4 / 5)
        return;
    make_places(s, 2 * (s->mask + 1));
    for (uint32_t i = 0; i < s->count; i++)
        place(s, i);
}

uint32_t seen_add(struct seen *s, const uint8_t *bytes, uint32_t size, bool *is_new)
{
    uint64_t print = fingerprint(bytes, size);
    uint32_t at = (uint32_t)print & s->mask;
    for (; s->places[at] != SEEN_NONE; at = (at + 1) & s->mask)
        if (s->print[s->places[at]] == print) {
            *is_new = false;
            return s->places[at];
        }
    *is_new = true;
    grow(s);
    s->print[s->count] = print;
    s->parent[s->count] = s->onwards[s->count] = SEEN_NONE;
    s->event[s->count] = 0;
    place(s, s->count);
    return s->count++;
}

/* A hash table with linear probing, at most three quarters full; and the nearest of some words, for error messages. */
#include "base/strmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

struct strmap_slot {
    const char *key; /* NULL: free */
    size_t length;
    uint64_t hash;
    uint32_t value;
};

static struct strmap_slot *strmap_find(const struct strmap *map, const char *key, size_t n, uint64_t hash)
{
    for (uint32_t i = (uint32_t)hash & (map->capacity - 1);; i = (i + 1) & (map->capacity - 1)) {
        struct strmap_slot *slot = &map->slots[i];
        if (!slot->key || (slot->hash == hash && slot->length == n && !memcmp(slot->key, key, n)))
            return slot;
    }
}

static void strmap_grow(struct strmap *map)
{
    struct strmap old = *map;
    map->capacity = old.capacity ? 2 * old.capacity : 64;
    map->slots = base_calloc(map->capacity, sizeof *map->slots);
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.slots[i].key)
            *strmap_find(map, old.slots[i].key, old.slots[i].length, old.slots[i].hash) = old.slots[i];
    free(old.slots);
}

void strmap_put(struct strmap *map, const char *key, size_t n, uint32_t value)
{
    if (4 * (map->count + 1) > 3 * map->capacity)
        strmap_grow(map);
    uint64_t hash = hash_bytes(key, n);
    struct strmap_slot *slot = strmap_find(map, key, n, hash);
    map->count += !slot->key;
    *slot = (struct strmap_slot){key, n, hash, value};
}

uint32_t strmap_get(const struct strmap *map, const char *key, size_t n)
{
    if (!map->capacity)
        return STRMAP_NONE;
    const struct strmap_slot *slot = strmap_find(map, key, n, hash_bytes(key, n));
    return slot->key ? slot->value : STRMAP_NONE;
}

void strmap_free(struct strmap *map)
{
    free(map->slots);
    *map = (struct strmap){0};
}

unsigned str_distance(const char *a, const char *b)
{
    enum { LIMIT = 64 };
    size_t n = strlen(a), m = strlen(b);
    if (n > LIMIT || m > LIMIT)
        return 99;
    unsigned row[LIMIT + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned substitute = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            unsigned insert = row[j - 1] + 1, delete = row[j] + 1;
            row[j] = substitute < insert ? substitute : insert;
            row[j] = row[j] < delete ? row[j] : delete;
        }
    }
    return row[m];
}

const char *str_nearest(const char *word, const char *const *candidates)
{
    const char *best = NULL;
    unsigned best_distance = (unsigned)strlen(word) / 3 + 2;
    for (; *candidates; candidates++) {
        unsigned d = str_distance(word, *candidates);
        if (d < best_distance) {
            best = *candidates;
            best_distance = d;
        }
    }
    return best;
}

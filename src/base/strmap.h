/* A map from strings to 32-bit indices. Lookup is hashed; nothing iterates over it, so hash order never shows. Keys are not
 * copied: they must outlive the map. */
#ifndef LOCKSTEP_BASE_STRMAP_H
#define LOCKSTEP_BASE_STRMAP_H

#include <stddef.h>
#include <stdint.h>

struct strmap_slot;

struct strmap {
    struct strmap_slot *slots;
    uint32_t count, capacity;
};

#define STRMAP_NONE UINT32_MAX

/* Binds key (n bytes) to value, replacing an older binding. */
void strmap_put(struct strmap *map, const char *key, size_t n, uint32_t value);
/* The value bound to key, or STRMAP_NONE. */
uint32_t strmap_get(const struct strmap *map, const char *key, size_t n);
void strmap_free(struct strmap *map);

/* Edit distance between two words, for "did you mean"; capped at 99. */
unsigned str_distance(const char *a, const char *b);
/* The candidate (of a NULL-terminated list) nearest to word, or NULL when none is near enough to suggest. */
const char *str_nearest(const char *word, const char *const *candidates);

#endif

/* Arenas: memory that is freed all at once. A module, a machine and a launch each own one; nothing in the step loop
 * allocates. Memory comes zeroed, so a structure that was never written has one known content. */
#ifndef LOCKSTEP_BASE_ARENA_H
#define LOCKSTEP_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t bytes;               /* handed out so far */
    bool closed;                /* threads share its owner's units: none of them may take memory here (a contract) */
    struct arena *outer;        /* where it takes its chunks while that is not closed, or NULL */
};

void arena_init(struct arena *arena);
/* An arena whose first `bytes` lie in `outer`, and whatever else it takes while `outer` is not closed. `outer` must be
 * freed after it. */
void arena_init_within(struct arena *arena, struct arena *outer, size_t bytes);
/* The next objects of up to `bytes` together, alignment included, come from one piece, which is taken now if need be.
 */
void arena_reserve(struct arena *arena, size_t bytes);
/* Frees everything the arena handed out; the arena is empty and usable afterwards. */
void arena_free(struct arena *arena);
/* `size` zeroed bytes aligned to `align` (a power of two, at most 4096). Never NULL: running out of memory aborts. */
void *arena_alloc(struct arena *arena, size_t size, size_t align);
/* A NUL-terminated copy of the first n bytes of s. */
char *arena_strndup(struct arena *arena, const char *s, size_t n);
char *arena_strdup(struct arena *arena, const char *s);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `n` zeroed objects of `type`. */
#define ARENA_NEW(arena, type, n) ((type *)arena_alloc((arena), sizeof(type) * (size_t)(n), _Alignof(type)))

/* Asks the host to back memory that was mapped and not yet touched with huge pages. It may decline. */
void base_huge_pages(void *start, size_t bytes);

/* malloc, realloc that abort when memory runs out: for the few objects whose life is not an arena's. */
void *base_malloc(size_t size);
void *base_calloc(size_t n, size_t size);
void *base_realloc(void *old, size_t size);
/* The old_bytes of old, freed, in a new block of `bytes`, the rest zero. The block has its cache lines (pairs of them)
 * to itself, so that what one thread writes there does not slow another. */
void *base_grow_apart(void *old, size_t old_bytes, size_t bytes);
/* As base_grow_apart, but old is not freed. */
void *base_copy_apart(const void *old, size_t old_bytes, size_t bytes);

#endif

/* An arena is a list of chunks, the newest first. A piece for which the newest has no room begins a new chunk, so
 * pieces never move. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/check.h"

#define CHUNK_BYTES ((size_t)64 * 1024)
/* An arena that has handed out so much goes on in the host's huge pages: what a simulated device consists of is met in
 * no order, and a page of the usual size for each of its parts is more than the host's address translation remembers.
 */
#define SMALL_ARENA ((size_t)512 * 1024)
#define HUGE_PAGE ((size_t)2 * 1024 * 1024)

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, size; /* of bytes */
    size_t mapped;     /* bytes of whole huge pages, this header included; 0: it lies where malloc put it */
    bool lent;         /* it lies in another arena */
    max_align_t bytes[];
};

void *base_malloc(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p)
        abort(); /* the one answer to exhausted memory: nothing above could continue */
    return p;
}

void *base_calloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        abort();
    return p;
}

void *base_realloc(void *old, size_t size)
{
    void *p = realloc(old, size ? size : 1);
    if (!p)
        abort();
    return p;
}

void *base_copy_apart(const void *old, size_t old_bytes, size_t bytes)
{
    char *p = aligned_alloc(128, (bytes + 127) / 128 * 128);
    if (!p)
        abort();
    if (old_bytes)
        memcpy(p, old, old_bytes);
    memset(p + old_bytes, 0, bytes - old_bytes);
    return p;
}

void *base_grow_apart(void *old, size_t old_bytes, size_t bytes)
{
    void *p = base_copy_apart(old, old_bytes, bytes);
    free(old);
    return p;
}

void arena_init(struct arena *arena)
{
    *arena = (struct arena){0};
}

void arena_free(struct arena *arena)
{
    for (struct arena_chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        if (c->mapped)
            munmap(c, c->mapped);
        else if (!c->lent)
            free(c);
    }
    *arena = (struct arena){0};
}

/* Zeroed memory that begins at a huge page and that the host may back with huge pages. */
static void *map_huge(size_t bytes)
{
    char *map = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        abort();
    size_t before = -(uintptr_t)map % HUGE_PAGE;
    if (before)
        munmap(map, before);
    munmap(map + before + bytes, HUGE_PAGE - before);
    base_huge_pages(map + before, bytes);
    return map + before;
}

void base_huge_pages(void *start, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    madvise(start, bytes, MADV_HUGEPAGE);
#else
    (void)start, (void)bytes;
#endif
}

/* A chunk of `bytes` within another arena. */
static struct arena_chunk *chunk_within(struct arena *outer, size_t bytes)
{
    struct arena_chunk *c = arena_alloc(outer, sizeof *c + bytes, 128);
    c->size = bytes;
    c->lent = true;
    return c;
}

/* A chunk with room for `bytes`, in huge pages if the arena has become large: then as large as all that it has, which
 * costs nothing before it is touched. */
static struct arena_chunk *new_chunk(const struct arena *arena, size_t bytes)
{
    if (arena->outer && !arena->outer->closed)
        return chunk_within(arena->outer, bytes);
    size_t size = sizeof(struct arena_chunk) + bytes, mapped = 0;
    if (size < bytes || size > SIZE_MAX - HUGE_PAGE)
        abort();
    if (!arena->outer && arena->bytes + bytes > SMALL_ARENA)
        size = mapped = round_up_u64(size > arena->bytes ? size : arena->bytes, HUGE_PAGE);
    struct arena_chunk *c = mapped ? map_huge(mapped) : base_calloc(1, size);
    c->size = size - sizeof *c;
    c->mapped = mapped;
    return c;
}

void arena_init_within(struct arena *arena, struct arena *outer, size_t bytes)
{
    *arena = (struct arena){.chunks = chunk_within(outer, bytes), .outer = outer};
}

/* Offset into the chunk at which `size` bytes fit aligned, or SIZE_MAX. */
static size_t chunk_fit(const struct arena_chunk *c, size_t size, size_t align)
{
    uintptr_t base = (uintptr_t)c->bytes;
    size_t offset = (size_t)(((base + c->used + align - 1) & ~(uintptr_t)(align - 1)) - base);
    return offset <= c->size && size <= c->size - offset ? offset : SIZE_MAX;
}

void arena_reserve(struct arena *arena, size_t bytes)
{
    contract(!arena->closed);
    if (arena->chunks && arena->chunks->size - arena->chunks->used >= bytes)
        return;
    struct arena_chunk *c = new_chunk(arena, bytes);
    c->next = arena->chunks;
    arena->chunks = c;
}

void *arena_alloc(struct arena *arena, size_t size, size_t align)
{
    contract(!arena->closed);
    struct arena_chunk *c = arena->chunks;
    size_t offset = c ? chunk_fit(c, size, align) : SIZE_MAX;
    if (offset == SIZE_MAX) {
        size_t want = size > CHUNK_BYTES / 4 ? size + align : CHUNK_BYTES;
        if (want < size)
            abort();
        c = new_chunk(arena, want);
        /* A chunk made for one large object goes behind the current one, which still has room. */
        if (arena->chunks && want != CHUNK_BYTES && !c->mapped) {
            c->next = arena->chunks->next;
            arena->chunks->next = c;
        } else {
            c->next = arena->chunks;
            arena->chunks = c;
        }
        offset = chunk_fit(c, size, align);
    }
    c->used = offset + size;
    arena->bytes += size;
    return (char *)c->bytes + offset;
}

char *arena_strndup(struct arena *arena, const char *s, size_t n)
{
    char *copy = arena_alloc(arena, n + 1, 1);
    if (n)
        memcpy(copy, s, n);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *s)
{
    return arena_strndup(arena, s, strlen(s));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n < 0)
        n = 0;
    char *text = arena_alloc(arena, (size_t)n + 1, 1);
    va_start(ap, format);
    vsnprintf(text, (size_t)n + 1, format, ap);
    va_end(ap);
    return text;
}

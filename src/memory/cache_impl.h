/* The parts of a cache, for the files of a cache alone. */
#ifndef LOCKSTEP_MEMORY_CACHE_IMPL_H
#define LOCKSTEP_MEMORY_CACHE_IMPL_H

#include "base/bits.h"
#include "memory/cache.h"

#define NO_INDEX UINT32_MAX
#define NO_ADDRESS UINT64_MAX

#define LINE_SECTORS 8u

/* The state of a line is a word, from the lowest bit on:
 *     valid      8  sectors
 *     pending    8  sectors on their way
 *     extra      1  its struct line_extra may hold something
 *     order     45  when it was last used (LRU) or allocated (FIFO), 0 when empty
 *     held       1  its owner holds the place (cache_hold)
 *     reserved   1  sectors are on their way
 * So the lowest of a set is the line to be given up, and what most accesses look at is in two cache lines of the host:
 * the tags of a set and the states. */
#define LINE_PENDING_SHIFT 8
#define LINE_EXTRA BIT64(16)
#define LINE_ORDER_SHIFT 17
#define LINE_HELD BIT64(62)
#define LINE_RESERVED BIT64(63)
#define LINE_BUT_ORDER (LINE_RESERVED | LINE_HELD | (BIT64(LINE_ORDER_SHIFT) - 1))

static inline uint8_t line_valid(uint64_t state)
{
    return (uint8_t)state;
}
static inline uint8_t line_pending(uint64_t state)
{
    return (uint8_t)(state >> LINE_PENDING_SHIFT);
}

struct line_extra {
    uint64_t dirty[2]; /* bytes */
    uint64_t tag;
};

struct mshr {
    _Alignas(32) uint64_t address; /* of the line */
    uint32_t line;                 /* NO_INDEX: a stray: the fill is not kept, or finds its place when it comes */
    uint32_t value;                /* of the first waiter */
    uint32_t first, last;          /* the others */
    uint32_t next;                 /* in the strays' hash chain, then in the list of ready ones; free list */
    uint16_t count;                /* waiters */
    uint8_t sectors;
    bool orphan; /* the cache was invalidated after the request was sent */
};

struct waiter {
    uint32_t value, next;
};

/* The fields that most calls read come first and together: where many caches take turns, each of the host's cache
 * lines counts. */
struct cache {
    _Alignas(64) struct cache_head head; /* first: what owners may look at */
    uint32_t ready_last;
    uint32_t free_mshr, mshr_entries;
    uint32_t strays; /* fills under way that have no line */
    uint32_t offset_mask;
    uint32_t recent; /* the line that was last used: often the next one too */
    uint8_t line_shift, sector_shift, all_sectors;
    bool lru;  /* a use makes a line the youngest */
    bool aged; /* not always the oldest line is given up */
    uint64_t recent_at; /* its address, or NO_ADDRESS */
    uint64_t clock;     /* counts uses */
    uint64_t *states;   /* per line */
    uint64_t *tags;     /* line address per line, NO_ADDRESS when empty */
    uint16_t *fills;    /* LINE_SECTORS per line: the MSHRs of pending sectors */
    struct mshr *mshrs;
    uint32_t set_mask, ways;
    uint32_t used;       /* lines that are not empty */
    uint32_t taken;      /* the line that was given to another address last; NO_INDEX: see cache_took */
    uint64_t taken_from; /* whose it was, or NO_ADDRESS */
    enum cache_set_index set_index;
    bool on_miss;        /* lines are allocated */
    uint64_t wanted;     /* address of the held line that a refused access asked for, or NO_ADDRESS */
    struct cache_stats stats;
    uint8_t *data;             /* per line, or NULL */
    uint8_t *mshr_data;        /* per MSHR, or NULL */
    struct line_extra *extras; /* per line */
    uint32_t hash_mask;
    uint32_t *hash; /* of strays: first MSHR of a chain */
    struct waiter *waiters;
    uint32_t free_waiter;
    uint32_t new_mshrs, new_waiters, waiter_limit; /* taken at least once: the rest is not touched */
    bool timing_only;                              /* cache_set_timing_only */
    struct cache_params params;
};

/* The set that an address belongs to: its index bits, with upper ones where the cache has it so. */
static inline uint32_t set_of(const struct cache *c, uint64_t address)
{
    return cache_set_of(address, c->line_shift, c->set_mask, c->set_index);
}

/* A read that was refused may be taken now. */
static inline void forget_refusal(struct cache *c)
{
    c->head.refused_bytes = 0;
}

static inline void note_help(struct cache *c, enum cache_helper helper)
{
    if (c->head.refused_helpers & helper)
        forget_refusal(c);
}

static inline bool cache_is_dirty(const struct cache *c, uint32_t index)
{
    const struct line_extra *e = &c->extras[index];
    return (c->states[index] & LINE_EXTRA) && (e->dirty[0] | e->dirty[1]) != 0;
}

/* cache_hold.c: the line of a set that is to be given up where held lines have no better place than others, or
 * NO_INDEX; and among lines that are neither held nor dirty. */
uint32_t cache_choose_alike(const struct cache *c, uint32_t set);
uint32_t cache_choose_clean(const struct cache *c, uint32_t set);
/* With aged: an empty line, else one of the oldest of the set, as many as cache_params.aged says, by a hash of the cache's clock, among lines that are
 * neither held nor reserved (clean: nor dirty); or NO_INDEX. */
uint32_t cache_choose_aged(const struct cache *c, uint32_t set, bool clean);

#endif

/* Requests of a partition's slices to its DRAM channel. All requests of a partition lie in one pool; each is in one
 * queue at a time, from the slice's misses to the channel's return queue and back, and passes from one to the next by
 * its number alone. Private to the memory room. */
#ifndef LOCKSTEP_MEMORY_REQUEST_H
#define LOCKSTEP_MEMORY_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/check.h"
#include "memory/packet.h"

enum memory_request_kind {
    REQUEST_FILL,
    REQUEST_ALLOCATE,  /* the fill for a store that missed */
    REQUEST_WRITE,     /* a store passed down: its packet comes back as the acknowledgement */
    REQUEST_WRITEBACK, /* nobody waits for it */
};

#define REQUEST_NONE UINT32_MAX

/* Half a cache line: hundreds are under way in every partition. */
struct memory_request {
    _Alignas(32) uint64_t local; /* address in the slice */
    struct packet *packet;       /* WRITE: its own; FILL: the first that waits, or NULL */
    union {
        struct {
            uint16_t row;    /* in the DRAM */
            uint16_t number; /* 0: the DRAM channel notes it there */
            uint8_t bytes, kind, slice, bank;
        };
        uint64_t parts; /* these, as one word for the channel (dram.h) */
    };
    uint32_t next; /* in the free list */
    uint16_t fill; /* FILL, ALLOCATE: the cache's number for it */
};
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a request's row is its lowest part");

struct request_pool {
    struct memory_request *all;
    uint32_t count, free;
};

/* The numbers of requests in order, in a ring of mask + 1. */
struct request_queue {
    uint32_t *numbers;
    uint32_t first, count, mask, limit;
};

static inline struct request_pool *request_pool_create(uint32_t count, struct arena *arena)
{
    struct request_pool *pool = ARENA_NEW(arena, struct request_pool, 1);
    pool->all = ARENA_NEW(arena, struct memory_request, count);
    pool->count = count;
    for (uint32_t i = 0; i < count; i++)
        pool->all[i].next = i + 1 < count ? i + 1 : REQUEST_NONE;
    return pool;
}

/* Takes a request out of the free ones; the pool holds as many as all queues together. Its members are what they were:
 * the taker sets those that its kind has. */
static inline uint32_t request_take(struct request_pool *pool)
{
    uint32_t number = pool->free;
    contract(number != REQUEST_NONE);
    pool->free = pool->all[number].next;
    return number;
}

static inline void request_release(struct request_pool *pool, uint32_t number)
{
    pool->all[number].next = pool->free;
    pool->free = number;
}

/* A queue of at most `limit` requests; somebody who does not ask may put `more` behind them. */
static inline struct request_queue request_queue_create(uint32_t limit, uint32_t more, struct arena *arena)
{
    uint32_t size = power_from(limit + more);
    return (struct request_queue){.numbers = ARENA_NEW(arena, uint32_t, size), .mask = size - 1, .limit = limit};
}

static inline void request_append(struct request_queue *q, uint32_t number)
{
    contract(q->count <= q->mask);
    q->numbers[(q->first + q->count++) & q->mask] = number;
}

/* The oldest, when there is one; else a number that was there, good for a hint alone. */
static inline uint32_t request_oldest(const struct request_queue *q)
{
    return q->numbers[q->first & q->mask];
}

/* Takes the oldest out; only when there is one. */
static inline uint32_t request_shift(struct request_queue *q)
{
    contract(q->count);
    q->count--;
    return q->numbers[q->first++ & q->mask];
}

static inline bool request_full(const struct request_queue *q)
{
    return q->count >= q->limit;
}

/* request_archive.c: describes requests, queues for a checkpoint. fills: the cache's numbers are below. */
struct archive;
void request_pool_archive(struct archive *ar, struct request_pool *pool, uint32_t fills,
                          const struct packet_source *source);
void request_queue_archive(struct archive *ar, struct request_queue *q, const struct request_pool *pool);

#endif

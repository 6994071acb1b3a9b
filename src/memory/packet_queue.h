/* An SM's packets: rings of those under way, and the pool that they come from and return to. */
#ifndef LOCKSTEP_MEMORY_PACKET_QUEUE_H
#define LOCKSTEP_MEMORY_PACKET_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "memory/packet.h"

/* Places that hold no packet are NULL. */
struct packet_ring {
    struct packet **items;
    uint32_t head, count;
    uint32_t size; /* full with so many; one more can be put behind them: a dirty victim's write-back beside the fill */
    uint32_t mask; /* places - 1; places: a power of two, more than size */
};

void packet_ring_init(struct packet_ring *ring, unsigned size, struct arena *arena);
static inline bool packet_ring_full(const struct packet_ring *r)
{
    return r->count >= r->size;
}
/* The place of the i-th oldest. */
static inline struct packet **packet_ring_at(const struct packet_ring *r, uint32_t i)
{
    return &r->items[(r->head + i) & r->mask];
}
/* Free places. */
static inline uint32_t packet_ring_room(const struct packet_ring *r)
{
    return r->count < r->size ? r->size - r->count : 0;
}
static inline void packet_ring_push(struct packet_ring *r, struct packet *p)
{
    *packet_ring_at(r, r->count++) = p;
}
/* The oldest, or NULL. */
static inline struct packet *packet_ring_peek(const struct packet_ring *r)
{
    return r->items[r->head];
}
/* Takes the oldest of a ring that is not empty. */
static inline struct packet *packet_ring_pop(struct packet_ring *r)
{
    struct packet *p = r->items[r->head];
    r->items[r->head] = NULL;
    r->head = (r->head + 1) & r->mask;
    r->count--;
    return p;
}

static inline void packet_ring_clear(struct packet_ring *r)
{
    while (r->count)
        packet_ring_pop(r);
    r->head = 0;
}
/* packet_archive.c */
void packet_archive_ring(struct archive *ar, struct packet_ring *ring, const struct packet_source *source);
struct check;
/* Recomputes what the ring keeps (base/check.h). */
void packet_ring_check(struct packet_ring *ring, const char *name, struct check *c);

/* Packets in order, linked by next: as many as there are. */
struct packet_list {
    struct packet *first, *last;
};
static inline void packet_append(struct packet_list *list, struct packet *p)
{
    p->next = NULL;
    if (list->first)
        list->last->next = p;
    else
        list->first = p;
    list->last = p;
}
/* Takes the first of a list that has one. */
static inline struct packet *packet_shift(struct packet_list *list)
{
    struct packet *p = list->first;
    list->first = p->next;
    return p;
}

/* packet_archive.c */
void packet_archive_list(struct archive *ar, struct packet_list *list, const struct packet_source *source);

/* The packets of one SM, or of a slice. */
struct packet_pool {
    struct packet *free[PACKET_KINDS];
    uint32_t out; /* packets that are not free */
    uint32_t origin; /* packet.origin of those that are made now */
    uint16_t sm;
    bool of_any;         /* all are places for any message (union message), and the free ones lie in free[0] */
    struct arena *arena; /* from which new ones come */
};

/* Makes a packet, in a place that has room for one of its kind, a request of nobody with the fields that message.def
 * has it begin with. A line's bytes stay what they were. */
void packet_begin(struct packet *p, unsigned kind);
/* packet_begin, for the pool's SM. */
struct packet *packet_new(struct packet_pool *pool, unsigned kind);
void packet_free(struct packet_pool *pool, struct packet *p);

#endif

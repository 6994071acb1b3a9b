/* An L2 slice: the queues around one L2 bank, its tags, ports and misses. Private to the memory room; the structure is
 * here so that the partition's questions, asked every cycle, cost no call. */
#ifndef LOCKSTEP_MEMORY_SLICE_H
#define LOCKSTEP_MEMORY_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/dram.h"
#include "memory/partition.h"

/* An access: the part of a packet in one sector. */
struct slice_part {
    struct packet *packet;
    uint32_t offset, bytes; /* from the packet's first byte */
};

/* An access that waits for its fill; `next` links unused ones. */
struct slice_waiting {
    struct slice_part part;
    uint32_t next;
};

/* A part that was served. Those before the last of its packet go over the network for their own, as GPGPU-Sim's sector
 * replies do, but nobody waits for them. */
struct slice_served {
    struct packet *packet; /* NULL: not the last part */
    uint32_t bytes;        /* on the network */
    uint16_t sm;
};

/* A bounded queue: where its entries lie in an array of mask + 1. */
struct slice_ring {
    uint32_t first, count, mask, limit;
};

static inline uint32_t slice_ring_push(struct slice_ring *r)
{
    return (r->first + r->count++) & r->mask;
}

static inline uint32_t slice_ring_pop(struct slice_ring *r)
{
    r->count--;
    return r->first++ & r->mask;
}

static inline uint32_t slice_ring_top(const struct slice_ring *r)
{
    return r->first & r->mask;
}

static inline bool slice_ring_full(const struct slice_ring *r)
{
    return r->count >= r->limit;
}

struct slice {
    uint64_t next; /* as partition_next_l2, of this slice; kept by the partition */
    const struct memory_params *params;
    struct store *store;
    struct cache *cache;
    struct packet *rop_first, *rop_last; /* linked by next */
    uint32_t rop_offset;                 /* bytes of rop_first that have left the delay */
    uint32_t line_parts;                 /* sectors of a line; 1 when packets are not taken apart */
    struct slice_ring in, misses, to_dram, from_dram, out;
    struct slice_part *in_parts;
    struct memory_request *miss_requests, *dram_requests, *returned;
    struct slice_served *served;
    struct slice_waiting *waiting;      /* by waiter number */
    uint32_t free_waiter;               /* linked by next */
    uint32_t new_waiters, waiter_limit; /* taken at least once: the rest is not touched */
    uint64_t data_free_at, fill_free_at;
    uint32_t inside; /* packets */
    bool blocked;    /* the access at the head was refused and nothing has changed since */
    uint8_t number;
};

struct slice *slice_create(const struct memory_params *params, unsigned number, struct store *store,
                           struct arena *arena);
/* Whether the queue has room for all parts of a packet. */
static inline bool slice_can_push(const struct slice *s)
{
    uint32_t parts = s->line_parts < s->in.limit ? s->line_parts : s->in.limit;
    return s->in.count + parts <= s->in.limit;
}
void slice_push(struct slice *s, struct packet *packet, uint64_t local, uint64_t cycle);
static inline bool slice_reply(const struct slice *s, struct partition_reply *reply)
{
    if (s->out.count == 0)
        return false;
    const struct slice_served *r = &s->served[slice_ring_top(&s->out)];
    *reply = (struct partition_reply){r->packet, r->bytes, r->sm};
    return true;
}
static inline void slice_take_reply(struct slice *s)
{
    s->inside -= s->served[slice_ring_pop(&s->out)].packet != NULL;
}
/* One cycle of the L2's clock. */
void slice_tick(struct slice *s, uint64_t cycle);
/* As partition_next_l2; `last` is the last tick. */
uint64_t slice_next(const struct slice *s, uint64_t last);
bool slice_idle(const struct slice *s);
/* slice_archive.c: describes everything but the parameters for a checkpoint. */
struct archive;
void slice_archive(struct slice *s, struct archive *ar, const struct packet_source *source);
/* The oldest request for the DRAM, or NULL. */
static inline const struct memory_request *slice_request(const struct slice *s)
{
    return s->to_dram.count ? &s->dram_requests[slice_ring_top(&s->to_dram)] : NULL;
}
static inline void slice_take_request(struct slice *s)
{
    slice_ring_pop(&s->to_dram);
}
/* A request comes back from the DRAM. */
static inline bool slice_can_return(const struct slice *s)
{
    return !slice_ring_full(&s->from_dram);
}
static inline void slice_return(struct slice *s, const struct memory_request *request)
{
    s->returned[slice_ring_push(&s->from_dram)] = *request;
}

#endif

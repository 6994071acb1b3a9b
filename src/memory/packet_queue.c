/* Rings of packets, and the pool that makes a packet of a kind as message.def has it begin (packet_queue.h). */
#include "memory/packet_queue.h"

#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/hot.h"

static uint32_t mask_for(uint32_t size)
{
    return power_from(size + 1) - 1;
}

void packet_ring_init(struct packet_ring *ring, unsigned size, struct arena *arena)
{
    ring->mask = mask_for(size);
    ring->items = ARENA_NEW(arena, struct packet *, ring->mask + 1);
    ring->size = size;
    ring->head = ring->count = 0;
}

void packet_ring_check(struct packet_ring *r, const char *name, struct check *c)
{
    CHECK_FACT(c, "packet_ring.mask", 0, r->mask, mask_for(r->size));
    check_holds(c, name, 0, r->head <= r->mask && r->count <= r->size + 1);
    for (uint32_t i = 0; i <= r->mask; i++)
        check_holds(c, name, i, (*packet_ring_at(r, i) == NULL) == (i >= r->count));
}

/* New messages. Their heads and fields lie in one cache line. */
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    static const struct message_##name new_##name = {.packet = {.kind = PACKET_##NAME},
#define FIELD(type, name, start, most, when, pack, doc) .name = (start),
#define MESSAGE_END(NAME)                                                                                              \
    }                                                                                                                  \
    ;
#include "memory/message.def"

struct fresh {
    const void *message;
    uint32_t lines; /* cache lines that one occupies */
};
/* An odd number of cache lines: packets that lie side by side do not meet in the same few sets of the host's caches. */
static const struct fresh fresh[PACKET_KINDS] = {
#define MESSAGE(NAME, name, sender, request, reply, sent, answered, about)                                             \
    {&new_##name, (uint32_t)(sizeof new_##name / CACHE_LINE) | 1},
#include "memory/message.def"
};

static struct packet **free_of(struct packet_pool *pool, unsigned kind)
{
    return &pool->free[pool->of_any ? 0 : kind];
}

/* Heads and fields of the largest messages end in the line that begin copies. */
_Static_assert(offsetof(struct message_read, data) == CACHE_LINE && offsetof(struct message_write, data) == CACHE_LINE &&
                   offsetof(struct message_atomic, lanes) == CACHE_LINE,
               "a message's bytes or lanes stand behind one cache line");

HOT_INLINE void begin(struct packet *p, unsigned kind)
{
    memcpy(p, fresh[kind].message, CACHE_LINE);
    if (message_has_mask(kind))
        memset(packet_mask(p), 0, sizeof new_write.mask);
}

void packet_begin(struct packet *p, unsigned kind)
{
    begin(p, kind);
}

HOT struct packet *packet_new(struct packet_pool *pool, unsigned kind)
{
    struct packet **list = free_of(pool, kind), *p = *list;
    if (p)
        *list = p->next;
    else
        p = arena_alloc(pool->arena, (size_t)fresh[kind].lines * CACHE_LINE, CACHE_LINE);
    begin(p, kind);
    p->sm = pool->sm;
    p->origin = pool->origin;
    pool->out++;
    return p;
}

HOT void packet_free(struct packet_pool *pool, struct packet *p)
{
    struct packet **list = free_of(pool, p->kind);
    p->next = *list;
    *list = p;
    pool->out--;
}

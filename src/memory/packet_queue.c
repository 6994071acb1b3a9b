#include "memory/packet_queue.h"

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

HOT struct packet *packet_new(struct packet_pool *pool)
{
    struct packet *p = pool->free;
    if (p)
        pool->free = p->next;
    else
        p = ARENA_NEW(pool->arena, struct packet, 1);
    p->is_reply = false;
    p->order = p->scope = 0;
    p->no_return = false;
    p->performed = p->cleared = p->at_home = false;
    p->asked = p->lock = p->queued = p->accepted = 0;
    p->lane_count = 0;
    p->mask[0] = p->mask[1] = 0;
    p->next = NULL;
    p->sm = pool->sm;
    pool->out++;
    return p;
}

HOT void packet_free(struct packet_pool *pool, struct packet *p)
{
    p->next = pool->free;
    pool->free = p;
    pool->out--;
}

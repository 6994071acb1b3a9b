#include "memory/packet_queue.h"

#include "base/hot.h"

void packet_ring_init(struct packet_ring *ring, unsigned size, struct arena *arena)
{
    ring->places = size + 1;
    ring->items = ARENA_NEW(arena, struct packet *, ring->places);
    ring->size = size;
    ring->head = ring->count = 0;
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
    p->asked = 0;
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

/* Lines whose place an owner holds: those that an L1 has registered at this cache, an L2 slice's. */
#include "memory/cache_impl.h"

uint32_t cache_choose_alike(const struct cache *c, uint32_t set)
{
    uint32_t first = set * c->ways, best = NO_INDEX;
    for (uint32_t i = first; i < first + c->ways; i++)
        if (!(c->states[i] & LINE_RESERVED) &&
            (best == NO_INDEX || (c->states[i] & ~LINE_HELD) < (c->states[best] & ~LINE_HELD)))
            best = i;
    return best;
}

void cache_hold(struct cache *c, uint64_t address, bool held)
{
    uint32_t index;
    cache_find(c, address, 1, &index);
    if (index == NO_INDEX)
        return; /* the cache was emptied meanwhile */
    c->states[index] = held ? c->states[index] | LINE_HELD : c->states[index] & ~LINE_HELD;
    note_help(c, CACHE_HELP_FILL);
}

bool cache_holds(const struct cache *c, uint64_t address)
{
    uint32_t index;
    cache_find(c, address, 1, &index);
    return index != NO_INDEX && (c->states[index] & LINE_HELD);
}

uint64_t cache_wanted(struct cache *c)
{
    uint64_t wanted = c->wanted;
    c->wanted = NO_ADDRESS;
    return wanted;
}

bool cache_took(struct cache *c, uint32_t *line, uint64_t *from)
{
    *line = c->taken;
    *from = c->taken_from;
    c->taken = NO_INDEX;
    return *line != NO_INDEX;
}

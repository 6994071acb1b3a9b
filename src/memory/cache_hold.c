/* Lines whose place an owner holds: those that an L1 has registered at this cache, an L2 slice's. And other choices and
 * questions that few accesses come to. */
#include "base/check.h"
#include "base/hash.h"
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

/* The line of the set that comes next behind state `after` by age, if it may be given up; clean: only if it is that. */
static uint32_t next_oldest(const struct cache *c, uint32_t set, uint64_t after, bool clean)
{
    uint32_t first = set * c->ways, best = NO_INDEX;
    for (uint32_t i = first; i < first + c->ways; i++)
        if (c->states[i] > after && c->states[i] < (best == NO_INDEX ? LINE_HELD : c->states[best]) &&
            !(clean && cache_is_dirty(c, i)))
            best = i;
    return best;
}

uint32_t cache_choose_aged(const struct cache *c, uint32_t set, bool clean)
{
    uint32_t old = (c->ways * c->params.aged + 99) / 100, more = hash_place(c->clock) % old, best = NO_INDEX;
    for (uint32_t i = set * c->ways; i < (set + 1) * c->ways; i++)
        if (c->tags[i] == NO_ADDRESS && !(c->states[i] & LINE_RESERVED))
            return i;
    for (uint32_t next; (next = next_oldest(c, set, best == NO_INDEX ? 0 : c->states[best], clean)) != NO_INDEX; more--) {
        best = next;
        if (!more)
            break;
    }
    return best;
}

uint32_t cache_choose_clean(const struct cache *c, uint32_t set)
{
    if (c->aged)
        return cache_choose_aged(c, set, true);
    uint32_t first = set * c->ways, best = NO_INDEX;
    for (uint32_t i = first; i < first + c->ways; i++)
        if (!cache_is_dirty(c, i) && !(c->states[i] & LINE_HELD) &&
            c->states[i] < (best == NO_INDEX ? LINE_RESERVED : c->states[best]))
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

uint32_t cache_ways_in(const struct cache *c, uint64_t bytes)
{
    uint64_t ways = bytes / ((uint64_t)c->params.sets * c->params.line_bytes);
    return ways > c->params.ways ? c->params.ways : ways ? (uint32_t)ways : 1;
}

void cache_set_ways(struct cache *c, uint32_t ways)
{
    contract(ways && ways <= c->params.ways && !cache_has_pending(c));
    if (ways == c->ways)
        return;
    cache_invalidate_all(c);
    c->ways = ways;
}

void cache_set_timing_only(struct cache *c)
{
    c->timing_only = true;
}

void cache_refresh(struct cache *c, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                   void *context)
{
    uint32_t lines = c->data && c->used ? c->params.sets * c->ways : 0;
    for (uint32_t i = 0; i < lines; i++)
        if (c->tags[i] != NO_ADDRESS && !cache_is_dirty(c, i))
            read(context, c->tags[i], cache_data(c, i), c->params.line_bytes);
}

bool cache_still_holds(const struct cache *c, uint32_t line, uint64_t address)
{
    return line != NO_INDEX && c->tags[line] == (address & ~(uint64_t)c->offset_mask);
}

/* Recomputes what a cache keeps although it follows from its lines and fills (base/check.h). Fills under way are the
 * MSHRs that are neither free nor ready. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/check.h"
#include "memory/cache_impl.h"

enum mshr_place { UNDER_WAY, READY, FREE };

struct found {
    uint8_t *place;   /* of each MSHR: enum mshr_place */
    uint8_t *pending; /* of each line: sectors */
    uint32_t free, strays, waiters;
};

static uint32_t line_count(const struct cache *c)
{
    return c->params.sets * c->params.ways;
}

/* Marks the MSHRs of a list; returns how many, and which ends it. Lists are bounded: they may have been broken. */
static uint32_t mark_list(const struct cache *c, struct found *f, uint32_t i, enum mshr_place place, uint32_t *last)
{
    uint32_t count = 0;
    for (*last = NO_INDEX; i < c->new_mshrs && count < c->new_mshrs; i = c->mshrs[i].next, count++) {
        f->place[i] = (uint8_t)place;
        *last = i;
    }
    return count;
}

static void check_mshr(struct cache *c, struct check *check, struct found *f, uint32_t i)
{
    struct mshr *m = &c->mshrs[i];
    uint32_t w = m->first, last = w;
    f->waiters += m->count - 1u;
    for (uint32_t k = 2; k < m->count && w < c->new_waiters; k++)
        last = w = c->waiters[w].next;
    if (m->count > 1)
        CHECK_FACT(check, "cache.mshr.last", i, m->last, last);
    if (f->place[i] != UNDER_WAY)
        return;
    f->strays += m->line == NO_INDEX;
    if (m->line >= line_count(c))
        return;
    f->pending[m->line] |= m->sectors;
    check_holds(check, "cache.mshr.line", i, c->tags[m->line] == m->address && !m->orphan);
    for (uint64_t rest = m->sectors; rest; rest &= rest - 1)
        CHECK_FACT(check, "cache.fills", m->line, c->fills[(size_t)m->line * LINE_SECTORS + mask_first(rest)], i);
}

/* Strays are those under way that the hash knows. */
static uint32_t hashed_strays(const struct cache *c, const struct found *f)
{
    uint32_t count = 0;
    for (uint32_t bucket = 0; bucket <= c->hash_mask; bucket++)
        for (uint32_t i = c->hash[bucket]; i < c->new_mshrs && count <= c->new_mshrs; i = c->mshrs[i].next)
            count += f->place[i] == UNDER_WAY && c->mshrs[i].line == NO_INDEX;
    return count;
}

static void check_mshrs(struct cache *c, struct check *check, struct found *f)
{
    uint32_t last, free_waiters = 0;
    f->free = mark_list(c, f, c->free_mshr, FREE, &last);
    mark_list(c, f, c->head.ready_first, READY, &last);
    if (last != NO_INDEX)
        CHECK_FACT(check, "cache.ready_last", 0, c->ready_last, last);
    for (uint32_t i = 0; i < c->new_mshrs; i++)
        if (f->place[i] != FREE)
            check_mshr(c, check, f, i);
    CHECK_FACT(check, "cache.used_mshrs", 0, c->head.used_mshrs, c->new_mshrs - f->free);
    CHECK_FACT(check, "cache.strays", 0, c->strays, f->strays);
    check_holds(check, "cache.hash", 0, hashed_strays(c, f) == f->strays);
    for (uint32_t w = c->free_waiter; w < c->waiter_limit && free_waiters <= c->waiter_limit; w = c->waiters[w].next)
        free_waiters++;
    CHECK_FACT(check, "cache.new_waiters", 0, c->new_waiters, free_waiters + f->waiters);
}

static bool is_used(const struct line_extra *extra)
{
    return extra->dirty[0] | extra->dirty[1] | extra->tag;
}

static void check_lines(struct cache *c, struct check *check, const struct found *f)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < line_count(c); i++) {
        uint64_t *state = &c->states[i];
        bool empty = c->tags[i] == NO_ADDRESS;
        used += !empty;
        check_bits(check, "cache.line.pending", i, state, sizeof *state, UINT64_C(0xff) << LINE_PENDING_SHIFT,
                   (uint64_t)f->pending[i] << LINE_PENDING_SHIFT);
        check_bits(check, "cache.line.reserved", i, state, sizeof *state, LINE_RESERVED,
                   f->pending[i] ? LINE_RESERVED : 0);
        check_holds(check, "cache.line.order", i, (*state & ~LINE_BUT_ORDER) >> LINE_ORDER_SHIFT <= c->clock);
        check_holds(check, "cache.line.extra", i, *state & LINE_EXTRA || !is_used(&c->extras[i]));
        if (empty)
            CHECK_FACT(check, "cache.line.empty", i, *state, 0);
    }
    CHECK_FACT(check, "cache.used", 0, c->used, used);
    if (c->recent_at != NO_ADDRESS)
        CHECK_FACT(check, "cache.recent_at", 0, c->recent_at, c->recent < line_count(c) ? c->tags[c->recent] : 0);
}

/* The fill under way that brings one of the sectors of a line, or NULL. */
static const struct mshr *fill_under_way(const struct cache *c, const struct found *f, uint64_t at, uint8_t sectors)
{
    for (uint32_t i = 0; i < c->new_mshrs; i++)
        if (f->place[i] == UNDER_WAY && c->mshrs[i].address == at && c->mshrs[i].sectors & sectors)
            return &c->mshrs[i];
    return NULL;
}

/* Some line of the set that the address belongs to can be given up. */
static bool has_victim(const struct cache *c, uint64_t at)
{
    uint32_t first = set_of(c, at) * c->ways;
    for (uint32_t i = first; i < first + c->ways; i++)
        if (!(c->states[i] & LINE_RESERVED))
            return true;
    return false;
}

/* A read that was refused: where it reads, and what it would find now. */
struct refused {
    uint64_t at; /* the line */
    uint8_t wanted, valid;
    const struct mshr *fill; /* that brings some of the sectors that it lacks, or NULL */
};

/* True: its fill leaves some sector to another fill; or has no line, which keeps those that are there. */
static bool lacks_more(const struct refused *r)
{
    uint8_t missing = r->wanted & (uint8_t)~r->valid;
    return r->fill && ((r->fill->line == NO_INDEX ? r->wanted : missing) & ~r->fill->sectors);
}

/* Where the cache splits reads, the first of its sectors that one fill brings, or none does, are read alone. */
static void take_first_part(const struct cache *c, const struct found *f, struct refused *r)
{
    uint8_t part = r->wanted & -r->wanted;
    r->fill = fill_under_way(c, f, r->at, part);
    for (uint8_t bit = (uint8_t)(part << 1); r->wanted & bit; bit = (uint8_t)(bit << 1)) {
        if (fill_under_way(c, f, r->at, bit) != r->fill)
            break;
        part |= bit;
    }
    r->wanted = part;
}

static struct refused last_refused(const struct cache *c, const struct found *f, uint32_t line)
{
    uint64_t address = c->head.refused_address;
    struct refused r = {.at = address & ~(uint64_t)c->offset_mask};
    uint32_t offset = (uint32_t)(address - r.at), last = (offset + c->head.refused_bytes - 1) >> c->sector_shift;
    for (uint32_t s = offset >> c->sector_shift; s <= last; s++)
        r.wanted |= (uint8_t)(1u << s);
    r.wanted &= c->all_sectors;
    r.valid = line < line_count(c) ? line_valid(c->states[line]) : 0;
    r.fill = fill_under_way(c, f, r.at, r.wanted & (uint8_t)~r.valid);
    return r;
}

/* The counter of the reason for which the read that was refused last would be refused now, or NULL. */
static const uint64_t *reason_to_refuse(const struct cache *c, const struct found *f)
{
    uint32_t line = 0;
    while (line < line_count(c) && c->tags[line] != (c->head.refused_address & ~(uint64_t)c->offset_mask))
        line++;
    struct refused r = last_refused(c, f, line);
    if (!(r.wanted & ~r.valid))
        return NULL;
    if (!c->head.refused_room)
        return &c->stats.refused_queue;
    if (c->params.split_reads && lacks_more(&r))
        take_first_part(c, f, &r);
    if (!(r.wanted & ~r.valid))
        return NULL;
    if (r.fill && (r.fill->orphan || lacks_more(&r)))
        return &c->stats.refused_mshr;
    if (r.fill)
        return r.fill->count >= c->params.mshr_merges ||
                       (c->free_waiter == NO_INDEX && c->new_waiters == c->waiter_limit)
                   ? &c->stats.refused_merge
                   : NULL;
    if (c->head.used_mshrs >= c->mshr_entries)
        return &c->stats.refused_mshr;
    return line == line_count(c) && c->on_miss && !has_victim(c, r.at) ? &c->stats.refused_line : NULL;
}

/* The read that was refused last wanted the place of a held line. Who does so waits aside, and does not ask again, so
 * the refusal may be remembered when the place can be had. */
static bool wanted_held(const struct cache *c)
{
    uint32_t first = set_of(c, c->head.refused_address) * c->ways;
    uint64_t held = 0;
    for (uint32_t i = first; i < first + c->ways; i++)
        held |= c->states[i] & LINE_HELD;
    return held && c->head.refused_reason == &c->stats.refused_line;
}

void cache_check(struct cache *c, struct check *check)
{
    struct found f = {.place = base_calloc(c->new_mshrs + 1, 1), .pending = base_calloc(line_count(c), 1)};
    struct cache_head *head = &c->head;
    check_mshrs(c, check, &f);
    check_lines(c, check, &f);
    CHECK_FACT(check, "cache.miss_room", 0, head->miss_room, c->params.miss_room);
    if (head->refused_bytes && !wanted_held(c))
        CHECK_FACT(check, "cache.refused_reason", 0, head->refused_reason, (uintptr_t)reason_to_refuse(c, &f));
    free(f.place);
    free(f.pending);
}

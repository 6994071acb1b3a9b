/* Tags, sectors, replacement and MSHRs of a set-associative cache, with the refusals of GPGPU-Sim's caches (3.2.2 and,
 * with sectors and lazy fetching, 4.0):
 *   - an access that does not hit needs room in the owner's miss queue whether or not it joins a fill;
 *   - a line being filled is reserved and never a victim; a set of reserved lines refuses;
 *   - an MSHR is held until its last waiter was taken, not only until its fill;
 *   - a store that takes a line without fetching it (lazy) makes its sector valid once all its bytes are written.
 * Left out: GPGPU-Sim lets an access join an MSHR whose line was evicted between fill and last waiter; here it sends a
 * new fill. */
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/hot.h"
#include "memory/cache_impl.h"

#define CACHE_IN_PARTS ((enum cache_result)(CACHE_REFUSED + 1)) /* nothing was done: one fill does not bring all */
#define MAX_WAITERS 65536u /* of all fills together: more than a machine's warps can have under way */

const char *const cache_replacement_choices[] = {"lru", "fifo", "aged", NULL};
const char *const cache_allocate_choices[] = {"on_miss", "on_fill", NULL};
const char *const cache_write_allocate_choices[] = {"none", "fetch", "lazy", NULL};
const char *const cache_set_index_choices[] = {"linear", "hashed", "folded", NULL};

#include "memory/cache_defaults_l1d.h"
const struct param_desc cache_param_descs[] = {
#define PARAM_STRUCT struct cache_params
#include "config/param_descs.h"
#include "memory/cache_params.def"
#include "memory/l1d_params.def"
#include "config/param_end.h"
};
#include "memory/cache_defaults_end.h"
const unsigned cache_param_count = sizeof(cache_param_descs) / sizeof(cache_param_descs[0]);

const struct stat_desc cache_stat_descs[] = {
#define STAT_STRUCT struct cache_stats
#include "stats/stat_descs.h"
#include "memory/cache_stats.def"
#include "stats/stat_end.h"
};
const unsigned cache_stat_count = sizeof(cache_stat_descs) / sizeof(cache_stat_descs[0]);

static void create_lists(struct cache *c, struct arena *arena)
{
    uint32_t entries = c->params.mshr_entries, buckets = power_from(2 * entries);
    uint64_t waiters = (uint64_t)entries * c->params.mshr_merges;
    if (waiters > MAX_WAITERS)
        waiters = MAX_WAITERS;
    c->hash_mask = buckets - 1;
    c->hash = ARENA_NEW(arena, uint32_t, buckets);
    memset(c->hash, 0xff, buckets * sizeof(uint32_t));
    c->mshrs = ARENA_NEW(arena, struct mshr, entries);
    c->waiters = ARENA_NEW(arena, struct waiter, waiters);
    c->waiter_limit = (uint32_t)waiters;
    c->free_mshr = c->free_waiter = NO_INDEX;
    c->head.ready_first = c->ready_last = NO_INDEX;
}

struct cache *cache_create(const struct cache_params *params, bool with_data, struct arena *arena)
{
    struct cache *c = ARENA_NEW(arena, struct cache, 1);
    uint32_t lines = params->sets * params->ways;
    c->params = *params;
    c->head.miss_room = params->miss_room;
    c->line_shift = (uint8_t)__builtin_ctz(params->line_bytes);
    c->sector_shift = (uint8_t)__builtin_ctz(params->sector_bytes);
    if (c->sector_shift > c->line_shift)
        c->sector_shift = c->line_shift;
    if (c->line_shift >= 3 && c->sector_shift < c->line_shift - 3)
        c->sector_shift = (uint8_t)(c->line_shift - 3);
    c->all_sectors = (uint8_t)mask_low(1u << (c->line_shift - c->sector_shift));
    c->offset_mask = params->line_bytes - 1;
    c->ways = params->ways;
    c->set_index = params->set_index;
    c->lru = params->replacement != CACHE_FIFO;
    c->aged = params->replacement == CACHE_AGED;
    c->on_miss = params->allocate == CACHE_ALLOCATE_ON_MISS;
    c->mshr_entries = params->mshr_entries;
    c->recent_at = c->wanted = NO_ADDRESS;
    c->taken = NO_INDEX;
    c->head.holds_last = true;
    c->set_mask = params->sets - 1;
    c->tags = arena_alloc(arena, lines * sizeof(uint64_t), CACHE_LINE);
    memset(c->tags, 0xff, lines * sizeof(uint64_t));
    c->states = arena_alloc(arena, lines * sizeof(uint64_t), CACHE_LINE);
    c->fills = ARENA_NEW(arena, uint16_t, (size_t)lines * LINE_SECTORS);
    c->extras = ARENA_NEW(arena, struct line_extra, lines);
    create_lists(c, arena);
    if (with_data) {
        c->data = ARENA_NEW(arena, uint8_t, (size_t)lines * PACKET_LINE_BYTES);
        c->mshr_data = ARENA_NEW(arena, uint8_t, (size_t)params->mshr_entries * PACKET_LINE_BYTES);
    }
    return c;
}

/* Where things are */

static uint64_t line_address(const struct cache *c, uint64_t address)
{
    return address >> c->line_shift << c->line_shift;
}

/* Index of the line of the set that holds line address `at`, or NO_INDEX. */
HOT static uint32_t search_set(const struct cache *c, uint64_t at)
{
    uint32_t first = set_of(c, at) * c->ways, end = first + c->ways, i = first;
    const uint64_t *tags = c->tags;
    for (; i + 4 <= end; i += 4) { /* four at a time: mostly none is it */
        bool found = (tags[i] == at) | (tags[i + 1] == at) | (tags[i + 2] == at) | (tags[i + 3] == at);
        if (found)
            break;
    }
    for (; i < end; i++)
        if (tags[i] == at)
            return i;
    return NO_INDEX;
}

/* search_set, with a look at the line found before. */
static inline uint32_t find_line(const struct cache *c, uint64_t at)
{
    return c->recent_at == at ? c->recent : search_set(c, at);
}

static inline uint8_t sectors_of(const struct cache *c, uint64_t address, uint32_t bytes)
{
    if (c->all_sectors == 1)
        return 1;
    uint32_t offset = (uint32_t)address & c->offset_mask;
    uint32_t first = offset >> c->sector_shift, count = ((offset + bytes - 1) >> c->sector_shift) - first;
    return (uint8_t)(((2u << count) - 1) << first) & c->all_sectors;
}

/* Bit masks of bytes over a line of up to 128 bytes. */
static inline void add_bytes(uint64_t mask[2], uint32_t from, uint32_t to)
{
    if (from < 64)
        mask[0] |= mask_low(to) & ~mask_low(from);
    if (to > 64)
        mask[1] |= mask_low(to - 64) & ~mask_low(from > 64 ? from - 64 : 0);
}

static bool covers(const uint64_t mask[2], const uint64_t part[2])
{
    return (mask[0] & part[0]) == part[0] && (mask[1] & part[1]) == part[1];
}

static uint32_t hash_of(const struct cache *c, uint64_t at)
{
    return hash_place(at >> c->line_shift) & c->hash_mask;
}

/* The MSHR of a fill under way that has no line and brings one of the sectors, or NO_INDEX. */
NOT_INLINE uint32_t find_stray(const struct cache *c, uint64_t at, uint8_t sectors)
{
    for (uint32_t i = c->hash[hash_of(c, at)]; i != NO_INDEX; i = c->mshrs[i].next)
        if (c->mshrs[i].address == at && (c->mshrs[i].sectors & sectors) != 0)
            return i;
    return NO_INDEX;
}

/* The MSHR of the first of these sectors of line `index`, while it is pending. */
static inline uint16_t *fill_of(const struct cache *c, uint32_t index, uint64_t sectors)
{
    return &c->fills[(size_t)index * LINE_SECTORS + mask_first(sectors)];
}

/* The MSHR whose fill is under way for line address `at` and one of the sectors, or NO_INDEX. index: the line, or
 * NO_INDEX. There is one MSHR at most: who misses a sector on its way joins its fill or is refused. */
static inline uint32_t find_mshr(const struct cache *c, uint64_t at, uint32_t index, uint8_t sectors)
{
    uint8_t coming = index != NO_INDEX ? line_pending(c->states[index]) & sectors : 0;
    if (coming)
        return *fill_of(c, index, coming);
    return c->strays ? find_stray(c, at, sectors) : NO_INDEX;
}

/* Lines */

static void use_line(struct cache *c, uint32_t index, uint64_t at)
{
    c->recent = index;
    c->recent_at = at;
    if (c->lru)
        c->states[index] = ++c->clock << LINE_ORDER_SHIFT | (c->states[index] & LINE_BUT_ORDER);
}

/* To be written to. */
static struct line_extra *extra_of(struct cache *c, uint32_t index)
{
    c->states[index] |= LINE_EXTRA;
    return &c->extras[index];
}

static void clear_line(struct cache *c, uint32_t index, uint64_t order)
{
    if (c->states[index] & LINE_EXTRA)
        c->extras[index] = (struct line_extra){0};
    c->states[index] = order << LINE_ORDER_SHIFT;
}

/* The line of the set that is to be given up: an empty one, else the one with the lowest order among those not
 * reserved; or NO_INDEX. */
static uint32_t choose_victim(const struct cache *c, uint32_t set)
{
    uint32_t first = set * c->ways, best = NO_INDEX;
    const uint64_t *states = &c->states[first];
    uint64_t lowest = LINE_RESERVED;
    for (uint32_t way = 0; way < c->ways; way++) {
        bool lower = states[way] < lowest;
        best = lower ? first + way : best;
        lowest = lower ? states[way] : lowest;
    }
    return best;
}

static uint8_t *mshr_data(const struct cache *c, uint32_t index)
{
    return c->mshr_data + (size_t)index * PACKET_LINE_BYTES;
}

/* Who still waits for values that line `index` holds gets them, though the line is given up. */
static inline void keep_values(struct cache *c, uint32_t index)
{
    for (uint32_t i = c->head.ready_first; i != NO_INDEX && c->data; i = c->mshrs[i].next)
        if (c->mshrs[i].line == index) {
            memcpy(mshr_data(c, i), cache_data(c, index), PACKET_LINE_BYTES);
            c->mshrs[i].line = NO_INDEX;
        }
}

static void describe_writeback(struct cache *c, uint32_t index, struct cache_effect *effect)
{
    const struct line_extra *l = &c->extras[index];
    effect->writeback = true;
    effect->writeback_address = c->tags[index];
    effect->writeback_mask[0] = l->dirty[0];
    effect->writeback_mask[1] = l->dirty[1];
    effect->writeback_tag = l->tag;
    if (c->data)
        memcpy(effect->writeback_data, c->data + (size_t)index * PACKET_LINE_BYTES, PACKET_LINE_BYTES);
    c->stats.writebacks++;
}

/* Puts line address `at` into line `index` of its set, empty of sectors; a dirty line there becomes the effect's
 * write-back. */
HOT static void take_line(struct cache *c, uint32_t index, uint64_t at, struct cache_effect *effect)
{
    if (c->tags[index] == NO_ADDRESS) {
        c->used++;
    } else {
        c->stats.evictions++;
        if (effect && cache_is_dirty(c, index))
            describe_writeback(c, index, effect);
    }
    keep_values(c, index);
    c->taken = index;
    c->taken_from = c->tags[index];
    c->tags[index] = at;
    c->recent_at = NO_ADDRESS;
    clear_line(c, index, ++c->clock);
}

/* Makes a place for line address `at`. Returns its index, or NO_INDEX when all of the set are reserved, or the one to
 * be given up is held: c->wanted then. */
HOT static uint32_t make_place(struct cache *c, uint64_t at, struct cache_effect *effect)
{
    uint32_t set = set_of(c, at);
    uint32_t index = c->head.holds_last ? choose_victim(c, set) : cache_choose_alike(c, set);
    if (RARELY(c->aged) && index != NO_INDEX && !(c->states[index] & LINE_HELD))
        index = cache_choose_aged(c, set, false);
    if (index != NO_INDEX && (c->states[index] & LINE_HELD)) {
        c->wanted = c->tags[index];
        return NO_INDEX;
    }
    if (index != NO_INDEX)
        take_line(c, index, at, effect);
    return index;
}

/* MSHRs */

static bool no_waiter(const struct cache *c)
{
    return c->free_waiter == NO_INDEX && c->new_waiters == c->waiter_limit;
}

/* Behind the first. */
static void add_waiter(struct cache *c, struct mshr *m, uint32_t value)
{
    uint32_t w = c->free_waiter;
    if (w == NO_INDEX)
        w = c->new_waiters++;
    else
        c->free_waiter = c->waiters[w].next;
    c->waiters[w] = (struct waiter){value, NO_INDEX};
    if (++m->count == 2)
        m->first = w;
    else
        c->waiters[m->last].next = w;
    m->last = w;
}

static uint32_t take_waiter(struct cache *c, struct mshr *m)
{
    contract(m->count);
    uint32_t value = m->value, w = m->first;
    if (--m->count) {
        m->value = c->waiters[w].value;
        m->first = c->waiters[w].next;
        c->waiters[w].next = c->free_waiter;
        c->free_waiter = w;
    }
    return value;
}

static void add_stray(struct cache *c, uint32_t index)
{
    struct mshr *m = &c->mshrs[index];
    uint32_t *chain = &c->hash[hash_of(c, m->address)];
    m->line = NO_INDEX;
    m->next = *chain;
    *chain = index;
    c->strays++;
}

static void remove_stray(struct cache *c, uint32_t index)
{
    uint32_t *link = &c->hash[hash_of(c, c->mshrs[index].address)];
    while (*link != index)
        link = &c->mshrs[*link].next;
    *link = c->mshrs[index].next;
    c->strays--;
}

static uint32_t new_mshr(struct cache *c)
{
    contract(c->new_mshrs < c->mshr_entries);
    uint32_t index = c->new_mshrs++;
    c->mshrs[index].first = c->mshrs[index].last = c->mshrs[index].next = NO_INDEX;
    return index;
}

/* With its first waiter. */
HOT_INLINE uint32_t take_mshr(struct cache *c, uint64_t at, uint8_t sectors, uint32_t line, uint32_t waiter)
{
    uint32_t index = c->free_mshr;
    if (index == NO_INDEX)
        index = new_mshr(c);
    else
        c->free_mshr = c->mshrs[index].next;
    struct mshr *m = &c->mshrs[index];
    m->address = at;
    m->line = line;
    m->value = waiter;
    m->count = 1;
    m->sectors = sectors;
    m->orphan = false;
    c->head.used_mshrs++;
    if (line == NO_INDEX)
        add_stray(c, index);
    return index;
}

/* helpers: enum cache_helper. */
NOT_INLINE enum cache_result refuse(struct cache *c, uint64_t *reason, uint8_t helpers)
{
    (*reason)++;
    c->head.refused_reason = reason;
    c->head.refused_helpers = helpers;
    return CACHE_REFUSED;
}

/* There is no place in the set. Where one is held, that may change at any time: it is not remembered. */
static enum cache_result refuse_line(struct cache *c)
{
    enum cache_result result = refuse(c, &c->stats.refused_line, CACHE_HELP_FILL);
    if (c->wanted != NO_ADDRESS)
        forget_refusal(c);
    return result;
}

/* True: the fill brings all that an access lacks, and what it wants besides stays until the fill has come: a fill that
 * has no line yet keeps none. */
static bool brings_all(const struct mshr *m, uint8_t wanted, uint8_t missing)
{
    return !((m->line == NO_INDEX ? wanted : missing) & ~m->sectors);
}

/* Joins the fill of `index`, if it brings all. */
HOT NOT_INLINE enum cache_result join_fill(struct cache *c, uint32_t index, bool all, uint32_t waiter,
                                           struct cache_effect *effect)
{
    struct mshr *m = &c->mshrs[index];
    if (m->orphan || !all)
        return refuse(c, &c->stats.refused_mshr, CACHE_HELP_FILL);
    if (m->count >= c->params.mshr_merges || no_waiter(c))
        return refuse(c, &c->stats.refused_merge, CACHE_HELP_FILL | CACHE_HELP_TAKEN);
    add_waiter(c, m, waiter);
    effect->line = m->line;
    if (m->line != NO_INDEX)
        use_line(c, m->line, m->address);
    return CACHE_PENDING;
}

/* Sectors of line `index` are on their way, by the MSHR. */
HOT_INLINE void await_sectors(struct cache *c, uint32_t index, uint8_t sectors, uint32_t mshr)
{
    uint64_t rest = sectors;
    do {
        *fill_of(c, index, rest) = (uint16_t)mshr;
    } while (rest &= rest - 1);
    c->states[index] |= (uint64_t)sectors << LINE_PENDING_SHIFT | LINE_RESERVED;
}

/* Requests a fill of the missing sectors into line `at`, whose place is effect->line (NO_INDEX: none yet). */
HOT_INLINE enum cache_result send_fill(struct cache *c, uint64_t at, uint8_t missing, uint32_t waiter,
                                       struct cache_effect *effect)
{
    uint32_t index = effect->line, low = mask_first(missing), count = 1;
    uint8_t span = missing;
    if (missing & (missing - 1)) {
        /* One request: a valid sector in between is fetched again. */
        count = 32 - (uint32_t)__builtin_clz(missing) - low;
        span = (uint8_t)(mask_low(count) << low);
    }
    if (c->head.used_mshrs >= c->mshr_entries)
        return refuse(c, &c->stats.refused_mshr, CACHE_HELP_TAKEN);
    if (index == NO_INDEX && c->on_miss) {
        index = make_place(c, at, effect);
        if (index == NO_INDEX)
            return refuse_line(c);
        effect->line = index;
    }
    effect->fill = take_mshr(c, at, span, index, waiter);
    effect->fill_address = at + ((uint64_t)low << c->sector_shift);
    effect->fill_bytes = count << c->sector_shift;
    if (index != NO_INDEX) {
        await_sectors(c, index, span, effect->fill);
        use_line(c, index, at);
    }
    return CACHE_MISS;
}

/* How line `index`, whose valid sectors an access asks for, is there. */
static inline enum cache_presence presence_of(const struct cache *c, uint32_t index)
{
    return c->states[index] & LINE_EXTRA ? CACHE_WRITTEN : CACHE_THERE;
}

/* The bytes of an access, from its first on, whose sectors one fill under way brings, or none does. */
static uint32_t first_part(const struct cache *c, uint64_t address, uint32_t bytes)
{
    uint64_t at = line_address(c, address);
    uint32_t index = find_line(c, at), sector = 1u << c->sector_shift, part = 0, first = NO_INDEX;
    for (uint32_t next = sector - ((uint32_t)address & (sector - 1)); part < bytes; part = next, next += sector) {
        uint32_t fill = find_mshr(c, at, index, sectors_of(c, address + part, 1));
        if (!part)
            first = fill;
        else if (fill != first)
            return part;
    }
    return bytes;
}

/* A read, or a store that fetches: it hits, joins a fill that brings all that is missing, or requests one. */
HOT_INLINE enum cache_result access_line(struct cache *c, uint64_t address, uint32_t bytes, uint32_t waiter, bool room,
                                         struct cache_effect *effect)
{
    uint64_t at = line_address(c, address);
    uint8_t wanted = sectors_of(c, address, bytes), missing = wanted;
    uint32_t index = find_line(c, at);
    effect->line = index;
    effect->writeback = false;
    if (index != NO_INDEX)
        missing &= (uint8_t)~line_valid(c->states[index]);
    if (!missing) {
        effect->presence = presence_of(c, index);
        use_line(c, index, at);
        return CACHE_HIT;
    }
    if (RARELY(!room))
        return refuse(c, &c->stats.refused_queue, CACHE_HELP_FILL);
    uint32_t under_way = find_mshr(c, at, index, missing);
    forget_refusal(c);
    effect->presence = under_way != NO_INDEX ? CACHE_COMING : CACHE_ABSENT;
    if (under_way == NO_INDEX)
        return send_fill(c, at, missing, waiter, effect);
    bool all = brings_all(&c->mshrs[under_way], wanted, missing);
    return all || !c->params.split_reads ? join_fill(c, under_way, all, waiter, effect) : CACHE_IN_PARTS;
}

NOT_INLINE enum cache_result access_part(struct cache *c, uint64_t address, uint32_t bytes, uint32_t waiter,
                                         struct cache_effect *effect)
{
    effect->bytes = first_part(c, address, bytes);
    return access_line(c, address, effect->bytes, waiter, true, effect);
}

/* Accesses */

HOT void cache_expect(const struct cache *c, uint64_t address)
{
    uint32_t first = set_of(c, address) * c->ways;
    will_read(&c->tags[first]);
    will_write(&c->states[first]);
}

/* A read that was refused is remembered; any other is counted. */
HOT enum cache_result cache_read(struct cache *c, uint64_t address, uint32_t bytes, uint32_t waiter,
                                 uint32_t queue_room, struct cache_effect *effect)
{
    bool room = queue_room >= c->head.miss_room;
    effect->bytes = bytes;
    enum cache_result result = access_line(c, address, bytes, waiter, room, effect);
    if (RARELY(result == CACHE_IN_PARTS))
        result = access_part(c, address, bytes, waiter, effect);
    if (result == CACHE_REFUSED) {
        c->head.refused_address = address;
        c->head.refused_bytes = bytes;
        c->head.refused_room = room;
        return result;
    }
    c->stats.reads++;
    if (result == CACHE_MISS)
        c->stats.read_misses++;
    else if (result == CACHE_HIT)
        c->stats.read_hits++;
    else
        c->stats.read_pending++;
    return result;
}

static enum cache_result count_write(struct cache *c, enum cache_result result)
{
    if (result == CACHE_REFUSED)
        return result;
    c->stats.writes++;
    if (result == CACHE_MISS)
        c->stats.write_misses++;
    else if (result == CACHE_HIT)
        c->stats.write_hits++;
    else
        c->stats.write_pending++;
    return result;
}

static enum cache_result fetch_line(struct cache *c, uint64_t address, uint32_t bytes, uint32_t waiter, bool room,
                                    struct cache_effect *effect)
{
    contract(!c->params.split_reads);
    forget_refusal(c);
    return count_write(c, access_line(c, address, bytes, waiter, room, effect));
}

enum cache_result cache_fetch(struct cache *c, uint64_t address, uint32_t bytes, uint32_t waiter, uint32_t queue_room,
                              struct cache_effect *effect)
{
    return fetch_line(c, address, bytes, waiter, queue_room >= c->params.miss_room + 1, effect);
}

enum cache_presence cache_find(const struct cache *c, uint64_t address, uint32_t bytes, uint32_t *line)
{
    uint64_t at = line_address(c, address);
    uint8_t missing = sectors_of(c, address, bytes);
    uint32_t index = find_line(c, at);
    *line = index;
    if (index != NO_INDEX)
        missing &= (uint8_t)~line_valid(c->states[index]);
    if (!missing)
        return presence_of(c, index);
    return find_mshr(c, at, index, missing) != NO_INDEX ? CACHE_COMING : CACHE_ABSENT;
}

/* The written bytes become dirty; sectors whose bytes are all dirty become valid. */
HOT static void make_dirty(struct cache *c, uint32_t index, uint64_t address, uint32_t bytes, const uint64_t mask[2])
{
    uint64_t *dirty = extra_of(c, index)->dirty;
    uint32_t offset = (uint32_t)address & c->offset_mask;
    if (mask[0] | mask[1]) {
        dirty[0] |= mask[0];
        dirty[1] |= mask[1];
    } else {
        add_bytes(dirty, offset, offset + bytes);
    }
    uint8_t others = c->all_sectors & (uint8_t) ~(line_valid(c->states[index]) | line_pending(c->states[index]));
    if (!others)
        return;
    for (uint64_t rest = sectors_of(c, address, bytes) & others; rest; rest &= rest - 1) {
        uint32_t sector = mask_first(rest);
        uint64_t all[2] = {0, 0};
        add_bytes(all, sector << c->sector_shift, (sector + 1) << c->sector_shift);
        if (covers(dirty, all))
            c->states[index] |= BIT64(sector);
    }
}

/* A store that keeps its bytes in a line without fetching the rest. */
static enum cache_result write_lazily(struct cache *c, uint64_t address, uint32_t bytes, const uint64_t mask[2],
                                      uint32_t queue_room, struct cache_effect *effect)
{
    uint64_t at = line_address(c, address);
    uint32_t index = find_line(c, at);
    uint8_t need = sectors_of(c, address, bytes);
    effect->writeback = false;
    effect->line = index;
    bool there = index != NO_INDEX && (need & ~line_valid(c->states[index])) == 0;
    bool pending = index != NO_INDEX && !there && (need & line_pending(c->states[index])) != 0;
    forget_refusal(c);
    if (!there && queue_room == 0)
        return refuse(c, &c->stats.refused_queue, 0);
    if (index == NO_INDEX) {
        index = make_place(c, at, effect);
        if (index == NO_INDEX)
            return refuse(c, &c->stats.refused_line, 0);
        effect->line = index;
    }
    use_line(c, index, at);
    make_dirty(c, index, address, bytes, mask);
    effect->presence = there ? CACHE_THERE : pending ? CACHE_COMING : CACHE_ABSENT;
    count_write(c, there ? CACHE_HIT : pending ? CACHE_PENDING : CACHE_MISS);
    return CACHE_HIT;
}

HOT enum cache_result cache_write(struct cache *c, uint64_t address, uint32_t bytes, const uint64_t mask[2], bool fetch,
                                  uint32_t waiter, uint32_t queue_room, struct cache_effect *effect)
{
    if (!fetch)
        return write_lazily(c, address, bytes, mask, queue_room, effect);
    enum cache_result result = fetch_line(c, address, bytes, waiter, queue_room >= c->params.miss_room, effect);
    if (result != CACHE_REFUSED && effect->line != CACHE_NO_LINE)
        make_dirty(c, effect->line, address, bytes, mask);
    return result;
}

/* Fills under way for line address `at`, which is in line `index` or (NO_INDEX) in none, still serve those who wait,
 * but are not kept and nobody joins them. Who waits for some sectors may want others that the line has: they are kept
 * for it. */
static void orphan_fills(struct cache *c, uint64_t at, uint32_t index)
{
    forget_refusal(c);
    for (uint64_t rest = index != NO_INDEX ? line_pending(c->states[index]) : 0; rest; rest &= rest - 1) {
        uint32_t fill = *fill_of(c, index, rest);
        if (c->mshrs[fill].line == NO_INDEX)
            continue;
        add_stray(c, fill);
        if (c->data)
            memcpy(mshr_data(c, fill), cache_data(c, index), PACKET_LINE_BYTES);
    }
    for (uint32_t i = c->hash[hash_of(c, at)]; i != NO_INDEX; i = c->mshrs[i].next)
        if (c->mshrs[i].address == at)
            c->mshrs[i].orphan = !c->timing_only;
}

static void drop_line(struct cache *c, uint32_t index)
{
    if (line_pending(c->states[index]))
        orphan_fills(c, c->tags[index], index);
    keep_values(c, index);
    forget_refusal(c);
    c->stats.invalidations++;
    c->used--;
    c->tags[index] = c->recent_at = NO_ADDRESS;
    clear_line(c, index, 0);
}

HOT bool cache_invalidate(struct cache *c, uint64_t address)
{
    uint64_t at = line_address(c, address);
    uint32_t index = find_line(c, at);
    if (index == NO_INDEX) {
        if (c->params.allocate == CACHE_ALLOCATE_ON_FILL)
            orphan_fills(c, at, NO_INDEX);
        return false;
    }
    if (!c->timing_only || !line_pending(c->states[index]))
        drop_line(c, index);
    return true;
}

/* Fills that have no line yet (allocated on fill) must not bring one after an invalidation. */
static void orphan_placeless(struct cache *c)
{
    forget_refusal(c);
    for (uint32_t bucket = 0; c->strays && bucket <= c->hash_mask; bucket++)
        for (uint32_t i = c->hash[bucket]; i != NO_INDEX; i = c->mshrs[i].next)
            c->mshrs[i].orphan |= !c->timing_only;
}

void cache_invalidate_clean(struct cache *c)
{
    for (uint32_t i = 0, left = c->used; left; i++) {
        left -= c->tags[i] != NO_ADDRESS;
        if (c->tags[i] != NO_ADDRESS && !cache_is_dirty(c, i))
            drop_line(c, i);
    }
    orphan_placeless(c);
}

void cache_invalidate_all(struct cache *c)
{
    for (uint32_t i = 0; c->used; i++)
        if (c->tags[i] != NO_ADDRESS)
            drop_line(c, i);
    orphan_placeless(c);
}

bool cache_next_dirty(struct cache *c, uint32_t *cursor, struct cache_effect *effect)
{
    uint32_t lines = c->params.sets * c->ways;
    for (; *cursor < lines; (*cursor)++) {
        if (!cache_is_dirty(c, *cursor))
            continue;
        effect->line = *cursor;
        describe_writeback(c, *cursor, effect);
        memset(c->extras[*cursor].dirty, 0, sizeof c->extras->dirty);
        return true;
    }
    return false;
}

void cache_install(struct cache *c, uint64_t address, uint32_t bytes)
{
    uint64_t at = line_address(c, address);
    uint32_t index = find_line(c, at);
    forget_refusal(c);
    if (index == NO_INDEX) {
        index = make_place(c, at, NULL);
        if (index == NO_INDEX)
            return;
    }
    use_line(c, index, at);
    c->states[index] |= sectors_of(c, address, bytes) & (uint8_t)~line_pending(c->states[index]);
}

HOT void cache_mark_dirty(struct cache *c, uint32_t line, uint64_t address, uint32_t bytes)
{
    forget_refusal(c);
    make_dirty(c, line, address, bytes, (const uint64_t[2]){0, 0});
}

void cache_set_tag(struct cache *c, uint32_t line, uint64_t tag)
{
    extra_of(c, line)->tag = tag;
}

/* Fills */

/* Copies the fill's bytes that no store has overwritten since. */
static void fill_data(struct cache *c, const struct mshr *m, const uint8_t *data)
{
    uint32_t from = mask_first(m->sectors) << c->sector_shift;
    uint32_t to = (64 - (uint32_t)__builtin_clzll(m->sectors)) << c->sector_shift; /* sectors in a row */
    if (m->line == NO_INDEX) {
        memcpy(mshr_data(c, (uint32_t)(m - c->mshrs)) + from, data + from, to - from);
        return;
    }
    const uint64_t *dirty = c->extras[m->line].dirty;
    uint8_t *bytes = cache_data(c, m->line);
    if (cache_is_dirty(c, m->line))
        for (uint32_t i = from; i < to; i++)
            bytes[i] = mask_has(dirty[i / 64], i % 64) ? bytes[i] : data[i];
    else if (to - from == PACKET_LINE_BYTES)
        memcpy(bytes, data, PACKET_LINE_BYTES);
    else
        memcpy(bytes + from, data + from, to - from);
}

static void append_ready(struct cache *c, uint32_t index)
{
    c->mshrs[index].next = NO_INDEX;
    if (c->head.ready_first == NO_INDEX)
        c->head.ready_first = index;
    else
        c->mshrs[c->ready_last].next = index;
    c->ready_last = index;
}

/* A fill that was to find its place when it comes: never at the price of a dirty line. */
static uint32_t place_fill(struct cache *c, uint64_t at)
{
    uint32_t line = find_line(c, at);
    if (line != NO_INDEX)
        return line;
    line = cache_choose_clean(c, set_of(c, at));
    if (line != NO_INDEX)
        take_line(c, line, at, NULL);
    return line;
}

/* The fill's sectors are there. */
HOT_INLINE void end_fill(struct cache *c, uint32_t fill, const uint8_t *data)
{
    struct mshr *m = &c->mshrs[fill];
    note_help(c, CACHE_HELP_FILL);
    if (RARELY(m->line == NO_INDEX)) {
        remove_stray(c, fill);
        m->line = m->orphan ? NO_INDEX : place_fill(c, m->address);
    }
    if (m->line != NO_INDEX) {
        uint64_t state = (c->states[m->line] | m->sectors) & ~((uint64_t)m->sectors << LINE_PENDING_SHIFT);
        c->states[m->line] = line_pending(state) ? state : state & ~LINE_RESERVED;
    }
    if (data && c->data)
        fill_data(c, m, data);
    c->stats.fills++;
}

static void free_mshr(struct cache *c, uint32_t index)
{
    contract(c->head.used_mshrs);
    c->head.used_mshrs--;
    c->mshrs[index].next = c->free_mshr;
    c->free_mshr = index;
}

HOT void cache_end_fill(struct cache *c, uint32_t fill, const uint8_t *data)
{
    end_fill(c, fill, data);
    append_ready(c, fill);
}

HOT uint32_t cache_end_fill_for_one(struct cache *c, uint32_t fill, uint32_t spare)
{
    struct mshr *m = &c->mshrs[fill];
    if (m->count != 1 || c->head.used_mshrs + spare >= c->mshr_entries)
        return CACHE_NO_WAITER;
    end_fill(c, fill, NULL);
    note_help(c, CACHE_HELP_TAKEN);
    free_mshr(c, fill);
    return m->value;
}

HOT void cache_install_fill(struct cache *c, uint32_t fill, const uint8_t *packet_data)
{
    end_fill(c, fill, packet_data + c->mshrs[fill].address % PACKET_LINE_BYTES);
}

HOT uint32_t cache_wake_fill(struct cache *c, uint32_t fill)
{
    append_ready(c, fill);
    return c->mshrs[fill].value;
}

HOT uint32_t cache_take_fill(struct cache *c, uint32_t fill, const uint8_t *packet_data)
{
    uint32_t waiter = c->mshrs[fill].value;
    cache_end_fill(c, fill, packet_data + c->mshrs[fill].address % PACKET_LINE_BYTES);
    return waiter;
}

HOT void cache_expect_fill(const struct cache *c, uint32_t fill)
{
    will_write(&c->mshrs[fill]);
}

HOT uint32_t cache_expect_fill_line(const struct cache *c, uint32_t fill)
{
    const struct mshr *m = &c->mshrs[fill];
    will_write(&c->states[m->line]);
    return m->value;
}

HOT void cache_fill(struct cache *c, uint64_t address, uint32_t bytes, const uint8_t *data)
{
    uint64_t at = line_address(c, address);
    uint32_t fill = find_mshr(c, at, find_line(c, at), sectors_of(c, address, bytes));
    if (fill != NO_INDEX)
        cache_end_fill(c, fill, data);
}

HOT uint32_t cache_ready(struct cache *c, uint32_t *line, const uint8_t **data)
{
    uint32_t index = c->head.ready_first;
    if (index == NO_INDEX)
        return CACHE_NO_WAITER;
    note_help(c, CACHE_HELP_TAKEN);
    struct mshr *m = &c->mshrs[index];
    uint32_t value = take_waiter(c, m);
    *line = m->line;
    *data = !c->data ? NULL : m->line == NO_INDEX ? mshr_data(c, index) : cache_data(c, m->line);
    if (m->count == 0) {
        c->head.ready_first = m->next;
        free_mshr(c, index);
    }
    return value;
}

uint8_t *cache_data(struct cache *c, uint32_t line)
{
    return c->data + (size_t)line * PACKET_LINE_BYTES;
}

struct cache_stats *cache_stats_of(struct cache *c)
{
    return &c->stats;
}

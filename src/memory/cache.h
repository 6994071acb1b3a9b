/* A set-associative cache with MSHRs: tags, replacement, per-byte dirty masks, optionally data, and the list of those
 * who wait for a line. It knows no network and no clock: it says what happened, and its owner (an L1 in an SM, an L2
 * slice) sends fills and write-backs. Follows GPGPU-Sim's cache semantics (see spec of the machine files): an access
 * either hits, waits for a fill, or is refused and must be tried again next cycle.
 *
 * Sectors: with sector_bytes < line_bytes a line is filled sector by sector (GPGPU-Sim 4.0's sector caches). */
#ifndef LOCKSTEP_MEMORY_CACHE_H
#define LOCKSTEP_MEMORY_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/hot.h"
#include "config/param.h"
#include "memory/packet.h"
#include "stats/stat.h"

/* The parameters of all levels; a level's descriptors list those that it has. */
struct cache_params {
#include "config/param_fields.h"
#include "memory/cache_params.def"
#include "memory/cache_queue_params.def"
#include "memory/l1d_params.def"
#include "memory/l2_params.def"
#include "config/param_end.h"
};
enum cache_replacement { CACHE_LRU, CACHE_FIFO, CACHE_AGED };
enum cache_allocate { CACHE_ALLOCATE_ON_MISS, CACHE_ALLOCATE_ON_FILL };
enum cache_write_allocate { CACHE_WRITE_ALLOCATE_NONE, CACHE_WRITE_ALLOCATE_FETCH, CACHE_WRITE_ALLOCATE_LAZY };
enum cache_set_index { CACHE_INDEX_LINEAR, CACHE_INDEX_HASHED, CACHE_INDEX_FOLDED };
extern const char *const cache_replacement_choices[], *const cache_allocate_choices[];
extern const char *const cache_write_allocate_choices[], *const cache_set_index_choices[];

/* The descriptors of the L1 data cache: cache_params.def and l1d_params.def. Another level expands cache_params.def,
 * and the tables of what else it has, between its own defaults and cache_defaults_end.h, as partition.c does for the
 * L2. */
extern const struct param_desc cache_param_descs[];
extern const unsigned cache_param_count;

struct cache_stats {
#include "stats/stat_fields.h"
#include "memory/cache_stats.def"
#include "stats/stat_end.h"
};
extern const struct stat_desc cache_stat_descs[];
extern const unsigned cache_stat_count;

enum cache_result {
    CACHE_HIT,     /* the bytes are there: `line` says where */
    CACHE_MISS,    /* a fill must be sent: fill_address, fill_bytes; the waiter (if any) is remembered in the MSHR */
    CACHE_PENDING, /* merged with a fill under way; the waiter is remembered */
    CACHE_REFUSED, /* no line can be reserved, no MSHR, merges used up, or the caller's queue has no room: try again */
};

/* How a cache has the bytes of an access. */
enum cache_presence {
#define PRESENCE(name, letter, doc) CACHE_##name,
#include "memory/cache_presences.def"
#undef PRESENCE
    CACHE_PRESENCES
};

#define CACHE_NO_LINE UINT32_MAX
#define CACHE_NO_WAITER UINT32_MAX

/* The effects of an access besides its result. */
struct cache_effect {
    uint8_t presence;      /* of an access that was not refused for want of room: how its bytes were there before */
    uint32_t line;         /* line index for cache_data and friends, or CACHE_NO_LINE */
    uint32_t bytes;        /* of a read: the first so many are meant; the others are to be read next */
    uint64_t fill_address; /* MISS: device address and size of the fill to request */
    uint32_t fill_bytes;
    uint32_t fill;              /* MISS: its number, for cache_end_fill; below cache_params.mshr_entries */
    bool writeback;             /* a dirty victim must be written back */
    uint64_t writeback_address; /* of its line */
    uint64_t writeback_mask[PACKET_LINE_BYTES / 64];
    uint8_t writeback_data[PACKET_LINE_BYTES]; /* when the cache carries data */
    uint64_t writeback_tag;                    /* the tag given with cache_set_tag since the line was taken, or 0 */
};

struct cache;

/* Fields that owners ask for every cycle: they read them here, without a call. */
struct cache_head {
    uint32_t ready_first; /* CACHE_NO_WAITER: none */
    uint32_t used_mshrs;
    uint32_t miss_room; /* of the parameters */
    bool holds_last;    /* held lines are given up after all others: see cache_hold. Its owner may clear it */
    /* The last refused read, until something has changed that could help it: refused for the same reason without a
     * look. */
    uint64_t refused_address;
    uint32_t refused_bytes; /* 0: none */
    bool refused_room;
    uint8_t refused_helpers;  /* enum cache_helper */
    uint64_t *refused_reason; /* its counter */
};
/* Events that may help an access that was refused. */
enum cache_helper { CACHE_HELP_FILL = 1, CACHE_HELP_TAKEN = 2 }; /* a fill comes; a waiter is taken */

/* The set of an address: see cache_set_index. sets - 1 is a mask. */
static inline uint32_t cache_set_of(uint64_t address, uint32_t line_shift, uint32_t set_mask, enum cache_set_index how)
{
    uint64_t index = address >> line_shift;
    if (how == CACHE_INDEX_HASHED) {
        uint64_t upper = ((address >> 13) & 7) | ((address >> 17) & 1) << 3 | ((address >> 19) & 1) << 4;
        index ^= upper;
    } else if (RARELY(how == CACHE_INDEX_FOLDED)) {
        unsigned bits = mask_first((uint64_t)set_mask + 1);
        index ^= index >> 4 * bits;
        index ^= index >> 2 * bits;
        index ^= index >> bits;
    }
    return (uint32_t)index & set_mask;
}

struct cache *cache_create(const struct cache_params *params, bool with_data, struct arena *arena);

/* Looks without changing anything (no LRU, no statistics) how the bytes of an access are there, and in which line:
 * CACHE_NO_LINE when in none. */
enum cache_presence cache_find(const struct cache *c, uint64_t address, uint32_t bytes, uint32_t *line);
/* A read of [address, address + bytes), which must not cross a line. A cache that splits reads (l1d.split_reads) may
 * take the first bytes alone: see cache_effect. waiter: the caller's number for this access, returned by cache_ready
 * after the fill. queue_room: free slots of the caller's miss queue: an access that does not hit is refused below
 * cache_params.miss_room, so that a fill and the write-back of its victim always find their places. */
enum cache_result cache_read(struct cache *c, uint64_t address, uint32_t bytes, uint32_t waiter, uint32_t queue_room,
                             struct cache_effect *effect);
/* True: the read is the one that was refused last, and nothing has changed for it since. */
static inline bool cache_would_refuse(const struct cache *c, uint64_t address, uint32_t bytes, uint32_t queue_room)
{
    const struct cache_head *head = (const struct cache_head *)c;
    return bytes == head->refused_bytes && address == head->refused_address &&
           (queue_room >= head->miss_room) == head->refused_room;
}
/* cache_would_refuse; then the access is counted as refused once more, which is all that cache_read would do. */
static inline bool cache_refuses_again(struct cache *c, uint64_t address, uint32_t bytes, uint32_t queue_room)
{
    if (!cache_would_refuse(c, address, bytes, queue_room))
        return false;
    ++*((const struct cache_head *)c)->refused_reason;
    return true;
}
/* The address will be accessed soon: what that looks at is asked for ahead of the host's memory. Changes nothing. */
void cache_expect(const struct cache *c, uint64_t address);
/* Fetches what the end of a fill will look at into the host's caches, in two steps. The second returns its first
 * waiter. */
void cache_expect_fill(const struct cache *c, uint32_t fill);
uint32_t cache_expect_fill_line(const struct cache *c, uint32_t fill);
/* Writes. The owner chooses what a store does: */
/* Write-back, allocating: the bytes of mask become dirty. A hit dirties the line. A miss reserves a line: with `fetch`
 * a fill for the rest of the line is requested (CACHE_MISS, waiter remembered), without it (lazy fetch on read) the
 * written bytes are valid at once and no fill is sent (CACHE_HIT). */
enum cache_result cache_write(struct cache *c, uint64_t address, uint32_t bytes, const uint64_t mask[2], bool fetch,
                              uint32_t waiter, uint32_t queue_room, struct cache_effect *effect);
/* A store that is passed on to the next level while its line is fetched (write_allocate `fetch`): reserves the line and
 * requests the fill as a read does, and joins a fill under way, but counts as a write. The line stays clean. The caller
 * sends the store itself, for which a third place in its miss queue is asked. Only for an access that cache_find does
 * not find there. */
enum cache_result cache_fetch(struct cache *c, uint64_t address, uint32_t bytes, uint32_t waiter, uint32_t queue_room,
                              struct cache_effect *effect);
/* The sectors of [address, address + bytes), in one line, become valid as by a fill that nobody asked for (a host
 * copy). A dirty victim is lost; a sector being filled is left alone. */
void cache_install(struct cache *c, uint64_t address, uint32_t bytes);
/* The owner holds the place of a line that is there or being filled: it is not given up until it is let go. An access
 * that would have to take a held line's place is refused, and cache_wanted then gives the address of that line, once;
 * else CACHE_NO_ADDRESS. A held line is chosen after all others, unless holds_last is cleared. */
#define CACHE_NO_ADDRESS UINT64_MAX
void cache_hold(struct cache *c, uint64_t address, bool held);
bool cache_holds(const struct cache *c, uint64_t address);
uint64_t cache_wanted(struct cache *c);
/* The bytes of a line become dirty without an access being counted: an atomic performed on it. */
void cache_mark_dirty(struct cache *c, uint32_t line, uint64_t address, uint32_t bytes);
/* Gives the line the owner's tag, handed back in effect.writeback_tag. */
void cache_set_tag(struct cache *c, uint32_t line, uint64_t tag);
/* Drops the line that holds address (write-evict: global stores at an L1). A line still being filled is given up too:
 * the fill serves those who wait for it, but is not kept, and reads of the line are refused until it has come. Returns
 * whether the line was there. */
bool cache_invalidate(struct cache *c, uint64_t address);
/* The ways that fit into so many bytes, 1 to cache_params.ways. The cache has so many ways from now on, 1 to
 * cache_params.ways. Where that is another number its lines are dropped, as by cache_invalidate_all. Only while no fill
 * is under way and nobody waits for one. */
uint32_t cache_ways_in(const struct cache *c, uint64_t bytes);
void cache_set_ways(struct cache *c, uint32_t ways);
/* The values in the lines are not used: a store leaves a line that is being filled alone, and the fill of a line
 * dropped otherwise may be joined and is kept. */
void cache_set_timing_only(struct cache *c);
/* Drops every line that is not dirty, in the same way (a fence or an acquire at an L1: its global lines are never
 * dirty). */
void cache_invalidate_clean(struct cache *c);
/* Drops every line. Dirty lines are lost: flush first with cache_next_dirty. */
void cache_invalidate_all(struct cache *c);
/* Gives every clean line the values that read finds below it; read leaves a line alone when it answers false. A kernel
 * boundary: what others wrote becomes visible, and the lines stay. */
void cache_refresh(struct cache *c, bool (*read)(void *context, uint64_t address, uint8_t *to, uint32_t bytes),
                   void *context);
/* Takes one dirty line, starting at *cursor (0 first), cleans it and describes it as a write-back in effect; false when
 * there is none left. */
bool cache_next_dirty(struct cache *c, uint32_t *cursor, struct cache_effect *effect);

/* A fill arrives: data points to the line's bytes (line_bytes, indexed by offset in the line), or NULL when no values
 * are carried. The waiters become ready. */
void cache_fill(struct cache *c, uint64_t address, uint32_t bytes, const uint8_t *data);
/* cache_fill of a fill whose number the owner has kept. */
void cache_end_fill(struct cache *c, uint32_t fill, const uint8_t *data);
/* Ends a fill that carries no values and takes its waiter, if that is its only one and more than `spare` MSHRs are
 * free; else does nothing and returns CACHE_NO_WAITER. Only while no waiter is ready. */
uint32_t cache_end_fill_for_one(struct cache *c, uint32_t fill, uint32_t spare);
/* cache_end_fill with the values of a packet, which are indexed by offset in its line of PACKET_LINE_BYTES. Returns the
 * fill's first waiter. */
uint32_t cache_take_fill(struct cache *c, uint32_t fill, const uint8_t *packet_data);
/* The two halves of cache_take_fill, of which nobody may see the line between them: the line has its values; and those
 * who wait for it are ready. The second returns the first waiter. */
void cache_install_fill(struct cache *c, uint32_t fill, const uint8_t *packet_data);
uint32_t cache_wake_fill(struct cache *c, uint32_t fill);
/* Takes the next ready waiter in arrival order (fills in order, waiters of a fill in order of their accesses), or
 * CACHE_NO_WAITER. *line is the line that the fill went to (CACHE_NO_LINE when it was not kept, or is given up); see
 * cache_still_holds. *data, when the cache carries values, are those of the line when the fill came, line_bytes by
 * offset in the line, valid until the cache is used again; NULL otherwise. */
uint32_t cache_ready(struct cache *c, uint32_t *line, const uint8_t **data);
/* The line that was given to another address since this was asked last, the last one if there were several, and the
 * line address that it had before (CACHE_NO_ADDRESS: it was empty). False: there was none. */
bool cache_took(struct cache *c, uint32_t *line, uint64_t *from);
/* True: the line (or CACHE_NO_LINE) still is that of the address. */
bool cache_still_holds(const struct cache *c, uint32_t line, uint64_t address);
/* True: cache_ready has one. */
static inline bool cache_has_ready(const struct cache *c)
{
    return ((const struct cache_head *)c)->ready_first != CACHE_NO_WAITER;
}
/* True: a fill is under way, or somebody waits for one that has come. */
static inline bool cache_has_pending(const struct cache *c)
{
    return ((const struct cache_head *)c)->used_mshrs != 0;
}

/* The line's values, PACKET_LINE_BYTES long. */
uint8_t *cache_data(struct cache *c, uint32_t line);
struct cache_stats *cache_stats_of(struct cache *c);

/* cache_check.c: recomputes what the cache keeps (base/check.h). */
struct check;
void cache_check(struct cache *c, struct check *check);

/* Describes everything but the parameters for a checkpoint. */
struct archive;
void cache_archive(struct cache *c, struct archive *ar);
/* Refuses a checkpoint in which somebody waits for a line whose number the cache's owner has not: the owner's numbers
 * are below `end`. Called after cache_archive, when the owner knows `end`; does nothing while saving. */
void cache_archive_waiters(const struct cache *c, struct archive *ar, uint32_t end);

#endif

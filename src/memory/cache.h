/* A set-associative cache with MSHRs: tags, replacement, per-byte dirty masks, optionally data, and the list of those who wait for a line. It knows no network and no clock: it
 * says what happened, and its owner (an L1 in an SM, an L2 slice) sends fills and write-backs. Follows GPGPU-Sim's cache semantics (see spec of the machine files): an access either hits,
 * waits for a fill, or is refused and must be tried again next cycle.
 *
 * Sectors: with sector_bytes < line_bytes a line is filled sector by sector (GPGPU-Sim 4.0's sector caches). */
#ifndef LOCKSTEP_MEMORY_CACHE_H
#define LOCKSTEP_MEMORY_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "config/param.h"
#include "memory/packet.h"
#include "stats/stat.h"

struct cache_params {
#include "config/param_fields.h"
#include "memory/cache_params.def"
#include "config/param_end.h"
};
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

#define CACHE_NO_LINE UINT32_MAX
#define CACHE_NO_WAITER UINT32_MAX

/* What an access did besides its result. */
struct cache_effect {
    uint32_t line;                 /* line index for cache_data and friends, or CACHE_NO_LINE */
    uint64_t fill_address;         /* MISS: device address and size of the fill to request */
    uint32_t fill_bytes;
    bool writeback;                /* a dirty victim must be written back */
    uint64_t writeback_address;    /* of its line */
    uint64_t writeback_mask[PACKET_LINE_BYTES / 64];
    uint8_t writeback_data[PACKET_LINE_BYTES]; /* when the cache carries data */
    uint64_t writeback_tag;        /* the tag given when the line was made dirty (cache_write), for the owner's use */
};

struct cache;

struct cache *cache_create(const struct cache_params *params, bool with_data, struct arena *arena);

/* A read of [address, address + bytes), which must not cross a line. waiter: the caller's number for this access, returned by cache_ready after the fill. queue_room: free slots of
 * the caller's miss queue (a miss needs one, a miss with a dirty victim two). */
enum cache_result cache_read(struct cache *c, uint64_t address, uint32_t bytes, uint32_t waiter, uint32_t queue_room, struct cache_effect *effect);
/* Looks without changing anything (no LRU, no statistics): HIT, PENDING (line reserved, fill under way) or MISS. */
enum cache_result cache_look(const struct cache *c, uint64_t address, uint32_t bytes, uint32_t *line);

/* Policies' actions on writes. The owner chooses by cache_params.write_policy what a store does: */
/* Write-back, allocating: the bytes of mask become dirty. A hit dirties the line. A miss reserves a line: with `fetch` a fill for the rest of the line is requested (CACHE_MISS,
 * waiter remembered), without it (lazy fetch on read) the written bytes are valid at once and no fill is sent (CACHE_HIT). */
enum cache_result cache_write(struct cache *c, uint64_t address, uint32_t bytes, const uint64_t mask[2], bool fetch, uint32_t waiter, uint32_t queue_room,
                              struct cache_effect *effect);
/* Drops the line that holds address, if it is valid and not reserved (write-evict: global stores at an L1). Returns whether it was there. */
bool cache_invalidate(struct cache *c, uint64_t address);
/* Drops every valid line, reserved ones excepted (their fill serves the waiters but is not kept). Dirty lines are lost: flush first with cache_next_dirty. */
void cache_invalidate_all(struct cache *c);
/* Takes one dirty line, starting at *cursor (0 first), cleans it and describes it as a write-back in effect; false when there is none left. */
bool cache_next_dirty(struct cache *c, uint32_t *cursor, struct cache_effect *effect);

/* A fill arrives: data points to the line's bytes (PACKET_LINE_BYTES, indexed by offset in the line), or NULL when no values are carried. The waiters become ready. */
void cache_fill(struct cache *c, uint64_t address, uint32_t bytes, const uint8_t *data);
/* Takes the next ready waiter in arrival order (fills in order, waiters of a fill in order of their accesses), or CACHE_NO_WAITER. *line is where the bytes are (CACHE_NO_LINE when the fill was not kept:
 * then the values are in *data, valid until the next cache_fill). */
uint32_t cache_ready(struct cache *c, uint32_t *line, const uint8_t **data);
bool cache_has_ready(const struct cache *c);
bool cache_has_pending(const struct cache *c); /* any MSHR in use */

/* The line's values, PACKET_LINE_BYTES long. */
uint8_t *cache_data(struct cache *c, uint32_t line);
struct cache_stats *cache_stats_of(struct cache *c);

#endif

/* Who misses in the L1 data cache, for schedulers that ask (LOCKSTEP_NEEDS_MEMORY): each line's last requester, and for
 * each warp the lines that it requested and lost to others, as victim tags remember them (Rogers, O'Connor and Aamodt,
 * "Cache-conscious wavefront scheduling", MICRO 2012, section 3.2: here one set of LOCKSTEP_LOST_LINES per warp, oldest
 * replaced). */
#ifndef LOCKSTEP_LSU_LOCALITY_H
#define LOCKSTEP_LSU_LOCALITY_H

#include "lockstep/scheduler.h"
#include "memory/l1.h"
#include "warp/table.h"

/* The last lines that a warp lost, in a ring: line address + 1, or 0. */
struct lsu_lost {
    uint64_t line[LOCKSTEP_LOST_LINES];
    uint32_t next;
};

struct lsu_locality {
    struct lockstep_memory_view of[WARP_SLOTS];
    struct lsu_lost lost[WARP_SLOTS];
    uint8_t *requester; /* by line of the cache: 1 + warp slot; 0: none of the warps that are here */
    uint32_t lines, line_bytes;
};

struct lsu_locality *lsu_locality_new(const struct cache_params *l1d, struct arena *arena);
/* The view of a scheduler; NULL for NULL. */
static inline const struct lockstep_memory_view *lsu_locality_view(const struct lsu_locality *locality)
{
    return locality ? locality->of : NULL;
}
/* A warp begins in a slot: nothing of what another did there is its own. */
void lsu_locality_launched(struct lsu_locality *locality, unsigned slot);
/* The L1D has taken a transaction of the warp in `slot`, before which it had counted so many misses. */
void lsu_locality_accessed(struct lsu_locality *locality, struct l1 *l1d, unsigned slot, uint64_t address,
                           uint64_t misses);
/* A fill has come that the warp in `slot` requested. */
void lsu_locality_filled(struct lsu_locality *locality, struct l1 *l1d, unsigned slot);
struct archive;
void lsu_locality_archive(struct lsu_locality *locality, struct archive *ar);

#endif

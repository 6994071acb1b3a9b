/* Notes for the progress watch and its diagnosis of hangs: who holds which lock, and what memory came to. A consumer of
 * the events launch, access and atomic. A lane whose compare-and-swap succeeded, or whose exchange changed a location
 * from 0, is taken to hold it; the present value tells whether it still does. */
#ifndef LOCKSTEP_WATCH_PROGRESS_H
#define LOCKSTEP_WATCH_PROGRESS_H

#include "base/room.h"
#include "lockstep/observer.h"
#include "watch/value_history.h"
#include "watch/writers.h"

#define WATCH_HOLDERS 4096

/* Who last took a lock. */
struct watch_holder {
    uint64_t address, cycle;
    uint32_t block[3], warp, pc; /* warp: where the thread is now, if it has not ended */
    uint16_t thread;             /* in the block */
    bool ended;                  /* it is known that the thread has ended */
    uint8_t lane, slot;
};

/* Of a warp: how often, since watch_progress_reset. */
struct watch_progress_warp {
    ROOM_KEPT uint64_t sync_ops, takes; /* accesses with which warps wait for each other; locks that it took */
    ROOM_KEPT uint64_t last_sync_address;
    ROOM_KEPT uint32_t last_sync_pc;
    ROOM_KEPT bool last_sync_shared, last_sync_cluster; /* in the block's shared memory; in that of a block of its cluster */
    ROOM_KEPT uint32_t block_index[3], warp_in_block; /* since its launch */
};

struct watch_progress {
    ROOM_KEPT struct watch_progress_warp warps[WATCH_WRITERS_WARPS];
    ROOM_KEPT bool counts; /* `sync_ops` or `takes` of some warp are not 0 */
    ROOM_KEPT uint64_t work_done;
    ROOM_KEPT bool seeks_work;                       /* nothing was work since the progress watch last asked for work */
    ROOM_KEPT struct watch_value_history by_atomics; /* what locations took by atomics */
    ROOM_KEPT struct watch_value_history by_stores;  /* what they took by those stores that were looked at */
    ROOM_KEPT struct watch_writers writers;          /* and what they hold since then */
    ROOM_KEPT struct watch_holder holders[WATCH_HOLDERS]; /* by hash of the address; the latest stays */
};

/* As the notes name them, the locations of all blocks of an SM lie apart, and from those of global memory: those of a
 * block slot's shared memory begin here. */
static inline uint64_t watch_shared_base(unsigned block)
{
    return (uint64_t)(block + 1u) << 32;
}

/* A launch begins. */
void watch_progress_begin(struct watch_progress *n);
/* Begins to count anew what warps do, and to look for work. progress: and to note what they write. */
void watch_progress_reset(struct watch_progress *n, bool progress);
void watch_progress_launch(struct watch_progress *n, const struct lockstep_launch_event *event);
/* A store is work if a location takes a value that it was not seen to take before. One such store is enough until the
 * watch asks again. */
void watch_progress_access(struct watch_progress *n, const struct lockstep_access_event *event);
void watch_progress_atomic(struct watch_progress *n, const struct lockstep_atomic_event *event);
/* True: such an access would be noted; what nobody hears need not be put together. store: of global or shared memory.
 */
static inline bool watch_progress_wants_access(const struct watch_progress *n, bool store, bool synchronises)
{
    return synchronises | (store & n->seeks_work);
}
/* True: an atomic of this kind would be noted, if it changed its location. */
static inline bool watch_progress_wants(const struct watch_progress *n, enum lockstep_atomic operation)
{
    return n->seeks_work || operation != LOCKSTEP_ATOMIC_OTHER;
}
/* The note of the lock at an address, if that is the last one noted at its place; else NULL. */
const struct watch_holder *watch_progress_holder(const struct watch_progress *n, uint64_t address);
struct archive;
void watch_progress_archive(struct watch_progress *n, struct archive *ar);

#endif

/* See progress.h. */
#include "watch/progress.h"

#include <string.h>

#include "base/archive.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/hot.h"

static unsigned place_of(uint64_t address)
{
    return hash_place(address / 4) % WATCH_HOLDERS;
}

void watch_progress_begin(struct watch_progress *n)
{
    n->seeks_work = true;
    if (n->by_stores.count)
        n->by_stores = (struct watch_value_history){0};
}

void watch_progress_reset(struct watch_progress *n, bool progress)
{
    n->seeks_work = true;
    if (progress)
        watch_writers_reset(&n->writers);
    for (unsigned slot = 0; slot < WATCH_WRITERS_WARPS && n->counts; slot++)
        n->warps[slot].sync_ops = n->warps[slot].takes = 0;
    n->counts = false;
}

void watch_progress_launch(struct watch_progress *n, const struct lockstep_launch_event *event)
{
    struct watch_progress_warp *warp = &n->warps[event->warp];
    if (!event->again)
        warp->sync_ops = warp->takes = 0;
    memcpy(warp->block_index, event->block_index, sizeof warp->block_index);
    warp->warp_in_block = event->warp_in_block;
}

static uint64_t noted_address(uint32_t space, unsigned block, uint64_t address)
{
    return (space == LOCKSTEP_SHARED ? watch_shared_base(block) : 0) + address;
}

/* A location took a value. Returns true if that is work: `seen` has not had the value there. */
static bool is_work(struct watch_progress *n, struct watch_value_history *seen, uint64_t address, uint64_t value)
{
    if (!watch_value_history_add(seen, address, value))
        return false;
    n->work_done++;
    n->seeks_work = false;
    return true;
}

/* The first 16 bytes of what a lane stores, as one word. */
static uint64_t stored_by(const struct lockstep_access_event *event, unsigned lane)
{
    return hash_short((const uint8_t *)event->data + (size_t)lane * event->stride, event->bytes);
}

NOT_INLINE void note_store(struct watch_progress *n, const struct lockstep_access_event *event)
{
    for (uint64_t rest = event->mask; rest; rest &= rest - 1) {
        unsigned lane = mask_first(rest);
        uint64_t address = noted_address(event->space, event->block, event->address[lane]);
        uint64_t value = stored_by(event, lane);
        is_work(n, &n->by_stores, address, value);
        bool known = watch_writers_add(&n->writers, event->warp, address, value);
        n->writers.changes += !known || event->space != LOCKSTEP_SHARED;
    }
}

HOT void watch_progress_access(struct watch_progress *n, const struct lockstep_access_event *event)
{
    if (n->seeks_work && event->instruction_class == LOCKSTEP_STORE && event->space != LOCKSTEP_LOCAL)
        note_store(n, event);
    if (!event->synchronises)
        return;
    struct watch_progress_warp *warp = &n->warps[event->warp];
    n->counts = true;
    warp->sync_ops++;
    warp->last_sync_address = event->address[mask_first(event->mask)];
    warp->last_sync_pc = event->pc;
    warp->last_sync_shared = event->space == LOCKSTEP_SHARED;
    warp->last_sync_cluster = event->space == LOCKSTEP_CLUSTER;
}

/* An atomic gave a location another value: while the watch looks for work, that counts as a store does. */
static void note_change(struct watch_progress *n, const struct lockstep_atomic_event *event, uint64_t address)
{
    if (!n->seeks_work)
        return;
    is_work(n, &n->by_atomics, address, event->after);
    n->writers.changes++;
    watch_writers_add(&n->writers, event->warp, address, event->after);
}

/* The lane may have taken a lock. */
static void note_holder(struct watch_progress *n, const struct lockstep_atomic_event *event, uint64_t address)
{
    const struct watch_progress_warp *warp = &n->warps[event->warp];
    struct watch_holder *h = &n->holders[place_of(address)];
    *h = (struct watch_holder){.address = address,
                               .cycle = event->cycle,
                               .warp = warp->warp_in_block,
                               .thread = (uint16_t)event->thread,
                               .pc = event->pc,
                               .lane = (uint8_t)event->lane,
                               .slot = (uint8_t)event->warp};
    memcpy(h->block, warp->block_index, sizeof h->block);
}

/* An exchange takes a lock when that was 0, which by the convention of locks is free; any compare-and-swap that
 * succeeds may. In shared memory, where the value before is not known, whatever leaves another value than 0 may. */
HOT void watch_progress_atomic(struct watch_progress *n, const struct lockstep_atomic_event *event)
{
    if (!event->performed)
        return; /* the common case, of a lock that is held */
    bool shared = event->space == LOCKSTEP_SHARED, locks = event->operation != LOCKSTEP_ATOMIC_OTHER;
    uint64_t address = noted_address(event->space, event->block, event->address);
    bool takes = !shared && locks && event->after != 0 && event->before == 0;
    n->warps[event->warp].takes += takes;
    n->counts |= takes;
    if (shared || event->after != event->before)
        note_change(n, event, address);
    if (shared ? locks && event->after : takes || event->operation == LOCKSTEP_ATOMIC_COMPARE_AND_SWAP)
        note_holder(n, event, address);
}

const struct watch_holder *watch_progress_holder(const struct watch_progress *n, uint64_t address)
{
    const struct watch_holder *h = &n->holders[place_of(address)];
    return address && h->address == address ? h : NULL;
}

/* Checkpoints */

static void archive_writers(struct watch_writers *w, struct archive *ar)
{
    ARCHIVE(ar, w->changes);
    ARCHIVE(ar, w->by_warp);
    ARCHIVE(ar, w->epoch);
    for (uint32_t i = 0; i < WATCH_WRITERS_PLACES; i++) {
        ARCHIVE(ar, w->places[i].digest);
        ARCHIVE(ar, w->places[i].epoch);
        archive_u32_to(ar, &w->places[i].warp, WATCH_WRITERS_WARPS - 1);
    }
}

void watch_progress_archive(struct watch_progress *n, struct archive *ar)
{
    for (unsigned slot = 0; slot < WATCH_WRITERS_WARPS; slot++) {
        struct watch_progress_warp *warp = &n->warps[slot];
        ARCHIVE(ar, warp->sync_ops);
        ARCHIVE(ar, warp->takes);
        ARCHIVE(ar, warp->last_sync_address);
        ARCHIVE(ar, warp->last_sync_pc);
        archive_bool(ar, &warp->last_sync_shared);
        archive_bool(ar, &warp->last_sync_cluster);
        ARCHIVE(ar, warp->block_index);
        ARCHIVE(ar, warp->warp_in_block);
    }
    n->counts = true; /* or may be */
    ARCHIVE(ar, n->work_done);
    archive_bool(ar, &n->seeks_work);
    ARCHIVE(ar, n->by_atomics);
    ARCHIVE(ar, n->by_stores);
    archive_writers(&n->writers, ar);
    ARCHIVE(ar, n->holders);
}

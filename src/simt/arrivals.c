/* See arrivals.h. Places are found by a hash, the next free one after it. A warp's entry that has not arrived in the
 * current phase says of the phase before what it says of its own: so nothing is to be done to the warps' when a phase
 * ends. */
#include "simt/arrivals.h"

#include <stddef.h>

#include "base/bits.h"
#include "base/hash.h"

#define OBJECT UINT32_MAX /* in the place of a warp */
#define TRIES 32

static uint32_t first_place(uint32_t address, uint32_t warp)
{
    return hash_place((uint64_t)address << 32 | warp) % SIMT_ARRIVALS;
}

/* The entry, or the free place where it belongs; NULL: it is not there, and there is no room near it. */
static struct simt_arrival *place_of(struct simt_arrivals *a, uint32_t address, uint32_t warp)
{
    uint32_t at = first_place(address, warp);
    for (unsigned i = 0; i < TRIES; i++, at = (at + 1) % SIMT_ARRIVALS) {
        struct simt_arrival *entry = &a->of[at];
        if (!entry->warp || (entry->address == address && entry->warp == warp))
            return entry;
    }
    return NULL;
}

/* As place_of, and the entry is there. */
static struct simt_arrival *entry_of(struct simt_arrivals *a, uint32_t address, uint32_t warp)
{
    struct simt_arrival *entry = place_of(a, address, warp);
    a->full |= !entry;
    if (entry && !entry->warp)
        *entry = (struct simt_arrival){.address = address, .warp = warp, .phase = warp == OBJECT};
    return entry;
}

static void note_lane(struct simt_arrivals *a, uint32_t address, uint32_t by, uint32_t phase)
{
    struct simt_arrival *warp = entry_of(a, address, (by & ~UINT32_C(0xff)) + 1);
    if (!warp)
        return;
    if (warp->phase != phase) {
        warp->before = warp->phase + 1 == phase ? warp->lanes : 0;
        warp->lanes = 0;
        warp->phase = phase;
    }
    warp->lanes |= BIT64(by & 0xff);
}

void simt_arrivals_note(struct simt_arrivals *a, uint32_t address, uint32_t by, bool ended)
{
    struct simt_arrival *object = entry_of(a, address, OBJECT);
    if (!object)
        return;
    if (by != SIMT_NO_THREAD)
        note_lane(a, address, by, object->phase);
    object->phase += ended;
}

void simt_arrivals_forget(struct simt_arrivals *a, uint32_t address)
{
    struct simt_arrival *object = entry_of(a, address, OBJECT);
    if (object)
        object->phase += 2;
}

static const struct simt_arrival *find(const struct simt_arrivals *a, uint32_t address, uint32_t warp)
{
    const struct simt_arrival *entry = place_of((struct simt_arrivals *)a, address, warp); /* which changes nothing */
    return entry && entry->warp ? entry : NULL;
}

uint64_t simt_arrivals_of(const struct simt_arrivals *a, uint32_t address, uint32_t rank, uint32_t warp, bool before)
{
    const struct simt_arrival *object = find(a, address, OBJECT);
    const struct simt_arrival *entry = find(a, address, SIMT_THREAD(rank, warp, 0) + 1);
    if (!object || !entry)
        return 0;
    if (entry->phase == object->phase)
        return before ? entry->before : entry->lanes;
    return before && entry->phase + 1 == object->phase ? entry->lanes : 0;
}

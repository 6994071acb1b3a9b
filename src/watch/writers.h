/* For each warp, a hash of the locations that it was the last to write since the progress watch last saw progress, with
 * their values. A program that searches writes the same few values again and again, and only all its
 * locations together tell one of its states from another. A hash of the address says where a location is noted; of two
 * that meet at one place, the later write is known. */
#ifndef LOCKSTEP_WATCH_WRITERS_H
#define LOCKSTEP_WATCH_WRITERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"

#define WATCH_WRITERS_PLACES 4096u
#define WATCH_WRITERS_WARPS 64u

struct watch_writers_place {
    uint64_t digest; /* of address and value */
    uint32_t epoch;  /* the digest belongs to this one; another than the present: nothing is noted here */
    uint32_t warp;   /* who wrote it */
};

struct watch_writers {
    uint64_t changes; /* since creation: writes that may have changed memory */
    uint64_t
        by_warp[WATCH_WRITERS_WARPS]; /* the digests of all places whose last writer it is, one XORed to the next */
    uint32_t epoch;
    struct watch_writers_place places[WATCH_WRITERS_PLACES];
};

/* Forgets everything but how many changes there were. */
static inline void watch_writers_reset(struct watch_writers *w)
{
    w->epoch++;
    memset(w->by_warp, 0, sizeof w->by_warp);
}

static inline uint64_t watch_writers_digest(uint64_t address, uint64_t value)
{
    uint64_t digest = (hash_spread(address) ^ value) * UINT64_C(0xD6E8FEB86659FD93);
    return digest ^ digest >> 32;
}

static inline const struct watch_writers_place *watch_writers_place(const struct watch_writers *w, uint64_t address)
{
    return &w->places[hash_place(address) % WATCH_WRITERS_PLACES];
}

/* The warp has written the value. Returns true if the location was known to hold it: in memory that no other SM writes,
 * nothing has changed. */
static inline bool watch_writers_add(struct watch_writers *w, unsigned warp, uint64_t address, uint64_t value)
{
    uint64_t digest = watch_writers_digest(address, value);
    struct watch_writers_place *place = (struct watch_writers_place *)watch_writers_place(w, address);
    bool known = place->epoch == w->epoch;
    if (known && place->digest == digest)
        return true;
    if (known)
        w->by_warp[place->warp] ^= place->digest;
    *place = (struct watch_writers_place){.digest = digest, .epoch = w->epoch, .warp = warp};
    w->by_warp[warp] ^= digest;
    return false;
}

#endif

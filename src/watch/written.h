/* For each warp, a hash of the locations that it was the last to write since the progress watch last saw progress, with
 * their values. A program that searches writes the same few values again and again, and only all its
 * locations together tell one of its states from another. A hash of the address says where a location is noted; of two
 * that meet at one place, the later write is known. */
#ifndef LOCKSTEP_WATCH_WRITTEN_H
#define LOCKSTEP_WATCH_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include <string.h>

#define WATCH_WRITTEN_PLACES 4096u
#define WATCH_WRITTEN_WARPS 64u

struct watch_written_place {
    uint64_t digest; /* of address and value */
    uint32_t epoch;  /* the digest belongs to this one; another than the present: nothing is noted here */
    uint32_t warp;   /* who wrote it */
};

struct watch_written {
    uint64_t changes; /* since creation: writes that may have changed memory */
    uint64_t
        by_warp[WATCH_WRITTEN_WARPS]; /* the digests of all places whose last writer it is, one XORed to the next */
    uint32_t epoch;
    struct watch_written_place places[WATCH_WRITTEN_PLACES];
};

/* Forgets everything but how many changes there were. */
static inline void watch_written_reset(struct watch_written *w)
{
    w->epoch++;
    memset(w->by_warp, 0, sizeof w->by_warp);
}

static inline uint64_t watch_written_digest(uint64_t address, uint64_t value)
{
    uint64_t digest = (hash_spread(address) ^ value) * UINT64_C(0xD6E8FEB86659FD93);
    return digest ^ digest >> 32;
}

static inline const struct watch_written_place *watch_written_place(const struct watch_written *w, uint64_t address)
{
    return &w->places[hash_place(address) % WATCH_WRITTEN_PLACES];
}

/* Returns whether the location was known to hold the value: in memory that no other SM writes, nothing has changed. */
static inline bool watch_written_note(struct watch_written *w, unsigned warp, uint64_t address, uint64_t value)
{
    uint64_t digest = watch_written_digest(address, value);
    struct watch_written_place *place = (struct watch_written_place *)watch_written_place(w, address);
    bool known = place->epoch == w->epoch;
    if (known && place->digest == digest)
        return true;
    if (known)
        w->by_warp[place->warp] ^= place->digest;
    *place = (struct watch_written_place){.digest = digest, .epoch = w->epoch, .warp = warp};
    w->by_warp[warp] ^= digest;
    return false;
}

#endif

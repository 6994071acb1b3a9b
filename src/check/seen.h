/* The states that were seen: of each a fingerprint of 64 bits, and how it was come to. Two states with one fingerprint
 * are taken for the same: of n states that is missed with a chance of n * n / 2^65 at most, which is below one in a
 * million up to six million states and one in a thousand at a hundred and ninety million. */
#ifndef LOCKSTEP_CHECK_SEEN_H
#define LOCKSTEP_CHECK_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEN_NONE UINT32_MAX

/* Of states, by number, in the order in which they were found. Apart, so that none takes more than it needs. */
struct seen {
    uint64_t *print;
    uint32_t *parent;  /* of the first, SEEN_NONE */
    uint32_t *onwards; /* a state that follows by going on with what was begun; SEEN_NONE: nothing is under way */
    uint16_t *event;   /* that led here from the parent */
    uint32_t *places;  /* numbers, by fingerprint */
    uint32_t count, capacity, mask;
};

void seen_init(struct seen *s);
void seen_free(struct seen *s);
/* The number of the state of these bytes. *is_new: it was not seen before. */
uint32_t seen_add(struct seen *s, const uint8_t *bytes, uint32_t size, bool *is_new);
uint64_t seen_bytes(const struct seen *s);

#endif

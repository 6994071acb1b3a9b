/* A count at each of 64 ports, which goes up or down by one at any set of ports at once: a few operations on words,
 * however many ports there are in the set. The last three binary digits of all counts are words. What goes beyond them
 * is counted in fours, port by port, but seldom: a count that leaves the digits leaves them in the middle of their
 * range, so that one that goes up and down a little stays within. */
#ifndef LOCKSTEP_NETWORK_TALLY_H
#define LOCKSTEP_NETWORK_TALLY_H

#include "base/bits.h"

#define TALLY_MOST 65535 /* counts and limits */

struct tally {
    uint64_t ones, twos, fours; /* the digits */
    uint64_t beyond;            /* ports whose count goes beyond the digits */
    uint64_t full;              /* ports whose count is the limit with these digits: */
    uint64_t full_ones, full_twos, full_fours;
    uint16_t limit;
    uint16_t over[64]; /* what goes beyond the digits, in fours */
};

/* All counts are 0. The limit is one that somebody asks for, or 0. */
void tally_init(struct tally *t, unsigned limit);
unsigned tally_count(const struct tally *t, unsigned port);
void tally_set(struct tally *t, unsigned port, unsigned count);
struct check;
/* States what follows from the counts and the limit; name: the tally's, a constant. */
void tally_check(struct tally *t, struct check *check, const char *name);
/* Takes over these ports' counts. */
void tally_copy(struct tally *to, const struct tally *from, uint64_t ports);

/* Ports whose count is not 0. */
static inline uint64_t tally_some(const struct tally *t)
{
    return t->ones | t->twos | t->fours | t->beyond;
}

/* Ports whose count is the limit. */
static inline uint64_t tally_full(const struct tally *t)
{
    return t->full & ~((t->ones ^ t->full_ones) | (t->twos ^ t->full_twos) | (t->fours ^ t->full_fours));
}

/* The rest of tally_move: at `up` the digits had 7, at `down` they had 0. */
void tally_leave(struct tally *t, uint64_t up, uint64_t down);

/* One more at the ports `up`, one less at the ports `down`, which are others. */
static inline void tally_move(struct tally *t, uint64_t up, uint64_t down)
{
    uint64_t ones = up | down;
    uint64_t twos = ones & (t->ones ^ down), fours = twos & (t->twos ^ down), leaving = fours & (t->fours ^ down);
    t->ones ^= ones;
    t->twos ^= twos;
    t->fours ^= fours;
    if (leaving)
        tally_leave(t, leaving & up, leaving & down);
}

#endif

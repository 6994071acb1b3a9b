/* Derived facts, checked. Much is kept although it follows from something else: a set that mirrors a field, the next
 * cycle in which a unit acts, a count of a count. Whoever keeps such a fact has a function `UNIT_check(unit, check)`
 * that recomputes each of them and states it here, between two cycles, when everything must agree. Test builds call
 * these functions (LOCKSTEP_CHECKED); others compile none of it into the way of a cycle.
 *
 * A walk over the same statements can also break one fact on purpose: it tells a test that each fact is really looked
 * at, and that the checks find it when it is wrong. So the list of what a test breaks is the list of what is checked.
 */
#ifndef LOCKSTEP_BASE_CHECK_H
#define LOCKSTEP_BASE_CHECK_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Holds a contract of the per-cycle path in test builds; other builds do not evaluate it. */
#ifdef LOCKSTEP_CHECKED
#define contract(holds) assert(holds)
#else
#define contract(holds) ((void)sizeof(holds))
#endif

#define CHECK_NONE UINT64_MAX

struct check {
    char unit[32];      /* whose facts are stated: "sm 3"; check_of */
    uint64_t stated;    /* facts so far */
    uint64_t breaks;    /* the number of the fact to break, or CHECK_NONE: nothing is broken and all are verified */
    bool quiet;         /* what holds is passed over: nothing is broken, and nobody hears */
    const char *broken; /* the name of the fact that was broken */
    void *broken_at;    /* and what check_mend needs */
    uint64_t broken_was;
    size_t broken_bytes;
    /* Hears the name of each fact and its number; may be NULL. */
    void (*hear)(void *context, const char *name, uint64_t number);
    void *context;
    const char *wrong; /* the name of the first fact that does not hold, or NULL */
    char wrong_unit[32];
    unsigned at; /* of that fact: which one of its kind (a slot, a port), what is kept, and what it should be */
    uint64_t kept, should_be;
};

/* The number of 1, 2, 4 or 8 bytes at `at`, whatever its type. */
static inline uint64_t check_number(const void *at, size_t bytes)
{
    uint64_t number = 0;
    assert(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
    memcpy(&number, at, bytes); /* hosts are little-endian: archives rely on it too */
    return number;
}

/* A walk that verifies. */
void check_init(struct check *c);
/* A walk that breaks the fact number `target`, from 0, and verifies nothing. */
void check_init_break(struct check *c, uint64_t target);
/* A walk that verifies, and hears what there is to break. */
void check_init_hear(struct check *c, void (*hear)(void *context, const char *name, uint64_t number), void *context);
/* Makes good again what a walk has broken. */
void check_mend(struct check *c);
/* Ends the program with a message when a fact did not hold: for builds that check as they run. */
void check_demand(const struct check *c);
/* The facts that follow are those of unit `kind` number `number`. */
void check_of(struct check *c, const char *kind, unsigned number);

/* Of the unsigned number at `kept`, of 1, 2, 4 or 8 bytes, the bits of `bits` are as in should_be. name: unit and field
 * as in the source, a constant; at: which slot, port or entry. */
void check_bits_told(struct check *c, const char *name, unsigned at, void *kept, size_t bytes, uint64_t bits,
                     uint64_t should_be);
static inline void check_bits(struct check *c, const char *name, unsigned at, void *kept, size_t bytes, uint64_t bits,
                              uint64_t should_be)
{
    if (!c->quiet || ((check_number(kept, bytes) ^ should_be) & bits))
        check_bits_told(c, name, at, kept, bytes, bits, should_be);
    else
        c->stated++;
}
/* All of it is. */
static inline void check_fact(struct check *c, const char *name, unsigned at, void *kept, size_t bytes,
                              uint64_t should_be)
{
    check_bits(c, name, at, kept, bytes, UINT64_MAX, should_be);
}
/* The number at `kept` is `most` at most: as a cycle before which nothing may happen. */
void check_at_most(struct check *c, const char *name, unsigned at, void *kept, size_t bytes, uint64_t most);
/* A relation that no single field keeps: it is verified, and not broken. */
void check_wrong(struct check *c, const char *name, unsigned at, uint64_t kept, uint64_t should_be);
static inline void check_holds(struct check *c, const char *name, unsigned at, bool holds)
{
    if (!holds)
        check_wrong(c, name, at, false, true);
}

/* CHECK_FACT(c, name, at, unit->field, recomputed) */
#define CHECK_FACT(c, name, at, field, should_be)                                                                      \
    check_fact((c), (name), (at), (void *)&(field), sizeof(field), (should_be))

#endif

/* Leases, which end by themselves: the deadlines that an L1 keeps for its agent, and a slice for its directory, which
 * know no clock. Each of some places (a line of the L1, an entry of the directory) has one lease at most. All leases
 * last equally long, so they end in the order in which they began: the places are a list in that order, and a place
 * whose lease begins anew goes to its end. */
#ifndef LOCKSTEP_MEMORY_LEASES_H
#define LOCKSTEP_MEMORY_LEASES_H

#include "base/arena.h"
#include "sim/cycle.h"

#define LEASES_NONE UINT32_MAX

struct lease {
    uint64_t end;          /* the first cycle in which it is over; 0: the place has none */
    uint32_t next, before; /* in the list, or LEASES_NONE */
};
struct leases {
    struct lease *of; /* by place */
    uint32_t count;   /* places */
    uint32_t length;  /* cycles that a lease lasts, at least 1 */
    uint32_t first, last;
};

void leases_init(struct leases *l, uint32_t count, uint32_t length, struct arena *arena);
/* A place's lease begins in a cycle, not earlier than that in which any other began. */
void leases_begin(struct leases *l, uint32_t place, uint64_t cycle);
/* The place whose lease ends first, if it is over in that cycle: it has none from now on. Else LEASES_NONE. */
uint32_t leases_take(struct leases *l, uint64_t cycle);
/* The first cycle in which one is over, or CYCLE_NEVER. */
static inline uint64_t leases_next(const struct leases *l)
{
    return l->first == LEASES_NONE ? CYCLE_NEVER : l->of[l->first].end;
}

struct check;
void leases_check(struct leases *l, struct check *c);
struct archive;
void leases_archive(struct leases *l, struct archive *ar);

#endif

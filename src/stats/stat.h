/* Statistics tables. A room declares its statistics once in a .def file with rows
 *     STAT(name, COUNTER | MAX | DISTINCT, "unit", "what is counted, when")
 *     STAT_WITH(needs, name, COUNTER | MAX | DISTINCT, "unit", "what is counted, when")
 * and expands it to uint64_t fields and to a table of descriptors, as for parameters. The hot path is `stats.issued++`.
 * Kind says how values of several units merge: counters add, maxima take the larger;
 * different things are counted once over all units by whoever collects, and of several launches the most is taken.
 * needs (enum stat_needs) says what a launch must have for the statistic to be measured at all; STAT alone needs TIME.
 */
#ifndef LOCKSTEP_STATS_STAT_H
#define LOCKSTEP_STATS_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum stat_kind { STAT_COUNTER, STAT_MAX, STAT_DISTINCT };

/* Features that not every launch has. A launch that lacks one of them leaves the statistics that need it at zero, and
 * its result gives them no value. */
enum stat_needs {
    STAT_NEEDS_NOTHING = 0,
    STAT_NEEDS_TIME = 1,       /* cycles: functional mode has none */
    STAT_NEEDS_DETECTOR = 2,   /* somebody who watches for spinning warps */
    STAT_NEEDS_MARKS = 4,      /* loops that the source marks as those in which threads wait */
    STAT_NEEDS_TRUTH = 8,      /* somebody who knows which loops spin */
    STAT_NEEDS_HARDWARE = 16,  /* a warp scheduler that says what storage it takes */
    STAT_NEEDS_FORMING = 32,   /* threads that go from warp to warp */
    STAT_NEEDS_PREFERRED = 64, /* schedulers that are asked every cycle whom they prefer */
    STAT_NEEDS_LINES = 128,    /* SMs that note the lines of atomic accesses */
};

struct stat_desc {
    const char *name;
    enum stat_kind kind;
    size_t offset; /* of a uint64_t */
    const char *unit, *doc;
    unsigned needs; /* set of enum stat_needs */
};

struct stat_group {
    const char *name, *doc; /* "l1d": becomes the object of that name in JSON, `l1d.` in text */
    const struct stat_desc *stats;
    unsigned count;
};

/* into := into merged with from, field by field. */
void stat_merge(const struct stat_group *group, void *into, const void *from);
uint64_t stat_value(const struct stat_desc *stat, const void *values);
/* Returns true if a launch that lacks all of `lacks` (a set of enum stat_needs) has measured the statistic. */
bool stat_measured(const struct stat_desc *stat, unsigned lacks);
/* Returns true if results leave the statistic out where it was not measured: it came after results had been
 * published. */
bool stat_is_quiet(const struct stat_desc *stat);

#endif

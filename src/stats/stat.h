/* Statistics tables. A room declares its statistics once in a .def file with rows
 *     STAT(name, COUNTER | MAX, "unit", "what is counted, when")
 * and expands it to uint64_t fields and to a table of descriptors, as for parameters. The hot path is `stats.issued++`.
 * Kind says how values of several units merge: counters add, maxima take the larger. */
#ifndef LOCKSTEP_STATS_STAT_H
#define LOCKSTEP_STATS_STAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum stat_kind { STAT_COUNTER, STAT_MAX };

struct stat_desc {
    const char *name;
    enum stat_kind kind;
    size_t offset; /* of a uint64_t */
    const char *unit, *doc;
};

struct stat_group {
    const char *name, *doc; /* "l1d": becomes the object of that name in JSON, `l1d.` in text */
    const struct stat_desc *stats;
    unsigned count;
};

/* into := into merged with from, field by field. */
void stat_merge(const struct stat_group *group, void *into, const void *from);
uint64_t stat_value(const struct stat_desc *stat, const void *values);

#endif

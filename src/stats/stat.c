/* Merging and reading of statistics through their descriptors. */
#include "stats/stat.h"

static uint64_t *field_of(const struct stat_desc *stat, void *values)
{
    return (uint64_t *)((char *)values + stat->offset);
}

uint64_t stat_value(const struct stat_desc *stat, const void *values)
{
    return *(const uint64_t *)((const char *)values + stat->offset);
}

bool stat_measured(const struct stat_desc *stat, unsigned lacks)
{
    return !(stat->needs & lacks);
}

bool stat_is_quiet(const struct stat_desc *stat)
{
    return stat->needs & (STAT_NEEDS_HARDWARE | STAT_NEEDS_FORMING | STAT_NEEDS_PREFERRED | STAT_NEEDS_LINES);
}

void stat_merge(const struct stat_group *group, void *into, const void *from)
{
    for (unsigned i = 0; i < group->count; i++) {
        const struct stat_desc *stat = &group->stats[i];
        uint64_t *sum = field_of(stat, into), value = stat_value(stat, from);
        if (stat->kind != STAT_COUNTER)
            *sum = value > *sum ? value : *sum;
        else
            *sum += value;
    }
}

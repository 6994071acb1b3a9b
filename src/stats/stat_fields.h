/* Expands a statistics table to fields; see stats/stat.h. */
#define STAT(name, kind, unit, doc) uint64_t name;
#define STAT_WITH(needs, name, kind, unit, doc) uint64_t name;

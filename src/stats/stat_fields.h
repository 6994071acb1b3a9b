/* Expands a statistics table to fields; see stats/stat.h. */
#define STAT(name, kind, unit, doc) uint64_t name;

/* Expands a statistics table to descriptors of struct STAT_STRUCT; see stats/stat.h. */
#define STAT(name, kind, unit, doc) {#name, STAT_##kind, offsetof(STAT_STRUCT, name), unit, doc},

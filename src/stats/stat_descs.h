/* Expands a statistics table to descriptors of struct STAT_STRUCT; see stats/stat.h. */
#define STAT(name, kind, unit, doc) STAT_WITH(TIME, name, kind, unit, doc)
#define STAT_WITH(needs, name, kind, unit, doc)                                                                        \
    {#name, STAT_##kind, offsetof(STAT_STRUCT, name), unit, doc, STAT_NEEDS_##needs},

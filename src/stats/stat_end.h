/* Ends a table's expansion; see stats/stat.h. */
#undef STAT
#undef STAT_WITH
#undef STAT_STRUCT

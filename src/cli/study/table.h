/* results.csv as it was written: a row of texts for each configuration, below a row of names. */
#ifndef LOCKSTEP_CLI_STUDY_TABLE_H
#define LOCKSTEP_CLI_STUDY_TABLE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

struct study_table {
    const char *path;
    size_t columns;
    const char *const *names;
    VEC(const char *const *) rows; /* each of as many texts as there are columns */
};

/* Reads a file of comma-separated values; texts belong to arena. -1 with a diagnostic that names the line. */
int study_table_read(struct study_table *table, const char *path, struct arena *arena, struct diag_sink *sink);
void study_table_free(struct study_table *table);
/* The place of a column; table->columns when there is none of that name. */
size_t study_table_column(const struct study_table *table, const char *name);

#endif

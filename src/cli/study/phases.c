/* Phases of blocks, for drawings of warps over time: of an execution that is run for them, the first blocks of SM 0 are
 * kept, each warp in each phase a row of table `phases`. Blocks are numbered in the order in which they began. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study/study.h"

/* Blocks of one launch that are kept: as many as an SM holds at once, so that they are those that began together. */
#define MOST_BLOCKS "8"

static const char gather[] =
    "CREATE TEMP TABLE IF NOT EXISTS gathered(launch INTEGER, kernel TEXT, x INTEGER, y INTEGER, z INTEGER, phase "
    "INTEGER, warp INTEGER, start INTEGER, arrival INTEGER, release INTEGER); DELETE FROM temp.gathered";

static const char keep[] =
    "INSERT INTO main.phases SELECT %lld, launch, kernel, block, phase, warp, start, arrival, release FROM "
    "(SELECT *, dense_rank() OVER (PARTITION BY launch ORDER BY began, z, y, x) - 1 AS block FROM "
    "(SELECT *, min(start) OVER (PARTITION BY launch, x, y, z) AS began FROM temp.gathered)) WHERE block < " MOST_BLOCKS
    " ORDER BY launch, block, phase, warp; DELETE FROM temp.gathered";

/* One line of CSV (gpu_phases_head) into the gathered ones, if it is of SM 0. Returns the line's end, or NULL with a
 * diagnostic. */
static const char *take_line(struct study *study, sqlite3_stmt *insert, const char *line)
{
    long long n[10]; /* launch; SM, and what follows it */
    char *at;
    n[0] = strtoll(line, &at, 10);
    const char *kernel = at + 1, *end = *at == ',' ? strchr(kernel, ',') : NULL;
    for (int i = 1; end && i < 10; i++) {
        n[i] = strtoll(end + 1, &at, 10);
        end = at > end + 1 && *at == (i < 9 ? ',' : '\n') ? at : NULL;
    }
    if (!end) {
        diag_error(study->sink, DIAG_NOWHERE, NULL, "a line of phases of blocks cannot be read: %.80s", line);
        return NULL;
    }
    if (n[1] != 0)
        return end;
    sqlite3_reset(insert);
    sqlite3_bind_int64(insert, 1, n[0]);
    sqlite3_bind_text(insert, 2, kernel, (int)(strchr(kernel, ',') - kernel), SQLITE_STATIC);
    for (int i = 2; i < 10; i++)
        sqlite3_bind_int64(insert, i + 1, n[i]);
    if (sqlite3_step(insert) == SQLITE_DONE)
        return end;
    study_complain(study, "phases");
    return NULL;
}

/* Behind the line that names the columns. */
static int take_lines(struct study *study, const char *text)
{
    sqlite3_stmt *insert = study_ask(study, "phases", "INSERT INTO temp.gathered VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const char *end = insert ? strchr(text, '\n') : NULL;
    while (end && end[1])
        end = take_line(study, insert, end + 1);
    sqlite3_finalize(insert);
    return end ? 0 : -1;
}

int study_store_phases(struct study *study, int64_t execution, const char *text)
{
    char sql[sizeof keep + 40];
    snprintf(sql, sizeof sql, "DELETE FROM phases WHERE execution = %lld", (long long)execution);
    if (study_tell(study, sql) < 0)
        return -1;
    if (!*text)
        return 0;
    snprintf(sql, sizeof sql, keep, (long long)execution);
    return study_tell(study, gather) < 0 || take_lines(study, text) < 0 ? -1 : study_tell(study, sql);
}

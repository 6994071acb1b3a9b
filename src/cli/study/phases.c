/* Phases of blocks, for drawings of warps over time: of an execution that is run for them, the first blocks of SM 0 are
 * kept, each warp in each phase a row of table `phases`. Blocks are numbered in the order in which they began. */
#include <stdio.h>
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

/* One line of CSV (gpu_phases_head) into the gathered ones. */
static int take_line(struct study *study, sqlite3_stmt *insert, const char *line)
{
    long long n[11];
    char kernel[400];
    if (sscanf(line, "%lld,%399[^,],%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld", &n[0], kernel, &n[2], &n[3], &n[4],
               &n[5], &n[6], &n[7], &n[8], &n[9], &n[10]) != 11)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "a line of phases of blocks cannot be read: %.80s", line);
    if (n[2] != 0)
        return 0;
    sqlite3_reset(insert);
    sqlite3_bind_int64(insert, 1, n[0]);
    sqlite3_bind_text(insert, 2, kernel, -1, SQLITE_STATIC);
    for (int i = 3; i < 11; i++)
        sqlite3_bind_int64(insert, i, n[i]);
    return sqlite3_step(insert) == SQLITE_DONE ? 0 : study_complain(study, "phases");
}

/* Behind the line that names the columns. */
static int take_lines(struct study *study, const char *text)
{
    char line[600]; /* of its own: sscanf would first look for the end of all the text */
    sqlite3_stmt *insert = study_ask(study, "phases", "INSERT INTO temp.gathered VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    int rc = insert ? 0 : -1;
    for (const char *end = strchr(text, '\n'); end && end[1] && rc == 0;) {
        const char *start = end + 1;
        end = strchr(start, '\n');
        snprintf(line, sizeof line, "%.*s", (int)(end ? (size_t)(end - start) : strlen(start)), start);
        rc = take_line(study, insert, line);
    }
    sqlite3_finalize(insert);
    return rc;
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

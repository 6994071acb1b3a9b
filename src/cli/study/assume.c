/* A study as if each of its runs had ended well, with numbers made up: in a database of its own in memory. What its
 * questions give there tells of how many results they are (check.c), which results an answer rests on (coverage.c), and
 * what they never find, however the runs end (doubts.c). */
#include "cli/study/judge.h"

/* Numbers that differ between runs and statistics, so that no two answers agree by accident, and are alike in size, so
 * that no condition of a question leaves a row out for it. */
#define SIZE "1000000"

/* Appends a text for each statistic of a table. form: of SQL's printf, with the column's name, number and name. */
static int add_columns(struct study *study, const char *table, const char *form, struct strbuf *sql)
{
    int rc = 0;
    sqlite3_stmt *stmt =
        study_ask(study, "columns",
                  arena_printf(&study->arena,
                               "SELECT printf(%s, name, cid, name) FROM pragma_table_info('%s', 'main') "
                               "WHERE name NOT IN ('execution', 'number', 'kernel', 'plain')",
                               form, table));
    while (stmt && study_next(study, "columns", stmt, &rc))
        strbuf_add(sql, (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    return stmt ? rc : -1;
}

static int add_kernels(struct study *study)
{
    struct strbuf sql = {0};
    strbuf_add(&sql, "INSERT INTO kernels(execution, number, kernel, plain");
    int rc = add_columns(study, "kernels", "',\"%s\"'", &sql);
    strbuf_add(&sql, ") SELECT id, 0, 'kernel', 'kernel'");
    rc |= add_columns(study, "kernels", "'%.0s, " SIZE " + (id * 7919 + %d * 10473) %% 99991'", &sql);
    strbuf_add(&sql, " FROM executions");
    rc |= rc ? 0 : study_tell(study, strbuf_text(&sql));
    strbuf_free(&sql);
    return rc;
}

/* Phases of a few warps, blocks and launches of each run that keeps them. */
static int add_phases(struct study *study)
{
    static const char sql[] = "WITH few AS (SELECT column1 AS n FROM (VALUES (0), (1), (2), (3))) INSERT INTO phases "
                              "SELECT e.id, l.n, 'kernel', "
                              "b.n, p.n, w.n, 1000 * p.n + w.n, 1000 * p.n + 500 + e.id %% 97 + w.n, 1000 * p.n + 999 "
                              "FROM executions e, few l, "
                              "few b, few p, few w WHERE e.id IN (%s)";
    struct strbuf ids = {0};
    for (size_t i = 0; i < study->executions.count; i++)
        if (study->executions.items[i].phases)
            strbuf_addf(&ids, "%s%lld", ids.length ? ", " : "", (long long)study->executions.items[i].id);
    int rc = study_tell(study, arena_printf(&study->arena, sql, strbuf_text(&ids)));
    strbuf_free(&ids);
    return rc;
}

int study_assume(struct study *study)
{
    static const struct study_world assumed = {STUDY_ASSUMED, 0};
    const char *ended = arena_printf(&study->arena,
                                     "UPDATE executions SET status = 'ok', seconds = 1, build = '%s'; "
                                     "UPDATE runs SET kernels = '*'; UPDATE tried SET kernels = '*'",
                                     study->build);
    unsigned shards = study->shards;
    study->shards = 0; /* of a shard as well all runs are assumed */
    int rc = study_open(study, ":memory:") < 0 || study_note_runs(study) < 0 || study_tell(study, ended) < 0 ? -1 : 0;
    study->shards = shards;
    if (rc < 0)
        return -1;
    if (add_kernels(study) < 0 || add_phases(study) < 0)
        return -1;
    return study_enter(study, &assumed);
}

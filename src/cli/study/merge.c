/* Joining shards: what each finished one found is taken into the database of the whole. A shard of another simulator,
 * or of a study that runs something else, is refused. */
#include <string.h>

#include "cli/study/study.h"

/* A text of the attached shard, "" when it has none. */
static const char *text_of(struct study *study, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    const char *text = "";
    study_trust(study);
    int rc = sqlite3_prepare_v2(study->db, sql, -1, &stmt, NULL);
    study_distrust(study);
    if (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
        text = arena_strdup(&study->arena, (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    return text;
}

static int check(struct study *study, const char *path)
{
    static const char hint[] = "run this shard again by the same line, or move its file away";
    const char *identity = text_of(study, "SELECT identity FROM part.shard");
    const char *definition = text_of(study, "SELECT definition FROM part.shard");
    const char *here = arena_printf(&study->arena, "%016llx", (unsigned long long)study_definition(study));
    if (!*identity)
        return diag_error(study->sink, DIAG_NOWHERE, hint, "%s is no shard of a study", path);
    if (strcmp(identity, study->build))
        return diag_error(study->sink, DIAG_NOWHERE, hint, "%s was made by another simulator: %s, this is %s", path,
                          identity, study->build);
    if (strcmp(definition, here))
        return diag_error(study->sink, DIAG_NOWHERE, hint,
                          "%s is of another definition of the study: what runs is %s there, %s here", path, definition,
                          here);
    return 0;
}

/* The columns of the shard's kernels as a list; those that the whole lacks get there. */
static const char *columns_of(struct study *study)
{
    struct strbuf list = {0};
    int rc = 0;
    sqlite3_stmt *stmt = study_ask(study, "columns", "SELECT name FROM pragma_table_info('kernels', 'part')");
    while (stmt && rc == 0 && study_next(study, "columns", stmt, &rc)) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        if (strcmp(name, "execution"))
            strbuf_addf(&list, ", k.\"%s\"", name);
        rc |= study_add_column(study, name);
    }
    sqlite3_finalize(stmt);
    const char *text = arena_strdup(&study->arena, strbuf_text(&list));
    strbuf_free(&list);
    return rc == 0 && *text ? text : NULL;
}

/* The column list without the table's name. */
static const char *plain(struct study *study, const char *columns)
{
    char *copy = arena_strdup(&study->arena, columns), *to = copy;
    for (const char *from = columns; *from; from++)
        if (!strncmp(from, ", k.", 4)) {
            *to++ = ',';
            from += 3;
        } else {
            *to++ = *from;
        }
    *to = '\0';
    return copy;
}

/* A column of the shard's executions, which one of a former version may lack. */
static const char *part_column(struct study *study, const char *name)
{
    bool known =
        sqlite3_table_column_metadata(study->db, "part", "executions", name, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
    return known ? arena_printf(&study->arena, "p.%s", name) : "NULL";
}

/* Results that the whole has stay, but for failed ones. */
static int take(struct study *study)
{
    const char *columns = columns_of(study);
    if (!columns)
        return -1;
    return study_tell(
        study,
        arena_printf(
            &study->arena,
            "BEGIN IMMEDIATE; CREATE TEMP TABLE taken AS SELECT m.id AS mine, p.id AS theirs FROM main.executions m "
            "JOIN part.executions p ON p.key = m.key AND p.build = '%s' AND p.seconds IS NOT NULL "
            "WHERE m.build <> '%s' OR m.status IN ('failed', '" STUDY_WAITS
            "') OR ifnull(m.phases, 0) < ifnull(p.phases, 0);"
            "DELETE FROM main.kernels WHERE execution IN (SELECT mine FROM taken);"
            "DELETE FROM main.phases WHERE execution IN (SELECT mine FROM taken);"
            "INSERT INTO main.phases SELECT t.mine, launch, kernel, block, phase, warp, start, arrival, release FROM "
            "taken t JOIN part.phases k ON k.execution = t.theirs ORDER BY t.mine, k.rowid;"
            "INSERT INTO main.kernels(execution%s) SELECT t.mine%s FROM taken t JOIN part.kernels k ON k.execution = "
            "t.theirs ORDER BY t.mine, k.number;"
            "UPDATE main.executions SET (status, error, seconds, build, phases, revision, content) = (SELECT p.status, "
            "p.error, "
            "p.seconds, "
            "p.build, p.phases, %s, %s "
            "FROM taken t JOIN part.executions p ON p.id = t.theirs WHERE t.mine = main.executions.id) "
            "WHERE id IN (SELECT mine FROM taken);"
            "DROP TABLE taken; COMMIT",
            study->build, study->build, plain(study, columns), columns, part_column(study, "revision"),
            part_column(study, "content")));
}

static int take_file(struct study *study, const char *path)
{
    char *attach = sqlite3_mprintf("ATTACH %Q AS part", path);
    int rc = attach ? study_tell(study, attach) : -1;
    sqlite3_free(attach);
    if (rc < 0)
        return -1;
    rc = check(study, path) < 0 ? -1 : take(study);
    if (rc < 0 && !sqlite3_get_autocommit(study->db))
        study_tell(study, "ROLLBACK");
    return study_tell(study, "DETACH part") < 0 ? -1 : rc;
}

int study_merge(struct study *study)
{
    int rc = 0;
    for (const struct study_shard *s = study_find_shards(study, ".sqlite"); s->of; s++)
        rc |= take_file(study, study_shard_path(study, *s, ".sqlite"));
    return rc < 0 ? -1 : study_name_kernels(study);
}

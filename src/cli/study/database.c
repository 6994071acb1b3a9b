/* The database of a study's results: SQLite, one file in the results folder. Its tables:
 *
 * executions: a row for each program: key, status (ok, hang, limit, failed, or not run), error, seconds, build (the
 * identity of the simulator that ran it), revision (the commit from which that was built), content (of files of a
 * suite, see suite.c).
 *
 * kernels: a row for each kernel of an execution: its name, that name as tables show it (plain), and every statistic of
 * its result as a column, those of a group with the group's name before theirs (sm_branches, dram_reads).
 *
 * phases: of executions that were run for them, the phases of the first blocks of SM 0, a row for each warp.
 *
 * runs: which benchmark in which configuration is which execution; made anew by each start.
 *
 * tried: the same of runs with an intervention, whose name it has as well.
 *
 * results: a view: a row for each run that ended well, statistics summed over the benchmark's kernels; of those that
 * are maxima, the largest. Results of other builds are left out, but for `--report`. */
#include <string.h>

#include "cli/commit.h"
#include "cli/study/study.h"
#include "config/yaml.h"

int study_complain(struct study *study, const char *what)
{
    return diag_error(study->sink, DIAG_NOWHERE, NULL, "study database: %s: %s", what, sqlite3_errmsg(study->db));
}

int study_tell(struct study *study, const char *sql)
{
    study_begin(&study->rights, study->db, false);
    study_trust(study);
    int rc = sqlite3_exec(study->db, sql, NULL, NULL, NULL);
    study_distrust(study);
    return rc == SQLITE_OK ? 0 : study_complain(study, sql);
}

static sqlite3_stmt *prepare(struct study *study, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    study_begin(&study->rights, study->db, false);
    study_trust(study);
    int rc = sqlite3_prepare_v2(study->db, sql, -1, &stmt, NULL);
    study_distrust(study);
    if (rc != SQLITE_OK)
        study_complain(study, sql);
    return stmt;
}

static int step_once(struct study *study, sqlite3_stmt *stmt)
{
    study_trust(study); /* a table that has changed is asked about again */
    int rc = sqlite3_step(stmt);
    study_distrust(study);
    sqlite3_finalize(stmt);
    return rc == SQLITE_DONE || rc == SQLITE_ROW ? 0 : study_complain(study, "insert");
}

/* Tables */

/* How long somebody else may look into the database while it is written, ms. */
#define PATIENCE 60000

int study_open(struct study *study, const char *path)
{
    if (sqlite3_open(path, &study->db) != SQLITE_OK)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "cannot open %s: %s", path, sqlite3_errmsg(study->db));
    sqlite3_busy_timeout(study->db, PATIENCE);
    if (sqlite3_open(":memory:", &study->bench) != SQLITE_OK)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "cannot open a database in memory");
    if (study_guard(&study->rights, study->db) < 0 || study_guard(&study->rights, study->bench) < 0)
        return study_complain(study, path);
    if (study_add_functions(study, study->db) < 0 || study_add_functions(study, study->bench) < 0)
        return -1;
    if (study_tell(study, "PRAGMA temp_store = MEMORY") < 0)
        return -1;
    return study_create_tables(study);
}

const char *study_database(struct study *study)
{
    return arena_printf(&study->arena, "%s/%s.sqlite", study->work, study->quick ? "quick" : "full");
}

void study_close(struct study *study)
{
    sqlite3_close(study->db);
    sqlite3_close(study->bench);
    memset(study->rights.budgets, 0, sizeof study->rights.budgets);
    study->db = study->bench = NULL;
}

/* Databases of former versions have 'failed' of what did not run, without seconds. */
static enum study_state state_of(const char *status, bool timed)
{
    if (!strcmp(status, STUDY_WAITS) || (!strcmp(status, "failed") && !timed))
        return STUDY_NOT_RUN;
    if (!strcmp(status, "ok"))
        return STUDY_ENDED;
    return !strcmp(status, "failed") ? STUDY_FAILED : STUDY_STOPPED;
}

/* True if the files of a suite that gave a result are those of now, as far as we know them. */
static bool is_of_content(struct study *study, const struct study_execution *e, int64_t id)
{
    if (!e->content || study->report)
        return true;
    sqlite3_stmt *stmt = prepare(study, "SELECT 1 FROM executions WHERE id = ? AND content = ?");
    int rc = stmt ? 0 : -1;
    if (stmt) {
        sqlite3_bind_int64(stmt, 1, id);
        sqlite3_bind_text(stmt, 2, e->content, -1, SQLITE_STATIC);
    }
    bool same = stmt && study_next(study, "executions", stmt, &rc);
    sqlite3_finalize(stmt);
    return same;
}

/* A result of other files than those of now is none. */
static int forget_stale(struct study *study, const struct study_execution *e)
{
    if (!e->id || !e->content || study->report || is_of_content(study, e, e->id))
        return 0;
    return study_tell(study,
                      arena_printf(&study->arena,
                                   "UPDATE executions SET status = '" STUDY_WAITS "', seconds = NULL WHERE id = %lld",
                                   (long long)e->id));
}

/* Finds the result of an execution: of several databases the best one. */
static int find_stored(struct study *study, struct study_execution *e)
{
    sqlite3_stmt *stmt = prepare(study, "SELECT id, status, build, seconds, phases FROM executions WHERE key = ?");
    if (!stmt)
        return -1;
    sqlite3_bind_text(stmt, 1, e->key, -1, SQLITE_STATIC);
    int rc = 0;
    if (study_next(study, "executions", stmt, &rc)) {
        bool timed = sqlite3_column_type(stmt, 3) != SQLITE_NULL;
        enum study_state state = state_of((const char *)sqlite3_column_text(stmt, 1), timed);
        bool ours = !strcmp((const char *)sqlite3_column_text(stmt, 2), study->build) &&
                    is_of_content(study, e, sqlite3_column_int64(stmt, 0));
        bool traced = !e->phases || sqlite3_column_int(stmt, 4);
        e->id = sqlite3_column_int64(stmt, 0);
        if (timed)
            e->seconds = sqlite3_column_double(stmt, 3);
        if ((ours || study->report) && state != STUDY_NOT_RUN && e->state != STUDY_ENDED)
            e->state = state;
        e->stored |= ours && traced && (state == STUDY_ENDED || state == STUDY_STOPPED);
    }
    sqlite3_finalize(stmt);
    return rc;
}

size_t study_count_state(const struct study *study, enum study_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < study->executions.count; i++)
        count += study->executions.items[i].state == state;
    return count;
}

int study_note_states(struct study *study)
{
    int rc = 0;
    for (size_t i = 0; i < study->executions.count; i++) {
        study->executions.items[i].state = STUDY_NOT_RUN;
        rc |= find_stored(study, &study->executions.items[i]);
    }
    return rc;
}

int64_t study_count(struct study *study, const char *sql)
{
    sqlite3_stmt *stmt = prepare(study, sql);
    int rc = stmt ? 0 : -1;
    int64_t count = stmt && study_next(study, sql, stmt, &rc) ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    return rc < 0 ? -1 : count;
}

bool study_peek(struct study *study, const char *path)
{
    struct diag_sink *sink = study->sink, ignored; /* an old database, or one that somebody writes, says nothing */
    bool there = sqlite3_open_v2(path, &study->db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
                 study_guard(&study->rights, study->db) == 0;
    diag_init(&ignored);
    study->sink = &ignored;
    for (size_t i = 0; there && i < study->executions.count; i++)
        there = find_stored(study, &study->executions.items[i]) == 0;
    study->sink = sink;
    diag_free(&ignored);
    study_close(study);
    return there;
}

static int new_execution(struct study *study, struct study_execution *e)
{
    sqlite3_stmt *stmt = prepare(study, "INSERT INTO executions(key, status, build) VALUES(?, '" STUDY_WAITS "', ?)");
    if (!stmt)
        return -1;
    sqlite3_bind_text(stmt, 1, e->key, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, study->build, -1, SQLITE_STATIC);
    if (step_once(study, stmt) < 0)
        return -1;
    e->id = sqlite3_last_insert_rowid(study->db);
    return 0;
}

/* A row of `runs`, or of `tried`, which has the intervention behind it. */
static const char *note_run_sql(struct study *study, const char *table, const char *more)
{
    const char *sql = arena_printf(&study->arena, "INSERT INTO %s VALUES(?, ?, ?, ?, ?, ?, ?, ?", table);
    for (size_t i = 0; i < study->grid.count; i++)
        sql = arena_printf(&study->arena, "%s, ?", sql);
    return arena_printf(&study->arena, "%s%s)", sql, more);
}

void study_bind(sqlite3_stmt *stmt, int at, const char *value)
{
    char *end = NULL;
    double number = value ? strtod(value, &end) : 0;
    uint64_t whole;
    if (!value)
        sqlite3_bind_null(stmt, at);
    else if (config_parse_u64(value, &whole))
        sqlite3_bind_int64(stmt, at, (int64_t)whole);
    else if (*value && !*end)
        sqlite3_bind_double(stmt, at, number);
    else
        sqlite3_bind_text(stmt, at, value, -1, SQLITE_STATIC);
}

static int note_run(struct study *study, const struct study_run *run, const char *sql, bool tried)
{
    sqlite3_stmt *stmt = prepare(study, sql);
    if (!stmt)
        return -1;
    const char *texts[] = {run->benchmark->name, run->machine, run->scheduler, run->reading};
    for (int i = 0; i < 4; i++)
        sqlite3_bind_text(stmt, i + 1, texts[i], -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 5, run->variant);
    sqlite3_bind_int64(stmt, 6, run->variants);
    sqlite3_bind_text(stmt, 7, run->kernels, -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 8, study->executions.items[run->execution].id);
    for (size_t i = 0; i < study->grid.count; i++)
        study_bind(stmt, 9 + (int)i, run->grid[i]);
    if (tried)
        sqlite3_bind_text(stmt, 9 + (int)study->grid.count, study->interventions.items[run->tried].name, -1,
                          SQLITE_STATIC);
    return step_once(study, stmt);
}

int study_note_runs(struct study *study)
{
    const char *sql = note_run_sql(study, "runs", ""), *tried = note_run_sql(study, "tried", ", ?");
    int rc = study_tell(study, "BEGIN IMMEDIATE");
    for (size_t i = 0; rc == 0 && i < study->executions.count; i++) {
        struct study_execution *e = &study->executions.items[i];
        if (!study_is_mine(study, i))
            continue;
        e->id = 0; /* another database may have been looked into */
        rc = find_stored(study, e) < 0 ? -1 : forget_stale(study, e);
        if (rc == 0 && !e->id)
            rc = new_execution(study, e);
    }
    for (size_t i = 0; rc == 0 && i < study->runs.count; i++)
        if (study_is_mine(study, study->runs.items[i].execution))
            rc = note_run(study, &study->runs.items[i], sql, false);
    for (size_t i = 0; rc == 0 && i < study->tried.count; i++)
        if (study_is_mine(study, study->tried.items[i].execution))
            rc = note_run(study, &study->tried.items[i], tried, true);
    return study_tell(study, "COMMIT") < 0 ? -1 : rc;
}

/* Results */

struct row {
    struct strbuf columns, values;
};

/* A number as a column; one that no other build knew gets its column now. */
static int add_number(struct study *study, struct row *row, const char *group, const char *name, const json_t *value)
{
    char column[160];
    if (!json_is_number(value))
        return 0;
    snprintf(column, sizeof column, "%s%s%s", group ? group : "", group ? "_" : "", name);
    if (study_add_column(study, column) < 0)
        return -1;
    strbuf_addf(&row->columns, ", \"%s\"", column);
    if (json_is_integer(value))
        strbuf_addf(&row->values, ", %lld", (long long)json_integer_value(value));
    else
        strbuf_addf(&row->values, ", %.17g", json_real_value(value));
    return 0;
}

static int add_numbers(struct study *study, struct row *row, const char *group, json_t *object)
{
    const char *name;
    json_t *value;
    int rc = 0;
    json_object_foreach(object, name, value)
    {
        if (json_is_object(value) && !group && strcmp(name, "host"))
            rc |= add_numbers(study, row, name, value);
        else
            rc |= add_number(study, row, group, name, value);
    }
    return rc;
}

static json_int_t product(const json_t *extent)
{
    json_int_t product = 1;
    size_t i;
    json_t *side;
    json_array_foreach((json_t *)extent, i, side) product *= json_integer_value(side);
    return product;
}

/* The shape of the launch, which the document has as two extents. */
static int add_shape(struct study *study, struct row *row, const json_t *kernel)
{
    const json_t *grid = json_object_get(kernel, "grid"), *block = json_object_get(kernel, "block");
    if (!grid || !block)
        return 0;
    json_int_t blocks = product(grid), threads = product(block);
    json_t *shape =
        json_pack("{sIsIsI}", "launch_blocks", blocks, "block_threads", threads, "launch_threads", blocks * threads);
    int rc = add_numbers(study, row, NULL, shape);
    json_decref(shape);
    return rc;
}

static int store_kernel(struct study *study, int64_t execution, size_t number, json_t *kernel)
{
    struct row row = {{0}, {0}};
    struct strbuf sql = {0};
    int rc = add_numbers(study, &row, NULL, kernel) | add_shape(study, &row, kernel);
    strbuf_addf(&sql, "INSERT INTO kernels(execution, number, kernel, plain%s) VALUES(%lld, %zu, ?1, plainname(?1)%s)",
                strbuf_text(&row.columns), (long long)execution, number, strbuf_text(&row.values));
    sqlite3_stmt *stmt = rc == 0 ? prepare(study, strbuf_text(&sql)) : NULL;
    if (stmt) {
        const char *name = json_string_value(json_object_get(kernel, "name"));
        sqlite3_bind_text(stmt, 1, name ? name : "", -1, SQLITE_TRANSIENT);
        rc = step_once(study, stmt);
    }
    strbuf_free(&sql);
    strbuf_free(&row.columns);
    strbuf_free(&row.values);
    return stmt ? rc : -1;
}

static int store_execution(struct study *study, const struct study_execution *e, const struct study_left *left)
{
    sqlite3_stmt *stmt = prepare(study, "UPDATE executions SET status = ?, error = ?, seconds = ?, build = ?, phases = "
                                        "?, revision = ?, content = ? WHERE "
                                        "id = ?");
    if (!stmt)
        return -1;
    sqlite3_bind_text(stmt, 1, left->status, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, left->error, -1, SQLITE_STATIC);
    sqlite3_bind_double(stmt, 3, left->seconds);
    sqlite3_bind_text(stmt, 4, study->build, -1, SQLITE_STATIC);
    sqlite3_bind_int(stmt, 5, left->phases != NULL);
    sqlite3_bind_text(stmt, 6, cli_commit, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 7, e->content, -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 8, e->id);
    return step_once(study, stmt);
}

int study_store(struct study *study, struct study_execution *e, const struct study_left *left)
{
    char clear[80];
    snprintf(clear, sizeof clear, "DELETE FROM kernels WHERE execution = %lld", (long long)e->id);
    json_t *kernels = json_object_get(left->document, "kernels"), *kernel;
    size_t i;
    int rc = study_tell(study, "BEGIN IMMEDIATE");
    if (rc < 0)
        return -1;
    rc |= study_tell(study, clear);
    json_array_foreach(kernels, i, kernel) rc |= rc ? 0 : store_kernel(study, e->id, i, kernel);
    rc |= rc ? 0 : study_store_phases(study, e->id, left->phases ? left->phases : "");
    rc |= rc ? 0 : store_execution(study, e, left);
    rc |= study_tell(study, rc ? "ROLLBACK" : "COMMIT");
    e->stored = rc == 0;
    return rc;
}

/* Questions */

static void add_quoted(struct strbuf *sql, const char *text, size_t length)
{
    strbuf_add(sql, "'");
    for (size_t i = 0; i < length; i++)
        strbuf_addf(sql, text[i] == '\'' ? "''" : "%c", text[i]);
    strbuf_add(sql, "'");
}

/* One line of comma-separated values as `('a', 'b')`, or `a, b` for names; numbers stay numbers. */
static void add_line(struct strbuf *sql, const char *line, size_t length, const char *open, const char *close)
{
    strbuf_add(sql, open);
    for (size_t at = 0; at <= length;) {
        size_t n = 0;
        while (at + n < length && line[at + n] != ',')
            n++;
        bool number = n && strspn(line + at, "0123456789.") >= n;
        strbuf_add(sql, at ? ", " : "");
        if (number)
            strbuf_addn(sql, line + at, n);
        else
            add_quoted(sql, line + at, n);
        at += n + 1;
    }
    strbuf_add(sql, close);
}

static int import(struct study *study, const struct study_import *from)
{
    struct strbuf text = {0}, sql = {0};
    int rc = cli_read_file(arena_printf(&study->arena, "%s/%s", study->folder, from->file), &text, study->sink);
    const char *line = strbuf_text(&text);
    strbuf_addf(&sql, "CREATE TEMP TABLE \"%s\"", from->name);
    for (bool first = true; rc == 0 && *line; first = false) {
        size_t length = strcspn(line, "\r\n");
        if (!first)
            strbuf_addf(&sql, "INSERT INTO \"%s\" VALUES", from->name);
        add_line(&sql, line, length, "(", ");");
        line += length;
        line += strspn(line, "\r\n");
    }
    if (rc == 0)
        rc = study_tell(study, strbuf_text(&sql));
    strbuf_free(&sql);
    strbuf_free(&text);
    return rc;
}

int study_import(struct study *study)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < study->imports.count; i++)
        rc = import(study, &study->imports.items[i]);
    return rc;
}

sqlite3_stmt *study_ask(struct study *study, const char *what, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    study_begin(&study->rights, study->db, false);
    study_trust(study);
    int rc = sqlite3_prepare_v2(study->db, sql, -1, &stmt, NULL);
    study_distrust(study);
    if (rc == SQLITE_OK && stmt)
        return stmt;
    diag_error(study->sink, DIAG_NOWHERE, NULL, "%s: %s", what, sqlite3_errmsg(study->db));
    return NULL;
}

bool study_next(struct study *study, const char *what, sqlite3_stmt *stmt, int *rc)
{
    int answer = sqlite3_step(stmt);
    if (answer == SQLITE_ROW && !study_row(&study->rights, study->db))
        return true;
    if (answer != SQLITE_DONE)
        *rc = diag_error(study->sink, DIAG_NOWHERE, NULL, "%s: %s", what, study_said(&study->rights, study->db));
    return false;
}

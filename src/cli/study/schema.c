/* The tables of a study's database and the views `results` and `variants_of_results` over them: see database.c. Every
 * statistic has its column from the start, measured or not, so that questions can be asked before anything has run. */
#include <stdio.h>
#include <string.h>

#include "cli/study/study.h"

/* Columns that are no statistic of a group, and how the values of several kernels make one; NULL: not at all.
 * launch_blocks to launch_threads come of a launch's `grid` and `block`. */
static const struct column {
    const char *name, *merge;
} headline[] = {
    {"dynamic_shared_bytes", "max"},
    {"static_shared_bytes", "max"},
    {"registers", "max"},
    {"blocks_per_sm", "max"},
    {"launch_blocks", "max"},
    {"block_threads", "max"},
    {"launch_threads", "max"},
    {"cycles", "sum"},
    {"gap_cycles", "sum"},
    {"time_ns", "sum"},
    {"warp_instructions", "sum"},
    {"thread_instructions", "sum"},
    {"ipc", NULL},
    {"simd_efficiency", NULL},
};
#define HEADLINE_COUNT (sizeof headline / sizeof *headline)

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS executions(id INTEGER PRIMARY KEY, key TEXT UNIQUE, status TEXT, error TEXT, seconds "
    "REAL, "
    "build TEXT, phases INTEGER);"
    "CREATE TABLE IF NOT EXISTS kernels(execution INTEGER, number INTEGER, kernel TEXT, plain TEXT);"
    "CREATE INDEX IF NOT EXISTS kernels_of ON kernels(execution);"
    "CREATE TABLE IF NOT EXISTS phases(execution INTEGER, launch INTEGER, kernel TEXT, block INTEGER, phase INTEGER, "
    "warp INTEGER, start INTEGER, arrival INTEGER, release INTEGER);"
    "CREATE INDEX IF NOT EXISTS phases_of ON phases(execution);"
    "DROP VIEW IF EXISTS results;"
    "DROP VIEW IF EXISTS variants_of_results;"
    "DROP VIEW IF EXISTS phases_of_results;"
    "DROP VIEW IF EXISTS tried_results;"
    "DROP TABLE IF EXISTS runs; DROP TABLE IF EXISTS tried;";

/* Former versions called a run that had not been run 'failed', without seconds. */
static const char renew[] =
    "UPDATE executions SET status = '" STUDY_WAITS "' WHERE status = 'failed' AND seconds IS NULL";

static int add_column_of(struct study *study, const char *table, const char *name)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    char sql[240];
    if (name[strspn(name, word)] || strlen(name) > 150)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "study database: '%s' is no name of a statistic", name);
    if (sqlite3_table_column_metadata(study->db, NULL, table, name, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    snprintf(sql, sizeof sql, "ALTER TABLE %s ADD COLUMN \"%s\"", table, name);
    return study_tell(study, sql);
}

int study_add_column(struct study *study, const char *name)
{
    return add_column_of(study, "kernels", name);
}

/* Calls take for every column, in order, until it fails. merge: see struct column. */
static int each_column(struct study *study, void *context,
                       int (*take)(struct study *study, const char *name, const char *merge, void *context))
{
    struct gpu_result shape;
    unsigned count;
    int rc = 0;
    gpu_result_blank(&shape);
    const struct gpu_stat_set *sets = gpu_result_sets(&shape, &count);
    for (unsigned i = 0; i < HEADLINE_COUNT && rc == 0; i++)
        rc = take(study, headline[i].name, headline[i].merge, context);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < sets[i].group->count && rc == 0; k++) {
            const struct stat_desc *stat = &sets[i].group->stats[k];
            const char *name = arena_printf(&study->arena, "%s_%s", sets[i].group->name, stat->name);
            rc = take(study, name, stat->kind == STAT_COUNTER ? "sum" : "max", context);
        }
    gpu_result_free(&shape);
    return rc;
}

static int add_column(struct study *study, const char *name, const char *merge, void *context)
{
    (void)merge, (void)context;
    return study_add_column(study, name);
}

/* A gridded parameter's column: set_gpu_sms. */
const char *study_grid_column(struct study *study, size_t i)
{
    char *name = arena_printf(&study->arena, "set_%s", study->grid.items[i]);
    for (char *dot = name; (dot = strchr(dot, '.'));)
        *dot = '_';
    return name;
}

void study_add_same_point(struct study *study, const char *a, const char *b, struct strbuf *sql)
{
    for (size_t i = 0; i < study->grid.count; i++) {
        const char *column = study_grid_column(study, i);
        strbuf_addf(sql, " AND %s.\"%s\" IS %s.\"%s\"", a, column, b, column);
    }
}

/* Appends `, BEFORE"set_gpu_sms"AFTER` for each gridded parameter. */
static void add_grid(struct study *study, struct strbuf *sql, const char *before, const char *after)
{
    for (size_t i = 0; i < study->grid.count; i++)
        strbuf_addf(sql, ", %s\"%s\"%s", before, study_grid_column(study, i), after);
}

static int create_runs(struct study *study)
{
    static const char columns[] =
        "(benchmark TEXT, machine TEXT, scheduler TEXT, reading TEXT, variant INTEGER, variants "
        "INTEGER, kernels TEXT, execution INTEGER";
    struct strbuf sql = {0};
    strbuf_addf(&sql, "CREATE TABLE runs%s", columns);
    add_grid(study, &sql, "", "");
    strbuf_addf(&sql, "); CREATE TABLE tried%s", columns);
    add_grid(study, &sql, "", "");
    strbuf_add(&sql, ", intervention TEXT)");
    int rc = study_tell(study, strbuf_text(&sql));
    strbuf_free(&sql);
    return rc;
}

int study_name_kernels(struct study *study)
{
    return study_tell(study, "UPDATE kernels SET plain = plainname(kernel) WHERE plain IS NULL");
}

int study_create_tables(struct study *study)
{
    if (study_tell(study, "BEGIN IMMEDIATE") < 0)
        return -1;
    int rc = study_tell(study, tables) < 0 || add_column_of(study, "executions", "phases") < 0 ||
                     add_column_of(study, "executions", "revision") < 0 ||
                     add_column_of(study, "executions", "content") < 0 ||
                     add_column_of(study, "kernels", "plain") < 0 || create_runs(study) < 0 ||
                     each_column(study, NULL, add_column) < 0 || study_name_kernels(study) < 0 ||
                     study_tell(study, renew) < 0
                 ? -1
                 : 0;
    return study_tell(study, rc < 0 ? "ROLLBACK" : "COMMIT") < 0 ? -1 : rc;
}

/* Over the kernels of a run. */
static int add_merged(struct study *study, const char *name, const char *merge, void *context)
{
    (void)study;
    if (merge)
        strbuf_addf(context, ", %s(k.\"%s\") AS \"%s\"", merge, name, name);
    return 0;
}

/* Over the variants of a configuration: the mean, of one variant as it is; of maxima the largest. */
static int add_mean(struct study *study, const char *name, const char *merge, void *context)
{
    (void)study;
    if (merge && !strcmp(merge, "max"))
        strbuf_addf(context, ", max(\"%s\") AS \"%s\"", name, name);
    else if (merge)
        strbuf_addf(context, ", CASE WHEN count(*) = 1 THEN max(\"%s\") ELSE avg(\"%s\") END AS \"%s\"", name, name,
                    name);
    if (!strcmp(name, "cycles"))
        strbuf_add(context, ", min(cycles) AS cycles_least, max(cycles) AS cycles_most");
    return 0;
}

/* The means of results.csv in the place of runs. What it does not have was not measured. */

static void add_committed(struct study *study, const char *name, struct strbuf *sql)
{
    bool there =
        sqlite3_table_column_metadata(study->db, "main", "committed", name, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
    strbuf_addf(sql, there ? ", \"%s\"" : ", NULL AS \"%s\"", name);
}

static int add_one(struct study *study, const char *name, const char *merge, void *context)
{
    if (merge)
        add_committed(study, name, context);
    return 0;
}

static int add_mean_of_them(struct study *study, const char *name, const char *merge, void *context)
{
    add_one(study, name, merge, context);
    if (!strcmp(name, "cycles")) {
        add_committed(study, "cycles_least", context);
        add_committed(study, "cycles_most", context);
    }
    return 0;
}

/* Of variants, those alone that their configuration has one of. */
static void committed_views(struct study *study, struct strbuf *sql)
{
    strbuf_add(sql, "CREATE VIEW variants_of_results AS SELECT benchmark, machine, scheduler, reading");
    add_grid(study, sql, "", "");
    strbuf_add(sql, ", 0 AS variant, variants, NULL AS seconds, launches");
    each_column(study, sql, add_one);
    strbuf_add(
        sql,
        " FROM committed WHERE variants = 1; CREATE VIEW results AS SELECT benchmark, machine, scheduler, reading");
    add_grid(study, sql, "", "");
    strbuf_add(sql, ", variants, NULL AS seconds, launches");
    each_column(study, sql, add_mean_of_them);
    strbuf_add(sql, " FROM committed");
}

/* A row for each variant of those runs that ended well. `more`: a column besides, or "". */
static void select_variants(struct study *study, const char *runs, const char *more, struct strbuf *sql)
{
    strbuf_add(sql, "SELECT r.benchmark, r.machine, r.scheduler, r.reading");
    add_grid(study, sql, "r.", "");
    strbuf_add(sql, ", r.variant, r.variants, e.seconds, count(*) AS launches");
    each_column(study, sql, add_merged);
    strbuf_addf(sql, "%s FROM %s r JOIN executions e ON e.id = r.execution AND e.status = 'ok' ", more, runs);
    if (!study->report)
        strbuf_addf(sql, "AND e.build = '%s' ", study->build);
    strbuf_addf(sql,
                "JOIN kernels k ON k.execution = e.id AND (k.kernel GLOB r.kernels OR k.plain GLOB r.kernels) "
                "GROUP BY r.benchmark, r.machine, r.scheduler, r.reading%s",
                more);
    add_grid(study, sql, "r.", "");
    strbuf_add(sql, ", r.variant");
}

/* The means over the variants that `from` gives. */
static void select_results(struct study *study, const char *from, const char *more, struct strbuf *sql)
{
    strbuf_add(sql, "SELECT benchmark, machine, scheduler, reading");
    add_grid(study, sql, "", "");
    strbuf_add(sql, ", count(*) AS variants");
    add_mean(study, "seconds", "sum", sql);
    add_mean(study, "launches", "sum", sql);
    each_column(study, sql, add_mean);
    strbuf_addf(sql, "%s FROM %s GROUP BY benchmark, machine, scheduler, reading%s", more, from, more);
    add_grid(study, sql, "", "");
}

static void add_result_views(struct study *study, struct strbuf *sql)
{
    strbuf_add(sql, "CREATE VIEW variants_of_results AS ");
    select_variants(study, "runs", "", sql);
    strbuf_add(sql, "; CREATE VIEW results AS ");
    select_results(study, "variants_of_results", "", sql);
}

static void add_tried_view(struct study *study, struct strbuf *sql)
{
    strbuf_add(sql, "; CREATE VIEW tried_results AS WITH variants_tried AS (");
    select_variants(study, "tried", ", r.intervention", sql);
    strbuf_add(sql, ") ");
    select_results(study, "variants_tried", ", intervention", sql);
}

/* A row for each warp in each phase of the blocks that are kept. */
static void phases_view(struct study *study, struct strbuf *sql)
{
    strbuf_add(sql, "; CREATE VIEW phases_of_results AS SELECT r.benchmark, r.machine, r.scheduler, r.reading");
    add_grid(study, sql, "r.", "");
    strbuf_add(sql, ", r.variant, p.launch, p.kernel, p.block, p.phase, p.warp, p.start, p.arrival, p.release "
                    "FROM runs r JOIN executions e ON e.id = r.execution AND e.status = 'ok' ");
    if (!study->report)
        strbuf_addf(sql, "AND e.build = '%s' ", study->build);
    strbuf_add(sql,
               "JOIN phases p ON p.execution = e.id AND (p.kernel GLOB r.kernels OR EXISTS (SELECT 1 FROM kernels k "
               "WHERE k.execution = e.id AND k.kernel = p.kernel AND k.plain GLOB r.kernels))");
}

int study_make_view(struct study *study)
{
    struct strbuf sql = {0};
    strbuf_add(&sql, "BEGIN IMMEDIATE; DROP VIEW IF EXISTS results; DROP VIEW IF EXISTS variants_of_results; "
                     "DROP VIEW IF EXISTS phases_of_results; DROP VIEW IF EXISTS tried_results; ");
    if (study->committed) {
        committed_views(study, &sql);
    } else {
        add_result_views(study, &sql);
    }
    add_tried_view(study, &sql);
    phases_view(study, &sql);
    strbuf_add(&sql, "; COMMIT");
    int rc = study_tell(study, strbuf_text(&sql));
    strbuf_free(&sql);
    return rc;
}

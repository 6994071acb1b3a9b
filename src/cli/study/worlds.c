/* The worlds in which questions are answered: see judge.h. Each has a temporary table `results`, which shadows the view
 * of that name, and the study's tables and views made anew, so that a question is written once, over `results`. */
#include <string.h>

#include "cli/study/judge.h"

struct names {
    VEC(const char *) items;
};

/* The texts that a question gives. */
static int list_texts(struct study *study, const char *sql, struct names *names)
{
    int rc = 0;
    sqlite3_stmt *stmt = study_ask(study, "tables", sql);
    while (stmt && study_next(study, "tables", stmt, &rc))
        vec_push(&names->items, arena_strdup(&study->arena, (const char *)sqlite3_column_text(stmt, 0)));
    sqlite3_finalize(stmt);
    return stmt ? rc : -1;
}

/* Leaves the present scenario: views and tables that it made are temporary, and are dropped. */
static int leave(struct study *study)
{
    struct names drops = {{0}};
    int rc = list_texts(study,
                        "SELECT 'DROP ' || type || ' temp.\"' || replace(name, '\"', '\"\"') || '\"' FROM "
                        "sqlite_temp_master WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite_%' ORDER BY type "
                        "DESC",
                        &drops);
    for (size_t i = 0; rc == 0 && i < drops.items.count; i++)
        rc = study_tell(study, drops.items.items[i]);
    vec_free(&drops.items);
    return rc;
}

/* The results of a variant: of each configuration the one of that number, or, of fewer variants, the one in its place.
 * Columns are those of `results`; where a variant has no such column, it is cycles_least or cycles_most. */
static int add_variant(struct study *study, unsigned variant, struct strbuf *sql)
{
    struct names columns = {{0}};
    int rc = list_texts(study,
                        "SELECT CASE WHEN v.name IS NULL THEN 'cycles AS \"' ELSE '\"' END || r.name || '\"' FROM "
                        "pragma_table_info('results', 'main') r LEFT JOIN pragma_table_info('variants_of_results', "
                        "'main') v ON v.name = r.name ORDER BY r.cid",
                        &columns);
    strbuf_add(sql, "CREATE TEMP TABLE results AS SELECT ");
    for (size_t i = 0; i < columns.items.count; i++)
        strbuf_addf(sql, "%s%s", i ? ", " : "", columns.items.items[i]);
    strbuf_addf(sql,
                " FROM main.variants_of_results WHERE variant = %u %% variants;"
                "CREATE TEMP VIEW runs AS SELECT * FROM main.runs WHERE variant = %u %% variants",
                variant, variant);
    vec_free(&columns.items);
    return rc;
}

/* Programs whose cycles differ by more than a tenth of their mean where they ran several times. */
static const char varying[] =
    " AND r.benchmark IN (SELECT benchmark FROM main.results WHERE variants > 1 AND cycles_most - "
    "cycles_least > 0.1 * cycles)";

/* The results but for configurations that were to have so many variants, ended well or not; `of`: those of some alone.
 */
static int add_without(struct study *study, unsigned variants, const char *of, struct strbuf *sql)
{
    struct names columns = {{0}};
    int rc = list_texts(study,
                        "SELECT r.name FROM pragma_table_info('results', 'main') r JOIN pragma_table_info('runs', "
                        "'main') p ON p.name = r.name WHERE r.name <> 'variants'",
                        &columns);
    strbuf_add(sql,
               "CREATE TEMP TABLE results AS SELECT * FROM main.results s WHERE NOT EXISTS (SELECT 1 FROM main.runs "
               "r WHERE ");
    for (size_t i = 0; i < columns.items.count; i++)
        strbuf_addf(sql, "r.\"%s\" IS s.\"%s\" AND ", columns.items.items[i], columns.items.items[i]);
    strbuf_addf(sql,
                "r.variants = %u%s);"
                "CREATE TEMP VIEW runs AS SELECT * FROM main.runs r WHERE NOT (variants = %u%s)",
                variants, of, variants, of);
    vec_free(&columns.items);
    return rc;
}

/* The results, with those of an intervention in the place of their own wherever it was to run: also where that has not
 * ended well. */
static int add_tried(struct study *study, unsigned number, struct strbuf *sql)
{
    struct names columns = {{0}};
    const char *name = study->interventions.items[number].name;
    int rc = list_texts(study, "SELECT name FROM pragma_table_info('results', 'main')", &columns);
    char *head =
        sqlite3_mprintf("SELECT * FROM main.results s WHERE NOT EXISTS (SELECT 1 FROM main.tried t WHERE "
                        "t.intervention = %Q AND t.benchmark = s.benchmark AND t.machine = s.machine AND t.scheduler = "
                        "s.scheduler AND t.reading = s.reading",
                        name);
    strbuf_addf(sql, "CREATE TEMP TABLE results AS %s", head);
    sqlite3_free(head);
    study_add_same_point(study, "t", "s", sql);
    strbuf_add(sql, ") UNION ALL SELECT ");
    for (size_t i = 0; i < columns.items.count; i++)
        strbuf_addf(sql, "%s\"%s\"", i ? ", " : "", columns.items.items[i]);
    char *tail = sqlite3_mprintf(" FROM main.tried_results WHERE intervention = %Q", name);
    strbuf_add(sql, tail);
    sqlite3_free(tail);
    vec_free(&columns.items);
    return rc;
}

/* The SQL of all questions, one behind the other. */
static void add_questions(const struct study *study, struct strbuf *text)
{
    strbuf_add(text, study->views);
    for (size_t i = 0; i < study->claims.count; i++)
        strbuf_addf(text, " %s", study->claims.items[i].sql);
    for (size_t i = 0; i < study->figures.count; i++)
        strbuf_addf(text, " %s", study->figures.items[i].sql);
    for (size_t i = 0; i < study->findings.count; i++)
        strbuf_addf(text, " %s", study->findings.items[i].sql);
}

/* All results, but of their statistics only those whose names the questions have in them. */
static int add_named(struct study *study, struct strbuf *sql)
{
    struct strbuf text = {0};
    struct names keys = {{0}}, statistics = {{0}};
    int rc = list_texts(study,
                        "SELECT name FROM pragma_table_info('results', 'main') WHERE name NOT IN (SELECT name FROM "
                        "pragma_table_info('kernels', 'main'))",
                        &keys) |
             list_texts(study,
                        "SELECT name FROM pragma_table_info('results', 'main') WHERE name IN (SELECT name FROM "
                        "pragma_table_info('kernels', 'main'))",
                        &statistics);
    add_questions(study, &text);
    strbuf_add(sql, "CREATE TEMP TABLE results AS SELECT ");
    for (size_t i = 0; i < keys.items.count; i++)
        strbuf_addf(sql, "%s\"%s\"", i ? ", " : "", keys.items.items[i]);
    for (size_t i = 0; i < statistics.items.count; i++)
        if (strstr(strbuf_text(&text), statistics.items.items[i]))
            strbuf_addf(sql, ", \"%s\"", statistics.items.items[i]);
    strbuf_add(sql, " FROM main.results");
    vec_free(&keys.items);
    vec_free(&statistics.items);
    strbuf_free(&text);
    return rc;
}

static int make_results(struct study *study, const struct study_world *world)
{
    struct strbuf sql = {0};
    int rc = 0;
    if (world->kind == STUDY_VARIANT)
        rc = add_variant(study, world->number, &sql);
    else if (world->kind == STUDY_WITHOUT)
        rc = add_without(study, world->number, "", &sql);
    else if (world->kind == STUDY_WITHOUT_VARYING)
        rc = add_without(study, 1, varying, &sql);
    else if (world->kind == STUDY_TRIED)
        rc = add_tried(study, world->number, &sql);
    else if (world->kind == STUDY_ASSUMED)
        rc = add_named(study, &sql);
    else
        strbuf_add(&sql, "CREATE TEMP TABLE results AS SELECT * FROM main.results");
    if (rc == 0)
        rc = study_tell(study, strbuf_text(&sql));
    strbuf_free(&sql);
    return rc;
}

/* Runs the statements of `views`, each by itself, so that what is wrong has its line. */
static int make_views(struct study *study)
{
    const char *sql = study->views, *rest, *said;
    for (; *sql; sql = rest) {
        long before = sql - study->views;
        sqlite3_stmt *stmt = study_prepare(&study->rights, study->db, sql, true, &rest, &said);
        long offset = said ? sqlite3_error_offset(study->db) : 0;
        study->rights.views = true; /* a step may prepare the statement again */
        while (stmt && sqlite3_step(stmt) == SQLITE_ROW)
            ;
        study->rights.views = false;
        if (sqlite3_finalize(stmt) != SQLITE_OK)
            said = study_said(&study->rights, study->db);
        if (said)
            return study_fault_in(study, study->views_node, offset < 0 ? before : before + offset,
                                  arena_printf(&study->arena, "views: %s", said));
    }
    return 0;
}

int study_enter(struct study *study, const struct study_world *world)
{
    study->swapped = world->kind == STUDY_OTHER_MEAN;
    if (leave(study) < 0 || study_make_view(study) < 0 || make_results(study, world) < 0 || study_import(study) < 0)
        return -1;
    return *study->views ? make_views(study) : 0;
}

static int64_t number_of(struct study *study, const char *sql)
{
    int rc = 0;
    sqlite3_stmt *stmt = study_ask(study, "variants", sql);
    int64_t number = stmt && study_next(study, "variants", stmt, &rc) ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    return number;
}

unsigned study_variants(struct study *study)
{
    int64_t most = number_of(study, "SELECT max(variants) FROM main.runs");
    return most > 1 ? (unsigned)most : 1;
}

bool study_has_variants(struct study *study, unsigned count)
{
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM main.runs WHERE variants = %u", count);
    return number_of(study, sql) > 0;
}

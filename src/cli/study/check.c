/* A study is checked as a whole before anything runs: its machines, schedulers and parameters, its programs, and its
 * questions, which are asked of a database of the same shape with made-up results of all runs. */
#include <string.h>
#include <unistd.h>

#include "cli/study/figures.h"
#include "cli/study/judge.h"
#include "config/yaml.h"

int study_check_configuration(struct study *study, const char *machine, const char *scheduler,
                              const struct study_reading *reading)
{
    struct strbuf key = {0};
    struct machine loaded;
    struct cli_options options = {.machine = machine, .sched = scheduler, .allow_code = study->allow_code};
    strbuf_addf(&key, "%s|%s|%s", machine, scheduler, reading->name);
    bool known = strmap_get(&study->checked, strbuf_text(&key), key.length) != STRMAP_NONE;
    int rc = 0;
    if (!known) {
        const char *kept = arena_strdup(&study->arena, strbuf_text(&key));
        for (size_t i = 0; i < reading->sets.count; i++)
            vec_push(&options.sets, reading->sets.items[i]);
        rc = cli_load_machine(&loaded, &options, study->sink);
        if (rc == 0)
            machine_free(&loaded);
        strmap_put(&study->checked, kept, key.length, 0);
        vec_free(&options.sets);
    }
    strbuf_free(&key);
    return rc;
}

int study_check_program(struct study *study, const char *program)
{
    const char *source = study_source(study, program);
    if (access(source, R_OK) == 0)
        return 0;
    return diag_error(study->sink, DIAG_NOWHERE, NULL, "there is no program %s: neither %s/%s%s nor %s", program,
                      study->folder, program, cli_is_case(program) ? "" : ".cu", source);
}

/* SQL of a question's key: prepared only. columns: how many it must give, 0: any number; they are called `names`. */
static int check_sql(struct study *study, const char *what, const struct yaml_node *node, const char *sql, int columns,
                     const char *names)
{
    sqlite3_stmt *stmt = study_ask_at(study, what, node, sql);
    if (!stmt)
        return -1;
    int found = sqlite3_column_count(stmt);
    sqlite3_finalize(stmt);
    if (columns && found != columns)
        return study_fault(study, node, NULL, "%s: a figure's sql gives %s", what, names);
    return 0;
}

/* Where a view says what the database does not find: the last word of its message, behind the view's name; or that
 * name. */
static long place_in_views(struct study *study, const char *name, const char *said)
{
    const char *view = strstr(study->views, name), *end = strrchr(said, ' ');
    const char *dot = end ? strrchr(end, '.') : NULL;
    const char *word = end && view ? strstr(view, dot ? dot + 1 : end + 1) : NULL;
    return word ? word - study->views : view ? view - study->views : -1;
}

static int check_view(struct study *study, const char *name)
{
    sqlite3_stmt *stmt = NULL;
    int rc = 0;
    const char *sql = arena_printf(&study->arena, "SELECT * FROM \"%s\"", name);
    if (sqlite3_prepare_v2(study->db, sql, -1, &stmt, NULL) != SQLITE_OK) {
        const char *said = sqlite3_errmsg(study->db);
        rc = study_fault_in(study, study->views_node, place_in_views(study, name, said),
                            arena_printf(&study->arena, "view %s: %s", name, said));
    }
    sqlite3_finalize(stmt);
    return rc;
}

/* A view's SQL is looked at when it is asked, which no question may do. */
static int check_views(struct study *study)
{
    sqlite3_stmt *stmt = study_ask(
        study, "views", "SELECT name FROM sqlite_temp_master WHERE type = 'view' AND name NOT IN ('results', 'runs')");
    int rc = stmt ? 0 : -1;
    while (stmt && study_next(study, "views", stmt, &rc))
        rc |= check_view(study, arena_strdup(&study->arena, (const char *)sqlite3_column_text(stmt, 0)));
    sqlite3_finalize(stmt);
    return rc;
}

/* Rows that print values are judged by theirs. */
static int check_rows(struct study *study, const struct study_claim *claim)
{
    const struct yaml_node *node = yaml_get(claim->node, "rows");
    sqlite3_stmt *stmt = study_ask_at(study, claim->id, node, claim->sql);
    bool name = false, ours = false, paper = false;
    for (int i = 0; stmt && i < sqlite3_column_count(stmt); i++) {
        name |= !strcmp(sqlite3_column_name(stmt, i), "name");
        ours |= !strcmp(sqlite3_column_name(stmt, i), "ours");
        paper |= !strcmp(sqlite3_column_name(stmt, i), "paper");
    }
    sqlite3_finalize(stmt);
    if (!stmt)
        return -1;
    if (!name || !ours)
        return study_fault(study, node, NULL, "%s: rows gives name and ours, and paper, where it prints one",
                           claim->id);
    if (paper && *claim->magnitude && !strstr(claim->magnitude, "paper"))
        return study_fault(study, yaml_get(claim->node, "magnitude"), "magnitude: near(ours, paper)",
                           "%s: rows have a paper each, which magnitude does not look at", claim->id);
    return 0;
}

/* Counts the rows that a claim gives when every run ends well. */
static void count_rows(struct study *study, struct study_claim *claim)
{
    const struct yaml_node *node = yaml_get(claim->node, claim->of_rows ? "rows" : "sql");
    int rc = 0, ours = 0;
    sqlite3_stmt *stmt = study_ask_at(study, claim->id, node, claim->sql);
    while (stmt && ours < sqlite3_column_count(stmt) && strcmp(sqlite3_column_name(stmt, ours), "ours"))
        ours++;
    while (stmt && study_next(study, claim->id, stmt, &rc)) {
        claim->expected++;
        claim->found += sqlite3_column_type(stmt, ours) != SQLITE_NULL;
    }
    sqlite3_finalize(stmt);
}

static int check_claim(struct study *study, struct study_claim *claim)
{
    struct strbuf sql = {0};
    if (claim->of_rows && check_rows(study, claim) < 0)
        return -1;
    study_claim_sql(claim, &sql);
    sqlite3_stmt *stmt =
        study_ask_at(study, claim->id, yaml_get(claim->node, claim->of_rows ? "rows" : "sql"), strbuf_text(&sql));
    strbuf_free(&sql);
    if (!stmt)
        return -1;
    size_t count = (size_t)sqlite3_column_count(stmt);
    const char **columns = ARENA_NEW(&study->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        columns[i] = arena_strdup(&study->arena, sqlite3_column_name(stmt, (int)i));
    sqlite3_finalize(stmt);
    if (claim->of_rows || study->doubts)
        count_rows(study, claim);
    return study_lint(study, claim, columns, count);
}

static int check_figure(struct study *study, const struct study_figure *figure)
{
    static const char points[] = "series, x and y", bars[] = "lane, from, to, until and label";
    bool timeline = figure->kind == STUDY_TIMELINE;
    int columns = timeline ? 5 : study_has_points(figure) ? 3 : 0;
    int rc =
        check_sql(study, figure->id, yaml_get(figure->node, "sql"), figure->sql, columns, timeline ? bars : points);
    if (*figure->beside)
        rc |= check_sql(study, figure->id, yaml_get(figure->node, "beside"), figure->beside, 3, points);
    return rc;
}

/* An id is a place on the page and the name of a file, so it is one word, and of one question. */
static int check_id(struct study *study, const struct yaml_node *node, const char *id, struct strmap *ids)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+";
    size_t length = strlen(id);
    if (!length || strspn(id, word) < length || *id == '.')
        return study_fault(study, node, "letters, digits and - _ . +", "the id '%s' is not a word", id);
    if (strmap_get(ids, id, length) != STRMAP_NONE)
        return study_fault(study, node, NULL, "there are two questions with the id %s", id);
    strmap_put(ids, id, length, 0);
    return 0;
}

static int check_ids(struct study *study)
{
    struct strmap ids = {0};
    int rc = 0;
    for (size_t i = 0; i < study->figures.count; i++)
        rc |= check_id(study, study->figures.items[i].node, study->figures.items[i].id, &ids);
    for (size_t i = 0; i < study->claims.count; i++)
        rc |= check_id(study, study->claims.items[i].node, study->claims.items[i].id, &ids);
    strmap_free(&ids);
    return rc;
}

int study_check_questions(struct study *study)
{
    int rc = study_assume(study) < 0 ? -1 : check_views(study);
    bool asked = rc == 0; /* what rests on a wrong view is not asked for its own faults */
    for (size_t i = 0; asked && i < study->figures.count; i++)
        rc |= check_figure(study, &study->figures.items[i]);
    for (size_t i = 0; asked && i < study->claims.count; i++)
        rc |= check_claim(study, &study->claims.items[i]);
    for (size_t i = 0; asked && i < study->findings.count; i++)
        rc |= study_finding_text(study, &study->findings.items[i]) ? 0 : -1;
    rc |= check_ids(study);
    if (rc == 0 && study->doubts)
        study_doubt_questions(study);
    rc |= rc ? 0 : study_plan_tried(study);
    study_close(study);
    return rc;
}

/* A study is checked as a whole before anything runs: its machines, schedulers and parameters, its programs, and its
 * questions, which are prepared over an empty database of the same shape. */
#include <string.h>
#include <unistd.h>

#include "cli/study/study.h"
#include "config/yaml.h"

int study_check_configuration(struct study *study, const char *machine, const char *scheduler,
                              const struct study_reading *reading)
{
    struct strbuf key = {0};
    struct machine loaded;
    struct cli_options options = {.machine = machine, .sched = scheduler};
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

static int check_question(struct study *study, const char *what, const char *sql, int columns)
{
    sqlite3_stmt *stmt = study_ask(study, what, sql);
    if (!stmt)
        return -1;
    int found = sqlite3_column_count(stmt);
    sqlite3_finalize(stmt);
    if (columns && found != columns)
        return diag_error(study->sink, DIAG_NOWHERE, NULL, "%s: a figure's sql gives series, x and y", what);
    return 0;
}

/* A view's SQL is looked at when it is asked, which no question may do. */
static int check_views(struct study *study)
{
    sqlite3_stmt *stmt = study_ask(study, "views", "SELECT name FROM sqlite_temp_master WHERE type = 'view'");
    int rc = stmt ? 0 : -1;
    while (stmt && study_next(study, "views", stmt, &rc)) {
        const char *name = arena_strdup(&study->arena, (const char *)sqlite3_column_text(stmt, 0));
        rc |= check_question(study, arena_printf(&study->arena, "view %s", name),
                             arena_printf(&study->arena, "SELECT * FROM \"%s\"", name), 0);
    }
    sqlite3_finalize(stmt);
    return rc;
}

static int check_claim(struct study *study, const struct study_claim *claim)
{
    struct strbuf sql = {0};
    study_claim_sql(claim, &sql);
    int rc = check_question(study, claim->id, strbuf_text(&sql), 0);
    strbuf_free(&sql);
    return rc;
}

int study_check_questions(struct study *study)
{
    int rc = study_open(study, ":memory:") < 0 || study_prepare_questions(study) < 0 ? -1 : check_views(study);
    bool asked = rc == 0; /* what rests on a wrong view is not asked for its own faults */
    for (size_t i = 0; asked && i < study->figures.count; i++) {
        const struct study_figure *figure = &study->figures.items[i];
        rc |= check_question(study, figure->id, figure->sql, figure->kind == STUDY_TABLE ? 0 : 3);
    }
    for (size_t i = 0; asked && i < study->claims.count; i++)
        rc |= check_claim(study, &study->claims.items[i]);
    study_close(study);
    return rc;
}

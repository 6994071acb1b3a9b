/* results.csv: the database's results, a row a configuration, for whoever has no SQL at hand, with the program of each
 * and its arguments. Seconds of the host are no part of it: equal runs give equal files, in however many processes they
 * were made. */
#include <string.h>

#include "base/file.h"
#include "cli/study/study.h"
#include "report/csv.h"

static bool is_listed(sqlite3_stmt *stmt, int column)
{
    return strcmp(sqlite3_column_name(stmt, column), "seconds") != 0;
}

static void add_field(struct strbuf *out, bool first, const char *text)
{
    strbuf_add(out, first ? "" : ",");
    csv_text(out, text);
}

/* A benchmark's program and its arguments, as a cell; "" for one that the study does not have. */
const char *study_program_of(struct study *study, const char *benchmark)
{
    const struct study_benchmark *b = study_benchmark_named(study, benchmark);
    if (!b)
        return "";
    char *text = arena_printf(&study->arena, "%s%s%s", b->program, *b->arguments ? " " : "", b->arguments);
    for (char *c = strchr(text, ','); c; c = strchr(c, ','))
        *c = ';';
    return text;
}

/* The header, or with `benchmark` a row: its program stands before the number of its variants. */
static void add_row(struct study *study, sqlite3_stmt *stmt, const char *benchmark, struct strbuf *out)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *name = sqlite3_column_name(stmt, i);
        const char *text = benchmark ? (const char *)sqlite3_column_text(stmt, i) : name;
        if (!strcmp(name, "variants"))
            add_field(out, false, benchmark ? study_program_of(study, benchmark) : "program");
        if (is_listed(stmt, i))
            add_field(out, i == 0, text ? text : "");
    }
    strbuf_add(out, "\n");
}

static int write_rows(struct study *study, sqlite3_stmt *stmt, struct strbuf *out)
{
    int rc = 0;
    add_row(study, stmt, NULL, out);
    while (study_next(study, "results", stmt, &rc))
        add_row(study, stmt, (const char *)sqlite3_column_text(stmt, 0), out);
    return rc;
}

int study_write_results(struct study *study)
{
    struct strbuf out = {0}, sql = {0};
    strbuf_add(&sql, "SELECT * FROM main.results ORDER BY 1, 2, 3, 4");
    for (size_t i = 0; i < study->grid.count; i++)
        strbuf_addf(&sql, ", %zu", 5 + i);
    sqlite3_stmt *stmt = study_ask(study, "results", strbuf_text(&sql));
    int rc = stmt ? write_rows(study, stmt, &out) : -1;
    sqlite3_finalize(stmt);
    if (rc == 0)
        rc = file_write(arena_printf(&study->arena, "%s/results.csv", study->out), strbuf_text(&out), out.length,
                        study->sink);
    strbuf_free(&out);
    strbuf_free(&sql);
    return rc;
}

/* results.csv: what the database holds, a row a configuration, for whoever has no SQL at hand. Seconds of the host are
 * no part of it: equal runs give equal files, in however many processes they were made. */
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

static int write_rows(struct study *study, sqlite3_stmt *stmt, struct strbuf *out)
{
    int columns = sqlite3_column_count(stmt), rc = 0;
    for (int i = 0; i < columns; i++)
        if (is_listed(stmt, i))
            add_field(out, i == 0, sqlite3_column_name(stmt, i));
    strbuf_add(out, "\n");
    while (study_next(study, "results", stmt, &rc)) {
        for (int i = 0; i < columns; i++) {
            const char *text = (const char *)sqlite3_column_text(stmt, i);
            if (is_listed(stmt, i))
                add_field(out, i == 0, text ? text : "");
        }
        strbuf_add(out, "\n");
    }
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

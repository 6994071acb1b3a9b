/* Conditions of claims. They are evaluated in a database of their own, which has no tables, over the columns that a
 * claim's sql gave: so a condition can be tried with values that no run gave (lint.c), and cannot read anything else.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/study/judge.h"

static int explain(struct study *study, const struct study_claim *claim, const char *key, const char *said, long offset)
{
    const struct yaml_node *node = yaml_get(claim->node, key);
    const char *message = arena_printf(&study->arena, "%s: %s: %s", claim->id, key, said);
    if (strstr(said, "no such table"))
        return study_fault(study, node, "take the value as a column of sql, and compare with that",
                           "%s: %s reads a table (%s)", claim->id, key, said + strlen("no such table: "));
    return study_fault_in(study, node, offset, message);
}

sqlite3_stmt *study_condition(struct study *study, const struct study_claim *claim, const char *key,
                              const char *const *columns, size_t count)
{
    static const char begin[] = "SELECT (";
    struct strbuf sql = {0};
    const char *said;
    strbuf_addf(&sql, "%s%s\n) FROM (SELECT ", begin, !strcmp(key, "direction") ? claim->direction : claim->magnitude);
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&sql, "%s?%zu AS \"%s\"", i ? ", " : "", i + 1, columns[i]);
    strbuf_add(&sql, ")");
    sqlite3_stmt *stmt = study_prepare(&study->rights, study->bench, strbuf_text(&sql), false, NULL, &said);
    if (!stmt) {
        long offset = sqlite3_error_offset(study->bench);
        explain(study, claim, key, said, offset < 0 ? offset : offset - (long)strlen(begin));
    }
    strbuf_free(&sql);
    return stmt;
}

int study_condition_holds(sqlite3_stmt *condition)
{
    int verdict = -1;
    if (sqlite3_step(condition) == SQLITE_ROW && sqlite3_column_type(condition, 0) != SQLITE_NULL)
        verdict = sqlite3_column_double(condition, 0) != 0;
    sqlite3_reset(condition);
    return verdict;
}

int study_condition_ends(struct study *study, const struct study_claim *claim, const char *key)
{
    return study_gave_up(&study->rights, study->bench)
               ? explain(study, claim, key, study_said(&study->rights, study->bench), -1)
               : 0;
}

bool study_paper_number(const struct study_claim *claim, double *number)
{
    char *end;
    *number = strtod(claim->paper, &end);
    return end != claim->paper && !*end;
}

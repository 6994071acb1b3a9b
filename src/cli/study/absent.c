/* Results that a study asks for and does not get. A result that is missing is no result of zero: whatever would leave a
 * row out without a word is told here. */
#include <string.h>

#include "cli/study/study.h"

/* The kernels that a benchmark's runs launched, as tables show them. */
static const char *launched(struct study *study, const char *benchmark)
{
    const char *names = "none";
    int rc = 0;
    sqlite3_stmt *stmt = study_ask(study, "kernels",
                                   "SELECT group_concat(DISTINCT k.plain) FROM main.runs r JOIN kernels k ON "
                                   "k.execution = r.execution WHERE r.benchmark = ?");
    if (stmt)
        sqlite3_bind_text(stmt, 1, benchmark, -1, SQLITE_STATIC);
    if (stmt && study_next(study, "kernels", stmt, &rc) && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
        names = arena_strdup(&study->arena, (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    return names;
}

static int complain(struct study *study, const char *name)
{
    const struct study_benchmark *benchmark = study_benchmark_named(study, name);
    const struct yaml_node *kernels = benchmark ? yaml_get(benchmark->node, "kernels") : NULL;
    if (!benchmark)
        return 0;
    return study_fault(study, kernels ? kernels : benchmark->node, "its results are missing from every answer",
                       "benchmark %s: kernels '%s' match none of those that ran: %s", name, benchmark->kernels,
                       launched(study, name));
}

int study_check_kernels(struct study *study)
{
    int rc = 0;
    if (study->committed) /* means say nothing of single kernels */
        return 0;
    sqlite3_stmt *stmt = study_ask(
        study, "kernels",
        "SELECT DISTINCT r.benchmark FROM main.runs r JOIN executions e ON e.id = r.execution AND e.status = 'ok' AND "
        "(e.build = ?1 OR ?2) WHERE NOT EXISTS (SELECT 1 FROM kernels k WHERE k.execution = e.id AND "
        "(k.kernel GLOB r.kernels OR k.plain GLOB r.kernels)) ORDER BY 1");
    if (!stmt)
        return -1;
    sqlite3_bind_text(stmt, 1, study->build, -1, SQLITE_STATIC);
    sqlite3_bind_int(stmt, 2, study->report);
    VEC(const char *) names = {0};
    while (study_next(study, "kernels", stmt, &rc))
        vec_push(&names, arena_strdup(&study->arena, (const char *)sqlite3_column_text(stmt, 0)));
    sqlite3_finalize(stmt);
    for (size_t i = 0; i < names.count; i++)
        rc |= complain(study, names.items[i]);
    vec_free(&names);
    return rc;
}

/* SQL functions of a study's questions. Beside SQL's own there are geomean(x), an aggregate, and near(ours, paper):
 * whether a factor is reproduced: within a quarter of the paper's, or, for effects below 30%, an effect between two
 * thirds and one and a half of the paper's. */
#include <math.h>

#include "cli/study/study.h"

struct logarithms {
    double sum;
    int64_t count;
};

static void geomean_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct logarithms *l = sqlite3_aggregate_context(context, sizeof *l);
    if (!l || sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_double(values[0]) <= 0)
        return;
    l->sum += log(sqlite3_value_double(values[0]));
    l->count++;
}

static void geomean_final(sqlite3_context *context)
{
    struct logarithms *l = sqlite3_aggregate_context(context, 0);
    if (l && l->count)
        sqlite3_result_double(context, exp(l->sum / (double)l->count));
    else
        sqlite3_result_null(context);
}

static void near_factor(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    double ours = sqlite3_value_double(values[0]), paper = sqlite3_value_double(values[1]);
    bool small = fabs(paper - 1) < 0.3 && paper != 1;
    double share = small ? (ours - 1) / (paper - 1) : ours / paper;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        sqlite3_result_null(context);
    else
        sqlite3_result_int(context, small ? share >= 2.0 / 3 && share <= 1.5 : share >= 0.75 && share <= 1.25);
}

int study_add_functions(struct study *study)
{
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    bool bad = sqlite3_create_function(study->db, "geomean", 1, flags, NULL, NULL, geomean_step, geomean_final) ||
               sqlite3_create_function(study->db, "near", 2, flags, NULL, near_factor, NULL, NULL);
    return bad ? study_complain(study, "functions") : 0;
}

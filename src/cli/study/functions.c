/* SQL functions of a study's questions, beside SQL's own. Aggregates:
 *
 * geomean(x): the geometric mean; 0 with a zero among the values, NULL with a negative one. mean(x): the mean that
 * `judging` chooses; othermean(x): the other one.
 *
 * Of a factor x, by the thresholds of `judging`: wins(x), noeffect(x), loses(x); of two numbers, which may be 0,
 * more(a, b), fewer(a, b): a is beyond b by as much as wins, or loses. near(ours, paper): whether a factor is
 * reproduced: within a quarter of the paper's, or, for effects below 30%, an effect between two thirds and one and a
 * half of the paper's. Of NULL they are NULL. Without `judging` those that need it are not there.
 *
 * Those of distributions are in distributions.c.
 *
 * plainname(name): a kernel's name as tables show it. */
#include <math.h>

#include "cli/study/study.h"
#include "report/figures.h"

struct sums {
    double values, logarithms;
    int64_t count, zeros, negatives;
};

static void mean_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct sums *sums = sqlite3_aggregate_context(context, sizeof *sums);
    double value = sqlite3_value_double(values[0]);
    if (!sums || sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    sums->count++;
    sums->values += value;
    sums->zeros += value == 0;
    sums->negatives += value < 0;
    if (value > 0)
        sums->logarithms += log(value);
}

static void give_arithmetic(sqlite3_context *context)
{
    struct sums *sums = sqlite3_aggregate_context(context, 0);
    if (sums && sums->count)
        sqlite3_result_double(context, sums->values / (double)sums->count);
}

static void give_geometric(sqlite3_context *context)
{
    struct sums *sums = sqlite3_aggregate_context(context, 0);
    if (!sums || !sums->count || sums->negatives)
        return;
    sqlite3_result_double(context, sums->zeros ? 0 : exp(sums->logarithms / (double)sums->count));
}

static void give_mean(sqlite3_context *context, bool other)
{
    const struct study *study = sqlite3_user_data(context);
    if ((study->judging.mean == STUDY_GEOMETRIC) != (other != study->swapped))
        give_geometric(context);
    else
        give_arithmetic(context);
}

static void mean_final(sqlite3_context *context)
{
    give_mean(context, false);
}

static void othermean_final(sqlite3_context *context)
{
    give_mean(context, true);
}

static void wins(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct study *study = sqlite3_user_data(context);
    (void)count;
    if (sqlite3_value_type(values[0]) != SQLITE_NULL)
        sqlite3_result_int(context, sqlite3_value_double(values[0]) > 1 + study->judging.no_effect);
}

static void noeffect(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct study *study = sqlite3_user_data(context);
    (void)count;
    if (sqlite3_value_type(values[0]) != SQLITE_NULL)
        sqlite3_result_int(context, fabs(sqlite3_value_double(values[0]) - 1) <= study->judging.no_effect);
}

static void loses(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct study *study = sqlite3_user_data(context);
    (void)count;
    if (sqlite3_value_type(values[0]) != SQLITE_NULL)
        sqlite3_result_int(context, sqlite3_value_double(values[0]) < 1 - study->judging.loses);
}

static bool are_numbers(sqlite3_value **values)
{
    return sqlite3_value_type(values[0]) != SQLITE_NULL && sqlite3_value_type(values[1]) != SQLITE_NULL;
}

static void more(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct study *study = sqlite3_user_data(context);
    (void)count;
    if (are_numbers(values))
        sqlite3_result_int(context, sqlite3_value_double(values[0]) >
                                        sqlite3_value_double(values[1]) * (1 + study->judging.no_effect));
}

static void fewer(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct study *study = sqlite3_user_data(context);
    (void)count;
    if (are_numbers(values))
        sqlite3_result_int(context, sqlite3_value_double(values[0]) <
                                        sqlite3_value_double(values[1]) * (1 - study->judging.loses));
}

static void near_factor(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    double ours = sqlite3_value_double(values[0]), paper = sqlite3_value_double(values[1]);
    bool small = fabs(paper - 1) < 0.3 && paper != 1;
    double share = small ? (ours - 1) / (paper - 1) : ours / paper;
    if (sqlite3_value_type(values[0]) != SQLITE_NULL && sqlite3_value_type(values[1]) != SQLITE_NULL)
        sqlite3_result_int(context, small ? share >= 2.0 / 3 && share <= 1.5 : share >= 0.75 && share <= 1.25);
}

/* A kernel's name as tables show it. */
static void plain_name(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct strbuf out = {0};
    const char *name = (const char *)sqlite3_value_text(values[0]);
    (void)count;
    figures_kernel_name(name ? name : "", &out);
    sqlite3_result_text(context, strbuf_text(&out), (int)out.length, SQLITE_TRANSIENT);
    strbuf_free(&out);
}

int study_add_functions(struct study *study, sqlite3 *db)
{
    static const struct {
        const char *name;
        int arguments;
        bool judges; /* needs `judging` */
        void (*call)(sqlite3_context *, int, sqlite3_value **);
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*final)(sqlite3_context *);
    } functions[] = {
        {"geomean", 1, false, NULL, mean_step, give_geometric},
        {"mean", 1, true, NULL, mean_step, mean_final},
        {"othermean", 1, true, NULL, mean_step, othermean_final},
        {"wins", 1, true, wins, NULL, NULL},
        {"noeffect", 1, true, noeffect, NULL, NULL},
        {"loses", 1, true, loses, NULL, NULL},
        {"more", 2, true, more, NULL, NULL},
        {"fewer", 2, true, fewer, NULL, NULL},
        {"near", 2, false, near_factor, NULL, NULL},
        {"plainname", 1, false, plain_name, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if ((study->judging.given || !functions[i].judges) &&
            sqlite3_create_function(db, functions[i].name, functions[i].arguments, SQLITE_UTF8 | SQLITE_INNOCUOUS,
                                    study, functions[i].call, functions[i].step, functions[i].final))
            return study_complain(study, "functions");
    return study_add_distributions(study, db);
}

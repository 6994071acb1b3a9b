/* SQL aggregates over single runs, for results that are a distribution: a mean of few runs of a chaotic program is a
 * matter of chance, their order is less so.
 *
 * median(x); quantile(x, share): the number below which a share of them lies; between two, in proportion. ranktest(x,
 * side): the probability that two samples of one distribution differ at least as much in rank: see report/samples.h.
 * Which of two samples a number belongs to is told by `side`, any two values. NULLs do not count; of no number the
 * answer is NULL, and so is that of a rank test without numbers on one side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study/study.h"
#include "report/samples.h"

/* The numbers of one aggregate; by the second argument of the first row with a number, those that have it and those
 * that do not. */
struct numbers {
    double *sides[2];
    size_t counts[2], rooms[2];
    sqlite3_value *first, *second; /* of two sides, the values that tell which */
    double share;
};

static bool put(struct numbers *numbers, unsigned side, double value)
{
    if (numbers->counts[side] == numbers->rooms[side]) {
        size_t room = numbers->rooms[side] ? 2 * numbers->rooms[side] : 64;
        double *larger = realloc(numbers->sides[side], room * sizeof *larger);
        if (!larger)
            return false;
        numbers->sides[side] = larger;
        numbers->rooms[side] = room;
    }
    numbers->sides[side][numbers->counts[side]++] = value;
    return true;
}

static struct numbers *numbers_of(sqlite3_context *context, sqlite3_value *value)
{
    struct numbers *numbers = sqlite3_aggregate_context(context, sizeof *numbers);
    if (!numbers)
        sqlite3_result_error_nomem(context);
    return sqlite3_value_type(value) == SQLITE_NULL ? NULL : numbers;
}

static void take(sqlite3_context *context, struct numbers *numbers, unsigned side, sqlite3_value *value)
{
    double number = sqlite3_value_double(value);
    if (number - number != 0)
        sqlite3_result_error(context, "median, quantile and ranktest are of finite numbers", -1);
    else if (!put(numbers, side, number))
        sqlite3_result_error_nomem(context);
}

static void median_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct numbers *numbers = numbers_of(context, values[0]);
    if (!numbers)
        return;
    numbers->share = 0.5;
    take(context, numbers, 0, values[0]);
}

static void quantile_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    double share = sqlite3_value_double(values[1]);
    (void)count;
    struct numbers *numbers = numbers_of(context, values[0]);
    if (!numbers)
        return;
    if (sqlite3_value_type(values[1]) == SQLITE_NULL || share < 0 || share > 1) {
        sqlite3_result_error(context, "quantile(x, share): share is from 0 to 1", -1);
        return;
    }
    numbers->share = share;
    take(context, numbers, 0, values[0]);
}

static bool same(sqlite3_value *a, sqlite3_value *b)
{
    const char *x = (const char *)sqlite3_value_text(a), *y = (const char *)sqlite3_value_text(b);
    return x && y ? !strcmp(x, y) : x == y;
}

static void rank_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct numbers *numbers = numbers_of(context, values[0]);
    if (!numbers)
        return;
    bool other = numbers->first && !same(numbers->first, values[1]);
    sqlite3_value **side = other ? &numbers->second : &numbers->first;
    if (!*side)
        *side = sqlite3_value_dup(values[1]);
    if (!*side)
        sqlite3_result_error_nomem(context);
    else if (!same(*side, values[1]))
        sqlite3_result_error(context, "ranktest(x, side): side has more than two values", -1);
    else
        take(context, numbers, other, values[0]);
}

static void give_back(struct numbers *numbers)
{
    free(numbers->sides[0]);
    free(numbers->sides[1]);
    sqlite3_value_free(numbers->first);
    sqlite3_value_free(numbers->second);
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void quantile_final(sqlite3_context *context)
{
    struct numbers *numbers = sqlite3_aggregate_context(context, 0);
    if (!numbers)
        return;
    if (numbers->counts[0]) {
        qsort(numbers->sides[0], numbers->counts[0], sizeof *numbers->sides[0], compare);
        sqlite3_result_double(context, report_quantile(numbers->sides[0], numbers->counts[0], numbers->share));
    }
    give_back(numbers);
}

static void rank_final(sqlite3_context *context)
{
    struct numbers *numbers = sqlite3_aggregate_context(context, 0);
    if (!numbers)
        return;
    if (numbers->counts[0] && numbers->counts[1])
        sqlite3_result_double(
            context, report_rank_test(numbers->sides[0], numbers->counts[0], numbers->sides[1], numbers->counts[1]));
    give_back(numbers);
}

int study_add_distributions(struct study *study, sqlite3 *db)
{
    static const struct {
        const char *name;
        int arguments;
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*final)(sqlite3_context *);
    } functions[] = {
        {"median", 1, median_step, quantile_final},
        {"quantile", 2, quantile_step, quantile_final},
        {"ranktest", 2, rank_step, rank_final},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (sqlite3_create_function(db, functions[i].name, functions[i].arguments, SQLITE_UTF8 | SQLITE_INNOCUOUS,
                                    study, NULL, functions[i].step, functions[i].final))
            return study_complain(study, "functions");
    return 0;
}

/* A claim that cannot fail says nothing, and one that cannot hold says it of no result. Both conditions are tried over
 * samples of what their columns can be (`range`): the ends, points between, and the numbers that stand in the
 * conditions, each also a little less and more. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study/judge.h"

struct sample {
    double number;
    const char *text; /* NULL: a number */
};

/* The samples of every column that conditions use, in the order of the ranges; `paper` behind them. */
#define MOST_COLUMNS 4
struct space {
    const struct study_claim *claim;
    const char *columns[MOST_COLUMNS + 1];
    struct {
        VEC(struct sample) items;
    } samples[MOST_COLUMNS + 1];
    size_t count;
};

static void add_number(struct space *space, size_t column, double number)
{
    const struct study_range *range = &space->claim->ranges[column];
    if (number >= range->least && number <= range->most)
        vec_push(&space->samples[column].items, (struct sample){number, NULL});
}

/* A number that tells values apart, and its neighbours. */
static void add_around(struct space *space, size_t column, double number)
{
    const struct study_range *range = &space->claim->ranges[column];
    double little = number != 0 ? fabs(number) / 1024 : (range->most - range->least) / 1024;
    add_number(space, column, number);
    add_number(space, column, number - little);
    add_number(space, column, number + little);
}

/* The numbers of a condition, for columns of numbers; its texts in quotes, for columns of texts. */
static void add_constants(struct study *study, struct space *space, size_t column, const char *condition)
{
    bool is_text = space->claim->ranges[column].is_text;
    for (const char *c = condition; *c;) {
        size_t length = 1;
        if (*c == '\'') {
            length += strcspn(c + 1, "'");
            if (is_text)
                vec_push(&space->samples[column].items,
                         (struct sample){0, arena_strndup(&study->arena, c + 1, length - 1)});
            length += c[length] == '\'';
        } else if (isalpha((unsigned char)*c) || *c == '_') {
            while (isalnum((unsigned char)c[length]) || c[length] == '_')
                length++;
        } else if (isdigit((unsigned char)*c) || (*c == '.' && isdigit((unsigned char)c[1]))) {
            char *end;
            double number = strtod(c, &end);
            length = (size_t)(end - c);
            if (!is_text)
                add_around(space, column, number);
        }
        c += length;
    }
}

static void add_between(struct space *space, size_t column)
{
    const struct study_range *range = &space->claim->ranges[column];
    int parts = space->claim->range_count > 2 ? 3 : 8;
    add_number(space, column, range->least);
    add_number(space, column, range->most);
    for (int i = 1; i < parts; i++) {
        double share = (double)i / parts;
        add_number(space, column, range->least + (range->most - range->least) * share);
        if (range->least > 0)
            add_number(space, column, range->least * pow(range->most / range->least, share));
    }
}

static void add_column(struct study *study, struct space *space, size_t column)
{
    const struct study_claim *claim = space->claim;
    const struct study_range *range = &claim->ranges[column];
    const struct study_judging *judging = &study->judging;
    double paper, thresholds[] = {1, 1 + judging->no_effect, 1 - judging->no_effect, 1 - judging->loses};
    space->columns[column] = range->column;
    for (const char *const *text = range->texts; range->is_text && *text; text++)
        vec_push(&space->samples[column].items, (struct sample){0, *text});
    if (range->is_text && *range->texts)
        return;
    if (range->is_text)
        vec_push(&space->samples[column].items, (struct sample){0, "any other text"});
    add_constants(study, space, column, claim->direction);
    add_constants(study, space, column, claim->magnitude);
    if (range->is_text)
        return;
    add_between(space, column);
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++)
        add_around(space, column, thresholds[i]);
    if (study_paper_number(claim, &paper))
        add_around(space, column, paper);
}

static void make_space(struct study *study, struct space *space)
{
    double paper;
    for (; space->count < space->claim->range_count; space->count++)
        add_column(study, space, space->count);
    bool ranged = false; /* a column of sql of that name has a range of its own */
    for (size_t i = 0; i < space->count; i++)
        ranged |= !strcmp(space->columns[i], "paper");
    if (!ranged && study_paper_number(space->claim, &paper)) {
        vec_push(&space->samples[space->count].items, (struct sample){paper, NULL});
        space->columns[space->count++] = "paper";
    }
}

/* A whole number is one to SQL, too: 7 / 2 is 3 there. */
static void bind(sqlite3_stmt *stmt, size_t column, const struct sample *sample)
{
    if (!stmt)
        return;
    if (sample->text)
        sqlite3_bind_text(stmt, (int)column + 1, sample->text, -1, SQLITE_STATIC);
    else if (sample->number == floor(sample->number) && fabs(sample->number) < 1e15)
        sqlite3_bind_int64(stmt, (int)column + 1, (int64_t)sample->number);
    else
        sqlite3_bind_double(stmt, (int)column + 1, sample->number);
}

/* How the conditions came out over all samples. */
struct outcome {
    unsigned tried, holds, fails, size_holds, size_fails;
};

/* Every combination of samples, as a number with a place for each column. */
static void try_all(struct study *study, const struct space *space, sqlite3_stmt *direction, sqlite3_stmt *magnitude,
                    struct outcome *out)
{
    size_t at[MOST_COLUMNS + 1] = {0}, place = 0;
    while (place < space->count && !study_gave_up(&study->rights, study->bench)) {
        for (size_t i = 0; i < space->count; i++) {
            bind(direction, i, &space->samples[i].items.items[at[i]]);
            bind(magnitude, i, &space->samples[i].items.items[at[i]]);
        }
        bool holds = study_condition_holds(direction) == 1;
        bool size = magnitude && study_condition_holds(magnitude) == 1;
        out->tried++;
        out->holds += holds;
        out->fails += !holds;
        out->size_holds += holds && size;
        out->size_fails += !size;
        for (place = 0; place < space->count && ++at[place] == space->samples[place].items.count; place++)
            at[place] = 0;
    }
}

/* Two values of `ours` beside `pivot` that differ from it by no effect, and yet by the verdict. The other columns are
 * as they were bound last. */
static bool splits(const struct study *study, sqlite3_stmt *direction, size_t ours, double pivot)
{
    int verdict[2];
    for (int i = 0; i < 2; i++) {
        sqlite3_bind_double(direction, (int)ours + 1, pivot * (1 + (i ? 0.9 : -0.9) * study->judging.no_effect));
        verdict[i] = study_condition_holds(direction);
    }
    return verdict[0] >= 0 && verdict[1] >= 0 && verdict[0] != verdict[1];
}

/* Columns with which `ours` is not compared as one factor with another. */
static bool is_count(const char *column)
{
    static const char *const counts[] = {"n", "won", "lost", "paper"};
    bool found = false;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        found |= !strcmp(column, counts[i]);
    return found;
}

static bool is_factor(const struct space *space, size_t column)
{
    return column < space->claim->range_count && !space->claim->ranges[column].is_text &&
           !is_count(space->columns[column]);
}

/* Where in its range another column stands while `ours` is tried: at places that no number of a condition is near. */
static const double shares[] = {0.0137, 0.3137, 0.7313};
#define SHARES (sizeof shares / sizeof *shares)

static double value_at(const struct space *space, size_t column, size_t at)
{
    const struct study_range *range = &space->claim->ranges[column];
    return range->least + (range->most - range->least) * shares[at];
}

static size_t column_ours(const struct space *space)
{
    size_t ours = 0;
    while (ours < space->count && strcmp(space->columns[ours], "ours"))
        ours++;
    return ours;
}

/* The next combination of values of all columns but `ours`. False: there is none. */
static bool advance(const struct space *space, size_t *at, size_t ours)
{
    for (size_t i = 0; i < space->count; i++) {
        if (i == ours)
            continue;
        if (++at[i] < (is_factor(space, i) ? SHARES : space->samples[i].items.count))
            return true;
        at[i] = 0;
    }
    return false;
}

/* True if direction tells `ours` from 1, or from another column, where they differ by what counts as no effect. */
static bool ignores_judging(struct study *study, const struct space *space, sqlite3_stmt *direction)
{
    size_t at[MOST_COLUMNS + 1] = {0}, ours = column_ours(space);
    if (ours == space->count || !is_factor(space, ours) || !study->judging.no_effect)
        return false;
    do {
        for (size_t i = 0; i < space->count; i++)
            if (i != ours && is_factor(space, i))
                sqlite3_bind_double(direction, (int)i + 1, value_at(space, i, at[i]));
            else
                bind(direction, i, &space->samples[i].items.items[at[i]]);
        if (splits(study, direction, ours, 1))
            return true;
        for (size_t i = 0; i < space->count; i++)
            if (i != ours && is_factor(space, i) && splits(study, direction, ours, value_at(space, i, at[i])))
                return true;
    } while (advance(space, at, ours) && !study_gave_up(&study->rights, study->bench));
    return false;
}

static void doubt_judging(struct study *study, const struct space *space, sqlite3_stmt *direction)
{
    if (study->doubts && ignores_judging(study, space, direction))
        study_doubt(study, yaml_get(space->claim->node, "direction"), "wins(ours), loses(ours / other), noeffect(ours)",
                    "%s: direction ignores judging: it tells apart what differs by less than %g, which is no effect",
                    space->claim->id, study->judging.no_effect);
}

static int refuse(struct study *study, const struct study_claim *claim, const char *key, const char *cannot,
                  unsigned tried)
{
    return study_fault(study, yaml_get(claim->node, key),
                       "is the range that of what can be measured, and the condition one that a result can decide?",
                       "%s: %s cannot %s: so for each of %u values tried in its range", claim->id, key, cannot, tried);
}

static int judge_outcome(struct study *study, const struct study_claim *claim, const struct outcome *o)
{
    if (!o->fails)
        return refuse(study, claim, "direction", "fail", o->tried);
    if (!o->holds)
        return refuse(study, claim, "direction", "hold", o->tried);
    if (!*claim->magnitude)
        return 0;
    if (!o->size_fails)
        return refuse(study, claim, "magnitude", "fail", o->tried);
    if (!o->size_holds)
        return refuse(study, claim, "magnitude", "hold where direction does", o->tried);
    return 0;
}

static bool has(const char *const *columns, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(columns[i], name))
            return true;
    return false;
}

static int check_columns(struct study *study, const struct study_claim *claim, const char *const *columns, size_t count)
{
    const struct yaml_node *range = yaml_get(claim->node, "range");
    if (!has(columns, count, "ours"))
        return study_fault(study, yaml_get(claim->node, claim->of_rows ? "rows" : "sql"), NULL,
                           "%s: sql gives no column ours", claim->id);
    if (claim->range_count > MOST_COLUMNS)
        return study_fault(study, range, NULL, "%s: conditions over more than %d columns", claim->id, MOST_COLUMNS);
    for (size_t i = 0; i < claim->range_count; i++)
        if (!has(columns, count, claim->ranges[i].column))
            return study_fault(study, range, NULL, "%s: sql gives no column %s", claim->id, claim->ranges[i].column);
    return 0;
}

/* A column of sql that a condition uses has a range: the condition is prepared over those that have one. */
static sqlite3_stmt *prepare(struct study *study, const struct space *space, const char *key,
                             const char *const *columns, size_t count)
{
    sqlite3_stmt *over_all = study_condition(study, space->claim, key, columns, count), *stmt = NULL;
    struct diag_sink *sink = study->sink, ignored;
    if (!over_all)
        return NULL;
    sqlite3_finalize(over_all);
    diag_init(&ignored);
    study->sink = &ignored;
    stmt = study_condition(study, space->claim, key, space->columns, space->count);
    study->sink = sink;
    if (!stmt)
        study_fault(study, yaml_get(space->claim->node, "range"), "range: {ours: [0, 10], n: [0, 22]}",
                    "%s: %s uses a column that has no range (%s)", space->claim->id, key,
                    ignored.count ? strrchr(ignored.items[0].message, ':') + 2 : "");
    diag_free(&ignored);
    return stmt;
}

int study_lint(struct study *study, const struct study_claim *claim, const char *const *columns, size_t count)
{
    struct space space = {.claim = claim};
    struct outcome outcome = {0};
    int rc = check_columns(study, claim, columns, count);
    if (rc < 0)
        return -1;
    make_space(study, &space);
    const char **known = ARENA_NEW(&study->arena, const char *, count + 1);
    memcpy(known, columns, count * sizeof *known);
    double paper;
    if (study_paper_number(claim, &paper) && !has(columns, count, "paper"))
        known[count++] = "paper";
    sqlite3_stmt *direction = prepare(study, &space, "direction", known, count);
    sqlite3_stmt *magnitude = *claim->magnitude ? prepare(study, &space, "magnitude", known, count) : NULL;
    rc = direction && (magnitude || !*claim->magnitude) ? 0 : -1;
    if (rc == 0) {
        try_all(study, &space, direction, magnitude, &outcome);
        rc = study_condition_ends(study, claim, "direction") < 0 ? -1 : judge_outcome(study, claim, &outcome);
        if (rc == 0)
            doubt_judging(study, &space, direction);
    }
    sqlite3_finalize(direction);
    sqlite3_finalize(magnitude);
    for (size_t i = 0; i < space.count; i++)
        vec_free(&space.samples[i].items);
    return rc;
}

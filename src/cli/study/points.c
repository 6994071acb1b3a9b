/* The points of a figure: rows of (series, x, y) from its sql, and beside them the values that the paper prints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study/figures.h"

static size_t number_of(struct study *study, struct study_names *names, const char *name)
{
    for (size_t i = 0; i < names->items.count; i++)
        if (!strcmp(names->items.items[i], name))
            return i;
    vec_push(&names->items, arena_strdup(&study->arena, name));
    return names->items.count - 1;
}

/* The point of that name, made when it is not there. */
static struct study_point *point_at(struct study *study, struct study_points *p, const char *series, const char *x)
{
    size_t s = number_of(study, &p->series, series), at = number_of(study, &p->xs, x);
    for (size_t i = 0; i < p->items.count; i++)
        if (p->items.items[i].series == s && p->items.items[i].x == at)
            return &p->items.items[i];
    struct study_point point = {.series = s, .x = at, .at = strtod(x, NULL), .least = INFINITY, .most = -INFINITY};
    vec_push(&p->items, point);
    return &p->items.items[p->items.count - 1];
}

enum what { OURS, SPREAD, PRINTED };

static void take(struct study_points *p, struct study_point *point, enum what what, double y)
{
    if (what == OURS) {
        point->y = y;
        point->there = true;
    } else if (what == PRINTED) {
        point->paper = y;
        point->printed = p->printed = true;
    } else {
        point->least = fmin(point->least, y);
        point->most = fmax(point->most, y);
        p->spread |= point->most > point->least;
    }
}

static int read_rows(struct study *study, const struct study_figure *figure, const char *key, const char *sql,
                     enum what what, struct study_points *p)
{
    sqlite3_stmt *stmt = study_ask_at(study, figure->id, yaml_get(figure->node, key), sql);
    int rc = 0;
    while (stmt && study_next(study, figure->id, stmt, &rc)) {
        const char *series = (const char *)sqlite3_column_text(stmt, 0),
                   *x = (const char *)sqlite3_column_text(stmt, 1);
        struct study_point *point = point_at(study, p, series ? series : "", x ? x : "");
        if (sqlite3_column_type(stmt, 2) != SQLITE_NULL)
            take(p, point, what, sqlite3_column_double(stmt, 2));
    }
    sqlite3_finalize(stmt);
    return stmt ? rc : -1;
}

bool study_has_points(const struct study_figure *figure)
{
    return figure->kind != STUDY_TABLE && figure->kind != STUDY_TIMELINE;
}

int study_read_points(struct study *study, const struct study_figure *figure, const struct study_world *world,
                      struct study_points *p)
{
    if (world->kind == STUDY_VARIANT)
        return read_rows(study, figure, "sql", figure->sql, SPREAD, p);
    int rc = read_rows(study, figure, "sql", figure->sql, OURS, p);
    if (rc == 0 && *figure->beside)
        rc = read_rows(study, figure, "beside", figure->beside, PRINTED, p);
    for (size_t i = 0; i < figure->print_count; i++) {
        const struct study_print *print = &figure->prints[i];
        take(p, point_at(study, p, print->series, print->x), PRINTED, print->y);
    }
    return rc;
}

void study_free_points(struct study_points *p)
{
    vec_free(&p->series.items);
    vec_free(&p->xs.items);
    vec_free(&p->items);
}

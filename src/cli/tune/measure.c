/* Figures of runs: each run is done once for the values of the parameters that matter to it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/tune/tune.h"

void tune_format(const struct tune_param *p, uint64_t value, struct strbuf *out)
{
    if (p->desc->type == PARAM_TYPE_DECIMAL)
        param_format_decimal(value, out);
    else
        strbuf_addf(out, "%" PRIu64, value);
}

const char *tune_setting(const struct tune_param *p, uint64_t value, struct arena *arena)
{
    struct strbuf text = {0};
    tune_format(p, value, &text);
    const char *setting = arena_printf(arena, "%s=%s", p->name, strbuf_text(&text));
    strbuf_free(&text);
    return setting;
}

static void add_key(const struct tune *t, const struct tune_point *point, struct strbuf *key)
{
    strbuf_addf(key, "%u", point->run);
    for (size_t i = 0; i < t->params.count; i++)
        if (t->params.items[i].matters >> point->run & 1)
            strbuf_addf(key, " %zu=%" PRIu64, i, point->values[i]);
}

static const double *find(const struct tune *t, const struct tune_point *point)
{
    struct strbuf key = {0};
    add_key(t, point, &key);
    uint32_t at = strmap_get(&t->keys, strbuf_text(&key), key.length);
    strbuf_free(&key);
    return at == STRMAP_NONE ? NULL : t->results.items[at];
}

void tune_remember(struct tune *t, const struct tune_point *point, const double *result)
{
    struct strbuf key = {0};
    add_key(t, point, &key);
    const char *kept = arena_strdup(&t->session.arena, strbuf_text(&key));
    strmap_put(&t->keys, kept, key.length, (uint32_t)t->results.count);
    vec_push(&t->results, result);
    strbuf_free(&key);
}

/* A run that is not known yet, and its rows. */
struct wanted {
    struct tune_point point;
    struct hardware_rows rows;
};

static bool is_same(const struct tune *t, const struct tune_point *a, const struct tune_point *b)
{
    bool same = a->run == b->run;
    for (size_t i = 0; same && i < t->params.count; i++)
        same = !(t->params.items[i].matters >> a->run & 1) || a->values[i] == b->values[i];
    return same;
}

/* Settings of parameters that are not as the machine has them. */
static void add_settings(struct tune *t, const struct tune_point *point, struct hardware_try *try)
{
    struct arena *arena = &t->session.arena;
    const char **sets = ARENA_NEW(arena, const char *, t->params.count + 1);
    for (size_t i = 0; i < t->params.count; i++)
        if (point->values[i] != t->params.items[i].first)
            sets[try->set_count++] = tune_setting(&t->params.items[i], point->values[i], arena);
    try->sets = sets;
}

static void take_rows(struct tune *t, struct wanted *w)
{
    double *values = ARENA_NEW(&t->session.arena, double, t->rows.count);
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct hardware_row *row = hardware_find(&w->rows, t->rows.items[i].card);
        values[i] = row && row->value > 0 ? row->value : NAN;
    }
    tune_remember(t, &w->point, values);
    hardware_rows_free(&w->rows);
}

static int run(struct tune *t, struct wanted *list, unsigned count, const char *told)
{
    struct hardware_try *tries = ARENA_NEW(&t->session.arena, struct hardware_try, count);
    for (unsigned i = 0; i < count; i++) {
        tries[i] =
            (struct hardware_try){.run = &hardware_runs[list[i].point.run], .machine = &t->held, .rows = &list[i].rows};
        add_settings(t, &list[i].point, &tries[i]);
    }
    int rc = hardware_try(&t->session, tries, count, told, &t->stopped);
    for (unsigned i = 0; rc == 0 && !t->stopped && i < count; i++)
        take_rows(t, &list[i]);
    t->spent += count;
    return t->stopped ? -1 : rc;
}

int tune_measure(struct tune *t, const struct tune_point *points, unsigned count, uint64_t most, const char *told,
                 const double **results)
{
    VEC(struct wanted) list = {0};
    for (unsigned i = 0; i < count; i++) {
        bool is_known = find(t, &points[i]) != NULL;
        for (size_t k = 0; !is_known && k < list.count; k++)
            is_known = is_same(t, &list.items[k].point, &points[i]);
        if (!is_known)
            vec_push(&list, (struct wanted){.point = points[i]});
    }
    int rc = t->spent + list.count > most ? 1 : 0;
    if (rc == 0)
        t->known += count - list.count;
    if (rc == 0 && list.count)
        rc = run(t, list.items, (unsigned)list.count, told);
    for (unsigned i = 0; rc == 0 && i < count; i++)
        results[i] = find(t, &points[i]);
    vec_free(&list);
    return rc;
}

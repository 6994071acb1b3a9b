/* The best values: one parameter after the other, until none gets better (coordinate descent).
 *
 * Of a parameter, the ends of its range and the machine's value are tried first; then, again and again, the values half
 * way from the best so far to its neighbours among those that were tried, until these are next to it. Both at a time,
 * so that what is tried depends on figures alone, and not on how many runs go on at a time. */
#include <math.h>
#include <string.h>

#include "cli/tune/tune.h"

#define ROUNDS 8
#define NO_FIGURE 5.0 /* logarithm of an error: a row that is gone is as bad as one that is 150 times too large */
#define HARDLY 1e-9   /* a difference of scores that is none */

/* A value of a parameter. */
struct trial {
    uint64_t value;
    double score;
};
typedef VEC(struct trial) trials; /* by value */

/* How far a parameter's rows are off: mean of |logarithm of machine/card|, each in aims of its kind. */
static double score(const struct tune *t, const struct tune_param *p, const double *const *results)
{
    double sum = 0;
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct tune_row *row = &t->rows.items[i];
        if (!p->rows[i] || row->left_out)
            continue;
        double value = results[row->run] ? results[row->run][i] : NAN;
        double off = isnan(value) ? NO_FIGURE : fabs(log(value / row->card->value));
        sum += off / log1p(hardware_kinds[row->kind].aim / 100);
    }
    return p->fitted ? sum / p->fitted : 0;
}

static uint64_t *values_now(struct tune *t)
{
    uint64_t *values = ARENA_NEW(&t->session.arena, uint64_t, t->params.count);
    for (size_t i = 0; i < t->params.count; i++)
        values[i] = t->params.items[i].value;
    return values;
}

/* The machine can work with these values: the rules of its rooms. */
static bool can_work(const struct tune *t, const uint64_t *values)
{
    struct machine m;
    struct diag_sink doubts;
    struct arena arena = {0};
    diag_init(&doubts);
    bool can = machine_load(&m, t->held.machine, &doubts) == 0;
    if (can) {
        const struct cli_options *o = t->session.options;
        m.allow_code = o->allow_code;
        for (size_t i = 0; i < o->sets.count; i++)
            can &= machine_set(&m, o->sets.items[i], &doubts) == 0;
        for (size_t i = 0; i < t->params.count; i++)
            can &= machine_set(&m, tune_setting(&t->params.items[i], values[i], &arena), &doubts) == 0;
        can = can && machine_check(&m, NULL, &doubts) == 0;
        machine_free(&m);
    }
    diag_free(&doubts);
    arena_free(&arena);
    return can;
}

static void add_trial(trials *tried, struct trial trial)
{
    vec_push(tried, trial);
    for (size_t i = tried->count - 1; i > 0 && tried->items[i - 1].value > trial.value; i--) {
        tried->items[i] = tried->items[i - 1];
        tried->items[i - 1] = trial;
    }
}

static bool was_tried(const trials *tried, uint64_t value)
{
    for (size_t i = 0; i < tried->count; i++)
        if (tried->items[i].value == value)
            return true;
    return false;
}

/* Runs that are kept back for the figures at the end. */
static uint64_t most_runs(const struct tune *t)
{
    return t->budget - (uint64_t)__builtin_popcountll(t->runs);
}

/* Tries values of a parameter, those that were not yet. Returns as tune_measure. */
static int try_values(struct tune *t, struct tune_param *p, const uint64_t *list, unsigned count, trials *tried)
{
    struct arena *arena = &t->session.arena;
    unsigned each = (unsigned)__builtin_popcountll(p->runs), points_count = 0, fresh = 0;
    struct tune_point *points = ARENA_NEW(arena, struct tune_point, count * each + 1);
    const double **got = ARENA_NEW(arena, const double *, count *each + 1);
    uint64_t *values[4], which[4];
    for (unsigned i = 0; i < count; i++) {
        values[fresh] = values_now(t);
        values[fresh][p - t->params.items] = which[fresh] = list[i];
        bool again = was_tried(tried, list[i]);
        for (unsigned k = 0; k < fresh; k++)
            again |= which[k] == list[i];
        if (again)
            continue;
        if (!can_work(t, values[fresh])) {
            add_trial(tried, (struct trial){list[i], INFINITY});
            continue;
        }
        for (unsigned run = 0; run < hardware_run_count; run++)
            if (p->runs >> run & 1)
                points[points_count++] = (struct tune_point){run, values[fresh]};
        fresh++;
    }
    int rc = tune_measure(t, points, points_count, most_runs(t), arena_printf(arena, "runs done, %s", p->name), got);
    for (unsigned i = 0; rc == 0 && i < fresh; i++) {
        const double *results[HARDWARE_MOST_RUNS] = {NULL};
        for (unsigned k = 0; k < each; k++)
            results[points[i * each + k].run] = got[i * each + k];
        add_trial(tried, (struct trial){which[i], score(t, p, results)});
    }
    return rc;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* The place of the best among those that were tried: of equals the one that is nearest to what the parameter has. */
static size_t best_of(const struct tune_param *p, const trials *tried)
{
    size_t best = 0;
    for (size_t i = 1; i < tried->count; i++) {
        const struct trial *a = &tried->items[i], *b = &tried->items[best];
        bool same = !(fabs(a->score - b->score) > HARDLY); /* also where both are infinite */
        if (same ? distance(a->value, p->value) < distance(b->value, p->value) : a->score < b->score)
            best = i;
    }
    return best;
}

/* The value of the range that lies half way between two, which are not tried again; false: there is none. */
static bool half_way(const struct tune_param *p, uint64_t above, uint64_t below_that, uint64_t *value)
{
    uint64_t first = (above - p->low) / p->step + 1; /* places in the range */
    uint64_t last = (below_that - p->low + p->step - 1) / p->step;
    if (last <= first)
        return false;
    *value = p->low + (first + (last - 1 - first) / 2) * p->step;
    return true;
}

/* The values to try next, two at most: half way to the neighbours of the best, or further on where it has none. */
static unsigned next_values(const struct tune_param *p, const trials *tried, size_t best, uint64_t next[2])
{
    unsigned count = 0;
    const struct trial *b = &tried->items[best];
    uint64_t last = p->low + (p->high - p->low) / p->step * p->step;
    if (best > 0)
        count += half_way(p, b[-1].value, b->value, &next[count]);
    else if (b->value > p->low) {
        uint64_t stride = tried->count > 1 ? 2 * (b[1].value - b->value) : p->step;
        next[count++] = b->value - p->low > stride ? p->low + (b->value - stride - p->low) / p->step * p->step : p->low;
    }
    if (best + 1 < tried->count)
        count += half_way(p, b->value, b[1].value, &next[count]);
    else if (b->value < last) {
        uint64_t stride = best > 0 ? 2 * (b->value - b[-1].value) : p->step;
        next[count++] = last - b->value > stride ? p->low + (b->value + stride - p->low) / p->step * p->step : last;
    }
    return count;
}

/* Looks for a parameter's best value. Returns as tune_measure; *better: it has another one. */
static int search_param(struct tune *t, struct tune_param *p, bool first, bool *better)
{
    trials tried = {0};
    uint64_t last = p->low + (p->high - p->low) / p->step * p->step, next[3] = {p->value, p->low, last};
    unsigned count = 3;
    if (!first) {
        next[1] = p->value - p->low > p->step ? p->value - p->step : p->low;
        next[2] = last > p->value + p->step ? p->value + p->step : last > p->value ? last : p->value;
    }
    int rc = try_values(t, p, next, count, &tried);
    while (rc == 0 && (count = next_values(p, &tried, best_of(p, &tried), next)) > 0) {
        size_t before = tried.count;
        rc = try_values(t, p, next, count, &tried);
        if (tried.count == before)
            break;
    }
    if (rc >= 0 && tried.count) {
        uint64_t value = tried.items[best_of(p, &tried)].value;
        *better |= value != p->value;
        p->value = value;
    }
    vec_free(&tried);
    return rc;
}

static int descend(struct tune *t)
{
    bool better = true;
    int rc = 0;
    for (t->rounds = 0; rc == 0 && better && t->rounds < ROUNDS; t->rounds++) {
        better = false;
        for (size_t i = 0; rc == 0 && i < t->params.count; i++)
            if (t->params.items[i].fitted)
                rc = search_param(t, &t->params.items[i], t->rounds == 0, &better);
    }
    t->is_out_of_budget = rc == 1;
    return rc < 0 ? -1 : 0;
}

/* All wanted runs with the values as they are now. */
static int run_all(struct tune *t, const char *told, const double **results)
{
    struct tune_point points[HARDWARE_MOST_RUNS];
    const double *got[HARDWARE_MOST_RUNS];
    unsigned count = 0;
    uint64_t *values = values_now(t);
    for (unsigned run = 0; run < hardware_run_count; run++)
        if (t->runs >> run & 1)
            points[count++] = (struct tune_point){run, values};
    int rc = tune_measure(t, points, count, t->budget, told, got);
    for (unsigned i = 0; rc == 0 && i < count; i++)
        results[points[i].run] = got[i];
    return rc;
}

/* Which run gives which row. */
static void find_rows(struct tune *t, const double *const *results)
{
    for (size_t i = 0; i < t->rows.count; i++)
        for (unsigned run = 0; run < hardware_run_count; run++)
            if (results[run] && !isnan(results[run][i]) && t->rows.items[i].run == TUNE_NO_RUN) {
                t->rows.items[i].run = run;
                t->rows.items[i].first = results[run][i];
            }
}

static bool differ(double a, double b)
{
    return isnan(a) ? !isnan(b) : !(a == b);
}

/* Parameters without rows of their own are tried at both ends of their ranges: what changes are their rows. */
struct probe {
    struct tune_param *param;
    struct tune_point point;
};

static void note_probe(struct tune *t, const struct probe *probe, const double *result, const double *before)
{
    struct tune_param *p = probe->param;
    for (size_t i = 0; i < t->rows.count; i++)
        if (t->rows.items[i].run == probe->point.run && differ(result[i], before[i])) {
            p->rows[i] = true;
            p->matters |= UINT64_C(1) << probe->point.run;
        }
}

/* Appends the probes of a parameter: an end of its range with which the machine cannot work is not tried. */
static unsigned plan_probes(struct tune *t, struct tune_param *p, struct probe *probes)
{
    unsigned count = 0;
    for (unsigned end = 0; end < 2; end++) {
        uint64_t *values = values_now(t);
        values[p - t->params.items] = end ? p->high : p->low;
        for (unsigned run = 0; can_work(t, values) && run < hardware_run_count; run++)
            if (t->runs >> run & 1)
                probes[count++] = (struct probe){p, {run, values}};
    }
    return count;
}

static int probe_all(struct tune *t, const double *const *before)
{
    struct arena *arena = &t->session.arena;
    size_t most = t->params.count * 2 * hardware_run_count;
    struct probe *probes = ARENA_NEW(arena, struct probe, most);
    struct tune_point *points = ARENA_NEW(arena, struct tune_point, most);
    const double **got = ARENA_NEW(arena, const double *, most);
    unsigned count = 0;
    for (size_t i = 0; i < t->params.count; i++)
        if (!t->params.items[i].patterns)
            count += plan_probes(t, &t->params.items[i], probes + count);
    for (unsigned i = 0; i < count; i++)
        points[i] = probes[i].point;
    int rc = count ? tune_measure(t, points, count, most_runs(t), "runs done to see what changes what", got) : 0;
    for (size_t i = 0; rc == 0 && i < t->params.count; i++)
        if (!t->params.items[i].patterns)
            t->params.items[i].matters = 0;
    for (unsigned i = 0; rc == 0 && i < count; i++)
        note_probe(t, &probes[i], got[i], before[points[i].run]);
    for (unsigned i = 0; rc == 0 && i < count; i++)
        tune_remember(t, &points[i], got[i]);
    return rc;
}

/* The rows and runs of each parameter, now that it is known which run gives which row. */
static void assign_rows(struct tune *t)
{
    struct arena arena = {0};
    for (size_t i = 0; i < t->params.count; i++) {
        struct tune_param *p = &t->params.items[i];
        for (size_t k = 0; k < t->rows.count; k++) {
            const struct tune_row *row = &t->rows.items[k];
            if (p->patterns)
                p->rows[k] = row->run != TUNE_NO_RUN && tune_row_is_wanted(p, row->card, &arena);
            if (!p->rows[k])
                continue;
            p->runs |= UINT64_C(1) << row->run;
            p->fitted += !row->left_out;
            p->left_out += row->left_out;
        }
    }
    arena_free(&arena);
}

static int needs_more(struct tune *t)
{
    uint64_t runs = (uint64_t)__builtin_popcountll(t->runs), probed = 0;
    for (size_t i = 0; i < t->params.count; i++)
        probed += t->params.items[i].patterns ? 0 : 2 * runs;
    if (t->budget >= 2 * runs + probed)
        return 0;
    return diag_error(t->session.sink, DIAG_NOWHERE, "name fewer parameters, their rows, or --kind",
                      "--budget %llu: %llu runs are needed to begin and to end, and %llu to see what changes what",
                      (unsigned long long)t->budget, (unsigned long long)(2 * runs), (unsigned long long)probed);
}

/* Runs that fail on the machine as it is. */
static void tell_failures(const struct tune *t)
{
    for (size_t i = 0; i < t->session.failures.count; i++) {
        const struct hardware_failure *f = &t->session.failures.items[i];
        diag_warning(t->session.sink, DIAG_NOWHERE, NULL, "failed on %s: %s %s: %s", f->machine, f->program,
                     f->arguments, f->why);
    }
}

int tune_search(struct tune *t)
{
    const double *results[HARDWARE_MOST_RUNS] = {NULL}, *now[HARDWARE_MOST_RUNS] = {NULL};
    for (size_t i = 0; i < t->params.count; i++)
        t->params.items[i].matters = UINT64_MAX;
    if (needs_more(t) < 0 || run_all(t, "runs done", results) != 0)
        return -1;
    tell_failures(t);
    find_rows(t, results);
    tune_leave_out(t);
    if (probe_all(t, results) != 0)
        return -1;
    uint64_t *values = values_now(t);
    for (unsigned run = 0; run < hardware_run_count; run++)
        if (results[run])
            tune_remember(t, &(struct tune_point){run, values}, results[run]);
    assign_rows(t);
    if (descend(t) < 0 || run_all(t, "runs done once more", now) != 0)
        return -1;
    for (size_t i = 0; i < t->rows.count; i++)
        if (t->rows.items[i].run != TUNE_NO_RUN)
            t->rows.items[i].value = now[t->rows.items[i].run][i];
    return 0;
}

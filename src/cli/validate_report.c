/* How the runs of `lockstep validate` are told: see validate.h. */
#include "cli/validate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/charts.h"
#include "report/scatter.h"
#include "report/table.h"

#define WORST 3
#define NEAR 25 /* per cent */

static struct fidelity_pair pair_of(const struct trial *t)
{
    return (struct fidelity_pair){(double)t->here.value[FIDELITY_CYCLES],
                                  (double)t->record->there.value[FIDELITY_CYCLES]};
}

static void add_row(struct table *table, const struct trial *t)
{
    const struct fidelity_record *r = t->record;
    struct fidelity_pair pair = pair_of(t);
    struct strbuf why = {0};
    table_cell(table, "%s", r->name);
    table_cell(table, "%s", r->machine);
    table_cell(table, "%s", r->sched);
    if (t->failure)
        table_cell(table, "-");
    else
        table_cell(table, "%.0f", pair.here);
    table_cell(table, "%.0f", pair.there);
    if (t->failure) {
        table_cell(table, "-");
        strbuf_add(&why, t->failure);
    } else {
        table_cell(table, "%.3f", pair.here / pair.there);
        fidelity_explain(&t->here, &r->there, &why);
    }
    table_cell(table, "%s", strbuf_text(&why));
    strbuf_free(&why);
}

static void add_rows(const struct trials *trials, struct table_page *page)
{
    static const char *const heads[] = {"case", "machine", "scheduler", "cycles", "there", "ratio", "first difference"};
    struct table table;
    table_init(&table, "lllrrrl");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_cell(&table, "%s", heads[i]);
    for (unsigned i = 0; i < trials->count; i++)
        add_row(&table, &trials->items[i]);
    table_text(&table, page);
    table_free(&table);
}

static int by_error(const void *a, const void *b)
{
    const struct trial *left = *(const struct trial *const *)a, *right = *(const struct trial *const *)b;
    double l = fidelity_error(pair_of(left)), r = fidelity_error(pair_of(right));
    return l > r ? -1 : l < r ? 1 : left < right ? -1 : left > right;
}

/* The trials of one machine that ended well, and the statistics over them. */
struct agreement {
    const char *machine;
    const struct trial **list; /* in the order of the table */
    unsigned count, failed, within;
    struct fidelity_summary summary;
};

static struct agreement agreement_of(const struct trials *trials, const char *machine)
{
    struct agreement a = {.machine = machine, .list = ARENA_NEW(trials->arena, const struct trial *, trials->count)};
    struct fidelity_pair *pairs = ARENA_NEW(trials->arena, struct fidelity_pair, trials->count);
    for (unsigned i = 0; i < trials->count; i++) {
        const struct trial *t = &trials->items[i];
        if (strcmp(t->record->machine, machine) != 0)
            continue;
        a.failed += t->failure != NULL;
        if (t->failure)
            continue;
        a.list[a.count] = t;
        pairs[a.count] = pair_of(t);
        a.within += fidelity_error(pairs[a.count++]) <= NEAR;
    }
    if (a.count)
        a.summary = fidelity_summarize(pairs, a.count);
    return a;
}

/* The machines of the trials, in the order in which they occur. */
static unsigned machines_of(const struct trials *trials, struct agreement **list)
{
    unsigned count = 0;
    *list = ARENA_NEW(trials->arena, struct agreement, trials->count);
    for (unsigned i = 0; i < trials->count; i++) {
        bool seen = false;
        for (unsigned k = 0; k < count; k++)
            seen |= strcmp((*list)[k].machine, trials->items[i].record->machine) == 0;
        if (!seen)
            (*list)[count++] = agreement_of(trials, trials->items[i].record->machine);
    }
    return count;
}

static void add_worst(const struct trials *trials, const struct agreement *a, struct strbuf *out)
{
    const struct trial **list = ARENA_NEW(trials->arena, const struct trial *, a->count);
    memcpy(list, a->list, a->count * sizeof *list);
    qsort(list, a->count, sizeof *list, by_error);
    for (unsigned i = 0; i < WORST && i < a->count; i++)
        strbuf_addf(out, "%s%s %s %.3f", i ? ", " : "", list[i]->record->name, list[i]->record->sched,
                    pair_of(list[i]).here / pair_of(list[i]).there);
}

static void add_correlation(const struct agreement *a, struct strbuf *out)
{
    if (isnan(a->summary.correlation) || a->count < 3) /* two points always lie on a line */
        strbuf_add(out, "-");
    else
        strbuf_addf(out, "%.4f", a->summary.correlation);
}

static void add_runs(const struct agreement *a, struct strbuf *out)
{
    strbuf_addf(out, "%u runs", a->count + a->failed);
    if (a->failed)
        strbuf_addf(out, ", %u failed", a->failed);
}

static void add_summary(const struct trials *trials, const struct agreement *a, struct strbuf *out)
{
    strbuf_addf(out, "\n%s: ", a->machine);
    add_runs(a, out);
    strbuf_add(out, "\n");
    if (a->count == 0)
        return;
    strbuf_addf(out, "  mean absolute error  %.1f%%; %u of %u within %d%%\n", a->summary.mean_error, a->within,
                a->count, NEAR);
    strbuf_addf(out, "  geometric mean ratio %.3f\n", a->summary.geometric_mean);
    strbuf_add(out, "  correlation of logs  ");
    add_correlation(a, out);
    strbuf_add(out, "\n  worst                ");
    add_worst(trials, a, out);
    strbuf_add(out, "\n");
}

void validate_text(const struct trials *trials, struct table_page *page)
{
    struct agreement *machines;
    add_rows(trials, page);
    unsigned count = machines_of(trials, &machines);
    for (unsigned i = 0; i < count; i++)
        add_summary(trials, &machines[i], &page->text);
}

/* A machine's summary as one sentence. */
static const char *sentence_of(const struct trials *trials, const struct agreement *a)
{
    struct strbuf text = {0};
    add_runs(a, &text);
    if (a->count) {
        strbuf_addf(
            &text,
            "; mean absolute error %.1f%%, %u of %u within %d%%, geometric mean ratio %.3f, correlation of logs ",
            a->summary.mean_error, a->within, a->count, NEAR, a->summary.geometric_mean);
        add_correlation(a, &text);
        strbuf_add(&text, "; worst: ");
        add_worst(trials, a, &text);
    }
    strbuf_add(&text, ".");
    const char *sentence = arena_strndup(trials->arena, text.text, text.length);
    strbuf_free(&text);
    return sentence;
}

/* Length of a scheduler's name without the control over it. */
static size_t bare_length(const char *sched)
{
    return strcspn(sched, "+");
}

static bool same_scheduler(const char *a, const char *b)
{
    return bare_length(a) == bare_length(b) && !strncmp(a, b, bare_length(a));
}

/* dots: the scheduler whose points are dots. */
static struct scatter_point point_of(const struct trials *trials, const struct trial *t, const char *dots)
{
    struct strbuf why = {0};
    struct fidelity_pair pair = pair_of(t);
    fidelity_explain(&t->here, &t->record->there, &why);
    struct scatter_point p = {.name = t->record->name,
                              .variant = t->record->sched,
                              .note = arena_printf(trials->arena, "%s", strbuf_text(&why)),
                              .x = pair.there,
                              .y = pair.here,
                              .mark = !same_scheduler(t->record->sched, dots)};
    strbuf_free(&why);
    return p;
}

void validate_html(const struct trials *trials, const char *how, struct strbuf *out)
{
    struct agreement *machines;
    unsigned count = machines_of(trials, &machines);
    const char *dots = count && machines[0].count ? machines[0].list[0]->record->sched : "";
    struct scatter_group *groups = ARENA_NEW(trials->arena, struct scatter_group, count);
    for (unsigned i = 0; i < count; i++) {
        const struct agreement *a = &machines[i];
        struct scatter_point *points = ARENA_NEW(trials->arena, struct scatter_point, a->count);
        for (unsigned k = 0; k < a->count; k++)
            points[k] = point_of(trials, a->list[k], dots);
        groups[i] = (struct scatter_group){a->machine, sentence_of(trials, a), points, a->count};
    }
    struct scatter_page page = {
        .title = "Cycles of Lockstep and of GPGPU-Sim",
        .text = arena_printf(
            trials->arena,
            "Each mark is a kernel: a dot under %.*s, a square under another scheduler, with back-off "
            "or without. The bands are 10%% and 25%% to either side of equal cycles; marks more than 10%% off carry "
            "their name. %s",
            (int)bare_length(dots), dots, how),
        .x_name = "cycles there",
        .y_name = "cycles here",
        .variant_name = "scheduler",
        .note_name = "first difference",
        .groups = groups,
        .count = count,
        .library = charts_library(trials->arena),
    };
    if (!page.library)
        page.text = arena_printf(trials->arena, "%s " CHARTS_MISSING, page.text);
    scatter_html(&page, out);
}

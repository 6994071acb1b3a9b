/* How `lockstep tune` tells what it found: as tables, as JSON, and in the comments of the machine file. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/fidelity.h"
#include "cli/tune/tune.h"

/* Sums of errors on their way to means. */
struct sums {
    double first, now;
    unsigned count;
};

static double error_of(double here, double there)
{
    return isnan(here) ? NAN : fidelity_error((struct fidelity_pair){here, there});
}

static void add_errors(struct sums *s, const struct tune_row *row)
{
    s->first += error_of(row->first, row->card->value);
    s->now += error_of(row->value, row->card->value);
    s->count++;
}

static struct tune_errors means_of(const struct sums *fitted, const struct sums *left)
{
    return (struct tune_errors){
        .fitted = fitted->count,
        .left_out = left->count,
        .fitted_first = fitted->count ? fitted->first / fitted->count : NAN,
        .fitted_now = fitted->count ? fitted->now / fitted->count : NAN,
        .left_first = left->count ? left->first / left->count : NAN,
        .left_now = left->count ? left->now / left->count : NAN,
    };
}

struct tune_errors tune_errors_of(const struct tune *t, const struct tune_param *p)
{
    struct sums fitted = {0}, left = {0};
    for (size_t i = 0; i < t->rows.count; i++)
        if (p->rows[i] && t->rows.items[i].run != TUNE_NO_RUN)
            add_errors(t->rows.items[i].left_out ? &left : &fitted, &t->rows.items[i]);
    return means_of(&fitted, &left);
}

struct tune_errors tune_errors_of_kind(const struct tune *t, enum hardware_kind kind)
{
    struct sums fitted = {0}, left = {0};
    for (size_t i = 0; i < t->rows.count; i++)
        if (t->rows.items[i].kind == kind && t->rows.items[i].run != TUNE_NO_RUN)
            add_errors(t->rows.items[i].left_out ? &left : &fitted, &t->rows.items[i]);
    return means_of(&fitted, &left);
}

#define MOST_NAMES 3

/* Names of what one source's rows measured, each once: "chase KB, ca". */
static void add_names(const struct tune *t, const struct tune_param *p, const char *source, struct strbuf *out)
{
    const struct hardware_row *named[MOST_NAMES];
    unsigned count = 0, more = 0;
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct tune_row *row = &t->rows.items[i];
        bool again = !p->rows[i] || strcmp(row->source, source) != 0;
        for (unsigned k = 0; !again && k < count; k++)
            again = strcmp(named[k]->what, row->card->what) == 0;
        if (again)
            continue;
        if (count < MOST_NAMES) {
            strbuf_addf(out, "%s%s", count ? ", " : "", row->card->what);
            named[count++] = row->card;
        } else {
            more++;
        }
    }
    if (more)
        strbuf_add(out, " and others");
}

void tune_add_basis(const struct tune *t, const struct tune_param *p, struct strbuf *out)
{
    bool begun = false;
    for (size_t s = 0; s < t->sources.count; s++) {
        const char *source = t->sources.items[s]->name;
        bool any = false;
        for (size_t i = 0; i < t->rows.count; i++)
            any |= p->rows[i] && strcmp(t->rows.items[i].source, source) == 0;
        if (!any)
            continue;
        strbuf_addf(out, "%s%s: ", begun ? "; " : "", source);
        add_names(t, p, source, out);
        begun = true;
    }
}

static void add_percent(struct table *table, double value)
{
    if (isnan(value))
        table_cell(table, "-");
    else
        table_cell(table, "%.1f%%", value);
}

static void add_errors_cells(struct table *table, const struct tune_errors *e)
{
    table_cell(table, "%u", e->fitted);
    add_percent(table, e->fitted_first);
    add_percent(table, e->fitted_now);
    table_cell(table, "%u", e->left_out);
    add_percent(table, e->left_first);
    add_percent(table, e->left_now);
}

static void add_value(struct table *table, const struct tune_param *p, uint64_t value)
{
    struct strbuf text = {0};
    tune_format(p, value, &text);
    table_cell(table, "%s", strbuf_text(&text));
    strbuf_free(&text);
}

static void add_range(struct table *table, const struct tune_param *p)
{
    struct strbuf text = {0};
    tune_format(p, p->low, &text);
    strbuf_add(&text, "..");
    tune_format(p, p->high, &text);
    if (p->step > 1) {
        strbuf_add(&text, "/");
        tune_format(p, p->step, &text);
    }
    table_cell(table, "%s", strbuf_text(&text));
    strbuf_free(&text);
}

static void begin_table(struct table *table, const char *align, const char *const *head)
{
    table_init(table, align);
    for (; *head; head++)
        table_cell(table, "%s", *head);
}

static void add_params(const struct tune *t, struct table_page *page)
{
    static const char *const head[] = {"parameter", "range",    "was",       "now", "rows", "error was",
                                       "now",       "left out", "error was", "now", NULL};
    struct table table;
    begin_table(&table, "llrrrrrrrr", head);
    for (size_t i = 0; i < t->params.count; i++) {
        const struct tune_param *p = &t->params.items[i];
        struct tune_errors e = tune_errors_of(t, p);
        table_cell(&table, "%s", p->name);
        add_range(&table, p);
        add_value(&table, p, p->first);
        add_value(&table, p, p->value);
        add_errors_cells(&table, &e);
    }
    table_text(&table, page);
    table_free(&table);
}

static void add_kinds(const struct tune *t, struct table_page *page)
{
    static const char *const head[] = {"kind", "aim", "rows", "error was", "now", "left out", "error was", "now", NULL};
    struct table table;
    begin_table(&table, "lrrrrrrr", head);
    for (unsigned k = 0; k < HARDWARE_KINDS; k++) {
        struct tune_errors e = tune_errors_of_kind(t, (enum hardware_kind)k);
        if (e.fitted + e.left_out == 0)
            continue;
        table_cell(&table, "%s", hardware_kinds[k].name);
        table_cell(&table, "%.0f%%", hardware_kinds[k].aim);
        add_errors_cells(&table, &e);
    }
    table_text(&table, page);
    table_free(&table);
}

static unsigned count_measured(const struct tune *t)
{
    unsigned count = 0;
    for (size_t i = 0; i < t->rows.count; i++)
        count += t->rows.items[i].run != TUNE_NO_RUN;
    return count;
}

void tune_text(const struct tune *t, struct table_page *page)
{
    struct strbuf *out = &page->text;
    strbuf_addf(out, "%s beside", t->held.name);
    for (size_t i = 0; i < t->sources.count; i++)
        strbuf_addf(out, "%s %s", i ? "," : "", t->sources.items[i]->name);
    strbuf_addf(out, ": %u of %zu rows were measured\n\n", count_measured(t), t->rows.count);
    add_params(t, page);
    strbuf_add(out, "\n");
    add_kinds(t, page);
    strbuf_addf(out, "\n%" PRIu64 " runs, and %" PRIu64 " that were known; %u round%s%s\n", t->spent, t->known,
                t->rounds, t->rounds == 1 ? "" : "s",
                t->is_out_of_budget ? "; the budget was spent before the end" : "");
    for (size_t i = 0; i < t->params.count; i++)
        if (t->params.items[i].fitted == 0)
            strbuf_addf(out, "%s stays as it is: no row that is not left out depends on it\n", t->params.items[i].name);
}

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *errors_json(const struct tune_errors *e)
{
    return json_pack("{s:i, s:o, s:o, s:i, s:o, s:o}", "rows", (int)e->fitted, "error_was", number(e->fitted_first),
                     "error", number(e->fitted_now), "left_out", (int)e->left_out, "left_out_error_was",
                     number(e->left_first), "left_out_error", number(e->left_now));
}

static json_t *value_json(const struct tune_param *p, uint64_t value)
{
    return p->desc->type == PARAM_TYPE_DECIMAL ? json_real((double)value / 1000) : json_integer((json_int_t)value);
}

static json_t *params_json(const struct tune *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < t->params.count; i++) {
        const struct tune_param *p = &t->params.items[i];
        struct tune_errors e = tune_errors_of(t, p);
        json_t *entry =
            json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", p->name, "low", value_json(p, p->low), "high",
                      value_json(p, p->high), "was", value_json(p, p->first), "value", value_json(p, p->value));
        json_t *errors = errors_json(&e);
        json_object_update(entry, errors);
        json_decref(errors);
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *rows_json(const struct tune *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct tune_row *row = &t->rows.items[i];
        if (row->run == TUNE_NO_RUN)
            continue;
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:f, s:o, s:o}", "source", row->source,
                                        "program", row->card->program, "what", row->card->what, "type", row->card->type,
                                        "parameter", row->card->parameter, "kind", hardware_kinds[row->kind].name,
                                        "left_out", (int)row->left_out, "card", row->card->value, "was",
                                        number(row->first), "machine", number(row->value)));
    }
    return list;
}

json_t *tune_json(const struct tune *t)
{
    json_t *kinds = json_object();
    for (unsigned k = 0; k < HARDWARE_KINDS; k++) {
        struct tune_errors e = tune_errors_of_kind(t, (enum hardware_kind)k);
        if (e.fitted + e.left_out)
            json_object_set_new(kinds, hardware_kinds[k].name, errors_json(&e));
    }
    return json_pack("{s:s, s:i, s:s, s:I, s:b, s:o, s:o, s:o}", "lockstep", LOCKSTEP_VERSION, "schema", 1, "machine",
                     t->held.machine, "runs", (json_int_t)t->spent, "budget_spent", (int)t->is_out_of_budget,
                     "parameters", params_json(t), "kinds", kinds, "rows", rows_json(t));
}

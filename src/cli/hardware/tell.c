/* How `lockstep validate --hardware` tells what it found: as text and as JSON. */
#include <math.h>
#include <string.h>

#include "cli/hardware/hardware.h"

/* A row as people name it. */
static void add_name(const struct hardware_row *row, struct strbuf *out)
{
    strbuf_addf(out, "%s, %s, %s", row->what, row->type, row->parameter);
}

static void add_worst(const struct hardware_score *score, struct strbuf *out)
{
    for (unsigned i = 0; i < HARDWARE_WORST && score->worst[i]; i++) {
        const struct hardware_pair *pair = score->worst[i];
        strbuf_add(out, i ? "; " : "");
        add_name(pair->there, out);
        strbuf_addf(out, ": %.2f", pair->here->value / pair->there->value);
    }
}

static void add_head(struct table *t, const char *const *names)
{
    for (; *names; names++)
        table_cell(t, "%s", *names);
}

static void add_kind(const struct hardware_comparison *c, enum hardware_kind kind, struct table *t)
{
    struct strbuf worst = {0};
    struct hardware_score s = hardware_score(&c->there, &c->pairs, kind);
    if (!s.rows)
        return;
    add_worst(&s, &worst);
    table_cell(t, "%s", hardware_kinds[kind].name);
    table_cell(t, "%u", s.rows);
    table_cell(t, "%u", s.count);
    if (s.count) {
        table_cell(t, "%.1f%%", s.mean_error);
        table_cell(t, "%.0f%%", hardware_kinds[kind].aim);
        table_cell(t, "%u of %u", s.within, s.count);
        table_cell(t, "%.3f", s.ratio);
        table_cell(t, isnan(s.correlation) ? "-" : "%.3f", s.correlation);
    } else {
        table_cell(t, "-");
        table_cell(t, "%.0f%%", hardware_kinds[kind].aim);
        for (unsigned i = 0; i < 3; i++)
            table_cell(t, "-");
    }
    table_cell(t, "%s", strbuf_text(&worst));
    strbuf_free(&worst);
}

static void add_rows(const struct hardware_comparison *c, struct table_page *page)
{
    static const char *const head[] = {"kind", "what", "type", "parameter", "machine", "card", "unit", "ratio", NULL};
    struct table t;
    table_init(&t, "llllrrlr");
    add_head(&t, head);
    for (size_t i = 0; i < c->pairs.count; i++) {
        const struct hardware_pair *pair = &c->pairs.items[i];
        table_cell(&t, "%s", hardware_kinds[pair->kind].name);
        table_cell(&t, "%s", pair->there->what);
        table_cell(&t, "%s", pair->there->type);
        table_cell(&t, "%s", pair->there->parameter);
        table_cell(&t, "%.5g", pair->here->value);
        table_cell(&t, "%.5g", pair->there->value);
        table_cell(&t, "%s", pair->there->unit);
        table_cell(&t, "%.3f", pair->here->value / pair->there->value);
    }
    table_text(&t, page);
    strbuf_add(&page->text, "\n");
    table_free(&t);
}

static void add_comparison(const struct hardware_session *session, const struct hardware_comparison *c,
                           struct table_page *page)
{
    static const char *const head[] = {"kind",   "rows",  "compared",    "mean error", "aim",
                                       "within", "ratio", "correlation", "worst",      NULL};
    struct table t;
    strbuf_addf(&page->text, "%s beside %s (%s)\n", c->machine->name, c->card, c->card_doc);
    if (session->options->rows)
        add_rows(c, page);
    table_init(&t, "lrrrrrrrl");
    add_head(&t, head);
    for (unsigned k = 0; k < HARDWARE_KINDS; k++)
        if (c->kinds >> k & 1)
            add_kind(c, (enum hardware_kind)k, &t);
    table_text(&t, page);
    strbuf_add(&page->text, "\n");
    table_free(&t);
}

void hardware_text(const struct hardware_session *session, struct table_page *page)
{
    for (size_t i = 0; i < session->comparisons.count; i++)
        add_comparison(session, &session->comparisons.items[i], page);
    for (size_t i = 0; i < session->failures.count; i++) {
        const struct hardware_failure *f = &session->failures.items[i];
        strbuf_addf(&page->text, "failed on %s: %s %s: %s\n", f->machine, f->program, f->arguments, f->why);
    }
}

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *kind_json(const struct hardware_comparison *c, enum hardware_kind kind)
{
    struct hardware_score s = hardware_score(&c->there, &c->pairs, kind);
    return json_pack("{s:s, s:f, s:i, s:i, s:i, s:o, s:o, s:o}", "kind", hardware_kinds[kind].name, "aim",
                     hardware_kinds[kind].aim, "rows", (int)s.rows, "compared", (int)s.count, "within", (int)s.within,
                     "mean_error", s.count ? number(s.mean_error) : json_null(), "ratio",
                     s.count ? number(s.ratio) : json_null(), "correlation",
                     s.count ? number(s.correlation) : json_null());
}

static json_t *comparison_json(const struct hardware_comparison *c)
{
    json_t *kinds = json_array(), *rows = json_array();
    for (unsigned k = 0; k < HARDWARE_KINDS; k++)
        if (c->kinds >> k & 1)
            json_array_append_new(kinds, kind_json(c, (enum hardware_kind)k));
    for (size_t i = 0; i < c->pairs.count; i++) {
        const struct hardware_pair *p = &c->pairs.items[i];
        const struct hardware_row *r = p->there;
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f}", "kind",
                                              hardware_kinds[p->kind].name, "program", r->program, "what", r->what,
                                              "type", r->type, "parameter", r->parameter, "unit", r->unit, "machine",
                                              p->here->value, "card", r->value, "error", p->error));
    }
    return json_pack("{s:s, s:s, s:o, s:o}", "machine", c->machine->name, "card", c->card, "kinds", kinds, "rows", rows);
}

json_t *hardware_json(const struct hardware_session *session)
{
    json_t *comparisons = json_array(), *failures = json_array();
    for (size_t i = 0; i < session->comparisons.count; i++)
        json_array_append_new(comparisons, comparison_json(&session->comparisons.items[i]));
    for (size_t i = 0; i < session->failures.count; i++) {
        const struct hardware_failure *f = &session->failures.items[i];
        json_array_append_new(failures, json_pack("{s:s, s:s, s:s, s:s}", "machine", f->machine, "program", f->program,
                                                  "arguments", f->arguments, "why", f->why));
    }
    return json_pack("{s:s, s:i, s:o, s:o}", "lockstep", LOCKSTEP_VERSION, "schema", 1, "hardware", comparisons,
                     "failures", failures);
}

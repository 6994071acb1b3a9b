/* Pages of `lockstep validate --hardware`: what machines may be trusted for (docs/accuracy.md), and scatter plots. */
#include <math.h>
#include <string.h>

#include "cli/hardware/hardware.h"
#include "report/charts.h"
#include "report/scatter.h"

/* How far the figures of a kind may be trusted, by how far those lie off that were compared. */
enum trust { TRUSTED, ROUGHLY, NOT_TRUSTED, NOT_COMPARED, TRUSTS };
#define ROUGH 2 /* times the aim */
#define FEWEST 3 /* rows that say anything of a kind */

static enum trust trust_of(const struct hardware_score *s, enum hardware_kind kind)
{
    double aim = hardware_kinds[kind].aim;
    if (s->count < FEWEST)
        return NOT_COMPARED;
    return s->mean_error <= aim ? TRUSTED : s->mean_error <= ROUGH * aim ? ROUGHLY : NOT_TRUSTED;
}

static void add_verdicts(const struct hardware_comparison *c, struct strbuf *out)
{
    static const char *const heads[TRUSTS] = {
        [TRUSTED] = "It may be trusted for",
        [ROUGHLY] = "Roughly, within twice the aim, for",
        [NOT_TRUSTED] = "Not for",
        [NOT_COMPARED] = "Nothing can be said of",
    };
    for (unsigned trust = 0; trust < TRUSTS; trust++) {
        unsigned count = 0;
        for (unsigned k = 0; k < HARDWARE_KINDS; k++) {
            struct hardware_score s = hardware_score(&c->there, &c->pairs, (enum hardware_kind)k);
            if (!(c->kinds >> k & 1) || !s.rows || trust_of(&s, (enum hardware_kind)k) != trust)
                continue;
            strbuf_addf(out, "%s%s", count ? "; " : "- ", count ? "" : heads[trust]);
            strbuf_addf(out, "%s%s", count++ ? "" : ": ", hardware_kinds[k].use);
        }
        strbuf_add(out, count ? ".\n" : "");
    }
    strbuf_add(out, "\n");
}

static void add_worst(const struct hardware_score *s, struct table *t)
{
    struct strbuf text = {0};
    for (unsigned i = 0; i < HARDWARE_WORST && s->worst[i]; i++) {
        const struct hardware_pair *p = s->worst[i];
        strbuf_addf(&text, "%s%s, %s, %s %.2f", i ? "; " : "", p->there->what, p->there->type, p->there->parameter,
                    p->here->value / p->there->value);
    }
    table_cell(t, "%s", strbuf_text(&text));
    strbuf_free(&text);
}

static void add_kind(const struct hardware_comparison *c, enum hardware_kind kind, struct table *t)
{
    struct hardware_score s = hardware_score(&c->there, &c->pairs, kind);
    if (!s.rows)
        return;
    table_cell(t, "%s: %s", hardware_kinds[kind].name, hardware_kinds[kind].doc);
    table_cell(t, "%u of %u", s.count, s.rows);
    if (s.count)
        table_cell(t, "%.1f%%", s.mean_error);
    else
        table_cell(t, "-");
    table_cell(t, "%.0f%%", hardware_kinds[kind].aim);
    if (s.count)
        table_cell(t, "%.0f%%", 100.0 * s.within / s.count);
    else
        table_cell(t, "-");
    table_cell(t, s.count && !isnan(s.correlation) ? "%.3f" : "-", s.correlation);
    add_worst(&s, t);
}

static void add_comparison(const struct hardware_comparison *c, struct strbuf *out)
{
    static const char *const head[] = {"kind",           "rows compared", "mean error", "aim",
                                       "within the aim", "correlation",   "worst: machine/card"};
    struct table t;
    strbuf_addf(out, "## %s beside %s\n\n%s.\n\n", c->machine->name, c->card, c->card_doc);
    add_verdicts(c, out);
    table_init(&t, "lrrrrrl");
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        table_cell(&t, "%s", head[i]);
    for (unsigned k = 0; k < HARDWARE_KINDS; k++)
        if (c->kinds >> k & 1)
            add_kind(c, (enum hardware_kind)k, &t);
    table_markdown(&t, out);
    strbuf_add(out, "\n");
    table_free(&t);
}

void hardware_card_page(const struct hardware_session *session, struct strbuf *out)
{
    strbuf_add(out,
               "<!-- Written by `lockstep validate --hardware --card-page`: run it again. -->\n\n"
               "# What the machines may be trusted for\n\n"
               "Each machine beside cards that were measured ([hardware](../hardware/README.md)), by the same programs "
               "([tools/measure](../tools/measure/README.md)). An error is\n"
               "|machine/card - 1| of a figure; correlations are of logarithms. What is said of a machine follows from the "
               "mean errors alone.\n\n");
    for (size_t i = 0; i < session->comparisons.count; i++)
        add_comparison(&session->comparisons.items[i], out);
    for (size_t i = 0; i < session->failures.count; i++) {
        const struct hardware_failure *f = &session->failures.items[i];
        strbuf_addf(out, "Failed on %s: `%s %s`: %s\n\n", f->machine, f->program, f->arguments, f->why);
    }
    if (out->length > 1 && out->text[out->length - 2] == '\n') /* one line's end at the end of the page */
        out->text[--out->length] = '\0';
}

static const char *summary_of(struct hardware_session *session, const struct hardware_score *s, double aim)
{
    const char *correlation =
        isnan(s->correlation) ? "" : arena_printf(&session->arena, ", correlation of logs %.3f", s->correlation);
    return arena_printf(&session->arena, "%u of the card's %u rows; mean absolute error %.1f%%, %u within %.0f%%%s",
                        s->count, s->rows, s->mean_error, s->within, aim, correlation);
}

static struct scatter_group group_of(struct hardware_session *session, const struct hardware_comparison *c,
                                     enum hardware_kind kind)
{
    struct arena *arena = &session->arena;
    struct hardware_score s = hardware_score(&c->there, &c->pairs, kind);
    struct scatter_point *points = ARENA_NEW(arena, struct scatter_point, s.count);
    unsigned count = 0;
    for (size_t i = 0; i < c->pairs.count; i++) {
        const struct hardware_pair *p = &c->pairs.items[i];
        if (p->kind != kind)
            continue;
        points[count++] =
            (struct scatter_point){.name = arena_printf(arena, "%s, %s", p->there->what, p->there->type),
                                   .variant = p->there->parameter,
                                   .note = p->there->unit,
                                   .x = p->there->value,
                                   .y = p->here->value};
    }
    return (struct scatter_group){
        arena_printf(arena, "%s beside %s: %s", c->machine->name, c->card, hardware_kinds[kind].name),
        summary_of(session, &s, hardware_kinds[kind].aim), points, count};
}

void hardware_html(struct hardware_session *session, struct strbuf *out)
{
    VEC(struct scatter_group) groups = {0};
    for (size_t i = 0; i < session->comparisons.count; i++)
        for (unsigned k = 0; k < HARDWARE_KINDS; k++) {
            struct scatter_group g = group_of(session, &session->comparisons.items[i], (enum hardware_kind)k);
            if (g.count)
                vec_push(&groups, g);
        }
    struct scatter_page page = {
        .title = "Machines of Lockstep and cards",
        .text = "Each mark is a figure that a program of tools/measure gave on both. The bands are 10% and 25% to "
                "either side of equal figures; marks more than 10% off carry their name.",
        .x_name = "card",
        .y_name = "machine",
        .variant_name = "parameter",
        .note_name = "unit",
        .groups = groups.items,
        .count = (unsigned)groups.count,
        .library = charts_library(&session->arena),
    };
    if (!page.library)
        page.text = arena_printf(&session->arena, "%s " CHARTS_MISSING, page.text);
    scatter_html(&page, out);
    vec_free(&groups);
}

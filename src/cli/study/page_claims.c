/* The claims on a study's page: a row each, those of one `each` side by side in one. The verdict stands in the row's
 * cells, which go below the text where the screen is narrow. */
#include <string.h>

#include "cli/study/page.h"
#include "report/html.h"

static const char *class_of(int verdict)
{
    return verdict < 0 ? "note" : verdict ? "yes" : "no";
}

static const char *mark_of(int verdict)
{
    return verdict < 0 ? "&ndash;" : verdict ? "&#x2713;" : "&#x2717;";
}

/* A condition that a claim has, and what came of it: "✓ direction 4 of 5". */
static void add_verdict(const char *what, int verdict, unsigned in, unsigned of, struct strbuf *out)
{
    strbuf_addf(out, "<div><span class=%s>%s %s</span>", class_of(verdict), mark_of(verdict), what);
    if (of && verdict >= 0)
        strbuf_addf(out, " <span class=\"%s\">%u of %u</span>", in && in < of ? "mixed" : "note", in, of);
    strbuf_add(out, "</div>");
}

static const char *other_mean(const struct study *study)
{
    return study->judging.mean == STUDY_GEOMETRIC ? "arithmetic" : "geometric";
}

static void add_small(const char *text, const char *value, struct strbuf *out)
{
    strbuf_addf(out, "<div class=small>%s ", text);
    html_escape(out, value);
    strbuf_add(out, "</div>");
}

static void add_other(const struct study *study, const struct study_tally *t, struct strbuf *out)
{
    if (!study_shows_other(t))
        return;
    strbuf_addf(out, "<div class=small>%s ", other_mean(study));
    html_escape(out, t->other.text);
    strbuf_addf(out, " <span class=%s>%s</span>", class_of(t->other_verdict.direction),
                mark_of(t->other_verdict.direction));
    if (t->other_verdict.magnitude >= 0)
        strbuf_addf(out, "<span class=%s>%s</span>", class_of(t->other_verdict.magnitude),
                    mark_of(t->other_verdict.magnitude));
    strbuf_add(out, "</div>");
}

static void add_spread(struct study *study, const struct study_tally *t, struct strbuf *out)
{
    if (t->least < t->most)
        strbuf_addf(out, "%s &ndash; %s", study_number(study, t->least), study_number(study, t->most));
}

static void add_cell(struct study *study, const struct study_claim *c, const struct study_answer *answer,
                     struct strbuf *out)
{
    const struct study_tally *t = &answer->all;
    if (c->copy.of) {
        strbuf_addf(out, "<div class=cell id=\"%s\"><div class=of>", c->id);
        html_escape(out, c->copy.label);
        strbuf_add(out, "</div>");
    } else {
        strbuf_add(out, "<div class=cell>");
    }
    strbuf_add(out, "<div class=ours>");
    html_escape(out, t->ours.text);
    strbuf_add(out, "</div>");
    if (*c->paper)
        add_small("paper", c->paper, out);
    if (t->least < t->most) {
        strbuf_add(out, "<div class=small>");
        add_spread(study, t, out);
        strbuf_add(out, "</div>");
    }
    add_verdict("direction", t->verdict.direction, t->direction_in, t->judged, out);
    if (*c->magnitude)
        add_verdict("size", t->verdict.magnitude, t->magnitude_in, t->judged_m, out);
    add_other(study, t, out);
    if (answer->coverage.open)
        strbuf_add(out, "<div class=mixed>not all of it has been run</div>");
    else if (answer->coverage.have < answer->coverage.of)
        strbuf_addf(out, "<div class=mixed>over %u of %u</div>", answer->coverage.have, answer->coverage.of);
    if (answer->one_run)
        strbuf_add(out, "<div class=mixed>one run</div>");
    if (answer->outside)
        strbuf_add(out, "<div class=mixed>out of its range</div>");
    strbuf_add(out, "</div>\n");
}

static void add_row(struct study *study, const struct study_answer_row *row, struct strbuf *out)
{
    const struct study_tally *t = &row->tally;
    strbuf_add(out, "<tr><th scope=row class=name>");
    html_escape(out, row->name);
    strbuf_add(out, "<td class=number>");
    html_escape(out, row->paper.text);
    strbuf_add(out, "<td class=number>");
    html_escape(out, t->ours.text);
    strbuf_add(out, "<td class=number>");
    add_spread(study, t, out);
    strbuf_add(out, "<td>");
    add_verdict("", t->verdict.direction, t->direction_in, t->judged, out);
    strbuf_add(out, "<td>");
    add_verdict("", t->verdict.magnitude, t->magnitude_in, t->judged_m, out);
    strbuf_add(out, "</tr>\n");
}

/* The rows of a claim, folded. */
static void add_rows(struct study *study, const struct study_claim *c, const struct study_answer *answer,
                     struct strbuf *out)
{
    unsigned of, hold = study_rows_that_hold(answer, false, &of), of_m,
                 hold_m = study_rows_that_hold(answer, true, &of_m);
    if (!answer->rows.count)
        return;
    strbuf_addf(out, "<details><summary>%s%s%u of %u rows", c->copy.of ? c->copy.label : "", c->copy.of ? ": " : "",
                hold, of);
    if (of_m)
        strbuf_addf(out, ", size %u of %u", hold_m, of_m);
    strbuf_add(out,
               "</summary><div class=scroll tabindex=0><table><tr><th scope=col>row<th scope=col class=number>paper"
               "<th scope=col class=number>here<th scope=col class=number>variants<th scope=col>direction"
               "<th scope=col>size</tr>\n");
    for (size_t i = 0; i < answer->rows.count; i++)
        add_row(study, &answer->rows.items[i], out);
    strbuf_add(out, "</table></div></details>");
}

/* The trials of a claim's reason; a reason without any is an assumption. */
static void add_trials(struct study *study, const struct study_claim *c, const struct study_answer *answer,
                       struct strbuf *out)
{
    for (size_t i = 0; i < c->tried_count && answer->trials; i++) {
        const struct study_intervention *tried = &study->interventions.items[c->tried[i]];
        strbuf_add(out, "<div class=why>Tried");
        if (c->copy.of) {
            strbuf_add(out, ", ");
            html_escape(out, c->copy.label);
        }
        strbuf_addf(out, ": %s (", tried->name);
        html_escape(out, study_tell_intervention(study, tried));
        strbuf_add(out, "): <b>");
        html_escape(out, study_trial_text(study, c, answer, i));
        strbuf_add(out, "</b>.</div>");
    }
}

static bool misses(const struct study_answer *answer)
{
    return answer->all.verdict.direction == 0 || answer->all.verdict.magnitude == 0;
}

/* A reason is given where a claim does not hold, or not in size; those of one row once each. What was tried is told in
 * any case. */
static void add_reasons(struct study *study, const struct study_found *found, size_t first, size_t end,
                        struct strbuf *out)
{
    const char *said = "";
    for (size_t i = first; i < end; i++) {
        const struct study_claim *c = &study->claims.items[i];
        const char *why = *c->why ? c->why : "The reason is not known.";
        if (misses(&found->answers[i]) && strcmp(said, why) != 0) {
            strbuf_add(out, "<div class=why>");
            html_escape(out, why);
            strbuf_add(out, c->tried_count || !*c->why ? "</div>" : " <b>Not tried: whether that is it is not known.</b></div>");
            said = why;
        }
        add_trials(study, c, &found->answers[i], out);
    }
}

/* One past the last claim that the `each` of this one made. */
static size_t end_of_group(const struct study *study, size_t first)
{
    const struct yaml_node *of = study->claims.items[first].copy.of;
    size_t end = first + 1;
    while (of && end < study->claims.count && study->claims.items[end].copy.of == of)
        end++;
    return end;
}

static void add_group(struct study *study, const struct study_found *found, size_t first, size_t end,
                      struct strbuf *out)
{
    const struct study_claim *c = &study->claims.items[first];
    bool group = c->copy.of;
    const struct yaml_node *name = group ? yaml_get(c->copy.of, "id") : NULL;
    strbuf_add(out, "<tr");
    if (!group)
        strbuf_addf(out, " id=\"%s\"", c->id);
    strbuf_add(out, "><td class=claim><span class=id>");
    html_escape(out, name && !strchr(name->text, '{') ? name->text : c->id);
    strbuf_add(out, "</span> ");
    html_escape(out, group ? c->copy.text : c->text);
    add_reasons(study, found, first, end, out);
    for (size_t i = first; i < end; i++)
        add_rows(study, &study->claims.items[i], &found->answers[i], out);
    strbuf_add(out, "<td><div class=cells>\n");
    for (size_t i = first; i < end; i++)
        add_cell(study, &study->claims.items[i], &found->answers[i], out);
    strbuf_add(out, "</div></tr>\n");
}

void study_page_claims(struct study *study, const struct study_found *found, struct strbuf *out)
{
    const struct study_judging *judging = &study->judging;
    if (!study->claims.count)
        return;
    strbuf_addf(
        out,
        "<h2 id=claims>Claims</h2><p class=note>Direction: the claim holds in kind. Size: so does the number, "
        "mostly a factor within a quarter of the paper's, or, of effects below 30%%, an effect within a factor "
        "of 1.5. Means are %s; what the %s one says stands in small. A factor within %.4g of 1 is no effect, one "
        "below %.4g loses. "
        "Behind a verdict: in how many variants of the runs it is so, and the range over them.</p>\n"
        "<table class=claims><caption class=unseen>Claims</caption>\n"
        "<thead class=unseen><tr><th scope=col>claim<th scope=col>verdict</tr></thead>\n<tbody>\n",
        judging->mean == STUDY_GEOMETRIC ? "geometric" : "arithmetic", other_mean(study), judging->no_effect,
        1 - judging->loses);
    for (size_t i = 0; i < study->claims.count;) {
        size_t end = end_of_group(study, i);
        add_group(study, found, i, end, out);
        i = end;
    }
    strbuf_add(out, "</tbody></table>\n");
}

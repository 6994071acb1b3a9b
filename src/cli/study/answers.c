/* Answers as tables: claims on the terminal and in claims.csv. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "cli/study/page.h"
#include "report/csv.h"

/* Appends the remarks that follow a claim's verdict. */
static void add_notes(const struct study_answer *answer, struct strbuf *out)
{
    unsigned of, hold = study_rows_that_hold(answer, false, &of);
    if (of)
        strbuf_addf(out, "  %u of %u rows", hold, of);
    if (answer->coverage.open)
        strbuf_add(out, "  not run");
    else if (answer->coverage.have < answer->coverage.of)
        strbuf_addf(out, "  over %u of %u", answer->coverage.have, answer->coverage.of);
    if (answer->one_run)
        strbuf_add(out, "  one run");
    if (answer->outside)
        strbuf_add(out, "  out of range");
}

static int widest_id(const struct study *study)
{
    size_t widest = 6;
    for (size_t i = 0; i < study->claims.count; i++)
        if (strlen(study->claims.items[i].id) > widest)
            widest = strlen(study->claims.items[i].id);
    return (int)widest;
}

static size_t widest_claim(const struct study *study)
{
    size_t widest = 5;
    for (size_t i = 0; i < study->claims.count; i++)
        if (strlen(study->claims.items[i].text) > widest)
            widest = strlen(study->claims.items[i].text);
    return widest > 72 ? 72 : widest;
}

static const char *bound(struct study *study, const struct study_tally *tally, double value)
{
    return tally->least <= tally->most ? study_number(study, value) : "-";
}

bool study_shows_other(const struct study_tally *tally)
{
    return tally->ours.type != SQLITE_NULL && tally->other.type != SQLITE_NULL &&
           strcmp(tally->ours.text, tally->other.text) != 0;
}

static void print_claim(struct study *study, const struct study_claim *c, const struct study_answer *answer, int id,
                        int widest, struct strbuf *out)
{
    const struct study_tally *t = &answer->all;
    const char *here =
        study_shows_other(t) ? arena_printf(&study->arena, "%s (%s)", t->ours.text, t->other.text) : t->ours.text;
    strbuf_addf(out, "%-*s %-*.*s %8s %16s %8s %8s  %-8s %s", id, c->id, widest, widest, c->text,
                *c->paper ? c->paper : "-", here, bound(study, t, t->least), bound(study, t, t->most),
                study_word(study, t->verdict.direction, t->direction_in, t->judged),
                study_word(study, t->verdict.magnitude, t->magnitude_in, t->judged_m));
    add_notes(answer, out);
    strbuf_add(out, "\n");
    for (size_t i = 0; i < c->tried_count && answer->trials; i++) {
        const struct study_intervention *tried = &study->interventions.items[c->tried[i]];
        strbuf_addf(out, "%-*s tried %s (%s): %s\n", id, "", tried->name, study_tell_intervention(study, tried),
                    study_trial_text(study, c, answer, i));
    }
}

void study_print_claims(struct study *study, const struct study_answer *answers, struct strbuf *out)
{
    int widest = (int)widest_claim(study), id = widest_id(study);
    if (study->claims.count)
        strbuf_addf(out, "%-*s %-*s %8s %16s %8s %8s  %-8s %s\n", id, "", widest, "claim", "paper", "here", "least",
                    "most", "D", "M");
    for (size_t i = 0; i < study->claims.count; i++)
        print_claim(study, &study->claims.items[i], &answers[i], id, widest, out);
}

/* Interventions and what came of them, as one text. */
static const char *trials_of(struct study *study, const struct study_claim *c, const struct study_answer *answer)
{
    struct strbuf out = {0};
    for (size_t i = 0; i < c->tried_count && answer->trials; i++)
        strbuf_addf(&out, "%s%s: %s", i ? " | " : "", study->interventions.items[c->tried[i]].name,
                    study_trial_text(study, c, answer, i));
    const char *text = arena_strdup(&study->arena, strbuf_text(&out));
    strbuf_free(&out);
    return text;
}

/* A line of claims.csv: a claim, or one of its rows. */
static void add_line(struct study *study, const struct study_claim *c, const struct study_answer *answer,
                     const struct study_answer_row *row, struct strbuf *out)
{
    const struct study_tally *t = row ? &row->tally : &answer->all;
    bool other = study_shows_other(t);
    unsigned of, hold = study_rows_that_hold(answer, false, &of), of_m,
                 hold_m = study_rows_that_hold(answer, true, &of_m);
    const char *counted = row || !of ? "" : arena_printf(&study->arena, "%u/%u", hold, of);
    const char *counted_m = row || !of_m ? "" : arena_printf(&study->arena, "%u/%u", hold_m, of_m);
    const char *paper = !row ? c->paper : row->paper.type == SQLITE_NULL ? "" : row->paper.text;
    const char *fields[] = {
        c->id,
        row ? row->name : "",
        c->text,
        paper,
        t->ours.text,
        other ? t->other.text : "",
        t->least <= t->most ? bound(study, t, t->least) : "",
        t->least <= t->most ? bound(study, t, t->most) : "",
        arena_printf(&study->arena, "%u", answer->variants),
        study_word(study, t->verdict.direction, 0, 0),
        study_word(study, t->verdict.magnitude, 0, 0),
        t->judged ? arena_printf(&study->arena, "%u", t->direction_in) : "",
        t->judged_m ? arena_printf(&study->arena, "%u", t->magnitude_in) : "",
        other ? study_word(study, t->other_verdict.direction, 0, 0) : "",
        other ? study_word(study, t->other_verdict.magnitude, 0, 0) : "",
        counted,
        counted_m,
        row                     ? ""
        : answer->coverage.open ? "not run"
                                : study_coverage_text(study, &answer->coverage),
        row ? "" : trials_of(study, c, answer),
        answer->one_run && !row ? "one run" : "",
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        strbuf_add(out, i ? "," : "");
        csv_text(out, fields[i]);
    }
    strbuf_add(out, "\n");
}

int study_write_claims(struct study *study, const struct study_answer *answers)
{
    struct strbuf out = {0};
    strbuf_add(&out,
               "id,row,claim,paper,here,other_mean,least,most,variants,direction,magnitude,direction_in,"
               "magnitude_in,other_direction,other_magnitude,rows_direction,rows_magnitude,coverage,tried,note\n");
    for (size_t i = 0; i < study->claims.count; i++) {
        add_line(study, &study->claims.items[i], &answers[i], NULL, &out);
        for (size_t k = 0; k < answers[i].rows.count; k++)
            add_line(study, &study->claims.items[i], &answers[i], &answers[i].rows.items[k], &out);
    }
    int rc = file_write(arena_printf(&study->arena, "%s/claims.csv", study->out), out.text, out.length, study->sink);
    strbuf_free(&out);
    return rc;
}

/* Answers a claim again with the results of an intervention, and tells by how much it moves. */
#include <math.h>
#include <string.h>

#include "cli/study/judge.h"

static bool is_number(const struct study_value *value)
{
    return value->type == SQLITE_INTEGER || value->type == SQLITE_FLOAT;
}

/* How far a number is from what it was; by less than counts as an effect it has not moved. */
static void add_move(const struct study *study, const struct study_value *was, const struct study_value *is,
                     struct strbuf *out)
{
    double by = was->number != 0 ? is->number / was->number - 1 : 0;
    if (was->number == 0)
        strbuf_add(out, is->number == 0 ? "does not move" : "moves");
    else if (fabs(by) <= study->judging.no_effect)
        strbuf_addf(out, "does not move (%+.1f%%)", 100 * by);
    else
        strbuf_addf(out, "moves by %+.1f%%", 100 * by);
}

const char *study_trial_text(struct study *study, const struct study_claim *claim, const struct study_answer *answer,
                             size_t n)
{
    const struct study_trial *trial = &answer->trials[n];
    const struct study_value *was = &answer->all.ours;
    struct strbuf out = {0};
    unsigned of, missing = study_tried_missing(study, claim->tried[n], &of);
    if (study->interventions.items[claim->tried[n]].left_out)
        return "left out of the quick version";
    if (missing || trial->ours.type == SQLITE_NULL || was->type == SQLITE_NULL)
        return arena_printf(&study->arena, "%u of %u runs have a result: nothing can be said", of - missing, of);
    strbuf_addf(&out, "%s becomes %s: ", was->text, trial->ours.text);
    if (is_number(was) && is_number(&trial->ours))
        add_move(study, was, &trial->ours, &out);
    else
        strbuf_add(&out, strcmp(was->text, trial->ours.text) ? "moves" : "does not move");
    strbuf_addf(&out, "; direction %s", study_word(study, trial->verdict.direction, 0, 0));
    if (*claim->magnitude)
        strbuf_addf(&out, ", size %s", study_word(study, trial->verdict.magnitude, 0, 0));
    const char *text = arena_strdup(&study->arena, strbuf_text(&out));
    strbuf_free(&out);
    return text;
}

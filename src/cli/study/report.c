/* A study's questions, asked in every world: see judge.h. */
#include "report/charts.h"
#include "cli/study/inputs.h"
#include "cli/study/page.h"

static int ask_figures(struct study *study, const struct study_world *world, struct study_points *points)
{
    int rc = 0;
    for (size_t i = 0; i < study->figures.count; i++)
        if (study_has_points(&study->figures.items[i]))
            rc |= study_read_points(study, &study->figures.items[i], world, &points[i]);
    return rc;
}

static int ask(struct study *study, enum study_world_kind kind, unsigned number, struct study_found *found)
{
    struct study_world world = {kind, number};
    if (study_enter(study, &world) < 0)
        return -1;
    int rc = study_judge(study, &world, found->answers);
    if (kind == STUDY_WHOLE || kind == STUDY_VARIANT)
        rc |= ask_figures(study, &world, found->points);
    return rc;
}

/* The worlds besides the whole one: which variants there are is asked before each of them is. */
static int ask_others(struct study *study, struct study_found *found)
{
    unsigned most = study_variants(study);
    int rc = ask(study, STUDY_OTHER_MEAN, 0, found);
    for (unsigned count = 1; count <= most; count++)
        if (study_has_variants(study, count))
            rc |= ask(study, STUDY_WITHOUT, count, found);
    if (most > 1)
        rc |= ask(study, STUDY_WITHOUT_VARYING, 1, found);
    for (unsigned variant = 0; most > 1 && variant < most; variant++)
        rc |= ask(study, STUDY_VARIANT, variant, found);
    for (unsigned i = 0; i < study->interventions.count; i++)
        rc |= ask(study, STUDY_TRIED, i, found);
    return rc;
}

static int ask_findings(struct study *study, struct study_found *found)
{
    int rc = 0;
    for (size_t i = 0; i < study->findings.count; i++) {
        const char *text = study_finding_text(study, &study->findings.items[i]);
        found->findings[i] = text ? text : "-";
        rc |= text ? 0 : -1;
    }
    return rc;
}

static void print_findings(const struct study *study, const struct study_found *found, struct strbuf *out)
{
    for (size_t i = 0; i < study->findings.count; i++)
        strbuf_addf(out, "%s\n", found->findings[i]);
}

int study_report(struct study *study, struct strbuf *text)
{
    static const struct study_world whole = {STUDY_WHOLE, 0};
    struct study_found found = {
        .answers = ARENA_NEW(&study->arena, struct study_answer, study->claims.count + 1),
        .points = ARENA_NEW(&study->arena, struct study_points, study->figures.count + 1),
        .findings = ARENA_NEW(&study->arena, const char *, study->findings.count + 1),
        .library = charts_library(&study->arena),
    };
    int rc = study_note_states(study) < 0 || ask(study, STUDY_WHOLE, 0, &found) < 0 || ask_others(study, &found) < 0 ||
                     study_cover(study, found.answers) < 0
                 ? -1
                 : 0;
    rc |= study_check_kernels(study) | study_check_inputs(study);
    if (study_enter(study, &whole) == 0) {
        rc |= ask_findings(study, &found);
        study_print_claims(study, found.answers, text);
        print_findings(study, &found, text);
        rc |= study_write_claims(study, found.answers) | study_write_results(study) | study_write_page(study, &found);
    }
    for (size_t i = 0; i < study->claims.count; i++)
        vec_free(&found.answers[i].rows);
    for (size_t i = 0; i < study->figures.count; i++)
        study_free_points(&found.points[i]);
    return rc;
}

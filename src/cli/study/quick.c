/* The runs and claims of a study that its quick version leaves out. */
#include <string.h>

#include "cli/study/study.h"

/* A number for each kind of what is left out. */
struct left {
    size_t executions, configurations, variants, smaller;
};

static const struct study_benchmark *twin_of(const struct study *full, const struct study_benchmark *benchmark)
{
    for (size_t i = 0; i < full->benchmarks.count; i++)
        if (!strcmp(full->benchmarks.items[i].name, benchmark->name))
            return &full->benchmarks.items[i];
    return NULL;
}

static size_t count_configurations(const struct study *study)
{
    size_t count = 0;
    for (size_t i = 0; i < study->runs.count; i++)
        count += study->runs.items[i].variant == 0;
    return count;
}

/* Executions of runs: those of interventions alone are not counted. */
static size_t count_executions(struct study *study)
{
    bool *used = ARENA_NEW(&study->arena, bool, study->executions.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < study->runs.count; i++)
        used[study->runs.items[i].execution] = true;
    for (size_t i = 0; i < study->executions.count; i++)
        count += used[i];
    return count;
}

static struct left compare(struct study *quick, struct study *full)
{
    struct left left = {count_executions(full) - count_executions(quick),
                        count_configurations(full) - count_configurations(quick),
                        full->runs.count - count_configurations(full), 0};
    for (size_t i = 0; i < quick->benchmarks.count; i++) {
        const struct study_benchmark *one = &quick->benchmarks.items[i], *twin = twin_of(full, one);
        left.smaller += twin && strcmp(twin->arguments, one->arguments) != 0;
    }
    return left;
}

static const char *tell(struct study *study, const struct left *left, size_t all)
{
    struct strbuf out = {0};
    strbuf_addf(&out, "The quick version leaves out %zu of %zu runs", left->executions, all);
    if (left->configurations)
        strbuf_addf(&out, "; %zu configurations", left->configurations);
    if (left->variants)
        strbuf_addf(&out, "; %zu variants: each configuration runs once", left->variants);
    if (left->smaller)
        strbuf_addf(&out, "; %zu of %zu benchmarks have other inputs", left->smaller, study->benchmarks.count);
    strbuf_add(&out, ".");
    const char *text = arena_strdup(&study->arena, strbuf_text(&out));
    strbuf_free(&out);
    return text;
}

void study_find_left(struct study *study)
{
    struct diag_sink ignored;
    struct study full = {
        .sink = &ignored, .lock = -1, .name = study->name, .folder = study->folder, .share = study->share};
    if (!study->quick)
        return;
    diag_init(&ignored);
    full.out = full.work = study->out;
    full.build = study->build;
    full.allow_code = study->allow_code;
    full.programs = study->programs;
    if (study_read(&full) == 0) {
        const struct left left = compare(study, &full);
        study->left = tell(study, &left, count_executions(&full));
    }
    study_forget(&full);
    diag_free(&ignored);
}

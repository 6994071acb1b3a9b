/* study.yaml's `runs`: which benchmarks run in which configurations, and which executions that takes. */
#include <string.h>

#include "base/strbuf.h"
#include "cli/study/plan.h"

static unsigned find_execution(struct study *study, struct study_execution *e)
{
    struct strbuf key = {0};
    strbuf_addf(&key, "%s %s | %s | %s | %s %s |", e->program, e->arguments, e->machine, e->scheduler, e->mode,
                e->max_cycles ? e->max_cycles : "");
    uint64_t source = study_identify(study, e->program);
    for (size_t i = 0; i < e->sets.count; i++)
        strbuf_addf(&key, " %s", e->sets.items[i]);
    strbuf_addf(&key, " | %016llx", (unsigned long long)source);
    e->key = arena_strdup(&study->arena, strbuf_text(&key));
    strbuf_free(&key);
    for (unsigned i = 0; i < study->executions.count; i++)
        if (!strcmp(study->executions.items[i].key, e->key)) {
            vec_free(&e->sets);
            return i;
        }
    vec_push(&study->executions, *e);
    return (unsigned)study->executions.count - 1;
}

static void add_run(struct study *study, const struct study_run *run, const struct study_reading *reading,
                    const char *mode, const char *max_cycles)
{
    struct study_run copy = *run;
    struct study_execution e = {.program = run->benchmark->program,
                                .arguments = run->benchmark->arguments,
                                .machine = run->machine,
                                .scheduler = plan_scheduler(study, run->scheduler),
                                .mode = mode,
                                .max_cycles = max_cycles};
    for (size_t i = 0; i < reading->sets.count; i++)
        vec_push(&e.sets, reading->sets.items[i]);
    copy.execution = find_execution(study, &e);
    vec_push(&study->runs, copy);
}

static const char *const *list_of(struct plan *p, const struct yaml_node *row, const char *key)
{
    const struct yaml_node *node = yaml_get(row, key);
    if (!node) {
        yaml_error(&p->doc, row, p->study->sink, NULL, "a row of runs needs %s", key);
        return NULL;
    }
    return plan_texts(p, node);
}

/* Whether `lockstep run` would take what a row says. */
static int check_row(struct plan *p, const struct yaml_node *row, const char *mode, const char *max_cycles,
                     const char *quick)
{
    uint64_t cycles;
    if (strcmp(mode, "timing") && strcmp(mode, "functional"))
        return plan_error(p, yaml_get(row, "mode"), "mode must be timing or functional");
    if (*max_cycles && !config_parse_u64(max_cycles, &cycles))
        return plan_error(p, yaml_get(row, "max_cycles"), "max_cycles must be a number of cycles");
    if (strcmp(quick, "true") && strcmp(quick, "false"))
        return plan_error(p, yaml_get(row, "quick"), "quick must be true or false");
    return 0;
}

static int check_run(struct plan *p, const struct yaml_node *row, const struct study_run *run,
                     const struct study_reading *reading)
{
    const char *scheduler = plan_scheduler(p->study, run->scheduler);
    if (study_check_configuration(p->study, run->machine, scheduler, reading) < 0)
        return yaml_error(&p->doc, row, p->study->sink, NULL,
                          "nothing can run on machine %s with scheduler %s and reading %s", run->machine, scheduler,
                          reading->name);
    if (study_check_program(p->study, run->benchmark->program) < 0)
        return yaml_error(&p->doc, row, p->study->sink, NULL, "benchmark %s cannot run", run->benchmark->name);
    return 0;
}

/* Every combination of a row. */
int plan_read_runs(struct plan *p, const struct yaml_node *row)
{
    static const char *const keys[] = {"benchmarks", "machines", "schedulers", "readings",
                                       "max_cycles", "mode",     "quick",      NULL};
    if (plan_check_keys(p, row, keys) < 0)
        return -1;
    const char *const *benchmarks = list_of(p, row, "benchmarks"), *const *machines = list_of(p, row, "machines");
    const char *const *schedulers = list_of(p, row, "schedulers"), *const *readings = list_of(p, row, "readings");
    const char *quick = plan_text(p, row, "quick", "true"), *max_cycles = plan_text(p, row, "max_cycles", "");
    const char *mode = plan_text(p, row, "mode", "timing");
    if (!mode || !benchmarks || !machines || !schedulers || !readings || !quick || !max_cycles)
        return -1;
    if (check_row(p, row, mode, max_cycles, quick) < 0)
        return -1;
    if (p->study->quick && !strcmp(quick, "false"))
        return 0;
    for (const char *const *b = benchmarks; *b; b++)
        for (const char *const *m = machines; *m; m++)
            for (const char *const *s = schedulers; *s; s++)
                for (const char *const *r = readings; *r; r++) {
                    struct study_run run = {plan_benchmark(p->study, *b), *m, *s, *r, 0};
                    const struct study_reading *reading = plan_reading(p->study, *r);
                    if (!run.benchmark || !reading)
                        return yaml_error(&p->doc, row, p->study->sink, NULL, "there is no %s named %s",
                                          reading ? "benchmark" : "reading", reading ? *b : *r);
                    if (check_run(p, row, &run, reading) < 0)
                        return -1;
                    add_run(p->study, &run, reading, mode, *max_cycles ? max_cycles : NULL);
                }
    return 0;
}

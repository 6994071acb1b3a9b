/* study.yaml's `interventions`: by which a reason for a difference is tried. Each is run for the configurations on
 * which the claims rest that name it (`tried`), and the claims are answered again with these results in the place of
 * their own. */
#include <string.h>

#include "cli/study/judge.h"
#include "cli/study/plan.h"

static int read_sets(struct plan *p, const struct yaml_node *node, struct study_intervention *to)
{
    const struct yaml_node *set = yaml_get(node, "set"), *at = set && set->kind == YAML_SEQUENCE ? set->children : set;
    const char *const *settings = set ? plan_texts(p, set) : NULL;
    int rc = set && !settings ? -1 : 0;
    for (; settings && *settings; settings++, at = at->next) {
        vec_push(&to->sets, *settings);
        rc |= plan_check_setting(p, at, *settings);
    }
    return rc;
}

/* `benchmarks: {HT: HT.small}`: another input in the place of one. */
static int read_swaps(struct plan *p, const struct yaml_node *node, struct study_intervention *to)
{
    const struct yaml_node *swaps = yaml_get(node, "benchmarks");
    if (swaps && swaps->kind != YAML_MAPPING)
        return plan_error(p, swaps, "benchmarks: expected {NAME: OTHER NAME}");
    for (const struct yaml_node *n = swaps ? swaps->children : NULL; n; n = n->next) {
        const struct study_benchmark *of = study_benchmark_named(p->study, n->key->text);
        const struct study_benchmark *by = n->kind == YAML_SCALAR ? study_benchmark_named(p->study, n->text) : NULL;
        if (!of || !by)
            return yaml_error(&p->doc, of ? n : n->key, p->study->sink, NULL, "there is no benchmark named %s",
                              of ? (n->text ? n->text : "") : n->key->text);
        vec_push(&to->swaps, (struct study_swap){of->name, by->name});
    }
    return 0;
}

/* `machines: {gtx480: gtx480-fixed}`: another machine of the study in the place of one. */
static int read_machines(struct plan *p, const struct yaml_node *node, struct study_intervention *to)
{
    const struct yaml_node *swaps = yaml_get(node, "machines");
    if (swaps && swaps->kind != YAML_MAPPING)
        return plan_error(p, swaps, "machines: expected {NAME: OTHER NAME}");
    for (const struct yaml_node *n = swaps ? swaps->children : NULL; n; n = n->next) {
        const char *of = plan_name_machine(p, n->key);
        const char *by = n->kind == YAML_SCALAR ? plan_name_machine(p, n) : NULL;
        if (!of || !by)
            return of && n->kind != YAML_SCALAR ? plan_error(p, n, "machines: expected {NAME: OTHER NAME}") : -1;
        vec_push(&to->machines, (struct study_swap){of, by});
    }
    return 0;
}

const char *study_tell_intervention(struct study *study, const struct study_intervention *i)
{
    struct strbuf out = {0};
    for (size_t k = 0; k < i->sets.count; k++)
        strbuf_addf(&out, "%s%s", out.length ? ", " : "", i->sets.items[k]);
    if (*i->arguments)
        strbuf_addf(&out, "%s%s", out.length ? ", " : "", i->arguments);
    for (size_t k = 0; k < i->swaps.count; k++)
        strbuf_addf(&out, "%s%s in the place of %s", out.length ? ", " : "", i->swaps.items[k].by,
                    i->swaps.items[k].of);
    for (size_t k = 0; k < i->machines.count; k++)
        strbuf_addf(&out, "%s%s in the place of %s", out.length ? ", " : "", i->machines.items[k].by,
                    i->machines.items[k].of);
    const char *text = arena_strdup(&study->arena, strbuf_text(&out));
    strbuf_free(&out);
    return text;
}

int plan_read_intervention(struct plan *p, const struct yaml_node *node)
{
    static const char *const keys[] = {"set", "arguments", "benchmarks", "machines", "quick", NULL};
    struct study_intervention i = {.name = arena_strdup(&p->study->arena, node->key->text), .node = node};
    if (plan_check_keys(p, node, keys) < 0)
        return -1;
    const char *quick = plan_text(p, node, "quick", "true");
    i.arguments = plan_text(p, node, "arguments", "");
    if (!quick || !i.arguments)
        return -1;
    if (strstr(i.arguments, "{programs}"))
        return yaml_error(&p->doc, yaml_get(node, "arguments"), p->study->sink,
                          "benchmarks: {NAME: OTHER} takes another input", "an intervention names no file of programs");
    i.left_out = p->study->quick && !strcmp(quick, "false");
    int rc = read_sets(p, node, &i) | read_swaps(p, node, &i) | read_machines(p, node, &i);
    if (rc == 0 && !i.sets.count && !*i.arguments && !i.swaps.count && !i.machines.count)
        rc = plan_error(p, node, "an intervention changes something: set, arguments, benchmarks or machines");
    vec_push(&p->study->interventions, i);
    return rc;
}

/* The interventions that a claim names; their indices. */
int plan_read_tried(struct plan *p, const struct yaml_node *node, struct study_claim *claim)
{
    const struct yaml_node *tried = yaml_get(node, "tried"), *at = tried;
    const char *const *names = tried ? plan_texts(p, tried) : NULL;
    if (!tried)
        return 0;
    if (!names)
        return -1;
    if (tried->kind == YAML_SEQUENCE)
        at = tried->children;
    size_t count = 0;
    while (names[count])
        count++;
    size_t *indices = ARENA_NEW(&p->study->arena, size_t, count + 1);
    for (size_t n = 0; n < count; n++, at = at->next) {
        size_t i = 0;
        while (i < p->study->interventions.count && strcmp(p->study->interventions.items[i].name, names[n]))
            i++;
        if (i == p->study->interventions.count)
            return yaml_error(&p->doc, at, p->study->sink, "those under `interventions` have a name",
                              "there is no intervention named %s", names[n]);
        indices[n] = i;
    }
    claim->tried = indices;
    claim->tried_count = count;
    return 0;
}

/* Runs */

static const struct study_benchmark *swapped(const struct study *study, const struct study_intervention *i,
                                             const struct study_benchmark *benchmark)
{
    for (size_t k = 0; k < i->swaps.count; k++)
        if (!strcmp(i->swaps.items[k].of, benchmark->name))
            return study_benchmark_named(study, i->swaps.items[k].by);
    return benchmark;
}

/* Puts the parameters of a configuration into `sets`: its machine's first, which may be another one's now. */
static void take_sets(const struct study *study, const struct study_intervention *i, const struct study_run *base,
                      struct study_execution *e)
{
    const struct study_execution *of = &study->executions.items[base->execution];
    const struct study_machine *machine = plan_machine(study, base->machine), *by = machine;
    for (size_t k = 0; k < i->machines.count; k++)
        if (!strcmp(i->machines.items[k].of, base->machine))
            by = plan_machine(study, i->machines.items[k].by);
    if (by)
        e->machine = by->machine;
    for (size_t k = 0; by && k < by->sets.count; k++)
        vec_push(&e->sets, by->sets.items[k]);
    for (size_t k = machine ? machine->sets.count : 0; k < of->sets.count; k++)
        vec_push(&e->sets, of->sets.items[k]);
    for (size_t k = 0; k < i->sets.count; k++)
        vec_push(&e->sets, i->sets.items[k]);
}

static int check(struct study *study, const struct study_intervention *i, const struct study_execution *e)
{
    struct study_reading sets = {.name = NULL};
    struct strbuf name = {0};
    for (size_t k = 0; k < e->sets.count; k++) {
        vec_push(&sets.sets, e->sets.items[k]);
        strbuf_addf(&name, " %s", e->sets.items[k]);
    }
    sets.name = strbuf_text(&name);
    int rc = study_check_configuration(study, e->machine, e->scheduler, &sets);
    vec_free(&sets.sets);
    strbuf_free(&name);
    if (rc < 0)
        return study_fault(study, i->node, NULL, "nothing can run on %s with %s and intervention %s", e->machine,
                           e->scheduler, i->name);
    if (*i->arguments && cli_is_case(e->program))
        return study_fault(study, yaml_get(i->node, "arguments"), "benchmarks: {NAME: OTHER} takes another input",
                           "a launch file (%s) takes no arguments", e->program);
    return 0;
}

/* The run of a configuration with the intervention. */
static int add_tried(struct study *study, size_t index, const struct study_run *base)
{
    const struct study_intervention *i = &study->interventions.items[index];
    const struct study_execution *of = &study->executions.items[base->execution];
    struct study_run run = *base;
    struct study_execution e = *of;
    const struct study_benchmark *benchmark = swapped(study, i, base->benchmark);
    e.sets.items = NULL;
    e.sets.count = e.sets.capacity = 0;
    e.program = benchmark->program;
    e.suite = benchmark->suite;
    e.absent = benchmark->absent;
    e.content = benchmark->content;
    e.arguments =
        *i->arguments ? arena_printf(&study->arena, "%s %s", benchmark->arguments, i->arguments) : benchmark->arguments;
    e.phases = false;
    take_sets(study, i, base, &e);
    if (check(study, i, &e) < 0) {
        vec_free(&e.sets);
        return -1;
    }
    run.benchmark = base->benchmark;
    run.kernels = benchmark->kernels;
    run.tried = index;
    run.execution = plan_find_execution(study, &e);
    vec_push(&study->tried, run);
    return 0;
}

/* The interventions that a claim names and this version runs. */
static bool names(const struct study *study, const struct study_claim *claim, size_t intervention)
{
    bool named = false;
    for (size_t k = 0; k < claim->tried_count; k++)
        named |= claim->tried[k] == intervention;
    return named && !study->interventions.items[intervention].left_out;
}

/* By claim that tries something in this version: the runs that it rests on; NULL for the others. */
static int find_supports(struct study *study, bool **supports)
{
    int rc = 0;
    for (size_t c = 0; c < study->claims.count && rc == 0; c++)
        for (size_t i = 0; i < study->interventions.count && !supports[c] && rc == 0; i++)
            if (names(study, &study->claims.items[c], i)) {
                supports[c] = ARENA_NEW(&study->arena, bool, study->runs.count + 1);
                rc = study_find_support(study, c, supports[c]);
            }
    return rc;
}

static bool is_wanted(const struct study *study, bool *const *supports, size_t intervention, size_t run)
{
    for (size_t c = 0; c < study->claims.count; c++)
        if (supports[c] && supports[c][run] && names(study, &study->claims.items[c], intervention))
            return true;
    return false;
}

int study_plan_tried(struct study *study)
{
    bool **supports = ARENA_NEW(&study->arena, bool *, study->claims.count + 1);
    int rc = find_supports(study, supports);
    for (size_t i = 0; i < study->interventions.count; i++)
        for (size_t r = 0; r < study->runs.count && rc == 0; r++)
            if (is_wanted(study, supports, i, r))
                rc = add_tried(study, i, &study->runs.items[r]);
    return rc;
}

unsigned study_tried_missing(const struct study *study, size_t intervention, unsigned *of)
{
    unsigned missing = 0;
    *of = 0;
    for (size_t r = 0; r < study->tried.count; r++) {
        const struct study_run *run = &study->tried.items[r];
        if (run->tried != intervention)
            continue;
        ++*of;
        missing += study->executions.items[run->execution].state != STUDY_ENDED;
    }
    return missing;
}

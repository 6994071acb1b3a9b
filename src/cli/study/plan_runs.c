/* study.yaml's `runs`: which benchmarks run in which configurations, and which executions that takes. Every row is a
 * product: benchmarks, machines, schedulers, readings, the values of the parameters under `set`, and the variants of
 * `seeds` or `vary`. */
#include <string.h>

#include "base/strbuf.h"
#include "cli/study/plan.h"
#include "core/sched/sched.h"

#define MOST_VARIANTS 1000

/* A parameter and the values that a row gives it. */
struct axis {
    const char *name;
    size_t column; /* in study->grid */
    const char *const *values;
    unsigned count;
};

struct row {
    struct plan *p;
    const struct yaml_node *node, *benchmarks, *machines, *schedulers, *readings;
    const char *mode, *max_cycles;
    VEC(struct axis) axes;
    unsigned combinations; /* of the axes' values */
    struct axis vary;      /* name NULL: seeds */
    unsigned variants;
    bool phases;
};

/* The entries of a sequence; a scalar is a sequence of one. */
static const struct yaml_node *first_of(const struct yaml_node *list)
{
    return list->kind == YAML_SEQUENCE ? list->children : list;
}

static const struct yaml_node *next_of(const struct yaml_node *list, const struct yaml_node *entry)
{
    return list->kind == YAML_SEQUENCE ? entry->next : NULL;
}

/* Executions */

/* Adds the identity of a user's own machine file or scheduler: its text is part of a run's identity. */
static void add_content(struct study *study, const char *path, struct strbuf *key)
{
    strbuf_addf(key, " %016llx", (unsigned long long)study_identify_file(study, path));
}

/* True if a later setting gives the same parameter. */
static bool set_again(const struct study_execution *e, size_t i)
{
    const char *set = e->sets.items[i];
    for (size_t later = i + 1; later < e->sets.count; later++)
        if (!strncmp(e->sets.items[later], set, strcspn(set, "=") + 1))
            return true;
    return false;
}

static void describe(struct study *study, const struct study_execution *e, bool effective, struct strbuf *key)
{
    const char *folder = arena_printf(&study->arena, "%s/", study->folder);
    bool own = !strncmp(e->machine, folder, strlen(folder));
    strbuf_addf(key, "%s %s | %s", e->program, e->arguments, e->machine + (own ? strlen(folder) : 0));
    if (machine_is_file(e->machine))
        add_content(study, e->machine, key);
    strbuf_addf(key, " | %s", e->scheduler);
    if (strchr(e->scheduler, '/'))
        add_content(study, arena_strndup(&study->arena, e->scheduler, strcspn(e->scheduler, ":+")), key);
    strbuf_addf(key, " | %s %s |", e->mode, e->max_cycles ? e->max_cycles : "");
    for (size_t i = 0; i < e->sets.count; i++)
        if (!effective || !set_again(e, i))
            strbuf_addf(key, " %s", e->sets.items[i]);
    if (e->suite)
        strbuf_addf(key, " | expects '%s' %s %s", e->suite->expects, e->suite->output, e->suite->writes);
    else
        strbuf_addf(key, " | %016llx", (unsigned long long)study_identify(study, e->program));
}

void study_tell_execution(struct study *study, const struct study_execution *e, struct strbuf *out)
{
    describe(study, e, true, out);
}

unsigned plan_find_execution(struct study *study, struct study_execution *e)
{
    struct strbuf key = {0};
    describe(study, e, false, &key);
    unsigned known = strmap_get(&study->keys, strbuf_text(&key), key.length);
    if (known == STRMAP_NONE) {
        known = (unsigned)study->executions.count;
        e->key = arena_strdup(&study->arena, strbuf_text(&key));
        strmap_put(&study->keys, e->key, key.length, known);
        vec_push(&study->executions, *e);
    } else {
        study->executions.items[known].phases |= e->phases;
        vec_free(&e->sets);
    }
    strbuf_free(&key);
    return known;
}

/* One run */

/* The value of a row's n-th axis in its c-th combination. */
static const char *value_of(const struct row *row, size_t n, unsigned c)
{
    for (size_t i = row->axes.count - 1; i > n; i--)
        c /= row->axes.items[i].count;
    return row->axes.items[n].values[c % row->axes.items[n].count];
}

/* All parameters of a run, in the order in which they are set: the machine's, the reading's, the grid's, the variant's.
 */
static void collect_sets(const struct row *row, const struct study_run *run, unsigned combination,
                         struct study_reading *to)
{
    struct study *study = row->p->study;
    const struct study_machine *machine = plan_machine(study, run->machine);
    const struct study_reading *reading = plan_reading(study, run->reading);
    for (size_t i = 0; i < machine->sets.count; i++)
        vec_push(&to->sets, machine->sets.items[i]);
    for (size_t i = 0; i < reading->sets.count; i++)
        vec_push(&to->sets, reading->sets.items[i]);
    for (size_t i = 0; i < row->axes.count; i++)
        vec_push(&to->sets,
                 arena_printf(&study->arena, "%s=%s", row->axes.items[i].name, value_of(row, i, combination)));
    if (row->vary.name)
        vec_push(&to->sets, arena_printf(&study->arena, "%s=%s", row->vary.name, row->vary.values[run->variant]));
    else if (run->variant)
        vec_push(&to->sets, arena_printf(&study->arena, "gpu.seed=%u", run->variant));
}

/* A machine, a scheduler and parameters that cannot work together are an error of the row. */
static int check(const struct row *row, const struct study_run *run, const struct study_machine *machine,
                 const char *scheduler, struct study_reading *sets)
{
    struct strbuf name = {0};
    for (size_t i = 0; i < sets->sets.count; i++)
        strbuf_addf(&name, " %s", sets->sets.items[i]);
    sets->name = strbuf_text(&name);
    int rc = study_check_configuration(row->p->study, machine->machine, scheduler, sets);
    strbuf_free(&name);
    sets->name = NULL;
    if (rc < 0)
        return yaml_error(&row->p->doc, row->node, row->p->study->sink, NULL,
                          "nothing can run on machine %s with scheduler %s and reading %s", run->machine, scheduler,
                          run->reading);
    return 0;
}

/* A configuration that an earlier row has too is one, if both say the same of it. 1: it is there. */
static int find_twin(const struct row *row, const struct study_run *run)
{
    struct study *study = row->p->study;
    struct strbuf name = {0};
    strbuf_addf(&name, "%s\n%s\n%s\n%s\n%u", run->benchmark->name, run->machine, run->scheduler, run->reading,
                run->variant);
    for (size_t i = 0; i < study->grid.count; i++)
        strbuf_addf(&name, "\n%s", run->grid[i] ? run->grid[i] : "");
    unsigned known = strmap_get(&study->named, strbuf_text(&name), name.length);
    if (known == STRMAP_NONE)
        strmap_put(&study->named, arena_strdup(&study->arena, strbuf_text(&name)), name.length,
                   (unsigned)study->runs.count);
    strbuf_free(&name);
    if (known == STRMAP_NONE)
        return 0;
    const struct study_run *twin = &study->runs.items[known];
    if (twin->execution == run->execution && twin->variants == run->variants)
        return 1;
    return yaml_error(&row->p->doc, row->node, study->sink, "one of the two needs another reading, or a short name",
                      "%s on %s with %s and %s stands in an earlier row with other variants, mode or max_cycles",
                      run->benchmark->name, run->machine, run->scheduler, run->reading);
}

static int add_run(const struct row *row, struct study_run *run, unsigned combination)
{
    struct study *study = row->p->study;
    const struct study_machine *machine = plan_machine(study, run->machine);
    const char *scheduler =
        departure_scheduler(&study->arena, machine->origin, machine->as, plan_scheduler(study, run->scheduler));
    struct study_reading sets = {.name = NULL};
    collect_sets(row, run, combination, &sets);
    if (check(row, run, machine, scheduler, &sets) < 0) {
        vec_free(&sets.sets);
        return -1;
    }
    struct study_execution e = {.program = run->benchmark->program,
                                .arguments = run->benchmark->arguments,
                                .suite = run->benchmark->suite,
                                .absent = run->benchmark->absent,
                                .content = run->benchmark->content,
                                .machine = machine->machine,
                                .scheduler = scheduler,
                                .mode = row->mode,
                                .phases = row->phases,
                                .seconds = -1,
                                .max_cycles = *row->max_cycles ? row->max_cycles : NULL};
    for (size_t i = 0; i < sets.sets.count; i++)
        vec_push(&e.sets, sets.sets.items[i]);
    vec_free(&sets.sets);
    run->execution = plan_find_execution(study, &e);
    int twin = find_twin(row, run);
    if (twin == 0)
        vec_push(&study->runs, *run);
    return twin < 0 ? -1 : 0;
}

/* Every point of the grid, in every variant, of one benchmark in one configuration. */
static int add_grid(const struct row *row, struct study_run *run)
{
    struct study *study = row->p->study;
    run->variants = row->variants;
    for (unsigned c = 0; c < row->combinations; c++) {
        run->grid = ARENA_NEW(&study->arena, const char *, study->grid.count + 1);
        for (size_t i = 0; i < row->axes.count; i++)
            run->grid[row->axes.items[i].column] = value_of(row, i, c);
        for (run->variant = 0; run->variant < run->variants; run->variant++)
            if (add_run(row, run, c) < 0)
                return -1;
    }
    return 0;
}

static int add_all(const struct row *row)
{
    struct study *study = row->p->study;
    const struct yaml_node *b, *m, *s, *r;
    for (b = first_of(row->benchmarks); b; b = next_of(row->benchmarks, b))
        for (m = first_of(row->machines); m; m = next_of(row->machines, m))
            for (s = first_of(row->schedulers); s; s = next_of(row->schedulers, s))
                for (r = first_of(row->readings); r; r = next_of(row->readings, r)) {
                    struct study_run run = {.benchmark = study_benchmark_named(study, b->text),
                                            .kernels = study_benchmark_named(study, b->text)->kernels,
                                            .machine = plan_machine(study, m->text)->name,
                                            .scheduler = arena_strdup(&study->arena, s->text),
                                            .reading = plan_reading(study, r->text)->name};
                    if (add_grid(row, &run) < 0)
                        return -1;
                }
    return 0;
}

/* Checks of the members of a row */

static int check_benchmark(struct plan *p, const struct yaml_node *node)
{
    const struct study_benchmark *benchmark = study_benchmark_named(p->study, node->text);
    if (!benchmark)
        return yaml_error(&p->doc, node, p->study->sink, NULL, "there is no benchmark named %s", node->text);
    if (!benchmark->suite && study_check_program(p->study, benchmark->program) < 0)
        return yaml_error(&p->doc, node, p->study->sink, NULL, "benchmark %s cannot run", node->text);
    return 0;
}

static int check_machine(struct plan *p, const struct yaml_node *node)
{
    return plan_name_machine(p, node) ? 0 : -1;
}

static int check_scheduler(struct plan *p, const struct yaml_node *node)
{
    struct diag_sink said;
    struct sched sched;
    if (plan_check_code(p, node, plan_scheduler(p->study, node->text)) < 0)
        return -1;
    diag_init(&said);
    if (sched_open(&sched, plan_scheduler(p->study, node->text), &said) < 0)
        return plan_repeat(p, node, &said);
    sched_close(&sched);
    diag_free(&said);
    return 0;
}

static int check_reading(struct plan *p, const struct yaml_node *node)
{
    if (plan_reading(p->study, node->text))
        return 0;
    return yaml_error(&p->doc, node, p->study->sink, NULL, "there is no reading named %s", node->text);
}

/* The list of a row under a key, each entry checked. NULL with diagnostics. */
static const struct yaml_node *list_of(struct plan *p, const struct yaml_node *row, const char *key,
                                       int (*check_entry)(struct plan *, const struct yaml_node *))
{
    const struct yaml_node *list = yaml_get(row, key);
    int rc = 0;
    if (!list)
        rc = yaml_error(&p->doc, row, p->study->sink, NULL, "a row of runs needs %s", key);
    else if (!plan_texts(p, list))
        rc = -1;
    for (const struct yaml_node *i = rc == 0 ? first_of(list) : NULL; i; i = next_of(list, i))
        rc |= check_entry(p, i);
    return rc == 0 ? list : NULL;
}

static size_t column_of(const struct study *study, const char *name)
{
    size_t i = 0;
    while (i < study->grid.count && strcmp(study->grid.items[i], name))
        i++;
    return i;
}

static bool is_parameter(const struct plan *p, const char *name)
{
    struct strbuf value = {0};
    bool found = machine_value(&p->any, name, &value);
    strbuf_free(&value);
    return found;
}

/* An entry `group.parameter: [values]` of set or vary. */
static int read_axis(struct plan *p, const struct yaml_node *node, struct axis *axis)
{
    int rc = 0;
    axis->name = arena_strdup(&p->study->arena, node->key->text);
    if (!is_parameter(p, axis->name))
        return plan_check_value(p, node->key, axis->name, "0");
    axis->column = column_of(p->study, axis->name);
    axis->values = plan_texts(p, node);
    for (const struct yaml_node *i = axis->values ? first_of(node) : NULL; i && rc == 0; i = next_of(node, i)) {
        rc = plan_check_value(p, i, axis->name, i->text);
        axis->count++;
    }
    if (rc == 0 && axis->values && !axis->count)
        return plan_error(p, node, "expected a value, or several");
    return axis->values ? rc : -1;
}

static int read_set(struct row *row)
{
    const struct yaml_node *set = yaml_get(row->node, "set");
    int rc = 0;
    row->combinations = 1;
    if (set && set->kind != YAML_MAPPING)
        return plan_error(row->p, set, "set: expected {group.parameter: [values]}");
    for (const struct yaml_node *n = set ? set->children : NULL; n && rc == 0; n = n->next) {
        struct axis axis = {.name = NULL};
        rc = read_axis(row->p, n, &axis);
        row->combinations *= axis.count;
        vec_push(&row->axes, axis);
    }
    return rc;
}

static int read_variants(struct row *row)
{
    struct plan *p = row->p;
    const struct yaml_node *vary = yaml_get(row->node, "vary"), *seeds = yaml_get(row->node, "seeds");
    uint64_t count = 1;
    if (vary && seeds)
        return plan_error(p, seeds, "a row has seeds or vary, not both");
    if (vary && (vary->kind != YAML_MAPPING || !vary->children || vary->children->next))
        return plan_error(p, vary, "vary: expected {group.parameter: [values]}, one parameter");
    if (vary && read_axis(p, vary->children, &row->vary) < 0)
        return -1;
    if (seeds &&
        (seeds->kind != YAML_SCALAR || !config_parse_u64(seeds->text, &count) || count < 1 || count > MOST_VARIANTS))
        return plan_error(p, seeds, "seeds must be a number from 1 to 1000");
    row->variants = p->study->quick ? 1 : vary ? row->vary.count : (unsigned)count;
    return 0;
}

/* Checks that `lockstep run` would take the values of a row. */
static int check_row(struct plan *p, const struct yaml_node *row, const char *mode, const char *max_cycles,
                     const char *quick, const char *phases)
{
    uint64_t cycles;
    if (strcmp(mode, "timing") && strcmp(mode, "functional"))
        return plan_error(p, yaml_get(row, "mode"), "mode must be timing or functional");
    if (*max_cycles && !config_parse_u64(max_cycles, &cycles))
        return plan_error(p, yaml_get(row, "max_cycles"), "max_cycles must be a number of cycles");
    if (strcmp(quick, "true") && strcmp(quick, "false"))
        return plan_error(p, yaml_get(row, "quick"), "quick must be true or false");
    if (strcmp(phases, "true") && strcmp(phases, "false"))
        return plan_error(p, yaml_get(row, "phases"), "phases must be true or false");
    if (!strcmp(phases, "true") && strcmp(mode, "timing"))
        return plan_error(p, yaml_get(row, "phases"), "functional mode has no phases");
    return 0;
}

int plan_read_grid(struct plan *p, const struct yaml_node *row)
{
    const struct yaml_node *set = yaml_get(row, "set");
    for (const struct yaml_node *n = set && set->kind == YAML_MAPPING ? set->children : NULL; n; n = n->next)
        if (column_of(p->study, n->key->text) == p->study->grid.count)
            vec_push(&p->study->grid, arena_strdup(&p->study->arena, n->key->text));
    return 0;
}

int plan_read_runs(struct plan *p, const struct yaml_node *node)
{
    static const char *const keys[] = {"benchmarks", "machines", "schedulers", "readings", "max_cycles", "mode",
                                       "quick",      "phases",   "set",        "seeds",    "vary",       NULL};
    struct row row = {.p = p, .node = node};
    if (plan_check_keys(p, node, keys) < 0)
        return -1;
    row.benchmarks = list_of(p, node, "benchmarks", check_benchmark);
    row.machines = list_of(p, node, "machines", check_machine);
    row.schedulers = list_of(p, node, "schedulers", check_scheduler);
    row.readings = list_of(p, node, "readings", check_reading);
    row.mode = plan_text(p, node, "mode", "timing");
    row.max_cycles = plan_text(p, node, "max_cycles", "");
    const char *quick = plan_text(p, node, "quick", "true"), *phases = plan_text(p, node, "phases", "false");
    int rc = row.benchmarks && row.machines && row.schedulers && row.readings && row.mode && row.max_cycles && quick &&
                     phases && check_row(p, node, row.mode, row.max_cycles, quick, phases) == 0
                 ? 0
                 : -1;
    row.phases = rc == 0 && !strcmp(phases, "true");
    if (read_set(&row) < 0 || read_variants(&row) < 0)
        rc = -1;
    if (rc == 0 && !(p->study->quick && !strcmp(quick, "false")))
        rc = add_all(&row);
    vec_free(&row.axes);
    return rc;
}

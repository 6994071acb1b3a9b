/* study.yaml: what a study runs and asks.
 *
 *     title:, source:, about:            texts
 *     benchmarks:
 *       HT: {program: hashtable, kernels: "insert*", quick: --small, full: --paper}
 *     readings:
 *       paper: [spin.measure=true]
 *       fixed: [paper, spin.adaptive=false, spin.delay=1000]       that of an earlier reading, and more
 *     schedulers:                        short names, where wanted
 *       cawa: "cawa:profile=artifact"
 *     machines:                          short names, where wanted; as: shipped, fixed-order or reference
 *       gtx480-fixed: {machine: gtx480, as: fixed-order, set: [sm.warps=24]}
 *     runs:                              every combination of each row
 *       - {benchmarks: [HT], machines: [gtx480], schedulers: [gto, gto+bows], readings: [paper], max_cycles: 1000000,
 *          mode: timing, set: {gpu.sms: [4, 8]}, seeds: 5}
 *     tables:
 *       authors: authors.csv             a file of the study's folder becomes a table
 *     views: SQL
 *     figures:
 *       - {id: fig9, kind: bars, title:, x:, y:, sql:, text:, log: true, base: 1,
 *          beside: SQL, or paper: {SERIES: {X: Y}}}
 *     judging: {mean: geometric, no_effect: 0.03, loses: 0.05}
 *     takes: {quick: 5 min, full: 45 min}
 *     interventions:                     by which reasons are tried: plan_tried.c
 *       small: {set: [sm.warps=24], arguments: "--size 4", benchmarks: {HT: other}}
 *     inputs:                            beside the paper's: plan_inputs.c
 *       HT: {threads: 40960, paper: {threads: 40960}}
 *     claims:
 *       - {id: B1, claim:, paper: 2.2, rows: or sql:, direction: wins(ours), range: [0, 10],
 *          magnitude: near(ours, 2.2), chaotic: true, why:, tried: [small]}
 *     findings:
 *       - {id: gain, text: "BOWS gains {x}", sql:}
 * Benchmarks, figures, claims and findings can have `each`: see plan_each.c.
 *
 * In the place of `program`, `suite` names one of the user's own: suite.c.
 *
 * `program` is NAME of NAME.cu in the study's folder or of workloads/NAME/NAME.cu, or a launch file of the study's
 * folder or of the reference cases (NAME.yaml). A row of runs with `quick: false` is left out of the quick version. */
#include <string.h>

#include "base/strbuf.h"
#include "base/strmap.h"
#include "cli/study/plan.h"
#include "core/sched/sched.h"

int plan_error(struct plan *p, const struct yaml_node *node, const char *message)
{
    return yaml_error(&p->doc, node, p->study->sink, NULL, "%s", message);
}

const char *plan_text(struct plan *p, const struct yaml_node *in, const char *key, const char *otherwise)
{
    const struct yaml_node *node = yaml_get(in, key);
    if (!node && otherwise)
        return otherwise;
    if (!node || node->kind != YAML_SCALAR) {
        yaml_error(&p->doc, node ? node : in, p->study->sink, NULL, "%s: expected a text", key);
        return NULL;
    }
    return arena_strdup(&p->study->arena, node->text);
}

int plan_repeat(struct plan *p, const struct yaml_node *node, struct diag_sink *said)
{
    for (unsigned i = 0; i < said->count; i++)
        yaml_error(&p->doc, node, p->study->sink, said->items[i].hint, "%s", said->items[i].message);
    diag_free(said);
    return -1;
}

int plan_check_code(struct plan *p, const struct yaml_node *node, const char *scheduler)
{
    if (p->study->allow_code || !sched_is_file(scheduler))
        return 0;
    return yaml_error(&p->doc, node, p->study->sink, "--allow-code lets the study load it, if you trust it",
                      "%s is code, which a study does not load by itself", scheduler);
}

int plan_check_value(struct plan *p, const struct yaml_node *node, const char *name, const char *value)
{
    struct machine *any = &p->any;
    struct diag_sink said;
    diag_init(&said);
    if (param_set(any->groups, MACHINE_GROUPS, &any->arena, name, value, DIAG_NOWHERE, &said) < 0)
        return plan_repeat(p, node, &said);
    diag_free(&said);
    return strcmp(name, "sm.scheduler") == 0 ? plan_check_code(p, node, value) : 0;
}

int plan_check_setting(struct plan *p, const struct yaml_node *node, const char *setting)
{
    size_t n = strcspn(setting, "=");
    if (!setting[n])
        return yaml_error(&p->doc, node, p->study->sink, "write group.parameter=value", "%s sets nothing", setting);
    return plan_check_value(p, node, arena_strndup(&p->study->arena, setting, n), setting + n + 1);
}

static bool is_known(const char *key, const char *const *known)
{
    for (; *known; known++)
        if (!strcmp(key, *known))
            return true;
    return false;
}

int plan_check_keys(struct plan *p, const struct yaml_node *mapping, const char *const *known)
{
    int rc = 0;
    if (mapping->kind != YAML_MAPPING)
        return plan_error(p, mapping, "expected a mapping");
    for (const struct yaml_node *n = mapping->children; n; n = n->next)
        if (!is_known(n->key->text, known))
            rc = yaml_error(&p->doc, n->key, p->study->sink, str_nearest(n->key->text, known), "%s is not known here",
                            n->key->text);
    return rc;
}

/* A program is built into a file of its name, and what stands behind a launch file are options of `lockstep run`, which
 * write files and load code. */
static int check_benchmark(struct plan *p, const struct yaml_node *node, const struct study_benchmark *b)
{
    const char *version = p->study->quick ? "quick" : "full";
    if (strchr(b->program, '/') || b->program[0] == '.' || !b->program[0])
        return yaml_error(&p->doc, yaml_get(node, "program"), p->study->sink,
                          "NAME of NAME.cu beside study.yaml or of workloads/NAME, or a launch file NAME.yaml",
                          "a program has a plain name, not '%s'", b->program);
    if (cli_is_case(b->program) && *b->arguments)
        return yaml_error(&p->doc, yaml_get(node, version), p->study->sink,
                          "parameters of machines stand under readings, or under set of a row of runs",
                          "a launch file takes no arguments");
    return 0;
}

static int read_one_benchmark(struct plan *p, const struct yaml_node *node, const struct study_copy *copy)
{
    static const char *const keys[] = {"program", "suite", "kernels", "quick", "full", "each", NULL};
    (void)copy;
    if (plan_check_keys(p, node, keys) < 0)
        return -1;
    if (study_benchmark_named(p->study, node->key->text))
        return plan_error(p, node->key, "two benchmarks have this name");
    struct study_benchmark b = {
        .name = arena_strdup(&p->study->arena, node->key->text),
        .program = plan_text(p, node, "program", yaml_get(node, "suite") ? "" : NULL),
        .kernels = plan_text(p, node, "kernels", "*"),
        .arguments = plan_text(p, node, p->study->quick ? "quick" : "full", ""),
        .node = node,
    };
    if (!b.program || !b.kernels || !b.arguments || plan_read_suite(p, node, &b) < 0 ||
        (!b.suite && check_benchmark(p, node, &b) < 0))
        return -1;
    vec_push(&p->study->benchmarks, b);
    return 0;
}

static int read_benchmark(struct plan *p, const struct yaml_node *node)
{
    return plan_for_each(p, node, read_one_benchmark);
}

const char *const *plan_texts(struct plan *p, const struct yaml_node *node)
{
    unsigned n = 0;
    const struct yaml_node *first = node->kind == YAML_SEQUENCE ? node->children : node;
    for (const struct yaml_node *i = first; i; i = node->kind == YAML_SEQUENCE ? i->next : NULL)
        n++;
    const char **texts = ARENA_NEW(&p->study->arena, const char *, n + 1);
    n = 0;
    for (const struct yaml_node *i = first; i; i = node->kind == YAML_SEQUENCE ? i->next : NULL) {
        if (i->kind != YAML_SCALAR) {
            plan_error(p, i, "expected a text");
            return NULL;
        }
        texts[n++] = arena_strdup(&p->study->arena, i->text);
    }
    return texts;
}

const struct study_reading *plan_reading(const struct study *study, const char *name)
{
    for (size_t i = 0; i < study->readings.count; i++)
        if (!strcmp(study->readings.items[i].name, name))
            return &study->readings.items[i];
    return NULL;
}

/* Adds what an entry of a reading stands for: a parameter, or, without '=', those of an earlier reading. */
static int add_sets(struct plan *p, const struct yaml_node *node, const char *entry, struct study_reading *to)
{
    const struct study_reading *earlier = plan_reading(p->study, entry);
    if (strchr(entry, '=')) {
        vec_push(&to->sets, entry);
        return plan_check_setting(p, node, entry);
    }
    if (!earlier)
        return yaml_error(&p->doc, node, p->study->sink, "write group.parameter=value, or a reading from above",
                          "there is no reading named %s", entry);
    for (size_t i = 0; i < earlier->sets.count; i++)
        vec_push(&to->sets, earlier->sets.items[i]);
    return 0;
}

static int read_reading(struct plan *p, const struct yaml_node *node)
{
    struct study_reading r = {.name = arena_strdup(&p->study->arena, node->key->text)};
    const char *const *entries = plan_texts(p, node);
    const struct yaml_node *at = node->kind == YAML_SEQUENCE ? node->children : node;
    int rc = entries ? 0 : -1;
    for (; entries && *entries; entries++, at = at->next)
        rc |= add_sets(p, at, *entries, &r);
    vec_push(&p->study->readings, r);
    return rc;
}

static int read_alias(struct plan *p, const struct yaml_node *node)
{
    if (node->kind != YAML_SCALAR)
        return plan_error(p, node, "expected a scheduler");
    struct study_alias alias = {.name = arena_strdup(&p->study->arena, node->key->text),
                                .scheduler = arena_strdup(&p->study->arena, node->text)};
    vec_push(&p->study->aliases, alias);
    return 0;
}

const char *plan_scheduler(const struct study *study, const char *name)
{
    for (size_t i = 0; i < study->aliases.count; i++)
        if (!strcmp(study->aliases.items[i].name, name))
            return study->aliases.items[i].scheduler;
    return name;
}

const struct study_machine *plan_machine(const struct study *study, const char *name)
{
    for (size_t i = 0; i < study->machines.count; i++)
        if (!strcmp(study->machines.items[i].name, name))
            return &study->machines.items[i];
    return NULL;
}

const struct study_benchmark *study_benchmark_named(const struct study *study, const char *name)
{
    for (size_t i = 0; i < study->benchmarks.count; i++)
        if (!strcmp(study->benchmarks.items[i].name, name))
            return &study->benchmarks.items[i];
    return NULL;
}

static int read_import(struct plan *p, const struct yaml_node *node)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *name = node->key->text;
    if (node->kind != YAML_SCALAR)
        return plan_error(p, node, "expected the name of a file");
    if (!*name || name[strspn(name, word)])
        return plan_error(p, node->key, "the name of a table has letters, digits and _");
    struct study_import import = {.name = arena_strdup(&p->study->arena, node->key->text),
                                  .file = arena_strdup(&p->study->arena, node->text)};
    vec_push(&p->study->imports, import);
    return 0;
}

static int read_each(struct plan *p, const struct yaml_node *root, const char *key, enum yaml_kind kind,
                     int (*read)(struct plan *, const struct yaml_node *))
{
    const struct yaml_node *list = yaml_get(root, key);
    int rc = 0;
    if (!list)
        return 0;
    if (list->kind != kind)
        return yaml_error(&p->doc, list, p->study->sink, NULL, "%s: expected %s", key, yaml_kind_name(kind));
    for (const struct yaml_node *n = list->children; n; n = n->next)
        if (read(p, n) < 0)
            rc = -1;
    return rc;
}

static int read_all(struct plan *p)
{
    static const char *const keys[] = {"title",    "source",  "about",  "benchmarks",    "readings", "schedulers",
                                       "machines", "runs",    "tables", "views",         "figures",  "claims",
                                       "findings", "judging", "takes",  "interventions", "inputs",   NULL};
    struct study *study = p->study;
    const struct yaml_node *root = p->doc.root;
    if (plan_check_keys(p, root, keys) < 0)
        return -1;
    study->title = plan_text(p, root, "title", NULL);
    study->source = plan_text(p, root, "source", "");
    study->about = plan_text(p, root, "about", "");
    study->views = plan_text(p, root, "views", "");
    study->views_node = yaml_get(root, "views");
    if (!study->title || !study->source || !study->about || !study->views)
        return -1;
    /* Names first: runs point to them; then the columns that runs have. */
    if (read_each(p, root, "benchmarks", YAML_MAPPING, read_benchmark) < 0 ||
        read_each(p, root, "readings", YAML_MAPPING, read_reading) < 0 ||
        read_each(p, root, "schedulers", YAML_MAPPING, read_alias) < 0 ||
        read_each(p, root, "machines", YAML_MAPPING, plan_read_machine) < 0 ||
        read_each(p, root, "interventions", YAML_MAPPING, plan_read_intervention) < 0 ||
        read_each(p, root, "inputs", YAML_MAPPING, plan_read_input) < 0 ||
        read_each(p, root, "runs", YAML_SEQUENCE, plan_read_grid) < 0)
        return -1;
    return read_each(p, root, "runs", YAML_SEQUENCE, plan_read_runs) |
           read_each(p, root, "figures", YAML_SEQUENCE, plan_read_figure) | plan_read_judging(p, root) |
           plan_read_takes(p, root) | read_each(p, root, "claims", YAML_SEQUENCE, plan_read_claim) |
           read_each(p, root, "findings", YAML_SEQUENCE, plan_read_finding) |
           read_each(p, root, "tables", YAML_MAPPING, read_import);
}

int study_read(struct study *study)
{
    const char *path = arena_printf(&study->arena, "%s/study.yaml", study->folder);
    struct strbuf text = {0};
    struct plan plan = {.study = study};
    int rc = cli_read_file(path, &text, study->sink);
    const char *kept = arena_strndup(&study->arena, strbuf_text(&text), text.length);
    if (rc == 0)
        rc = yaml_parse(&plan.doc, &study->arena, path, kept, text.length, study->sink);
    if (rc == 0)
        rc = machine_load(&plan.any, CLI_DEFAULT_MACHINE, study->sink);
    if (rc == 0) {
        rc = read_all(&plan);
        machine_free(&plan.any);
    }
    struct yaml_doc *doc = ARENA_NEW(&study->arena, struct yaml_doc, 1);
    *doc = plan.doc;
    study->doc = doc; /* questions have their places in it */
    strbuf_free(&text);
    return rc;
}

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
 *     runs:                              every combination of each row
 *       - {benchmarks: [HT], machines: [gtx480], schedulers: [gto, gto+bows], readings: [paper], max_cycles: 1000000,
 *          mode: timing}
 *     tables:
 *       authors: authors.csv             a file of the study's folder becomes a table
 *     views: SQL
 *     figures:
 *       - {id: fig9, kind: bars, title:, x:, y:, sql:, text:, log: true}
 *     claims:
 *       - {id: B1, claim:, paper: 2.2, sql:, direction: ours > 1, magnitude: near(ours, 2.2), why:}
 *
 * `program` is NAME of NAME.cu in the study's folder or of workloads/NAME/NAME.cu, or a launch file of the study's
 * folder or of the reference cases (NAME.yaml). A row of runs with `quick: false` is left out of the quick version. */
#include <string.h>

#include "base/strbuf.h"
#include "base/strmap.h"
#include "cli/study/study.h"
#include "config/yaml.h"

struct plan {
    struct study *study;
    struct yaml_doc doc;
};

static int error_at(struct plan *p, const struct yaml_node *node, const char *message)
{
    return yaml_error(&p->doc, node, p->study->sink, NULL, "%s", message);
}

/* The text of a scalar entry, or `otherwise` when it is not there; NULL with a diagnostic when it is no scalar, or
 * missing without an alternative. */
static const char *text_of(struct plan *p, const struct yaml_node *in, const char *key, const char *otherwise)
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

static bool is_known(const char *key, const char *const *known)
{
    for (; *known; known++)
        if (!strcmp(key, *known))
            return true;
    return false;
}

static int check_keys(struct plan *p, const struct yaml_node *mapping, const char *const *known)
{
    int rc = 0;
    if (mapping->kind != YAML_MAPPING)
        return error_at(p, mapping, "expected a mapping");
    for (const struct yaml_node *n = mapping->children; n; n = n->next)
        if (!is_known(n->key->text, known))
            rc = yaml_error(&p->doc, n->key, p->study->sink, str_nearest(n->key->text, known), "%s is not known here",
                            n->key->text);
    return rc;
}

static int read_benchmark(struct plan *p, const struct yaml_node *node)
{
    static const char *const keys[] = {"program", "kernels", "quick", "full", NULL};
    if (check_keys(p, node, keys) < 0)
        return -1;
    struct study_benchmark b = {
        .name = arena_strdup(&p->study->arena, node->key->text),
        .program = text_of(p, node, "program", NULL),
        .kernels = text_of(p, node, "kernels", "*"),
        .arguments = text_of(p, node, p->study->quick ? "quick" : "full", ""),
    };
    if (!b.program || !b.kernels || !b.arguments)
        return -1;
    vec_push(&p->study->benchmarks, b);
    return 0;
}

/* The texts of a sequence, NULL-terminated; a scalar is a sequence of one. NULL with a diagnostic. */
static const char *const *texts_of(struct plan *p, const struct yaml_node *node)
{
    unsigned n = 0;
    const struct yaml_node *first = node->kind == YAML_SEQUENCE ? node->children : node;
    for (const struct yaml_node *i = first; i; i = node->kind == YAML_SEQUENCE ? i->next : NULL)
        n++;
    const char **texts = ARENA_NEW(&p->study->arena, const char *, n + 1);
    n = 0;
    for (const struct yaml_node *i = first; i; i = node->kind == YAML_SEQUENCE ? i->next : NULL) {
        if (i->kind != YAML_SCALAR) {
            error_at(p, i, "expected a text");
            return NULL;
        }
        texts[n++] = arena_strdup(&p->study->arena, i->text);
    }
    return texts;
}

static const struct study_reading *find_reading(const struct study *study, const char *name)
{
    for (size_t i = 0; i < study->readings.count; i++)
        if (!strcmp(study->readings.items[i].name, name))
            return &study->readings.items[i];
    return NULL;
}

/* Adds what an entry of a reading stands for: a parameter, or, without '=', those of an earlier reading. */
static int add_sets(struct plan *p, const struct yaml_node *node, const char *entry, struct study_reading *to)
{
    const struct study_reading *earlier = find_reading(p->study, entry);
    if (strchr(entry, '='))
        vec_push(&to->sets, entry);
    else if (!earlier)
        return yaml_error(&p->doc, node, p->study->sink, "write group.parameter=value, or a reading from above",
                          "there is no reading named %s", entry);
    else
        for (size_t i = 0; i < earlier->sets.count; i++)
            vec_push(&to->sets, earlier->sets.items[i]);
    return 0;
}

static int read_reading(struct plan *p, const struct yaml_node *node)
{
    struct study_reading r = {.name = arena_strdup(&p->study->arena, node->key->text)};
    const char *const *entries = texts_of(p, node);
    int rc = entries ? 0 : -1;
    for (; entries && *entries; entries++)
        rc |= add_sets(p, node, *entries, &r);
    vec_push(&p->study->readings, r);
    return rc;
}

static int read_alias(struct plan *p, const struct yaml_node *node)
{
    if (node->kind != YAML_SCALAR)
        return error_at(p, node, "expected a scheduler");
    struct study_alias alias = {.name = arena_strdup(&p->study->arena, node->key->text),
                                .scheduler = arena_strdup(&p->study->arena, node->text)};
    vec_push(&p->study->aliases, alias);
    return 0;
}

/* What a scheduler of that name is called by `lockstep run`. */
static const char *find_scheduler(const struct study *study, const char *name)
{
    for (size_t i = 0; i < study->aliases.count; i++)
        if (!strcmp(study->aliases.items[i].name, name))
            return study->aliases.items[i].scheduler;
    return name;
}

static const struct study_benchmark *find_benchmark(const struct study *study, const char *name)
{
    for (size_t i = 0; i < study->benchmarks.count; i++)
        if (!strcmp(study->benchmarks.items[i].name, name))
            return &study->benchmarks.items[i];
    return NULL;
}

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
                                .scheduler = find_scheduler(study, run->scheduler),
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
    return texts_of(p, node);
}

/* Whether `lockstep run` would take what a row says. */
static int check_row(struct plan *p, const struct yaml_node *row, const char *mode, const char *max_cycles,
                     const char *quick)
{
    uint64_t cycles;
    if (strcmp(mode, "timing") && strcmp(mode, "functional"))
        return error_at(p, yaml_get(row, "mode"), "mode must be timing or functional");
    if (*max_cycles && !config_parse_u64(max_cycles, &cycles))
        return error_at(p, yaml_get(row, "max_cycles"), "max_cycles must be a number of cycles");
    if (strcmp(quick, "true") && strcmp(quick, "false"))
        return error_at(p, yaml_get(row, "quick"), "quick must be true or false");
    return 0;
}

static int check_run(struct plan *p, const struct yaml_node *row, const struct study_run *run,
                     const struct study_reading *reading)
{
    const char *scheduler = find_scheduler(p->study, run->scheduler);
    if (study_check_configuration(p->study, run->machine, scheduler, reading) < 0)
        return yaml_error(&p->doc, row, p->study->sink, NULL,
                          "nothing can run on machine %s with scheduler %s and reading %s", run->machine, scheduler,
                          reading->name);
    if (study_check_program(p->study, run->benchmark->program) < 0)
        return yaml_error(&p->doc, row, p->study->sink, NULL, "benchmark %s cannot run", run->benchmark->name);
    return 0;
}

/* Every combination of a row. */
static int read_runs(struct plan *p, const struct yaml_node *row)
{
    static const char *const keys[] = {"benchmarks", "machines", "schedulers", "readings",
                                       "max_cycles", "mode",     "quick",      NULL};
    if (check_keys(p, row, keys) < 0)
        return -1;
    const char *const *benchmarks = list_of(p, row, "benchmarks"), *const *machines = list_of(p, row, "machines");
    const char *const *schedulers = list_of(p, row, "schedulers"), *const *readings = list_of(p, row, "readings");
    const char *quick = text_of(p, row, "quick", "true"), *max_cycles = text_of(p, row, "max_cycles", "");
    const char *mode = text_of(p, row, "mode", "timing");
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
                    struct study_run run = {find_benchmark(p->study, *b), *m, *s, *r, 0};
                    const struct study_reading *reading = find_reading(p->study, *r);
                    if (!run.benchmark || !reading)
                        return yaml_error(&p->doc, row, p->study->sink, NULL, "there is no %s named %s",
                                          reading ? "benchmark" : "reading", reading ? *b : *r);
                    if (check_run(p, row, &run, reading) < 0)
                        return -1;
                    add_run(p->study, &run, reading, mode, *max_cycles ? max_cycles : NULL);
                }
    return 0;
}

static int read_figure(struct plan *p, const struct yaml_node *node)
{
    static const char *const keys[] = {"id", "kind", "title", "x", "y", "sql", "text", "log", NULL};
    static const char *const kinds[] = {"table", "bars", "stack", "lines", NULL};
    if (check_keys(p, node, keys) < 0)
        return -1;
    const char *kind = text_of(p, node, "kind", "table"), *log = text_of(p, node, "log", "false");
    struct study_figure f = {
        .id = text_of(p, node, "id", NULL),
        .title = text_of(p, node, "title", NULL),
        .sql = text_of(p, node, "sql", NULL),
        .x = text_of(p, node, "x", ""),
        .y = text_of(p, node, "y", ""),
        .text = text_of(p, node, "text", ""),
    };
    if (!kind || !log || !f.id || !f.title || !f.sql || !f.x || !f.y || !f.text)
        return -1;
    while (kinds[f.kind] && strcmp(kinds[f.kind], kind))
        f.kind++;
    if (!kinds[f.kind])
        return error_at(p, yaml_get(node, "kind"), "kind must be table, bars, stack or lines");
    f.logarithmic = !strcmp(log, "true") || !strcmp(log, "both");
    f.logarithmic_x = !strcmp(log, "x") || !strcmp(log, "both");
    vec_push(&p->study->figures, f);
    return 0;
}

static int read_claim(struct plan *p, const struct yaml_node *node)
{
    static const char *const keys[] = {"id", "claim", "paper", "sql", "direction", "magnitude", "why", NULL};
    if (check_keys(p, node, keys) < 0)
        return -1;
    struct study_claim c = {
        .id = text_of(p, node, "id", NULL),
        .text = text_of(p, node, "claim", NULL),
        .paper = text_of(p, node, "paper", ""),
        .sql = text_of(p, node, "sql", NULL),
        .direction = text_of(p, node, "direction", NULL),
        .magnitude = text_of(p, node, "magnitude", ""),
        .why = text_of(p, node, "why", ""),
    };
    if (!c.id || !c.text || !c.paper || !c.sql || !c.direction || !c.magnitude || !c.why)
        return -1;
    vec_push(&p->study->claims, c);
    return 0;
}

static int read_import(struct plan *p, const struct yaml_node *node)
{
    if (node->kind != YAML_SCALAR)
        return error_at(p, node, "expected the name of a file");
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
    static const char *const keys[] = {"title", "source", "about", "benchmarks", "readings", "schedulers",
                                       "runs",  "tables", "views", "figures",    "claims",   NULL};
    struct study *study = p->study;
    const struct yaml_node *root = p->doc.root;
    if (check_keys(p, root, keys) < 0)
        return -1;
    study->title = text_of(p, root, "title", NULL);
    study->source = text_of(p, root, "source", "");
    study->about = text_of(p, root, "about", "");
    study->views = text_of(p, root, "views", "");
    if (!study->title || !study->source || !study->about || !study->views)
        return -1;
    /* Benchmarks and readings first: runs point to them. */
    if (read_each(p, root, "benchmarks", YAML_MAPPING, read_benchmark) < 0 ||
        read_each(p, root, "readings", YAML_MAPPING, read_reading) < 0 ||
        read_each(p, root, "schedulers", YAML_MAPPING, read_alias) < 0)
        return -1;
    return read_each(p, root, "runs", YAML_SEQUENCE, read_runs) |
           read_each(p, root, "figures", YAML_SEQUENCE, read_figure) |
           read_each(p, root, "claims", YAML_SEQUENCE, read_claim) |
           read_each(p, root, "tables", YAML_MAPPING, read_import);
}

int study_read(struct study *study)
{
    const char *path = arena_printf(&study->arena, "%s/study.yaml", study->folder);
    struct strbuf text = {0};
    struct plan plan = {.study = study};
    int rc = cli_read_file(path, &text, study->sink);
    if (rc == 0)
        rc = yaml_parse(&plan.doc, &study->arena, path, strbuf_text(&text), text.length, study->sink);
    if (rc == 0)
        rc = read_all(&plan);
    strbuf_free(&text);
    return rc;
}

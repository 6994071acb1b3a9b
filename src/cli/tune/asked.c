/* Which parameters are to be fitted: --fit NAME=LOW..HIGH[/STEP][@ROWS], and `tune:` of a file, which has
 *     tune:
 *       sm.shared_latency: 10..60
 *       sm.l1d_latency: {range: 20..80/2, rows: memory/chase KB/ca*}
 * where rows may be a list. The command line's word on a parameter holds over that of a file. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/tune/tune.h"
#include "config/yaml.h"

#define STEPS_OF_DECIMAL 64 /* of a range without a step */

/* Sets a copy of the machine's parameter, and reads it: errors are those of a machine file. -1: no parameter, or a
 * value that it does not allow. */
static int value_of(struct tune *t, const struct tune_param *p, const char *text, uint64_t *value)
{
    struct machine *m = &t->machine;
    char *group_name = arena_strndup(&t->session.arena, p->name, strcspn(p->name, "."));
    if (param_set(m->groups, MACHINE_GROUPS, &m->arena, p->name, text, p->pos, t->session.sink) < 0)
        return -1;
    for (unsigned g = 0; g < MACHINE_GROUPS; g++)
        if (strcmp(m->groups[g].name, group_name) == 0)
            *value = *(const uint32_t *)((const char *)m->groups[g].values + p->desc->offset);
    return 0;
}

static bool is_set(const struct tune *t, const char *name)
{
    const cli_texts *sets = &t->session.options->sets;
    size_t length = strlen(name);
    bool set = false;
    for (size_t i = 0; i < sets->count; i++)
        set |= strncmp(sets->items[i], name, length) == 0 && sets->items[i][length] == '=';
    return set;
}

/* Finds the parameter, which must be a number. */
static int find_parameter(struct tune *t, struct tune_param *p)
{
    struct strbuf now = {0};
    const char *dot = strchr(p->name, '.');
    for (unsigned g = 0; dot && g < MACHINE_GROUPS; g++) {
        const struct param_group *group = &t->machine.groups[g];
        bool inside =
            strlen(group->name) == (size_t)(dot - p->name) && strncmp(group->name, p->name, strlen(group->name)) == 0;
        for (unsigned i = 0; inside && i < group->count; i++)
            if (strcmp(group->params[i].name, dot + 1) == 0)
                p->desc = &group->params[i];
    }
    if (!p->desc) /* param_set says which there are */
        return param_set(t->machine.groups, MACHINE_GROUPS, &t->machine.arena, p->name, "0", p->pos, t->session.sink);
    if (p->desc->type != PARAM_TYPE_U32 && p->desc->type != PARAM_TYPE_DECIMAL)
        return diag_error(t->session.sink, p->pos, NULL, "%s is no number: only numbers are fitted", p->name);
    if (is_set(t, p->name))
        return diag_error(t->session.sink, p->pos, "leave out --set, or --fit", "%s is to be fitted, and is set",
                          p->name);
    machine_value(&t->machine, p->name, &now);
    int rc = value_of(t, p, strbuf_text(&now), &p->first);
    p->value = p->first;
    strbuf_free(&now);
    return rc;
}

/* A step, as the field has values. */
static int read_step(struct tune *t, struct tune_param *p, const char *text)
{
    bool decimal = p->desc->type == PARAM_TYPE_DECIMAL;
    char *end;
    double step = strtod(text, &end) * (decimal ? 1000 : 1);
    if (end == text || *end || !(step >= 1) || step > UINT32_MAX || (!decimal && step != floor(step)))
        return diag_error(t->session.sink, p->pos, NULL, "%s: '%s' is no step", p->name, text);
    p->step = (uint64_t)llround(step);
    return 0;
}

/* LOW..HIGH[/STEP] */
static int read_range(struct tune *t, struct tune_param *p, const char *text)
{
    struct arena *arena = &t->session.arena;
    const char *dots = strstr(text, ".."), *slash = strchr(text, '/');
    struct strbuf now = {0};
    if (!dots || (slash && slash < dots))
        return diag_error(t->session.sink, p->pos, "write LOW..HIGH or LOW..HIGH/STEP, such as 10..60",
                          "%s: '%s' is no range", p->name, text);
    const char *low = arena_strndup(arena, text, (size_t)(dots - text)), *high = dots + 2;
    high = arena_strndup(arena, high, slash ? (size_t)(slash - high) : strlen(high));
    tune_format(p, p->first, &now);
    int rc = value_of(t, p, low, &p->low) | value_of(t, p, high, &p->high);
    rc |= param_set(t->machine.groups, MACHINE_GROUPS, &t->machine.arena, p->name, strbuf_text(&now), p->pos,
                    t->session.sink);
    if (rc == 0 && p->low >= p->high)
        rc = diag_error(t->session.sink, p->pos, NULL, "%s: %s is no range, its end is not above its beginning",
                        p->name, text);
    if (rc == 0 && (p->first < p->low || p->first > p->high))
        rc = diag_error(t->session.sink, p->pos, "widen the range, or begin with another value",
                        "%s is %s in %s, outside of %s", p->name, strbuf_text(&now), t->held.machine, text);
    p->step = p->desc->type == PARAM_TYPE_DECIMAL ? 1 + (p->high - p->low) / STEPS_OF_DECIMAL : 1;
    strbuf_free(&now);
    return rc == 0 && slash ? read_step(t, p, slash + 1) : rc;
}

static struct tune_param *find_asked(struct tune *t, const char *name)
{
    for (size_t i = 0; i < t->params.count; i++)
        if (strcmp(t->params.items[i].name, name) == 0)
            return &t->params.items[i];
    return NULL;
}

static int add_param(struct tune *t, struct tune_param *p, const char *range)
{
    if (find_parameter(t, p) < 0 || read_range(t, p, range) < 0)
        return -1;
    vec_push(&t->params, *p);
    return 0;
}

/* One --fit. */
static int read_fit(struct tune *t, const char *text)
{
    struct arena *arena = &t->session.arena;
    const char *equals = strchr(text, '='), *at = strchr(text, '@');
    if (!equals || (at && at < equals))
        return diag_error(t->session.sink, DIAG_NOWHERE,
                          "--fit GROUP.NAME=LOW..HIGH, such as --fit sm.shared_latency=10..60",
                          "--fit %s names no range", text);
    struct tune_param p = {.name = arena_strndup(arena, text, (size_t)(equals - text))};
    if (find_asked(t, p.name))
        return diag_error(t->session.sink, DIAG_NOWHERE, NULL, "--fit %s is given twice", p.name);
    if (at) {
        p.patterns = ARENA_NEW(arena, const char *, 2);
        p.patterns[0] = at + 1;
    }
    return add_param(t, &p, arena_strndup(arena, equals + 1, at ? (size_t)(at - equals - 1) : strlen(equals + 1)));
}

/* Patterns of rows: one, or a list. */
static int read_patterns(struct tune *t, const struct yaml_doc *doc, const struct yaml_node *node, struct tune_param *p)
{
    unsigned count = 1;
    for (const struct yaml_node *e = node->children; e; e = e->next)
        count++;
    p->patterns = ARENA_NEW(&t->session.arena, const char *, count + 1);
    if (node->kind == YAML_SCALAR)
        p->patterns[0] = arena_strdup(&t->session.arena, node->text);
    count = 0;
    for (const struct yaml_node *e = node->children; e; e = e->next) {
        if (node->kind != YAML_SEQUENCE || e->kind != YAML_SCALAR)
            return yaml_error(doc, e, t->session.sink, NULL, "expected names of rows, such as memory/chase KB/*");
        p->patterns[count++] = arena_strdup(&t->session.arena, e->text);
    }
    return 0;
}

/* One entry of `tune:`. */
static int read_entry(struct tune *t, const struct yaml_doc *doc, const struct yaml_node *node)
{
    struct arena *arena = &t->session.arena;
    struct tune_param p = {.name = arena_strdup(arena, node->key->text),
                           .pos = {arena_strdup(arena, doc->file), node->line, node->column}};
    const struct yaml_node *range = node->kind == YAML_MAPPING ? yaml_get(node, "range") : node;
    if (find_asked(t, p.name))
        return 0;
    if (!range || range->kind != YAML_SCALAR)
        return yaml_error(doc, node, t->session.sink, NULL,
                          "expected a range, such as 10..60, or {range: 10..60, rows: ...}");
    for (const struct yaml_node *e = node->children; e; e = e->next)
        if (strcmp(e->key->text, "rows") == 0) {
            if (read_patterns(t, doc, e, &p) < 0)
                return -1;
        } else if (e != range) {
            return yaml_error(doc, e->key, t->session.sink, "there are range and rows", "'%s' says nothing of a fit",
                              e->key->text);
        }
    return add_param(t, &p, range->text);
}

/* `tune:` of a text, which need not have it. */
static int read_block(struct tune *t, const char *file, const char *text, bool needed)
{
    struct arena arena = {0};
    struct yaml_doc doc;
    int rc = yaml_parse(&doc, &arena, file, text, strlen(text), t->session.sink);
    const struct yaml_node *block = rc == 0 ? yaml_get(doc.root, "tune") : NULL;
    if (rc == 0 && !block && needed)
        rc = diag_error(t->session.sink, (struct diag_pos){file, 1, 1}, NULL, "no `tune:` with the parameters to fit");
    if (block && block->kind != YAML_MAPPING)
        rc = yaml_error(&doc, block, t->session.sink, NULL, "expected parameters with their ranges");
    for (const struct yaml_node *e = rc == 0 && block ? block->children : NULL; e; e = e->next)
        rc |= read_entry(t, &doc, e);
    arena_free(&arena);
    return rc;
}

static int read_file(struct tune *t, const char *path, bool needed)
{
    struct strbuf text = {0};
    int rc = cli_read_file(path, &text, t->session.sink);
    if (rc == 0)
        rc = read_block(t, path, strbuf_text(&text), needed);
    strbuf_free(&text);
    return rc;
}

int tune_read_asked(struct tune *t)
{
    const struct cli_options *o = t->session.options;
    int rc = 0;
    for (size_t i = 0; i < o->fits.count; i++)
        rc |= read_fit(t, o->fits.items[i]);
    if (o->fit_file)
        rc |= read_file(t, o->fit_file, true);
    if (o->fits.count || o->fit_file || rc < 0)
        return rc;
    const char *own = machine_text(t->held.machine);
    rc = own ? read_block(t, t->held.machine, own, false) : read_file(t, t->held.machine, false);
    if (rc == 0 && t->params.count == 0)
        rc = diag_error(t->session.sink, DIAG_NOWHERE, "--fit sm.shared_latency=10..60, or `tune:` in the machine file",
                        "nothing says which parameters of %s to fit", t->held.machine);
    return rc;
}

/* study.yaml's `figures`, `claims`, `findings` and `judging`. */
#include <stdlib.h>
#include <string.h>

#include "cli/study/figures.h"
#include "cli/study/plan.h"

/* A number that is the whole text. */
static bool parse_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value - *value == 0;
}

static int read_number(struct plan *p, const struct yaml_node *in, const char *key, double *value)
{
    const struct yaml_node *node = yaml_get(in, key);
    if (node && node->kind == YAML_SCALAR && parse_number(node->text, value))
        return 0;
    return yaml_error(&p->doc, node ? node : in, p->study->sink, NULL, "%s: expected a number", key);
}

/* A text that is one of two, as false and true. */
static int read_choice(struct plan *p, const struct yaml_node *in, const char *key, const char *const choices[2],
                       bool *second)
{
    const struct yaml_node *node = yaml_get(in, key);
    *second = node && node->kind == YAML_SCALAR && !strcmp(node->text, choices[1]);
    if (!node || *second || (node->kind == YAML_SCALAR && !strcmp(node->text, choices[0])))
        return 0;
    return yaml_error(&p->doc, node, p->study->sink, NULL, "%s must be %s or %s", key, choices[0], choices[1]);
}

/* "90 s", "45 min", "1.5 h". */
static bool parse_time(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{" s", 1}, {" min", 60}, {" h", 3600}};
    char *end;
    *seconds = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units && end != text && *seconds > 0; i++)
        if (!strcmp(end, units[i].unit)) {
            *seconds *= units[i].seconds;
            return true;
        }
    return false;
}

int plan_read_takes(struct plan *p, const struct yaml_node *root)
{
    static const char *const keys[] = {"quick", "full", NULL};
    const struct yaml_node *node = yaml_get(root, "takes");
    double seconds;
    if (!node)
        return 0;
    if (plan_check_keys(p, node, keys) < 0)
        return -1;
    for (const struct yaml_node *n = node->children; n; n = n->next) {
        if (n->kind != YAML_SCALAR || !parse_time(n->text, &seconds))
            return plan_error(p, n, "expected a time of one core, such as 90 s, 45 min or 1.5 h");
        if (!strcmp(n->key->text, p->study->quick ? "quick" : "full"))
            p->study->takes = seconds;
    }
    return 0;
}

static const char *const booleans[2] = {"false", "true"};

int plan_read_judging(struct plan *p, const struct yaml_node *root)
{
    static const char *const keys[] = {"mean", "no_effect", "loses", NULL};
    static const char *const means[2] = {"geometric", "arithmetic"};
    struct study_judging *judging = &p->study->judging;
    const struct yaml_node *node = yaml_get(root, "judging"), *claims = yaml_get(root, "claims");
    bool arithmetic = false;
    if (!node && claims)
        return yaml_error(&p->doc, claims, p->study->sink,
                          "judging: {mean: geometric, no_effect: 0.03, loses: 0.05}, chosen before there are results",
                          "a study with claims says how they are judged");
    if (!node)
        return 0;
    if (plan_check_keys(p, node, keys) < 0)
        return -1;
    if (!yaml_get(node, "mean"))
        return plan_error(p, node, "judging needs mean: geometric or arithmetic");
    if (read_choice(p, node, "mean", means, &arithmetic) < 0 ||
        read_number(p, node, "no_effect", &judging->no_effect) < 0 ||
        read_number(p, node, "loses", &judging->loses) < 0)
        return -1;
    if (judging->no_effect < 0 || judging->loses < 0 || judging->loses >= 1)
        return plan_error(p, node, "no_effect and loses are shares of 1, such as 0.05");
    judging->mean = arithmetic ? STUDY_ARITHMETIC : STUDY_GEOMETRIC;
    judging->given = true;
    return 0;
}

/* The values that the paper prints: series: {x: y}. */
static int read_prints(struct plan *p, const struct yaml_node *node, struct study_figure *f)
{
    const struct yaml_node *paper = yaml_get(node, "paper");
    size_t count = 0, i = 0;
    for (const struct yaml_node *s = paper ? paper->children : NULL; s; s = s->next)
        for (const struct yaml_node *x = s->children; x; x = x->next)
            count++;
    struct study_print *prints = ARENA_NEW(&p->study->arena, struct study_print, count + 1);
    if (paper && paper->kind != YAML_MAPPING)
        return plan_error(p, paper, "paper: expected SERIES: {X: NUMBER}");
    for (const struct yaml_node *s = paper ? paper->children : NULL; s; s = s->next) {
        if (s->kind != YAML_MAPPING)
            return plan_error(p, s, "paper: expected SERIES: {X: NUMBER}");
        for (const struct yaml_node *x = s->children; x; x = x->next, i++) {
            prints[i] = (struct study_print){arena_strdup(&p->study->arena, s->key->text),
                                             arena_strdup(&p->study->arena, x->key->text), 0};
            if (x->kind != YAML_SCALAR || !parse_number(x->text, &prints[i].y))
                return plan_error(p, x, "expected a number");
        }
    }
    f->prints = prints;
    f->print_count = count;
    return 0;
}

static int read_kind(struct plan *p, const struct yaml_node *node, struct study_figure *f)
{
    static const char *const kinds[] = {"table", "bars", "stack", "lines", "timeline", NULL};
    const char *kind = plan_text(p, node, "kind", "table"), *log = plan_text(p, node, "log", "false");
    if (!kind || !log)
        return -1;
    while (kinds[f->kind] && strcmp(kinds[f->kind], kind))
        f->kind++;
    if (!kinds[f->kind])
        return plan_error(p, yaml_get(node, "kind"), "kind must be table, bars, stack, lines or timeline");
    f->logarithmic = !strcmp(log, "true") || !strcmp(log, "both");
    f->logarithmic_x = !strcmp(log, "x") || !strcmp(log, "both");
    f->has_base = yaml_get(node, "base");
    if (f->has_base && f->kind != STUDY_BARS)
        return plan_error(p, yaml_get(node, "base"), "bars alone stand on a base");
    return f->has_base ? read_number(p, node, "base", &f->base) : 0;
}

static int take_figure(struct plan *p, const struct yaml_node *node, const struct study_copy *copy)
{
    static const char *const keys[] = {"id",  "kind", "title", "x",      "y",     "sql",  "text",
                                       "log", "each", "base",  "beside", "paper", "main", NULL};
    if (plan_check_keys(p, node, keys) < 0)
        return -1;
    struct study_figure f = {
        .id = plan_text(p, node, "id", NULL),
        .title = plan_text(p, node, "title", NULL),
        .sql = plan_text(p, node, "sql", NULL),
        .x = plan_text(p, node, "x", ""),
        .y = plan_text(p, node, "y", ""),
        .text = plan_text(p, node, "text", ""),
        .beside = plan_text(p, node, "beside", ""),
        .node = node,
        .copy = *copy,
    };
    if (!f.id || !f.title || !f.sql || !f.x || !f.y || !f.text || !f.beside)
        return -1;
    if (read_kind(p, node, &f) < 0 || read_prints(p, node, &f) < 0 ||
        read_choice(p, node, "main", booleans, &f.main) < 0)
        return -1;
    if (!study_has_points(&f) && (*f.beside || f.print_count))
        return plan_error(p, node, "a table has the paper's numbers as a column of its own sql, a timeline has none");
    vec_push(&p->study->figures, f);
    return 0;
}

/* One column's range: [least, most], a list of texts, or `any`. */
static int read_range(struct plan *p, const struct yaml_node *node, const char *column, struct study_range *range)
{
    const struct yaml_node *first = node->kind == YAML_SEQUENCE ? node->children : NULL;
    const struct yaml_node *second = first ? first->next : NULL;
    *range = (struct study_range){.column = column};
    if (second && !second->next && parse_number(first->text ? first->text : "", &range->least) &&
        parse_number(second->text ? second->text : "", &range->most)) {
        if (range->least < range->most)
            return 0;
        return plan_error(p, node, "a range goes from the least value to the greatest");
    }
    static const char *const none[] = {NULL};
    bool any = node->kind == YAML_SCALAR && !strcmp(node->text, "any");
    double number;
    if (!any && (!first || parse_number(first->text ? first->text : "", &number)))
        return plan_error(p, node, "a range is [least, greatest], a list of texts, or any, for any text");
    range->is_text = true;
    range->texts = any ? none : plan_texts(p, node);
    return range->texts ? 0 : -1;
}

static int read_ranges(struct plan *p, const struct yaml_node *node, struct study_claim *c)
{
    const struct yaml_node *given = yaml_get(node, "range");
    if (!given)
        return yaml_error(&p->doc, node, p->study->sink,
                          "range: [least, greatest], of what `ours` can be at all; or {ours: [0, 10], n: [0, 22]}",
                          "%s: a claim needs a range", c->id);
    bool several = given->kind == YAML_MAPPING;
    size_t count = 0;
    for (const struct yaml_node *n = several ? given->children : NULL; n; n = n->next)
        count++;
    struct study_range *ranges = ARENA_NEW(&p->study->arena, struct study_range, count + 1);
    c->ranges = ranges;
    c->range_count = several ? count : 1;
    if (!several)
        return read_range(p, given, "ours", ranges);
    for (const struct yaml_node *n = given->children; n; n = n->next)
        if (read_range(p, n, arena_strdup(&p->study->arena, n->key->text), ranges++) < 0)
            return -1;
    return yaml_get(given, "ours") ? 0 : plan_error(p, given, "range: ours is missing");
}

static int take_claim(struct plan *p, const struct yaml_node *node, const struct study_copy *copy)
{
    static const char *const keys[] = {"id",  "claim",   "paper", "sql",  "rows",  "direction", "magnitude",
                                       "why", "chaotic", "range", "each", "tried", NULL};
    if (plan_check_keys(p, node, keys) < 0)
        return -1;
    bool of_rows = yaml_get(node, "rows");
    if (of_rows && yaml_get(node, "sql"))
        return plan_error(p, node, "a claim has sql or rows");
    struct study_claim c = {
        .id = plan_text(p, node, "id", NULL),
        .text = plan_text(p, node, "claim", NULL),
        .paper = plan_text(p, node, "paper", ""),
        .sql = plan_text(p, node, of_rows ? "rows" : "sql", NULL),
        .direction = plan_text(p, node, "direction", NULL),
        .magnitude = plan_text(p, node, "magnitude", ""),
        .why = plan_text(p, node, "why", ""),
        .of_rows = of_rows,
        .node = node,
        .copy = *copy,
    };
    if (!c.id || !c.text || !c.paper || !c.sql || !c.direction || !c.magnitude || !c.why)
        return -1;
    if (read_choice(p, node, "chaotic", booleans, &c.chaotic) < 0 || read_ranges(p, node, &c) < 0 ||
        plan_read_tried(p, node, &c) < 0)
        return -1;
    vec_push(&p->study->claims, c);
    return 0;
}

static int take_finding(struct plan *p, const struct yaml_node *node, const struct study_copy *copy)
{
    static const char *const keys[] = {"id", "text", "sql", "each", NULL};
    if (plan_check_keys(p, node, keys) < 0)
        return -1;
    struct study_finding f = {
        .id = plan_text(p, node, "id", NULL),
        .text = plan_text(p, node, "text", NULL),
        .sql = plan_text(p, node, "sql", NULL),
        .node = node,
    };
    (void)copy;
    if (!f.id || !f.text || !f.sql)
        return -1;
    vec_push(&p->study->findings, f);
    return 0;
}

int plan_read_figure(struct plan *p, const struct yaml_node *node)
{
    size_t first = p->study->figures.count;
    int rc = plan_for_each(p, node, take_figure);
    for (size_t i = first; i < p->study->figures.count; i++)
        p->study->figures.items[i].panels = (unsigned)(p->study->figures.count - first);
    return rc;
}

int plan_read_claim(struct plan *p, const struct yaml_node *node)
{
    return plan_for_each(p, node, take_claim);
}

int plan_read_finding(struct plan *p, const struct yaml_node *node)
{
    return plan_for_each(p, node, take_finding);
}

/* study.yaml's `figures` and `claims`. */
#include <string.h>

#include "cli/study/plan.h"

int plan_read_figure(struct plan *p, const struct yaml_node *node)
{
    static const char *const keys[] = {"id", "kind", "title", "x", "y", "sql", "text", "log", NULL};
    static const char *const kinds[] = {"table", "bars", "stack", "lines", NULL};
    if (plan_check_keys(p, node, keys) < 0)
        return -1;
    const char *kind = plan_text(p, node, "kind", "table"), *log = plan_text(p, node, "log", "false");
    struct study_figure f = {
        .id = plan_text(p, node, "id", NULL),
        .title = plan_text(p, node, "title", NULL),
        .sql = plan_text(p, node, "sql", NULL),
        .x = plan_text(p, node, "x", ""),
        .y = plan_text(p, node, "y", ""),
        .text = plan_text(p, node, "text", ""),
    };
    if (!kind || !log || !f.id || !f.title || !f.sql || !f.x || !f.y || !f.text)
        return -1;
    while (kinds[f.kind] && strcmp(kinds[f.kind], kind))
        f.kind++;
    if (!kinds[f.kind])
        return plan_error(p, yaml_get(node, "kind"), "kind must be table, bars, stack or lines");
    f.logarithmic = !strcmp(log, "true") || !strcmp(log, "both");
    f.logarithmic_x = !strcmp(log, "x") || !strcmp(log, "both");
    vec_push(&p->study->figures, f);
    return 0;
}

int plan_read_claim(struct plan *p, const struct yaml_node *node)
{
    static const char *const keys[] = {"id", "claim", "paper", "sql", "direction", "magnitude", "why", NULL};
    if (plan_check_keys(p, node, keys) < 0)
        return -1;
    struct study_claim c = {
        .id = plan_text(p, node, "id", NULL),
        .text = plan_text(p, node, "claim", NULL),
        .paper = plan_text(p, node, "paper", ""),
        .sql = plan_text(p, node, "sql", NULL),
        .direction = plan_text(p, node, "direction", NULL),
        .magnitude = plan_text(p, node, "magnitude", ""),
        .why = plan_text(p, node, "why", ""),
    };
    if (!c.id || !c.text || !c.paper || !c.sql || !c.direction || !c.magnitude || !c.why)
        return -1;
    vec_push(&p->study->claims, c);
    return 0;
}

/* study.yaml's `inputs`: a row for each benchmark.
 *
 *     inputs:
 *       ATM: {input: 122,880 transfers, blocks: 120, threads_per_block: 192, threads: 23040,
 *             paper: {input: 122K transfers, threads: 24K, warps_per_block: 6}, quick: {threads: 11520}, note:}
 *
 * Numbers beside `paper` are stated of the full version, and of the quick one where its arguments are the same;
 * `quick` states that one's. */
#include <stdlib.h>
#include <string.h>

#include "cli/study/inputs.h"
#include "cli/study/plan.h"

static bool parse_count(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value > 0 && *value < 1e15;
}

/* A number, or a list of them; of a paper, another text as well. */
static int read_part(struct plan *p, const struct yaml_node *in, enum study_part part, bool of_paper,
                     struct study_shape *shape)
{
    const struct yaml_node *node = yaml_get(in, study_part_key(part));
    const char *const *texts = node ? plan_texts(p, node) : NULL;
    double value;
    if (!node)
        return 0;
    for (; texts && *texts; texts++) {
        if (parse_count(*texts, &value))
            study_add_count(&shape->counts[part], value);
        else if (of_paper && node->kind == YAML_SCALAR)
            shape->texts[part] = *texts;
        else
            return plan_error(p, node, "expected a number, or a list of those that its configurations launch");
    }
    return texts ? 0 : -1;
}

static int read_shape(struct plan *p, const struct yaml_node *node, bool of_paper, struct study_shape *shape)
{
    int rc = 0;
    shape->input = plan_text(p, node, "input", "");
    for (unsigned part = 0; part < STUDY_PARTS; part++)
        rc |= read_part(p, node, part, of_paper, shape);
    return shape->input ? rc : -1;
}

static bool same_arguments(const struct study_benchmark *benchmark)
{
    const struct yaml_node *quick = yaml_get(benchmark->node, "quick"), *full = yaml_get(benchmark->node, "full");
    const char *a = quick && quick->text ? quick->text : "", *b = full && full->text ? full->text : "";
    return !strcmp(a, b);
}

/* The node that states the input of the version that is run; NULL: none does. */
static const struct yaml_node *stated(const struct study *study, const struct study_input *input)
{
    const struct yaml_node *quick = yaml_get(input->node, "quick");
    if (!study->quick)
        return input->node;
    return quick ? quick : same_arguments(input->benchmark) ? input->node : NULL;
}

static int read_parts(struct plan *p, const struct yaml_node *node, struct study_input *input)
{
    static const char *const keys[] = {"input", "blocks", "threads_per_block", "warps_per_block", "threads", NULL};
    const struct yaml_node *paper = yaml_get(node, "paper"), *quick = yaml_get(node, "quick");
    input->stated_node = stated(p->study, input);
    input->note = plan_text(p, node, "note", "");
    input->paper.input = input->stated.input = "";
    int rc = input->note ? 0 : -1;
    rc |= paper ? plan_check_keys(p, paper, keys) : 0;
    rc |= quick ? plan_check_keys(p, quick, keys) : 0;
    if (rc == 0 && paper)
        rc = read_shape(p, paper, true, &input->paper);
    if (rc == 0 && input->stated_node)
        rc = read_shape(p, input->stated_node, false, &input->stated);
    return rc;
}

static int read_one_input(struct plan *p, const struct yaml_node *node, const struct study_copy *copy)
{
    static const char *const keys[] = {
        "input", "blocks", "threads_per_block", "warps_per_block", "threads", "paper", "quick", "note", "each", NULL};
    struct study_input input = {.benchmark = study_benchmark_named(p->study, node->key->text), .node = node};
    (void)copy;
    if (!input.benchmark)
        return plan_error(p, node->key, "there is no benchmark of this name");
    if (study_input_of(p->study, input.benchmark))
        return plan_error(p, node->key, "two rows of inputs are of this benchmark");
    if (plan_check_keys(p, node, keys) < 0)
        return -1;
    int rc = read_parts(p, node, &input);
    vec_push(&p->study->inputs, input);
    return rc;
}

int plan_read_input(struct plan *p, const struct yaml_node *node)
{
    return plan_for_each(p, node, read_one_input);
}

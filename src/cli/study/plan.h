/* Reading study.yaml: what its parts have in common. plan.c reads names and texts, plan_runs.c the rows of runs,
 * plan_questions.c figures and claims. Every function that fails leaves a diagnostic with the line. */
#ifndef LOCKSTEP_CLI_STUDY_PLAN_H
#define LOCKSTEP_CLI_STUDY_PLAN_H

#include "cli/study/study.h"
#include "config/yaml.h"

struct plan {
    struct study *study;
    struct yaml_doc doc;
    struct machine any; /* which parameters there are, and what they can be */
};

/* Adds an error at a node; returns -1. */
int plan_error(struct plan *p, const struct yaml_node *node, const char *message);
/* The text of a scalar entry, or `otherwise` when it is not there; NULL with a diagnostic when it is no scalar, or
 * missing without an alternative. */
const char *plan_text(struct plan *p, const struct yaml_node *in, const char *key, const char *otherwise);
/* Refuses what is no mapping, and keys that are not among the known ones (NULL-terminated). */
int plan_check_keys(struct plan *p, const struct yaml_node *mapping, const char *const *known);
/* The texts of a sequence, NULL-terminated; a scalar is a sequence of one. NULL with a diagnostic. */
const char *const *plan_texts(struct plan *p, const struct yaml_node *node);

/* Refuses a scheduler that is a shared object, unless the command line allows that. */
int plan_check_code(struct plan *p, const struct yaml_node *node, const char *scheduler);
/* A value of a parameter (group.name) that no machine can have, or one of a parameter that none has, is an error at the
 * node. */
int plan_check_value(struct plan *p, const struct yaml_node *node, const char *name, const char *value);
/* As plan_check_value, for a text `group.name=value`. */
int plan_check_setting(struct plan *p, const struct yaml_node *node, const char *setting);
/* Says at a node what `said` holds, and empties it; returns -1. */
int plan_repeat(struct plan *p, const struct yaml_node *node, struct diag_sink *said);

/* Find the definition that was read under a name; NULL: there is none. A scheduler without a short name stands for
 * itself. */
const struct study_reading *plan_reading(const struct study *study, const char *name);
const struct study_machine *plan_machine(const struct study *study, const char *name);
const char *plan_scheduler(const struct study *study, const char *name);

/* suite.c: the program that a benchmark takes from a suite, if it does, and the files that its arguments name there. */
int plan_read_suite(struct plan *p, const struct yaml_node *node, struct study_benchmark *benchmark);

/* plan_machines.c: an entry of machines; one without a short name, as its own. */
int plan_read_machine(struct plan *p, const struct yaml_node *node);
int plan_add_machine(struct plan *p, const struct yaml_node *node, struct study_machine *machine);
/* The name of the machine that a scalar names, which is added as its own where it is none of `machines`. NULL with a
 * diagnostic. */
const char *plan_name_machine(struct plan *p, const struct yaml_node *node);

/* plan_runs.c: notes the parameters of a row's grid; every combination of a row of runs. */
int plan_read_grid(struct plan *p, const struct yaml_node *row);
int plan_read_runs(struct plan *p, const struct yaml_node *row);

/* Finds or adds an execution, whose sets it takes; its index. */
unsigned plan_find_execution(struct study *study, struct study_execution *e);

/* plan_tried.c: an entry of interventions; those that a claim names. */
int plan_read_intervention(struct plan *p, const struct yaml_node *node);
int plan_read_tried(struct plan *p, const struct yaml_node *node, struct study_claim *claim);

/* plan_inputs.c: an entry of inputs. */
int plan_read_input(struct plan *p, const struct yaml_node *node);

/* plan_questions.c: an entry of figures; of claims; of findings. How claims are judged, which a study with claims says.
 */
int plan_read_figure(struct plan *p, const struct yaml_node *node);
int plan_read_claim(struct plan *p, const struct yaml_node *node);
int plan_read_finding(struct plan *p, const struct yaml_node *node);
int plan_read_takes(struct plan *p, const struct yaml_node *root);
int plan_read_judging(struct plan *p, const struct yaml_node *root);

/* plan_each.c: calls take for the entry, or for each copy that its `each` makes, until it fails. */
int plan_for_each(struct plan *p, const struct yaml_node *node,
                  int (*take)(struct plan *p, const struct yaml_node *node, const struct study_copy *copy));

#endif

/* `inputs`: on which inputs the benchmarks run, beside the paper's. plan_inputs.c reads it, inputs.c compares it with
 * the launches of the runs, page_inputs.c shows both. */
#ifndef LOCKSTEP_CLI_STUDY_INPUTS_H
#define LOCKSTEP_CLI_STUDY_INPUTS_H

#include "cli/study/figures.h"

/* A shape's parts, of the largest launch of a benchmark's kernels. */
enum study_part { STUDY_BLOCKS, STUDY_BLOCK_THREADS, STUDY_BLOCK_WARPS, STUDY_THREADS, STUDY_PARTS };

/* Numbers in ascending order, each once: the configurations of a benchmark need not all launch the same. */
struct study_counts {
    VEC(double) items;
};

/* Numbers and texts of a benchmark's input, as they are said or were measured. */
struct study_shape {
    struct study_counts counts[STUDY_PARTS]; /* empty: not said */
    const char *texts[STUDY_PARTS];          /* the paper's, where it is no number; NULL */
    const char *input;                       /* "": not said */
};

/* A row of `inputs`. */
struct study_input {
    const struct study_benchmark *benchmark;
    struct study_shape stated, paper; /* stated: of the version that is run; empty where it says nothing of that */
    const char *note;                 /* or "" */
    const struct yaml_node *node, *stated_node;
};

/* Returns the key of study.yaml that states a part. */
const char *study_part_key(enum study_part part);
/* Finds the input of a benchmark: NULL when there is none. */
const struct study_input *study_input_of(const struct study *study, const struct study_benchmark *benchmark);

/* Adds a number, where it belongs. */
void study_add_count(struct study_counts *counts, double number);
bool study_same_counts(const struct study_counts *a, const struct study_counts *b);
/* Appends "23,040", or "15 / 28". */
void study_tell_counts(const struct study_counts *counts, struct strbuf *out);
void study_free_shape(struct study_shape *shape);

/* inputs.c: finds what the runs of each benchmark with an input have launched, by its index; their shapes are the
 * caller's to give back. -1 with a diagnostic. */
int study_find_launched(struct study *study, struct study_shape *launched);
/* Compares what is stated with what was launched. -1 with a diagnostic for each part that differs. */
int study_check_inputs(struct study *study);
/* Warns of benchmarks in a figure that have no input, in a study that puts its numbers beside a paper's. `warned`: of
 * benchmarks, by index. */
void study_doubt_inputs(struct study *study, const struct study_points *points, bool *warned);

#endif

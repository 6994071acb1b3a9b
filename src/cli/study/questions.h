/* The questions of a study: figures, claims, findings, and how claims are judged. Read by plan_questions.c. */
#ifndef LOCKSTEP_CLI_STUDY_QUESTIONS_H
#define LOCKSTEP_CLI_STUDY_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/yaml.h"

enum study_mean { STUDY_GEOMETRIC, STUDY_ARITHMETIC };

/* `judging`: chosen once, for all claims. */
struct study_judging {
    bool given;
    enum study_mean mean;
    double no_effect; /* a factor that differs from 1 by no more has no effect */
    double loses;     /* a factor below 1 by more loses */
};

/* Which of the copies that `each` makes of a question. */
struct study_copy {
    const struct yaml_node *of; /* the entry of study.yaml; NULL: it has no `each` */
    const char *label;          /* its values: "gtx480", "gtx480, lrr" */
    const char *text;           /* the claim with all values: "speed-up over lrr / gto" */
};

enum study_kind { STUDY_TABLE, STUDY_BARS, STUDY_STACK, STUDY_LINES, STUDY_TIMELINE };

/* A number that the paper prints, beside ours. */
struct study_print {
    const char *series, *x;
    double y;
};

/* A figure or table: rows of (series, x, y) for bars and lines, (lane, from, to, until, label) for a timeline, any rows
 * for a table. */
struct study_figure {
    const char *id, *title, *x, *y, *sql, *text, *beside;
    enum study_kind kind;
    bool logarithmic, logarithmic_x, has_base, main; /* main: stands first on the page */
    unsigned panels;                                 /* how many its `each` makes, which stand side by side; 1: none */
    double base;                                     /* on which bars stand */
    const struct study_print *prints;
    size_t print_count;
    const struct yaml_node *node;
    struct study_copy copy;
};

/* The values that a column may have for which conditions are written: from least to most, or texts. */
struct study_range {
    const char *column;
    double least, most;
    bool is_text;
    const char *const *texts; /* NULL-terminated; none: any */
};

/* A statement of the paper. sql gives one row with a column `ours` and whatever else the conditions need; or, where
 * it is of rows, a row (name, ours, paper) for each of those whose mean is the claim's. */
struct study_claim {
    const char *id, *text, *paper, *sql, *direction, *magnitude, *why;
    const size_t *tried; /* indices of interventions */
    size_t tried_count;
    bool of_rows, chaotic;
    unsigned expected, found; /* rows, when every run ends well; those of them with a value */
    const struct study_range *ranges;
    size_t range_count;
    const struct yaml_node *node;
    struct study_copy copy;
};

/* A sentence whose {column}s are those of the one row that sql gives. */
struct study_finding {
    const char *id, *text, *sql;
    const struct yaml_node *node;
};

#endif

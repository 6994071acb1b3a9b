/* How questions are answered. A claim is answered in several worlds: over the results as they are, with the other mean
 * in the place of the chosen one, for each variant of the runs alone, and without the configurations of some number of
 * variants, which tells on which of them the answer rests. */
#ifndef LOCKSTEP_CLI_STUDY_JUDGE_H
#define LOCKSTEP_CLI_STUDY_JUDGE_H

#include "cli/study/study.h"

/* A value of an answer: NULL, a number or a text (of the study's arena). */
struct study_value {
    int type; /* SQLITE_NULL, _INTEGER, _FLOAT or _TEXT */
    double number;
    const char *text; /* also of numbers, as they are shown: four digits */
};

/* 1 holds, 0 does not, -1 is not judged: there is no value, or no condition. */
struct study_verdict {
    int direction, magnitude;
};

/* A claim, or one row of it, as all worlds answer it. */
struct study_tally {
    struct study_value ours, other; /* other: by the other mean */
    struct study_verdict verdict, other_verdict;
    double least, most;        /* over variants */
    unsigned judged, judged_m; /* variants in which direction (magnitude) could be judged */
    unsigned direction_in, magnitude_in;
};

struct study_answer_row {
    const char *name;
    struct study_value paper;
    struct study_tally tally;
};

/* A claim with an intervention. */
struct study_trial {
    struct study_value ours;
    struct study_verdict verdict;
};

/* How many of a claim's rows have a value, of those that would be there if every run had ended well; of a claim without
 * rows that lacks something, of how many of the configurations on which it rests all results are there. of 0: nothing
 * to count. open: it rests on what has not been run. */
struct study_coverage {
    unsigned have, of;
    bool open;
};

struct study_answer {
    struct study_tally all;
    struct study_coverage coverage;
    struct study_trial *trials; /* as many as the claim names */
    VEC(struct study_answer_row) rows;
    unsigned variants; /* the most of a configuration on which the answer rests */
    bool one_run;      /* said to be chaotic, or of a program that varies, and rests on a configuration that ran once */
    bool outside;      /* of its range */
    const char *content; /* all that its sql gave, to compare worlds */
};

enum study_world_kind {
    STUDY_WHOLE,
    STUDY_OTHER_MEAN,
    STUDY_VARIANT,
    STUDY_WITHOUT,
    STUDY_WITHOUT_VARYING,
    STUDY_TRIED,
    STUDY_ASSUMED /* assume.c: the whole, without statistics that no question names: those cost time */
};
struct study_world {
    enum study_world_kind kind;
    unsigned number; /* which variant; without configurations of so many variants; with which intervention */
};

/* worlds.c: makes `results` and all views be those of a world. -1 with diagnostics. */
int study_enter(struct study *study, const struct study_world *world);
/* The greatest number of variants of a run; whether there are runs of so many. */
unsigned study_variants(struct study *study);
bool study_has_variants(struct study *study, unsigned count);

/* assume.c: opens a database in memory with results of all runs, made up, and enters its whole world. -1 with
 * diagnostics. */
int study_assume(struct study *study);

/* conditions.c: a condition over columns, to be bound in their order from 1. NULL with a diagnostic. `key`: direction
 * or magnitude. */
sqlite3_stmt *study_condition(struct study *study, const struct study_claim *claim, const char *key,
                              const char *const *columns, size_t count);
/* Evaluates the condition on the values bound: 1 it holds, 0 it does not, -1 it is NULL. */
int study_condition_holds(sqlite3_stmt *condition);
/* -1 with a diagnostic when the conditions that were asked last had to be given up: see study_begin. */
int study_condition_ends(struct study *study, const struct study_claim *claim, const char *key);
/* The number that a claim's paper is; false: it is another text. */
bool study_paper_number(const struct study_claim *claim, double *number);

/* lint.c: refuses a claim whose conditions hold for all values of its range, or for none. columns: those of its sql. */
int study_lint(struct study *study, const struct study_claim *claim, const char *const *columns, size_t count);

/* judge.c: answers every claim in this world; all but the first world (STUDY_WHOLE) add to what is there. */
int study_judge(struct study *study, const struct study_world *world, struct study_answer *answers);
/* Appends the SQL that gives a claim's one row. */
void study_claim_sql(const struct study_claim *claim, struct strbuf *sql);
/* All that a claim's own sql gives, as a text. */
const char *study_content(struct study *study, const struct study_claim *claim);
/* coverage.c: finds how much of what answers rest on is there, and takes back the verdicts of those that are open. -1
 * with diagnostics. "12 of 13"; "" when there is nothing to count. */
int study_cover(struct study *study, struct study_answer *answers);
const char *study_coverage_text(struct study *study, const struct study_coverage *coverage);
/* Notes the runs on which a claim rests. In the assumed study. -1 with a diagnostic, also when there are none. */
int study_find_support(struct study *study, size_t claim, bool *runs);
/* tried.c: what came of a claim's n-th intervention: "1.02 becomes 1.08: moves by +5.9%, direction yes". */
const char *study_trial_text(struct study *study, const struct study_claim *claim, const struct study_answer *answer,
                             size_t n);
/* A number as it is shown: four digits, or all before the point. */
const char *study_number(struct study *study, double number);
/* A column of the row that a statement is at. */
struct study_value study_value_of(struct study *study, sqlite3_stmt *stmt, int column);
/* "yes", "no", "-"; with variants "yes 4/5". */
const char *study_word(struct study *study, int verdict, unsigned in, unsigned of);
/* How many rows of an answer hold in direction (magnitude); how many are judged at all. */
unsigned study_rows_that_hold(const struct study_answer *answer, bool magnitude, unsigned *of);
/* A finding's text with its columns filled in; NULL with a diagnostic. */
const char *study_finding_text(struct study *study, const struct study_finding *finding);

#endif

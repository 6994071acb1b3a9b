/* `lockstep tune`: parameters of a machine, fitted to rows that were measured on a card. tune.c is the command, asked.c
 * reads what is to be fitted, rows.c chooses the rows, measure.c knows what runs gave, search.c looks for the best
 * values, tell.c says what was found, write.c makes the machine file. */
#ifndef LOCKSTEP_CLI_TUNE_TUNE_H
#define LOCKSTEP_CLI_TUNE_TUNE_H

#include "cli/hardware/hardware.h"

/* A parameter that is fitted. Its values are as its field has them: thousandths where it is a decimal number. */
struct tune_param {
    const char *name;    /* group.parameter */
    struct diag_pos pos; /* where it was asked for; nowhere: on the command line */
    const struct param_desc *desc;
    uint64_t low, high, step;  /* values that are tried: low, low + step ... */
    uint64_t first, value;     /* the machine's; the best so far */
    const char **patterns;     /* of its rows, NULL-terminated; NULL: all rows that it changes */
    uint64_t runs;             /* a set: those that its rows come from */
    uint64_t matters;          /* a set: those whose figures it may change */
    bool *rows;                /* of tune.rows: those that it is fitted on, and those of the same that were left out */
    unsigned fitted, left_out; /* how many */
};

/* A figure of a card that a run on the machine gives too. */
struct tune_row {
    const struct hardware_row *card;
    const char *source; /* the card, or the file */
    enum hardware_kind kind;
    unsigned run;        /* TUNE_NO_RUN: none gave it */
    bool left_out;       /* no parameter is fitted to it */
    double first, value; /* of the machine as it was, and with what was found; NaN: none */
};
#define TUNE_NO_RUN UINT32_MAX

struct tune_source {
    const char *name;
    unsigned kinds;
    struct hardware_rows rows;
};

struct tune {
    struct hardware_session session;
    struct hardware_machine held; /* as hardware_try wants it */
    struct machine machine;       /* with --set */
    bool loaded;
    VEC(struct tune_param) params;
    VEC(struct tune_source *) sources;
    VEC(struct tune_row) rows;
    uint64_t runs;                 /* a set: those that are wanted at all */
    struct strmap keys;            /* of results, by run and values of the parameters that matter to it */
    VEC(const double *) results;   /* a value for each of the rows; NaN: the run did not give it */
    uint64_t budget, spent, known; /* runs of programs: allowed, done, not needed again */
    unsigned rounds;
    bool is_out_of_budget;
    int stopped; /* a signal that asked to stop, or 0 */
};

/* The rule by which rows are left out: of those of a kind that were measured, every so many-th. 0: none. */
#define TUNE_LEAVE_OUT 5
#define TUNE_BUDGET 1000

/* Reads --fit, --fit-file and the machine's own `tune:`. Returns 0, or -1 with diagnostics: parameters that are not
 * there or no numbers, ranges that they do not allow or that do not hold the machine's value. */
int tune_read_asked(struct tune *tune);
/* The rows of --from and --card, else of the cards that the machine is held against. Returns 0, or -1 with
 * diagnostics: also when a parameter's rows are not there, or no run gives them. */
int tune_read_rows(struct tune *tune);
/* "program/what/type/parameter" of a row: what patterns are held against. Belongs to arena. */
const char *tune_row_name(const struct hardware_row *row, struct arena *arena);
bool tune_row_is_wanted(const struct tune_param *param, const struct hardware_row *row, struct arena *arena);
/* Says which rows are left out. Those that no run gave count for nothing. */
void tune_leave_out(struct tune *tune);

/* A run of a program with values of all parameters. */
struct tune_point {
    unsigned run;
    const uint64_t *values; /* in the order of tune.params */
};
/* Fills in what each point gives: a value for each of the rows. Those that are not known are run, all at a time.
 * Returns 0; 1 when that would go beyond `most` runs altogether: then nothing is run, and nothing filled in; -1 with a
 * diagnostic, or by tune.stopped. told: what the progress line says of them. */
int tune_measure(struct tune *tune, const struct tune_point *points, unsigned count, uint64_t most, const char *told,
                 const double **results);
/* Makes a result known under the values of the parameters that matter now. */
void tune_remember(struct tune *tune, const struct tune_point *point, const double *result);
/* The value of a parameter as a machine file has it. */
void tune_format(const struct tune_param *param, uint64_t value, struct strbuf *out);
/* "group.parameter=value", in arena. */
const char *tune_setting(const struct tune_param *param, uint64_t value, struct arena *arena);

/* Runs the machine as it is, finds out which parameter changes what, and fits them all. Returns 0, or -1 with a
 * diagnostic, or by tune.stopped. */
int tune_search(struct tune *tune);

/* Errors of rows, mean of |machine/card - 1| in per cent; NaN where there is none. */
struct tune_errors {
    unsigned fitted, left_out; /* rows */
    double fitted_first, fitted_now, left_first, left_now;
};
struct tune_errors tune_errors_of(const struct tune *tune, const struct tune_param *param);
struct tune_errors tune_errors_of_kind(const struct tune *tune, enum hardware_kind kind);
/* Appends the names of what a parameter was fitted on: "h100: shared chain; stride". */
void tune_add_basis(const struct tune *tune, const struct tune_param *param, struct strbuf *out);
/* Appends tables of parameters and kinds. */
void tune_text(const struct tune *tune, struct table_page *page);
json_t *tune_json(const struct tune *tune);

/* Appends the machine file: the text of the machine's own file with the fitted values in it, or, of a machine that
 * comes with Lockstep, one that has it as base. Returns 0, or -1 with diagnostics when a line of that file cannot be
 * changed. */
int tune_machine_file(const struct tune *tune, struct strbuf *out);

#endif

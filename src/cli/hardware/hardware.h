/* `lockstep validate --hardware`: the programs of tools/measure run on machines, as they did on cards, and what they print
 * on both sides is laid side by side. hardware.c is the command, cards.c knows the cards, rows.c joins and judges,
 * measure.c builds and runs the programs, tell.c and page.c say what was found. */
#ifndef LOCKSTEP_CLI_HARDWARE_HARDWARE_H
#define LOCKSTEP_CLI_HARDWARE_HARDWARE_H

#include "cli/cli.h"
#include "cli/hardware/cards.h"

/* A machine that is tried. */
struct hardware_machine {
    const char *machine, *name; /* as --machine takes it; without folder and ending */
    hardware_holds holds;
    unsigned kinds;      /* of all holds that are wanted */
    unsigned programs;   /* a set of hardware_programs: those of which a card has rows of these kinds */
    struct hardware_rows here;
};

/* A machine beside a card. */
struct hardware_comparison {
    const struct hardware_machine *machine;
    const char *card, *card_doc;
    unsigned kinds;
    struct hardware_rows there;
    hardware_pairs pairs;
};

/* A run of a program that did not end well. */
struct hardware_failure {
    const char *machine, *program, *arguments, *why;
};

/* How a program of tools/measure is run: a row of runs.def. */
struct hardware_run {
    const char *program, *arguments, *options; /* words: the program's; those of `lockstep run` */
    unsigned kinds;                            /* a set: those of its rows */
};
extern const struct hardware_run hardware_runs[];
extern const unsigned hardware_run_count;
#define HARDWARE_MOST_RUNS 64

/* One run on a machine. */
struct hardware_try {
    const struct hardware_run *run;
    struct hardware_machine *machine;
    const char *const *sets; /* of parameters, beside those of the session's options */
    size_t set_count;
    struct hardware_rows *rows;  /* gets what the program printed */
    const char *failed;          /* filled in: why it did not end well, or NULL */
    const char *output, *errors; /* files, while it runs */
};

struct hardware_session {
    const struct cli_options *options;
    struct diag_sink *sink;
    struct arena arena;
    const char *share; /* folder of what comes with Lockstep */
    const char *built; /* folder of programs that were built; NULL before the first run */
    struct hardware_cards cards;
    unsigned kinds; /* that are wanted */
    VEC(struct hardware_machine) machines;
    VEC(struct hardware_comparison) comparisons;
    VEC(struct hardware_failure) failures;
};

/* Finds what comes with Lockstep, the kinds that are wanted and the cards. Returns 0, or -1 with a diagnostic. */
int hardware_begin(struct hardware_session *session);
/* Frees all of it. */
void hardware_end(struct hardware_session *session);
/* A machine's name without folder and ending; belongs to arena. */
const char *hardware_plain_name(struct arena *arena, const char *machine);
/* The programs, as a set, that measure rows of a set of kinds among those of a card. */
unsigned hardware_programs_of(const struct hardware_rows *rows, unsigned kinds);
/* True when a run gives rows of the machine's kinds and programs. */
bool hardware_run_is_wanted(const struct hardware_run *run, const struct hardware_machine *machine);
/* Builds what is not built yet and does the runs, several at a time; told: what the progress line says of them. Returns
 * 0, or -1 with a diagnostic when nothing could be run. *stopped: the number of a signal that asked to stop, or 0. */
int hardware_try(struct hardware_session *session, struct hardware_try *tries, unsigned count, const char *told,
                 int *stopped);
/* Builds what is not built yet and runs it; fills in machines[].here, and failures. Returns 0, or -1 with a diagnostic
 * when nothing could be run. *stopped: the number of a signal that asked to stop, or 0. */
int hardware_measure(struct hardware_session *session, int *stopped);
/* The file with what a program printed on a machine, below the folder of --out or --measured. */
const char *hardware_file(struct hardware_session *session, const char *folder, const struct hardware_machine *machine,
                          const char *program);

/* Appends a table a comparison, each row with --rows, and what failed. */
void hardware_text(const struct hardware_session *session, struct table_page *page);
/* All of it as JSON. */
json_t *hardware_json(const struct hardware_session *session);
/* Appends the page of docs/accuracy.md: what each machine may be trusted for. */
void hardware_card_page(const struct hardware_session *session, struct strbuf *out);
/* Appends an HTML page with a scatter plot a kind. */
void hardware_html(struct hardware_session *session, struct strbuf *out);

#endif

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

struct hardware_session {
    const struct cli_options *options;
    struct diag_sink *sink;
    struct arena arena;
    const char *share; /* folder of what comes with Lockstep */
    struct hardware_cards cards;
    unsigned kinds; /* that are wanted */
    VEC(struct hardware_machine) machines;
    VEC(struct hardware_comparison) comparisons;
    VEC(struct hardware_failure) failures;
};

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

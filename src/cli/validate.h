/* The runs of `lockstep validate` and how they are told: as a table with a summary for each machine, and as a page. */
#ifndef LOCKSTEP_CLI_VALIDATE_H
#define LOCKSTEP_CLI_VALIDATE_H

#include "cli/fidelity.h"
#include "report/table.h"

struct trial {
    const struct fidelity_record *record;
    const char *stats;
    const char *failure; /* NULL: it ended well */
    struct fidelity_counts here;
};

struct trials {
    struct trial *items;
    unsigned count;
    struct arena *arena; /* for what the reports make */
};

/* Appends a row for each trial, and how well each machine agrees. */
void validate_text(const struct trials *trials, struct table_page *page);
/* Appends the HTML page with a scatter plot for each machine, where Chart.js is installed. how: what was run, in a
 * sentence. */
void validate_html(const struct trials *trials, const char *how, struct strbuf *out);

#endif

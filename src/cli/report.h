/* Pages of profiles. */
#ifndef LOCKSTEP_CLI_REPORT_H
#define LOCKSTEP_CLI_REPORT_H

#include "cli/cli.h"
#include "report/profile_page.h"

/* The name of a column: the file's name without its folders and the ending of results and launch files. */
const char *report_label(struct arena *arena, const char *path);
/* Writes the page of so many results to a file. Returns 0, or -1 with a diagnostic. */
int report_write(const char *path, const struct profile_page_result *results, unsigned count, struct diag_sink *sink);
/* Writes the page of a run that was profiled to options->report, if it was asked for. document: what --stats would
 * write. Returns 0, or -1 with a diagnostic. */
int report_write_run(const struct cli_options *options, const json_t *document, struct diag_sink *sink);

#endif

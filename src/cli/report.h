/* Pages of profiles. */
#ifndef LOCKSTEP_CLI_REPORT_H
#define LOCKSTEP_CLI_REPORT_H

#include "cli/cli.h"
#include "report/profile_page.h"

/* The name of a column: the file's name without its folders and the ending of results and launch files. */
const char *report_label(struct arena *arena, const char *path);
/* Writes a page, whose maker and library are filled in here, to a file. Returns 0, or -1 with a diagnostic. */
int report_write(const char *path, struct profile_page page, struct diag_sink *sink);
/* Writes the page of a run that was profiled to options->report, if it was asked for. document: what --stats would
 * write; lines: of its timeline, which is on the page where --timeline asks for it. Returns 0, or -1 with a diagnostic.
 */
int report_write_run(const struct cli_options *options, const json_t *document, const char *lines, size_t bytes,
                     struct diag_sink *sink);

#endif

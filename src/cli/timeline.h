/* Timelines: files of run --timeline. */
#ifndef LOCKSTEP_CLI_TIMELINE_H
#define LOCKSTEP_CLI_TIMELINE_H

#include "cli/cli.h"
#include "report/timeline_read.h"

/* True if the file begins like a timeline; false also when it cannot be read. */
bool cli_is_timeline(const char *path);
/* Reads the file. Returns 0, or -1 with a diagnostic; timeline_read_free in both cases. */
int cli_read_timeline(struct timeline_read *t, const char *path, struct diag_sink *sink);
/* Appends the text of a timeline: its first line, then these lines of launches. */
void cli_add_timeline(const struct cli_options *options, const char *lines, size_t bytes, struct strbuf *out);

#endif

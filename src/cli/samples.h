/* `lockstep compare --samples` and --agree: which samples of a configuration are run, and a file of others'. */
#ifndef LOCKSTEP_CLI_SAMPLES_H
#define LOCKSTEP_CLI_SAMPLES_H

#include "base/arena.h"
#include "cli/cli.h"
#include "report/samples.h"

/* By this one sample differs from the next: an option of `lockstep run` with its value; option NULL: nothing. */
struct cli_sample {
    const char *option, *value;
};

/* The samples that options->samples asks for, N seeds or GROUP.NAME=A,B,...; one without an option when it asks for
 * none. 0 with a diagnostic. */
unsigned cli_samples(const struct cli_options *options, struct arena *arena, struct cli_sample **samples,
                     struct diag_sink *sink);
/* Reads a file of numbers, between blanks, line ends or commas; what stands behind # is a remark. -1 with a diagnostic
 * that has the line. */
int cli_read_numbers(const char *path, struct report_numbers *numbers, struct arena *arena, struct diag_sink *sink);

#endif

/* The part of `lockstep compare` that runs nothing. */
#ifndef LOCKSTEP_CLI_COMPARE_H
#define LOCKSTEP_CLI_COMPARE_H

#include "cli/cli.h"

/* Prints how the runs differ whose results are in the two files that options->rest names. Returns the exit code. */
int compare_results(const struct cli_options *options, struct diag_sink *sink);

#endif

/* The part of `lockstep validate` that holds machines against cards. */
#ifndef LOCKSTEP_CLI_HARDWARE_COMMAND_H
#define LOCKSTEP_CLI_HARDWARE_COMMAND_H

#include "cli/cli.h"

/* validate --hardware, with its options. Returns the exit code. */
int cli_validate_hardware(const struct cli_options *options, struct diag_sink *sink);

#endif

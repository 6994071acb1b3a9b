/* Texts that follow from the tables of commands and options, and from their help, for other programs to read. */
#ifndef LOCKSTEP_CLI_DESCRIBE_H
#define LOCKSTEP_CLI_DESCRIBE_H

#include "base/diag.h"

/* Writes lockstep.1 and lockstep-COMMAND.1 for each command into the folder. Returns 0, or -1 with a diagnostic. */
int manual_write(const char *folder, struct diag_sink *sink);
/* Writes completions for shells into the folder: lockstep (bash), _lockstep (zsh), lockstep.fish. Likewise. */
int completion_write(const char *folder, struct diag_sink *sink);

#endif

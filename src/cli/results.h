/* Files of results that a command reads. */
#ifndef LOCKSTEP_CLI_RESULTS_H
#define LOCKSTEP_CLI_RESULTS_H

#include <jansson.h>

#include "base/diag.h"

/* The runs in a file that --stats has written, an array of documents with their kernels, at least one. Returns NULL
 * with a diagnostic. */
json_t *cli_read_runs(const char *path, struct diag_sink *sink);
/* The document of a file of one run. Returns NULL with a diagnostic. */
json_t *cli_read_results(const char *path, struct diag_sink *sink);

#endif

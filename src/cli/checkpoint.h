/* --checkpoint-every, --checkpoint and --resume. */
#ifndef LOCKSTEP_CLI_CHECKPOINT_H
#define LOCKSTEP_CLI_CHECKPOINT_H

#include "base/archive.h"
#include "cli/cli.h"
#include "monitor/monitor.h"

/* Takes from the checkpoint that --resume names everything that the command line did not give: the program or launch
 * file with its arguments, the machine, the scheduler, parameters and mode. Returns 0, or -1 with diagnostics. */
int checkpoint_complete_options(struct cli_options *options, struct diag_sink *sink);
/* With --resume: whether the checkpoint is of such a machine and such a target. Returns 0, or -1 with diagnostics. */
int checkpoint_check_options(const struct cli_options *options, const struct machine *machine, struct diag_sink *sink);
/* How the run was started, for another process to complete its options from. Belongs to arena. */
const char *checkpoint_command(const struct cli_options *options, struct arena *arena);
/* Returns true if checkpoints may be taken: every so many cycles, or when who watches asks for one. */
bool checkpoint_possible(const struct cli_options *options);
/* Where checkpoints go. Belongs to arena. */
const char *checkpoint_pattern(const struct cli_options *options, struct arena *arena);

/* Checkpoints of a launch file's one launch. */
struct case_checkpoints {
    const struct cli_options *options;
    const struct machine *machine;
    struct gpu *gpu;
    uint64_t program; /* hash of all that the launch file names */
    struct monitor *monitor; /* that may ask for one, or NULL */
    struct arena arena;
    bool lost; /* one could not be written */
};
/* Asks the device for checkpoints and opens the one to continue: *resume, or NULL. Returns 0, or -1 with diagnostics.
 */
int case_checkpoints_begin(struct case_checkpoints *c, struct archive **resume, struct diag_sink *sink);
void case_checkpoints_end(struct case_checkpoints *c, struct archive *resume);

#endif

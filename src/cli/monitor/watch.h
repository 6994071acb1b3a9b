/* --monitor: a run that is watched. */
#ifndef LOCKSTEP_CLI_MONITOR_WATCH_H
#define LOCKSTEP_CLI_MONITOR_WATCH_H

#include "cli/cli.h"
#include "monitor/board.h"

struct cli_watched {
    struct monitor_board *board; /* NULL: nobody watches */
    const struct monitor_server_module *module;
    struct monitor_server *server;
    int file; /* the board's, for other processes */
};

/* Begins to serve, when that was asked for, and prints the page's address on standard error. Returns 0, or -1 with a
 * diagnostic. cli_watch_end at the end, also after a failure. */
int cli_watch_begin(struct cli_watched *watched, const struct cli_options *options, struct diag_sink *sink);
void cli_watch_end(struct cli_watched *watched);
/* The name by which another process can open the board, or NULL. */
const char *cli_watch_path(const struct cli_watched *watched, struct arena *arena);

#endif

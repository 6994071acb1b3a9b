/* What ends a run before its kernel does: Ctrl-C and its like, and --max-seconds. One run at a time can be watched. */
#ifndef LOCKSTEP_CLI_STOP_H
#define LOCKSTEP_CLI_STOP_H

#include <signal.h>

#include "base/interrupt.h"

struct stop {
    struct sigaction old[INTERRUPTS];
    double deadline; /* in host_seconds, 0: none */
};

/* Begins to watch. From now on the first SIGINT, SIGTERM or SIGHUP is only noted, and a later one ends the process
 * (interrupt_note); signals that were ignored stay so. max_seconds counts from here; 0: no limit. */
void stop_begin(struct stop *stop, double max_seconds);
/* Why the run is to end now ("SIGINT", "max-seconds", ...), or NULL. */
const char *stop_reason(const struct stop *stop);
/* Ends watching: signals act as before. */
void stop_end(const struct stop *stop);

#endif

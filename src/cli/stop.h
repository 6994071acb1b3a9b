/* What ends a run before its kernel does: Ctrl-C and its like, and --max-seconds. One run at a time can be watched. */
#ifndef LOCKSTEP_CLI_STOP_H
#define LOCKSTEP_CLI_STOP_H

#include <signal.h>
#include <stdbool.h>

#define STOP_SIGNALS 3

struct stop {
    struct sigaction old[STOP_SIGNALS];
    double deadline; /* in seconds of stop_clock, 0: none */
};

/* Seconds of host time, from some beginning. */
double stop_clock(void);
/* Begins to watch. From now on the first SIGINT, SIGTERM or SIGHUP is only noted, and the next ends the process at
 * once; signals that were ignored stay so. max_seconds counts from here; 0: no limit. */
void stop_begin(struct stop *stop, double max_seconds);
/* The signal that was noted, or 0. */
int stop_signal(void);
/* Why the run is to end now ("SIGINT", "max-seconds", ...), or NULL. */
const char *stop_reason(const struct stop *stop);
/* Ends watching: signals act as before. */
void stop_end(const struct stop *stop);

#endif

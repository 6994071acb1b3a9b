/* Requests to end a run early: SIGINT, SIGTERM, SIGHUP, and a limit of host time. The run asks now and then if there is
 * one; one run at a time can be watched. The host's clock is here too. */
#ifndef LOCKSTEP_BASE_INTERRUPT_H
#define LOCKSTEP_BASE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

#define INTERRUPTS 3
extern const int interrupt_signals[INTERRUPTS];

/* Seconds of host time, from some beginning. */
double host_seconds(void);
/* A signal handler: notes the first signal, and ends the process by one that comes later. What comes within half a
 * second of the first is the same request: timeout(1) and batch systems signal a process and its group, so that it
 * comes twice or three times. */
void interrupt_note(int number);
/* Forgets what was noted. */
void interrupt_forget(void);

struct interrupt_watch {
    struct sigaction old[INTERRUPTS];
    bool taken[INTERRUPTS];
    double deadline; /* in host_seconds, 0: none */
};
/* Begins to watch: from now on the first of the signals is only noted, and a later one ends the process
 * (interrupt_note). Signals that were ignored stay so, and unless handled_too those that a handler waits for. */
void interrupt_begin(struct interrupt_watch *watch, bool handled_too, double deadline);
/* Why the run is to end now ("SIGINT", "max-seconds", ...), or NULL. */
const char *interrupt_reason(const struct interrupt_watch *watch);
/* Ends watching: signals act as before. */
void interrupt_end(struct interrupt_watch *watch);
/* The signal that was noted, or 0; its name ("SIGINT"), or NULL. */
int interrupt_noted(void);
const char *interrupt_name(void);

#endif

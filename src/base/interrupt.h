/* A request from outside to stop: SIGINT, SIGTERM, SIGHUP. Whoever watches installs interrupt_note for those signals
 * that it wants noted, and asks now and then. And the host's clock, by which requests and limits are told apart. */
#ifndef LOCKSTEP_BASE_INTERRUPT_H
#define LOCKSTEP_BASE_INTERRUPT_H

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
/* The signal that was noted, or 0; its name ("SIGINT"), or NULL. */
int interrupt_noted(void);
const char *interrupt_name(void);

#endif

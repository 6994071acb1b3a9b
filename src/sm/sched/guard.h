/* Faults of a warp scheduler that came from a shared object. Its code runs in this process, so a signal that it causes,
 * or a loop in it that does not end, would be put on the program that is simulated. While such a scheduler is guarded,
 * the signals of faults are looked at: where the thread's stack leads through the object, the fault is the scheduler's.
 * That is told on standard error, with the function that was called, and the process ends with exit code 1. A thread
 * looks whether the simulation goes on: one that does not for SCHED_GUARD_SECONDS (LOCKSTEP_PLUGIN_SECONDS), with its
 * stack in the object all the time, has come to such a loop. Calls of the scheduler cost nothing more. */
#ifndef LOCKSTEP_SM_SCHED_GUARD_H
#define LOCKSTEP_SM_SCHED_GUARD_H

#include "sm/sched/sched.h"

#define SCHED_GUARD_SECONDS 10

/* Begins to guard sched, when it is from an object; one at a time. policy may be NULL while the object is loaded. file
 * and line: what else is to be told of a fault, and where (-1: nowhere); line must stay. */
void sched_guard_begin(const struct sched *sched, int file, const char *line);
void sched_guard_end(const struct sched *sched);
/* The simulation goes on. To be called now and then. */
void sched_guard_beat(void);

#endif

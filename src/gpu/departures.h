/* Where the machines depart on purpose from the simulator that their values come from: the one table of it. A machine
 * can be taken as it is shipped, with the departures set back (as its reference has it), or with its warp schedulers in
 * fixed order and nothing else set back. */
#ifndef LOCKSTEP_GPU_DEPARTURES_H
#define LOCKSTEP_GPU_DEPARTURES_H

#include <stdbool.h>

#include "gpu/machine.h"

/* False when there is none of that name. */
bool machine_as_find(const char *name, enum machine_as *as);

struct departure {
    const char *machine;   /* that comes with Lockstep; NULL: all of them */
    const char *parameter; /* group.name, or of a scheduler's options: its name */
    const char *there;     /* the value that sets it back */
    const char *why;
};

/* The departures of a machine that `as` sets back, one after the other: the first behind `after` (NULL: of all), or
 * NULL. machine: as struct machine's `origin`. */
const struct departure *departure_next(const char *machine, enum machine_as as, const struct departure *after);
/* As departure_next, for schedulers: their options are part of their names. */
const struct departure *departure_next_scheduler(const char *machine, enum machine_as as,
                                                 const struct departure *after);
/* How the detector and control of the simulator released with the BOWS paper differ from the paper: what records of
 * runs with back-off were measured with, on every machine. The first behind `after`, or NULL. */
const struct departure *departure_next_control(const struct departure *after);
/* The name, with options, of the scheduler that corresponds to this one on such a machine. A control behind '+' stays;
 * a name with options of its own is returned as it is. */
const char *departure_scheduler(struct arena *arena, const char *machine, enum machine_as as, const char *scheduler);
/* Takes a machine as named: sets its departures back, its warp scheduler to the one that corresponds there, and, as
 * reference with a control behind '+', those of the control. What machine_set gave a value keeps it, so that this comes
 * after all of it. Returns 0, or -1 with a diagnostic: no such name, or a machine that has nothing to set back. */
int departures_take(struct machine *machine, const char *as, struct diag_sink *sink);

#endif

/* Where a launch stands among those before it, as the race check has to know it. Who gives launches (the streams of a
 * program) numbers those that a later launch may still race with: each has a *place* until everything that comes later
 * is known to come behind its end. */
#ifndef LOCKSTEP_SANITIZE_AMONG_H
#define LOCKSTEP_SANITIZE_AMONG_H

#include <stdint.h>

#define SANITIZE_PLACES 64

/* Sets are of places. All 0: the launch comes behind the end of all before it. */
struct sanitize_among {
    uint64_t open;   /* taken by launches before this one, which later ones may race with */
    uint64_t begins; /* of these: launches behind whose end this one begins, */
    uint64_t ends;   /* and those that have ended for a thread behind griddepcontrol.wait */
    uint8_t place;   /* its own */
};

#endif

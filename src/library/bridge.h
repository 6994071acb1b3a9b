/* For rooms above, which are programs on the public header (lockstep/device.h) but for this: their machines are their
 * own making, and what is said goes into a sink. */
#ifndef LOCKSTEP_LIBRARY_BRIDGE_H
#define LOCKSTEP_LIBRARY_BRIDGE_H

#include "gpu/machine.h"
#include "lockstep/device.h"

/* As lockstep_create; the machine must stay. */
int library_create(struct lockstep_device **device, const struct machine *machine);
/* Adds all that the last call said to the sink. Returns -1. */
int library_tell(const struct lockstep_device *device, struct diag_sink *sink);

#endif

/* The registry of warp schedulers. */
#ifndef LOCKSTEP_SM_SCHED_SCHED_H
#define LOCKSTEP_SM_SCHED_SCHED_H

#include "lockstep/scheduler.h"

/* The scheduler of that name, or NULL. */
const struct lockstep_scheduler *sched_find(const char *name);
/* All schedulers, NULL-terminated. */
const struct lockstep_scheduler *const *sched_list(void);

#endif

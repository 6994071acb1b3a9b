/* The SM as its rooms and stages see it, but for its cores (perform.h). The first argument of all functions of a port
 * is the SM. */
#ifndef LOCKSTEP_SM_PORTS_H
#define LOCKSTEP_SM_PORTS_H

#include "fetch/fetch.h"
#include "lsu/lsu.h"
#include "sm/complete.h"

extern const struct fetch_port sm_fetch_port;
extern const struct async_port sm_async_port;
extern const struct sm_completion_port sm_completion_port;
/* spins: the spin detector is told of accesses. */
const struct lsu_port *sm_lsu_port(bool spins);

#endif

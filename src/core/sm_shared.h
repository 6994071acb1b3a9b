/* The structures that all rooms of an SM work on, each written by its own functions alone. The SM makes them, and hands
 * them to each room that it makes. */
#ifndef LOCKSTEP_CORE_SM_SHARED_H
#define LOCKSTEP_CORE_SM_SHARED_H

#include "core/op.h"
#include "core/sm_params.h"
#include "core/views.h"
#include "sim/agenda.h"
#include "warp/table.h"

struct sm_shared {
    void *sm; /* the SM, which its rooms do not know: the first argument of their ports' functions */
    const struct sm_params *params;
    struct agenda *agenda;
    struct warp_table *warp;
    struct core_ops *ops;
    struct core_line *line;   /* where several cores' memory instructions keep their order; NULL: they need not */
    struct core_views *views; /* what policies see */
};

#endif

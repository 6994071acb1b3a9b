/* The asynchronous unit of an SM: what goes on beside the instructions of its warps and is waited for by mbarriers. It
 * suspends warps at mbarriers (phases.c) until a phase is over or they have waited for as long as they may. What it wants
 * of the SM around it, it asks for by a port. Written by the files of this room alone. */
#ifndef LOCKSTEP_ASYNC_ASYNC_H
#define LOCKSTEP_ASYNC_ASYNC_H

#include "base/room.h"
#include "core/sm_shared.h"

/* The SM, as the unit needs it. */
struct async_port {
    /* A suspended op has its result. */
    void (*complete)(void *sm, uint32_t op);
};

struct async_setup {
    const struct sm_shared *shared;
    const struct async_port *port;
};

/* An op, mbarrier.try_wait, whose warp is suspended. It goes on in the cycle `until`, in which it has waited for as long
 * as it may, or `wake`, if the phases of all its lanes are over. */
struct async_suspended {
    uint32_t op;
    uint64_t until, wake; /* wake: CYCLE_NEVER while a lane's phase is not over */
};

struct async {
    struct agenda *ROOM_KEPT agenda;
    const struct sm_params *ROOM_KEPT params;
    struct warp_table *ROOM_KEPT warp;
    struct core_ops *ROOM_KEPT ops;
    const struct async_port *ROOM_KEPT port;
    void *ROOM_KEPT sm;

    ROOM_KEPT uint64_t next; /* the next cycle in which the unit has something to do, or CYCLE_NEVER: see async_find_next */
    ROOM_KEPT VEC(struct async_suspended) suspended; /* in the order in which they came */
};

void async_init(struct async *async, const struct async_setup *setup);
void async_free(struct async *async);
/* A launch begins. */
void async_begin(struct async *async);

/* True: the unit has something to do in that cycle. */
static inline bool async_is_due(const struct async *async, uint64_t cycle)
{
    return async->next <= cycle;
}
/* What is due in the agenda's cycle: suspended ops go on. */
void async_step(struct async *async);

/* phases.c */

/* An op that waited for an mbarrier's phase when it issued has come out of shared memory. True: the phase is not over yet,
 * and the unit keeps the op until it is, or until its time is over (async_limit). */
bool async_suspend(struct async *async, uint32_t op);
/* An operation of this cycle has ended the phase of an mbarrier of the block in that slot. */
void async_phase_ended(struct async *async, unsigned block);

/* check.c: recomputes what the unit keeps although it follows from something else (base/check.h). */
struct check;
uint64_t async_find_next(const struct async *async);
void async_check(struct async *async, struct check *c);
/* archive.c: the unit in a checkpoint (base/archive.h), behind the SM's ops and warps. */
struct archive;
void async_archive(struct async *async, struct archive *ar);

#endif

/* Phases of blocks, between barriers: see phase_stats.def. Written by phases.c alone. */
#ifndef LOCKSTEP_SM_PHASES_H
#define LOCKSTEP_SM_PHASES_H

#include <stdint.h>

#include "base/vec.h"
#include "core/op.h"
#include "sm/sm.h"

/* A block's. */
struct sm_phase {
    uint32_t number; /* phases that have ended */
    uint64_t ended;  /* warp slots that ended in the present phase */
};

struct sm_phases {
    uint64_t start[WARP_SLOTS], arrival[WARP_SLOTS]; /* of warps, in their present phase */
    VEC(struct sm_phase_row) log;                    /* of this launch, if it asks for it */
    struct sm_phase_stats stats;
};

struct sm;
struct sm_block;

/* A block is launched in a cycle. */
void sm_phase_begin(struct sm *sm, struct sm_block *block, uint64_t cycle);
/* In cycle sm->agenda.now: a warp came to a barrier at which it waits; a warp ended; one that had ended has threads
 * again; a barrier opened for these warp slots, perhaps since a warp ended. */
void sm_phase_arrive(struct sm *sm, unsigned slot);
void sm_phase_end(struct sm *sm, unsigned slot);
void sm_phase_resume(struct sm *sm, unsigned slot);
void sm_phase_open(struct sm *sm, struct sm_block *block, uint64_t slots);
/* The cycle in which the first of these warp slots, which wait at barriers, came there; 0 for none. */
uint64_t sm_phase_first_arrival(const struct sm *sm, uint64_t slots);
/* Behind these: the last phase is over if all warps of the block have ended. */
void sm_phase_close(struct sm *sm, struct sm_block *block);

#endif

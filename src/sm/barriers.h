/* Barriers of blocks and of the grid, and the ends of warps. */
#ifndef LOCKSTEP_SM_BARRIERS_H
#define LOCKSTEP_SM_BARRIERS_H

#include <stdint.h>

struct sm;
struct simt_result;

/* The grid's barrier opens for the blocks that wait at it. */
void sm_pass_grid(struct sm *sm);
/* A warp has issued a barrier instruction. */
void sm_reach_barrier(struct sm *sm, unsigned slot, const struct simt_result *r);
/* A warp's last lanes have ended: barriers that only waited for it open. */
void sm_finish_warp(struct sm *sm, unsigned slot);
/* The cycle in which the first of these warp slots, which wait at barriers, came there; 0 for none. */
uint64_t sm_first_arrival(const struct sm *sm, uint64_t slots);
/* At the end of a cycle in which blocks changed: the schedulers see and are told what happened. */
void sm_show_blocks(struct sm *sm);

#endif

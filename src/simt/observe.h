/* For observers of warps: one lane's operands and registers. Nothing here changes a warp. */
#ifndef LOCKSTEP_SIMT_OBSERVE_H
#define LOCKSTEP_SIMT_OBSERVE_H

#include "simt/warp.h"

/* The low 32 bits that source operand `operand` (in PTX order, predicates aside) of instruction pc has in a lane of the
 * executing frame, as they are now: right behind an instruction that wrote none of its sources, those it had. cycle is
 * what clock registers read. 0 when there is no such operand. */
uint32_t simt_operand_in_lane(const struct simt_warp *warp, uint32_t pc, unsigned operand, unsigned lane,
                              uint64_t cycle);

/* A 128-bit digest of the registers and predicates that a lane takes along over the backward branch at pc (those that
 * are live where it leads): equal values give equal digests, and different ones, for all that can be expected,
 * different ones. The warp executes the branch's function. */
struct simt_digest {
    uint64_t a, b;
};
struct simt_digest simt_loop_state(const struct simt_warp *warp, uint32_t pc, unsigned lane);

/* Why lanes of a warp do not execute that stand where `walk` is. */
enum simt_standing {
    SIMT_STANDS_TURN,    /* they do */
    SIMT_STANDS_READY,   /* they have not the turn yet */
    SIMT_STANDS_BEHIND,  /* *others have to come to where they meet, or to go before them */
    SIMT_STANDS_NAMED,   /* they wait at an instruction that names *others, too */
    SIMT_STANDS_BARRIER, /* they wait at a barrier of the block, where *others have not come */
};
enum simt_standing simt_standing_of(const struct simt_warp *warp, const struct simt_walk *walk, uint64_t *others);

#endif

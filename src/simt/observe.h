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

#endif

/* Thread blocks of an SM, as others see them begin and end. */
#ifndef LOCKSTEP_SM_BLOCKS_H
#define LOCKSTEP_SM_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct sm;
/* The policy and the spin control are told of a warp that is launched. */
void sm_warp_begins(struct sm *sm, unsigned slot, uint64_t cycle, bool again);
/* Counts the cycles before `cycle` for the warps that are resident and at barriers: before either changes. */
void sm_count_warps(struct sm *sm, uint64_t cycle);
/* fetch_port.retire, whose `sm` is the SM: the warp has ended and drained. With the last of its warps a block retires.
 */
void sm_retire(void *sm, unsigned slot);

#endif

/* Thread blocks of an SM, as others see them begin and end. */
#ifndef LOCKSTEP_SM_BLOCKS_H
#define LOCKSTEP_SM_BLOCKS_H

struct sm;
/* fetch_port.retire, whose `sm` is the SM: the warp has ended and drained. With the last of its warps a block retires.
 */
void sm_retire(void *sm, unsigned slot);

#endif

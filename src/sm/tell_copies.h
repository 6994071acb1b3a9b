/* Tells observers of copies that go on beside warps, and of operations on mbarriers (include/lockstep/events.def).
 * Their callers have seen that somebody listens, but sm_tell_counted looks itself. */
#ifndef LOCKSTEP_SM_TELL_COPIES_H
#define LOCKSTEP_SM_TELL_COPIES_H

#include "sm/state.h"

/* Somebody listens to copies, or to what they do to mbarriers. */
static inline bool sm_tells_copies(const struct sm *sm)
{
    return watch_hears(&sm->watch, WATCH_copy | WATCH_mbarrier);
}

/* cp.async of the warp's lanes has been executed. */
void sm_tell_lane_copies(struct sm *sm, unsigned slot, const struct simt_access *access);
/* A lane has given a command. Returns the number of the copy. */
uint32_t sm_tell_bulk(struct sm *sm, unsigned slot, unsigned lane, uint32_t pc, const struct simt_bulk *command);
/* st.async or red.async has been executed, but for lanes that name other blocks. Returns the number of the copy of lane
 * 0; that of lane n is n more. */
uint32_t sm_tell_sends(struct sm *sm, unsigned slot, const struct simt_access *access);

/* An operation on mbarriers has been performed by the lanes that name objects of their own block. */
void sm_tell_mbarriers(struct sm *sm, unsigned slot, const struct simt_access *access);
/* A message has been performed in that block: an operation, or bytes that have counted at an mbarrier. */
void sm_tell_message(struct sm *sm, const struct sm_block *block, const struct packet *p, uint32_t address, bool ended);
/* async_port.counted. */
void sm_tell_counted(struct sm *sm, unsigned slot, const struct async_counted *what);

#endif

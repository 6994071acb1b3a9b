/* To which instruction a warp's cycles are charged (causes.def), and the causes that have a part of their own in that:
 * by number, as the events of a launch have them. */
#ifndef LOCKSTEP_PROFILE_CHARGE_H
#define LOCKSTEP_PROFILE_CHARGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "lockstep/observer.h"

struct profile_charge {
    uint64_t last, data; /* sets of causes: charged to the instruction issued last; waits for values */
    uint8_t issued, unpicked, held, fence, cluster, mbarrier;
};

void profile_charge_begin(struct profile_charge *charge, const struct lockstep_observed *observed);

/* True: a stay is charged to the instruction issued last, else to the next one. at_fence: the warp waits behind a fence
 * that it issued last. */
static inline bool profile_charged_last(const struct profile_charge *charge, uint32_t cause, bool at_fence)
{
    return mask_has(charge->last, cause) || (cause == charge->fence && at_fence);
}
/* The instruction that a stay is charged to. last: the one that the warp issued last; next: the one that it needs next.
 */
static inline uint32_t profile_charged_to(const struct profile_charge *charge, uint32_t cause, bool at_fence,
                                          uint32_t last, uint32_t next)
{
    return profile_charged_last(charge, cause, at_fence) ? last : next;
}

#endif

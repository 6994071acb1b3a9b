/* The units that an SM is made of, checked (base/check.h). */
#include "base/bits.h"
#include "base/check.h"
#include "sm/state.h"

void sm_check_units(struct sm *sm, struct check *c)
{
    check_of(c, "L1I of SM", sm->setup.index);
    if (!sm->fetch.member)
        cache_check(sm->fetch.l1i, c);
    check_of(c, "L1C of SM", sm->setup.index);
    cache_check(sm->lsu.l1c, c);
    check_of(c, "L1D of SM", sm->setup.index);
    l1_check(&sm->lsu.l1d, c);
    check_of(c, "warps of SM", sm->setup.index);
    for (uint64_t rest = sm->warp.resident; rest; rest &= rest - 1)
        simt_warp_check(&sm->warp.slots[mask_first(rest)].simt, c);
}

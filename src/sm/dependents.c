/* Programmatic dependent launch (PTX ISA, "griddepcontrol"). A block lets the launches behind its own begin when one of
 * its threads says so, or when it ends. A warp that waits for the launches before its own goes on when these have
 * ended: at once, where its launch began behind their end. Which launches these are the device knows (gpu/company.c).
 */
#include "sm/dependents.h"

#include "memory/order.h"
#include "sm/step.h"
#include "sm/warps.h"

void sm_reach_dependent(struct sm *sm, unsigned slot, const struct isa_instr *instr)
{
    struct sm_block *block = &sm->blocks[sm->warp.slots[slot].block];
    if (instr->mods.dependent == ISA_DEPENDENT_WAIT) {
        if (sm->kernel->comes_early)
            warp_wait_begin(&sm->warp, WARP_WAIT_primary, BIT64(slot));
        return;
    }
    sm->let += !block->lets;
    block->lets = true;
}

uint64_t sm_blocks_let(const struct sm *sm)
{
    return sm->let;
}

/* The L1 may have lines that were read before the other launches wrote to them. */
void sm_end_primary(struct sm *sm, uint64_t cycle)
{
    uint64_t warps = sm->warp.waits.primary;
    if (cycle > sm->agenda.now)
        sm_skip_to(sm, cycle);
    lsu_drop(&sm->lsu, 1 + L1_ACQUIRE);
    if (!warps)
        return;
    made_progress(&sm->agenda);
    warp_wait_end(&sm->warp, WARP_WAIT_primary, warps);
}

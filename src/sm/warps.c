/* Events of warps that several files of the SM bring about: what follows from each for the rooms below, the policies
 * and the counts. It calls no other file of the SM but tell.c. */
#include "sm/warps.h"

#include <string.h>

#include "sm/tell.h"

void sm_warp_begins(struct sm *sm, unsigned slot, uint64_t cycle, bool again)
{
    const struct warp_slot *warp = &sm->warp.slots[slot];
    if (!again)
        sm->products[slot] = (struct sm_products){0};
    if (sm->lsu.locality)
        lsu_locality_launched(sm->lsu.locality, slot);
    core_view_begins(&sm->views, slot, warp->age, warp->block, simt_pc(&warp->simt));
    core_warp_launched(sm_core(sm, slot), slot);
    if (sm->spinning.spin)
        sm_spinning_launched(sm, slot, cycle);
    sm_tell_launch(sm, slot, cycle, again);
}

void sm_count_from(struct sm *sm, uint64_t cycle)
{
    sm->counted = cycle;
}

void sm_count_warps(struct sm *sm, uint64_t cycle)
{
    uint64_t cycles = cycle - sm->counted;
    sm->cycles.warp_cycles += cycles * mask_count(sm->warp.resident);
    sm->cycles.busy_cycles += sm->warp.resident ? cycles : 0;
    sm->cycles.barrier_cycles += cycles * mask_count(sm->warp.waits.barrier);
    sm_count_from(sm, cycle);
}

void sm_record_fault(struct sm *sm, unsigned slot, const struct simt_fault *fault)
{
    if (sm->has_fault)
        return;
    const struct warp_slot *warp = &sm->warp.slots[slot];
    sm->has_fault = true;
    uint16_t thread = warp->simt.threads[fault->lane];
    sm->fault.fault = *fault;
    memcpy(sm->fault.block, warp->simt.block->index, sizeof sm->fault.block);
    sm->fault.warp = thread / sm->params->warp_size;
    sm->fault.fault.lane = (uint8_t)(thread % sm->params->warp_size);
    sm->fault.cycle = sm->agenda.now;
    sm->fault.executing = &warp->simt;
    sm->fault.lane = fault->lane;
}

void sm_acquire(struct sm *sm, const struct isa_instr *instr)
{
    bool reads = isa_op_info((enum isa_op)instr->op)->flags & (ISA_FLAG_LOAD | ISA_FLAG_ATOMIC);
    uint8_t drops = reads ? lsu_drops_after(&sm->lsu, lsu_meaning(sm->lsu.l1d.protocol, instr)) : 0;
    if (drops)
        lsu_drop(&sm->lsu, drops);
}

void sm_each_set(struct sm *sm, void (*visit)(uint64_t *set, void *context), void *context)
{
    visit(&sm->out, context);
    fetch_each_set(&sm->fetch, visit, context);
    lsu_each_set(&sm->lsu, visit, context);
    EACH_CORE (sm, core)
        core_each_set(core, visit, context);
}

COLD void sm_record_bad_pick(struct sm *sm, unsigned scheduler, unsigned picked)
{
    sm->has_fault = true;
    sm->fault = (struct sm_fault){
        .by_scheduler = true, .sm = sm->setup.index, .scheduler = scheduler, .picked = picked, .cycle = sm->agenda.now};
}

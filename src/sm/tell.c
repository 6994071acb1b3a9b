/* What the SM's events carry: see tell.h. */
#include "sm/tell.h"

#include <string.h>

#include "simt/lanes.h"

static uint32_t pc_of(const struct sm *sm, const struct core_op *o)
{
    return (uint32_t)(o->decoded - sm->warp.decoded);
}

void sm_tell_issue_to(struct sm *sm, unsigned slot, const struct core_op *o, const struct simt_result *r)
{
    const struct simt_access *a = o->access;
    struct lockstep_issue_event issue = {.cycle = sm->agenda.now,
                                         .warp = slot,
                                         .block = sm->warp.slots[slot].block,
                                         .pc = r->pc,
                                         .instruction_class = watch_class(r->instr),
                                         .active = r->active,
                                         .mask = r->mask};
    if (watch_hears(&sm->watch, WATCH_issue))
        watch_tell_issue(&sm->watch, &issue);
    if (!a || !o->in_memory || !watch_hears(&sm->watch, WATCH_access))
        return;
    watch_tell_access(&sm->watch, &(struct lockstep_access_event){.cycle = sm->agenda.now,
                                                                  .warp = slot,
                                                                  .block = issue.block,
                                                                  .pc = r->pc,
                                                                  .instruction_class = issue.instruction_class,
                                                                  .space = watch_space(a->space),
                                                                  .bytes = (uint32_t)a->element_bytes * a->elements,
                                                                  .mask = a->mask,
                                                                  .address = a->address,
                                                                  .data = a->data,
                                                                  .stride = a->stride});
}

void sm_tell_done_to(struct sm *sm, const struct core_op *o)
{
    watch_tell_done(&sm->watch,
                    &(struct lockstep_done_event){.cycle = sm->agenda.now, .warp = o->slot, .pc = pc_of(sm, o)});
}

/* The reply's operands are the old values; those of the access are what the lanes brought. */
void sm_tell_atomics_to(struct sm *sm, const struct core_op *o, const struct packet *reply)
{
    for (unsigned i = 0; i < reply->lane_count; i++) {
        const struct packet_lane *l = &reply->lanes[i];
        uint64_t operand;
        memcpy(&operand, simt_access_data(o->access, l->lane), sizeof operand);
        watch_tell_atomic(&sm->watch,
                          &(struct lockstep_atomic_event){
                              .cycle = sm->agenda.now,
                              .warp = o->slot,
                              .pc = pc_of(sm, o),
                              .lane = l->lane,
                              .address = (reply->address & ~(uint64_t)(PACKET_LINE_BYTES - 1)) + l->offset,
                              .before = l->operand,
                              .after = lane_atomic(reply->atomic, reply->type, l->operand, operand, l->compare)});
    }
}

void sm_tell_launch_to(struct sm *sm, unsigned slot, uint64_t cycle)
{
    const struct simt_warp *warp = &sm->warp.slots[slot].simt;
    watch_tell_launch(&sm->watch, &(struct lockstep_launch_event){.cycle = cycle,
                                                                  .warp = slot,
                                                                  .block = sm->warp.slots[slot].block,
                                                                  .block_index = warp->block->index,
                                                                  .warp_in_block = warp->index});
}

void sm_tell_arrive_to(struct sm *sm, unsigned slot)
{
    watch_tell_arrive(&sm->watch, &(struct lockstep_arrive_event){
                                      .cycle = sm->agenda.now, .warp = slot, .block = sm->warp.slots[slot].block});
}

void sm_tell_open_to(struct sm *sm, unsigned block, uint64_t slots)
{
    watch_tell_open(&sm->watch, &(struct lockstep_open_event){.cycle = sm->agenda.now, .block = block, .warps = slots});
}

void sm_tell_end_to(struct sm *sm, unsigned slot)
{
    watch_tell_end(&sm->watch, &(struct lockstep_end_event){
                                   .cycle = sm->agenda.now, .warp = slot, .block = sm->warp.slots[slot].block});
}

static const char *const reasons[WARP_WAIT_COUNT] = {
#define WAIT(name, cause, ender, kind, doc) #name,
#include "warp/waits.def"
#undef WAIT
};

/* Warps wait by sets, which stages change wherever something happens: what they have become by the end of a cycle is
 * compared with what was told before. */
void sm_tell_waits_to(struct sm *sm)
{
    for (unsigned w = 0; w < WARP_WAIT_COUNT; w++) {
        uint64_t now = sm->warp.waits.of[w], before = sm->told_waits[w];
        sm->told_waits[w] = now;
        for (uint64_t rest = before & ~now; rest && watch_hears(&sm->watch, WATCH_wait_end); rest &= rest - 1)
            watch_tell_wait_end(&sm->watch, &(struct lockstep_wait_end_event){.cycle = sm->agenda.now,
                                                                              .warp = mask_first(rest),
                                                                              .reason = reasons[w]});
        for (uint64_t rest = now & ~before; rest && watch_hears(&sm->watch, WATCH_wait_begin); rest &= rest - 1)
            watch_tell_wait_begin(&sm->watch, &(struct lockstep_wait_begin_event){.cycle = sm->agenda.now,
                                                                                  .warp = mask_first(rest),
                                                                                  .reason = reasons[w]});
    }
}

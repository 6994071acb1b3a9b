/* Spinning warps of an SM: see spinning.h. */
#include "sm/spinning.h"

#include <stdlib.h>
#include <string.h>

#include "base/archive.h"
#include "memory/packet_values.h"
#include "simt/lanes.h"
#include "sm/state.h"

void sm_spinning_create(struct sm *sm, struct arena *own)
{
    const struct sm_setup *from = &sm->setup;
    const struct sched_control *control = from->spin ? from->spin_control : NULL;
    if (!from->spin || (!control && !from->spin->measure))
        return;
    unsigned warps = sm->params->warps;
    struct spin_setup setup = {
        .params = from->spin,
        .detector = spin_find_detector(from->spin->detector),
        .judge = spin_find_detector(from->spin->truth),
        .warps = warps,
        .control_bits = control ? control->hardware_bits(from->spin, warps, core_schedulers(sm->params)) : 0,
    };
    sm->spinning = (struct sm_spinning){.spin = spin_create(&setup, own),
                                        .control = control,
                                        .state = control ? base_calloc(1, control->state_bytes) : NULL};
}

void sm_spinning_free(struct sm *sm)
{
    spin_destroy(sm->spinning.spin);
    free(sm->spinning.state);
}

void sm_spinning_begin(struct sm *sm, uint64_t cycle)
{
    struct sm_spinning *s = &sm->spinning;
    const struct simt_grid *grid = sm->kernel->grid;
    spin_begin(s->spin, grid->code->module, grid->kernel->first);
    if (!s->control)
        return;
    memset(s->state, 0, s->control->state_bytes);
    s->control->reset(s->state, sm->setup.spin, core_schedulers(sm->params), cycle);
}

void sm_spinning_launched(struct sm *sm, unsigned slot, uint64_t cycle)
{
    struct sm_spinning *s = &sm->spinning;
    spin_launched(s->spin, slot);
    if (s->control)
        s->control->launched(s->state, slot, cycle);
}

void sm_spinning_drained(struct sm *sm)
{
    struct sm_spinning *s = &sm->spinning;
    spin_drained(s->spin);
    if (s->control)
        s->control->drained(s->state, sm->agenda.now);
}

/* The control is told that the warp has issued. held: it was held back. */
static void tell_control(struct sm *sm, unsigned slot, bool held)
{
    struct sm_spinning *s = &sm->spinning;
    if (!s->control)
        return;
    s->control->issued(s->state, slot, sm->agenda.now, held);
    if (held)
        spin_left(s->spin, s->control->delay(s->state));
}

/* The warp has executed a spin-inducing branch: it is held back. */
static void back_off(struct sm *sm, struct core *core, unsigned slot)
{
    struct sm_spinning *s = &sm->spinning;
    spin_backed_off(s->spin);
    uint64_t until = s->control->spins(s->state, slot, sm->agenda.now);
    if (mask_has(sm->warp.finished, slot))
        return;
    core_back_off(core, slot);
    if (until > sm->agenda.now + 1)
        warp_wait_until(&sm->warp, WARP_WAIT_delay, slot, until);
}

void sm_spinning_issued(struct sm *sm, unsigned slot, const struct core_op *o, const struct simt_result *r)
{
    struct core *core = sm_core(sm, slot);
    struct spin_event event = {
        .cycle = sm->agenda.now,
        .warp = slot,
        .pc = r->pc,
        .branch = o->decoded->back_branch,
        .instr = r->instr,
        .active = r->active,
        .mask = r->mask,
        .simt = &sm->warp.slots[slot].simt,
    };
    bool held = mask_has(core->issue.backed_off, slot);
    core_hold_off(core, slot);
    tell_control(sm, slot, held);
    if (spin_issued(sm->spinning.spin, &event, o->access) && sm->spinning.control)
        back_off(sm, core, slot);
}

/* The reply's operands are the old values; those of the access are what the lanes brought. */
void sm_spinning_atomics(struct sm *sm, const struct core_op *o, const struct message_atomic *reply)
{
    struct spin_atomic atomic = {.warp = o->slot, .instr = o->access->instr};
    for (unsigned i = 0; i < reply->lane_count; i++) {
        const struct packet_lane *l = &reply->lanes[i];
        unsigned part = simt_atomic_part(o->access, l->lane, l->offset);
        if (part)
            continue; /* the lane's first says whether it spins */
        atomic.lane = l->lane;
        atomic.address = (reply->packet.address & ~(uint64_t)(PACKET_LINE_BYTES - 1)) + l->offset;
        atomic.before = l->operand;
        atomic.after = packet_lane_after(reply, i, simt_atomic_value(o->access, l->lane, part, false));
        atomic.took = l->operand == l->compare && packet_lane_performed(reply, i);
        spin_atomic(sm->spinning.spin, &atomic);
    }
}

void sm_spinning_pass(struct sm *sm, uint64_t cycles, unsigned over)
{
    uint64_t held = sm_backed_off(sm);
    if (held)
        spin_pass(sm->spinning.spin, cycles, mask_count(held), mask_count(sm->warp.waits.delay & held) - over);
}

unsigned sm_spinning_pick(void *context, const struct lockstep_scheduler_view *view, void *state)
{
    const struct sm *sm = context;
    return sm->spinning.control->pick(sm->spinning.state, view, sm->setup.scheduler, state);
}

/* Checkpoints */

void sm_spinning_archive(struct sm *sm, struct archive *ar)
{
    struct sm_spinning *s = &sm->spinning;
    if (s->spin)
        spin_archive(s->spin, ar);
    if (s->control)
        archive_bytes(ar, s->state, s->control->state_bytes);
}

/* The pipelines of side RESULT (units.def). A unit holds its dispatch register for the initiation interval; the result
 * comes latency + 2 cycles after dispatch, over one of the result buses, as GPGPU-Sim's stages have it. What is due in
 * a cycle is written back by complete.c. */
#include "sm/sm_impl.h"

/* The results due in a cycle: the ring's entry for it, emptied if it is of an earlier cycle. */
static struct sm_results *results_at(struct sm *sm, uint64_t cycle)
{
    struct sm_results *r = &sm->execute.results[cycle & sm->execute.wheel.mask];
    uint32_t mark = (uint32_t)cycle + 1;
    if (r->mark != mark)
        *r = (struct sm_results){.mark = mark};
    return r;
}

/* Units of a class (`units` of them, free from cycle free_at on) take the oldest waiting op each, in order. One op per
 * unit may end in a cycle, and as many in all as there are result buses. */
HOT_INLINE void dispatch_class(struct sm *sm, enum warp_unit unit, unsigned units)
{
    struct sm_fifo *waiting = &sm->oc_ex[unit];
    uint64_t *free_at = sm->execute.free_at[unit];
    uint64_t now = sm->now;
    for (unsigned i = 0; i < units; i++) {
        if (free_at[i] > now)
            continue;
        const struct instr_timing *timing = &sm->ops.items[waiting->items[waiting->head]].timing;
        uint64_t end = now + timing->latency;
        struct sm_results *r = results_at(sm, end);
        unsigned ending = r->ending[unit];
        if ((ending >> i & 1) || r->count == sm->params->result_buses)
            continue;
        r->ending[unit] = (uint8_t)(ending | 1u << i);
        r->count++;
        free_at[i] = now + timing->interval;
        sm_made_progress(&sm->agenda);
        if (sm->collect.classes[unit].ready)
            sm_agenda_add(&sm->agenda, SM_DUE_COLLECT);
        sm_wheel_add(&sm->ops, &sm->execute.wheel, end + 2, sm_fifo_pop(waiting));
        if (!waiting->count)
            return;
    }
}

HOT void sm_execute_units(struct sm *sm)
{
#define UNIT(name, takes, side, ...)                                                                                   \
    UNIT_RESULT_IF_##side(if (sm->oc_ex[WARP_UNIT_##name].count)                                                       \
                              dispatch_class(sm, WARP_UNIT_##name, sm->params->name##_units);)
#include "warp/units.def"
#undef UNIT
    if (!sm_results_wait(sm))
        sm_agenda_done(&sm->agenda, SM_DUE_UNITS);
}

/* The pipelines of side RESULT (units.def). A unit holds its dispatch register for the initiation interval; the result
 * comes latency + 2 cycles after dispatch, over one of the result buses, as GPGPU-Sim's stages have it. What is due in
 * a cycle the SM takes (core_take_results) and completes. */
#include "core/core.h"

/* The results due in a cycle: the ring's entry for it, emptied if it is of an earlier cycle. */
static struct core_results *results_at(struct core *core, uint64_t cycle)
{
    struct core_results *r = &core->execute.results[cycle & core->execute.wheel.mask];
    uint32_t mark = (uint32_t)cycle + 1;
    if (r->mark != mark)
        *r = (struct core_results){.mark = mark};
    return r;
}

/* Units of a class (`units` of them, free from cycle free_at on) take the oldest waiting op each, in order. One op per
 * unit may end in a cycle, and as many in all as there are result buses. */
HOT_INLINE void dispatch_class(struct core *core, enum warp_unit unit, unsigned units)
{
    struct core_fifo *waiting = &core->oc_ex[unit];
    uint64_t *free_at = core->execute.free_at[unit];
    uint64_t now = core->agenda->now;
    for (unsigned i = 0; i < units; i++) {
        if (free_at[i] > now)
            continue;
        const struct instr_timing *timing = &core->ops->items[waiting->items[waiting->head]].timing;
        uint64_t end = now + timing->latency;
        struct core_results *r = results_at(core, end);
        unsigned ending = r->ending[unit];
        if ((ending >> i & 1) || r->count == core->params->result_buses)
            continue;
        r->ending[unit] = (uint8_t)(ending | 1u << i);
        r->count++;
        free_at[i] = now + timing->interval;
        made_progress(core->agenda);
        if (core->collect.classes[unit].ready)
            agenda_add(core->agenda, DUE_COLLECT);
        core_wheel_add(core->ops, &core->execute.wheel, end + 2, core_fifo_pop(waiting));
        if (!waiting->count)
            return;
    }
}

HOT bool core_execute(struct core *core)
{
#define UNIT(name, takes, side, ...)                                                                                   \
    UNIT_RESULT_IF_##side(if (core->oc_ex[WARP_UNIT_##name].count)                                                     \
                              dispatch_class(core, WARP_UNIT_##name, core->params->name##_units);)
#include "warp/units.def"
#undef UNIT
    return core_results_wait(core);
}

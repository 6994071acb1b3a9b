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

/* Under sm.direct: units take ops from the latches that issue has filled, each for its initiation interval. An op that
 * found its unit free in the cycle behind its issue has its result `latency` cycles behind that: then an instruction
 * that needs it may issue. */
static void dispatch_direct(struct core *core, enum warp_unit unit, unsigned units)
{
    struct core_fifo *latches = &core->id_oc[unit];
    uint64_t *free_at = core->execute.free_at[unit];
    uint64_t now = core->agenda->now;
    for (unsigned i = 0; i < units && latches->count; i++) {
        if (free_at[i] > now)
            continue;
        uint32_t op = core_leave(core, unit);
        const struct instr_timing *timing = &core->ops->items[op].timing;
        made_progress(core->agenda);
        free_at[i] = now + timing->interval;
        core_wheel_add(core->ops, &core->execute.wheel, now + (timing->latency > 2 ? timing->latency - 1 : 1), op);
    }
}

uint64_t core_reserve(struct core *core, enum warp_unit unit, uint32_t cycles)
{
    uint64_t *free_at = &core->execute.free_at[unit][0], begin = cycle_max(*free_at, core->agenda->now + 1);
    *free_at = begin + cycles;
    return begin;
}

NOT_INLINE bool execute_direct(struct core *core)
{
#define UNIT(name, takes, side, ...)                                                                                   \
    UNIT_RESULT_IF_##side(if (core->id_oc[WARP_UNIT_##name].count)                                                     \
                              dispatch_direct(core, WARP_UNIT_##name, core->params->name##_units);)
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
    return core_latched_wait(core);
}

HOT bool core_execute(struct core *core)
{
    if (RARELY(core->params->direct))
        return execute_direct(core);
#define UNIT(name, takes, side, ...)                                                                                   \
    UNIT_RESULT_IF_##side(if (core->oc_ex[WARP_UNIT_##name].count)                                                     \
                              dispatch_class(core, WARP_UNIT_##name, core->params->name##_units);)
#include "warp/units.def"
#undef UNIT
    return core_collected_wait(core);
}

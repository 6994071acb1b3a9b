/* An issue, around what the SM does with the instruction. Whoever fills in core_port.issue writes it out with a
 * function of its own, so that the compiler makes one of both: it is paid for each instruction. */
#ifndef LOCKSTEP_CORE_ISSUING_H
#define LOCKSTEP_CORE_ISSUING_H

#include "core/core.h"

/* The class to which an instruction of that kind goes: the first with a free pipeline register. There is one. */
static inline enum warp_unit core_unit_for(const struct core *core, enum isa_unit kind)
{
#define UNIT(name, takes, side, ...)                                                                                   \
    if (((takes) >> kind & 1) && !(core->full >> WARP_UNIT_##name & 1))                                                \
        return WARP_UNIT_##name;
#define UNIT_DIRECT UNIT_AS_ROW
#include "warp/units.def"
#undef UNIT
    contract(false);
    return WARP_UNIT_COUNT;
}

/* The warp has issued the instruction at the head of its buffer: the one behind it is the head now, and the policy sees
 * where the warp stands. */
HOT_INLINE void core_next_head(struct core *core, struct warp_table *w, struct warp_slot *warp, unsigned slot,
                               uint32_t pc)
{
    uint32_t next = mask_has(w->finished, slot) ? 0 : simt_pc(&warp->simt);
    core_view_issued(core->views, slot, pc, next);
    if (RARELY(warp_issued(w, slot, next)))
        core->port->reach_release(core->sm, slot);
    if (!warp->buffered)
        agenda_add(core->agenda, DUE_FETCH);
}

/* Issues a warp's next instruction, and says of which class it is. perform executes it: everything but its time. An op
 * of the load/store unit's class has an access to fill in. perform returns false when the program did something
 * illegal: then core->stopped is set, and the instruction has not issued. */
HOT_INLINE enum warp_unit core_issue_with(struct core *core, unsigned slot,
                                          bool (*perform)(void *sm, unsigned slot, struct core_op *op))
{
    struct warp_table *w = core->warp;
    struct warp_slot *warp = warp_at(w, slot);
    uint32_t pc = warp->head_pc;
    uint32_t index = core_op_new(core->ops);
    made_progress(core->agenda);
    struct core_op *o = &core->ops->items[index];
    core_op_name(core, slot, o, &w->decoded[pc]);
    o->slot = (uint8_t)slot;
    enum warp_unit unit = core_unit_for(core, (enum isa_unit)o->timing.unit);
    o->unit = unit;
    if (warp_unit_is_memory(unit))
        o->access = core_access_new(core->ops, core->arena);
    if (!perform(core->sm, slot, o)) {
        core_op_free(core->ops, index);
        return unit;
    }
    warp_op_began(w, slot, &o->timing);
    if (o->source != WARP_FROM_OP)
        warp_load_began(w, slot, &o->timing, (enum warp_source)o->source);
    core_next_head(core, w, warp, slot, pc);
    if (core->port->left_buffer)
        core->port->left_buffer(core->sm, slot);
    core_enter(core, unit, index);
    if (warp_unit_is_memory(unit) && RARELY(core->line))
        core_line_push(core->line, core->number);
    agenda_add(core->agenda, core->issued_due[unit]);
    return unit;
}

#endif

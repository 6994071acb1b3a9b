/* Recomputes what a core keeps although it follows from something else (base/check.h). All of it holds between two
 * cycles. */
#include "base/check.h"

#include "core/core.h"

static void check_collectors(struct core *core, enum warp_unit unit, uint64_t *turns, struct check *c)
{
    struct core_collectors *l = &core->collect.classes[unit];
    uint64_t all = 0;
    CHECK_FACT(c, "collectors.used", unit, l->used, l->ready | l->reading);
    check_holds(c, "collectors.ready", unit, !(l->ready & l->reading));
    for (uint32_t rest = l->reading; rest; rest &= rest - 1)
        all |= l->held->turn[mask_first(rest)];
    check_holds(c, "collected.turn", unit, !(all & *turns));
    *turns |= all;
    if (warp_unit_is_memory(unit))
        CHECK_FACT(c, "collectors.line_count", unit, l->line_count, mask_count(l->used));
    check_holds(c, "id_oc.count", unit, core->id_oc[unit].count <= core->id_oc[unit].size);
    check_holds(c, "oc_ex.count", unit, core->oc_ex[unit].count <= core->oc_ex[unit].size);
}

void core_check_wheel(struct core_wheel *wheel, const struct core_ops *ops, unsigned which, struct check *c)
{
    uint32_t count = 0;
    for (unsigned at = 0; at < CORE_WHEEL; at++) {
        check_bits(c, "wheel.occupied", which, &wheel->occupied[at / 64], sizeof wheel->occupied[0], BIT64(at % 64),
                   wheel->head[at] == CORE_NONE ? 0 : BIT64(at % 64));
        for (uint32_t op = wheel->head[at]; op != CORE_NONE; op = ops->items[op].next)
            count++;
    }
    CHECK_FACT(c, "wheel.count", which, wheel->count, count);
}

static void check_schedulers(struct core *core, struct check *c)
{
    uint64_t slots = 0;
    for (unsigned s = 0; s < core->issue.count; s++) {
        struct core_scheduler *own = &core->issue.of[s];
        slots |= own->slots;
        check_at_most(c, "core.owned", own->number, &own->owned, sizeof own->owned, core->agenda->now);
        for (unsigned unit = 0; unit < WARP_UNIT_COUNT; unit++)
            check_at_most(c, "core.overtaken", own->number, &core->issue.overtaken[unit][s], 1,
                          core->issue.overtakes[unit]);
    }
    CHECK_FACT(c, "core.slots", core->number, core->slots, slots);
    check_holds(c, "core.backed_off", core->number, !(core->issue.backed_off & ~slots));
}

bool core_collects(const struct core *core)
{
    if (core->params->direct)
        return false;
    for (unsigned unit = 0; unit < WARP_UNIT_COLLECTED; unit++) {
        const struct core_collectors *l = &core->collect.classes[unit];
        if ((l->ready && !core_fifo_full(&core->oc_ex[unit])) || (core->id_oc[unit].count && l->used != l->all))
            return true;
    }
    return core->collect.waiting;
}

void core_check(struct core *core, struct check *c)
{
    uint64_t turns = 0;
    for (unsigned unit = 0; unit < WARP_UNIT_COLLECTED; unit++)
        check_collectors(core, unit, &turns, c);
    CHECK_FACT(c, "core.banks_waiting", core->number, core->collect.waiting, turns);
    /* The collectors see in the next step which banks the load/store unit wrote in this one. */
    check_holds(c, "core: banks written are banks", core->number, !(core->collect.written & ~core->collect.all));
    CHECK_FACT(c, "core.full", core->number, core->full, core_full_classes(core));
    core_check_wheel(&core->execute.wheel, core->ops, 0, c);
    check_schedulers(core, c);
}

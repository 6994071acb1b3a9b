/* Making a core, and beginning launches on it. */
#include "core/core.h"

#include "base/arena.h"

static void init_fifo(struct core *core, struct core_fifo *fifo, unsigned number, uint32_t size)
{
    *fifo = (struct core_fifo){.items = core->fifo_items[number], .size = (uint8_t)size};
}

static void init_fifos(struct core *core)
{
    const struct sm_params *p = core->params;
#define UNIT(name, takes, side, ...)                                                                                   \
    init_fifo(core, &core->id_oc[WARP_UNIT_##name], 2 * WARP_UNIT_##name, p->id_oc_##name);                            \
    init_fifo(core, &core->oc_ex[WARP_UNIT_##name], 2 * WARP_UNIT_##name + 1, p->oc_ex_##name);
#define UNIT_DIRECT(name, takes, issued, units, label, what)                                                           \
    init_fifo(core, &core->id_oc[WARP_UNIT_##name], 2 * WARP_UNIT_##name, p->id_oc_##name);
#include "warp/units.def"
#undef UNIT
}

void core_init(struct core *core, const struct core_setup *setup, struct arena *own)
{
    const struct sm_shared *shared = setup->shared;
    core->agenda = shared->agenda;
    core->params = shared->params;
    core->warp = shared->warp;
    core->ops = shared->ops;
    core->sm = shared->sm;
    core->line = shared->line;
    core->views = shared->views;
    core->port = setup->port;
    core->stopped = setup->stopped;
    core->arena = setup->arena;
    core->number = setup->number;
    core->count = setup->count;
    init_fifos(core);
    core->accesses = &(core->params->direct ? core->id_oc : core->oc_ex)[WARP_UNIT_OF_MEMORY];
    for (unsigned unit = 0; unit < WARP_UNIT_COUNT; unit++)
        core->issued_due[unit] = !core->params->direct       ? DUE_COLLECT
                                 : warp_unit_is_memory(unit) ? DUE_DISPATCH
                                                             : DUE_UNITS;
    core_collect_init(core);
    core_wheel_init(&core->execute.wheel);
    core_issue_init(core, setup->policy, own);
    core->issue.view.memory = setup->memory;
}

uint32_t core_full_classes(const struct core *core)
{
    uint32_t full = 0;
    for (unsigned unit = 0; unit < WARP_UNIT_COUNT; unit++)
        full |= (uint32_t)core_fifo_full(&core->id_oc[unit]) << unit;
    return full;
}

void core_begin(struct core *core, const struct lockstep_scheduler_setup *policy, uint32_t longest, bool reads_rows)
{
    core_wheel_begin(&core->execute.wheel, longest + 2);
    core_collect_begin(core, reads_rows);
    core_issue_begin(core, policy);
}

void core_reset_stats(struct core *core)
{
    core->stalls = (struct core_stalls){0};
    core->issue.extra_issues = core->issue.preferred_empty = core->issue.preferred_passed = 0;
}

void core_each_set(struct core *core, void (*visit)(uint64_t *set, void *context), void *context)
{
    visit(&core->issue.backed_off, context);
}

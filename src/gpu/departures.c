/* The departures from GPGPU-Sim: see departures.h, and docs/fidelity.md for what each of them does to the cycles. */
#include "gpu/departures.h"

#include <stddef.h>
#include <string.h>

#include "base/strmap.h"

#define ORDER "sm.schedulers_take_turns"

const char *const machine_as_names[] = {"shipped", "fixed-order", "reference", NULL};

bool machine_as_find(const char *name, enum machine_as *as)
{
    for (unsigned i = 0; machine_as_names[i]; i++)
        if (!strcmp(machine_as_names[i], name)) {
            *as = i;
            return true;
        }
    return false;
}

static const struct departure parameters[] = {
    {NULL, "sm.values_at_issue", "true", "values travel with the messages of the memory system"},
    {NULL, "sm.volatile_bypasses_l1", "false", "a spin on a line that stays in the L1D would never end"},
    {NULL, "sm.fence_waits_stores", "false", "the PTX memory model wants stores seen before what follows a fence"},
    {NULL, "sm.atomic_drops_line", "false", "a thread's plain load must see its own atomic, which went past the L1D"},
    {NULL, "sm.memory_in_order", "false", "one access of a warp to an address must not overtake another"},
    {NULL, "sm.fetch_patience", "1000000000", "a warp that others wait for must get its instructions"},
    {"gtx480", "sm.fence_l1", "none", "a load behind a fence must not find an older line"},
    {"gtx480", ORDER, "false", "in fixed order a scheduler whose warps spin can keep memory from the other for ever"},
    {"gtx480", "sm.age_rotation", "50000", "plain GTO starves the holders of locks; the BOWS artifact rotates so"},
    {"gtx1080ti", "sm.fence_l1", "none", "a load behind a fence must not find an older line"},
    {"gtx1080ti", ORDER, "false", "in fixed order a scheduler whose warps spin can keep memory from others for ever"},
    {"gtx1080ti", "sm.age_rotation", "50000", "plain GTO starves the holders of locks; the BOWS artifact rotates so"},
    {"gtx480-sm2", "sm.overtakes", "0", "in turns, a register that comes free in step comes free for one for ever"},
    {"gtx480-sm2", "sm.age_rotation", "0", "plain GTO starves the holders of contended locks"},
};

/* The simulator released with the BOWS paper differs from the paper's text in its detector and control: docs/spin.md.
 * That is a reading of the paper rather than of a machine, so a machine set back leaves it alone. */
static const struct departure controls[] = {
    {NULL, "spin.counts", "first", "a warp executes a branch if any of its lanes does"},
    {NULL, "spin.table", "0", "the paper's table has 16 entries"},
    {NULL, "spin.order", "scheduler", "the paper issues first what was backed off first"},
    {NULL, "spin.raise_share", "0.001", "the paper's share, read as per cent"},
    {NULL, "spin.lower_ratio", "0.9", "the paper's ratio"},
    {NULL, "spin.keeps_total", "true", "a window is compared with the one before it"},
    {NULL, "spin.profiled_values", "false", "the values are those of the profiled lane"},
    {NULL, "spin.clears_history", "false", "a new warp has no history"},
};

/* parameter: a scheduler's name. */
static const struct departure schedulers[] = {
    {"gtx480", "gto", "gto:rotate=preference:patience=0", "a warp that is ready gets its turn within a bound"},
    {"gtx480", "cawa:profile=artifact", "cawa:profile=artifact:patience=0", "as for gto"},
    {"gtx1080ti", "gto", "gto:rotate=preference:patience=0", "a warp that is ready gets its turn within a bound"},
    {"gtx1080ti", "cawa:profile=artifact", "cawa:profile=artifact:patience=0", "as for gto"},
};

/* Machines described after GPGPU-Sim have a row of their own; the others depart from nothing. */
static bool is_after_gpgpusim(const char *machine)
{
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (parameters[i].machine && !strcmp(parameters[i].machine, machine))
            return true;
    return false;
}

static bool applies(const struct departure *row, const char *machine, enum machine_as as)
{
    if (as == MACHINE_SHIPPED || (as == MACHINE_FIXED_ORDER && strcmp(row->parameter, ORDER) != 0))
        return false;
    return row->machine ? !strcmp(row->machine, machine) : is_after_gpgpusim(machine);
}

static const struct departure *next(const struct departure *from, const struct departure *end, const char *machine,
                                    enum machine_as as)
{
    while (from < end && !applies(from, machine, as))
        from++;
    return from < end ? from : NULL;
}

const struct departure *departure_next(const char *machine, enum machine_as as, const struct departure *after)
{
    return next(after ? after + 1 : parameters, parameters + sizeof parameters / sizeof *parameters, machine, as);
}

const struct departure *departure_next_scheduler(const char *machine, enum machine_as as, const struct departure *after)
{
    return next(after ? after + 1 : schedulers, schedulers + sizeof schedulers / sizeof *schedulers, machine, as);
}

const struct departure *departure_next_control(const struct departure *after)
{
    const struct departure *row = after ? after + 1 : controls;
    return row < controls + sizeof controls / sizeof *controls ? row : NULL;
}

const char *departure_scheduler(struct arena *arena, const char *machine, enum machine_as as, const char *scheduler)
{
    size_t n = strcspn(scheduler, "+");
    for (const struct departure *d = NULL; (d = departure_next_scheduler(machine, as, d));)
        if (strlen(d->parameter) == n && !memcmp(d->parameter, scheduler, n))
            return arena_printf(arena, "%s%s", d->there, scheduler + n);
    return scheduler;
}

static int set_back(struct machine *m, const struct departure *d, struct diag_sink *sink)
{
    return machine_was_set(m, d->parameter)
               ? 0
               : machine_set(m, arena_printf(&m->arena, "%s=%s", d->parameter, d->there), sink);
}

int departures_take(struct machine *m, const char *name, struct diag_sink *sink)
{
    int rc = 0;
    unsigned count = 0;
    if (!machine_as_find(name, &m->as))
        return diag_error(sink, DIAG_NOWHERE, str_nearest(name, machine_as_names),
                          "--as %s: expected shipped, fixed-order or reference", name);
    for (const struct departure *d = NULL; (d = departure_next(m->origin, m->as, d)); count++)
        rc |= set_back(m, d, sink);
    if (!count && m->as != MACHINE_SHIPPED)
        return diag_error(sink, DIAG_NOWHERE, "lockstep machines --departures lists what there is to set back",
                          "--as %s: machine %s has nothing that this would set back", name, m->name);
    m->sm.scheduler = departure_scheduler(&m->arena, m->origin, m->as, m->sm.scheduler);
    if (m->as == MACHINE_REFERENCE && strchr(m->sm.scheduler, '+'))
        for (const struct departure *d = NULL; (d = departure_next_control(d));)
            rc |= set_back(m, d, sink);
    return rc;
}

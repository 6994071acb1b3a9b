/* Greedy, then youngest: the warp that issued last goes on as long as it is ready; otherwise the ready warp that was
 * launched last. So a sub-core of NVIDIA's SMs since Volta chooses (Huerta and others, "Analyzing Modern NVIDIA GPU
 * Cores", MICRO 2025), but that hints of the assembler, which PTX does not have, end its greed. The limit
 * is Lockstep's: young warps that spin could keep an old one, which may hold what they spin for, from issuing for ever. */
#include "core/sched/patience.h"

#define NOBODY 64

enum option { OPTION_PATIENCE };

static const struct lockstep_scheduler_option options[] = {PATIENCE_OPTION_ROW, {0}};

struct gty {
    struct patience patience;
    unsigned greedy; /* the warp that issued last, or NOBODY */
};

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    struct gty *g = state;
    patience_reset(&g->patience, setup->options[OPTION_PATIENCE]);
    g->greedy = NOBODY;
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    const struct gty *g = state;
    unsigned youngest = patience_pick(&g->patience, view);
    if (youngest != LOCKSTEP_NO_WARP)
        return youngest;
    if (g->greedy != NOBODY && mask_has(view->ready, g->greedy))
        return g->greedy;
    youngest = mask_first(view->ready);
    for (uint64_t rest = view->ready & (view->ready - 1); rest; rest &= rest - 1)
        if (view->warps[mask_first(rest)].age > view->warps[youngest].age)
            youngest = mask_first(rest);
    return youngest;
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    struct gty *g = state;
    patience_issued(&g->patience, warp, view);
    g->greedy = warp;
}

static void launched(void *state, const struct lockstep_launch *launch)
{
    struct gty *g = state;
    patience_launched(&g->patience, launch);
    if (g->greedy == launch->warp)
        g->greedy = NOBODY;
}

const struct lockstep_scheduler sched_gty = {
    .version = LOCKSTEP_SCHEDULER_VERSION,
    .name = "gty",
    .doc = "greedy, then youngest: the warp that issued last while it is ready, else the one launched last",
    .options = options,
    .state_bytes = sizeof(struct gty),
    .reset = reset,
    .pick = pick,
    .issued = issued,
    .launched = launched,
};

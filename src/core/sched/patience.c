/* Remembers whom a scheduler of a fixed order passes over, and since when (patience.h). */
#include "core/sched/patience.h"

#include <stdbool.h>

void patience_reset(struct patience *p, uint64_t cycles)
{
    p->cycles = cycles;
    p->passed_over = LOCKSTEP_NO_WARP;
}

static bool is_longer_ago(const struct patience *p, const struct lockstep_scheduler_view *view, unsigned warp,
                          unsigned other)
{
    if (p->issued_at[warp] != p->issued_at[other])
        return p->issued_at[warp] < p->issued_at[other];
    return view->warps[warp].age < view->warps[other].age;
}

void patience_issued(struct patience *p, unsigned warp, const struct lockstep_scheduler_view *view)
{
    uint64_t others = view->members & ~view->waiting & ~BIT64(warp);
    p->issued_at[warp] = view->cycle;
    if (p->passed_over == warp)
        p->passed_over = LOCKSTEP_NO_WARP;
    if (!p->cycles || p->passed_over != LOCKSTEP_NO_WARP || !others)
        return;
    unsigned first = mask_first(others);
    for (uint64_t rest = others & (others - 1); rest; rest &= rest - 1)
        first = is_longer_ago(p, view, mask_first(rest), first) ? mask_first(rest) : first;
    p->passed_over = (uint8_t)first;
    p->due = view->cycle + p->cycles;
}

void patience_launched(struct patience *p, const struct lockstep_launch *launch)
{
    p->issued_at[launch->warp] = launch->cycle;
    if (p->passed_over == launch->warp)
        p->passed_over = LOCKSTEP_NO_WARP;
}

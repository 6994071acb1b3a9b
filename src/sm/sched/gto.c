/* Greedy then oldest: the warp that issued last goes on as long as it is ready; otherwise the oldest ready warp. Age is
 * the order of launch on the SM.
 *
 * With age rotation (ElTantawy and Aamodt's BOWS artifact; without it strict GTO livelocks on contended locks), every
 * `sm.age_rotation` cycles each live warp takes the age of its predecessor in the order of age and the oldest takes the
 * youngest's: everybody moves up, the oldest goes to the end. */
#include "base/bits.h"
#include "lockstep/scheduler.h"

#define NOBODY 64

struct gto {
    uint64_t age[64];
    uint64_t rotation, next_rotation;
    unsigned last;
};

static void reset(void *state, const struct lockstep_scheduler_setup *setup)
{
    struct gto *g = state;
    g->last = NOBODY;
    g->rotation = setup->age_rotation;
    g->next_rotation = g->rotation ? setup->cycle + g->rotation : UINT64_MAX;
}

static unsigned oldest(const struct gto *g, uint64_t set)
{
    unsigned best = mask_first(set);
    for (uint64_t rest = set & (set - 1); rest; rest &= rest - 1)
        if (g->age[mask_first(rest)] < g->age[best])
            best = mask_first(rest);
    return best;
}

/* Walks the members from oldest to youngest, handing each its predecessor's age. */
static void rotate(struct gto *g, uint64_t members)
{
    if (!members)
        return;
    unsigned first = oldest(g, members);
    uint64_t passed = g->age[first];
    uint64_t rest = members & ~BIT64(first);
    while (rest) {
        unsigned warp = oldest(g, rest);
        uint64_t own = g->age[warp];
        g->age[warp] = passed;
        passed = own;
        rest &= ~BIT64(warp);
    }
    g->age[first] = passed;
}

static void rotate_until(struct gto *g, const struct lockstep_scheduler_view *view)
{
    for (; g->next_rotation <= view->cycle; g->next_rotation += g->rotation)
        rotate(g, view->members);
}

static void advance(void *state, const struct lockstep_scheduler_view *view)
{
    if (((struct gto *)state)->next_rotation <= view->cycle)
        rotate_until(state, view);
}

static unsigned pick(const void *state, const struct lockstep_scheduler_view *view)
{
    const struct gto *g = state;
    if (g->last != NOBODY && mask_has(view->ready, g->last))
        return g->last;
    return oldest(g, view->ready);
}

static void issued(void *state, unsigned warp, const struct lockstep_scheduler_view *view)
{
    (void)view;
    ((struct gto *)state)->last = warp;
}

static void launched(void *state, unsigned warp, uint64_t age, uint64_t cycle)
{
    struct gto *g = state;
    (void)cycle;
    g->age[warp] = age;
    if (g->last == warp)
        g->last = NOBODY;
}

const struct lockstep_scheduler sched_gto = {
    .version = LOCKSTEP_SCHEDULER_VERSION,
    .name = "gto",
    .doc = "greedy then oldest: the last warp while it is ready, else the oldest ready one",
    .state_bytes = sizeof(struct gto),
    .reset = reset,
    .advance = advance,
    .pick = pick,
    .issued = issued,
    .launched = launched,
};
